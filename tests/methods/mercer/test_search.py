"""Feature spaces, idempotent decoding, the choice by stability."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from weft._base.labels import number_by_first_row
from weft.datasets import make_shapes
from weft.methods.centroids.objectives import StringObjective, SubsetObjective
from weft.methods.mercer import FeatureCenters, InputCenters, Kernel
from weft.methods.mercer.objectives import InputObjective, SpaceObjective
from weft.methods.mercer.search import (
    CenterSearch,
    WidthResult,
    candidate_widths,
    most_stable,
    polish,
    search_feature_centers,
    search_input_centers,
)
from weft.methods.mercer.spaces import KernelSpace, Walk, make_space, nearest_means
from weft.metrics import kernel_cs
from weft.search.reached import Reached
from weft.search.swarms.mepso import MEPSO

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


def test_labels_are_polished_by_the_means_of_their_clusters():
    rows = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    gram = rows @ rows.T
    # Means 0, 22/3 and 30: the row at 1 goes to the first, and then nothing moves.
    assert polish(gram, np.array([0, 1, 1, 1, 2]), 1).tolist() == [0, 0, 1, 1, 2]
    # With at least three rows the second cluster lets none go.
    assert polish(gram, np.array([0, 1, 1, 1, 2]), 3).tolist() == [0, 1, 1, 1, 2]


def test_products_with_new_rows_are_computed_in_one_piece(monkeypatch):
    # Several jobs multiply in slices, whose last bits differ from those of the whole.
    seen = []

    def spy(rows, X, **options):
        seen.append(options["n_jobs"])
        return rows @ X.T

    space = KernelSpace.of(ROWS, "linear", {}, 2)
    monkeypatch.setattr("weft.methods.mercer.spaces.pairwise_kernels", spy)
    space.cross(ROWS[:3])
    assert seen == [1]


def test_directions_that_have_decayed_are_0_for_new_rows():
    # Values of the walk below 1e-12 are rounding errors, at the start or after σ² steps.
    walk = Walk.of(ROWS, 6)
    values = np.array([0.9, 0.5, 5e-4, 1e-4, 1e-13, 0.0])
    walk = dataclasses.replace(walk, values=values)
    fresh = ROWS[:5] + 0.1
    for sigma, kept in ((2.0, 2), (1.0, 4), (0.5, 4)):
        found = walk.coordinates(fresh, sigma)
        assert found.shape == (5, 6)
        assert (found[:, kept:] == 0.0).all()
        assert (walk.space(sigma).coordinates[:, kept:] == 0.0).all()
        # One step to the known rows, in proportion to the weights, and σ² - 1 more.
        squared = ((fresh[:, None] - ROWS[None]) ** 2).sum(axis=2)
        scales = np.sqrt(np.sort(squared, axis=1)[:, 7])
        weights = np.exp(-squared / np.outer(scales, walk.scales))
        weights /= weights.sum(axis=1, keepdims=True)
        expected = weights @ walk.vectors[:, :kept] * values[:kept] ** (sigma**2 - 1.0)
        np.testing.assert_allclose(found[:, :kept], expected, rtol=1e-9, atol=1e-12)


def test_a_new_row_far_from_all_lies_between_known_ones():
    walk = Walk.of(np.arange(10.0)[:, None], 3)
    found = walk.coordinates(np.array([[1e9], [-1e150]]), 1.0)
    assert (found <= walk.vectors.max(axis=0) + 1e-9).all()
    assert (found >= walk.vectors.min(axis=0) - 1e-9).all()


def test_local_scales_by_hand():
    # Of ten rows 0 to 9 the 7th neighbour of 0 is at 7, that of 4 is 8, at 4.
    walk = Walk.of(np.arange(10.0)[:, None], 2)
    assert walk.scales.tolist() == [7.0, 6.0, 5.0, 4.0, 4.0, 4.0, 4.0, 5.0, 6.0, 7.0]
    # Few rows: the farthest. Equal rows get the smallest scale above 0, or 1.
    assert Walk.of(np.array([[0.0], [1.0], [4.0]]), 2).scales.tolist() == [4.0, 3.0, 4.0]
    same = np.array([[0.0]] * 8 + [[2.0], [5.0]])
    assert Walk.of(same, 2).scales.tolist() == [2.0] * 9 + [5.0]
    assert Walk.of(np.ones((4, 2)), 2).scales.tolist() == [1.0] * 4
    # The median distance in local steps: of 0, 1 and 4 with themselves it is 1, the scale is 4.
    assert Walk.of(np.array([[0.0], [1.0], [4.0]]), 2).median_width() == 1.0
    assert walk.median_width() == 1.0
    pairs = np.concatenate([np.arange(10.0), 100.0 + np.arange(10.0)])[:, None]
    median = np.median(np.abs(pairs - pairs.T))
    assert Walk.of(pairs, 2).median_width() == median / 5.0


def test_widths_that_are_tried():
    rows = np.array([[0.0], [1.0], [3.0]])  # distances 1, 2 and 3
    walk = Walk.of(ROWS, 2)
    assert candidate_widths(rows, Kernel("linear"), "stability", None) == (1.0,)
    assert candidate_widths(rows, Kernel("rbf"), 5, None) == (5.0,)
    assert candidate_widths(rows, Kernel("rbf"), "median", None) == (2.0,)
    # exp(-γ r²) = exp(-r² / 2σ²) for γ = 1 / 2σ²: 1/8 is σ = 2; None is scikit-learn's 1 / columns.
    assert candidate_widths(rows, Kernel("rbf", {"gamma": 1 / 8}), "stability", None) == (2.0,)
    default = candidate_widths(np.ones((3, 8)), Kernel("rbf", {"gamma": None}), "median", None)
    assert default == (2.0,)
    many = candidate_widths(rows, Kernel("rbf"), "stability", None)
    np.testing.assert_allclose(many, 2.0 * 2.0 ** np.arange(-3.5, 1.1, 0.5))
    assert candidate_widths(ROWS, Kernel("diffusion"), 3.0, walk) == (3.0,)
    assert candidate_widths(ROWS, Kernel("diffusion"), "median", walk) == (walk.median_width(),)
    steps = candidate_widths(ROWS, Kernel("diffusion"), "stability", walk)
    assert steps == (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)


def test_runs_of_widths_at_their_limits():
    a, b, c = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]
    # A width without a fitness joins no run: b and c are as long, and c is fitter.
    assert most_stable([result(b, 1.0), result(b, 0.0), result(c, 2.0)]) == 2
    # A run with 2 % of the best fitness counts, one with less does not.
    long = [result(b, 0.5), result(b, 2.0), result(c, 100.0)]
    assert most_stable(long) == 1
    assert most_stable([*long[:1], result(b, 1.99), long[2]]) == 2
    # Equal up to rounding: the smallest width.
    assert most_stable([result(a, 5.0), result(b, 4.0), result(b, 4.0 + 1e-7), result(b, 3.0)]) == 1
    assert most_stable([result(a, 5.0), result(b, 4.0), result(b, 4.0 + 1e-4), result(b, 3.0)]) == 2
    assert most_stable([result(a, 1.0)]) == 0


def _searched(rows, fitness, *, sigma=1.0, kernel="rbf", **settings):
    """Search with a given best position, and return the answer and what was asked for."""
    asked = []

    def move(objective, swarm, positions, rng, *, title, n_evaluations_before):
        asked.append((objective.least, positions.shape[0], title, n_evaluations_before))
        return SimpleNamespace(position=positions[0], fitness=fitness, n_evaluations=10)

    search = CenterSearch(
        Kernel(kernel), sigma, 3, MEPSO(), 4, centers=FeatureCenters(polish=False, **settings)
    )
    return search_feature_centers(rows, search, 0, move), asked


@pytest.mark.parametrize(
    ("n_rows", "min_size", "least"),
    [(2, 0.02, 1), (3, 0.02, 1), (4, 0.02, 2), (80, 0.02, 2), (80, 0.05, 4), (80, 0.051, 5)],
)
def test_the_smallest_cluster_that_is_searched_for(n_rows, min_size, least):
    _, asked = _searched(ROWS[:n_rows], 1.0, min_size=min_size)
    assert [each[0] for each in asked] == [least]


def test_a_partition_without_fitness_is_one_cluster():
    for fitness, is_split in ((0.5, True), (1e-9, True), (0.0, False)):
        found, asked = _searched(ROWS, fitness, sigma=2.0)
        assert bool(found.labels.any()) is is_split
        assert (found.sigma, found.n_evaluations, len(asked)) == (2.0, 10, 1)
        assert asked[0][1:] == (4, "width 2", 0)


def test_evaluations_of_all_widths_are_counted():
    found, asked = _searched(ROWS, 1.0, sigma="stability", kernel="diffusion")
    assert [each[3] for each in asked] == [10 * number for number in range(8)]
    assert asked[2][2] == "width 8"
    assert found.n_evaluations == 80
    assert found.reference.sigma == found.sigma


@pytest.mark.parametrize(("fitness", "labels"), [(1.0, [0, 0, 1, 1]), (0.0, [0, 0, 0, 0])])
def test_centres_in_input_space_are_in_the_order_of_their_clusters(fitness, labels):
    # Three thresholds, the third inactive; then the centres 11, 1 and 6 of rows 0 to 12.
    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    position = np.array([0.9, 0.8, 0.1, 11.0 / 12.0, 1.0 / 12.0, 0.5])

    def move(objective, swarm, positions, rng, *, title, n_evaluations_before):
        assert (title, n_evaluations_before, positions.shape) == ("width 3", 0, (4, 6))
        return SimpleNamespace(position=position, fitness=fitness, n_evaluations=10)

    search = CenterSearch(Kernel("rbf"), 3.0, 3, MEPSO(), 4, centers=InputCenters())
    found = search_input_centers(rows, search, 0, move)
    assert found.labels.tolist() == labels
    np.testing.assert_allclose(found.reference.ravel(), [1.0, 11.0][: max(labels) + 1])
    assert (found.sigma, found.n_evaluations) == (3.0, 10)
