"""How a clustering looks in the second view of the rows."""

import numpy as np

from weft._base.arrays import Singles
from weft.auto.working import Floats, Ints, Prepared

NEIGHBOURS = 10
NAMES = ("second_silhouette", "second_worst", "second_neighbours", "second_calinski")


def in_second_view(prepared: Prepared, labels: Ints) -> Floats:
    """Four measures of each candidate, (C, 4), on the rows that are used with halves.

    The mean silhouette, that of the worst cluster, the share of nearest rows that are in the same
    cluster, and the logarithm of the index of Caliński and Harabasz. Outliers are left out.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    labels : (C, n) of the candidates, -1 for outliers
    """
    rows = prepared.half_rows
    distances = prepared.second.distances[np.ix_(rows, rows)]
    single: Singles = distances.astype(np.float32)
    squared: Singles = np.square(single)
    near = np.argsort(distances + np.diag(np.full(len(rows), np.inf)), axis=1, kind="stable")
    near = near[:, : min(NEIGHBOURS, len(rows) - 1)]
    total = squared.sum(dtype=np.float64) / (2.0 * len(rows))
    out = np.empty((len(labels), len(NAMES)))
    for values, row in zip(out, labels[:, rows], strict=True):
        values[:] = _measures(single, squared, near, total, row)
    return out


def _measures(
    distances: Singles, squared: Singles, near: Ints, total: float, labels: Ints
) -> tuple[float, float, float, float]:
    inside = np.flatnonzero(labels >= 0)
    own = labels[inside]
    counts = np.bincount(own)
    if not counts.all():  # rows that are looked at need not have all clusters
        own = (np.cumsum(counts > 0) - 1)[own]
        counts = counts[counts > 0]
    k, n = len(counts), len(inside)
    if k < 2:
        return 0.0, -1.0, 1.0, 0.0
    at = inside * k + own  # of each row's own cluster in (rows, k)
    member = np.zeros((len(labels), k), dtype=np.float32)
    member.ravel()[at] = 1.0
    sizes = counts.astype(np.float64)
    own_sizes = sizes[own]
    sums = distances @ member
    inner = sums.ravel()[at] / np.maximum(own_sizes - 1.0, 1.0)
    sums.ravel()[at] = np.inf
    # Clusters first: the smallest of each row is then taken for many rows at once.
    means = sums.T.astype(np.float64, order="C")
    means /= sizes[:, None]
    outer = means.min(axis=0)[inside]
    widths = (outer - inner) / np.maximum(np.maximum(outer, inner), 1e-300)
    widths = np.where(own_sizes > 1, widths, 0.0)
    each = np.bincount(own, widths, k) / sizes
    near_labels = labels[near[inside]]
    same = np.count_nonzero(near_labels == labels[inside][:, None]) / near_labels.size
    within = float(np.bincount(own, (squared @ member).ravel()[at], k) @ (0.5 / sizes))
    ratio = max(total - within, 0.0) / max(within, 1e-12 * total + 1e-300)
    return (
        float(widths.mean()),
        float(each.min()),
        same,
        float(np.log1p(min(ratio * max(n - k, 1) / (k - 1), 1e12))),
    )
