"""Dependence, copies, clouds and repetitions of mixed tables: definitions in loops, limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import eval_hermitenorm
from scipy.stats import chi2_contingency, norm
from sklearn.metrics import adjusted_rand_score
from tests.columns.mixed.tables import every_kind, levels

from weft.columns.mixed import repeats
from weft.columns.mixed.clumps import clumping, is_clumped, nearness
from weft.columns.mixed.copula import (
    _level_order,
    fit_copula,
    level_scores,
    order_values,
    solve_correlations,
)
from weft.columns.mixed.dependence import (
    _level_cells,
    _normal_score,
    column_scores,
    find_copies,
    make_cells,
    source_scores,
)
from weft.columns.mixed.gap_patterns import describe_gaps
from weft.columns.mixed.screening import _join_groups, evidence, find_dependent
from weft.columns.source import MixedTable, SourceColumn


def table_of(*columns):
    """Numbers as arrays, categories as (codes, number of levels)."""
    values, sources = [], []
    for position, column in enumerate(columns):
        if isinstance(column, tuple):
            codes, count = column
            values.append(codes)
            kind = SourceColumn(f"c{position}", "category", (position,), levels=levels(count))
        else:
            values.append(column)
            kind = SourceColumn(f"x{position}", "number", (position,))
        sources.append(kind)
    return MixedTable(np.column_stack(values).astype(float), tuple(sources))


# Cells and scores -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "n_bins"),
    [(30, 3), (107, 3), (146, 3), (148, 4), (242, 4), (244, 5), (362, 5), (364, 6), (2000, 6)],
)
def test_the_number_of_bins_is_the_root_of_a_twelfth_of_the_rows(n_rows, n_bins):
    # √(147 / 12) = 3.5, √(243 / 12) = 4.5, √(363 / 12) = 5.5.
    cells = make_cells(table_of(np.arange(n_rows)))
    assert cells.width == n_bins
    assert_array_equal(np.unique(cells.codes), np.arange(n_bins))


def test_cells_of_gaps_levels_and_circles():
    gaps = every_kind(60, gaps=0.3)
    cells = make_cells(gaps)
    assert_array_equal(cells.codes < 0, np.isnan(gaps.values))
    indicators = cells.indicators.reshape(60, 8, cells.width)
    for row in range(60):
        for column in range(8):
            expected = np.zeros(cells.width)
            if cells.codes[row, column] >= 0:
                expected[cells.codes[row, column]] = 1.0
            assert_array_equal(indicators[row, column], expected)
    # Beyond twelve cells, the smallest levels share one.
    codes = np.repeat(np.arange(15), np.arange(29, 14, -1))
    cut = _level_cells(codes)
    assert cut.max() == 11
    assert_array_equal(cut[codes < 11], codes[codes < 11])
    assert (cut[codes >= 11] == 11).all()


def test_hours_around_midnight_share_a_cell_with_those_a_day_later():
    hours = np.random.default_rng(0).uniform(0.0, 24.0, 90)
    column = SourceColumn("hour", "cyclic", (0,), periods=(24.0,))
    once = make_cells(MixedTable(hours[:, None], (column,)))
    later = make_cells(MixedTable(hours[:, None] + 24.0, (column,)))
    assert_array_equal(once.codes, later.codes)


def test_scores_are_the_cube_root_of_chi_square_pair_by_pair():
    table = every_kind(200, gaps=0.2, seed=3)
    cells = make_cells(table)
    found = column_scores(cells)
    for a in range(8):
        for b in range(8):
            has = (cells.codes[:, a] >= 0) & (cells.codes[:, b] >= 0)
            counts = np.zeros((cells.width, cells.width))
            np.add.at(counts, (cells.codes[has, a], cells.codes[has, b]), 1.0)
            counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
            chi, _, free, _ = chi2_contingency(counts, correction=False)
            s = 2.0 / (9.0 * free)
            z = (np.cbrt(chi / free) - (1.0 - s)) / np.sqrt(s)
            assert found[a, b] == pytest.approx(z, abs=1e-6)
    # Of a source column of several parts, the largest counts.
    sources = source_scores(cells)
    assert sources[0, 5] == pytest.approx(found[0, 5:8].max())
    assert sources[5, 1] == pytest.approx(found[5:8, 1].max())
    assert_array_equal(np.diag(sources), 0.0)
    order = np.random.default_rng(0).permutation(200)
    shadow = column_scores(cells, order)
    moved = cells._replace(
        indicators=np.concatenate([cells.indicators[order], cells.indicators], axis=1),
        source=np.arange(16),
        codes=np.concatenate([cells.codes[order], cells.codes], axis=1),
    )
    assert_allclose(shadow, column_scores(moved)[:8, 8:], atol=1e-9)


def test_scores_do_not_depend_on_the_tiles(monkeypatch):
    cells = make_cells(every_kind(90, gaps=0.1))
    whole = column_scores(cells)
    monkeypatch.setattr("weft.columns.mixed.dependence.TILE", 3)
    assert_allclose(column_scores(cells), whole, atol=1e-9)


def test_the_score_of_chi_square_by_hand():
    # f = 2: s = 1 / 9, so z = 3 (∛(χ² / 2) - 8 / 9); 16 gives 3 (2 - 8 / 9).
    assert_allclose(_normal_score(np.array([16.0]), np.array([2])), 3.0 * (2.0 - 8.0 / 9.0))
    assert_array_equal(_normal_score(np.array([5.0]), np.array([0])), 0.0)
    assert_allclose(_normal_score(np.array([-1e-9]), np.array([2])), -8.0 / 3.0)


# Copies -----------------------------------------------------------------------------------------


def copies(*columns):
    table = table_of(*columns)
    return find_copies(table, make_cells(table)).tolist()


@pytest.mark.parametrize(("n_other", "expected"), [(2, [0, 0]), (3, [0, 1])])
def test_a_copy_agrees_in_98_percent_of_the_rows(n_other, expected):
    codes = np.tile([0, 1], 50)
    other = 1 - codes  # other names
    other[:n_other] = 1 - other[:n_other]
    assert copies((codes, 2), (other, 2)) == expected


def test_copies_are_those_of_the_first():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 80))
    assert copies(x, y, 3.0 * x + 1.0, -x, np.exp(y)) == [0, 1, 0, 0, 1]
    # In the same bins in another order it is not a copy.
    shuffled = np.sort(x)[np.argsort(np.argsort(x))]
    ranks = np.argsort(np.argsort(x))
    for first in range(0, 80, 26):
        part = np.flatnonzero((ranks >= first) & (ranks < first + 26))
        shuffled[part] = shuffled[rng.permutation(part)]
    assert copies(x, shuffled) == [0, 1]


def test_ten_common_rows_are_needed_for_a_copy():
    codes = np.tile([0.0, 1.0], 20)
    for n_common, expected in ((10, [0, 0]), (9, [0, 1])):
        other = np.where(np.arange(40) < n_common, codes, np.nan)
        assert copies((codes, 2), (other, 2)) == expected


def test_a_constant_column_is_no_copy():
    codes = np.tile([0, 1], 20)
    assert copies((codes, 2), (np.zeros(40), 2), (np.zeros(40), 2)) == [0, 1, 2]


# Evidence and groups ----------------------------------------------------------------------------


def test_evidence_by_hand():
    scores = np.array(
        [
            [0.0, 5.0, 1.0, 3.0, 2.0],
            [5.0, 0.0, 4.0, 6.0, 8.0],
            [1.0, 4.0, 0.0, 7.0, 9.0],
            [3.0, 6.0, 7.0, 0.0, 2.0],
            [2.0, 8.0, 9.0, 2.0, 0.0],
        ]
    )
    references = np.array([True, True, True, True, False])
    overall, nearest = evidence(scores, references)
    # The first: 5 + 1 + 3 over its three partners; the last has four, and its three largest.
    root = np.sqrt(3.0)
    assert_allclose(overall, [9 / root, 15 / root, 12 / root, 16 / root, 21 / 2])
    assert_allclose(nearest, [3.0, 5.0, 4.0, 16 / 3, 19 / 3])
    # Two references: one partner each.
    overall, nearest = evidence(scores, np.array([True, True, False, False, False]))
    assert_allclose(overall, [5.0, 5.0, 5 / np.sqrt(2), 9 / np.sqrt(2), 10 / np.sqrt(2)])
    assert_allclose(nearest, [5.0, 5.0, 4.0, 6.0, 8.0])
    # A column that is the only reference has no partner.
    _, nearest = evidence(scores, np.array([True, False, False, False, False]))
    assert_allclose(nearest, [0.0, 5.0, 1.0, 3.0, 2.0])


def test_groups_join_by_the_sum_over_their_pairs():
    # Two groups of 2 and 3 columns: 6 pairs, whose sum over √6 is compared.
    group = np.array([0, 0, 1, 1, 1])
    limit = norm.isf(0.001)
    for score, expected in (
        (limit / np.sqrt(6.0) + 1e-9, [0, 0, 0, 0, 0]),
        (limit / np.sqrt(6.0) - 1e-9, [0, 0, 1, 1, 1]),
    ):
        scores = np.zeros((5, 5))
        scores[:2, 2:] = scores[2:, :2] = score
        assert _join_groups(group, scores).tolist() == expected
    # Three groups have three pairs, which share the level.
    group, scores = np.array([0, 1, 2]), np.zeros((3, 3))
    for score, expected in ((norm.isf(0.001 / 3) + 1e-9, [0, 0, 1]), (3.35, [0, 1, 2])):
        scores[0, 1] = scores[1, 0] = score
        assert _join_groups(group, scores).tolist() == expected


def test_fewer_than_two_varying_columns_do_not_depend():
    cells = make_cells(table_of(np.arange(40.0), np.zeros(40)))
    dependent, strength = find_dependent(cells, 0.05, np.random.default_rng(0))
    assert not dependent.any()
    assert_array_equal(strength, 0.0)
    both = make_cells(table_of(np.arange(40.0), np.arange(40.0) ** 2, np.zeros(40)))
    dependent, strength = find_dependent(both, 0.05, np.random.default_rng(0))
    assert dependent.tolist() == [True, True, False]
    assert strength[2] == 0.0


# Clouds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[50, 50], [10, 70, 20], [5, 5, 30, 60]])
def test_scores_of_levels_are_means_of_the_normal_distribution(counts):
    points, terms = level_scores(np.array(counts))
    shares = np.array(counts) / sum(counts)
    ends = norm.ppf(np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]]))
    ends = np.clip(ends, -12.0, 12.0)
    for level, share in enumerate(shares):
        part = quad(lambda z: z * norm.pdf(z), ends[level], ends[level + 1])[0]
        assert points[level] == pytest.approx(part / share, abs=1e-7)
    factorial = 1.0
    for k in range(1, 7):
        factorial *= k
        expected = 0.0
        for level in range(len(counts)):
            expected += (
                points[level]
                * quad(
                    lambda z, k=k: eval_hermitenorm(k, z) * norm.pdf(z),
                    ends[level],
                    ends[level + 1],
                )[0]
            )
        assert terms[k - 1] == pytest.approx(expected / np.sqrt(factorial), abs=1e-6)


def test_correlations_are_solved_from_the_sum():
    _, first = level_scores(np.array([50, 50]))
    _, second = level_scores(np.array([10, 70, 20]))
    terms = np.array([first, second])
    for rho in (-0.7, -0.3, 0.0, 0.5, 0.8):
        powers = rho ** np.arange(1, terms.shape[1] + 1)
        product = (powers * first * second).sum()
        found = solve_correlations(np.array([[0.0, product], [product, 0.0]]), terms)
        assert found[0, 1] == pytest.approx(rho, abs=1e-6)
        assert found[1, 0] == pytest.approx(rho, abs=1e-6)
    assert solve_correlations(np.array([[9.0]]), terms[:1])[0, 0] == pytest.approx(0.98)
    assert solve_correlations(np.array([[-9.0]]), terms[:1])[0, 0] == pytest.approx(-0.98)


def test_correlations_of_few_common_rows_are_drawn_to_zero():
    # Two numbers that repeat each other in 20 rows: .98 · 20 / 25.
    x = np.random.default_rng(0).standard_normal(20)
    mix = fit_copula(table_of(x, x)).mix
    assert_allclose((mix @ mix.T)[0, 1], 0.98 * 20 / 25, atol=1e-6)
    assert_allclose(np.diag(mix @ mix.T), 1.0)


def test_levels_in_the_order_of_their_means_along_a_line():
    # Means of the levels along one direction: 0 → 3, 1 → -5, 2 → 1; the largest level, 2, is at
    # 1 - 0.4 above the mean, so the order stays as it is.
    cells = np.array([0.0, 1.0, 2.0, 2.0, 2.0, np.nan])
    directions = np.array([[3.0], [-4.0], [1.0], [1.0], [1.0], [99.0]])
    assert_array_equal(_level_order(cells, directions), [2, 0, 1, 1, 1, np.nan])
    # Turned round, the largest level would be below the mean: the order is turned back.
    assert_array_equal(_level_order(cells, -directions), [2, 0, 1, 1, 1, np.nan])
    empty = np.full(3, np.nan)
    assert_array_equal(_level_order(empty, np.zeros((3, 1))), empty)


def test_numbers_and_ordered_levels_keep_their_order():
    table = every_kind(60, gaps=0.1)
    found = order_values(table)
    assert_array_equal(found[:, [0, 1, 5]], table.values[:, [0, 1, 5]])
    assert_array_equal(np.isnan(found), np.isnan(table.values))
    # Eight arcs of a circle at most.
    assert len(np.unique(found[~np.isnan(found[:, 4]), 4])) == 8
    numbers = table_of(np.arange(9.0))
    assert_array_equal(order_values(numbers), numbers.values)


def test_nearness_to_the_fifth_neighbour_by_hand():
    # Seven rows on a line: the fifth neighbour of the ends is 5 away, of the others 4, 3 (middle
    # 3: neighbours 1, 1, 2, 2, 3), 4, ... ; two source columns, a floor of .02.
    points = np.arange(7.0)[:, np.newaxis]
    fifth = np.array([5.0, 4.0, 3.0, 3.0, 3.0, 4.0, 5.0])
    expected = -0.5 * np.log(fifth**2 / 2 + 0.02).mean()
    assert nearness(points, 2) == pytest.approx(expected)
    assert nearness(np.zeros((6, 1)), 1) == pytest.approx(-0.5 * np.log(0.02))


def test_clumping_needs_ten_rows_and_two_columns():
    rng = np.random.default_rng(0)
    assert clumping(table_of(*rng.standard_normal((2, 9))), rng) == 0.0
    assert clumping(table_of(*rng.standard_normal((2, 10))), rng, n_clouds=3) != 0.0
    heaps = np.repeat([0.0, 50.0], 30) + rng.standard_normal(60)
    assert not is_clumped(table_of(heaps), 0.5, rng)
    assert is_clumped(table_of(heaps, heaps + rng.standard_normal(60)), 0.01, rng)


# Repetitions and gaps ---------------------------------------------------------------------------


def test_agreement_is_with_the_most_frequent_label_of_each_cell():
    codes = np.repeat([0, 1, 2], 20)
    labels = np.repeat([0, 1, 1], 20)
    assert repeats._agreement(labels, codes) == 1.0
    labels[:5] = 1
    voted = np.repeat([0, 1, 1], 20)
    assert repeats._agreement(labels, codes) == pytest.approx(adjusted_rand_score(labels, voted))


@pytest.mark.parametrize(("n_missing", "found"), [(20, 1.0), (21, 0.0)])
def test_agreement_needs_half_of_the_rows(n_missing, found):
    codes = np.tile([0, 1], 20)
    labels = codes.copy()
    codes[:n_missing] = -1
    assert repeats._agreement(labels, codes) == found


@pytest.mark.parametrize(("n_rows", "found"), [(20, 1.0), (19, 0.0)])
def test_agreement_needs_ten_rows_for_each_cell(n_rows, found):
    codes = np.arange(n_rows) % 2
    assert repeats._agreement(codes, codes) == found
    assert repeats._agreement(codes, np.zeros(n_rows, dtype=int)) == 0.0


def test_cells_of_two_columns():
    first, second = np.array([0, 0, 1, 1, -1, 1]), np.array([0, 2, 0, 2, 1, -1])
    assert repeats._product(first, second).tolist() == [0, 2, 3, 5, -1, -1]


def test_rows_are_taken_evenly(monkeypatch):
    monkeypatch.setattr(repeats, "MAX_ROWS", 5)
    labels = np.array([-1] + [0] * 9)
    assert repeats._some_rows(labels).tolist() == [1, 3, 5, 7, 9]
    assert repeats._some_rows(labels[:6]).tolist() == [1, 2, 3, 4, 5]


def test_support_is_the_vote_of_ten_neighbours():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    near = labels * 50.0 + rng.standard_normal(40)
    table = table_of((labels, 2), near)
    assert repeats._support(labels, table, (0,)) == 1.0
    assert repeats._support(labels, table, (0, 1)) == 0.0
    alone = table_of((labels, 2), rng.standard_normal(40))
    assert repeats._support(labels, alone, (0,)) < 0.5


def test_the_sentence_on_a_repetition():
    table = table_of((np.tile([0, 1], 5), 2), (np.tile([0, 1], 5), 2))
    mere = repeats.Repetition((0,), 0.987, 0.59)
    assert repeats.describe_repetition(mere, table) == (
        "the clusters are the values of column 'c0' (adjusted Rand index 0.99), and the other "
        "columns hardly support them (0.59)"
    )
    both = repeats.Repetition((0, 1), 1.0, 0.6)
    assert repeats.describe_repetition(both, table) == (
        "the clusters are the values of columns 'c0' and 'c1' together (adjusted Rand index 1.00), "
        "and the other columns support them (0.60)"
    )


def test_gaps_that_go_with_the_clusters_by_hand():
    labels = np.repeat([0, 1, -1], [50, 50, 20])
    values = np.zeros((120, 2))
    values[:, 1] = np.arange(120)
    values[:18, 0] = np.nan
    values[50:53, 0] = np.nan
    values[100:, 1] = np.nan  # outside the clusters
    table = table_of(values[:, 0], values[:, 1])
    assert describe_gaps(labels, table) == (
        "values of column 'x0' are missing in 6% of the rows of one cluster and in 36% of another: "
        "ask why they are missing before the clusters are used"
    )
    assert describe_gaps(np.zeros(120, dtype=int), table) == ""


@pytest.mark.parametrize(("first", "second", "said"), [(125, 25, True), (124, 25, False)])
def test_gaps_have_to_differ_by_a_fifth_of_the_rows(first, second, said):
    labels = np.repeat([0, 1], 500)
    values = np.zeros((1000, 1))
    values[:first] = np.nan
    values[500 : 500 + second] = np.nan
    assert bool(describe_gaps(labels, table_of(values[:, 0]))) is said


@pytest.mark.parametrize(("n_gaps", "said"), [(10, True), (9, False)])
def test_ten_gaps_and_ten_values_are_needed(n_gaps, said):
    labels = np.repeat([0, 1], [20, 100])
    values = np.zeros(120)
    values[:n_gaps] = np.nan
    assert bool(describe_gaps(labels, table_of(values))) is said
    values = np.full(120, np.nan)
    values[:n_gaps] = 0.0
    assert bool(describe_gaps(labels, table_of(values))) is said
