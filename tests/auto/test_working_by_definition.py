"""Orders, axes, halves and further representations, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from weft.auto import canonical, representations, working
from weft.auto.canonical import GOLDEN, Canonical, canonical_order, mixed, order_by_bits
from weft.auto.representations import on_even_axes, profiles_of, two_heaps
from weft.auto.second_view import second_view
from weft.auto.working import halved, on_few_axes, prepare, principal_axes, standardised

# The order of a table -----------------------------------------------------------------------------


def naive_refined(ranks, keys, rows_of, columns, n_rounds=3):
    """Sums over the products of keys and signatures, modulo 2 to the 64."""
    rows_of, columns = rows_of.copy(), columns.copy()
    n, d = ranks.shape
    for _ in range(n_rounds):
        sums = np.array(
            [sum(int(keyed(keys[ranks[i, j]], columns[j])) for j in range(d)) for i in range(n)],
            dtype=object,
        )
        rows_of = mixed(wrapped(sums + rows_of.astype(object)))
        sums = np.array(
            [sum(int(keyed(keys[ranks[i, j]], rows_of[i])) for i in range(n)) for j in range(d)],
            dtype=object,
        )
        columns = mixed(wrapped(sums + columns.astype(object)))
    return rows_of, columns


def wrapped(numbers):
    return np.array([int(number) % 2**64 for number in numbers], dtype=np.uint64)


def keyed(key, signature):
    """The kernel's term of one cell, found with a table of one row and one column."""
    out = np.empty(1, dtype=np.uint64)
    canonical.sum_over_columns(
        np.zeros((1, 1), np.int32), np.array([key]), np.array([signature]), out
    )
    return out[0]


def test_signatures_are_refined_in_three_rounds():
    rng = np.random.default_rng(0)
    ranks = rng.integers(0, 3, (4, 3)).astype(np.int32)
    keys = mixed(np.arange(4, dtype=np.uint64) + GOLDEN)
    start = mixed(np.arange(3, dtype=np.uint64))
    found = canonical._refined(ranks, keys, np.zeros(4, dtype=np.uint64), start)
    expected = naive_refined(ranks, keys, np.zeros(4, dtype=np.uint64), start)
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


def test_recorded_orders():
    # Whatever changes these orders changes the answers of tables with ties, negative values, many
    # columns of one role, and columns that differ in a quartile only.
    rng = np.random.default_rng(5)
    tables = {
        "ties": rng.integers(0, 3, (9, 4)).astype(float),
        "numbers": rng.standard_normal((7, 5)),
        "design": np.array(
            [[i, j, k] for i in range(2) for j in range(2) for k in range(2)], float
        ),
        "constant": np.column_stack([np.ones(5), np.arange(5.0), np.arange(5.0)[::-1]]),
    }
    found = {
        name: [part.tolist() for order in (canonical_order, order_by_bits) for part in order(X)]
        for name, X in tables.items()
    }
    assert found == WRITTEN


WRITTEN = {
    "ties": [[2, 3, 4, 0, 6, 1, 8, 5, 7], [2, 1, 3, 0], [2, 8, 3, 6, 0, 7, 5, 1, 4], [1, 0, 2, 3]],
    "numbers": [[4, 5, 3, 0, 6, 2, 1], [1, 4, 0, 2, 3], [1, 0, 2, 3, 6, 5, 4], [1, 0, 2, 4, 3]],
    "design": [[0, 4, 5, 1, 7, 3, 2, 6], [1, 2, 0], [0, 7, 1, 2, 4, 3, 5, 6], [0, 1, 2]],
    "constant": [[4, 3, 2, 1, 0], [2, 1, 0], [2, 0, 4, 1, 3], [1, 2, 0]],
}


def test_parts_of_the_bits_do_not_change_the_order(monkeypatch):
    X = np.random.default_rng(0).standard_normal((20, 3))
    whole = order_by_bits(X)
    monkeypatch.setattr(canonical, "CHUNK_ROWS", 7)
    for one, other in zip(order_by_bits(X), whole, strict=True):
        assert_array_equal(one, other)


