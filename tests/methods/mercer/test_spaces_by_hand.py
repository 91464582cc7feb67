"""Kernel spaces and their objectives by hand: widths, directions, blocks, first positions."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from weft.methods.mercer import FeatureCenters, InputCenters, Kernel, objectives, search, spaces
from weft.methods.mercer.objectives import InputObjective, SpaceObjective
from weft.methods.mercer.printed import PrintedObjective, RepairedMEPSO
from weft.methods.mercer.search import CenterSearch, search_feature_centers, search_input_centers
from weft.methods.mercer.spaces import (
    KernelSpace,
    Walk,
    WalkSpace,
    _positive_floor,
    gamma_of,
    leading,
    make_space,
    nearest_means,
    read_width,
)
from weft.search.swarms.mepso import MEPSO

ROWS = np.array([[0.0, 7.0], [1.0, 7.0], [3.0, 7.0], [9.0, 7.0], [10.0, 7.0]])


def test_widths():
    assert gamma_of(3.0) == 1.0 / 18.0
    assert gamma_of(0.5) == 2.0
    assert [read_width(sigma) for sigma in ("median", 0.5, 2)] == ["median", 0.5, 2.0]
    for wrong in (0.0, -1.0, np.inf, "stability"):
        with pytest.raises(ValueError, match="sigma"):
            read_width(wrong)
    assert _positive_floor(np.array([0.0, 0.5, 2.0])) == 0.5
    assert _positive_floor(np.zeros(3)) == 1.0
    assert WalkSpace(ROWS, ROWS, ROWS).sigma == 1.0


def test_directions_in_falling_order_with_positive_peaks():
    # Eigenvalues 3, 2 and 1 of known vectors, the largest entries of which are negative.
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turn *= -np.sign(turn[np.abs(turn).argmax(axis=0), np.arange(3)])
    values, vectors = leading((turn * [3.0, 2.0, 1.0]) @ turn.T, 2)
    np.testing.assert_allclose(values, [3.0, 2.0])
    np.testing.assert_allclose(vectors, -turn[:, :2])
    assert leading(np.eye(3), 9)[1].shape == (3, 3)


def test_directions_without_spread_are_0():
    # Three directions with shares 1, 1e-6 and `third` of the variance.
    axes = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 3)))[0]
    axes = np.linalg.qr(axes - axes.mean(axis=0))[0]
    for unit in (1.0, 100.0, 0.01):
        for third, n_kept in ((1e-13, 2), (1e-11, 3)):
            X = unit * axes * np.sqrt([1.0, 1e-6, third])
            found = KernelSpace.of(X, "linear", {}, 3).coordinates
            assert (np.abs(found).max(axis=0) > 0.0).sum() == n_kept
            expected = np.abs(X[:, :2])
            np.testing.assert_allclose(np.abs(found[:, :2]), expected, atol=1e-9 * unit)


def test_distances_of_rows_from_inner_products():
    squared = ((ROWS[:, None] - ROWS) ** 2).sum(axis=2)
    found = KernelSpace.of(ROWS, "linear", {}, 2).squared_distances()
    np.testing.assert_allclose(found, squared, atol=1e-9)
    assert found.min() == 0.0


def test_a_space_without_coordinates():
    found = KernelSpace.of(ROWS, "linear", {}, 0)
    assert found.coordinates.shape == (5, 0)
    np.testing.assert_array_equal(found.gram, ROWS @ ROWS.T)


@pytest.mark.parametrize(("sigma", "n_kept"), [(2.0, 4), (3.0, 2), (0.5, 4)])
def test_directions_of_new_rows_that_have_decayed(sigma, n_kept):
    # 0.03⁹ is below 1e-12, 0.03⁶ is not.
    walk = Walk.of(np.arange(12.0)[:, None], 4)
    walk = dataclasses.replace(walk, values=np.array([0.9, 0.5, 0.03, 0.02]))
    found = walk.coordinates(np.array([[2.5]]), sigma)
    assert (np.abs(found[0]) > 0.0).tolist() == [place < n_kept for place in range(4)]


def test_a_known_row_of_a_small_table_keeps_its_coordinates():
    walk = Walk.of(ROWS, 3)
    for sigma in (1.0, 2.0):
        known = walk.space(sigma).coordinates
        np.testing.assert_allclose(walk.coordinates(ROWS, sigma), known, atol=1e-9)
    # A new row that equals eight known ones has the smallest scale above 0.
    same = np.array([[0.0]] * 8 + [[2.0], [5.0]])
    walk = Walk.of(same, 3)
    found = walk.coordinates(np.array([[0.0]]), 1.0)
    np.testing.assert_allclose(found, walk.space(1.0).coordinates[:1], atol=1e-9)


@pytest.mark.parametrize("at_once", [1, 10, 2**22])
def test_the_nearest_mean_by_its_definition(monkeypatch, at_once):
    monkeypatch.setattr(spaces, "_PRODUCTS_AT_ONCE", at_once)
    known = np.array([0, 0, 0, 1, 1])
    space = KernelSpace.of(ROWS, "linear", {}, 2)
    means = np.array([4.0 / 3.0, 9.5])
    asked = []
    cross = KernelSpace.cross

    def noted(self, rows):
        asked.append(len(rows))
        return cross(self, rows)

    monkeypatch.setattr(KernelSpace, "cross", noted)
    new = np.column_stack([np.linspace(-3.0, 13.0, 33), np.full(33, 7.0)])
    expected = np.abs(new[:, :1] - means).argmin(axis=1)
    assert nearest_means(space, known, 2, new).tolist() == expected.tolist()
    height = {1: 1, 10: 2, 2**22: 33}[at_once]
    assert asked == [height] * (33 // height) + [33 % height] * (33 % height > 0)


@pytest.mark.parametrize("sigma", [2.0, "median"])
@pytest.mark.parametrize(
    ("kernel", "width", "params"),
    [
        (Kernel("rbf"), 2.0, {"gamma": 1 / 8}),
        (Kernel("rbf", {"gamma": 0.5}), 1.0, {"gamma": 0.5}),
        (Kernel("linear"), None, {}),
        (Kernel("diffusion"), 2.0, None),
    ],
)
def test_spaces_of_kernels(kernel, width, params, sigma):
    found, used, gram = make_space(ROWS, kernel, sigma, n_components=2)
    np.testing.assert_array_equal(gram, found.gram)
    if sigma == "median":
        # Distances are 1, 3, 9, 10, 2, 8, 9, 6, 7 and 1; those of the walk count pairs twice.
        walk = Walk.of(ROWS, 2)
        # A kernel with γ has the width that it means: 1 / 2σ² = 0.5.
        others = {None: None, 1.0: 1.0}
        width = others.get(width, walk.median_width() if params is None else 6.5)
        if params == {"gamma": 1 / 8}:
            params = {"gamma": gamma_of(6.5)}
    assert used == width
    assert found.coordinates.shape == (5, 2)
    if params is None:
        np.testing.assert_allclose(found.gram, Walk.of(ROWS, 2).space(used).gram)
        return
    squared = ((ROWS[:, None] - ROWS) ** 2).sum(axis=2)
    expected = np.exp(-params["gamma"] * squared) if params else ROWS @ ROWS.T
    np.testing.assert_allclose(found.gram, expected, atol=1e-12)
    assert found.params == params


# Objectives --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("at_once", "n_blocks"), [(1, 5), (20, 3), (2**21, 1)])
def test_distances_of_the_gaussian_kernel(monkeypatch, at_once, n_blocks):
    monkeypatch.setattr(objectives, "_DIFFERENCES_AT_ONCE", at_once)
    taken = []

    class Noted(np.ndarray):
        def __getitem__(self, key):
            if isinstance(key, tuple) and isinstance(key[0], slice):
                taken.append(key[0])
            return np.asarray(self)[key]

    rows = ROWS + np.outer([0.0, 0.5, 1.0, 0.0, 2.0], [0.0, 1.0])
    found = InputObjective(rows.view(Noted), 2, gamma=0.5)
    squared = ((rows[:, None] - rows) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.distances, 2.0 * (1.0 - np.exp(-0.5 * squared)))
    assert len(taken) == n_blocks
    assert found.n_threads == 1


def test_first_positions_are_rows():
    objective = InputObjective(ROWS, 3, gamma=0.5)
    found = objective.initial(np.random.default_rng(2), 50)
    rng = np.random.default_rng(2)
    thresholds, chosen = rng.random((50, 3)), rng.integers(5, size=(50, 3))
    assert found.shape == (50, 3 + 6)
    assert found[:, :3].tolist() == thresholds.tolist()
    centers = found[:, 3:].reshape(50, 3, 2)
    # Column 0 is divided by its span, 10; the other is constant, and 0.
    assert centers[:, :, 0].tolist() == (ROWS[chosen, 0] / 10.0).tolist()
    assert (centers[:, :, 1] == 0.0).all()
    assert objective.low.tolist() == [0.0, 7.0]
    assert objective.span.tolist() == [10.0, 0.0]
    narrow = InputObjective(ROWS / 20.0, 3, gamma=0.5)
    again = narrow.initial(np.random.default_rng(2), 50)
    np.testing.assert_allclose(again, found)


def test_fitness_is_the_inverse_of_the_measure(monkeypatch):
    objective = SpaceObjective(KernelSpace.of(ROWS, "linear", {}, 2), 3)
    assert (objective.steps, objective.least, objective.n_threads) == (1, 2, 1)
    counts, measures = np.array([2, 0, 3]), np.array([0.5, np.inf, 0.0])
    monkeypatch.setattr(objective, "evaluate_part", lambda positions: (counts, measures))
    found = objective(np.zeros((3, 9)))
    assert found.fitness.tolist() == [1.0 / 0.5002, 0.0, 1.0 / 0.0002]
    assert found.details == {"n_clusters": counts}


# Searches ----------------------------------------------------------------------------------------


def test_the_space_of_a_search():
    def space(kernel, sigma, rows=ROWS, walk=None):
        return CenterSearch(kernel, sigma, 3, MEPSO(), 4).space(rows, walk, 2.0)

    squared = ((ROWS[:, None] - ROWS) ** 2).sum(axis=2)
    np.testing.assert_allclose(space(Kernel("rbf"), 2.0).gram, np.exp(-squared / 8.0))
    given = space(Kernel("rbf", {"gamma": 0.75}), 2.0)
    np.testing.assert_allclose(given.gram, np.exp(-0.75 * squared))
    linear = space(Kernel("linear"), 2.0)
    np.testing.assert_allclose(linear.gram, ROWS @ ROWS.T)
    assert linear.coordinates.shape == (5, 3)
    walk = Walk.of(ROWS, 2)
    assert space(Kernel("diffusion"), 2.0, walk=walk).sigma == 2.0


@pytest.mark.parametrize("repairs", ["decoded", "printed"])
def test_a_search_for_centres_among_the_rows(monkeypatch, repairs):
    asked, checked = [], []
    monkeypatch.setattr(search, "check_swarm", lambda *given: checked.append(given))

    def move(objective, swarm, positions, rng, *, title, n_evaluations_before):
        asked.append((objective, swarm, positions, rng.random()))
        position = np.array([0.9, 0.8, 0.1, 0.95, 0.5, 0.1, 0.5, 0.5, 0.5])
        return SimpleNamespace(position=position, fitness=1.0, n_evaluations=7)

    given = CenterSearch(
        Kernel("rbf"), 2.0, 3, MEPSO(), 4, centers=InputCenters(repairs), n_threads=2
    )
    found = search_input_centers(ROWS, given, 3, move)
    objective, swarm, positions, draw = asked[0]
    assert type(objective) is (PrintedObjective if repairs == "printed" else InputObjective)
    assert (objective.gamma, objective.n_threads) == (1 / 8, 2)
    assert isinstance(swarm, RepairedMEPSO if repairs == "printed" else MEPSO)
    assert checked == [(4, 3 * (1 + 2))]
    rng = np.random.default_rng(3)
    assert positions.tolist() == objective.initial(rng, 4).tolist()
    assert draw == rng.random()
    assert found.labels.tolist() == [0, 0, 0, 1, 1]
    assert objective.labels_of(found.best.position).tolist() == [1, 1, 1, 0, 0]
    np.testing.assert_allclose(found.reference, [[1.0, 7.0], [9.5, 7.0]])


@pytest.mark.parametrize("is_polished", [True, False])
def test_labels_are_polished_on_request(monkeypatch, is_polished):
    asked = []

    def polish(gram, labels, least):
        asked.append((gram.shape, labels.tolist(), least))
        return np.array([2, 2, 0, 0, 1])

    def move(objective, swarm, positions, rng, **given):
        return SimpleNamespace(position=positions[0], fitness=0.0, n_evaluations=1)

    monkeypatch.setattr(search, "polish", polish)
    centers = FeatureCenters(polish=is_polished)
    given = CenterSearch(Kernel("rbf"), 2.0, 3, MEPSO(), 4, centers=centers)
    found = search_feature_centers(ROWS, given, 5, move)
    assert found.labels.tolist() == ([0, 0, 1, 1, 2] if is_polished else [0] * 5)
    assert asked == [((5, 5), [0] * 5, 2)] * is_polished
    assert given.n_threads == 1
    fit = [search.WidthResult(1.0, np.array([0, 0, 1, 1]), value) for value in (0.5, 0.25)]
    other = search.WidthResult(1.0, np.array([0, 1, 0, 1]), 0.75)
    assert search.most_stable([*fit, other]) == 0


def test_every_width_has_the_same_random_numbers():
    asked = []

    def move(objective, swarm, positions, rng, *, title, n_evaluations_before):
        asked.append((positions[:, :3].tolist(), rng.random(), objective.steps, objective.least))
        return SimpleNamespace(position=positions[0], fitness=1.0, n_evaluations=1)

    found = search_feature_centers(
        ROWS, CenterSearch(Kernel("rbf"), "stability", 3, MEPSO(), 4), 5, move
    )
    assert len(asked) == 10
    assert all(each == asked[0] for each in asked)
    assert asked[0][2:] == (1, 2)
    assert found.sigma in search.candidate_widths(ROWS, Kernel("rbf"), "stability", None)
    squared = ((ROWS[:, None] - ROWS) ** 2).sum(axis=2)
    np.testing.assert_allclose(
        found.reference.gram, np.exp(-gamma_of(found.sigma) * squared), atol=1e-12
    )
