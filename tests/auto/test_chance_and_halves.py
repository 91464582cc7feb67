"""Evidence beside copies that are one lump, and on halves of the columns, by definition."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score

from weft.auto.candidates import generate
from weft.auto.evidence import NAMES, measure
from weft.auto.evidence.chance import calinski, chance_of, silhouette
from weft.auto.evidence.halves import alike_in_rows, most_alike, shown_in_halves
from weft.auto.evidence.lumps import one_lump_copies
from weft.auto.evidence.table import dips_of
from weft.auto.kernels.distances import pairwise
from weft.auto.kernels.halves import nearest_to_own_centre
from weft.auto.working import HALF_ROWS, prepare


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, 3, centers=4, cluster_std=1.5, random_state=3)


def test_measures_of_chance_are_scikit_learns(blobs):
    X, labels = blobs
    distances = np.empty((len(X), len(X)))
    pairwise(X, distances)
    assert silhouette(distances, labels) == pytest.approx(silhouette_score(X, labels))
    assert calinski(X, labels) == pytest.approx(np.log1p(calinski_harabasz_score(X, labels)))


def test_a_row_alone_has_silhouette_zero(blobs):
    X, labels = blobs
    distances = np.empty((len(X), len(X)))
    pairwise(X, distances)
    labels = labels.copy()
    labels[0] = 4
    assert silhouette(distances, labels) == pytest.approx(silhouette_score(X, labels))


def test_measures_of_chance_by_hand():
    # Rows 0, 1 | 4, 6 | 9 on a line. Silhouettes: (5 − 1) / 5, (4 − 1) / 4, (3.5 − 2) / 3.5,
    # (3 − 2) / 3, and 0 for the row alone; cluster 2 is empty.
    points = np.array([[0.0], [1.0], [4.0], [6.0], [9.0]])
    labels = np.array([0, 0, 1, 1, 3])
    expected = (4 / 5 + 3 / 4 + 3 / 7 + 1 / 3) / 5
    assert silhouette(np.abs(points - points.T), labels) == pytest.approx(expected)
    # Within: ½ + 2. In all: 16 + 9 + 0 + 4 + 25 = 54 around 4. Three clusters of five rows.
    labels = np.array([0, 0, 1, 1, 2])
    assert calinski(points, labels) == pytest.approx(np.log1p(51.5 / 2.5 * 2 / 2))
    # Two clusters: 4, 6 and 9 have the sum of squares 38 / 3; without the 9, 1 degree less.
    labels = np.array([0, 0, 1, 1, 1])
    within = 0.5 + 38 / 3
    assert calinski(points, labels) == pytest.approx(np.log1p((54 - within) / within * 3))
    assert calinski(points, np.zeros(5, dtype=int)) == pytest.approx(0.0)


def test_copies_are_clustered_into_at_most_a_third_of_their_rows():
    rng = np.random.default_rng(0)
    copies = [rng.standard_normal((18, 2)) for _ in range(2)]
    both = chance_of(copies, 0)
    assert both.counts.tolist() == [2, 3, 4, 5, 6]
    # Means over the copies. Draws go on from one copy to the next, so only the first is the same.
    first = chance_of(copies[:1], 0)
    second = 2.0 * both.silhouettes - first.silhouettes
    assert ((second > 0.0) & (second < 1.0)).all()
    assert chance_of([copies[0][:5]], 0).counts.tolist() == [2]


def test_chance_is_interpolated_between_numbers_of_clusters():
    rng = np.random.default_rng(0)
    chance = chance_of([rng.standard_normal((100, 2))], 0)
    at_counts = chance.silhouette_at(chance.counts.astype(float))
    assert at_counts == pytest.approx(chance.silhouettes)
    between = chance.silhouette_at(np.array([7.0]))[0]
    ends = chance.silhouettes[np.searchsorted(chance.counts, [6, 8])]
    assert min(ends) <= between <= max(ends)


def test_k_means_of_one_cloud_is_no_better_than_chance_and_blobs_are():
    rng = np.random.default_rng(1)
    cloud = rng.standard_normal((200, 4))
    apart = make_blobs(200, 4, centers=3, cluster_std=0.7, random_state=1)[0]
    best = []
    for X in (cloud, apart):
        prepared = prepare(X)
        candidates = [c for c in generate(prepared, max_clusters=6) if "kmeans" in c.families]
        values = measure(prepared, candidates)
        best.append(values[:, NAMES.index("silhouette_beyond_chance")].max())
    assert best[0] < 0.1 < 0.3 < best[1]


def test_copies_keep_the_shape_and_are_the_same_each_time(blobs):
    prepared = prepare(blobs[0])
    first, second = one_lump_copies(prepared), one_lump_copies(prepared)
    assert all(copy.shape == prepared.points.shape for copy in first)
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_nearest_to_own_centre_leaves_the_row_out():
    rng = np.random.default_rng(2)
    points = rng.standard_normal((40, 3))
    labels = np.stack([rng.integers(-1, 4, 40), np.arange(40) % 2, np.r_[0, np.ones(39, int)]])
    shares = np.empty(3)
    nearest_to_own_centre(points, labels, shares)
    for row, share in zip(labels, shares, strict=True):
        right = []
        for i in np.flatnonzero(row >= 0):
            gaps = {}
            for cluster in np.unique(row[row >= 0]):
                members = (row == cluster) & (np.arange(40) != i)
                if members.any():
                    centre = points[members].mean(axis=0)
                    gaps[cluster] = ((points[i] - centre) ** 2).sum()
            right.append(min(gaps, key=gaps.get) == row[i])
        assert share == pytest.approx(np.mean(right))


def test_most_alike_is_the_largest_rand_index():
    rng = np.random.default_rng(3)
    labels, others = rng.integers(0, 4, (5, 60)), rng.integers(0, 6, (7, 60))
    expected = [max(adjusted_rand_score(a, b) for b in others) for a in labels]
    assert most_alike(labels, others) == pytest.approx(expected)


def test_halves_have_half_of_the_columns_and_few_rows():
    rng = np.random.default_rng(4)
    few = prepare(rng.standard_normal((50, 3)))
    assert few.halves == ()
    assert (shown_in_halves(few, np.zeros((2, 50), dtype=np.int64)) == 0).all()
    many = prepare(rng.standard_normal((HALF_ROWS + 100, 9)))
    assert sorted(half.shape[1] for half in many.halves) == [4, 4, 5, 5]
    assert all(len(half) == len(many.half_rows) == HALF_ROWS for half in many.halves)


def test_clusters_of_all_columns_show_in_halves_and_those_of_one_column_do_not():
    X, labels = make_blobs(200, 8, centers=3, cluster_std=1.0, random_state=5)
    rng = np.random.default_rng(5)
    X[:, 0] = rng.standard_normal(200) + 8 * (np.arange(200) % 2)
    prepared = prepare(X)
    both = np.stack([labels, np.arange(200) % 2])[:, prepared.order]
    of_all, of_one = shown_in_halves(prepared, both)
    assert of_all.min() > 0.85
    assert of_one.max() < 0.8


def test_the_dip_of_an_axis_is_seen_where_columns_have_few_values():
    rng = np.random.default_rng(0)
    n, d = 400, 9
    by_degrees = rng.gamma(2.0, 1.0, (n, 1)) + rng.random((n, d))
    heaps = np.repeat([1.0, 6.0], n // 2)[:, None] + 1.2 * rng.random((n, d))
    one, two = (dips_of(np.ceil(X)) for X in (by_degrees, heaps))
    assert one[2] < 0.6 < two[2]  # the first axis tells them apart
    assert one[0] > 1.0  # ties alone make a column's dip large


def test_half_of_the_rows_bring_clear_clusters_back():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 40)
    prepared = prepare(rng.standard_normal((120, 3)) + 9.0 * y[:, None], 0)
    own = y[prepared.order]
    cut = np.where(own == 0, np.arange(120) % 2, own + 1)  # one cluster in two at random
    clear, too_fine = alike_in_rows(prepared, np.stack([own, cut]))
    assert clear == 1.0
    assert too_fine < 0.95
