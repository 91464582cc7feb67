import numpy as np
from numpy.testing import assert_allclose
from tests.columns.mixed.tables import every_kind, levels

from weft.columns.mixed.copula import (
    CIRCLE_BINS,
    draw_cloud,
    fit_copula,
    level_scores,
    order_values,
)
from weft.columns.source import MixedTable, SourceColumn


def test_scores_of_a_coin_by_hand():
    # E[z | z > 0] = 2 φ(0) = √(2 / π) = a; c_1 = E[a(z) z] = a E|z| = 2 / π, c_2 = 0 by symmetry.
    points, terms = level_scores(np.array([50, 50]))
    assert_allclose(points, [-np.sqrt(2 / np.pi), np.sqrt(2 / np.pi)])
    assert_allclose(terms[:2], [2 / np.pi, 0.0], atol=1e-12)


def cut_table(n, seed, *, nominal):
    rng = np.random.default_rng(seed)
    covariance = [[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]]
    z = rng.multivariate_normal(np.zeros(3), covariance, n)
    cut = np.digitize(z[:, 1], [-1.0, 0.0, 0.5])
    if nominal:
        cut = np.array([2, 0, 3, 1])[cut]
    values = np.column_stack([z[:, 0] > 1.0, cut, z[:, 2]]).astype(float)
    columns = (
        SourceColumn("a", "yes/no", (0,), levels=("no", "yes")),
        SourceColumn("b", "category" if nominal else "ordered", (1,), levels=levels(4)),
        SourceColumn("c", "number", (2,)),
    )
    return MixedTable(values, columns)


def test_correlations_are_those_before_the_cut():
    # Cut into 2 and 4 levels, the values' own correlations are 0.35, 0.20 and 0.46.
    for nominal in (False, True):
        copula = fit_copula(cut_table(20_000, 0, nominal=nominal))
        found = np.abs(copula.mix @ copula.mix.T)
        assert_allclose(found[[0, 0, 1], [1, 2, 2]], [0.6, 0.3, 0.5], atol=0.03)


def test_a_cloud_has_the_values_and_gaps_of_the_table():
    table = every_kind(90, gaps=0.2)
    cloud = draw_cloud(fit_copula(table), np.random.default_rng(0))
    assert (np.isnan(cloud) == np.isnan(table.values)).all()
    assert_allclose(np.sort(cloud, axis=0), np.sort(table.values, axis=0))


def test_levels_get_the_order_of_the_trait_that_cut_them():
    rng = np.random.default_rng(1)
    trait = rng.standard_normal(600)
    values, columns = [], []
    for number in range(6):
        cut = np.digitize(trait + 0.6 * rng.standard_normal(600), [-0.8, 0.0, 0.8])
        values.append(np.array([3, 1, 0, 2])[cut])  # names without an order
        columns.append(SourceColumn(f"c{number}", "category", (number,), levels=levels(4)))
    table = MixedTable(np.column_stack(values).astype(float), tuple(columns))
    order = order_values(table)
    for number in range(6):
        places = [order[table.values[:, number] == code, number][0] for code in (3, 1, 0, 2)]
        assert places in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_parts_of_a_circle_get_the_order_of_the_trait():
    # Eight parts of a day; the trait grows through the day, and 24 o'clock is 0 o'clock.
    rng = np.random.default_rng(2)
    hour = rng.integers(0, 24, 900) + 0.5
    trait = np.column_stack([hour + 0.1 * rng.standard_normal(900) for _ in range(5)])
    columns = (
        SourceColumn("hour", "cyclic", (0,), periods=(24.0,)),
        *(SourceColumn(f"x{j}", "number", (j,)) for j in range(1, 6)),
    )
    table = MixedTable(np.column_stack([hour, trait]), columns)
    order = order_values(table)[:, 0]
    part = np.floor(hour / 24.0 * CIRCLE_BINS)
    places = np.array([order[part == k][0] for k in range(CIRCLE_BINS)])
    # All rows of a part have the same place, and places follow the day in one direction.
    assert all(len(set(order[part == k])) == 1 for k in range(CIRCLE_BINS))
    steps = np.diff(places)
    assert (steps > 0).all() or (steps < 0).all()
