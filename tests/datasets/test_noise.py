"""Noise columns: how many, which law, which names, and that the real ones survive untouched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.utils import Bunch

from weft.datasets import add_noise_features, make_ellipsoids

KINDS = ["uniform", "gaussian", "heavy-tailed", "skewed", "binary", "correlated"]


def one_column(n=40_000):
    """Return a column of mean 3 and standard deviation 2: four values, equally often."""
    # 3 + a·(-3, -1, 1, 3) has variance 5 a²; a = 2/√5 makes it 4.
    return np.tile(3 + 2 / np.sqrt(5) * np.array([-3.0, -1.0, 1.0, 3.0]), n // 4)[:, np.newaxis]


@pytest.mark.parametrize("kind", KINDS)
def test_counts_names_and_mask(kind):
    wine = load_wine()
    noisy = add_noise_features(wine, 7, kind=kind, random_state=0)
    assert noisy.data.shape == (178, 20)
    assert np.array_equal(noisy.data[:, :13], wine.data)
    assert noisy.feature_names == [*wine.feature_names, *(f"noise_{i}" for i in range(1, 8))]
    assert noisy.relevant.dtype == bool
    assert noisy.relevant.tolist() == [True] * 13 + [False] * 7
    assert np.array_equal(noisy.target, wine.target)
    assert noisy.target_names is wine.target_names
    assert np.isfinite(noisy.data).all()
    assert f"7 {kind} noise columns" in noisy.DESCR


def test_laws_match_the_real_column():
    # All against the one real column of mean 3 and sd 2; 5 standard errors of 40,000 draws.
    X = one_column()
    drawn = {k: add_noise_features(X, 1, kind=k, random_state=1).data[:, 1] for k in KINDS}
    error = 5 * 2 / np.sqrt(len(X))
    assert stats.kstest(drawn["uniform"], stats.uniform(X.min(), np.ptp(X)).cdf).pvalue > 1e-4
    for kind in ("gaussian", "correlated"):
        assert stats.kstest(drawn[kind], stats.norm(3, 2).cdf).pvalue > 1e-4
    # Heavy tails: quartiles of N(3, 2), 3 ± 1.349, and far more beyond 5 sd than a Gaussian's 6e-7.
    assert np.quantile(drawn["heavy-tailed"], [0.25, 0.75]) == pytest.approx(
        [3 - 1.349, 3 + 1.349], abs=0.1
    )
    assert np.mean(np.abs(drawn["heavy-tailed"] - 3) > 10) > 0.005
    # Log-normal: mean 3, sd 2 and a long right tail (which makes the sd's error large).
    assert drawn["skewed"].mean() == pytest.approx(3, abs=error)
    assert drawn["skewed"].std() == pytest.approx(2, rel=0.15)
    assert stats.skew(drawn["skewed"]) > 3
    # Binary: 3 ± 2, evenly.
    assert np.allclose(np.unique(drawn["binary"]), [1, 5])
    assert drawn["binary"].mean() == pytest.approx(3, abs=error)


def test_correlated_comes_in_blocks_of_five():
    noisy = add_noise_features(one_column(4000), 12, kind="correlated", random_state=0)
    found = np.corrcoef(noisy.data[:, 1:].T)
    block = np.arange(12) // 5  # 5, 5 and 2 columns
    wanted = np.where(block[:, np.newaxis] == block, 0.8, 0.0)
    np.fill_diagonal(wanted, 1.0)
    assert np.abs(found - wanted).max() < 0.08


def test_noise_is_independent_of_the_truth_and_takes_every_column_as_model():
    # Columns of very different scale: the noise columns' ranges must be those of the real ones.
    rng = np.random.default_rng(0)
    scales = np.array([1.0, 100.0, 10_000.0])
    X = rng.uniform(size=(500, 3)) * scales
    noise = add_noise_features(X, 60, random_state=0).data[:, 3:]
    model = np.abs(np.log10(np.ptp(noise, axis=0))[:, np.newaxis] - np.log10(scales)).argmin(axis=1)
    assert set(model) == {0, 1, 2}
    low, high = X.min(axis=0)[model], X.max(axis=0)[model]
    assert (noise >= low).all()
    assert (noise <= high).all()
    assert np.abs(np.corrcoef(np.hstack([X, noise]).T) - np.eye(63)).max() < 0.25


@settings(max_examples=30, deadline=None)
@given(ratio=st.floats(0, 5), d=st.integers(1, 9))
def test_ratio_rounds_to_the_nearest_count(ratio, d):
    X = np.arange(4.0 * d).reshape(4, d)
    added = add_noise_features(X, ratio=ratio, random_state=0).data.shape[1] - d
    assert abs(added - ratio * d) <= 0.5
    assert add_noise_features(X, n_noise=added, random_state=0).data.shape[1] == d + added


def test_none_at_all_is_allowed():
    iris = load_iris()
    for none in ({"n_noise": 0}, {"ratio": 0.0}):
        plain = add_noise_features(iris, **none)
        assert np.array_equal(plain.data, iris.data)
        assert plain.relevant.all()


@pytest.mark.parametrize("kind", KINDS)
def test_shuffle_moves_columns_names_and_mask_together(kind):
    made = make_ellipsoids(3, 6, cluster_size=10, random_state=0)
    noisy = add_noise_features(made, 9, kind=kind, shuffle=True, random_state=1)
    assert noisy.relevant.sum() == 6
    assert noisy.relevant.tolist() != [True] * 6 + [False] * 9
    for column, (name, real) in enumerate(zip(noisy.feature_names, noisy.relevant, strict=True)):
        assert real == (not name.startswith("noise_"))
        if real:
            assert np.array_equal(noisy.data[:, column], made.data[:, int(name[1:])])
    # The noise itself is the same as without shuffling.
    plain = add_noise_features(made, 9, kind=kind, random_state=1)
    by_name = {name: plain.data[:, j] for j, name in enumerate(plain.feature_names)}
    for column, name in enumerate(noisy.feature_names):
        assert np.array_equal(noisy.data[:, column], by_name[name])


def test_arrays_and_frames():
    X = np.random.default_rng(0).normal(size=(8, 2))
    from_array = add_noise_features(X, 1, random_state=0)
    assert from_array.feature_names == ["x0", "x1", "noise_1"]
    assert "target" not in from_array
    frame = pd.DataFrame(X, columns=["long", 7])
    from_frame = add_noise_features(frame, 1, random_state=0)
    assert from_frame.feature_names == ["long", "7", "noise_1"]
    assert np.array_equal(from_frame.data, from_array.data)
    from_bunch = add_noise_features(Bunch(data=frame, target=pd.Series([0] * 8)), 1, random_state=0)
    assert from_bunch.feature_names == from_frame.feature_names
    assert add_noise_features(X.astype(int).tolist(), 1, random_state=0).data.dtype == np.float64


def test_kinds_can_be_stacked():
    first = add_noise_features(np.random.default_rng(0).normal(size=(50, 2)), 2, random_state=0)
    first.data[:, 2:] += (
        1000.0  # were noise taken for a real column, the next one would be there too
    )
    second = add_noise_features(first, 20, kind="gaussian", shuffle=True, random_state=0)
    assert sorted(second.feature_names)[:3] == ["noise_1", "noise_10", "noise_11"]
    assert len(set(second.feature_names)) == 24
    assert second.relevant.sum() == 2
    new = [int(name[6:]) > 2 if name[0] == "n" else False for name in second.feature_names]
    assert sum(new) == 20
    assert np.abs(second.data[:, new]).max() < 100


def test_input_is_left_alone():
    iris = load_iris()
    before, names = iris.data.copy(), list(iris.feature_names)
    noisy = add_noise_features(iris, 2, random_state=0)
    noisy.data[:] = 0
    noisy.target[:] = 9
    noisy.feature_names.append("more")
    assert np.array_equal(iris.data, before)
    assert iris.feature_names == names
    assert iris.target.max() == 2


def test_missing_values_and_constant_columns():
    X = np.column_stack([np.full(200, 5.0), np.full(200, np.nan), np.linspace(0, 1, 200)])
    X[::7, 2] = np.nan
    for kind in KINDS:
        noise = add_noise_features(X, 6, kind=kind, random_state=0).data[:, 3:]
        assert np.isfinite(noise).all()
        # Only the column that varies serves as a model.
        assert (noise.std(axis=0) > 0.1).all()
        assert np.abs(np.median(noise, axis=0) - 0.5).max() < 0.6
    constant = add_noise_features(np.full((5, 2), 3.0), 2, random_state=0)
    assert np.array_equal(constant.data, np.full((5, 4), 3.0))
    one_row = add_noise_features(np.array([[1.0, 2.0]]), 2, kind="gaussian", random_state=0)
    assert set(one_row.data[0, 2:]) <= {1.0, 2.0}


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_bits(kind):
    first, again, other = (
        add_noise_features(load_iris(), 3, kind=kind, shuffle=True, random_state=s).data.tobytes()
        for s in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("data", "kwargs", "error", "words"),
    [
        (np.eye(3), {}, ValueError, "neither of n_noise and ratio was given; give exactly one"),
        (np.eye(3), {"n_noise": 1, "ratio": 1.0}, ValueError, "both of n_noise and ratio"),
        (np.eye(3), {"n_noise": -1}, ValueError, "n_noise=-1 must be at least 0"),
        (np.eye(3), {"n_noise": 1.0}, TypeError, "n_noise=1.0 must be an integer"),
        (np.eye(3), {"ratio": -0.5}, ValueError, "ratio=-0.5 must be a finite number at least 0"),
        (np.eye(3), {"ratio": np.inf}, ValueError, "ratio=inf must be a finite number"),
        (np.eye(3), {"ratio": "1"}, TypeError, "ratio='1' must be a number"),
        (np.eye(3), {"n_noise": 1, "kind": "pink"}, ValueError, "kind='pink' is not known; choose"),
        (np.eye(3), {"n_noise": 1, "shuffle": "no"}, ValueError, "shuffle='no' is not known"),
        (np.full((3, 2), np.nan), {"n_noise": 1}, ValueError, "no relevant column with a value"),
        (
            Bunch(data=np.eye(3), feature_names=["a"]),
            {"n_noise": 1},
            ValueError,
            "feature_names has 1 entries for 3 columns",
        ),
        (
            Bunch(data=np.eye(3), relevant=[1, 0, 1]),
            {"n_noise": 1},
            ValueError,
            "must be a boolean mask of 3 columns",
        ),
        (
            Bunch(data=np.eye(3), relevant=[False] * 3),
            {"n_noise": 1},
            ValueError,
            "no relevant column with a value",
        ),
        (Bunch(target=[0]), {"n_noise": 1}, ValueError, "Bunch has no data"),
    ],
)
def test_errors_are_one_sentence(data, kwargs, error, words):
    with pytest.raises(error, match=words) as caught:
        add_noise_features(data, **kwargs)
    assert "\n" not in str(caught.value)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        add_noise_features(np.array([[1.0], [np.inf]]), 1)
