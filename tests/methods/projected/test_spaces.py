"""Rows, dense and sparse: the product against the definition, rounds against slow ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from weft.backends.cpu.projected import refill
from weft.datasets import make_subspace_clusters
from weft.methods.projected.criteria import OBJECTIVES, Criterion, shares_of
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.objectives import PartitionObjective, WeightObjective
from weft.methods.projected.sparse import SparseSpace
from weft.methods.projected.starts import draw_partitions, draw_rows, draw_weights
from weft.parallel.threads import thread_runner


def dense_space(X, k, name="psovw", floor=1e-4, n_jobs=1, exponent=8.0):
    criterion = Criterion(name, exponent, 5.0, floor * X.var(axis=0) * len(X) / k)
    with thread_runner(n_jobs) as run:
        return DenseSpace(X, k, criterion, run)


@pytest.fixture(scope="module")
def table():
    return make_subspace_clusters(120, n_features=20, n_clusters=4, random_state=0).data


def brute_distances(X, factors, centers):
    return np.array(
        [[(f * (x - z) ** 2).sum() for f, z in zip(factors, centers, strict=True)] for x in X]
    )


@pytest.mark.parametrize("exact", [True, False])
def test_assignment_is_the_definition(table, exact):
    space = dense_space(table, 4)
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 1, size=(6, 4, 20))
    centers = space.X[draw_rows(space, 6, "random", rng)]
    factors = space.criterion.factors(shares_of(weights))
    labels, _ = space.assign(factors, centers, np.zeros((6, 4), dtype=bool), exact=exact)
    for p in range(6):
        slow = brute_distances(space.X, factors[p], centers[p])
        np.testing.assert_array_equal(labels[p], slow.argmin(axis=1))


@pytest.mark.parametrize("scale", [1e-140, 1e-9, 1.0, 1e9, 1e140])
def test_single_precision_survives_any_unit(table, scale):
    X = table * scale * np.logspace(-6, 6, 20)  # columns in units of their own, too
    space = dense_space(X, 4, floor=0.0)
    labels = draw_partitions(space, 5, "random", "near-one", np.random.default_rng(1))
    sizes, centers, spread = space.summarise(labels)
    factors = space.criterion.factors(space.criterion.weights(spread, sizes))
    quick = space.assign(factors, centers, sizes == 0)[0]
    exact = space.assign(factors, centers, sizes == 0, exact=True)[0]
    assert (quick == exact).mean() > 0.999


def test_a_dead_centre_gets_nobody(table):
    space = dense_space(table, 4)
    centers = np.tile(space.X[:4], (1, 1, 1))
    dead = np.array([[False, True, False, False]])
    labels, _ = space.assign(np.ones((1, 4, 20)), centers, dead)
    assert not (labels == 1).any()


def test_summary_is_the_definition(table):
    space = dense_space(table, 4)
    labels = np.random.default_rng(0).integers(-1, 4, size=(3, 120)).astype(np.int32)
    sizes, centers, spread = space.summarise(labels)
    for p in range(3):
        for k in range(4):
            rows = space.X[labels[p] == k]
            assert sizes[p, k] == len(rows)
            np.testing.assert_allclose(centers[p, k], rows.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(
                spread[p, k], ((rows - rows.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-9
            )


@pytest.mark.parametrize("name", ["psovw", "wkmeans", "ewkm"])
def test_rounds_never_make_it_worse(table, name):
    # LAC's printed assignment and objective do not agree, so it may rise there.
    space = dense_space(table, 4, name)
    labels = draw_partitions(space, 8, "random", "near-one", np.random.default_rng(0))
    before = -np.inf
    for n_rounds in range(6):
        fitness = space.settle(labels, n_rounds, exact=True).fitness
        assert (fitness >= before - 1e-9 * np.abs(fitness)).all()
        before = fitness


def test_settled_partitions_stay(table):
    space = dense_space(table, 4)
    labels = draw_partitions(space, 8, "k-means++", "near-one", np.random.default_rng(0))
    settled = space.settle(labels, 300)
    again = space.settle(settled.labels, 300)
    np.testing.assert_array_equal(settled.labels, again.labels)
    np.testing.assert_allclose(settled.fitness, again.fitness)


def test_rows_without_a_cluster_find_one(table):
    space = dense_space(table, 4)
    labels = np.zeros((1, 120), dtype=np.int32)
    labels[0, ::2] = -1
    labels[0, 1::4] = 1
    settled = space.settle(labels, 1)
    assert (settled.labels >= 0).all()
    assert len(np.unique(settled.labels)) == 4  # the two empty ones got rows


def test_refill_by_hand():
    labels = np.array([0, 0, 0, 2], dtype=np.int32)
    refill(labels, np.array([1.0, 5.0, 2.0, 9.0]), 3)
    # row 3 costs most but is alone; row 1 is next
    np.testing.assert_array_equal(labels, [0, 1, 0, 2])
    labels = np.array([0, 0, 0], dtype=np.int32)
    refill(labels, np.zeros(3), 3)  # equal rows: nobody moves
    np.testing.assert_array_equal(labels, [0, 0, 0])


@pytest.mark.parametrize("name", OBJECTIVES)
def test_evaluation_of_weights_is_the_printed_one(table, name):
    """Assign by eq. 16, centres by eq. 17, then eq. 14 (or 9, 6, 1), with loops."""
    space = dense_space(table, 3, name, floor=0.0)
    rng = np.random.default_rng(3)
    n_groups = 1 if name == "wkmeans" else 3
    positions = rng.uniform(size=(4, n_groups * 20))
    centers = space.X[rng.integers(120, size=(4, 3))]
    objective = WeightObjective(space, centers, n_groups, np.random.default_rng(0))
    fitness = objective(positions).fitness
    for p in range(4):
        w = positions[p].reshape(n_groups, 20)
        w = np.broadcast_to(w / w.sum(axis=1, keepdims=True), (3, 20))
        powers = (20 * w) ** 8.0 if name in ("psovw", "wkmeans") else w
        labels = brute_distances(space.X, powers, centers[p]).argmin(axis=1)
        total = 0.0
        for k in range(3):
            rows = space.X[labels == k]
            if len(rows) == 0:
                continue
            spread = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
            total += (powers[k] * spread / (len(rows) if name == "lac" else 1.0)).sum()
        if name in ("lac", "ewkm"):
            total += 5.0 * (w * np.log(w)).sum()
        assert -fitness[p] == pytest.approx(total, rel=1e-6)


def test_a_matrix_outside_the_walls_is_neglected(table):
    space = dense_space(table, 3, "psovw", floor=0.0)
    rng = np.random.default_rng(3)
    positions = rng.uniform(size=(4, 60))
    positions[1, 7] = 1.0 + 1e-12
    positions[2, 59] = -1e-300
    positions[3, :2] = 0.0, 1.0  # the walls themselves are within
    centers = space.X[rng.integers(120, size=(4, 3))]
    objective = WeightObjective(space, centers, 3, np.random.default_rng(0))
    found = objective(positions)
    np.testing.assert_array_equal(np.isneginf(found.fitness), [False, True, True, False])
    np.testing.assert_array_equal(found.details["n_clusters"] > 0, [True, False, False, True])
    # those outside keep their centres, those inside get what they would get without the others
    np.testing.assert_array_equal(objective.centers[1:3], centers[1:3])
    alone = WeightObjective(space, centers[[0, 3]], 3, np.random.default_rng(0))
    np.testing.assert_array_equal(alone(positions[[0, 3]]).fitness, found.fitness[[0, 3]])
    np.testing.assert_array_equal(alone.centers, objective.centers[[0, 3]])
    assert objective.best.fitness == found.fitness.max()
    # nobody within: nothing happens
    before = objective.best, objective.centers.copy()
    assert np.isneginf(objective(positions + 2.0).fitness).all()
    assert objective.best is before[0]
    np.testing.assert_array_equal(objective.centers, before[1])


def test_positions_become_the_improved_partitions(table):
    space = dense_space(table, 4)
    labels = draw_partitions(space, 3, "random", "near-one", np.random.default_rng(0))
    drawn = []

    def draw(count):
        drawn.append(count)
        return labels[:count]

    positions = labels.astype(float)
    positions[1] = -1.0  # asks for a new start
    evaluation = PartitionObjective(space, 2, draw)(positions)
    assert drawn == [1]
    expected = space.settle(np.stack([labels[0], labels[0], labels[2]]), 2)
    np.testing.assert_array_equal(positions, expected.labels)
    np.testing.assert_array_equal(evaluation.fitness, expected.fitness)


def test_bits_do_not_depend_on_threads(table):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 30))  # several blocks of rows
    found = []
    for n_jobs in (1, 2, 3):
        criterion = Criterion("psovw", 8.0, 1.0, np.zeros(30))
        with thread_runner(n_jobs) as run:
            space = DenseSpace(X, 5, criterion, run)
            labels = draw_partitions(space, 7, "k-means++", "near-one", np.random.default_rng(1))
            found.append(space.settle(labels, 5))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].labels, other.labels)
        np.testing.assert_array_equal(found[0].fitness, other.fitness)


# -- text --------------------------------------------------------------------------------------


def sparse_space(X, k, exponent=1.0):
    with thread_runner(1) as run:
        return SparseSpace(csr_array(X), k, exponent, run)


def brute_jaccard(x, z, w, beta):
    a, c, b = w**beta * x, w**beta * z, (w ** (2 * beta) * x * z).sum()
    below = (a**2).sum() + (c**2).sum() - b
    return b / below if below > 0 else 0.0


@pytest.mark.parametrize("beta", [1.0, 8.0])
def test_similarity_is_the_definition(beta):
    rng = np.random.default_rng(0)
    X = random_array((30, 25), density=0.15, rng=rng, format="csr")
    space = sparse_space(X, 3, beta)
    weights, centers = rng.uniform(size=(3, 25)), rng.uniform(size=(3, 25))
    centers[2] = 0.0
    dense = X.toarray()
    slow = [
        [brute_jaccard(x, z, w, beta) for z, w in zip(centers, weights, strict=True)] for x in dense
    ]
    np.testing.assert_allclose(space.similarities(weights, centers), slow, atol=1e-12)
    plain = [[brute_jaccard(x, z, np.ones(25), 1.0) for z in centers] for x in dense]
    np.testing.assert_allclose(space.similarities(None, centers), plain, atol=1e-12)


def test_similarity_by_hand():
    space = sparse_space(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), 2)
    centers = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    # itself: 2/(2+2-2) = 1; half of it: 1/(2+1-1) = 1/2; nothing in common: 0; empty row: 0
    np.testing.assert_allclose(space.similarities(None, centers), [[1, 0.5], [0, 0], [0, 0]])


def test_scale_of_the_weights_cancels():
    rng = np.random.default_rng(0)
    space = sparse_space(random_array((20, 15), density=0.3, rng=rng, format="csr"), 2, 8.0)
    weights, centers = rng.uniform(size=(2, 15)), rng.uniform(size=(2, 15))
    np.testing.assert_allclose(
        space.similarities(weights, centers), space.similarities(1e-30 * weights, centers)
    )


def test_text_rounds_never_take_longer_than_needed():
    rng = np.random.default_rng(0)
    X = random_array((60, 40), density=0.1, rng=rng, format="csr")
    space = sparse_space(X, 3)
    labels = draw_partitions(space, 4, "k-means++", "near-one", rng)
    settled = space.settle(labels, 100)
    again = space.settle(settled.labels, 100)
    np.testing.assert_array_equal(settled.labels, again.labels)
    centers = space.means(settled.labels[0])
    own = space.similarities(None, centers)[np.arange(60), settled.labels[0]]
    assert settled.fitness[0] == pytest.approx(own.sum())


def test_empty_documents_and_empty_norms():
    X = csr_array((4, 3))
    space = sparse_space(X, 2)
    np.testing.assert_array_equal(space.norms, np.zeros(4))
    X = csr_array(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(sparse_space(X, 2).norms, [0.0, 25.0, 0.0, 1.0, 0.0])


# -- starts ------------------------------------------------------------------------------------


def test_starts_are_different_rows(table):
    space = dense_space(table, 4)
    for init in ("random", "k-means++"):
        rows = draw_rows(space, 50, init, np.random.default_rng(0))
        assert rows.shape == (50, 4)
        assert all(len(set(row)) == 4 for row in rows.tolist())


def test_plus_plus_reaches_every_far_cluster():
    # Four points far apart, many times each: any start that misses one is all but impossible.
    X = np.repeat(np.array([[0.0, 0.0], [0.0, 100.0], [100.0, 0.0], [100.0, 100.0]]), 25, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    for space in (dense_space(X, 4), sparse_space(X, 4)):
        rows = draw_rows(space, 20, "k-means++", np.random.default_rng(0))
        assert all(set(row // 25) == {0, 1, 2, 3} for row in rows)


def test_equal_rows_still_give_a_start():
    space = dense_space(np.ones((10, 3)), 4)
    assert draw_rows(space, 3, "k-means++", np.random.default_rng(0)).shape == (3, 4)


def test_weight_starts():
    near = draw_weights((1000,), "near-one", np.random.default_rng(0))
    assert near.min() >= 0.9
    uniform = draw_weights((1000,), "uniform", np.random.default_rng(0))
    assert uniform.min() < 0.05
    assert uniform.max() > 0.95
