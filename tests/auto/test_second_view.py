"""The second view: normal scores or all columns, its candidates and its evidence."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.metrics import calinski_harabasz_score, pairwise_distances, silhouette_score

from weft.auto import second_view as second_view_module
from weft.auto.candidates.second import second_candidates
from weft.auto.evidence.second import NAMES, _measures, in_second_view
from weft.auto.kernels import second as kernels
from weft.auto.second_view import distances_in, normal_scores, second_view
from weft.auto.working import prepare


def test_normal_scores_by_hand():
    # Ranks 1, 2.5, 2.5, 4 of four rows: quantiles at (rank - ½) / 4.
    table = np.array([[0.0], [5.0], [5.0], [900.0]])
    expected = ndtri(np.array([0.125, 0.5, 0.5, 0.875]))
    np.testing.assert_allclose(normal_scores(table)[:, 0], expected)


@pytest.mark.parametrize("n_columns", [3, 64, 65, 200])
def test_distances_are_euclidean_in_any_number_of_columns(n_columns):
    points = np.random.default_rng(0).standard_normal((30, n_columns))
    found = distances_in(points)
    np.testing.assert_allclose(found, pairwise_distances(points), atol=1e-6)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 0.0)
    np.testing.assert_allclose(distances_in(1e-3 * points), 1e-3 * found, atol=1e-9)


@pytest.mark.parametrize(("n_columns", "by_columns"), [(1, True), (64, True), (65, False)])
def test_distances_are_summed_column_by_column_up_to_64(n_columns, by_columns, monkeypatch):
    seen = []
    monkeypatch.setattr(second_view_module.kernels, "pairwise", lambda *args: seen.append(args))
    distances_in(np.ones((3, n_columns)))
    assert len(seen) == by_columns


def test_few_columns_are_seen_by_ranks_and_many_as_they_are():
    table = np.random.default_rng(1).standard_normal((40, 3))
    by_ranks = second_view(table, few=True, n_neighbours=5)
    np.testing.assert_allclose(
        by_ranks.distances, second_view(np.exp(3 * table), few=True, n_neighbours=5).distances
    )
    scores = ndtri((rankdata(table, axis=0) - 0.5) / 40)
    np.testing.assert_allclose(by_ranks.distances, pairwise_distances(scores), atol=1e-9)
    plain = second_view(table, few=False, n_neighbours=5)
    np.testing.assert_allclose(plain.distances, pairwise_distances(table), atol=1e-9)
    assert plain.neighbours.shape == (40, 5)


def two_groups(n_columns=30):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [25, 35])
    return rng.standard_normal((60, n_columns)) + 2.0 * y[:, None], y


def test_evidence_is_that_of_scikit_learn_on_all_columns():
    X, y = two_groups()
    prepared = prepare(X, 0)
    labels = np.stack([y[prepared.order], np.arange(60) % 3])
    found = dict(zip(NAMES, in_second_view(prepared, labels).T, strict=True))
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[prepared.order]
    for position, row in enumerate(labels):
        assert found["second_silhouette"][position] == pytest.approx(
            silhouette_score(Z, row), abs=1e-5
        )
        assert found["second_calinski"][position] == pytest.approx(
            np.log1p(calinski_harabasz_score(Z, row)), abs=1e-4
        )
    assert found["second_neighbours"][0] > 0.95
    assert found["second_worst"][0] > found["second_worst"][1]


def test_clusters_in_the_second_view_by_hand():
    # Rows at 0, 1 and 4, 6 on a line, and an outlier at 100; the labels skip a cluster.
    at = np.array([0.0, 1.0, 4.0, 6.0, 100.0])
    labels = np.array([0, 0, 2, 2, -1])
    own = np.empty(5, dtype=np.int64)
    assert kernels.number_present(labels, own) == (2, 4)
    assert own.tolist() == [0, 0, 1, 1, -1]
    member, sizes = np.zeros((5, 2), dtype=np.float32), np.zeros(2)
    kernels.fill_members(own, member, sizes)
    assert member.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1], [0, 0]]
    assert sizes.tolist() == [2, 2]
    gaps = np.abs(at[:, None] - at).astype(np.float32)
    near = np.array([[1, 2], [0, 2], [3, 1], [2, 1], [3, 2]])
    widths, each, within = np.empty(4), np.empty(2), np.empty(2)
    same = kernels.compare_clusters(
        gaps @ member, gaps**2 @ member, near, own, sizes, widths, each, within
    )
    # Own distance and mean distance to the others: 1 and 5, 1 and 4, 2 and 3.5, 2 and 5.5.
    np.testing.assert_allclose(widths, [0.8, 0.75, 1.5 / 3.5, 3.5 / 5.5])
    np.testing.assert_allclose(each, [0.775, (1.5 / 3.5 + 3.5 / 5.5) / 2])
    assert within.tolist() == [2.0, 8.0]  # each pair is counted from both of its rows
    assert same == 4 / 8
    alone = np.array([0, 1, 1, 1, 1])  # a row that is alone has no width
    assert kernels.number_present(alone, own) == (2, 5)
    member, sizes = np.eye(2, dtype=np.float32)[alone], np.array([1.0, 4.0])
    widths = np.empty(5)
    kernels.compare_clusters(gaps @ member, gaps @ member, near, own, sizes, widths, each, within)
    assert widths[0] == each[0] == 0.0


def test_outliers_are_left_out_and_one_cluster_has_defined_evidence():
    X, y = two_groups()
    prepared = prepare(X, 0)
    own = y[prepared.order].astype(np.int64)
    fewer = own.copy()
    fewer[:5] = -1
    alone = np.where(np.arange(60) < 30, 0, -1)
    found = in_second_view(prepared, np.stack([own, fewer, alone]))
    assert np.isfinite(found).all()
    assert found[1, 0] == pytest.approx(found[0, 0], abs=0.05)
    np.testing.assert_array_equal(found[2], [0.0, -1.0, 1.0, 0.0])


def test_measures_of_the_second_view_by_definition():
    # Clusters 0, 2 and 3: there is no cluster 1. Cluster 3 is one row, rows 4 and 9 are outliers.
    rng = np.random.default_rng(3)
    points = rng.standard_normal((14, 2)) * [1.0, 3.0]
    labels = np.array([0, 2, 0, 2, -1, 0, 3, 2, 2, -1, 0, 0, 2, 0])
    distances = pairwise_distances(points)
    np.fill_diagonal(distances, 0.0)
    near = np.argsort(distances + np.diag(np.full(14, np.inf)), axis=1)[:, :4]
    total = (distances**2).sum() / 28
    numbered = np.searchsorted([0, 2, 3], labels)
    numbered[labels < 0] = -1
    both = distances.astype(np.float32), (distances**2).astype(np.float32)
    found = _measures(*both, near, total, numbered, 3, 12)
    widths, same, within = {}, [], 0.0
    for i in np.flatnonzero(labels >= 0):
        mates = [j for j in range(14) if labels[j] == labels[i] and j != i]
        others = [distances[i, labels == k].mean() for k in (0, 2, 3) if k != labels[i]]
        inner = distances[i, mates].mean() if mates else 0.0
        widths[i] = (min(others) - inner) / max(min(others), inner) if mates else 0.0
        same += [labels[j] == labels[i] for j in near[i]]
    for k in (0, 2, 3):
        own = points[labels == k]
        within += ((own - own.mean(axis=0)) ** 2).sum()
    worst = min(np.mean([widths[i] for i in widths if labels[i] == k]) for k in (0, 2, 3))
    expected = np.log1p((total - within) / within * (12 - 3) / 2)
    assert found == pytest.approx(
        (np.mean(list(widths.values())), worst, np.mean(same), expected), abs=1e-5
    )
    # Worse than one cluster is as bad as that; equal rows are as good as it gets.
    assert _measures(*both, near, 1.0, numbered, 3, 12)[3] == pytest.approx(0.0)
    pairs = np.kron(1.0 - np.eye(2), np.ones((2, 2))).astype(np.float32)
    near = np.array([[1], [0], [3], [2]])
    assert _measures(pairs, pairs, near, 1.0, np.array([0, 0, 1, 1]), 2, 4) == pytest.approx(
        (1.0, 1.0, 1.0, np.log1p(1e12))
    )


def test_candidates_of_the_second_view_find_groups_and_say_so():
    X, y = two_groups()
    prepared = prepare(X, 0)
    found = second_candidates(prepared, np.array([2, 3]))
    assert all(raw.name.startswith("second-") for raw in found)
    ward = next(raw.labels for raw in found if raw.name == "second-ward:2")
    truth = y[prepared.order]
    assert max((ward == truth).mean(), (ward != truth).mean()) == 1.0


def test_equal_rows_have_no_second_candidates():
    prepared = prepare(np.ones((12, 3)), 0)
    assert second_candidates(prepared, np.array([2])) == []
