"""Feature spaces, idempotent decoding, the choice by stability."""

from __future__ import annotations

import numpy as np
import pytest

from weft._base.labels import number_by_first_row
from weft.datasets import make_shapes
from weft.methods.centroids.objectives import StringObjective, SubsetObjective
from weft.methods.mercer import Kernel
from weft.methods.mercer.objectives import InputObjective, SpaceObjective
from weft.methods.mercer.search import WidthResult, most_stable
from weft.methods.mercer.spaces import KernelSpace, Walk, make_space, nearest_means
from weft.metrics import kernel_cs
from weft.search.reached import Reached

ROWS = make_shapes("blobs", n_samples=80, random_state=0).data


def result(labels, fitness):
    return WidthResult(1.0, np.array(labels), fitness)


def test_coordinates_keep_the_distances():
    space = KernelSpace.of(ROWS, "rbf", {"gamma": 0.2}, len(ROWS))
    Y = space.coordinates
    direct = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(direct, space.squared_distances(), atol=1e-8)


def test_the_walks_kernel_is_the_diffusion_distance():
    # |Y_i - Y_j|² = Σ_k (P^t_ik - P^t_jk)² / π_k (Coifman and Lafon), with all eigenvectors and
    # the stationary distribution π = degrees / Σ degrees.
    rows = ROWS[::4]
    n = len(rows)
    walk = Walk.of(rows, n - 1)
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    scales = np.sqrt(np.sort(squared, axis=1)[:, 7])
    weights = np.exp(-squared / np.outer(scales, scales))
    degrees = weights.sum(axis=1)
    step = np.linalg.matrix_power(weights / degrees[:, None], 4)  # σ = 2: four steps
    share = degrees / degrees.sum()
    expected = ((step[:, None] - step[None]) ** 2 / share).sum(axis=2)
    np.testing.assert_allclose(walk.space(2.0).squared_distances(), expected, atol=1e-6)


@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "linear", "laplacian"])
def test_known_rows_get_the_inner_products_they_had(kernel):
    space, _, _ = make_space(ROWS, Kernel(kernel), "median", n_components=5)
    np.testing.assert_allclose(space.cross(ROWS), space.gram, atol=1e-8)
    labels = number_by_first_row(np.arange(len(ROWS)) // 20)
    again = nearest_means(space, labels, 4, ROWS)
    assert (again == labels).mean() > 0.95


def test_the_same_position_has_the_same_fitness():
    rng = np.random.default_rng(0)
    space = KernelSpace.of(ROWS, "rbf", {"gamma": 0.1}, 6)
    for objective in (
        InputObjective(ROWS, 6, gamma=0.1),
        SpaceObjective(space, 6, least=4),
        StringObjective(ROWS, 6),
    ):
        positions = objective.initial(rng, 12)
        first = objective(positions).fitness
        assert (objective(positions).fitness == first).all()
        assert (objective(positions[::-1]).fitness[::-1] == first).all()


def test_fitness_is_the_public_measure():
    rng = np.random.default_rng(1)
    space = KernelSpace.of(ROWS, "rbf", {"gamma": 0.1}, len(ROWS))
    objective = SpaceObjective(space, 6, least=4)
    positions = objective.initial(rng, 6)
    fitness = objective(positions).fitness
    for position, value in zip(positions, fitness, strict=True):
        labels = objective.labels_of(position)
        if labels.max() == 0:
            continue
        measure = kernel_cs(
            space.gram, labels, kernel="precomputed", centers="feature-space", weighted=True
        )
        assert value == pytest.approx(1.0 / (measure + 0.0002), rel=1e-6)
        assert np.bincount(labels).min() >= 4


def test_subsets_of_the_pool_by_hand():
    # Rows 0, 2, 10, 12, pool 1 and 11 and 50, the first two chosen: intra = 1, inter = 100, and
    # N(2; 2, 1) = 0.3989: V = (25 · 0.3989 + 1) / 100. With 50 as well nothing changes: no row is
    # nearest to it.
    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    objective = SubsetObjective(rows, np.array([[1.0], [11.0], [50.0]]))
    expected = 100.0 / (25.0 / np.sqrt(2.0 * np.pi) + 1.0)
    evaluation = objective(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))
    assert evaluation.fitness[:2] == pytest.approx([expected, expected])
    assert evaluation.fitness[2] == 0.0
    assert evaluation.details["n_clusters"].tolist() == [2, 2, 1]


def test_the_longest_run_of_widths_wins():
    a, b, c = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]
    # b lives for three widths, the fitter c for one.
    results = [result(a, 1.0), result(b, 2.0), result(b, 3.0), result(b, 2.5), result(c, 9.0)]
    assert most_stable(results) == 2
    # Runs of equal length: the fitter one.
    assert most_stable([result(a, 1.0), result(b, 2.0), result(c, 1.5)]) == 1


def test_reached_counts_evaluations_before_its_round():
    class Generation:
        n_evaluations, best_fitness, best_position = 40, 1.0, np.zeros(1)

    reached = Reached([0, 0, 1, 1], threshold=0.9, stop=True)
    reached.bind(lambda position: np.array([0, 0, 1, 1]), 100)
    assert reached(Generation)
    assert reached.n_evaluations == 140.0
