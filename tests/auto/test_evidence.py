"""Each measure against its definition or another library."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import (
    adjusted_rand_score,
    calinski_harabasz_score,
    silhouette_samples,
    silhouette_score,
)

from weft.auto.candidates import Candidate, generate
from weft.auto.evidence import NAMES, measure, measure_table, relative
from weft.auto.evidence.distinct import distinct_clusters
from weft.auto.evidence.lumps import one_lump_copy
from weft.auto.evidence.measures import GRAPH_NEIGHBOURS
from weft.auto.evidence.table import TABLE_NAMES
from weft.auto.kernels.distances import minimax
from weft.auto.working import prepare


@pytest.fixture(scope="module")
def measured():
    X, _ = make_blobs(200, 3, centers=4, cluster_std=2.0, random_state=0)
    prepared = prepare(X, 0)
    candidates = generate(prepared)
    return prepared, candidates, measure(prepared, candidates)


def column(values, name):
    return values[:, NAMES.index(name)]


def whole_partitions(candidates):
    return [p for p, c in enumerate(candidates) if c.labels.min() >= 0]


def test_silhouettes_are_scikit_learns(measured):
    prepared, candidates, values = measured
    paths = np.empty_like(prepared.distances)
    minimax(prepared.trees[0].edges, prepared.trees[0].lengths, paths)
    reach_paths = np.empty_like(prepared.distances)
    minimax(prepared.trees[1].edges, prepared.trees[1].lengths, reach_paths)
    for position in whole_partitions(candidates):
        labels = candidates[position].labels
        for name, distances in (
            ("silhouette", prepared.distances),
            ("path_silhouette", paths),
            ("reach_silhouette", reach_paths),
        ):
            expected = silhouette_samples(distances, labels, metric="precomputed")
            by_cluster = [expected[labels == k].mean() for k in range(labels.max() + 1)]
            row = values[position]
            assert row[NAMES.index(f"{name}_mean")] == pytest.approx(expected.mean(), abs=1e-5)
            assert row[NAMES.index(f"{name}_worst")] == pytest.approx(min(by_cluster), abs=1e-5)
            assert row[NAMES.index(f"{name}_best")] == pytest.approx(max(by_cluster), abs=1e-5)


def test_calinski_is_the_log_of_scikit_learns(measured):
    prepared, candidates, values = measured
    for position in whole_partitions(candidates):
        expected = np.log(calinski_harabasz_score(prepared.points, candidates[position].labels))
        assert column(values, "calinski")[position] == pytest.approx(expected, abs=1e-4)


def test_graph_measures_by_definition(measured):
    prepared, candidates, values = measured
    n = len(prepared.points)
    graph = np.zeros((n, n))
    for i in range(n):
        graph[i, prepared.neighbours[i, :GRAPH_NEIGHBOURS]] += 1.0
    same_share = graph
    graph = graph + graph.T
    degrees = graph.sum(axis=0)
    total = graph.sum()
    for position in whole_partitions(candidates)[::7]:
        labels = candidates[position].labels
        together = labels[:, None] == labels
        expected = ((graph - np.outer(degrees, degrees) / total) * together).sum() / total
        assert column(values, "modularity")[position] == pytest.approx(expected)
        conductances, shares = [], []
        for k in range(labels.max() + 1):
            inside = labels == k
            volume = degrees[inside].sum()
            leaving = graph[inside][:, ~inside].sum()
            conductances.append(1.0 - leaving / min(volume, total - volume))
            shares.append(same_share[inside][:, inside].sum() / (inside.sum() * GRAPH_NEIGHBOURS))
        assert column(values, "conductance_worst")[position] == pytest.approx(min(conductances))
        assert column(values, "neighbours_best")[position] == pytest.approx(max(shares))


def test_density_gap_by_definition(measured):
    prepared, candidates, values = measured
    core = prepared.cores[1]
    reach = np.maximum(prepared.distances, np.maximum.outer(core, core))
    np.fill_diagonal(reach, 0.0)
    for position in whole_partitions(candidates)[::7]:
        labels = candidates[position].labels
        gaps = []
        for k in range(labels.max() + 1):
            inside = labels == k
            tree = minimum_spanning_tree(reach[np.ix_(inside, inside)])
            longest = tree.data.max() if tree.nnz else 0.0
            apart = reach[inside][:, ~inside].min()
            gaps.append((apart - longest) / max(apart, longest))
        assert column(values, "density_gap_worst")[position] == pytest.approx(min(gaps), abs=1e-5)
        assert column(values, "density_gap_best")[position] == pytest.approx(max(gaps), abs=1e-5)


def test_split_by_hand():
    # Rows 1 apart in three runs: 0 … 9, 20 … 29, 60 … 69. The cluster of the first two runs has
    # an inner split of 11 and is 31 from the third; core distances of five rows are at most 4.
    x = np.concatenate([np.arange(10.0), 20 + np.arange(10.0), 60 + np.arange(10.0)])
    prepared = prepare(x[:, None], 0)
    labels = np.repeat([0, 1], [20, 10])[prepared.order]
    found = measure(prepared, [Candidate(labels, ("by hand",), ("ward",))])[0]
    assert found[NAMES.index("split_worst")] == pytest.approx(np.log(31 / 11), abs=1e-5)
    assert found[NAMES.index("density_gap_worst")] == pytest.approx(1 - 11 / 31, abs=1e-5)
    # The third run's largest edge is the core distance 4 of its ends.
    assert found[NAMES.index("density_gap_best")] == pytest.approx(1 - 4 / 31, abs=1e-5)


def test_fisher_axis_sees_parallel_clusters():
    # Two long clusters side by side, shifted along their length: the line through the centres
    # runs almost along them, so only Fisher's axis has two modes.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2)) * (5.0, 0.2)
    X[200:] += (6.0, 2.0)
    prepared = prepare(X, 0, standardise=False)
    labels = np.repeat([0, 1], 200)[prepared.order]
    found = dict(
        zip(NAMES, measure(prepared, [Candidate(labels, ("a",), ("ward",))])[0], strict=True)
    )
    assert found["apart_fisher_worst"] > 2.0  # two separate halves have 20 / 8 or more
    assert found["apart_worst"] < 0.7


def test_sizes_and_outliers_by_hand():
    prepared = prepare(np.random.default_rng(0).standard_normal((10, 2)), 0)
    labels = np.array([0, 0, 0, 0, 0, 0, 1, 1, -1, -1])
    found = dict(
        zip(NAMES, measure(prepared, [Candidate(labels, ("a",), ("ward",))])[0], strict=True)
    )
    assert found["outliers"] == pytest.approx(0.2)
    assert found["smallest_share"] == pytest.approx(0.25)
    assert found["largest_share"] == pytest.approx(0.75)
    assert found["small_clusters"] == pytest.approx(0.5)  # one of two has fewer than five rows
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / np.log(2)
    assert found["size_entropy"] == pytest.approx(entropy)
    assert found["log_clusters"] == pytest.approx(np.log(2))


def test_bic_prefers_the_true_pieces():
    rng = np.random.default_rng(0)
    stretched = rng.standard_normal((300, 2)) * (4.0, 0.3)
    X = np.vstack([stretched, stretched[:, ::-1] + (0.0, 6.0)])
    prepared = prepare(X, 0)
    truth = np.repeat([0, 1], 300)[prepared.order]
    half = (np.arange(600) % 2)[prepared.order]
    found = measure(prepared, [Candidate(v, ("a",), ("ward",)) for v in (truth, half)])
    full = column(found, "bic_full")
    assert full[0] > 0.1
    assert full[1] < 0.0  # random halves gain nothing and cost parameters


def test_agreement_counts_families_once(measured):
    _, candidates, values = measured
    labels = [c.labels for c in candidates]
    present = sorted({f for c in candidates for f in c.families})
    position = int(column(values, "agreement").argmax())
    indices = [adjusted_rand_score(labels[position], other) for other in labels]
    agreeing = {
        f for index, c in zip(indices, candidates, strict=True) if index > 0.9 for f in c.families
    }
    assert column(values, "agreement")[position] == pytest.approx(len(agreeing) / len(present))


def test_measures_have_no_unit(measured):
    prepared, candidates, values = measured
    X = prepared.points * 1024.0
    scaled = prepare(X, 0, standardise=False)
    moved = [Candidate(c.labels[scaled.order], c.generators, c.families) for c in candidates]
    assert measure(scaled, moved) == pytest.approx(values, abs=2e-3)


def test_distinct_clusters_are_shared():
    labels = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [-1, -1, 0, 0, 1, 1]])
    distinct = distinct_clusters(labels)
    assert len(distinct.starts) - 1 == 4  # {0, 1}, {2, 3}, {4, 5}, {2, 3, 4, 5}
    assert distinct.offsets.tolist() == [0, 3, 5, 7]
    assert distinct.clusters.tolist() == [0, 1, 2, 0, 3, 1, 2]
    assert distinct.rows.tolist() == [0, 1, 2, 3, 4, 5, 2, 3, 4, 5]


@pytest.mark.parametrize("n_candidates", [1, 3, 200])
def test_distinct_clusters_by_sets(n_candidates):
    rng = np.random.default_rng(n_candidates)
    labels = rng.integers(-1, 4, size=(n_candidates, 12))
    labels[:, :4] = np.arange(4)  # every cluster has a row
    labels[n_candidates // 2 :, 6:] = labels[n_candidates // 2, 6:]  # some clusters are shared
    labels = np.vstack([labels, labels[:1], np.zeros((1, 12), dtype=np.int64)])
    found = distinct_clusters(labels)
    sets = np.split(found.rows, found.starts[1:-1])
    assert len({tuple(rows) for rows in sets}) == len(sets)
    for c, own in enumerate(labels):
        numbers = found.clusters[found.offsets[c] : found.offsets[c + 1]]
        assert len(numbers) == own.max() + 1
        for label, u in enumerate(numbers):
            assert sets[u].tolist() == np.flatnonzero(own == label).tolist()


def test_relative_by_hand():
    values = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]])
    ranks, scores, gaps = np.split(relative(values)[:, 2:], 3, axis=1)
    assert ranks[:, 0] == pytest.approx([1 / 6, 5 / 6, 1 / 2])
    assert ranks[:, 1] == pytest.approx([0.5] * 3)
    assert scores[:, 0] == pytest.approx(np.array([-1, 1, 0]) * np.sqrt(1.5))
    assert scores[:, 1].tolist() == [0.0] * 3
    assert gaps[:, 0].tolist() == [-2.0, 0.0, -1.0]
    assert relative(np.empty((0, 3))).shape == (0, 12)
    # Differences of rounding are none; small ones of small values are some.
    values = np.array([[1e6, 1e-6], [1e6 + 1e-9, 2e-6]])
    scores = relative(values)[:, 4:6]
    assert scores[:, 0].tolist() == [0.0, 0.0]
    assert scores[:, 1] == pytest.approx([-1.0, 1.0])


def test_table_tells_clusters_from_one_lump():
    rng = np.random.default_rng(0)
    name = TABLE_NAMES.index
    clustered, lumps = [], []
    for seed in range(4):
        X, _ = make_blobs(300, 3, centers=5, cluster_std=0.8, random_state=seed)
        prepared = prepare(X, 0)
        clustered.append(measure_table(prepared, generate(prepared)))
        lump = prepare(rng.standard_normal((300, 3)) @ rng.standard_normal((3, 3)), 0)
        lumps.append(measure_table(lump, generate(lump)))
    for feature in ("neighbour_clump", "largest_dip", "most_silhouette_mean"):
        assert min(t[name(feature)] for t in clustered) > max(t[name(feature)] for t in lumps)


def test_one_lump_copy_keeps_correlations_and_fills_gaps():
    X, _ = make_moons(600, noise=0.05, random_state=0)
    X = (X - X.mean(0)) / X.std(0)
    copy = one_lump_copy(X, np.random.default_rng(0))
    assert copy.std(0) == pytest.approx(X.std(0), rel=0.05)
    assert np.corrcoef(copy.T)[0, 1] == pytest.approx(np.corrcoef(X.T)[0, 1], abs=0.12)
    jitter = 0.05 * np.random.default_rng(1).standard_normal((600, 1))
    two = np.repeat([-1.0, 1.0], 300)[:, None]
    filled = one_lump_copy(two + jitter, np.random.default_rng(0))
    assert ((filled > -0.5) & (filled < 0.5)).mean() > 0.15
    # few distinct values stay what they are
    assert np.sort(one_lump_copy(two, np.random.default_rng(0)), axis=0).tolist() == two.tolist()


def test_misplaced_is_the_share_of_negative_silhouettes(measured):
    prepared, candidates, values = measured
    position = whole_partitions(candidates)[0]
    labels = candidates[position].labels
    expected = (silhouette_samples(prepared.distances, labels, metric="precomputed") < 0).mean()
    assert column(values, "misplaced")[position] == pytest.approx(-expected, abs=0.011)
    assert silhouette_score(prepared.points, labels) == pytest.approx(
        column(values, "silhouette_mean")[position], abs=1e-5
    )
