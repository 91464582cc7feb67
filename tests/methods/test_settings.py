"""Settings of methods: the last value allowed and the first refused, and scalings by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft._base.records import flat, given_fields, named, with_fields, written
from weft._base.scaling import standard_scaling
from weft.methods.mercer.settings import (
    FeatureCenters,
    InputCenters,
    Kernel,
    read_centers,
    read_kernel,
)
from weft.methods.projected.settings import Objective, SwarmSettings
from weft.methods.staged.settings import ClusterEstimate, RangeScaling, read_estimate


@pytest.mark.parametrize(
    ("kind", "name", "allowed", "refused"),
    [
        (ClusterEstimate, "n_clusters", [None, 1], [0, 1.5]),
        (ClusterEstimate, "n_estimates", [1, 10**5], [0, 10**5 + 1]),
        (ClusterEstimate, "k_spread", [1e-9], [0.0, -1.0]),
        (FeatureCenters, "min_size", [0.0, 0.5], [-1e-9, 0.51]),
        (FeatureCenters, "refine_steps", [0, 10**5], [-1, 10**5 + 1]),
        (FeatureCenters, "polish", [True, False], ["yes"]),
        (InputCenters, "repairs", ["decoded", "printed"], ["other"]),
        (Objective, "name", ["psovw", "lac", "ewkm", "wkmeans"], ["kmeans"]),
        (Objective, "strength", ["auto", 1e-9], ["much", 0.0]),
        (Objective, "dispersion_floor", [0.0, 1e100], [-1e-9, 1.1e100]),
        (SwarmSettings, "init", ["k-means++", "random"], ["first"]),
        (SwarmSettings, "weight_init", ["near-one", "uniform"], ["ones"]),
        (SwarmSettings, "bounds", ["clip", "repair", "neglect"], ["wrap"]),
        (SwarmSettings, "inertia", [(0.9, 0.7)], [(0.9,), (0.9, np.nan)]),
        (SwarmSettings, "acceleration", [0.0], [-1e-9]),
        (SwarmSettings, "n_steps", [1], [0]),
        (SwarmSettings, "max_iter", [1], [0]),
    ],
)
def test_limits_of_settings(kind, name, allowed, refused):
    for value in allowed:
        assert getattr(kind(**{name: value}), name) == value
    for value in refused:
        with pytest.raises((ValueError, TypeError)):
            kind(**{name: value})


def test_defaults_are_those_that_are_documented():
    assert ClusterEstimate() == ClusterEstimate(None, 30, 1.5)
    assert FeatureCenters() == FeatureCenters(0.02, 1, True)
    assert Objective() == Objective("psovw", "auto", 1e-4)
    assert SwarmSettings() == SwarmSettings(
        *("k-means++", "near-one", "clip"), (0.9, 0.7), 1.49445, 3, 300
    )


def test_kernels_and_their_parameters():
    assert read_kernel("rbf") == Kernel("rbf")
    given = Kernel("polynomial", {"degree": 3})
    assert read_kernel(given) is given
    with pytest.raises(ValueError, match="has the entry 'degree', but kernel='rbf' takes: gamma"):
        Kernel("rbf", {"degree": 3})
    with pytest.raises(ValueError, match="kernel='diffusion' takes: none"):
        Kernel("diffusion", {"gamma": 3})
    with pytest.raises(ValueError, match="has the entry 'X'"):
        Kernel("rbf", {"X": 3})
    with pytest.raises(TypeError, match="must be a dict"):
        Kernel("rbf", [1])
    assert read_centers("feature-space") == FeatureCenters()
    assert read_centers("input") == InputCenters()
    own = InputCenters("printed")
    assert read_centers(own) is own
    assert read_estimate(3) == ClusterEstimate(3)
    assert read_estimate(ClusterEstimate(4)).n_clusters == 4


# Records ------------------------------------------------------------------------------------------


def test_records_are_written_as_the_call_that_makes_them():
    assert given_fields(FeatureCenters(refine_steps=2)) == {"refine_steps": 2}
    assert given_fields(Kernel("rbf")) == {"name": "rbf"}
    assert written(Kernel("rbf", {"gamma": 2.0})) == "Kernel('rbf', params={'gamma': 2.0})"
    assert written(FeatureCenters()) == "FeatureCenters()"
    assert written(FeatureCenters) == repr(FeatureCenters)
    assert written(3) == "3"
    assert named(FeatureCenters(polish=False)) == "FeatureCenters(polish=False)"
    assert named(FeatureCenters) == "FeatureCenters"
    assert named(written) == "written"
    assert named(3) == "int"


def test_fields_of_records_are_parameters():
    params = {"kernel": Kernel("rbf", {"gamma": 1.0}), "centers": InputCenters("printed"), "k": 3}
    assert flat(params) == {
        **{"kernel": "rbf", "params": {"gamma": 1.0}},
        **{"centers": "input", "repairs": "printed", "k": 3},
    }
    assert flat({"kind": Kernel}) == {"kind": Kernel}


def test_records_with_other_fields():
    changed = with_fields(FeatureCenters(), FeatureCenters, {"polish": False})
    assert changed == FeatureCenters(polish=False)
    with pytest.raises(TypeError, match="polish are settings of FeatureCenters, not of int"):
        with_fields(3, FeatureCenters, {"polish": False})
    with pytest.raises(TypeError, match="of FeatureCenters or InputCenters, not of int"):
        with_fields(3, (FeatureCenters, InputCenters), {"polish": False})
    with pytest.raises(ValueError, match="has no setting 'size'; it takes: min_size, refine_steps"):
        with_fields(FeatureCenters(), FeatureCenters, {"size": 1})


# Scalings -----------------------------------------------------------------------------------------


def test_ranges_of_1_around_the_mean():
    X = np.array([[1.0, 5.0, -2.0], [3.0, 5.0, 0.0], [2.0, 5.0, 8.0]])
    scaling = RangeScaling.of(X, scaled=True)
    # 0, 1, ½ has the mean ½; a constant is 0; 0, 0.2, 1 has the mean 0.4.
    np.testing.assert_allclose(
        scaling.apply(X), [[-0.5, 0.0, -0.4], [0.5, 0.0, -0.2], [0.0, 0.0, 0.6]], atol=1e-12
    )
    plain = RangeScaling.of(X, scaled=False)
    np.testing.assert_allclose(plain.apply(X), X - X.mean(axis=0))
    assert plain.low.tolist() == [0.0] * 3
    assert plain.span.tolist() == [1.0] * 3


def test_deviations_of_1():
    # Deviation 1 around 2; a constant; a constant with the rounding of its mean.
    X = np.array([[1.0, 5.0, 1e6], [3.0, 5.0, 1e6 + 1e-7]])
    scaling = standard_scaling(X, scaled=True)
    assert scaling.mean[:2].tolist() == [2.0, 5.0]
    assert scaling.deviation.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(scaling.apply(2 * X)[:, :2], [[0.0, 5.0], [4.0, 5.0]])
    small = standard_scaling(1e-13 * X[:, :1], scaled=True)
    np.testing.assert_allclose(small.deviation, [1e-13])
    plain = standard_scaling(X, scaled=False)
    np.testing.assert_array_equal(plain.apply(X), X)
