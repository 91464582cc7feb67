"""Evidence of each cluster of a candidate, from descriptions of its clusters.

Values are larger for better clusters. Candidate c has the clusters `clusters[offsets[c] : offsets[c
+ 1]]` among the distinct ones; their order is that of its labels.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels import clusters as described
from weft.auto.kernels.pairs import dip_between, fisher_axis
from weft.auto.kernels.rows import graph_evidence, separations, silhouettes

# columns of the evidence of a cluster
(
    SILHOUETTE,
    PATH_SILHOUETTE,
    REACH_SILHOUETTE,
    COMPACT,
    SPARSE_EDGE,
    SPARSE_EDGE_90,
    SPLIT,
    CONDUCTANCE,
    NEIGHBOURS,
    VALLEY,
    BORDER,
    EVEN,
    GAUSSIAN,
    ONE_MODE,
    APART,
    APART_FISHER,
    UNITY,
) = range(17)
N_PER_CLUSTER = 17
# columns of the evidence of a whole candidate
(
    CALINSKI,
    MODULARITY,
    BIC_FULL,
    BIC_DIAGONAL,
    MISPLACED,
    PATH_MISPLACED,
    REACH_MISPLACED,
) = range(7)
N_WHOLE = 7
TINY = 1e-12
MOST_LOG = 4.0  # logarithms of ratios are clipped to ± this


@njit(**COMPILED)
def log_ratio(first, second):
    """log(first / second), defined for zeros and clipped."""
    value = np.log((first + TINY) / (second + TINY))
    return min(max(value, -MOST_LOG), MOST_LOG)


@njit(**COMPILED)
def gaussian_gain(k, n_parameters, weighted, n, d, n_outliers, fit_of_all):
    """BIC of one Gaussian for each cluster over that of one for all, per value of the table.

    Outliers have the density of the whole.
    """
    if n_outliers > 0:
        weighted += n_outliers * (fit_of_all + np.log(n_outliers / n))
    gain = weighted - n * fit_of_all
    gain -= 0.5 * np.log(n) * ((k - 1) * (n_parameters + 1.0))
    return gain / (n * d)


@njit(**COMPILED)
def measure(
    points,
    core,
    neighbours,
    degrees,
    labels,
    offsets,
    clusters,
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
    shape_of_all,
    per_cluster,
    whole,
):
    """Fill the evidence of every cluster (sum of K, 17) and of every candidate (C, 7)."""
    n, d = points.shape
    m = neighbours.shape[1]
    other = np.empty(n)
    buffer = np.empty(2 * n)
    distance = np.empty(n)
    partner = np.zeros(n, dtype=np.int64)
    inside = np.empty(n)
    volume = np.empty(n)
    border = np.empty(n)
    crossing = np.empty(n)
    sizes = np.empty(n, dtype=np.int64)
    middle = np.empty(d)
    axis = np.empty(d)
    fisher = np.empty(d)
    # Candidates share clusters that have the same partner: what was measured last is kept.
    known = np.empty((len(shapes), 2))
    known_partner = np.empty(len(shapes), dtype=np.int64)
    for u in range(len(shapes)):
        known_partner[u] = -1
    for candidate in range(len(labels)):
        label = labels[candidate]
        ids = clusters[offsets[candidate] : offsets[candidate + 1]]
        k = len(ids)
        out = per_cluster[offsets[candidate] : offsets[candidate + 1]]
        n_labelled = 0
        for c in range(k):
            sizes[c] = starts[ids[c] + 1] - starts[ids[c]]
            n_labelled += sizes[c]
        n_outliers = n - n_labelled
        whole[candidate, MISPLACED] = silhouettes(
            label, ids, sizes, sums, other, out[:, SILHOUETTE]
        )
        whole[candidate, PATH_MISPLACED] = silhouettes(
            label, ids, sizes, path_sums, other, out[:, PATH_SILHOUETTE]
        )
        whole[candidate, REACH_MISPLACED] = silhouettes(
            label, ids, sizes, reach_sums, other, out[:, REACH_SILHOUETTE]
        )
        separations(label, ids, nearest, distance, partner)
        whole[candidate, MODULARITY] = graph_evidence(
            label, k, neighbours, degrees, core, inside, volume, border, crossing
        )
        for f in range(d):
            middle[f] = 0.0
        within = 0.0
        full = 0.0
        diagonal = 0.0
        for c in range(k):
            u = ids[c]
            within += shapes[u, described.SQUARES]
            share = np.log(sizes[c] / n)
            full += sizes[c] * (share + shapes[u, described.FIT_FULL])
            diagonal += sizes[c] * (share + shapes[u, described.FIT_DIAGONAL])
            for f in range(d):
                middle[f] += centres[u, f] * sizes[c] / n_labelled
        between = 0.0
        for c in range(k):
            for f in range(d):
                between += sizes[c] * (centres[ids[c], f] - middle[f]) ** 2
        if k > 1 and between > 0.0:
            # Shares of the whole keep the ratio in range where clusters have no inner spread.
            whole[candidate, CALINSKI] = np.log(
                between / (k - 1.0) / (within / max(n_labelled - k, 1) + 1e-9 * between)
            )
        else:
            whole[candidate, CALINSKI] = np.log(TINY)
        whole[candidate, BIC_FULL] = gaussian_gain(
            k,
            d + 0.5 * d * (d + 1),
            full,
            n,
            d,
            n_outliers,
            shape_of_all[described.FIT_FULL],
        )
        whole[candidate, BIC_DIAGONAL] = gaussian_gain(
            k,
            2.0 * d,
            diagonal,
            n,
            d,
            n_outliers,
            shape_of_all[described.FIT_DIAGONAL],
        )
        for c in range(k):
            u = ids[c]
            worst = 0.0
            for b in range(k):
                if b == c:
                    continue
                gap = 0.0
                for f in range(d):
                    gap += (centres[u, f] - centres[ids[b], f]) ** 2
                radii = shapes[u, described.RADIUS] + shapes[ids[b], described.RADIUS]
                worst = max(worst, radii / (np.sqrt(gap) + radii + TINY))
            out[c, COMPACT] = 1.0 - worst
            apart = distance[c]
            edge = edges[u, described.LARGEST]
            out[c, SPARSE_EDGE] = (apart - edge) / max(max(apart, edge), TINY)
            edge = edges[u, described.NINETIETH]
            out[c, SPARSE_EDGE_90] = (apart - edge) / max(max(apart, edge), TINY)
            out[c, SPLIT] = log_ratio(apart, edges[u, described.SPLIT])
            outside = volume[c] - 2.0 * inside[c]
            smaller = min(volume[c], 2.0 * n * m - volume[c])
            out[c, CONDUCTANCE] = 1.0 - outside / smaller if smaller > 0.0 else 0.0
            out[c, NEIGHBOURS] = inside[c] / (sizes[c] * m)
            level = shapes[u, described.CORE]
            out[c, VALLEY] = log_ratio(apart, np.exp(level))
            if crossing[c] > 0.0:
                rise = border[c] / crossing[c] - level
                out[c, BORDER] = min(max(rise, -MOST_LOG), MOST_LOG)
            else:
                out[c, BORDER] = out[c, VALLEY]
            out[c, EVEN] = -shapes[u, described.CORE_SPREAD]
            out[c, GAUSSIAN] = -abs(shapes[u, described.KURTOSIS])
            out[c, ONE_MODE] = -shapes[u, described.DIP]
            p = ids[partner[c]]
            if c > 0 and partner[partner[c]] == c and partner[c] < c:
                out[c, APART] = out[partner[c], APART]
                out[c, APART_FISHER] = out[partner[c], APART_FISHER]
            else:
                if known_partner[u] != p:
                    known_partner[u] = p
                    members = rows[starts[u] : starts[u + 1]]
                    others = rows[starts[p] : starts[p + 1]]
                    for f in range(d):
                        axis[f] = centres[p, f] - centres[u, f]
                    known[u, 0] = dip_between(points, members, others, axis, buffer)
                    fisher_axis(axis, covariances[u], covariances[p], floor, fisher)
                    known[u, 1] = dip_between(points, members, others, fisher, buffer)
                out[c, APART] = known[u, 0]
                out[c, APART_FISHER] = known[u, 1]
            out[c, UNITY] = -log_ratio(edges[u, described.SPLIT], edges[u, described.MEDIAN])