def test_large_tables_are_ordered_by_their_bits(monkeypatch):
    X = np.random.default_rng(0).standard_normal((6, 4))
    monkeypatch.setattr(canonical, "MAX_RANKED", 24)
    assert_array_equal(canonical.to_canonical(X).rows, canonical_order(X)[0])
    monkeypatch.setattr(canonical, "MAX_RANKED", 23)
    assert_array_equal(canonical.to_canonical(X).rows, order_by_bits(X)[0])
    assert_array_equal(canonical.to_canonical(X).columns, order_by_bits(X)[1])


def test_deviations_and_standardised_columns():
    X = np.array([[1.0, -5.0, 1e6, 0.0], [3.0, -5.0, 1e6 + 1e-7, 0.0], [8.0, -5.0, 1e6, 0.0]])
    table = Canonical(X, np.arange(3), np.arange(4))
    deviation = np.std([1.0, 3.0, 8.0])
    # A deviation of 5e-8 is below 1e-12 of a million.
    assert_allclose(table.scales(), [deviation, 1.0, 1.0, 1.0])
    expected = np.zeros((3, 4))
    expected[:, 0] = (X[:, 0] - 4.0) / deviation
    assert_allclose(table.standardised(), expected)
    halves = table.standardised(np.array([2.0, 1.0, 1.0, 1.0]))
    assert_allclose(halves[:, 0], (X[:, 0] - 4.0) / 2.0)
    # Relative to the values themselves, on either side of 0.
    low = Canonical(-X[:, [2]], np.arange(3), np.arange(1))
    assert low.scales().tolist() == [1.0]
    assert low.standardised().ravel().tolist() == [0.0] * 3
    small = Canonical(-1e-13 * X[:, [0]], np.arange(3), np.arange(1))
    assert_allclose(small.scales(), [1e-13 * deviation])
    assert_allclose(small.standardised()[:, 0], -expected[:, 0])


# Prepared tables ----------------------------------------------------------------------------------


def test_everything_that_candidates_share_by_definition():
    X = np.random.default_rng(0).standard_normal((45, 3)) * [1.0, 5.0, 0.2]
    X[7] = X[3]
    prepared = prepare(X, 4)
    row_order, column_order = canonical_order(X)
    assert_array_equal(prepared.order, row_order)
    table = standardised(X[np.ix_(row_order, column_order)])
    expected = ((X - X.mean(axis=0)) / X.std(axis=0))[np.ix_(row_order, column_order)]
    assert_allclose(table, expected)
    assert_array_equal(prepared.points, table)
    assert (prepared.seed, prepared.n_columns) == (4, 3)
    gaps = cdist(table, table)
    assert_allclose(prepared.distances, gaps, atol=1e-9)
    np.fill_diagonal(gaps, np.inf)
    order = np.sort(gaps, axis=1)
    assert_allclose(prepared.neighbour_distances, order[:, :30], atol=1e-9)
    # The row itself is one of five, or of ten.
    assert_array_equal(prepared.cores[0], np.zeros(45))
    assert_allclose(prepared.cores[1:], [order[:, 3], order[:, 8]], atol=1e-9)
    same = np.flatnonzero(np.isin(row_order, [3, 7]))
    expected = np.arange(45)
    expected[same[1]] = same[0]
    assert_array_equal(prepared.first_equal, expected)
    for tree, core in zip(prepared.trees, prepared.cores, strict=True):
        a, b = tree.edges.T
        lengths = np.maximum(np.maximum(core[a], core[b]), prepared.distances[a, b])
        assert_array_equal(tree.lengths, lengths)
        by_length = list(zip(lengths, prepared.distances[a, b], strict=True))
        assert by_length == sorted(by_length)
    assert prepared.halves == ()
    assert_array_equal(prepared.half_rows, np.arange(45))
    view = second_view(table, few=True, n_neighbours=30)
    assert_allclose(prepared.second.distances, view.distances, atol=1e-6)
    assert prepared.second.neighbours.shape == (45, 30)


