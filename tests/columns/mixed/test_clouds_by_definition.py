"""Clouds of mixed tables and what is compared with them: every step against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from scipy.stats import t as student
from tests.columns.mixed.tables import every_kind, levels

from weft.columns.mixed import clumps, copula
from weft.columns.mixed.blocks import place, pool_levels
from weft.columns.mixed.clumps import clumping, is_clumped, nearness
from weft.columns.mixed.copula import (
    Copula,
    _directions,
    _level_order,
    _pooled,
    draw_cloud,
    fit_copula,
    level_scores,
    order_values,
    solve_correlations,
)
from weft.columns.mixed.embedding import embed, learn_blocks, learn_embedding, transform
from weft.columns.mixed.filling import Directions, _main_directions, fill, find_directions
from weft.columns.mixed.main_directions import along_main_directions, learn_main_view
from weft.columns.source import MixedTable, SourceColumn
from weft.kmeans.ordering import canonical_order
from weft.kmeans.plain import kmeans

# Copulas ----------------------------------------------------------------------------------------


def test_the_copula_of_a_table_by_its_definition():
    table = every_kind(70, gaps=0.2, seed=4)
    found = fit_copula(table)
    values, ranked = table.values, order_values(table)
    has = ~np.isnan(values)
    assert_array_equal(found.observed, has)
    n, p = values.shape
    scores, terms = np.zeros((n, p)), []
    for j in range(p):
        own = np.flatnonzero(has[:, j])
        distinct = np.unique(ranked[own, j])
        groups = np.searchsorted(distinct, ranked[own, j])
        points, coefficients = level_scores(np.bincount(groups))
        scores[own, j] = points[groups]
        terms.append(coefficients)
        order = own[np.argsort(ranked[own, j], kind="stable")]
        assert_array_equal(found.ordered[j], values[order, j])
    products, both = np.zeros((p, p)), np.zeros((p, p))
    for a in range(p):
        for b in range(p):
            shared = has[:, a] & has[:, b]
            both[a, b] = shared.sum()
            products[a, b] = (scores[shared, a] * scores[shared, b]).mean()
    expected = solve_correlations(products, np.array(terms)) * both / (both + 5.0)
    np.fill_diagonal(expected, 1.0)
    axes, turns = np.linalg.eigh(expected)
    root = turns * np.sqrt(np.maximum(axes, 0.0))
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    assert_allclose(found.mix @ found.mix.T, root @ root.T, atol=1e-9)


def test_a_column_without_values_has_no_place_in_the_copula():
    values = np.column_stack([np.arange(8.0), np.full(8, np.nan)])
    columns = (SourceColumn("x", "number", (0,)), SourceColumn("y", "number", (1,)))
    found = fit_copula(MixedTable(values, columns))
    assert len(found.ordered[1]) == 0
    assert_allclose(np.abs(found.mix @ found.mix.T), np.eye(2), atol=1e-12)


def test_columns_that_share_a_single_row_have_a_sixth_of_its_product():
    # Both columns lie at their highest value there; other rows have one of them only.
    values = np.full((9, 2), np.nan)
    values[:5, 0], values[4:, 1] = np.arange(5.0), np.arange(5.0)[::-1]
    columns = (SourceColumn("x", "number", (0,)), SourceColumn("y", "number", (1,)))
    found = fit_copula(MixedTable(values, columns))
    points, terms = level_scores(np.ones(5, dtype=int))
    product = np.array([[points[4] ** 2]])
    expected = solve_correlations(product, terms[None])[0, 0] / 6.0
    assert_allclose((found.mix @ found.mix.T)[0, 1], expected, atol=1e-9)


def test_a_cloud_is_drawn_rank_by_rank():
    # The second column has the first one's ranks in reversed order; row 1 lacks the first column,
    # row 3 the second.
    observed = np.array([[True, True], [False, True], [True, True], [True, False], [True, True]])
    given = Copula(
        np.array([[1.0, 0.0], [-1.0, 0.0]]),
        (np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0, 7.0, 8.0])),
        observed,
    )
    latent = np.random.default_rng(3).standard_normal((5, 2))[:, 0]
    found = draw_cloud(given, np.random.default_rng(3))
    first = np.argsort(np.argsort(latent[[0, 2, 3, 4]])) + 1.0
    second = np.argsort(np.argsort(-latent[[0, 1, 2, 4]])) + 5.0
    assert_array_equal(found[[0, 2, 3, 4], 0], first)
    assert_array_equal(found[[0, 1, 2, 4], 1], second)
    assert np.isnan(found[1, 0])
    assert np.isnan(found[3, 1])


def test_groups_of_rare_levels():
    codes = np.repeat([0.0, 1.0, 2.0, 3.0, np.nan], [20, 3, 30, 2, 4])
    assert_array_equal(_pooled(codes), np.repeat([1.0, 2.0, 0.0, 2.0, np.nan], [20, 3, 30, 2, 4]))
    assert np.isnan(_pooled(np.full(3, np.nan))).all()


def test_directions_of_normal_scores_by_their_definition():
    rng = np.random.default_rng(0)
    trait = rng.standard_normal((60, 1))
    numbers = trait + 0.5 * rng.standard_normal((60, 4))
    numbers[:, 3] = numbers[:, 3] > 0.0
    numbers[::7, 1] = np.nan
    numbers = np.column_stack([numbers, np.ones(60)])  # a constant has no scores
    scores = np.zeros((60, 5))
    for j in range(4):
        has = ~np.isnan(numbers[:, j])
        distinct, groups = np.unique(numbers[has, j], return_inverse=True)
        own = level_scores(np.bincount(groups))[0][groups]
        assert len(distinct) > 1
        scores[has, j] = own / own.std()
    values, axes = np.linalg.eigh(scores.T @ scores / 60)
    # The noise of five columns and 60 rows ends at (1 + √(5 / 60))² = 1.66: one direction.
    assert (values > (1.0 + np.sqrt(5 / 60)) ** 2).sum() == 1
    found = _directions(numbers)
    assert found.shape == (60, 1)
    assert_allclose(np.abs(found[:, 0]), np.abs(scores @ axes[:, -1] / np.sqrt(values[-1])))
    # Without any direction beyond noise one is taken; of many, five.
    assert _directions(rng.standard_normal((60, 3))).shape == (60, 1)
    blocks = np.repeat(rng.standard_normal((200, 6)), 3, axis=1)
    many = _directions(blocks + 0.3 * rng.standard_normal((200, 18)))
    assert many.shape == (200, 5)
    # Two directions of different length are both of variance 1.
    two = np.repeat(rng.standard_normal((200, 2)), [4, 3], axis=1)
    two = _directions(two + 0.3 * rng.standard_normal((200, 7)))
    assert_allclose((two**2).mean(axis=0), [1.0, 1.0])


def test_levels_are_ordered_along_the_line_that_separates_them_best():
    # Means (0, 0), (4, 1) and (1, -6) of 6, 5 and 3 rows: the line is found by all angles.
    rng = np.random.default_rng(5)
    cells = np.repeat([0.0, 1.0, 2.0], [6, 5, 3])
    directions = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, -6.0]])[cells.astype(int)]
    directions = directions + 0.1 * rng.standard_normal((14, 2))
    middle = directions.mean(axis=0)
    means = np.array([directions[cells == k].mean(axis=0) for k in range(3)]) - middle
    angles = np.linspace(0.0, np.pi, 20_001)
    lines = np.array([np.cos(angles), np.sin(angles)])
    between = np.array([6.0, 5.0, 3.0]) @ (means @ lines) ** 2
    along = means @ lines[:, between.argmax()]
    along *= 1.0 if along[0] >= 0.0 else -1.0  # the level of most rows is above the mean
    expected = np.argsort(np.argsort(along))
    assert_array_equal(_level_order(cells, directions), expected[cells.astype(int)])


def test_the_order_of_free_levels_is_found_round_by_round(monkeypatch):
    table = every_kind(60, gaps=0.1, seed=2)
    values = table.values
    cells = {
        2: _pooled(values[:, 2]),
        3: _pooled(values[:, 3]),
        4: np.floor(values[:, 4] / 24.0 * 8) % 8,
        6: np.floor(values[:, 6] / 7.0 * 8) % 8,
        7: np.floor(values[:, 7] / 365.25 * 8) % 8,
    }
    points = embed(table, balance="directions").values
    directions = points @ np.linalg.eigh(points.T @ points)[1][:, -1:]
    out, rounds = values.copy(), 0
    while rounds < 20:
        rounds += 1
        before = out.copy()
        for position, own in cells.items():
            out[:, position] = _level_order(own, directions)
        if np.array_equal(out, before, equal_nan=True):
            break
        directions = _directions(out)
    assert_array_equal(order_values(table), out)
    calls = []
    monkeypatch.setattr(copula, "_directions", lambda given: calls.append(1) or _directions(given))
    order_values(table)
    assert len(calls) == rounds - 1
    monkeypatch.setattr(copula, "MAX_ROUNDS", 1)
    first = values.copy()
    start = points @ np.linalg.eigh(points.T @ points)[1][:, -1:]
    for position, own in cells.items():
        first[:, position] = _level_order(own, start)
    assert_array_equal(order_values(table), first)


def test_scores_of_levels_at_the_ends():
    # All rows in one level: its mean is that of the whole distribution.
    points, terms = level_scores(np.array([7]))
    assert_allclose(points, [0.0])
    assert_allclose(terms, 0.0)
    # A quarter of the rows below -0.674: φ(q) / share.
    points, _ = level_scores(np.array([1, 3]))
    density = norm.pdf(norm.ppf(0.25))
    assert_allclose(points, [-density / 0.25, density / 0.75])


# Nearness to rows and centres ---------------------------------------------------------------------


def test_the_statistics_of_a_table_by_their_definition():
    table = every_kind(40, gaps=0.1)
    view = learn_main_view(table)
    found = clumps._statistics(view, table.values, np.random.default_rng(7))
    points = transform(view.embedding, table.values)
    rows, rng = along_main_directions(view, table.values), np.random.default_rng(7)
    total = ((rows - rows.mean(axis=0)) ** 2).sum()
    expected = [nearness(points, 6)]
    for count in (2, 3, 4, 6):
        expected.append(-np.log(kmeans(rows, count, 3, rng).within / total))
    assert_allclose(found, expected)
    # Rows that are all equal have no centres.
    same = MixedTable(
        np.ones((12, 2)), tuple(SourceColumn(f"x{j}", "number", (j,)) for j in (0, 1))
    )
    still = clumps._statistics(learn_main_view(same), same.values, rng)
    assert_allclose(still, [-0.5 * np.log(0.02)] * 5)


def test_how_far_a_table_is_from_its_clouds_by_hand(monkeypatch):
    # Clouds 1, 2, 3 and 10, 20, 30: means 2 and 20, deviations 1 and 10; a new cloud varies by
    # √(1 + 1 / 3) of these. The table has 5 and 35: 3 and 1.5 deviations.
    script = iter([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [5.0, 35.0]])
    monkeypatch.setattr(clumps, "_statistics", lambda view, values, rng: np.array(next(script)))
    table = every_kind(20)
    found = clumping(table, np.random.default_rng(0), n_clouds=3)
    assert found == pytest.approx(3.0 / np.sqrt(4.0 / 3.0))
    # Clouds that do not vary count as varying very little.
    script = iter([[1.0], [1.0], [1.0], [2.0]])
    assert clumping(table, np.random.default_rng(0), n_clouds=3) == pytest.approx(1e12)


def test_the_usual_clouds_are_twenty_of_at_most_500_rows(monkeypatch):
    sizes = []
    monkeypatch.setattr(
        clumps, "_statistics", lambda view, values, rng: sizes.append(len(values)) or np.ones(1)
    )
    monkeypatch.setattr(clumps, "MAX_ROWS", 30)
    table = every_kind(31)
    clumping(table, np.random.default_rng(0))
    assert sizes == [30] * 21
    sizes.clear()
    clumping(table.take_rows(np.arange(30)), np.random.default_rng(0), n_clouds=2)
    assert sizes == [30] * 3


@pytest.mark.parametrize(("beyond", "answer"), [(1e-9, True), (-1e-9, False)])
def test_one_of_five_statistics_is_tested_at_a_fifth_of_the_level(monkeypatch, beyond, answer):
    limit = student.isf(0.05 / 5, 19)
    monkeypatch.setattr(clumps, "clumping", lambda table, rng: limit + beyond)
    assert is_clumped(every_kind(20), 0.05, None) == answer
    two = every_kind(20).take_columns([0, 1])
    assert is_clumped(two, 0.05, None) == answer
    assert is_clumped(every_kind(20).take_columns([5]), 0.05, None) is False


# Directions that fill gaps ------------------------------------------------------------------------


def test_directions_are_found_round_by_round(monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((50, 1)) + 0.4 * rng.standard_normal((50, 5))
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    ordered = rows[canonical_order(rows)[0]]
    gaps = np.isnan(ordered)

    def after(n_rounds):
        filled = np.where(gaps, 0.0, ordered)
        n_done = 0
        while n_done < n_rounds:
            n_done += 1
            found = _main_directions(filled)
            fitted = (filled @ found.axes * found.shrinkage) @ found.axes.T
            change = np.abs(fitted - filled)[gaps].max()
            filled = np.where(gaps, fitted, filled)
            if change < 1e-4:
                break
        return found, n_done

    calls, plain = [], _main_directions
    monkeypatch.setattr(
        "weft.columns.mixed.filling._main_directions", lambda x: calls.append(1) or plain(x)
    )
    found = find_directions(rows)
    expected, n_rounds = after(100)
    assert 3 < n_rounds == len(calls) < 100
    assert_allclose(found.axes, expected.axes)
    assert_allclose(found.shrinkage, expected.shrinkage)
    monkeypatch.setattr("weft.columns.mixed.filling.MAX_ROUNDS", 2)
    assert_allclose(find_directions(rows).shrinkage, after(2)[0].shrinkage)
    # Of more rows, some are used: evenly spaced ones of the ordered table.
    monkeypatch.setattr("weft.columns.mixed.filling.MAX_ROWS", 50)
    assert_allclose(find_directions(rows).shrinkage, after(2)[0].shrinkage)
    monkeypatch.setattr("weft.columns.mixed.filling.MAX_ROWS", 20)
    ordered = ordered[np.linspace(0, 49, 20).astype(int)]
    gaps = np.isnan(ordered)
    assert_allclose(find_directions(rows).shrinkage, after(2)[0].shrinkage)


def test_gaps_are_filled_part_by_part(monkeypatch):
    rng = np.random.default_rng(2)
    axes = np.linalg.qr(rng.normal(size=(4, 2)))[0]
    rows = rng.standard_normal((23, 4))
    rows[rng.random(rows.shape) < 0.3] = np.nan
    whole = fill(rows.copy(), Directions(axes, np.array([0.8, 0.5])))
    assert_array_equal(whole[~np.isnan(rows)], rows[~np.isnan(rows)])
    monkeypatch.setattr("weft.columns.mixed.filling.CHUNK", 5)
    assert_allclose(fill(rows.copy(), Directions(axes, np.array([0.8, 0.5]))), whole, atol=1e-12)


def test_later_values_are_placed_as_those_of_the_table():
    table = every_kind(50)
    blocks = learn_blocks(table)
    ordered = blocks[1]
    # Levels of an ordered column lie at their standardised middles; others are gaps.
    middles = ordered.points[:, 0]
    placed = place(ordered, np.array([3.0, 0.0, 4.0, -1.0]))
    assert_allclose(placed[:, 0], [middles[3], middles[0], np.nan, np.nan])
    # Of an empty category and one with a single group nothing is known.
    assert pool_levels(np.array([0, 0])).tolist() == [-1, -1]
    codes = MixedTable(
        np.full((4, 1), np.nan), (SourceColumn("c", "category", (0,), levels=levels(2)),)
    )
    assert np.isnan(learn_blocks(codes)[0].points).all()
    assert learn_embedding(codes).owner.tolist() == [0]
