"""Graph-based candidates: spectral clustering on two graphs, and communities.

References
----------
Zelnik-Manor, Perona (2004): Self-tuning spectral clustering. NIPS 17.
Damle, Minden, Ying (2019): Simple, direct and efficient multi-way spectral clustering.
Information and Inference 8, 181-203.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from weft.auto.candidates.centres import kmeans_labels
from weft.auto.candidates.factors import (
    independent_rows,
    lower_factor,
    nearest_rotation,
    orthonormal,
    solve_with,
)
from weft.auto.candidates.raw import Raw
from weft.auto.candidates.sizes import up_to
from weft.auto.candidates.trees import cuts
from weft.auto.kernels import graphs as kernels
from weft.auto.working import Floats, Ints, Prepared

SPECTRAL_NEIGHBOURS = 10
SCALE_NEIGHBOUR = 7
COMMUNITY_NEIGHBOURS = 15
RESOLUTIONS = (0.03, 0.1, 0.3, 0.7, 1.0, 2.0, 4.0)
MOST_SPECTRAL = {"spectral": 40, "spectral-gauss": 12, "spectral-shared": 12}
PIECE_NEIGHBOURS = 8
N_PIECES = 40
MOST_FROM_PIECES = 15
SHIFT = 1e-4  # of a diagonal of 1: keeps the Laplacian of separate components invertible
ITERATIONS = 6


def local_scales(prepared: Prepared) -> Floats:
    """Distance to the seventh neighbour; where it is 0, the smallest that is not."""
    k = min(SCALE_NEIGHBOUR, prepared.neighbours.shape[1]) - 1
    scales = prepared.neighbour_distances[:, k]
    positive = scales[scales > 0]
    return np.maximum(scales, positive.min() if positive.size else 1.0)


def gaussian_graph(prepared: Prepared) -> Floats:
    """exp(-distance² / (scale · scale)) between all rows, with zeros on the diagonal."""
    scales = local_scales(prepared)
    graph = np.square(prepared.distances)
    np.negative(graph, out=graph)
    graph /= np.outer(scales, scales)
    np.exp(graph, out=graph)
    np.fill_diagonal(graph, 0.0)
    return graph


def neighbour_graph(prepared: Prepared, gaussian: Floats) -> Floats:
    """The same weights on the ten nearest neighbours only, made symmetric by the mean."""
    n = len(prepared.points)
    k = min(SPECTRAL_NEIGHBOURS, prepared.neighbours.shape[1])
    rows = np.repeat(np.arange(n), k)
    columns = prepared.neighbours[:, :k].ravel()
    graph = np.zeros((n, n))
    graph[rows, columns] = 0.5 * gaussian[rows, columns]
    return graph + graph.T


def smallest_vectors(graph: Floats, n_vectors: int, rng: np.random.Generator) -> Floats:
    """The normalised Laplacian's eigenvectors of smallest value, by inverse iteration."""
    n = len(graph)
    degrees = graph.sum(axis=1)
    weights = 1.0 / np.sqrt(np.maximum(degrees, 1e-12 * max(degrees.max(), 1e-300)))
    laplacian = graph * weights[:, None]
    laplacian *= weights
    np.negative(laplacian, out=laplacian)
    np.fill_diagonal(laplacian, 1.0 + SHIFT)
    factor = lower_factor(laplacian)
    block = rng.standard_normal((n, min(n_vectors + 6, n)))
    for _ in range(ITERATIONS):
        block = orthonormal(solve_with(factor, block))
    rotation = np.linalg.eigh(block.T @ laplacian @ block)[1]
    return (block @ rotation)[:, :n_vectors]


def start_from_vectors(vectors: Floats) -> Ints:
    """Clusters from a pivoted QR factorisation of the eigenvectors (Damle et al.)."""
    chosen = independent_rows(vectors)[: vectors.shape[1]]
    turned = vectors @ nearest_rotation(vectors[chosen].T)
    return np.abs(turned).argmax(axis=1).astype(np.int64)