def test_equal_rows_by_brute_force():
    X = np.random.default_rng(4).integers(0, 3, (40, 3)).astype(float)
    prepared = prepare(X, 0)
    ordered = X[prepared.order]
    for row in range(40):
        same = np.flatnonzero((ordered == ordered[row]).all(axis=1))
        assert prepared.first_equal[row] == same[0]
        assert_array_equal(np.diff(same), 1)  # they are next to each other


def test_tables_of_few_rows_have_few_neighbours():
    prepared = prepare(np.array([[0.0], [1.0], [3.0]]), 0, standardise=False)
    assert prepared.neighbours.shape == (3, 2)
    # Fewer rows than are needed: the last neighbour's distance.
    expected = np.array([3.0, 2.0, 3.0]) / (3.0 - 4.0 / 3.0)
    assert_allclose(np.sort(prepared.cores[1]), np.sort(expected))
    assert_array_equal(prepared.cores[1], prepared.cores[2])


def test_tables_in_one_unit_keep_their_units():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 4)) * [1.0, 7.0, 1e-15, 2.0] + 5.0
    prepared = prepare(X, 0, standardise=False)
    rows_of, columns = canonical_order(X)
    table = X[np.ix_(rows_of, columns)]
    table = table - table.mean(axis=0)
    table = table[:, np.abs(table).max(axis=0) > 1e-13 * np.abs(table).max()]
    assert prepared.n_columns == 3
    assert_allclose(prepared.points, table / np.abs(X - X.mean(axis=0)).max())
    # The second view has the columns in units of their deviation.
    view = second_view(standardised(table), few=True, n_neighbours=30)
    assert_allclose(prepared.second.distances, view.distances)
    nothing = prepare(np.full((4, 2), 3.0), 0, standardise=False)
    assert (nothing.n_columns, nothing.points.tolist()) == (0, [[0.0]] * 4)


@pytest.mark.parametrize(("width", "n_axes"), [(12, 12), (13, 5)])
def test_tables_of_more_than_twelve_columns_are_put_on_axes(width, n_axes):
    rng = np.random.default_rng(2)
    X = 3.0 * rng.standard_normal((60, 6)) @ rng.standard_normal((6, width))
    X += rng.standard_normal((60, width))
    prepared = prepare(X, 0, max_axes=5)
    rows_of, columns = canonical_order(X)
    table = standardised(X[np.ix_(rows_of, columns)])
    assert prepared.points.shape == (60, n_axes)
    assert_allclose(prepared.points, on_few_axes(table, 5), atol=1e-9)
    if width == 13:
        assert_allclose(prepared.points, principal_axes(table, 5), atol=1e-9)
    view = second_view(table, few=width == 12, n_neighbours=30)
    assert_allclose(prepared.second.distances, view.distances, atol=1e-6)
    assert len(prepared.halves) == 4
    half_rows, halves = halved(table, 0, 5)
    for own, other in zip(prepared.halves, halves, strict=True):
        assert_allclose(own, other, atol=1e-9)
    assert_array_equal(prepared.half_rows, half_rows)


def test_directions_of_rows_have_length_1_everywhere():
    rng = np.random.default_rng(3)
    X = 2.0 * rng.standard_normal((40, 3)) @ rng.standard_normal((3, 14))
    X += rng.standard_normal((40, 14))
    prepared = prepare(X, 0, standardise=False, unit_rows=True)
    assert_allclose(np.linalg.norm(prepared.points, axis=1), 1.0)
    for half in prepared.halves:
        assert_allclose(np.linalg.norm(half, axis=1), 1.0)
    # The second view has all columns as they are, few or not.
    few = prepare(X[:, :6], 0, standardise=False, unit_rows=True)
    rows_of, columns = canonical_order(X[:, :6])
    table = X[:, :6][np.ix_(rows_of, columns)]
    table = (table - table.mean(axis=0)) / np.abs(table - table.mean(axis=0)).max()
    assert_allclose(few.second.distances, cdist(table, table), atol=1e-9)


