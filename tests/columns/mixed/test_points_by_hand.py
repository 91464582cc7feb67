"""Points of single columns and filled gaps: small cases solved by hand, definitions in loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.columns.mixed.tables import categories, every_kind, levels

from weft.columns.mixed.blocks import (
    QUARTILE,
    Block,
    category_points,
    cyclic_points,
    number_points,
    ordered_points,
    place,
    pool_levels,
    pull_in,
)
from weft.columns.mixed.embedding import balanced, learn_blocks, learn_embedding, transform
from weft.columns.mixed.filling import (
    MAX_DIRECTIONS,
    Directions,
    _main_directions,
    fill,
    find_directions,
)
from weft.columns.source import MixedTable, SourceColumn


def test_numbers_beyond_two_deviations_grow_by_their_logarithm():
    given = np.array([0.0, 1.5, 2.0, 3.0, -3.0, -2.0, 2.0 + np.e - 1.0])
    expected = [0.0, 1.5, 2.0, 2.0 + np.log(2.0), -2.0 - np.log(2.0), -2.0, 3.0]
    assert_allclose(pull_in(given), expected)


def test_a_column_of_numbers_is_standardised_by_its_quartiles():
    # 0 to 8: quartiles 2, 4, 6, so the core is 4 / (2 q), and no value is beyond two of it.
    middle, core, mean, factor = number_points(np.arange(9.0))[0]
    assert (middle, mean) == (4.0, pytest.approx(0.0))
    assert core == pytest.approx(2.0 / QUARTILE)
    # The variance of 0 to 8 is (81 - 1) / 12.
    assert factor == pytest.approx(core / np.sqrt(80.0 / 12.0))


def test_half_of_the_rows_at_one_value_leave_mean_and_deviation():
    values = np.array([5.0] * 6 + [1.0, 9.0])  # quartiles 5 and 5; mean 5, variance 32 / 8
    middle, core, mean, factor = number_points(values)[0]
    assert (middle, core) == (5.0, 2.0)
    # Scores are 0 and twice ±2, which is not beyond the tail: deviation 1.
    assert (mean, factor) == (pytest.approx(0.0), pytest.approx(1.0))


@pytest.mark.parametrize(
    ("values", "expected"), [([], [0.0, 1.0, 0.0, 0.0]), ([7.0] * 5, [7.0, 1.0, 0.0, 0.0])]
)
def test_a_column_without_values_or_spread_lies_at_zero(values, expected):
    assert_array_equal(number_points(np.array(values)), [expected])


def test_the_mean_of_pulled_in_values_is_taken_off():
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 400.0])
    middle, core, mean, _ = number_points(values)[0]
    pulled = pull_in((values - middle) / core)
    assert mean == pytest.approx(pulled.mean())
    assert mean > 0.1
    placed = place(Block(0, 0, "number", 0.0, number_points(values), 0.5), values)
    assert_allclose(placed[:, 0], 0.5 * (pulled - pulled.mean()) / pulled.std())


def test_angles_by_hand():
    # Hours 0 and 6 of 24: (1, 0) and (0, 1); means 1/2, variances 1/4 each, so the factor is √2.
    assert_allclose(cyclic_points(np.array([0.0, 6.0]), 24.0), [[0.5, 0.5, np.sqrt(2.0)]])
    # A day later it is the same hour.
    assert_allclose(cyclic_points(np.array([24.0, 30.0]), 24.0), [[0.5, 0.5, np.sqrt(2.0)]])
    assert_array_equal(cyclic_points(np.array([]), 24.0), [[0.0, 0.0, 0.0]])
    assert cyclic_points(np.array([5.0, 5.0]), 24.0)[0, 2] == 0.0
    block = Block(0, 0, "cyclic", 24.0, np.array([[0.5, 0.25, 3.0]]), 2.0)
    placed = place(block, np.array([6.0, np.nan]))
    assert_allclose(placed[0], [6.0 * (0.0 - 0.5), 6.0 * (1.0 - 0.25)], atol=1e-12)
    assert np.isnan(placed[1]).all()


def test_ordered_levels_have_mean_0_and_variance_1():
    codes = np.repeat([0, 1, 3], [5, 1, 4])
    points = ordered_points(codes, 4)[:, 0]
    # Shares .5, .1, 0, .4: middles .25, .55, .6, .8.
    middles = np.array([0.25, 0.55, 0.6, 0.8])
    variance = 0.5 * 0.25**2 + 0.1 * 0.05**2 + 0.4 * 0.3**2
    assert_allclose(points, (middles - 0.5) / np.sqrt(variance))
    assert_array_equal(ordered_points(np.array([1, 1]), 3), np.zeros((3, 1)))
    assert_array_equal(ordered_points(np.array([], dtype=int), 2), np.zeros((2, 1)))


@pytest.mark.parametrize("counts", [[50, 30, 20], [40, 30, 20, 10], [90, 10]])
def test_levels_of_a_category_lie_as_in_correspondence_analysis(counts):
    codes = np.repeat(np.arange(len(counts)), counts)
    points = category_points(codes, len(counts) + 1)
    assert np.isnan(points[-1]).all()
    points, shares = points[:-1], np.array(counts) / sum(counts)
    assert points.shape == (len(counts), len(counts) - 1)
    assert_allclose(shares @ points, 0.0, atol=1e-12)
    assert shares @ (points**2).sum(axis=1) == pytest.approx(1.0)
    # Squared distances are (1 / p + 1 / q) / (levels - 1).
    for a in range(len(counts)):
        for b in range(a):
            distance = ((points[a] - points[b]) ** 2).sum()
            assert distance == pytest.approx((1 / shares[a] + 1 / shares[b]) / (len(counts) - 1))


def test_a_category_of_one_level_lies_at_zero():
    found = category_points(np.array([1, 1, 1]), 3)
    assert_array_equal(found, [[np.nan], [0.0], [np.nan]])


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ([50, 5, 45], [0, 2, 1]),  # 5 rows of 100 are enough
        ([10, 4, 20, 4], [1, 2, 0, 2]),  # 4 are not, but together they are
        ([50, 4, 46, 0], [0, 2, 1, -1]),  # a single rare level with two others stays
        ([500, 20, 480], [0, 2, 1]),  # 2 % of 1,000
        ([300, 290, 390, 19, 1], [1, 2, 0, 3, 3]),  # 20 rows together are enough
        ([300, 290, 391, 18, 1], [1, 2, 0, 2, 2]),  # 19 are not: the next larger level joins
        ([3, 2], [0, 1]),  # yes and no, however rare
        ([0, 2, 3, 0], [-1, 1, 0, -1]),
        ([2, 2, 1], [0, 1, 1]),  # all are rare: the largest stays by itself
        ([7], [0]),
        ([5, 9, 9], [2, 0, 1]),  # ties in the order of the codes
    ],
)
def test_rare_levels_are_pooled(counts, groups):
    assert pool_levels(np.array(counts)).tolist() == groups


def test_codes_outside_the_levels_are_gaps():
    block = Block(0, 0, "category", 0.0, np.array([[1.0], [2.0]]), 0.5)
    placed = place(block, np.array([0.0, 1.0, 2.0, -1.0, np.nan]))
    assert_array_equal(placed, [[0.5], [1.0], [np.nan], [np.nan], [np.nan]])


def test_every_part_of_a_source_column_gets_its_share():
    blocks = learn_blocks(every_kind(60))
    assert [block.measure for block in blocks] == [
        *("number", "ordered", "category", "category", "cyclic", "number", "cyclic", "cyclic"),
    ]
    assert [block.source for block in blocks] == [0, 1, 2, 3, 4, 5, 5, 5]
    assert [block.position for block in blocks] == list(range(8))
    assert_allclose([block.share for block in blocks], [1.0] * 5 + [1.0 / np.sqrt(3.0)] * 3)
    assert [block.width for block in blocks] == [1, 1, 4, 1, 2, 1, 2, 2]
    assert [block.period for block in blocks] == [0.0, 0.0, 0.0, 0.0, 24.0, 0.0, 7.0, 365.25]


def test_a_balanced_embedding_has_that_balance_by_itself():
    table = every_kind(70, gaps=0.2)
    embedding = learn_embedding(table)
    assert balanced(embedding, "columns") is embedding
    turned = balanced(embedding, "directions")
    wanted = transform(embedding, table.values, balance="directions")
    assert_allclose(transform(turned, table.values), wanted, atol=1e-12)


# Gaps -------------------------------------------------------------------------------------------


def one_factor(n, p, gaps, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 1)) + 0.5 * rng.standard_normal((n, p))
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    rows[rng.random(rows.shape) < gaps] = np.nan
    return rows


def test_directions_above_the_edge_are_kept_and_shrunk():
    # Eigenvalues 4, 3, .5, .1 at 100 rows: the edge is (1 + √(4 / 100))² = 1.44.
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    base = np.linalg.qr(np.random.default_rng(1).normal(size=(100, 4)))[0]
    eigenvalues = np.array([4.0, 3.0, 0.5, 0.1])
    found = _main_directions(base * np.sqrt(100 * eigenvalues) @ axes.T)
    assert_allclose(np.abs(found.axes.T @ axes[:, :2]), np.eye(2), atol=1e-9)
    # The noise is the mean of what is left, .3.
    assert_allclose(found.shrinkage, [(4.0 - 0.3) / 4.0, (3.0 - 0.3) / 3.0])


@pytest.mark.parametrize(("second", "count"), [(1.43, 1), (1.45, 2)])
def test_the_edge_of_noise(second, count):
    base = np.linalg.qr(np.random.default_rng(1).normal(size=(100, 4)))[0]
    found = _main_directions(base * np.sqrt(100 * np.array([4.0, second, 0.5, 0.1])))
    assert len(found.shrinkage) == count


def test_not_all_directions_and_at_most_ten_are_kept():
    base = np.linalg.qr(np.random.default_rng(1).normal(size=(900, 15)))[0]
    found = _main_directions(base * np.sqrt(900 * np.linspace(5.0, 4.0, 15)))
    assert len(found.shrinkage) == MAX_DIRECTIONS == 10
    few = np.linalg.qr(np.random.default_rng(1).normal(size=(900, 3)))[0]
    found = _main_directions(few * np.sqrt(900 * np.array([5.0, 4.0, 3.0])))
    assert_allclose(found.shrinkage, [0.4, 0.25])  # the third is the noise


def test_filling_is_where_repeated_filling_stands_still():
    rows = one_factor(60, 4, 0.25)
    axes = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 2)))[0]
    directions = Directions(axes, np.array([0.9, 0.4]))
    expected = np.where(np.isnan(rows), 0.0, rows)
    for _ in range(2000):
        fitted = (expected @ axes * directions.shrinkage) @ axes.T
        expected = np.where(np.isnan(rows), fitted, rows)
    assert_allclose(fill(rows.copy(), directions), expected, atol=1e-9)


def test_directions_are_those_of_the_filled_table():
    rows = one_factor(80, 5, 0.2)
    found = find_directions(rows)
    assert found.axes.shape == (5, 1)
    again = _main_directions(fill(rows.copy(), found))
    assert_allclose(np.abs(found.axes.T @ again.axes), 1.0, atol=1e-6)
    assert_allclose(found.shrinkage, again.shrinkage, atol=1e-3)


def test_without_gaps_or_directions_nothing_is_filled():
    assert find_directions(one_factor(40, 3, 0.0)).axes.shape == (3, 0)
    noise = np.random.default_rng(0).standard_normal((200, 3))
    noise[::7, 0] = np.nan
    found = find_directions(noise)
    assert found.axes.shape == (3, 0)
    filled = fill(noise.copy(), found)
    assert_array_equal(filled[::7, 0], 0.0)
    assert_array_equal(filled[1], noise[1])


def test_a_column_without_any_value_does_not_matter():
    rows = one_factor(80, 5, 0.2)
    empty = np.column_stack([rows, np.full(80, np.nan)])
    found = find_directions(empty)
    assert_allclose(found.axes[5], 0.0, atol=1e-12)
    assert_allclose(fill(empty.copy(), found)[:, 5], 0.0, atol=1e-12)


def test_the_view_of_a_category_has_unit_variance_along_every_coordinate():
    table = categories(300, [3, 4], 0)
    points = transform(learn_embedding(table), table.values, balance="directions")
    assert points.shape == (300, 5)
    assert_allclose(points.var(axis=0).sum(), 5.0)
    columns = transform(learn_embedding(table), table.values)
    assert_allclose(columns[:, :2] * np.sqrt(2.0), points[:, :2])
    assert_allclose(columns[:, 2:] * np.sqrt(3.0), points[:, 2:])


def test_ordered_columns_are_compared_by_rank_and_categories_are_not():
    values = np.repeat([0.0, 1.0, 2.0], 10)[:, np.newaxis]
    widths = {}
    for kind in ("ordered", "category"):
        column = SourceColumn("c", kind, (0,), levels=levels(3))
        widths[kind] = learn_blocks(MixedTable(values, (column,)))[0].width
    assert widths == {"ordered": 1, "category": 2}
