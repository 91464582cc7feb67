"""Small private parts of estimators, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import dask.array
import numpy as np
import pandas as pd
import pytest

import weft
from weft.estimators import _soft_answers
from weft.estimators._blocks import _split_mass, is_dask, joined, lengths_of, map_rows, read_lazy
from weft.estimators._centers import counted, read_mass
from weft.estimators._described_answers import _rounded, _titles
from weft.estimators._mixins import _comparable
from weft.estimators._scaled_columns import (
    ScaledColumn,
    _categories_fit,
    _missing,
    _shares_fit,
    is_numeric,
    learn_category,
    learn_number,
    scale,
)
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.estimators.dynamic_swarm import LLOYD_STEPS, _settled


def test_numbers_are_rounded_to_twelve_digits():
    values = np.array([0.0, 1.0, 1.0 + 1e-13, 123456.7890123456, -2e-5 - 1e-19, 1e20 + 1e5, np.nan])
    found = _rounded(values)
    assert found[:3].tolist() == [0.0, 1.0, 1.0]
    assert found[3] == 123456.789012
    assert found[4] == -2e-5
    assert found[5] == 1e20
    assert np.isnan(found[6])
    assert _rounded(np.array([1.0 + 1e-11]))[0] == pytest.approx(1.0 + 1e-11, abs=1e-14)


def test_titles_are_those_of_pandas():
    assert _titles(pd.DataFrame({"a": [1, 2]}, index=["x", 7])) == ["x", 7]
    assert _titles(np.ones((2, 2))) is None
    assert _titles([1, 2]) is None  # its index is a method


@pytest.mark.parametrize(
    ("n_clusters", "n_rows", "spans"),
    [
        (3, 7, [(0, 3), (3, 6), (6, 7)]),
        (20, 2, [(0, 1), (1, 2)]),
        (1, 10, [(0, 10)]),
        (1, 11, [(0, 10), (10, 11)]),
        (0, 3, [(0, 3)]),
        (3, 0, [(0, 0)]),
    ],
)
def test_probabilities_are_made_in_spans(n_clusters, n_rows, spans, monkeypatch):
    monkeypatch.setattr(_soft_answers, "_BLOCK_CELLS", 10)
    model = SoftAnswersMixin()
    model.n_clusters_ = n_clusters
    assert [(span.start, span.stop) for span in model._soft_spans(n_rows)] == spans


# Scaled columns -----------------------------------------------------------------------------------


def test_numbers_around_their_mean_in_half_ranges():
    rule = learn_number(np.array([1.0, 2.0, np.nan, 6.0]))
    # Mean 3, half of the range 2.5.
    assert (rule.categories, rule.mean.tolist(), rule.half_range) == (None, [3.0], 2.5)
    np.testing.assert_allclose(scale(rule, np.array([8.0, 3.0])), [[2.0], [0.0]])
    constant = learn_number(np.array([4.0, 4.0]))
    assert (constant.mean.tolist(), constant.half_range) == ([4.0], 1.0)
    empty = learn_number(np.array([np.nan]))
    assert (empty.mean.tolist(), empty.half_range) == ([0.0], 1.0)
    huge = learn_number(np.array([-1.5e308, 1.5e308]))
    assert huge.half_range == 1.5e308


def test_categories_are_centred_by_their_shares():
    column = np.array(["b", "a", None, "b", float("nan"), "b"], dtype=object)
    rule = learn_category(column)
    assert rule.categories == ("a", "b")
    assert rule.mean.tolist() == [0.25, 0.75]
    assert rule.half_range == 1.0
    found = scale(rule, column)
    np.testing.assert_allclose(found[:2], [[-0.25, 0.25], [0.75, -0.75]])
    assert np.isnan(found[[2, 4]]).all()
    assert not np.isnan(found[[0, 1, 3, 5]]).any()
    mixed = learn_category(np.array([2, "a", 1], dtype=object))
    assert mixed.categories == (1, 2, "a")
    assert _missing(np.array([None, pd.NA, np.nan, 0, ""], dtype=object)).tolist() == [
        *(True, True, True, False, False),
    ]
    assert [is_numeric(np.array(values)) for values in ([1], [1.5], ["a"], [True])] == [
        *(True, True, False, False),
    ]


def test_columns_of_a_model_file_fit():
    assert _shares_fit(ScaledColumn(None, np.zeros(1), 1.0)) == ""
    assert _shares_fit(ScaledColumn(None, np.zeros(2), 1.0)) == "has 2 means, not 1."
    assert _shares_fit(ScaledColumn(("a", "b"), np.zeros(2), 1.0)) == ""
    assert _shares_fit(ScaledColumn(("a", "b"), np.zeros(1), 1.0)) == "has 1 means, not 2."
    columns = [ScaledColumn(None, np.zeros(1), 1.0), ScaledColumn(("a",), np.zeros(1), 1.0)]
    assert _categories_fit({}, {"columns_": columns, "_is_category": [False, True]}) == ""
    assert _categories_fit({}, {"columns_": columns, "_is_category": [True, True]})


# Rows that count ----------------------------------------------------------------------------------


def test_masses_of_rows():
    rows = np.arange(6.0).reshape(3, 2)
    assert read_mass(None, rows).tolist() == [1.0, 1.0, 1.0]
    assert read_mass([1.0, 0.0, 1e15], rows).tolist() == [1.0, 0.0, 1e15]
    for wrong in ([1.0, -1.0, 1.0], [1.0, 1.0], [1.0, 1.0, 1.1e15]):
        with pytest.raises(ValueError):  # noqa: PT011 - three sentences
            read_mass(wrong, rows)
    assert counted(rows, np.ones(3, dtype=bool)) is rows
    assert counted(rows, np.array([True, False, True])).tolist() == [[0.0, 1.0], [4.0, 5.0]]


# Tables of Dask -----------------------------------------------------------------------------------


def lazy(values, chunks):
    return dask.array.from_array(np.asarray(values, dtype=float), chunks=chunks)


def test_what_one_pass_over_a_lazy_table_finds():
    X = np.arange(12.0).reshape(6, 2)
    table = read_lazy(SimpleNamespace(), lazy(X, (4, 1)))
    assert table.n_rows == 6
    assert list(table.survey.lengths) == [4, 2]
    assert is_dask(lazy(X, (4, 1)))
    assert not is_dask(X)


@pytest.mark.parametrize(
    ("values", "mass", "options", "words"),
    [
        ([[1.0, np.inf], [2.0, 3.0]], None, {"allow_nan": True}, "contains infinity"),
        ([[1.0, np.nan], [2.0, 3.0]], None, {}, "contains NaN"),
        ([[np.nan, np.nan], [2.0, 3.0]], None, {"allow_nan": True}, "a row has no observed value"),
        ([[1.0, np.nan], [2.0, np.nan]], None, {"allow_nan": True}, "column 1 has no observed"),
        ([[1.0, 2.0], [2.0, 3.0]], [1.0, -1.0], {}, "must not be negative"),
        ([[1.0, 2.0], [2.0, 3.0]], [0.0, 0.0], {}, "nor zero for every row"),
        (
            [[1.0, 1e200], [2.0, 3.0]],
            None,
            {},
            "values up to 1e.200, whose powers cannot be summed",
        ),
        (np.empty((0, 2)), None, {}, "has no rows"),
    ],
)
def test_lazy_tables_that_are_refused(values, mass, options, words):
    X = lazy(values, (max(len(values), 1), 2))
    with pytest.raises(ValueError, match=words):
        read_lazy(SimpleNamespace(), X, mass, **options)


def test_gaps_that_are_allowed_and_masses_of_blocks():
    X = lazy([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]], (2, 2))
    assert read_lazy(SimpleNamespace(), X, [1.0, 0.0, 2.0], allow_nan=True).n_rows == 3
    assert [part.tolist() for part in _split_mass(X, [1, 2, 3])] == [[1.0, 2.0], [3.0]]
    with pytest.raises(ValueError, match="sample_weight has 3 chunks where X has 2"):
        read_lazy(SimpleNamespace(), X, dask.array.ones(3, chunks=1), allow_nan=True)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(2,\)"):
        _split_mass(X, [1.0, 2.0])


def test_results_of_blocks_are_one_array():
    X = lazy(np.arange(6.0).reshape(3, 2), (2, 2))
    assert lengths_of(X) == [2, 1]
    assert lengths_of(X[X[:, 0] > 0.0]) == [1, 1]
    blocks = list(X.to_delayed().ravel())
    sums = map_rows(blocks, [2, 1], lambda rows: rows.sum(axis=1), np.float64)
    assert sums.compute().tolist() == [1.0, 5.0, 9.0]
    twice = map_rows(blocks, [2, 1], lambda rows: 2.0 * rows, np.float64, 2)
    assert twice.shape == (3, 2)
    assert twice.compute().tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]
    assert joined(blocks, [2, 1], np.float64, (2,)).shape == (3, 2)


# Tables to compare clusters by --------------------------------------------------------------------


def test_a_table_is_read_by_a_plan_only_where_the_model_has_one():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0, 9.5], "c": ["a", "b", "a", "b"]})
    values, names = _comparable(SimpleNamespace(), frame)
    assert values is frame
    assert names is None
    model = weft.AutoCluster(n_resamples=0, random_state=0)
    table = pd.DataFrame({"x": np.arange(40.0) ** 1.5, "c": ["a", "b"] * 20})
    model.fit(table)
    values, names = _comparable(model, table)
    assert names == ["x", "c: a", "c: b"]
    assert values.shape == (40, 3)
    rows = np.ones((2, 2))
    assert _comparable(model, rows)[0] is rows


# Settled centres ----------------------------------------------------------------------------------


def test_the_best_subset_is_settled_and_scored_again():
    class Objective:
        rows = np.arange(6.0).reshape(3, 2)
        pool = np.arange(8.0).reshape(4, 2)

        def settle(self, centers, n_steps):
            assert n_steps == LLOYD_STEPS
            return centers + 100.0

        def with_pool(self, centers):
            return lambda chosen: SimpleNamespace(fitness=chosen.sum(axis=1) + centers[0, 0])

    best = SimpleNamespace(fitness=0.5, position=np.array([0.0, 1.0, 0.5, 0.51]))
    centers, fitness = _settled(Objective(), best)
    # Positions above one half are chosen: the second and the last.
    assert centers.tolist() == [[102.0, 103.0], [106.0, 107.0]]
    assert fitness == 2.0 + 102.0
    best.fitness = 0.0
    centers, fitness = _settled(Objective(), best)
    assert (centers.tolist(), fitness) == ([[0.0, 1.0]], 0.0)
