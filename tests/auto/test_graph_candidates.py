"""Candidates of graphs and of the second view, their consensus, and how they are merged."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from weft.auto.candidates import FAMILIES, Candidate, consensus, family, graphs
from weft.auto.candidates.consensus import consensus_candidates, tree_of
from weft.auto.candidates.graphs import (
    community_candidates,
    gaussian_graph,
    local_scales,
    neighbour_graph,
    piece_candidates,
    piece_edges,
    shared_graph,
    smallest_vectors,
    spectral_candidates,
    start_from_vectors,
    symmetric_edges,
)
from weft.auto.candidates.merging import merged
from weft.auto.candidates.raw import Raw
from weft.auto.candidates.second import second_candidates, seen_anew
from weft.auto.candidates.trees import cuts, linkage_edges
from weft.auto.kernels.graphs import communities
from weft.auto.working import prepare


def names(found):
    return [raw.name for raw in found]


# Graphs -------------------------------------------------------------------------------------------


def test_scales_of_rows_that_repeat():
    # Eight equal rows and others: a scale of 0 becomes the smallest other one.
    X = np.r_[np.zeros(8), 1.0, 3.0, 4.0, 8.0][:, None]
    prepared = prepare(X, 0, standardise=False)
    plain = prepared.neighbour_distances[:, 6]
    found = local_scales(prepared)
    assert (plain == 0.0).sum() == 8
    assert_allclose(found, np.where(plain > 0.0, plain, plain[plain > 0.0].min()))
    few = prepare(X[7:], 0, standardise=False)  # five rows: the last neighbour
    assert_array_equal(local_scales(few), few.neighbour_distances[:, 3])
    same = few._replace(neighbour_distances=np.zeros((5, 4)))
    assert local_scales(same).tolist() == [1.0] * 5


def test_graphs_of_neighbours_by_definition(rows):
    scales = rows.neighbour_distances[:, 6]
    expected = np.exp(-(rows.distances**2) / np.outer(scales, scales))
    np.fill_diagonal(expected, 0.0)
    whole = gaussian_graph(rows)
    assert_allclose(whole, expected)
    near = np.zeros((50, 50))
    for row in range(50):
        for other in rows.neighbours[row, :10]:
            near[row, other] += 0.5 * expected[row, other]
            near[other, row] += 0.5 * expected[row, other]
    assert_allclose(neighbour_graph(rows, whole), near)


def test_smallest_vectors_are_those_of_the_laplacian(rows):
    graph = gaussian_graph(rows)
    root = 1.0 / np.sqrt(graph.sum(axis=1))
    laplacian = np.eye(50) - graph * np.outer(root, root)
    values, vectors = np.linalg.eigh(laplacian)
    found = smallest_vectors(graph, 3, np.random.default_rng(0))
    assert found.shape == (50, 3)
    # The first three span the same space; each is an eigenvector to iteration's error.
    assert_allclose(np.abs(np.linalg.det(found.T @ vectors[:, :3])), 1.0, atol=1e-4)
    assert_allclose(np.diag(found.T @ laplacian @ found), values[:3], atol=1e-4)
    assert_allclose(np.abs(np.diag(found.T @ vectors)[:3]), 1.0, atol=1e-4)
    # Six vectors more are drawn than asked for, or one for each row.
    for n_vectors, width in ((3, 9), (48, 50)):
        rng, other = np.random.default_rng(0), np.random.default_rng(0)
        smallest_vectors(graph, n_vectors, rng)
        other.standard_normal((50, width))
        assert rng.random() == other.random()
    # A row without any link, and a graph without any.
    alone = graph.copy()
    alone[7], alone[:, 7] = 0.0, 0.0
    assert np.isfinite(smallest_vectors(alone, 4, np.random.default_rng(0))).all()
    none = smallest_vectors(np.zeros((5, 5)), 5, np.random.default_rng(0))
    assert_allclose(none.T @ none, np.eye(5), atol=1e-9)


def test_clusters_from_vectors(rows, truth):
    vectors = np.eye(3)[truth] + 0.1 * np.random.default_rng(0).standard_normal((50, 3))
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    assert adjusted_rand_score(truth, start_from_vectors(vectors @ turn)) == 1.0
    assert start_from_vectors(vectors).dtype == np.int64


def test_spectral_clusterings_of_each_number(rows, truth):
    found = spectral_candidates(rows, np.array([2, 3, 12, 13, 40, 41]))
    assert names(found) == [
        *(f"spectral:{k}" for k in (2, 3, 12, 13, 40)),
        *(f"spectral-gauss:{k}" for k in (2, 3, 12)),
        *(f"spectral-shared:{k}" for k in (2, 3, 12)),
    ]
    assert [raw.family for raw in found[:6]] == ["spectral"] * 5 + ["spectral-gauss"]
    for raw in found:
        if raw.name.endswith(":3"):
            assert adjusted_rand_score(truth, raw.labels) == 1.0
    assert spectral_candidates(rows, np.array([], dtype=np.int64)) == []
    # Draws depend on the seed of the table alone; each of the methods has its own graph.
    rng = np.random.default_rng([3, 2])
    shared = shared_graph(rows, 15).toarray()
    vectors = smallest_vectors(shared, 4, rng)[:, :4]
    vectors = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    expected = graphs.kmeans_labels(vectors, start_from_vectors(vectors), 4, rng)
    (alone,) = spectral_candidates(rows, np.array([4]), ("spectral-shared",))
    assert_array_equal(alone.labels, expected)
    vectors = smallest_vectors(gaussian_graph(rows), 4, np.random.default_rng([3, 2]))
    assert vectors.shape == (50, 4)
    (gauss,) = spectral_candidates(rows, np.array([4]), ("spectral-gauss",))
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    rng = np.random.default_rng([3, 2])
    rng.standard_normal((50, 10))  # the block that iteration starts from
    assert_array_equal(gauss.labels, graphs.kmeans_labels(unit, start_from_vectors(unit), 4, rng))


def test_edges_in_both_directions_have_the_larger_weight():
    neighbours = np.array([[1, 2, 9], [0, 2, 9], [1, 0, 9]])
    weights = np.array([[0.5, 0.25], [0.75, 0.0], [1.0, 0.125]])
    found = symmetric_edges(neighbours, weights)
    assert isinstance(found, csr_array)
    assert_allclose(found.toarray(), [[0.0, 0.75, 0.25], [0.75, 0.0, 1.0], [0.25, 1.0, 0.0]])


def test_shares_of_neighbours_by_sets(rows):
    found = shared_graph(rows, 6).toarray()
    sets = [{row, *rows.neighbours[row, :6].tolist()} for row in range(50)]
    expected = np.zeros((50, 50))
    for row in range(50):
        for other in rows.neighbours[row, :6]:
            share = len(sets[row] & sets[other]) / len(sets[row] | sets[other])
            expected[row, other] = max(expected[row, other], share)
            expected[other, row] = max(expected[other, row], share)
    assert_allclose(found, expected)
    # No more neighbours than there are.
    assert shared_graph(prepare(np.arange(5.0)[:, None], 0), 15).shape == (5, 5)


def test_communities_at_each_resolution(rows, truth):
    found = community_candidates(rows)
    resolutions = (0.03, 0.1, 0.3, 0.7, 1.0, 2.0, 4.0)
    assert names(found) == [f"communities:{value}" for value in resolutions]
    graph, rng = shared_graph(rows, 15), np.random.default_rng([3, 3])
    for raw, resolution in zip(found, resolutions, strict=True):
        labels = np.empty(50, dtype=np.int64)
        starts, ends = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        communities(starts, ends, graph.data, resolution, rng.permutation(50), labels)
        assert_array_equal(raw.labels, labels)
        assert raw.family == "communities"


def test_pieces_are_joined_along_a_tree(rows):
    pieces = np.arange(50) % 6
    edges = piece_edges(rows, pieces)
    assert edges.shape == (49, 2)
    firsts = np.arange(6)
    # First the rows of each piece, by its first row, then the pieces by theirs.
    assert edges[:44].tolist() == [[row % 6, row] for row in range(6, 50)]
    assert np.isin(edges[44:], firsts).all()
    labels = cuts(edges, np.array([6]))[0]
    assert adjusted_rand_score(pieces, labels) == 1.0
    # The merges are those of the links and gaps between pieces.
    shared = shared_graph(rows, 8).toarray()
    links = np.array(
        [[shared[pieces == a][:, pieces == b].sum() for b in range(6)] for a in range(6)]
    )
    middles = np.array([rows.points[pieces == a].mean(axis=0) for a in range(6)])
    gaps = np.linalg.norm(middles[:, None] - middles, axis=2)
    merges = np.empty((5, 2), dtype=np.int64)
    graphs.kernels.merge_pieces(links, gaps, merges)
    assert_array_equal(edges[44:], merges)


def test_pieces_of_a_quarter_of_the_rows(rows, monkeypatch):
    ward = linkage_edges(rows, "ward")
    asked = []
    plain = graphs.kmeans_labels

    def kmeans(points, start, k, rng):
        asked.append((k, int(start.max()) + 1))
        return plain(points, start, k, rng)

    monkeypatch.setattr(graphs, "kmeans_labels", kmeans)
    # 50 rows make 12 pieces; of 12 clusters there is nothing to join.
    found = piece_candidates(rows, np.array([2, 11, 12, 15, 16]), ward)
    assert asked == [(12, 12)]
    assert names(found) == ["pieces:2", "pieces:11"]
    assert [raw.labels.max() + 1 for raw in found] == [2, 11]
    assert piece_candidates(rows, np.array([12, 13]), ward) == []
    many = prepare(np.random.default_rng(0).standard_normal((200, 2)), 0)
    found = piece_candidates(many, np.array([2, 15, 16]), linkage_edges(many, "ward"))
    assert asked[-1] == (40, 40)
    assert names(found) == ["pieces:2", "pieces:15"]
    # k-means may leave fewer pieces: of as many clusters as are left, all are alone.
    monkeypatch.setattr(
        graphs, "kmeans_labels", lambda points, start, k, rng: np.arange(50) % 5 * 2
    )
    found = piece_candidates(rows, np.array([2, 4, 5, 6]), ward)
    assert names(found) == ["pieces:2", "pieces:4"]
    assert adjusted_rand_score(found[1].labels, np.arange(50) % 5) > 0.5


def test_clusterings_in_the_second_view(rows):
    view = seen_anew(rows)
    assert view.distances is rows.second.distances
    assert view.neighbours is rows.second.neighbours
    found = second_candidates(rows, np.array([2, 3, 12, 13, 20, 21]))
    communities_of = [f"second-communities:{r}" for r in (0.03, 0.1, 0.3, 0.7, 1.0, 2.0, 4.0)]
    assert names(found) == [
        *(f"second-ward:{k}" for k in (2, 3, 12, 13, 20)),
        *(f"second-average:{k}" for k in (2, 3, 12, 13, 20)),
        *(f"second-spectral:{k}" for k in (2, 3, 12, 13, 20)),
        *(f"second-spectral-shared:{k}" for k in (2, 3, 12)),
        *communities_of,
    ]
    assert {raw.family for raw in found} == {name for name in FAMILIES if "second" in name}
    same = rows._replace(second=rows.second._replace(distances=np.zeros((50, 50))))
    assert second_candidates(same, np.array([2])) == []


# Consensus and merging ----------------------------------------------------------------------------


def candidate(labels, *families):
    families = families or ("kmeans",)
    return Candidate(np.array(labels), tuple(f"{name}:x" for name in families), families)


def test_which_candidates_vote_with_which_weight(monkeypatch):
    halves, thirds = np.arange(12) // 6, np.arange(12) // 4
    noise = np.arange(12) % 2
    found = [candidate(halves, "kmeans", "ward")] * 3 + [candidate(noise)]
    found += [candidate(thirds)] * 4
    seen = []
    plain = consensus.votes_of

    def votes_of(labels, weights):
        seen.append((len(labels), weights.tolist()))
        return plain(labels, weights)

    monkeypatch.setattr(consensus, "votes_of", votes_of)
    made = consensus_candidates(found, np.array([2, 3, 4]))
    # Four candidates of two and of three clusters have votes of their own; no other is left.
    assert names(made) == [
        *("consensus:2", "consensus:3", "consensus:4", "consensus-of:2", "consensus-of:3")
    ]
    assert seen == [(0, []), (4, [2.0, 2.0, 2.0, 1.0]), (4, [1.0] * 4)]
    by_name = {raw.name: raw.labels for raw in made}
    assert adjusted_rand_score(by_name["consensus-of:2"], halves) == 1.0
    assert adjusted_rand_score(by_name["consensus-of:3"], thirds) == 1.0
    assert {raw.family for raw in made} == {"consensus"}
    every = plain(np.stack([each.labels for each in found]), np.array([2.0, 2, 2, 1, 1, 1, 1, 1]))
    expected = cuts(tree_of(every, np.array([11.0])), np.array([2, 3, 4]))
    assert_array_equal([by_name[f"consensus:{k}"] for k in (2, 3, 4)], expected)
    # Tables with more rows have only the votes of all; three candidates have none of their own.
    monkeypatch.setattr(consensus, "MAX_ROWS", 11)
    assert names(consensus_candidates(found, np.array([2]))) == ["consensus:2"]
    monkeypatch.setattr(consensus, "MAX_ROWS", 12)
    assert names(consensus_candidates(found[1:], np.array([2, 3])))[2:] == ["consensus-of:3"]


def test_candidates_of_more_than_twenty_clusters_have_no_vote():
    twenty, more = np.arange(42) % 20, np.arange(42) % 21
    found = [candidate(twenty)] * 3 + [candidate(more)]
    assert consensus_candidates(found, np.array([2])) == []
    found = [candidate(twenty)] * 4 + [candidate(more)]
    made = consensus_candidates(found, np.array([19, 20, 21]))
    assert names(made) == ["consensus:19", "consensus:20", "consensus-of:20"]
    assert consensus_candidates(found, np.array([21])) == []


def test_the_tree_of_votes_by_hand():
    # Rows 0 and 1 are together in 4 of 4 votes, 2 and 3 in 3, others in 1: 0.75 away.
    votes = np.array([[4, 4, 1, 1], [4, 4, 1, 1], [1, 1, 4, 3], [1, 1, 3, 4]], dtype=np.float32)
    edges = tree_of(votes, np.array([3.0, 1.0]))
    assert [sorted(edge) for edge in edges.tolist()[:2]] == [[0, 1], [2, 3]]
    assert cuts(edges, np.array([3]))[0].tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(("n", "is_one"), [(204, True), (200, False)])
def test_near_identical_clusterings_become_one(n, is_one):
    # One row of n is elsewhere: an index of 0.9804 or 0.97999.
    halves, nearly = np.arange(n) // (n // 2), np.arange(n) // (n // 2)
    nearly[0] = 1
    thirds = np.minimum(np.arange(n) // 60, 2)
    found = [
        candidate(1 - halves, "ward"),
        candidate(thirds, "kmeans"),
        candidate(halves, "kmeans", "genie"),
        candidate(nearly, "average"),
        candidate(np.zeros(n, dtype=int), "single"),
        candidate(np.minimum(np.arange(n) // 40, 4), "single"),
    ]
    first_equal = np.arange(n)
    made = merged(found, FAMILIES, first_equal, 2, 4)
    # One cluster and five are outside the limits; labels are numbered by first row.
    assert [int(each.labels.max()) + 1 for each in made] == [2, 3, *([] if is_one else [2])]
    assert_array_equal(made[0].labels, halves)
    also = ("average",) if is_one else ()
    assert made[0].families == ("kmeans", "ward", *also, "genie")
    assert made[0].generators == (*(f"{name}:x" for name in also), "genie:x", "kmeans:x", "ward:x")
    assert merged(found, FAMILIES, first_equal, 5, 5)[0].families == ("single",)
    assert merged(found, FAMILIES, first_equal, 6, 9) == []
    assert merged([], FAMILIES, first_equal, 2, 4) == []
    # Equal rows get the cluster of the first of them.
    equal = merged([candidate([0, 0, 1, 1])], FAMILIES, np.array([0, 1, 1, 3]), 2, 4)
    assert equal[0].labels.tolist() == [0, 0, 0, 1]


def test_all_methods_on_one_table(rows, monkeypatch):
    limits = []
    plain = family.merged

    def noted(found, families, first_equal, low, high):
        limits.append((low, high, first_equal is rows.first_equal))
        return plain(found, families, first_equal, low, high)

    monkeypatch.setattr(family, "merged", noted)
    made = family.generate(rows, min_clusters=2, max_clusters=3)
    assert limits == [(2, 3, True)] * 2
    assert {int(each.labels.max()) + 1 for each in made} == {2, 3}
    best = max(made, key=lambda each: len(each.families))
    assert len(best.families) > 20  # nearly all find the three groups
    family.generate(rows)
    assert limits[2:] == [(2, 50, True)] * 2
    for wrong in ({"min_clusters": 1}, {"min_clusters": 4, "max_clusters": 3}):
        with pytest.raises(ValueError, match="are not allowed"):
            family.generate(rows, **wrong)
    assert family._alone(Raw(np.zeros(3), "f", "n")).generators == ("n",)
    same = rows._replace(distances=np.zeros((50, 50)))
    assert family.generate(same) == []
