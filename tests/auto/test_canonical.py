"""The canonical order: whatever the order of rows and columns, the table is the same."""

import numpy as np
import pytest
from scipy.stats import rankdata

from weft.auto import canonical
from weft.auto.canonical import order_by_bits, rank_columns, to_canonical


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    X[:, 3] = np.round(X[:, 3])
    X[10] = X[20]  # rows that repeat may change places: nobody can tell
    X[5, 1] = -0.0
    return X


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_any_order_gives_the_same_table(table, seed, ranked, monkeypatch):
    if not ranked:
        monkeypatch.setattr(canonical, "MAX_RANKED", 0)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(60), rng.permutation(5)
    first = to_canonical(table)
    second = to_canonical(table[np.ix_(rows, columns)])
    np.testing.assert_array_equal(first.table, second.table)
    np.testing.assert_array_equal(first.table, table[np.ix_(first.rows, first.columns)])


def test_units_do_not_change_the_order_of_a_small_table(table):
    scaled = to_canonical(table * np.array([1e3, 2.0, 1e-4, 5.0, 7.0]) + 3.0)
    first = to_canonical(table)
    np.testing.assert_array_equal(table[first.rows], table[scaled.rows])


def test_minus_zero_is_zero(table):
    other = table.copy()
    other[5, 1] = 0.0
    for order in (to_canonical, lambda X: order_by_bits(X + 0.0)):
        np.testing.assert_array_equal(order(table)[-2], order(other)[-2])


def test_parts_do_not_change_ranks_or_order(table, monkeypatch):
    ranks, whole = rank_columns(table).ranks, to_canonical(table)
    np.testing.assert_array_equal(ranks, rankdata(table, method="dense", axis=0) - 1)
    monkeypatch.setattr(canonical, "RANKED_TOGETHER", 2)
    np.testing.assert_array_equal(rank_columns(table).ranks, ranks)
    for one, other in zip(to_canonical(table), whole, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 6, 60])
def test_quartiles_are_numpys_to_the_bit(table, n_rows):
    X = table[:n_rows]
    low = X.min(axis=0)
    span = np.maximum(X.max(axis=0) - low, np.finfo(float).tiny)
    expected = np.quantile((X - low) / span, (0.25, 0.5, 0.75), axis=0)
    np.testing.assert_array_equal(rank_columns(X).quartiles, expected)


def test_the_order_covers_all_rows_and_columns(table):
    rows, columns = order_by_bits(table)
    assert sorted(rows) == list(range(60))
    assert sorted(columns) == list(range(5))