def spectral_candidates(
    prepared: Prepared, counts: Ints, names: Sequence[str] = tuple(MOST_SPECTRAL)
) -> list[Raw]:
    """All numbers of clusters from one decomposition of each of the named graphs."""
    rng = np.random.default_rng([prepared.seed, 2])
    gaussian = gaussian_graph(prepared)
    found: list[Raw] = []
    for name in names:
        wanted = up_to(counts, MOST_SPECTRAL[name])
        if len(wanted) == 0:
            continue
        if name == "spectral-shared":
            graph = shared_graph(prepared, COMMUNITY_NEIGHBOURS).toarray()
        else:
            graph = gaussian if name == "spectral-gauss" else neighbour_graph(prepared, gaussian)
        vectors = smallest_vectors(graph, int(wanted[-1]), rng)
        for k in wanted.tolist():
            rows = vectors[:, :k]
            lengths = np.sqrt((rows * rows).sum(axis=1))
            rows = np.ascontiguousarray(rows / np.maximum(lengths, 1e-12)[:, None])
            labels = kmeans_labels(rows, start_from_vectors(rows), k, rng)
            found.append(Raw(labels, name, f"{name}:{k}"))
    return found


def symmetric_edges(neighbours: Ints, weights: Floats) -> csr_array:
    """The neighbour graph with each edge in both directions, the larger weight kept."""
    n, k = weights.shape
    graph = csr_array(
        (weights.ravel(), neighbours[:, :k].ravel(), np.arange(0, n * k + 1, k)), shape=(n, n)
    )
    symmetric = graph.maximum(graph.T.tocsr()).tocsr()
    symmetric.sort_indices()
    return symmetric


def shared_graph(prepared: Prepared, n_neighbours: int) -> csr_array:
    """Each row's nearest neighbours, weighted by the share of neighbours that both have."""
    k = min(n_neighbours, prepared.neighbours.shape[1])
    shares = np.empty((len(prepared.points), k))
    kernels.shared_neighbours(prepared.neighbours, k, shares)
    return symmetric_edges(prepared.neighbours, shares)


def community_candidates(prepared: Prepared) -> list[Raw]:
    """Communities of the graph of shared neighbours at several resolutions."""
    rng = np.random.default_rng([prepared.seed, 3])
    n = len(prepared.points)
    found: list[Raw] = []
    graph = shared_graph(prepared, COMMUNITY_NEIGHBOURS)
    starts, ends = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    for resolution in RESOLUTIONS:
        labels = np.empty(n, dtype=np.int64)
        kernels.communities(starts, ends, graph.data, resolution, rng.permutation(n), labels)
        found.append(Raw(labels, "communities", f"communities:{resolution}"))
    return found


def piece_edges(prepared: Prepared, pieces: Ints) -> Ints:
    """A tree that joins the rows of each piece, then pieces by the graph of shared neighbours."""
    n = len(pieces)
    k = int(pieces.max()) + 1
    member = csr_array((np.ones(n), (pieces, np.arange(n))), shape=(k, n))
    links = (member @ shared_graph(prepared, PIECE_NEIGHBOURS) @ member.T).toarray()
    centres = (member @ prepared.points) / np.bincount(pieces)[:, None]
    gaps = np.sqrt(((centres[:, None] - centres) ** 2).sum(axis=2))
    merges = np.empty((k - 1, 2), dtype=np.int64)
    kernels.merge_pieces(links, gaps, merges)
    first_row = np.unique(pieces, return_index=True)[1]
    inside = np.column_stack([first_row[pieces], np.arange(n)])
    return np.vstack([np.delete(inside, first_row, axis=0), first_row[merges]])


def piece_candidates(prepared: Prepared, counts: Ints, ward_edges: Ints) -> list[Raw]:
    """Small pieces of k-means, joined where they have most neighbours in common."""
    n_pieces = min(N_PIECES, len(prepared.points) // 4)
    counts = up_to(counts, MOST_FROM_PIECES)
    counts = counts[counts < n_pieces]
    if len(counts) == 0:
        return []
    rng = np.random.default_rng([prepared.seed, 5])
    start = cuts(ward_edges, np.array([n_pieces]))[0]
    labels = kmeans_labels(prepared.points, start, n_pieces, rng)
    pieces = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    counts = counts[counts <= pieces.max()]
    rows = cuts(piece_edges(prepared, pieces), counts)
    return [Raw(row, "pieces", f"pieces:{k}") for k, row in zip(counts, rows, strict=True)]
