"""Limits of parameters and of what models hold: the last value allowed and the first refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft.estimators._declared import (
    COUNT,
    FITNESS,
    MATRIX,
    OFFSET,
    PARAMS,
    POSITIVE,
    SAMPLED,
    SCALING,
    SHARE,
    STEPS,
    VECTOR,
    Memory,
    counts_clusters,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
    settings_record,
)
from weft.estimators._parameters import (
    _as_array,
    _find_fault,
    _is_ragged,
    _plain,
    _simple_kinds,
    _takes_arrays,
)
from weft.kmeans.anomalous import AnomalousStart
from weft.models.kinds import Fields, Integer, ListOf, Number, OneOf

MOST = 2**31 - 1


def takes(kind, value):
    return not _find_fault("x", value, kind)


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("n_clusters", [None, 1, MOST], [0, MOST + 1, 2.0, True]),
        ("max_clusters", [None, 2, MOST], [1, MOST + 1]),
        ("n_particles", [1, 10**6], [0, 10**6 + 1, None]),
        ("n_generations", [1, 10**7], [0, 10**7 + 1]),
        ("n_evaluations", [1, 10**8], [0, 10**8 + 1]),
        ("n_rounds", [1, 10**5], [0, 10**5 + 1]),
        ("max_iter", [1, MOST], [0, MOST + 1]),
        ("max_retries", [0, 10**5], [-1, 10**5 + 1]),
        ("n_resamples", [0, 10**5], [-1, 10**5 + 1]),
        ("n_init", ["auto", 1, 10**5], ["other", 0, 10**5 + 1]),
        ("patience", [None, 1, MOST], [0, MOST + 1]),
        ("max_samples", [None, 2, MOST], [1, MOST + 1]),
        ("tol", [0.0, 1.0], [-1e-9, 1.0 + 1e-9, math.nan]),
        ("distance_exponent", [1.0, 100.0], [1.0 - 1e-9, 100.1]),
        ("dispersion_offset", ["mean", 0.0, 1e100], ["median", -1e-9, 1.1e100]),
        ("inertia", [0.0, 1e9], [-1e-9, math.inf]),
        ("cognitive", [0.0], [-1e-9]),
        ("social", [0.0], [-1e-9]),
        ("max_velocity", [1e-9], [0.0, -1.0]),
        ("scale", [True, False], ["no", None]),
        ("standardize", [True], ["yes"]),
        ("allow_nan", [False], ["no"]),
        ("exponents", [True], [2]),
        ("device", ["cpu", "auto"], ["gpu2"]),
        ("n_jobs", [None, 1, 4096, -1, -4096], [0, 4097, -4097, 2.5]),
        ("random_state", [None, 0, 2**32 - 1], [-1, 2**32]),
        ("callbacks", [None], [[]]),
        ("max_memory", ["1GiB", 1000, 2**63 - 1], [2**63, "much", 1.5, None, True]),
    ],
)
def test_limits_of_parameters(name, allowed, refused):
    kind = PARAMS[name]
    assert [value for value in allowed if not takes(kind, value)] == []
    assert [value for value in refused if takes(kind, value)] == []


def test_every_shared_parameter_has_its_limits_here():
    tested = test_limits_of_parameters.pytestmark[0].args[1]
    assert {case[0] for case in tested} == set(PARAMS)


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        (COUNT, [1, MOST], [0, MOST + 1]),
        (POSITIVE, [5e-324, 1e300], [0.0, -1.0, math.inf, math.nan]),
        (SHARE, [0.0, 1.0], [-0.1, 1.1]),
        (OFFSET, [0.0, 1e100], [-0.1, 1.1e100]),
        (STEPS, [0, MOST], [-1, MOST + 1]),
        (FITNESS, [math.nan, math.inf, -math.inf, 0.0], ["1", None]),
        (MATRIX, [np.ones((2, 3)), [[1.0, 2.0]]], [np.ones(2), [1.0]]),
        (VECTOR, [np.ones(2)], [np.ones((2, 2)), [1.0]]),
    ],
)
def test_limits_of_kinds(kind, allowed, refused):
    assert [takes(kind, value) for value in allowed] == [True] * len(allowed)
    assert [takes(kind, value) for value in refused] == [False] * len(refused)


def test_an_amount_of_memory_is_told_how_to_be_written():
    assert Memory().words == "an amount of memory such as '1GiB'"


def test_arrays_that_models_hold():
    assert takes(floats(2, "*"), np.ones((2, 5)))
    assert not takes(floats(2, "*"), np.ones((3, 5)))
    assert not takes(floats(2), np.array([1.0, np.nan]))
    assert takes(floats(2, nan=True), np.array([1.0, np.nan]))
    table = rows("*")
    assert takes(table, np.full((2, 2), 1e145))
    assert not takes(table, np.full((2, 2), 1.1e145))
    assert not takes(table, np.full((2, 2), -1.1e145))


def test_positions_lie_in_what_they_point_into():
    kind = Fields({"labels": positions("n", "k"), "k": Integer(low=1, binds="k")})
    assert takes(kind, {"labels": np.array([0, 2]), "k": 3})
    assert not takes(kind, {"labels": np.array([0, 3]), "k": 3})
    assert not takes(kind, {"labels": np.array([-1, 0]), "k": 3})
    outside = Fields({"labels": positions("n", "k", low=-1), "k": Integer(low=1, binds="k")})
    assert takes(outside, {"labels": np.array([-1, 2]), "k": 3})
    assert not takes(outside, {"labels": np.array([-2, 2]), "k": 3})


def test_columns_of_a_history_are_equally_long():
    kind = history("generation", "best_fitness")
    good = {"generation": np.arange(3), "best_fitness": np.array([np.nan, -np.inf, 1.0])}
    assert takes(kind, good)
    assert not takes(kind, {**good, "generation": np.arange(2)})
    assert not takes(kind, {"generation": np.arange(3)})


def test_a_deviation_is_above_0():
    deviation = SCALING.fields["deviation"]
    assert takes(deviation, np.array([5e-324]))
    assert not takes(deviation, np.array([0.0]))


def test_the_number_of_clusters_is_that_of_the_labels():
    learned = {"_fit_labels": np.array([0, 2, 1]), "n_clusters_": 3}
    assert counts_clusters({}, learned) == ""
    assert counts_clusters({}, {**learned, "n_clusters_": 4}) == ("it has 3 clusters, but says 4.")


def test_the_radius_has_powers():
    learned = {"_fit_radius": 1e100, "feature_exponents_": np.ones(2)}
    assert radius_has_powers({}, learned) == ""
    assert radius_has_powers({}, {**learned, "_fit_radius": math.inf}) == ""
    assert "1.1e+100" in radius_has_powers({}, {**learned, "_fit_radius": 1.1e100})
    assert radius_has_powers({}, {"_fit_radius": 1e200, "feature_exponents_": None}) == ""


def test_models_of_before_searched_on_all_rows():
    learned = {"labels_": np.zeros(7)}
    assert SAMPLED["n_samples_search_"].older(learned) == 7
    assert SAMPLED["sample_agreement_"].older(learned) is None


def test_settings_are_those_that_make_a_record():
    kind = settings_record(AnomalousStart)
    assert takes(kind, AnomalousStart(min_cluster_size=2))
    assert not takes(kind, "anomalous")


# Values of live estimators ----------------------------------------------------------------------


def test_numbers_of_numpy_are_plain_numbers():
    given = {"a": np.int64(3), "b": (np.float32(0.5), np.bool_(True)), "c": [np.str_("x")]}
    plain = _plain(given)
    assert plain == {"a": 3, "b": (0.5, True), "c": ["x"]}
    assert [type(value) for value in (plain["a"], *plain["b"], plain["c"][0])] == [
        *(int, float, bool, str),
    ]
    assert _plain(10**400) == 10**400
    record = _plain(AnomalousStart(min_cluster_size=np.int64(4)))
    assert type(record.min_cluster_size) is int


@pytest.mark.parametrize(
    ("value", "answer"),
    [([[1, 2], [3]], True), ([[1, 2], [3, 4]], False), ([1, 2], False), ("ab", False)],
)
def test_ragged_lists(value, answer):
    assert _is_ragged(value) is answer


def test_what_is_an_array_of_numbers():
    assert _as_array(((1, 2), (3, 4))).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert _as_array([["x"]]) is None
    assert _as_array([[1], [2, 3]]) is None
    assert _as_array(5) is None
    assert _as_array("12") is None
    assert _as_array([10**400]) is None


def test_kinds_that_take_arrays():
    numbers = ListOf(Number())
    assert _takes_arrays(MATRIX)
    assert _takes_arrays(OneOf(numbers, MATRIX))
    assert _takes_arrays(OneOf(numbers, OneOf(Integer(), VECTOR)))
    assert not _takes_arrays(OneOf(numbers, Integer()))
    assert not _takes_arrays(Integer())
    # A list of numbers is another way to write an array, so it is not an alternative to it.
    assert [type(kind) for kind in _simple_kinds(OneOf(numbers, Integer(), VECTOR))] == [
        Integer,
        type(VECTOR),
    ]
    assert next(_simple_kinds(OneOf(numbers, Integer()))) is numbers
