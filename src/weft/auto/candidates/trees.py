"""Trees of clusters, cut at every wanted number of clusters."""

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from weft.auto.candidates.raw import Raw
from weft.auto.kernels import trees as kernels
from weft.auto.working import Ints, Prepared

LINKAGES = ("ward", "average", "complete")
GINI_THRESHOLDS = (0.1, 0.3, 0.5, 0.7)
# Single linkage with small clusters left out: clusters of at least this share of rows.
LARGE_SHARES = (0.01, 0.03)


def linkage_edges(prepared: Prepared, method: str) -> Ints:
    """The merges of a linkage as edges between rows of both clusters."""
    merges = linkage(squareform(prepared.distances, checks=False), method)[:, :2].astype(np.int64)
    n = len(merges) + 1
    first_row = np.arange(2 * n - 1)
    edges = np.empty((n - 1, 2), dtype=np.int64)
    for t, (left, right) in enumerate(merges.tolist()):
        edges[t] = first_row[left], first_row[right]
        first_row[n + t] = first_row[left]
    return edges


def cuts(edges: Ints, counts: Ints) -> Ints:
    """Labels (len(counts), n) of the tree cut into so many clusters."""
    falling = counts[::-1].copy()
    out = np.empty((len(counts), len(edges) + 1), dtype=np.int64)
    kernels.cut(edges, falling, out)
    return out[::-1]


def large_cuts(edges: Ints, counts: Ints, smallest: int) -> Ints:
    """Labels of the highest cut with so many clusters of `smallest` rows; other rows -1.

    A row of -2 stands where the tree has no such cut.
    """
    out = np.empty((len(counts), len(edges) + 1), dtype=np.int64)
    kernels.cut_large(edges, counts, smallest, out)
    return out


def genie_edges(tree_edges: Ints, threshold: float) -> Ints:
    """Edges of a spanning tree in Genie's order of merging."""
    out = np.empty_like(tree_edges)
    kernels.genie(tree_edges, threshold, out)
    return out


def ward_cuts(prepared: Prepared, counts: Ints) -> Ints:
    """Cuts of Ward's tree, from which centres and mixtures start as well."""
    return cuts(linkage_edges(prepared, "ward"), counts)


def flooded(edges: Ints, labels: Ints) -> Ints:
    """Labels without -1: rows take the cluster that the tree's edges reach first."""
    out = np.empty_like(labels)
    kernels.flood(edges, labels, out)
    return out


def tree_candidates(prepared: Prepared, counts: Ints, ward: Ints) -> list[Raw]:
    """Linkages, single linkage of large clusters, and Genie, at every number of clusters."""
    n = len(prepared.points)
    found = [Raw(labels, "ward", f"ward:{k}") for k, labels in zip(counts, ward, strict=True)]
    for method in LINKAGES[1:]:
        labels = cuts(linkage_edges(prepared, method), counts)
        found += [Raw(row, method, f"{method}:{k}") for k, row in zip(counts, labels, strict=True)]
    plain = prepared.trees[0].edges
    few = counts[counts <= 20]
    found += [
        Raw(row, "single", f"single:{k}") for k, row in zip(few, cuts(plain, few), strict=True)
    ]
    for tree, name in ((prepared.trees[0], "single"), (prepared.trees[1], "robust-single")):
        for share in LARGE_SHARES:
            smallest = max(3, round(share * n))
            labels = large_cuts(tree.edges, few, smallest)
            for k, row in zip(few, labels, strict=True):
                if row[0] == -2:
                    continue
                found.append(Raw(row, name, f"{name}-large{smallest}:{k}"))
                found.append(Raw(flooded(tree.edges, row), name, f"{name}-flood{smallest}:{k}"))
    for threshold in GINI_THRESHOLDS:
        labels = cuts(genie_edges(plain, threshold), counts)
        found += [
            Raw(row, "genie", f"genie{threshold}:{k}")
            for k, row in zip(counts, labels, strict=True)
        ]
    return found