def test_halves_of_the_columns_by_definition(monkeypatch):
    table = np.random.default_rng(0).standard_normal((20, 7))
    monkeypatch.setattr(working, "HALF_ROWS", 8)
    chosen, parts = halved(table, 9, 5)
    assert_array_equal(chosen, np.linspace(0, 19, 8).astype(int))
    rng = np.random.default_rng([9, 6])
    for split in range(2):
        for part, columns in enumerate(np.array_split(rng.permutation(7), 2)):
            expected = table[np.ix_(chosen, np.sort(columns))]
            assert_array_equal(parts[2 * split + part], expected)
    assert len(parts) == 4
    assert halved(table[:, :4], 9, 5)[1] != ()
    assert halved(table[:, :3], 9, 5)[1] == ()


# Further representations --------------------------------------------------------------------------


def test_even_axes_of_more_than_twelve_columns(monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((50, 4)) @ rng.standard_normal((4, 14)) * 3.0
    table += rng.standard_normal((50, 14))
    points = on_few_axes(standardised(table), 12)
    points = points - points.mean(axis=0)
    found = on_even_axes(table)
    assert found.shape == points.shape
    # The axes of one length are what whitening gives, and the largest entry of each is positive.
    inverse = np.linalg.inv(points.T @ points)
    assert_allclose(found @ found.T, points @ inverse @ points.T, atol=1e-9)
    assert (found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])] > 0).all()
    # A direction of a two-thousandth of the largest deviation is rounding, one of a 500th is none.
    base = rng.standard_normal((40, 2))
    base = np.linalg.qr(base - base.mean(axis=0))[0]
    for ratio, n_axes in ((1 / 2000, 1), (1 / 500, 2)):
        monkeypatch.setattr(representations, "standardised", lambda X: X)
        assert on_even_axes(base * [1.0, ratio]).shape == (40, n_axes)


def test_profiles_of_columns_with_and_without_a_unit(monkeypatch):
    monkeypatch.setattr(representations, "FEWEST", 3)
    rng = np.random.default_rng(1)
    table, scales = rng.standard_normal((20, 8)), np.array([3.0, 1, 5, 2, 9, 4, 1, 1])
    columns = [2, 4, 5]  # the three largest scales: 5, 9 and 4
    rows_of = table[:, columns] * scales[columns]
    rows_of = rows_of - rows_of.mean(axis=0)
    rows_of -= rows_of.mean(axis=1, keepdims=True)
    expected = rows_of / np.linalg.norm(rows_of, axis=1, keepdims=True)
    assert_allclose(profiles_of(table, scales), expected)
    telling = np.sort(np.argsort(-two_heaps(table), kind="stable")[:3])
    rows_of = table[:, telling] - table[:, telling].mean(axis=0)
    rows_of -= rows_of.mean(axis=1, keepdims=True)
    expected = rows_of / np.linalg.norm(rows_of, axis=1, keepdims=True)
    assert_allclose(profiles_of(table, None), expected)
    assert_array_equal(profiles_of(np.zeros((4, 5)), None), np.zeros((4, 3)))


def test_heaps_have_a_twentieth_of_the_rows(monkeypatch):
    # 100 rows: cuts leave five rows on each side at least; four rows far away are no heap.
    x = np.arange(100.0)
    far = np.r_[np.zeros(96), np.full(4, 1000.0)]
    five = np.r_[np.zeros(95), np.full(5, 1000.0)]
    table = np.column_stack([x, far, five])
    found = two_heaps(table)
    assert found[2] == pytest.approx(1.0)
    sums = far.var() * 100
    between = 5 * (800.0 - 40.0) ** 2 + 95 * (0.0 - 40.0) ** 2
    assert found[1] == pytest.approx(between / sums)
    monkeypatch.setattr(representations, "TILE", 2)
    assert_array_equal(two_heaps(table), found)
    # Of four rows a half each; of six three are enough.
    assert two_heaps(np.array([[0.0], [0.0], [1.0], [1.0]]))[0] == pytest.approx(1.0)
    assert two_heaps(np.array([[0.0], [0], [1], [1], [1], [1]]))[0] == pytest.approx(0.5)
