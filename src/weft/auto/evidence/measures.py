"""Evidence of each candidate: of its clusters, and of the whole."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weft.auto.candidates import FAMILIES, Candidate
from weft.auto.evidence.chance import chance_of
from weft.auto.evidence.distinct import DistinctClusters, distinct_clusters
from weft.auto.evidence.halves import alike_in_rows, shown_in_halves
from weft.auto.evidence.lumps import one_lump_copies
from weft.auto.evidence.second import NAMES as SECOND
from weft.auto.evidence.second import in_second_view
from weft.auto.kernels import clusters as cluster_kernels
from weft.auto.kernels import evidence as kernels
from weft.auto.kernels.distances import minimax
from weft.auto.kernels.partitions import rand_between
from weft.auto.working import Floats, Ints, Prepared
from weft.parallel.blas import one_blas_thread

Singles = NDArray[np.float32]

GRAPH_NEIGHBOURS = 15
AGREES = 0.9  # adjusted Rand index from which a family agrees with a candidate
SMALL_ROWS = 5
FLOOR = 0.01  # of the table's variance: what covariances of clusters are shrunk towards

# One name for each column of the evidence of a cluster, in the order of the kernel.
PER_CLUSTER = (
    "silhouette",
    "path_silhouette",
    "reach_silhouette",
    "compact",
    "density_gap",
    "density_gap_90",
    "split",
    "conductance",
    "neighbours",
    "valley",
    "border",
    "even_density",
    "gaussian",
    "one_mode",
    "apart",
    "apart_fisher",
    "unity",
)
WHOLE = (
    "calinski",
    "modularity",
    "bic_full",
    "bic_diagonal",
    "misplaced",
    "path_misplaced",
    "reach_misplaced",
)
VOTES = ("agreement", "mean_agreement", "votes")
BEYOND = ("silhouette_beyond_chance", "calinski_beyond_chance")
HALVES = ("shown_in_halves", "alike_in_halves", "alike_in_rows")
SIZES = (
    "smallest_share",
    "largest_share",
    "size_entropy",
    "small_clusters",
    "outliers",
    "log_clusters",
    "log_rows",
    "log_axes",
    "log_columns",
)
NAMES: tuple[str, ...] = (
    *(f"{name}_{part}" for name in PER_CLUSTER for part in ("mean", "worst", "best")),
    *WHOLE,
    *VOTES,
    *BEYOND,
    *HALVES,
    *SECOND,
    *SIZES,
)


def log_core(prepared: Prepared) -> Floats:
    """Log of the core distance; where it is 0, a thousandth of the table's median distance."""
    core = prepared.cores[1]
    scale = np.median(core[core > 0]) if (core > 0).any() else 1.0
    return np.log(np.maximum(core, 1e-3 * scale))


def reach_matrix(prepared: Prepared) -> Singles:
    """Mutual reachability distances in single precision."""
    core = prepared.cores[1]
    reach = np.maximum(prepared.distances, core)
    return np.maximum(reach, core[:, None], out=reach).astype(np.float32)


def path_matrix(prepared: Prepared, which: int) -> Singles:
    """Largest edge on a spanning tree's path between any two rows, in single precision."""
    tree = prepared.trees[which]
    out = np.empty(prepared.distances.shape, dtype=np.float32)
    minimax(tree.edges, tree.lengths, out)
    return out


def _evidence_of_clusters(
    prepared: Prepared, labels: Ints, distinct: DistinctClusters
) -> tuple[Floats, Floats]:
    """Evidence of every cluster of every candidate, and of every candidate as a whole."""
    points = prepared.points
    n, d = points.shape
    starts, rows = distinct.starts, distinct.rows
    n_distinct = len(starts) - 1
    shape = (n_distinct, n)
    reach = reach_matrix(prepared)
    sums = np.empty(shape, dtype=np.float32)
    cluster_kernels.sum_rows(prepared.distances.astype(np.float32), starts, rows, sums)
    path_sums = np.empty(shape, dtype=np.float32)
    cluster_kernels.sum_rows(path_matrix(prepared, 0), starts, rows, path_sums)
    reach_sums = np.empty(shape, dtype=np.float32)
    cluster_kernels.sum_rows(path_matrix(prepared, 1), starts, rows, reach_sums)
    nearest = np.empty(shape, dtype=np.float32)
    cluster_kernels.nearest_member(reach, starts, rows, nearest)
    edges = np.empty((n_distinct, cluster_kernels.N_EDGES))
    cluster_kernels.inner_edges(reach, starts, rows, edges)
    core = log_core(prepared)
    floor = FLOOR * np.maximum(points.var(axis=0), 1e-12)
    centres = np.empty((n_distinct, d))
    covariances = np.empty((n_distinct, d, d))
    shapes = np.empty((n_distinct, cluster_kernels.N_SHAPES))
    cluster_kernels.shapes(points, core, starts, rows, floor, centres, covariances, shapes)
    everything = np.empty((1, cluster_kernels.N_SHAPES))
    cluster_kernels.shapes(
        points,
        core,
        np.array([0, n]),
        np.arange(n),
        floor,
        np.empty((1, d)),
        np.empty((1, d, d)),
        everything,
    )
    neighbours = np.ascontiguousarray(prepared.neighbours[:, :GRAPH_NEIGHBOURS])
    degrees = neighbours.shape[1] + np.bincount(neighbours.ravel(), minlength=n).astype(float)
    per_cluster = np.empty((len(distinct.clusters), kernels.N_PER_CLUSTER))
    whole = np.empty((len(labels), kernels.N_WHOLE))
    kernels.measure(
        points,
        core,
        neighbours,
        degrees,
        labels,
        distinct.offsets,
        distinct.clusters,
        starts,
        rows,
        sums,
        path_sums,
        reach_sums,
        nearest,
        edges,
        centres,
        covariances,
        floor,
        shapes,
        everything[0],
        per_cluster,
        whole,
    )
    return per_cluster, whole


