"""The ellipsoid generator against its definition: shapes, points, the score, the result."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import fowlkes_mallows_score, silhouette_score
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from weft.datasets import make_ellipsoids
from weft.datasets._shared import draw_sizes
from weft.datasets.ellipsoids import (
    DEFAULT_SIZES,
    Shapes,
    draw_points,
    draw_shapes,
    place,
    prepare,
    score,
)


def brute_score(origins, points, labels, shapes):
    """The definition, one point and one ellipsoid at a time."""
    data = points + origins[labels]
    inside = 0
    for x, own in zip(data, labels, strict=True):
        foreign = [b for b in range(len(origins)) if b != own]
        inside += any(
            np.linalg.norm(x - origins[b]) + np.linalg.norm(x - origins[b] - shapes.focus[b])
            < (1 + shapes.excess[b]) * shapes.length[b]
            for b in foreign
        )
    share = inside / len(data)
    total = sum(np.linalg.norm(x - data.mean(axis=0)) for x in data)
    return total * (1 + 50 * share), share


def case(seed, k=4, d=3, size=9):
    rng = np.random.default_rng(seed)
    shapes = draw_shapes(k, d, rng)
    points = np.vstack([draw_points(shapes, c, size, rng) for c in range(k)])
    return points, np.repeat(np.arange(k), size), shapes, rng


# --- shapes and points ---------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 50])
def test_shapes_follow_their_laws(d):
    shapes = draw_shapes(4000, d, np.random.default_rng(0))
    assert shapes.length.min() >= 1
    assert shapes.length.max() <= 3
    assert shapes.excess.min() >= 0.05
    assert shapes.excess.max() <= 0.15
    assert np.allclose(np.linalg.norm(shapes.focus, axis=1), shapes.length)
    # Uniform on the sphere: mean direction 0 and E[u u'] = I / d, within 5 standard errors
    # (a coordinate's variance is 1/d, a product's at most 2/d²).
    u = shapes.focus / shapes.length[:, np.newaxis]
    assert np.abs(u.mean(axis=0)).max() < 5 / np.sqrt(d * 4000)
    assert np.abs(u.T @ u / 4000 - np.eye(d) / d).max() < 5 * np.sqrt(2) / d / np.sqrt(4000)


@pytest.mark.parametrize("d", [2, 10, 100])
def test_points_lie_in_their_ellipsoid(d):
    rng = np.random.default_rng(1)
    shapes = draw_shapes(5, d, rng)
    for c in range(5):
        points = draw_points(shapes, c, 300, rng)
        reach = np.linalg.norm(points, axis=1) + np.linalg.norm(points - shapes.focus[c], axis=1)
        assert points.shape == (300, d)
        assert (reach < (1 + shapes.excess[c]) * shapes.length[c]).all()
        # No point is nearer than the foci are to each other; the ellipsoid is used to the rim.
        assert reach.min() >= shapes.length[c] * (1 - 1e-12)
        assert reach.max() > (1 + 0.9 * shapes.excess[c]) * shapes.length[c]


class Given:
    """A Generator whose points lie on the axis, except for those that are far away."""

    def __init__(self, *n_inside):
        self.n_inside, self.rounds = list(n_inside), []

    def uniform(self, size):
        self.rounds.append(size)
        return np.full(size, 0.5)

    def standard_normal(self, size):
        if size[1] > 1:  # directions
            return np.ones(size)
        inside = np.arange(size[0]) < self.n_inside[len(self.rounds) - 1]
        return np.where(inside, 0.0, 100.0)[:, np.newaxis]


@pytest.mark.parametrize(
    ("n_inside", "rounds"),
    [
        # Twice the points that are missing and 8 more, until there are enough.
        ([9], [14]),
        ([3], [14]),
        ([2, 9], [14, 10]),
        ([0, 1, 2], [14, 14, 12]),
    ],
)
def test_rounds_of_tries(n_inside, rounds):
    shapes = Shapes(np.array([[1.0, 0.0]]), np.ones(1), np.array([0.1]))
    rng = Given(*n_inside)
    points = draw_points(shapes, 0, 3, rng)
    assert points.tolist() == [[0.5, 0.0]] * 3
    assert rng.rounds == [(tries, 1) for tries in rounds]


def test_clusters_are_elongated_in_many_dimensions():
    # A Gaussian's variances even out as d grows; here one axis keeps most of the variance.
    made = make_ellipsoids(4, 50, cluster_size=100, random_state=0)
    for c in range(4):
        variances = np.linalg.eigvalsh(np.cov(made.data[made.target == c].T))
        assert variances[-1] > 5 * variances[-2]


# --- the score -----------------------------------------------------------------------------------


def two_clusters(excess):
    """One point each, half way between foci that are 1 apart on the first axis."""
    shapes = Shapes(np.array([[1.0, 0.0], [1.0, 0.0]]), np.ones(2), np.array(excess))
    points = np.array([[0.5, 0.0], [0.5, 0.0]])
    return prepare(points, np.array([0, 1]), shapes)


def test_score_by_hand_apart():
    # Points (0.5, 0) and (0.5, 2): the foreign foci are sqrt(0.25 + 4) away, twice that is
    # 4.12 > 1.1, so v = 0; the mean is (0.5, 1), each point 1 from it: D = 2.
    found = score(np.array([[0.0, 0.0], [0.0, 2.0]]), two_clusters([0.1, 0.1]))
    assert found.overlap == 0.0
    assert found.fitness == pytest.approx(2.0)


def test_score_by_hand_one_of_two_inside():
    # Second origin at (0.53, 0): points at 0.5 and 1.03 on the axis. Point 0 lies 0.03 before the
    # second cluster's first focus: 0.03 + 1.03 = 1.06 >= 1.05, outside. Point 1 lies 0.03 behind
    # the first cluster's second focus: 1.03 + 0.03 = 1.06 < 1.10, inside. So v = 1/2,
    # D = 0.53, fitness = 0.53 * (1 + 25) = 13.78.
    found = score(np.array([[0.0, 0.0], [0.53, 0.0]]), two_clusters([0.10, 0.05]))
    assert found.overlap == 0.5
    assert found.fitness == pytest.approx(13.78)


def test_a_point_on_the_rim_is_outside():
    # Second origin at -0.75: each point lies 0.25 beyond a focus of the other cluster, 1.25 from
    # the second one; 0.25 + 1.25 is exactly (1 + 0.5) · 1.
    found = score(np.array([[0.0, 0.0], [-0.75, 0.0]]), two_clusters([0.5, 0.5]))
    assert found.overlap == 0.0


def test_score_by_hand_all_in_one_place():
    # Both points inside the other ellipsoid, both at the mean: v = 1, D = 0.
    found = score(np.zeros((2, 2)), two_clusters([0.1, 0.1]))
    assert found.overlap == 1.0
    assert found.fitness == pytest.approx(0.0, abs=1e-7)


def test_a_point_in_several_foreign_ellipsoids_counts_once():
    shapes = Shapes(np.tile([1.0, 0.0], (3, 1)), np.ones(3), np.full(3, 0.1))
    points = np.tile([0.5, 0.0], (3, 1))
    terms = prepare(points, np.arange(3), shapes)
    assert score(np.zeros((3, 2)), terms).overlap == 1.0


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 5),
    d=st.integers(2, 8),
    spread=st.sampled_from([0.0, 0.1, 1.0, 100.0]),
)
def test_score_is_its_definition(seed, k, d, spread):
    points, labels, shapes, rng = case(seed, k=k, d=d, size=5)
    origins = rng.normal(0.0, spread, size=(k, d))
    found = score(origins, prepare(points, labels, shapes))
    fitness, share = brute_score(origins, points, labels, shapes)
    assert found.overlap == pytest.approx(share)
    assert found.fitness == pytest.approx(fitness, rel=1e-9, abs=1e-9)


def test_score_does_not_see_where_the_whole_lies():
    points, labels, shapes, rng = case(3)
    origins = rng.normal(size=(4, 3))
    terms = prepare(points, labels, shapes)
    here, there = score(origins, terms), score(origins + np.array([3.0, -7.0, 11.0]), terms)
    assert there.overlap == here.overlap
    assert there.fitness == pytest.approx(here.fitness)


# --- the search ----------------------------------------------------------------------------------


def test_place_returns_the_score_of_what_it_returns():
    points, labels, shapes, rng = case(5, k=3, d=4)
    origins, found = place(points, labels, shapes, rng)
    assert origins.shape == (3, 4)
    fitness, share = brute_score(origins, points, labels, shapes)
    assert found.overlap == pytest.approx(share)
    assert found.fitness == pytest.approx(fitness)


def test_search_beats_random_starts():
    # In 4 dimensions the starts overlap; the search has to leave less of it than they have.
    left, at_start = [], []
    for seed in range(5):
        points, labels, shapes, rng = case(seed, k=6, d=4, size=30)
        terms = prepare(points, labels, shapes)
        sd = 0.67 * shapes.length.max() * 0.15 / 2.0
        at_start.append(
            np.mean([score(rng.normal(0, sd, (6, 4)), terms).overlap for _ in range(30)])
        )
        left.append(place(points, labels, shapes, rng)[1].overlap)
    assert np.mean(left) < 0.5 * np.mean(at_start)


class Recorder:
    """A Generator that notes what it is asked for."""

    def __init__(self, seed):
        self.rng, self.calls = np.random.default_rng(seed), []

    def __getattr__(self, name):
        def call(*args, **kwargs):
            self.calls.append((name, args, kwargs.get("size")))
            return getattr(self.rng, name)(*args, **kwargs)

        return call


def test_search_draws_what_the_paper_says():
    points, labels, shapes, _ = case(0, k=5, d=4, size=6)
    recorder = Recorder(0)
    place(points, labels, shapes, recorder)
    (start, *mutations) = [call for call in recorder.calls if call[0] == "normal"]
    unit = shapes.length.max() * 0.15 / 2.0  # Lmax · 0.15 / √d
    assert start[1] == (0.0, pytest.approx(0.67 * unit))
    assert start[2] == (50, 5, 4)
    assert len(mutations) == 500
    assert all(call[1] == (0.0, pytest.approx(unit * 5 / 60)) for call in mutations)
    # One of the 20 genes per step on average: 500 ± 5 sqrt(500 · 20 · 0.05 · 0.95) = 500 ± 109.
    assert 391 < sum(call[2] for call in mutations) < 609
    tournaments = [call for call in recorder.calls if call[0] == "integers"]
    assert tournaments == [("integers", (50,), 2)] * 500


# --- the whole -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "d"), [(1, 2), (4, 2), (4, 50), (10, 10)])
def test_shape_of_the_result(k, d):
    made = make_ellipsoids(k, d, random_state=0)
    n = len(made.target)
    assert made.data.shape == (n, d)
    assert made.data.dtype == np.float64
    assert np.isfinite(made.data).all()
    assert np.issubdtype(made.target.dtype, np.integer)
    assert np.array_equal(np.unique(made.target), np.arange(k))
    assert made.feature_names == [f"x{j}" for j in range(d)]
    assert made.relevant.all()
    assert made.relevant.shape == (d,)
    assert 0.0 <= made.overlap <= 1.0
    assert str(n) in made.DESCR
    sizes = np.bincount(made.target)
    assert sizes.min() >= 14
    assert sizes.max() <= 124


def test_default_sizes_reach_both_ends():
    rng = np.random.default_rng(0)
    sizes = draw_sizes(None, default=DEFAULT_SIZES, n_clusters=5000, smallest=1, rng=rng)
    assert (sizes.min(), sizes.max()) == (14, 124)


def test_cluster_size_int_and_pair():
    assert (
        np.bincount(make_ellipsoids(3, 5, cluster_size=7, random_state=0).target).tolist()
        == [7] * 3
    )
    sizes = np.bincount(make_ellipsoids(8, 3, cluster_size=(1, 3), random_state=0).target)
    assert set(sizes) <= {1, 2, 3}
    assert len(set(sizes)) > 1
    assert make_ellipsoids(2, 3, cluster_size=np.array([4, 4]), random_state=0).data.shape == (8, 3)


def test_many_dimensions_hardly_overlap_and_look_as_printed():
    # O'Neill, table 3.1: silhouettes of the truth 0.34 to 0.41 for d = 50 and 100, and plain
    # 3-nearest-neighbour graphs find most of the structure (F about 0.9).
    silhouettes, scores = [], []
    for d in (50, 100):
        for seed in range(4):
            made = make_ellipsoids(4, d, random_state=seed)
            assert made.overlap < 0.01
            silhouettes.append(silhouette_score(made.data, made.target))
            graph = NearestNeighbors(n_neighbors=3).fit(made.data).kneighbors_graph()
            _, found = connected_components(graph, directed=False)
            scores.append(fowlkes_mallows_score(made.target, found))
    assert 0.3 < np.mean(silhouettes) < 0.5
    assert 0.8 < np.mean(scores) <= 1.0


def test_same_seed_same_bits():
    first, again = (make_ellipsoids(4, 20, random_state=3) for _ in range(2))
    other = make_ellipsoids(4, 20, random_state=4)
    assert first.data.tobytes() == again.data.tobytes()
    assert np.array_equal(first.target, again.target)
    assert first.data.shape != other.data.shape or not np.allclose(first.data, other.data)


def test_number_of_threads_does_not_matter():
    made = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            made.append(make_ellipsoids(10, 100, random_state=0))
    assert made[0].data.tobytes() == made[1].data.tobytes()


def test_every_kind_of_random_state():
    as_int = make_ellipsoids(2, 3, random_state=5)
    as_state = make_ellipsoids(2, 3, random_state=np.random.RandomState(5))
    assert np.array_equal(as_int.data, as_state.data)
    rng = np.random.default_rng(5)
    one, two = make_ellipsoids(2, 3, random_state=rng), make_ellipsoids(2, 3, random_state=rng)
    assert not np.array_equal(one.data[:5], two.data[:5])
    assert make_ellipsoids(2, 3).data.shape[1] == 3


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "words"),
    [
        ((0, 5), {}, ValueError, "n_clusters=0 must be at least 1"),
        ((2.0, 5), {}, TypeError, "n_clusters=2.0 must be an integer"),
        ((True, 5), {}, TypeError, "n_clusters=True must be an integer"),
        ((2, 1), {}, ValueError, "n_features=1 must be at least 2"),
        ((2, "3"), {}, TypeError, "n_features='3' must be an integer"),
        ((2, 3), {"cluster_size": 0}, ValueError, "cluster_size=0 must be at least 1"),
        ((2, 3), {"cluster_size": 2.5}, TypeError, "cluster_size=2.5 must be an integer"),
        ((2, 3), {"cluster_size": "ab"}, TypeError, "cluster_size='ab' is not a size"),
        ((2, 3), {"cluster_size": {3, 4}}, TypeError, "is not a size"),
        ((2, 3), {"cluster_size": (3, 4, 5)}, ValueError, "cluster_size has 3 entries"),
        ((2, 3), {"cluster_size": (0, 4)}, ValueError, r"cluster_size\[0\]=0 must be at least 1"),
        ((2, 3), {"cluster_size": (2, 4.5)}, TypeError, r"cluster_size\[1\]=4.5 must be an int"),
        ((2, 3), {"cluster_size": (9, 4)}, ValueError, r"write cluster_size=\(4, 9\)"),
        ((2, 3), {"random_state": "x"}, ValueError, "cannot be used to seed"),
    ],
)
def test_errors_are_one_sentence(args, kwargs, error, words):
    with pytest.raises(error, match=words) as caught:
        make_ellipsoids(*args, **kwargs)
    assert "\n" not in str(caught.value)


def test_options_are_keywords():
    with pytest.raises(TypeError, match="positional"):
        make_ellipsoids(2, 3, 10)
