"""Which clusterings each method proposes: their names, numbers, limits and starts, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from weft.auto.candidates import centres, density
from weft.auto.candidates import trees as tree_cuts
from weft.auto.candidates.centres import centre_candidates, mixture_labels
from weft.auto.candidates.density import both, density_candidates
from weft.auto.candidates.sizes import cluster_counts, up_to
from weft.auto.candidates.trees import cuts, large_candidates, linkage_edges, tree_candidates
from weft.auto.working import SpanningTree, prepare


def names(found):
    return [raw.name for raw in found]


# Numbers of clusters ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "low", "high", "expected"),
    [
        (10, 2, None, [2, 3, 4, 5]),
        (40, 2, None, list(range(2, 21))),
        # 20 · 1.25 = 25, then 31, 39, 49, 61, 76, 95, 119: up to half of the rows.
        (100, 2, None, [*range(2, 21), 25, 31, 39, 49, 50]),
        (1000, 2, None, [*range(2, 21), 25, 31, 39, 49, 61, 76, 95, 100]),
        (1000, 19, 26, [19, 20, 25, 26]),
        (6, 2, 30, [2, 3, 4, 5]),  # at most one less than rows
        (6, 0, None, [2, 3]),
        (9, 4, 4, [4]),
        (3, 2, None, []),
        (4, 2, None, [2]),
    ],
)
def test_numbers_of_clusters_that_are_tried(n, low, high, expected):
    found = cluster_counts(n, low, high)
    assert found.tolist() == expected
    assert found.dtype == np.int64


def test_steps_grow_by_one_at_least():
    assert cluster_counts(30, 2, None, dense_to=3, ratio=1.01).tolist() == list(range(2, 16))
    assert cluster_counts(30, 2, None, dense_to=3, ratio=2.0).tolist() == [2, 3, 6, 12, 15]


def test_the_smallest_number_is_tried_in_any_case():
    assert up_to(np.array([2, 5, 9]), 5).tolist() == [2, 5]
    assert up_to(np.array([7, 9]), 5).tolist() == [7]
    assert up_to(np.array([], dtype=np.int64), 5).tolist() == []


# Centres ------------------------------------------------------------------------------------------


def test_centres_and_mixtures_of_each_number(rows, monkeypatch):
    counts = np.array([2, 3, 10, 11, 12, 13, 40, 45])
    ward = cuts(linkage_edges(rows, "ward"), counts)
    calls = []

    def kmeans(points, start, k, rng):
        assert points is rows.points
        assert_array_equal(start, ward[list(counts).index(k)])
        rng.random(2)  # draws follow each other
        return start if k == 2 else (start + 1) % k

    def mixture(view, start, k, kind):
        calls.append((view.shape, start.tolist(), k, kind))
        return start, float(len(calls))

    monkeypatch.setattr(centres, "kmeans_labels", kmeans)
    monkeypatch.setattr(centres, "mixture_labels", mixture)
    found = centre_candidates(rows, counts, ward)
    # Mixtures up to 12 pieces, of at least five rows each on average: 10 of 50 rows.
    mixtures = ("full", "tied", "diagonal")
    expected = []
    for k in (2, 3, 10, 11, 12, 13, 40):
        expected += [f"kmeans:{k}"]
        expected += [f"mixture-{kind}:{k}" for kind in mixtures if k <= 10]
    assert names(found) == expected
    assert [raw.family for raw in found[:5]] == [
        *("kmeans", "mixture-full", "mixture-tied", "mixture-diagonal", "kmeans")
    ]
    # The same start is tried once; of two, the likelier result is taken: here the second.
    assert [(shape, k, kind) for shape, _, k, kind in calls[:9]] == [
        *[((50, 8), 2, "full"), ((50, 9), 2, "tied"), ((50, 9), 2, "diagonal")],
        *[((50, 8), 3, "full")] * 2,
        *[((50, 9), 3, "tied")] * 2,
        *[((50, 9), 3, "diagonal")] * 2,
    ]
    assert len(calls) == 3 + 6 + 6
    assert [start for _, start, k, _ in calls if k == 3][:2] == [
        *(ward[1].tolist(), ((ward[1] + 1) % 3).tolist())
    ]
    three = next(raw.labels for raw in found if raw.name == "mixture-full:3")
    assert_array_equal(three, (ward[1] + 1) % 3)


def test_eight_axes_are_used_unchanged(rows, monkeypatch):
    shapes = []
    monkeypatch.setattr(
        centres,
        "mixture_labels",
        lambda view, start, k, kind: shapes.append(view.shape) or (start, 0.0),
    )
    eight = rows._replace(points=np.ascontiguousarray(rows.points[:, :8]))
    ward = cuts(linkage_edges(rows, "ward"), np.array([2]))
    centre_candidates(eight, np.array([2]), ward)
    assert set(shapes) == {(50, 8)}


def test_the_floor_of_a_mixture_is_a_thousandth_of_the_variance(monkeypatch):
    given = {}

    def mixture(points, start, k, kind, floor, iterations, tolerance, labels):
        given.update(floor=floor, k=k, iterations=iterations, tolerance=tolerance)
        labels[:] = start
        return 4.5

    monkeypatch.setattr(centres, "mixture", mixture)
    points = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    labels, likelihood = mixture_labels(points, np.array([0, 1, 1]), 2, "tied")
    assert_allclose(given["floor"], [1e-3 * 8.0 / 3.0, 1e-15])
    assert (labels.tolist(), likelihood) == ([0, 1, 1], 4.5)
    assert (given["k"], given["iterations"], given["tolerance"]) == (2, 40, 1e-3)


def test_kmeans_is_seeded_by_the_table(rows):
    ward = cuts(linkage_edges(rows, "ward"), np.array([7]))
    found = centre_candidates(rows, np.array([7]), ward)[0].labels
    rng = np.random.default_rng([3, 1])
    assert_array_equal(found, centres.kmeans_labels(rows.points, ward[0], 7, rng))


# Density ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(4, [4]), (7, [5, 7]), (60, [5, 10]), (200, [4, 5, 8, 10, 16]), (70, [3, 5, 6, 10])],
)
def test_smallest_clusters_of_densities(n, sizes, monkeypatch):
    # 5 and 10 rows, and 1, 2, 4 and 8 % of the rows if these are three at least.
    prepared = prepare(np.random.default_rng(n).standard_normal((n, 2)), 0)
    flat = np.zeros(n, dtype=np.int64)
    asked = []
    monkeypatch.setattr(
        density, "hdbscan_labels", lambda tree, size: asked.append((tree, size)) or (flat, flat)
    )
    radii = []
    monkeypatch.setattr(
        density,
        "dbscan_labels",
        lambda prepared, which, radius: radii.append((which, radius)) or flat,
    )
    found = density_candidates(prepared)
    assert [size for _, size in asked] == sizes * 2
    assert [tree is prepared.trees[1] for tree, _ in asked] == [True] * len(sizes) + [False] * len(
        sizes
    )
    assert all(tree is prepared.trees[2] for tree, _ in asked[len(sizes) :])
    expected = []
    for which in (5, 10):
        for size in sizes:
            expected += [f"hdbscan{which}:{size}", f"hdbscan{which}-leaf:{size}"]
    expected += [f"dbscan:{quantile}" for quantile in (0.5, 0.7, 0.85, 0.95, 0.99)]
    mutual = [k for k in (4, 6, 8, 11, 15, 20) if k <= min(30, n - 1)]
    assert [name for name in names(found) if "flood" not in name] == [
        *expected,
        *(f"mutual:{k}" for k in mutual),
    ]
    quantiles = np.quantile(prepared.cores[1], (0.5, 0.7, 0.85, 0.95, 0.99))
    assert [which for which, _ in radii] == [1] * 5
    assert_allclose([radius for _, radius in radii], quantiles)


def test_small_mutual_components_are_outliers(monkeypatch):
    limits = []
    plain = density.without_small

    def without_small(labels, smallest):
        limits.append(smallest)
        return plain(labels, smallest)

    monkeypatch.setattr(density, "without_small", without_small)
    for n, smallest in ((30, 3), (349, 3), (420, 4)):
        prepared = prepare(np.arange(float(n))[:, None] ** 1.1, 0)
        density_candidates(prepared)
        assert set(limits) == {smallest}
        limits.clear()


def test_outliers_are_also_placed():
    # A chain of four rows; the first two are a cluster, the last one is another.
    tree = SpanningTree(np.array([[0, 1], [1, 2], [2, 3]]), np.array([1.0, 2.0, 3.0]))
    found = both(tree, np.array([0, 0, -1, 1]), "f", "n")
    assert names(found) == ["n", "n-flood"]
    assert [raw.labels.tolist() for raw in found] == [[0, 0, -1, 1], [0, 0, 0, 1]]
    assert {raw.family for raw in found} == {"f"}
    assert names(both(tree, np.array([0, 0, 1, 1]), "f", "n")) == ["n"]
    assert names(both(tree, np.full(4, -1), "f", "n")) == ["n"]
    assert names(both(tree, np.array([-1, 0, 0, 0]), "f", "n")) == ["n", "n-flood"]


# Trees --------------------------------------------------------------------------------------------


def test_clusterings_of_trees(rows):
    counts = np.array([2, 3, 12, 13, 15, 16, 30])
    ward = cuts(linkage_edges(rows, "ward"), counts)
    found = tree_candidates(rows, counts, ward)
    plain = [name for name in names(found) if "single" not in name]

    def of(name, *numbers):
        return [f"{name}:{k}" for k in numbers]

    every = counts.tolist()
    assert plain == [
        *of("ward", *every),
        *of("average", *every),
        *of("complete", 2, 3, 12, 13, 15),
        *of("genie0.1", 2, 3, 12, 13, 15),
        *of("genie0.3", *every),
        *of("genie0.5", 2, 3, 12, 13, 15),
        *of("genie0.7", 2, 3, 12, 13, 15),
        *of("robust-genie0.1", 2, 3, 12),
        *of("robust-genie0.3", 2, 3, 12),
        *of("robust-genie0.5", 2, 3, 12),
    ]
    assert {raw.family for raw in found} == {
        *("ward", "average", "complete", "single", "robust-single", "genie", "robust-genie")
    }
    # The average tree is that of all distances; robust trees are those of five neighbours.
    by_name = {raw.name: raw.labels for raw in found}
    average = cuts(linkage_edges(rows, "average"), counts)
    assert_array_equal(by_name["average:30"], average[-1])
    complete = cuts(linkage_edges(rows, "complete"), np.array([13]))
    assert_array_equal(by_name["complete:13"], complete[0])
    edges = tree_cuts.genie_edges(rows.trees[0].edges, 0.3)
    assert_array_equal(by_name["genie0.3:16"], cuts(edges, np.array([16]))[0])
    edges = tree_cuts.genie_edges(rows.trees[1].edges, 0.5)
    assert_array_equal(by_name["robust-genie0.5:12"], cuts(edges, np.array([12]))[0])
    assert by_name["single3:3"].max() == by_name["robust-single3:3"].max() == 2


def test_large_clusters_of_single_linkage(monkeypatch):
    sizes = []

    def large_cuts(edges, counts, smallest):
        sizes.append(smallest)
        out = np.zeros((len(counts), len(edges) + 1), dtype=np.int64)
        out[0, 0], out[0, 1], out[1] = 1, -1, -2
        return out

    monkeypatch.setattr(tree_cuts, "large_cuts", large_cuts)
    for n, expected in ((50, [3, 3]), (150, [3, 4]), (349, [3, 10]), (400, [4, 12])):
        chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
        found = large_candidates(SpanningTree(chain, np.ones(n - 1)), np.array([2, 3]), "single")
        assert sizes == expected
        # There is no cut in three.
        expected_names = [f"single{size}{kind}:2" for size in expected for kind in ("", "-flood")]
        assert names(found) == expected_names
        assert (found[0].labels[:3].tolist(), found[1].labels[1]) == ([1, -1, 0], 1)
        sizes.clear()