def agreement_of_families(labels: Ints, candidates: Sequence[Candidate]) -> Floats:
    """Share of families with a like candidate, mean of their best index, share of votes."""
    indices = np.empty((len(labels), len(labels)))
    rand_between(labels, labels, True, indices)
    present = [name for name in FAMILIES if any(name in c.families for c in candidates)]
    best = np.empty((len(labels), len(present)))
    for column, name in enumerate(present):
        own = [position for position, c in enumerate(candidates) if name in c.families]
        best[:, column] = indices[:, own].max(axis=1)
    votes = np.array([len(c.families) for c in candidates]) / max(len(present), 1)
    return np.column_stack([(best > AGREES).mean(axis=1), best.mean(axis=1), votes])


def measure(
    prepared: Prepared, candidates: Sequence[Candidate], copies: Sequence[Floats] | None = None
) -> Floats:
    """Evidence without labels for each candidate.

    Values do not depend on the scale of the table and are finite. Most are larger for better
    candidates.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    candidates : what `weft.auto.candidates.generate` gave, or more like them
    copies : what `weft.auto.evidence.lumps.one_lump_copies` gave; without it, it is computed

    Returns
    -------
    (len(candidates), len(NAMES)) float64
    """
    if len(candidates) == 0:
        return np.empty((0, len(NAMES)))
    labels = np.stack([c.labels for c in candidates])
    distinct = distinct_clusters(labels)
    per_cluster, whole = _evidence_of_clusters(prepared, labels, distinct)
    n = labels.shape[1]
    firsts = distinct.offsets[:-1]
    n_clusters = np.diff(distinct.offsets).astype(float)
    sizes = np.diff(distinct.starts)[distinct.clusters].astype(float)
    n_labelled = np.add.reduceat(sizes, firsts)
    means = np.add.reduceat(per_cluster * sizes[:, None], firsts, axis=0) / n_labelled[:, None]
    worst = np.minimum.reduceat(per_cluster, firsts, axis=0)
    best = np.maximum.reduceat(per_cluster, firsts, axis=0)
    shares = sizes / np.repeat(n_labelled, np.diff(distinct.offsets))
    entropy = -np.add.reduceat(shares * np.log(shares), firsts)
    numbers = np.column_stack(
        [
            np.minimum.reduceat(shares, firsts),
            np.maximum.reduceat(shares, firsts),
            entropy / np.log(np.maximum(n_clusters, 2.0)),
            np.add.reduceat((sizes < SMALL_ROWS).astype(float), firsts) / n_clusters,
            1.0 - n_labelled / n,
            np.log(n_clusters),
            np.full(len(labels), np.log(n)),
            np.full(len(labels), np.log(prepared.points.shape[1])),
            np.full(len(labels), np.log(max(prepared.n_columns, 1))),
        ]
    )
    parts = np.stack([means, worst, best], axis=2).reshape(len(labels), -1)
    with one_blas_thread():
        chance = chance_of(one_lump_copies(prepared) if copies is None else copies, prepared.seed)
        beyond = [
            parts[:, NAMES.index("silhouette_mean")] - chance.silhouette_at(n_clusters),
            whole[:, WHOLE.index("calinski")] - chance.calinski_at(n_clusters),
        ]
        halves = np.column_stack(
            [shown_in_halves(prepared, labels), alike_in_rows(prepared, labels)]
        )
        second = in_second_view(prepared, labels)
    votes = agreement_of_families(labels, candidates)
    return np.hstack([parts, whole, votes, np.column_stack(beyond), halves, second, numbers])
