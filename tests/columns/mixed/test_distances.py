import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.columns.mixed.tables import every_kind

from weft.columns.mixed import embed, mixed_distances
from weft.columns.mixed.blocks import place
from weft.columns.mixed.embedding import learn_blocks


def brute_force(table, weights):
    """The definition, pair by pair and column by column."""
    blocks = learn_blocks(table)
    n = len(table.values)
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = common = 0.0
            for source in range(len(table.used)):
                own = [block for block in blocks if block.source == source]
                gaps = [place(b, table.values[[i, j], b.position]) for b in own]
                if any(np.isnan(part).any() for part in gaps):
                    continue
                common += weights[source]
                total += weights[source] * sum(((a[0] - a[1]) ** 2).sum() for a in gaps)
            out[i, j] = total * sum(weights) / common if common else 2.0 * sum(weights)
            if i == j:
                out[i, j] = 0.0
    return np.sqrt(out)


@pytest.mark.parametrize("gaps", [0.0, 0.5])
def test_distances_are_the_definition(gaps):
    table = every_kind(25, gaps=gaps, seed=1)
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])
    assert_allclose(mixed_distances(table, weights=weights), brute_force(table, weights), atol=1e-7)
    assert_allclose(mixed_distances(table), brute_force(table, np.ones(6)), atol=1e-7)


def test_without_gaps_they_are_those_of_the_points():
    table = every_kind(40)
    points = embed(table).values
    expected = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    assert_allclose(mixed_distances(table), expected, atol=1e-6)


def test_a_gap_in_every_column_leaves_the_mean_distance():
    table = every_kind(12)
    table.values[0, 0], table.values[1, 1:] = np.nan, np.nan
    distances = mixed_distances(table)
    assert_allclose(distances[0, 1], np.sqrt(2.0 * len(table.used)))


def test_mean_squared_distance_is_two_for_each_column():
    table = every_kind(300)
    n = len(table.values)
    squared = mixed_distances(table) ** 2
    assert_allclose(squared.sum() / n**2, 2.0 * len(table.used))
