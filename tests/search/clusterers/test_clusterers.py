"""Each clusterer against a library that does the same, and on rows that leave it no choice."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
import sklearn.cluster
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.spaces import Space, Table
from weft.backends.spaces import Clustering, Solution
from weft.search.clusterers import CLUSTERERS, make_clusterer
from weft.search.clusterers.affinity import AffinityPropagation
from weft.search.clusterers.dbscan import DBSCAN


def _space(X, *, hold_matrix=True, exponents=None, dtype=np.float64):
    X = np.asarray(X, dtype=float)
    solution = Solution(np.ones(X.shape[1]), exponents)
    table, buffers = Table.of(X), Buffers(hold_matrix=hold_matrix, dtype=dtype)
    return Spaces(Space.of(table, solution, buffers), table)


def _cluster(name, X, *, n_clusters=None, hold_matrix=True, **params):
    clusterer = make_clusterer(name, params, n_clusters=n_clusters, seed=0)
    space = _space(X, hold_matrix=hold_matrix, dtype=clusterer.precision)
    return _only(clusterer.prepare(_space(X)).cluster(space))


def _only(partitions):
    """Return the clustering of the one particle that a CPU space has."""
    anchors, converged = partitions.anchors, partitions.converged
    return Clustering(
        partitions.labels[0],
        np.arange(partitions.labels.shape[1]) if anchors is None else np.flatnonzero(anchors[0]),
        partitions.radius,
        converged is None or bool(converged[0]),
    )


@pytest.fixture(params=range(5))
def X(request):
    rng = np.random.default_rng(request.param)
    centres = rng.uniform(-6, 6, (5, 3))
    return centres[rng.integers(0, 5, 150)] + rng.normal(size=(150, 3))


def _same_partition(labels, expected):
    return adjusted_rand_score(labels, expected) == 1.0


@pytest.mark.parametrize("k", [1, 3, 6])
def test_knn_graph_is_the_components_of_scikit_learns_graph(X, k):
    _, expected = connected_components(kneighbors_graph(X, k), directed=False)
    assert _same_partition(_cluster("knn", X, n_neighbors=k).labels, expected)


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0])
def test_dbscan_agrees_with_scikit_learn_up_to_border_rows(X, eps):
    theirs = sklearn.cluster.DBSCAN(eps=eps, min_samples=5).fit(X)
    ours = _cluster("dbscan", X, eps=eps, min_samples=5)
    np.testing.assert_array_equal(ours.anchors, theirs.core_sample_indices_)
    np.testing.assert_array_equal(ours.labels == -1, theirs.labels_ == -1)
    core = theirs.core_sample_indices_
    if len(core):
        assert _same_partition(ours.labels[core], theirs.labels_[core])


def test_a_border_row_joins_the_nearest_core_row():
    # Six rows at 0 … 0.5, six at 1.7 … 2.2, one at 1.12: within eps 0.65 of the row at 0.5 (0.62
    # away) and of the one at 1.7 (0.58 away), so not core, and nearer to the second group.
    # scikit-learn gives it to whichever group comes first.
    group = np.arange(6) / 10
    X = np.concatenate([group, 1.7 + group, [1.12]])[:, np.newaxis]
    labels = _cluster("dbscan", X, eps=0.65, min_samples=5).labels
    np.testing.assert_array_equal(labels, [0] * 6 + [1] * 7)


@pytest.mark.parametrize("n_clusters", [2, 5, 30, 150])
def test_linkage_agrees_with_scipy(X, n_clusters):
    tree = hierarchy.linkage(pdist(X), "complete")
    expected = hierarchy.fcluster(tree, n_clusters, "maxclust")
    assert _same_partition(_cluster("linkage", X, n_clusters=n_clusters).labels, expected)


def test_affinity_agrees_with_scikit_learn(X):
    ours = _cluster("affinity", X, damping=0.7)
    theirs = sklearn.cluster.AffinityPropagation(damping=0.7, random_state=0).fit(X)
    assert ours.converged
    assert _same_partition(ours.labels, theirs.labels_)
    np.testing.assert_array_equal(ours.anchors, np.sort(theirs.cluster_centers_indices_))


def test_affinity_says_when_it_has_not_settled(X):
    assert not _cluster("affinity", X, max_iter=3).converged


def test_an_object_gets_the_distances(X):
    given = sklearn.cluster.AgglomerativeClustering(n_clusters=4, linkage="average")
    tree = hierarchy.linkage(pdist(X), "average")
    expected = hierarchy.fcluster(tree, 4, "maxclust")
    assert _same_partition(_cluster(given, X).labels, expected)
    given = sklearn.cluster.HDBSCAN(min_cluster_size=8, copy=True)
    expected = given.set_params(metric="precomputed").fit_predict(squareform(pdist(X)))
    assert _same_partition(_cluster(given, X).labels, expected)


@pytest.mark.parametrize("name", CLUSTERERS)
def test_blocks_and_matrix_give_the_same_labels(name, X):
    if name in ("linkage", "affinity"):
        n_clusters = 4 if name == "linkage" else None
        first = _cluster(name, X, n_clusters=n_clusters)
        second = _cluster(name, X, n_clusters=n_clusters, hold_matrix=False)
    else:
        first, second = _cluster(name, X), _cluster(name, X, hold_matrix=False)
    np.testing.assert_array_equal(first.labels, second.labels)


@pytest.mark.parametrize("name", CLUSTERERS)
@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((12, 2)),
        np.repeat([[0.0, 0.0], [5.0, 5.0]], 6, axis=0),
        np.arange(12.0).reshape(-1, 1),
        np.full((12, 1), 1e140) * np.arange(12)[:, np.newaxis],
    ],
    ids=["all equal", "two points", "a line", "huge"],
)
def test_rows_that_leave_no_choice(name, rows):
    clustering = _cluster(name, rows, n_clusters=3 if name == "linkage" else None)
    labels = clustering.labels
    assert labels.shape == (12,)
    assert labels.min() >= -1
    found = labels[labels >= 0]
    # Numbered by first row, without gaps.
    order = list(dict.fromkeys(found.tolist()))
    assert order == sorted(order) == list(range(len(order)))


def test_two_points_repeated_are_two_clusters():
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 6, axis=0)
    expected = np.repeat([0, 1], 6)
    for name in ("knn", "dbscan"):
        np.testing.assert_array_equal(_cluster(name, X).labels, expected)
    np.testing.assert_array_equal(_cluster("linkage", X, n_clusters=2).labels, expected)


@pytest.mark.parametrize(
    ("name", "params", "n_clusters", "sentence"),
    [
        ("kmeans", {}, None, "'kmeans' is not known; choose one of 'knn'"),
        ("knn", {"k": 3}, None, "no parameter 'k'; it takes: n_neighbors"),
        ("knn", {"n_neighbors": 0}, None, "n_neighbors=0 must be at least 1"),
        ("knn", {"n_neighbors": 12}, None, "needs more than 12 samples, got 12; lower n_neighbors"),
        ("dbscan", {"eps": -1.0}, None, "eps=-1.0 must be a finite number above 0"),
        ("dbscan", {"min_samples": 13}, None, "at least 13 samples, got 12"),
        ("linkage", {}, None, "pass n_clusters=K"),
        ("linkage", {}, 13, "n_clusters=13 is more than the 12 samples"),
        ("affinity", {"damping": 0.2}, None, "damping=0.2 must be"),
    ],
)
def test_wrong_settings_are_named(name, params, n_clusters, sentence):
    with pytest.raises(ValueError, match=sentence):
        _cluster(name, np.zeros((12, 2)), n_clusters=n_clusters, **params)


def test_an_object_without_distances_is_refused():
    with pytest.raises(TypeError, match="no 'metric' parameter"):
        make_clusterer(sklearn.cluster.KMeans(3), None, n_clusters=None, seed=0)
    with pytest.raises(TypeError, match="neither a known name nor"):
        make_clusterer(3, None, n_clusters=None, seed=0)


@pytest.mark.parametrize("damping", [0.5, 1.0 - 1e-9])
def test_the_ends_of_the_damping_are_allowed(damping):
    assert CLUSTERERS["affinity"](damping=damping).damping == damping
    beyond = 0.4999 if damping == 0.5 else 1.0
    with pytest.raises(ValueError, match=f"damping={beyond} must be"):
        CLUSTERERS["affinity"](damping=beyond)


@pytest.mark.parametrize(
    ("kind", "name", "allowed", "refused"),
    [
        (AffinityPropagation, "damping", [0.5, 0.99], [0.49, 1.0]),
        (AffinityPropagation, "max_iter", [1], [0]),
        (AffinityPropagation, "convergence_iter", [1], [0]),
        (AffinityPropagation, "preference", [None, -5.0, 0.0], [np.nan, np.inf]),
        (DBSCAN, "eps", [None, 1e-9], [0.0, -1.0]),
        (DBSCAN, "min_samples", [1], [0]),
    ],
)
def test_limits_of_settings(kind, name, allowed, refused):
    for value in allowed:
        assert getattr(kind(**{name: value}), name) == value
    for value in refused:
        with pytest.raises(ValueError, match=name):
            kind(**{name: value})


def test_the_radius_of_dbscan_by_hand():
    # Rows at 0, 1, 3, 6, …: with three rows needed, the second neighbours are 3, 2, 3, 5, 7, 8, 9,
    # 11, 13 and 17 away. Nine tenths of the way through ten sorted distances: 0.9 · 9 = 8.1.
    rows = np.cumsum(np.arange(10.0))[:, np.newaxis]
    second = np.sort(np.abs(rows - rows.T), axis=1)[:, 2]
    expected = np.sort(second)[8] + 0.1 * (np.sort(second)[9] - np.sort(second)[8])
    assert DBSCAN(min_samples=3).prepare(_space(rows)).eps == pytest.approx(expected)
    # One row is enough: the nearest neighbour still decides.
    first = np.sort(np.abs(rows - rows.T), axis=1)[:, 1]
    assert DBSCAN(min_samples=1).prepare(_space(rows)).eps == pytest.approx(np.quantile(first, 0.9))
    assert DBSCAN(min_samples=2).prepare(_space(np.zeros((4, 1)))).eps == 1.0
    given = DBSCAN(eps=0.5, min_samples=4)
    assert given.prepare(_space(rows[:4])) is given
    with pytest.raises(ValueError, match="needs at least 5 samples, got 4"):
        DBSCAN().prepare(_space(rows[:4]))
    with pytest.raises(ValueError, match="call that first"):
        DBSCAN().cluster(_space(rows))


def test_the_preference_of_affinity_propagation_decides_how_many():
    rows = np.repeat([0.0, 10.0, 20.0], 5)[:, np.newaxis] + np.tile(np.arange(5) / 10, 3)[:, None]
    assert _cluster("affinity", rows, preference=-5.0).labels.max() + 1 == 3
    assert _cluster("affinity", rows, preference=-1e-6, damping=0.9).labels.max() + 1 > 3


def test_an_object_gets_seed_and_number_of_clusters():
    made = make_clusterer(
        sklearn.cluster.SpectralClustering(affinity="rbf"), {}, n_clusters=3, seed=7
    ).estimator
    assert (made.affinity, made.n_clusters, made.random_state) == ("precomputed", 3, 7)
    own = sklearn.cluster.SpectralClustering(n_clusters=4, random_state=1)
    made = make_clusterer(own, {}, n_clusters=None, seed=7).estimator
    assert (made.n_clusters, made.random_state) == (4, 1)
    for wrong in (object(), sklearn.cluster.KMeans):
        with pytest.raises(TypeError):
            make_clusterer(wrong, {}, n_clusters=3, seed=0)
    with pytest.raises(TypeError, match="has no 'metric' parameter"):
        make_clusterer(sklearn.cluster.KMeans(), {}, n_clusters=3, seed=0)


def test_matrices_that_clusterers_hold():
    # An object gets a matrix of distances and may copy it, as linkage does.
    given = make_clusterer(sklearn.cluster.OPTICS(), None, n_clusters=None, seed=0)
    assert (given.n_matrices, given.on_gpu) == (2, False)
    assert {name: each.n_matrices for name, each in CLUSTERERS.items()} == {
        **{"knn": 0, "dbscan": 0, "linkage": 2, "affinity": 6},
    }
