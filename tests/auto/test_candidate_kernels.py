"""Compiled loops behind the candidates, against naive versions and other libraries."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.optimize import linprog
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from weft.auto.candidates.centres import kmeans_labels, mixture_labels
from weft.auto.candidates.density import dbscan_labels, hdbscan_labels, without_small
from weft.auto.candidates.graphs import piece_candidates, symmetric_edges
from weft.auto.candidates.trees import (
    cuts,
    flooded,
    genie_edges,
    large_cuts,
    linkage_edges,
    linkage_edges_of,
)
from weft.auto.kernels.density import hdbscan
from weft.auto.kernels.dip import dip
from weft.auto.kernels.graphs import (
    communities,
    merge_pieces,
    mutual_components,
    shared_neighbours,
)
from weft.auto.kernels.ordering import SHORT, put_in_order
from weft.auto.kernels.partitions import leaders, rand_between
from weft.auto.working import MIN_SAMPLES, prepare


def same(first, second):
    return adjusted_rand_score(first, second) == pytest.approx(1.0)


def gini(sizes):
    k = len(sizes)
    spread = sum(abs(a - b) for i, a in enumerate(sizes) for b in sizes[:i])
    return spread / ((k - 1) * sum(sizes))


def naive_genie(distances, threshold, n_clusters):
    """Genie by its definition: single linkage between all clusters at every step."""
    groups = [{i} for i in range(len(distances))]
    while len(groups) > n_clusters:
        sizes = [len(g) for g in groups]
        forced = gini(sizes) > threshold
        best = None
        for a in range(len(groups)):
            for b in range(a):
                if forced and min(sizes[a], sizes[b]) > min(sizes):
                    continue
                gap = min(distances[i, j] for i in groups[a] for j in groups[b])
                if best is None or gap < best[0]:
                    best = (gap, a, b)
        _, a, b = best
        groups[b] |= groups.pop(a)
    labels = np.empty(len(distances), dtype=int)
    for number, group in enumerate(groups):
        labels[list(group)] = number
    return labels


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_genie_is_its_definition(threshold, seed):
    X = np.random.default_rng(seed).standard_normal((40, 2)) ** 3
    prepared = prepare(X, 0)
    counts = np.array([2, 3, 5, 8, 15])
    found = cuts(genie_edges(prepared.trees[0].edges, threshold), counts)
    for k, labels in zip(counts, found, strict=True):
        assert same(labels, naive_genie(prepared.distances, threshold, k))


@pytest.mark.parametrize("method", ["ward", "average", "complete"])
def test_cuts_are_scipys(method):
    prepared = prepare(np.random.default_rng(0).standard_normal((70, 3)), 0)
    counts = np.array([2, 5, 11, 40])
    expected = cut_tree(linkage(prepared.points, method), counts)
    found = cuts(linkage_edges(prepared, method), counts)
    for column, labels in enumerate(found):
        assert same(labels, expected[:, column])


@pytest.mark.parametrize("method", ["ward", "average", "complete"])
@pytest.mark.parametrize("n_rows", [2, 3, 9, 40, 120])
@pytest.mark.parametrize("tied", [False, True])
def test_merges_are_scipys_in_their_order(method, n_rows, tied):
    rng = np.random.default_rng(n_rows)
    # Whole numbers: many distances are equal, and some rows too.
    X = rng.integers(0, 4, (n_rows, 2)).astype(float) if tied else rng.normal(size=(n_rows, 3))
    distances = squareform(pdist(X))
    kept = distances.copy()
    rows_of = [{row} for row in range(n_rows)]
    found = linkage_edges_of(distances, method)
    np.testing.assert_array_equal(distances, kept)
    merges = linkage(pdist(X), method)[:, :2].astype(int)
    for (left, right), edge in zip(merges, found.tolist(), strict=True):
        assert edge[0] in rows_of[left]
        assert edge[1] in rows_of[right]
        rows_of.append(rows_of[left] | rows_of[right])


@pytest.mark.parametrize("far", [np.inf, np.nan])
@pytest.mark.parametrize("method", ["ward", "average", "complete"])
def test_distances_that_are_not_finite_still_give_a_tree(method, far):
    # Two pairs at distance 1, everything else infinitely far: the pairs merge first.
    distances = np.full((4, 4), far)
    np.fill_diagonal(distances, 0.0)
    for i, j in ((0, 2), (1, 3)):
        distances[i, j] = distances[j, i] = 1.0
    edges = linkage_edges_of(distances, method)
    assert sorted(map(sorted, edges[:2].tolist())) == [[0, 2], [1, 3]]
    labels = cuts(edges, np.array([1, 2]))
    assert labels.tolist() == [[0, 0, 0, 0], [0, 1, 0, 1]]


def test_large_cuts_leave_small_clusters_out():
    # two groups of four with an outlier far away: single linkage cuts off the outlier first
    X = np.array([0.0, 1, 2, 3, 10, 11, 12, 13, 40])[:, None]
    prepared = prepare(X, 0)
    labels = large_cuts(prepared.trees[0].edges, np.array([2, 3]), 3)
    assert prepared.restore(labels[0]).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, -1]
    assert (labels[1] == -2).all()  # no cut has three clusters of three rows
    whole = prepared.restore(flooded(prepared.trees[0].edges, labels[0]))
    assert whole.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("size", [5, 12, 25])
@pytest.mark.parametrize("which", [1, 2])
def test_hdbscan_is_scikit_learns(method, size, which):
    tables = (
        make_moons(300, noise=0.08, random_state=0)[0],
        make_blobs(300, 3, centers=5, cluster_std=1.5, random_state=1)[0],
        np.random.default_rng(2).standard_normal((200, 2)),
    )
    for X in tables:
        prepared = prepare(X, 0)
        model = HDBSCAN(
            min_cluster_size=size,
            min_samples=MIN_SAMPLES[which],
            cluster_selection_method=method,
            copy=True,
        )
        expected = model.fit(prepared.points).labels_
        merges = model._single_linkage_tree_
        tree = prepared.trees[which]
        assert tree.lengths == pytest.approx(merges["value"])
        # Many merges have the same length, so their order is free: given scikit-learn's order,
        # the labels are the same; with our own, leaves may differ where there is only noise.
        n = len(X)
        children = np.column_stack([merges["left_node"], merges["right_node"]]).astype(np.int64)
        sizes = np.concatenate([np.ones(n), merges["cluster_size"]]).astype(np.int64)
        found = np.empty((2, n), dtype=np.int64)
        hdbscan(children, tree.lengths, sizes, size, found[0], found[1])
        labels = found[int(method == "leaf")]
        assert same(labels, expected)
        assert ((labels < 0) == (expected < 0)).all()
        if method == "eom":
            assert adjusted_rand_score(hdbscan_labels(tree, size)[0], expected) > 0.95


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
def test_dbscan_has_scikit_learns_core_rows(quantile):
    X = make_moons(300, noise=0.1, random_state=3)[0]
    prepared = prepare(X, 0)
    radius = float(np.quantile(prepared.cores[1], quantile))
    model = DBSCAN(eps=radius, min_samples=MIN_SAMPLES[1]).fit(prepared.points)
    found = dbscan_labels(prepared, 1, radius)
    # border rows may lie within reach of several clusters; noise and core rows are defined
    assert ((found < 0) == (model.labels_ < 0)).all()
    core = model.core_sample_indices_
    assert same(found[core], model.labels_[core])


def test_kmeans_reaches_scikit_learns_inertia():
    X = np.random.default_rng(0).standard_normal((300, 3))
    labels = kmeans_labels(X, np.arange(300) % 4, 4, np.random.default_rng(0))
    inertia = sum(((X[labels == c] - X[labels == c].mean(0)) ** 2).sum() for c in range(4))
    assert inertia <= 1.03 * KMeans(4, n_init=10, random_state=0).fit(X).inertia_


@pytest.mark.parametrize("kind", ["full", "tied", "diagonal"])
def test_mixtures_are_scikit_learns(kind):
    X, _ = make_blobs(400, 3, centers=3, cluster_std=1.2, random_state=1)
    X = (X - X.mean(0)) / X.std(0)
    name = "diag" if kind == "diagonal" else kind
    model = GaussianMixture(3, covariance_type=name, n_init=3, random_state=0).fit(X)
    labels, likelihood = mixture_labels(X, KMeans(3, random_state=0).fit(X).labels_, 3, kind)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.97
    constant = 0.5 * 3 * np.log(2 * np.pi)
    assert likelihood / 400 - constant == pytest.approx(model.score(X), abs=0.02)


def modularity(graph, labels, resolution=1.0):
    dense = graph.toarray()
    degrees = dense.sum(0)
    together = labels[:, None] == labels
    return ((dense - resolution * np.outer(degrees, degrees) / dense.sum()) * together).sum()


def test_communities_of_cliques_and_no_single_move_is_better():
    rng = np.random.default_rng(0)
    X, _ = make_blobs(120, 2, centers=4, cluster_std=1.5, random_state=5)
    prepared = prepare(X, 0)
    shares = np.empty((120, 10))
    shared_neighbours(prepared.neighbours, 10, shares)
    graph = symmetric_edges(prepared.neighbours, shares)
    for resolution in (0.3, 1.0, 3.0):
        labels = np.empty(120, dtype=np.int64)
        k = communities(
            graph.indptr.astype(np.int64),
            graph.indices.astype(np.int64),
            graph.data,
            resolution,
            rng.permutation(120),
            labels,
        )
        assert k == labels.max() + 1
        best = modularity(graph, labels, resolution)
        assert best >= modularity(graph, np.arange(120), resolution)
        for first, second in pairwise(range(k)):
            merged = np.where(labels == second, first, labels)
            assert best >= modularity(graph, merged, resolution) - 1e-9


def test_shared_neighbours_by_hand():
    # 0 and 1 are each other's nearest: {0, 1} and {1, 0} are the same set; 2's is {2, 1}
    out = np.empty((3, 1))
    shared_neighbours(np.array([[1], [0], [1]]), 1, out)
    assert out.ravel().tolist() == pytest.approx([1.0, 1.0, 1 / 3])


def test_mutual_neighbours_by_hand():
    # on a line 0, 1, 3, 4 the nearest of 1 is 0 and of 3 is 4
    labels = np.empty(4, dtype=np.int64)
    assert mutual_components(np.array([[1], [0], [3], [2]]), 1, labels) == 2
    assert labels.tolist() == [0, 0, 1, 1]


def test_rand_indices_are_scikit_learns():
    labels = np.random.default_rng(0).integers(-1, 4, (6, 80))
    out, both = np.empty((6, 6)), np.empty((6, 6))
    rand_between(labels, labels, True, out)
    rand_between(labels, labels.copy(), False, both)
    assert (out == both).all()
    for i in range(6):
        for j in range(6):
            assert out[i, j] == pytest.approx(adjusted_rand_score(labels[i], labels[j]))


def test_rand_indices_of_more_labels_than_rows():
    # rows of part of a table keep the numbers of its clusters; no pair is together in either
    labels = np.array([[9, 3, 7], [0, 11, 4], [0, 0, 5]])
    out = np.empty((3, 3))
    rand_between(labels, labels, True, out)
    assert out.tolist() == [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_leaders_are_the_first_of_their_like():
    labels = np.repeat([[0, 1, 2, 3]], 25, axis=0).T.ravel()
    nearly = labels.copy()
    nearly[0] = 1  # an index of about .97
    other = np.arange(100) % 2
    out = np.empty(4, dtype=np.int64)
    leaders(np.stack([labels, other, nearly, labels]), 0.9, out)
    assert out.tolist() == [0, 1, 0, 0]
    leaders(np.stack([labels, other, nearly, labels]), 0.99, out)
    assert out.tolist() == [0, 1, 2, 0]


def dip_by_definition(x):
    """Smallest distance to a distribution that is convex, then concave, by linear programmes.

    Variables are the values of a continuous distribution at the data, and the distance. The mode
    is at a data point, where the distribution may jump.
    """
    n = len(x)
    smallest = np.inf
    for mode in range(n):
        # g (n,) at the data from the left, h at the mode from the right, distance t
        size = n + 2
        rows, bounds = [], []

        def value(i, right=False, size=size, mode=mode):
            row = np.zeros(size)
            row[n if right and i == mode else i] = 1.0
            return row

        t = np.zeros(size)
        t[-1] = 1.0
        for i in range(n):
            # below x_i the empirical distribution is i / n, from it on (i + 1) / n
            for row, level in ((value(i), i / n), (value(i, right=True), (i + 1) / n)):
                rows += [row - t, -row - t]
                bounds += [level, -level]
            if i != mode:
                for level in (i / n, (i + 1) / n):
                    rows += [value(i) - t, -value(i) - t]
                    bounds += [level, -level]

        def slope(i, j, right=False, value=value):
            return (value(j) - value(i, right)) / (x[j] - x[i])

        for i in range(1, mode):
            rows.append(slope(i - 1, i) - slope(i, i + 1))
            bounds.append(0.0)
        for i in range(mode + 1, n - 1):
            rows.append(slope(i, i + 1) - slope(i - 1, i, right=i - 1 == mode))
            bounds.append(0.0)
        rows.append(value(mode) - value(mode, right=True))
        bounds.append(0.0)
        for i in range(n - 1):
            rows.append(value(i, right=True) - value(i + 1))
            bounds.append(0.0)
        result = linprog(t, np.array(rows), np.array(bounds), bounds=[(0, 1)] * n + [(0, 1)] * 2)
        assert result.success
        smallest = min(smallest, result.fun)
    return smallest


@pytest.mark.parametrize("seed", range(12))
def test_dip_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 14))
    x = np.sort(rng.standard_normal(n) + (rng.random(n) < 0.5) * rng.integers(0, 6))
    assert dip(x) == pytest.approx(dip_by_definition(x), abs=1e-9)


def test_dip_of_known_samples():
    assert dip(np.arange(50.0)) == pytest.approx(1 / 100)  # evenly spaced: the least, 1 / (2 n)
    assert dip(np.zeros(10)) == pytest.approx(1 / 20)
    assert dip(np.repeat([0.0, 1.0], 500)) == pytest.approx(0.25, abs=1e-3)  # two points: 1 / 4
    assert dip(np.array([1.0])) == 0.5


def test_pieces_merge_by_links_then_by_gaps():
    # pieces 0-1 have most links for their degrees, 3 has none and is nearest to 2
    links = np.array(
        [[4.0, 3, 1, 0], [3, 4, 1, 0], [1, 1, 9, 0], [0, 0, 0, 5]],
    )
    gaps = np.array([[0.0, 1, 2, 9], [1, 0, 2, 8], [2, 2, 0, 5], [9, 8, 5, 0]])
    out = np.empty((3, 2), dtype=np.int64)
    merge_pieces(links, gaps, out)
    assert out.tolist() == [[0, 1], [0, 2], [0, 3]]


def test_pieces_of_two_curves_rejoin():
    X, y = make_moons(400, noise=0.06, random_state=0)
    prepared = prepare(X, 0)
    found = piece_candidates(prepared, np.array([2, 3]), linkage_edges(prepared, "ward"))
    assert [raw.name for raw in found] == ["pieces:2", "pieces:3"]
    assert adjusted_rand_score(prepared.restore(found[0].labels), y) > 0.9


def test_small_clusters_become_outliers():
    labels = np.array([0, 0, 0, 1, 1, -1, 2])
    assert without_small(labels, 2).tolist() == [0, 0, 0, 1, 1, -1, -1]
    assert without_small(labels, 3).tolist() == [0, 0, 0, -1, -1, -1, -1]
    assert without_small(np.full(3, -1), 1).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("kind", ["random", "few values", "rising", "falling", "a peak", "equal"])
def test_numbers_are_put_in_order(kind):
    rng = np.random.default_rng(0)
    # Around the length from which on the array is divided, and lengths with many divisions.
    for n in [*range(2 * SHORT + 3), 100, 1000]:
        values = {
            "random": rng.normal(size=n),
            "few values": rng.integers(-1, 2, n).astype(float),
            "rising": np.arange(n, dtype=float),
            "falling": -np.arange(n, dtype=float),
            "a peak": -np.abs(np.arange(n) - n / 2.0),
            "equal": np.ones(n),
        }[kind]
        expected = np.sort(values)
        put_in_order(values)
        np.testing.assert_array_equal(values, expected)


def test_only_the_given_part_is_put_in_order():
    values = np.array([9.0, 3.0, 1.0, 2.0, 0.0])
    put_in_order(values[1:4])
    assert values.tolist() == [9.0, 1.0, 2.0, 3.0, 0.0]
