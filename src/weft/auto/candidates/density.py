"""Density-based candidates: HDBSCAN, DBSCAN and components of mutual neighbours."""

import numpy as np

from weft.auto.candidates.raw import Raw
from weft.auto.candidates.trees import flooded
from weft.auto.kernels import density as kernels
from weft.auto.kernels.graphs import mutual_components
from weft.auto.working import MIN_SAMPLES, Ints, Prepared, SpanningTree

SIZE_SHARES = (0.01, 0.02, 0.04, 0.08)  # smallest clusters of HDBSCAN, in addition to 5 and 10 rows
RADIUS_QUANTILES = (0.5, 0.7, 0.85, 0.95, 0.99)
MUTUAL_NEIGHBOURS = (4, 6, 8, 11, 15, 20)


def hdbscan_labels(tree: SpanningTree, min_cluster_size: int) -> tuple[Ints, Ints]:
    """HDBSCAN's clusters by excess of mass and by leaves; -1 is noise."""
    n = len(tree.lengths) + 1
    children = np.empty((n - 1, 2), dtype=np.int64)
    sizes = np.empty(2 * n - 1, dtype=np.int64)
    kernels.merge_nodes(tree.edges, children, sizes)
    by_excess = np.empty(n, dtype=np.int64)
    by_leaf = np.empty(n, dtype=np.int64)
    kernels.hdbscan(children, tree.lengths, sizes, min_cluster_size, by_excess, by_leaf)
    return by_excess, by_leaf


def dbscan_labels(prepared: Prepared, which: int, radius: float) -> Ints:
    """DBSCAN with min_samples = MIN_SAMPLES[which]; -1 is noise."""
    tree = prepared.trees[which]
    labels = np.empty(len(prepared.points), dtype=np.int64)
    kernels.dbscan(
        tree.edges,
        tree.lengths,
        prepared.cores[which],
        radius,
        prepared.neighbours,
        prepared.neighbour_distances,
        labels,
    )
    return labels


def without_small(labels: Ints, smallest: int) -> Ints:
    """Rows of clusters smaller than this become -1."""
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    return np.where((labels >= 0) & (sizes[labels] >= smallest), labels, -1)


def both(tree: SpanningTree, labels: Ints, family: str, name: str) -> list[Raw]:
    """The labels with outliers, and those in which every row has a cluster."""
    found = [Raw(labels, family, name)]
    if labels.min() < 0 <= labels.max():
        found.append(Raw(flooded(tree.edges, labels), family, f"{name}-flood"))
    return found


def density_candidates(prepared: Prepared) -> list[Raw]:
    """HDBSCAN at several sizes, DBSCAN at several radii, components of mutual neighbours."""
    n = len(prepared.points)
    found: list[Raw] = []
    sizes = sorted({min(s, n) for s in (5, 10, *(round(q * n) for q in SIZE_SHARES)) if s >= 3})
    for which in (1, 2):
        tree = prepared.trees[which]
        for size in sizes:
            name = f"hdbscan{MIN_SAMPLES[which]}"
            by_excess, by_leaf = hdbscan_labels(tree, size)
            found += both(tree, by_excess, "hdbscan", f"{name}:{size}")
            found += both(tree, by_leaf, "hdbscan-leaf", f"{name}-leaf:{size}")
    tree = prepared.trees[1]
    for quantile in RADIUS_QUANTILES:
        radius = float(np.quantile(prepared.cores[1], quantile))
        found += both(tree, dbscan_labels(prepared, 1, radius), "dbscan", f"dbscan:{quantile}")
    for k in MUTUAL_NEIGHBOURS:
        if k > prepared.neighbours.shape[1]:
            continue
        labels = np.empty(n, dtype=np.int64)
        mutual_components(prepared.neighbours, k, labels)
        labels = without_small(labels, max(3, round(0.01 * n)))
        found += both(prepared.trees[0], labels, "mutual", f"mutual:{k}")
    return found
