"""Pieces that are one cloud, candidates that hold, and the front of other answers."""

import numpy as np
import pytest

from weft.auto.alternatives import Alternative, pareto_front
from weft.auto.joining import are_one_cloud, crossings, join_pieces, shared_neighbours
from weft.auto.judging import Candidate, choose, cluster_stability, stability_of
from weft.columns.weights import explained, subspace_weights
from weft.metrics.graph import edges_between, modularity_of


def candidate(name, labels, score, stability=None, again=()):
    labels = np.asarray(labels)
    return Candidate(
        name, labels, score if stability is None else stability, 0.0, score, list(again)
    )


def test_edges_by_hand():
    # Rows 0, 1 in cluster 0; rows 2, 3 in cluster 1; each names one neighbour: 0→1, 1→0, 2→3, 3→1.
    neighbours = np.array([[1], [0], [3], [1]])
    labels = np.array([0, 0, 1, 1])
    # Inside 0: 0→1 and 1→0, counted from both ends: 4. Inside 1: 2→3: 2. Between: 3→1.
    assert edges_between(labels, neighbours).tolist() == [[4, 1], [1, 2]]
    # 6 of 8 ends inside; volumes 5 and 3: 6/8 - (25 + 9)/64.
    assert modularity_of(labels, neighbours) == pytest.approx(6 / 8 - 34 / 64)
    assert modularity_of(np.zeros(4, dtype=int), neighbours) == 0.0
    assert crossings(labels, neighbours)[0, 1] == pytest.approx(1 / 3)


def test_halves_of_one_cloud_are_joined_and_two_clouds_are_not():
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(200, 4))
    cut = np.argsort(cloud[:, 0])
    assert are_one_cloud(cloud, cut[:100], cut[100:], rng)
    apart = np.vstack([rng.normal(size=(100, 4)), rng.normal(size=(100, 4)) + 8.0])
    assert not are_one_cloud(apart, np.arange(100), np.arange(100, 200), rng)


def test_shared_neighbours_of_two_far_groups_is_none():
    rows = np.vstack([np.zeros((12, 1)) + np.arange(12)[:, None] * 0.01, np.full((12, 1), 100.0)])
    assert shared_neighbours(rows, np.repeat([0, 1], 12)) == 0.0


def test_pieces_join_to_the_two_clouds_that_they_are():
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.normal(size=(120, 3)), rng.normal(size=(120, 3)) + 7.0])
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    neighbours = np.argsort(squared, axis=1)[:, :10]
    side = (np.arange(240) >= 120).astype(int)
    pieces = 3 * side + np.digitize(rows[:, 0] - 7.0 * side, [-0.5, 0.5])
    joined = join_pieces(rows, pieces, neighbours, rng)
    assert joined.max() == 1
    assert len(set(joined[:120])) == 1


def test_stability_and_jaccard_by_hand():
    labels = np.array([0, 0, 1, 1])
    rows = [np.array([0, 1, 2]), np.array([1, 2, 3])]
    again = [np.array([5, 5, 0]), np.array([0, 0, 0])]
    # The first repeats the clusters: 1. The second sees one cluster where there are two: 0.
    assert stability_of(labels, again, rows) == pytest.approx(0.5)
    one = candidate("x", labels, 1.0, again=again)
    # Cluster 0: {0,1} again whole, then 1 of 3 rows: (1 + 1/3)/2. Cluster 1: (1 + 2/3)/2.
    assert cluster_stability(one, rows) == pytest.approx([2 / 3, 5 / 6])


def test_choice():
    three, two, one = [0, 1, 2, 2], [0, 0, 1, 1], [0, 0, 0, 0]
    held = candidate("long", three, 0.9)
    assert choose([held, candidate("graph", two, 0.8)], []) is held
    # Nothing separated holds: the finest steady cut is taken.
    loose = [candidate("long", three, 0.5), candidate("graph", two, 0.4)]
    cuts = [candidate("centres-2", two, 0.99), candidate("centres-3", three, 0.92)]
    assert choose(loose, cuts) is cuts[1]
    # Two halves are not believed where many clusters are seen.
    many = [candidate("long", np.arange(9), 0.5), candidate("graph", np.arange(8), 0.4)]
    assert choose(many, cuts[:1]) is many[0]
    assert choose(loose, cuts[:1]) is cuts[0]
    # One cloud for most members: no clusters.
    assert choose([candidate("a", one, 1.0), candidate("b", one, 1.0), loose[0]], []) is None


def test_explained_share_by_hand():
    # Column 0: means 0 and 2 around 1, no spread within: all between. Column 1: nothing between.
    rows = np.array([[0.0, 1.0], [0.0, -1.0], [2.0, 1.0], [2.0, -1.0]])
    assert explained(rows, np.array([0, 0, 1, 1])) == pytest.approx([1.0, 0.0])


def test_subspaces_by_hand():
    # Cluster 0 is tight along column 0 alone, cluster 1 along column 1 alone.
    rows = np.array([[0.0, -3.0], [0.0, 3.0], [-3.0, 0.0], [3.0, 0.0]])
    assert subspace_weights(rows, np.array([0, 0, 1, 1])) == pytest.approx(np.eye(2))


def test_front_keeps_what_nothing_beats():
    def point(quality, n_features, n_clusters):
        none = np.zeros(0, dtype=int)
        return Alternative(quality, 1.0, n_features, n_clusters, none, none, "x")

    best, small, beaten = point(0.9, 10, 4), point(0.5, 2, 4), point(0.4, 3, 4)
    assert pareto_front([beaten, small, best]) == [best, small]
