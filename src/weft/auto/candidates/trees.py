"""Trees of clusters, cut at every wanted number of clusters."""

import numpy as np

from weft.auto.candidates.raw import Raw
from weft.auto.candidates.sizes import MOST_CLUSTERS, up_to
from weft.auto.kernels import trees as kernels
from weft.auto.kernels.linkage import AVERAGE, COMPLETE, WARD, chain_merges, edges_of_merges
from weft.auto.working import Floats, Ints, Prepared, SpanningTree

# Most clusters, by Gini threshold. Ward, average and one Genie go on to 100.
MOST_GENIE = {0.1: 15, 0.3: MOST_CLUSTERS, 0.5: 15, 0.7: 15}
MOST_ROBUST_GENIE = {0.1: 12, 0.3: 12, 0.5: 12}
MOST_COMPLETE = 15
MOST_LARGE = 12
# Single linkage with small clusters left out: clusters of at least this share of rows.
LARGE_SHARES = (0.01, 0.03)
LINKAGES = {"ward": WARD, "average": AVERAGE, "complete": COMPLETE}


def linkage_edges(prepared: Prepared, method: str) -> Ints:
    """The merges of a linkage of the prepared rows as edges between rows of both clusters."""
    return linkage_edges_of(prepared.distances, method)


def linkage_edges_of(distances: Floats, method: str) -> Ints:
    """The merges of a linkage as edges between rows of both clusters."""
    pairs = np.empty((len(distances) - 1, 2), dtype=np.int64)
    heights, edges = np.empty(len(pairs)), np.empty_like(pairs)
    chain_merges(distances.copy(), LINKAGES[method], pairs, heights)
    edges_of_merges(pairs, np.argsort(heights, kind="stable"), edges)
    return edges


def cuts(edges: Ints, counts: Ints) -> Ints:
    """Labels (len(counts), n) of the tree cut into each number of clusters."""
    falling = counts[::-1].copy()
    out = np.empty((len(counts), len(edges) + 1), dtype=np.int64)
    kernels.cut(edges, falling, out)
    return np.ascontiguousarray(out[::-1])  # of one layout: kernels are compiled for each


def large_cuts(edges: Ints, counts: Ints, smallest: int) -> Ints:
    """Labels of the highest cut with each number of clusters of `smallest` rows; other rows -1.

    If the tree has no such cut, all labels are -2.
    """
    out = np.empty((len(counts), len(edges) + 1), dtype=np.int64)
    kernels.cut_large(edges, counts, smallest, out)
    return out


def genie_edges(tree_edges: Ints, threshold: float) -> Ints:
    """Edges of a spanning tree in Genie's order of merging."""
    out = np.empty_like(tree_edges)
    kernels.genie(tree_edges, threshold, out)
    return out


def flooded(edges: Ints, labels: Ints) -> Ints:
    """Labels without -1: rows take the cluster that the tree's edges reach first."""
    out = np.empty_like(labels)
    kernels.flood(edges, labels, out)
    return out


def named(edges: Ints, counts: Ints, family: str, name: str) -> list[Raw]:
    """A tree's cuts as candidates."""
    rows = cuts(edges, counts)
    return [Raw(row, family, f"{name}:{k}") for k, row in zip(counts, rows, strict=True)]


def large_candidates(tree: SpanningTree, counts: Ints, family: str) -> list[Raw]:
    """Single linkage of large clusters, with small ones as outliers and with all rows placed."""
    found: list[Raw] = []
    for share in LARGE_SHARES:
        smallest = max(3, round(share * (len(tree.edges) + 1)))
        for k, row in zip(counts, large_cuts(tree.edges, counts, smallest), strict=True):
            if row[0] == -2:
                continue
            found.append(Raw(row, family, f"{family}{smallest}:{k}"))
            found.append(Raw(flooded(tree.edges, row), family, f"{family}{smallest}-flood:{k}"))
    return found


def tree_candidates(prepared: Prepared, counts: Ints, ward: Ints) -> list[Raw]:
    """Linkages, single linkage of large clusters, and Genie, at many numbers of clusters."""
    found = [Raw(row, "ward", f"ward:{k}") for k, row in zip(counts, ward, strict=True)]
    found += named(linkage_edges(prepared, "average"), counts, "average", "average")
    complete = linkage_edges(prepared, "complete")
    found += named(complete, up_to(counts, MOST_COMPLETE), "complete", "complete")
    plain, robust = prepared.trees[:2]
    few = up_to(counts, MOST_LARGE)
    found += large_candidates(plain, few, "single")
    found += large_candidates(robust, few, "robust-single")
    for threshold, most in MOST_GENIE.items():
        edges = genie_edges(plain.edges, threshold)
        found += named(edges, up_to(counts, most), "genie", f"genie{threshold}")
    for threshold, most in MOST_ROBUST_GENIE.items():
        edges = genie_edges(robust.edges, threshold)
        found += named(edges, up_to(counts, most), "robust-genie", f"robust-genie{threshold}")
    return found
