from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import choose_n_clusters
from weft.choosing import stability
from weft.choosing.n_clusters import main_rows
from weft.choosing.stability import StableClustering, cluster_by_stability
from weft.columns.source import MixedTable, SourceColumn


def groups(n_clusters, n=300, spread=0.4, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_clusters
    angles = 2.0 * np.pi * labels / n_clusters
    centers = 4.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centers + spread * rng.standard_normal((n, 2)), labels


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_the_finest_number_that_comes_out_again_is_chosen(n_clusters):
    points, labels = groups(n_clusters)
    chosen, *others = cluster_by_stability(points, rng=np.random.default_rng(0))
    assert chosen.n_clusters == n_clusters
    assert adjusted_rand_score(labels, chosen.labels) == 1.0
    assert chosen.stability > 0.95
    assert chosen.is_stable
    assert [each.stability for each in others] == sorted(
        (each.stability for each in others), reverse=True
    )


def test_noise_is_not_stable():
    points = np.random.default_rng(0).standard_normal((400, 8))
    assert not cluster_by_stability(points, low=3, rng=np.random.default_rng(0))[0].is_stable


def test_a_given_number_is_kept():
    points, _ = groups(3)
    found = cluster_by_stability(points, low=7, high=7, rng=np.random.default_rng(0))
    assert [each.n_clusters for each in found] == [7]
    assert len(np.unique(found[0].labels)) == 7


def test_few_rows_allow_few_clusters():
    points, _ = groups(2, n=44)
    found = cluster_by_stability(points, rng=np.random.default_rng(0))
    assert max(each.n_clusters for each in found) == 2


def mixed(n_clusters, *, n=300, seed=0):
    """Clusters in two numbers and two categories, and a category of noise."""
    rng = np.random.default_rng(seed)
    points, labels = groups(n_clusters, n)
    parts = [points]
    for number in range(3):
        wrong = rng.random(n) < (0.1 if number < 2 else 1.0)
        parts.append(np.where(wrong, rng.integers(n_clusters, size=n), labels)[:, None])
    names = tuple(f"level {code}" for code in range(n_clusters))
    columns = (
        *(SourceColumn(f"x{j}", "number", (j,)) for j in range(2)),
        *(SourceColumn(f"c{j}", "category", (j,), levels=names) for j in range(2, 5)),
    )
    return MixedTable(np.column_stack(parts).astype(float), columns)


def test_the_number_of_clusters_of_a_mixed_table():
    for n_clusters in (2, 3, 4):
        found = choose_n_clusters(mixed(n_clusters), random_state=0)
        assert found.n_clusters == n_clusters
        assert found.confidence > 0.8
        assert list(found.curves) == ["stability"]


def test_named_methods_and_chosen_columns_of_a_mixed_table():
    table = mixed(3)
    found = choose_n_clusters(
        table, methods=("silhouette",), feature_weights=[1, 1, 1, 1, 0], random_state=0
    )
    assert found.n_clusters == 3
    with pytest.raises(ValueError, match="5 source columns"):
        choose_n_clusters(table, feature_weights=[1.0, 2.0])


@pytest.mark.parametrize(
    ("stability", "number", "confidence"), [(0.75, 3, 0.75), (0.5, 3, 0.5), (0.25, 1, 0.75)]
)
def test_the_answer_for_a_mixed_table_by_hand(monkeypatch, stability, number, confidence):
    asked = []

    def clusterings(rows, *, high, rng):
        asked.append((rows.shape[0], high, rng.integers(10**9)))
        chosen = StableClustering(np.zeros(20, int), 3, stability)
        finer = chosen._replace(n_clusters=4, stability=0.2)
        return [chosen, finer, chosen._replace(n_clusters=2, stability=0.1)]

    monkeypatch.setattr("weft.choosing.n_clusters.cluster_by_stability", clusterings)
    table = mixed(2, n=20)
    found = choose_n_clusters(table, random_state=5)
    assert (found.n_clusters, found.confidence) == (number, confidence)
    assert found.weights == {"stability": 1.0}
    curve = found.curves["stability"]
    assert (curve.n_clusters, curve.strength) == (number, stability)
    assert curve.numbers.tolist() == [2, 3, 4]
    assert curve.scores.tolist() == [0.1, stability, 0.2]
    seed = np.random.RandomState(5).randint(2**31 - 1)
    assert asked == [(20, 30, np.random.default_rng(seed).integers(10**9))]
    for most in (2, 19):
        choose_n_clusters(table, max_clusters=most)
        assert asked[-1][1] == most
    for most in (1, 20):
        with pytest.raises(ValueError, match="must be between 2 and 19"):
            choose_n_clusters(table, max_clusters=most)


@pytest.mark.parametrize(
    "weights", [[1.0] * 4, [0.0] * 5, [-1.0] * 5, [[1.0] * 5], [np.nan] * 5, [0, 0, -1, 0, 0]]
)
def test_weights_of_source_columns_select_them(weights):
    with pytest.raises(ValueError, match="one weight for each of the 5 source columns"):
        main_rows(mixed(2, n=20), weights)
    kept = main_rows(mixed(2, n=20), [0.0, 3.0, 0.0, 0.5, 0.0])
    table = mixed(2, n=20).take_columns(np.array([1, 3]))
    np.testing.assert_array_equal(kept, main_rows(table, None))


def _clusterings(monkeypatch, points, sizes, stabilities, **given):
    """Return numbers of clusters in the order of the answer, with known labels and agreement."""
    smallest = iter(sizes)

    def kmeans(rows, n_clusters, n_init, rng):
        assert n_init == 10
        labels = np.arange(len(rows)) % (n_clusters - 1)
        labels[: next(smallest)] = n_clusters - 1
        return SimpleNamespace(labels=labels)

    agreed = dict(zip(range(2, 2 + len(stabilities)), stabilities, strict=True))
    monkeypatch.setattr(stability, "kmeans", kmeans)
    monkeypatch.setattr(stability, "_agreement", lambda points, half, n, rng: agreed[n])
    found = cluster_by_stability(points, rng=np.random.default_rng(0), **given)
    return [each.n_clusters for each in found]


@pytest.mark.parametrize(
    ("sizes", "stabilities", "order"),
    [
        ([9, 9, 9], [0.5, 0.75, 0.25], [3, 2, 4]),
        ([9, 9, 9], [0.75, 0.75, 0.75], [4, 2, 3]),
        # 0.01 less stable than the best is as stable; 5 of 100 rows are enough for a cluster.
        ([9, 9, 5], [0.765, 0.7, 0.755], [4, 2, 3]),
        ([9, 9, 4], [0.765, 0.7, 0.755], [2, 4, 3]),
        ([9, 9, 9], [0.765, 0.7, 0.754], [2, 4, 3]),
        ([9, 9, 9], [0.75, 0.76, 0.2], [3, 2, 4]),
    ],
)
def test_the_finest_of_the_most_stable_is_chosen(monkeypatch, sizes, stabilities, order):
    assert _clusterings(monkeypatch, np.zeros((100, 2)), sizes, stabilities, high=4) == order


@pytest.mark.parametrize(
    ("n_rows", "low", "high", "numbers"),
    [
        (100, 2, 4, [2, 3, 4]),
        (79, 2, 4, [2, 3]),
        (80, 2, 4, [2, 3, 4]),
        (30, 2, 9, [2]),
        (900, 3, 40, [*range(3, 13)]),
        (30, 5, 5, [5]),
    ],
)
def test_numbers_that_are_tried(monkeypatch, n_rows, low, high, numbers):
    monkeypatch.setattr(stability, "_agreement", lambda points, half, n, rng: 1.0 / n)
    points = np.random.default_rng(0).normal(size=(n_rows, 1))
    found = cluster_by_stability(points, low=low, high=high, rng=np.random.default_rng(0))
    assert [each.n_clusters for each in found] == numbers


def test_agreement_of_halves_by_hand():
    # Both halves have two groups, and label all rows by the nearer group. A half with fewer rows
    # than clusters has no clustering.
    points = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [0.3], [9.2], [9.3]])
    halves = [np.arange(4), np.arange(4, 8)]
    rng = np.random.default_rng(0)
    assert stability._agreement(points, halves, 2, rng) == 1.0
    assert stability._agreement(points, halves, 5, rng) == 0.0
    assert stability._agreement(points, [np.arange(4), np.arange(1)], 2, rng) == 0.0
    assert stability._agreement(points, halves, 4, rng) > 0.0
    # The first half has its groups at 0 and 9, the second at 0.25 and 3: the row at 2 joins the
    # lower one of the first and the higher one of the second.
    uneven = np.array([[0.0], [9.0], [0.25], [3.0], [2.0]])
    labels = [[0, 1, 0, 0, 0], [0, 1, 0, 1, 1]]
    found = stability._agreement(uneven, [np.array([0, 1]), np.array([2, 3])], 2, rng)
    assert found == pytest.approx(adjusted_rand_score(*labels))


def test_an_answer_is_stable_from_half_on():
    assert StableClustering(np.zeros(1, int), 1, 0.5).is_stable
    assert not StableClustering(np.zeros(1, int), 1, 0.49).is_stable
