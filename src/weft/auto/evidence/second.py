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
    filled = np.bincount(labels[inside]) > 0
    own = (np.cumsum(filled) - 1)[labels[inside]]
    k, n = int(filled.sum()), len(inside)
    if k < 2:
        return 0.0, -1.0, 1.0, 0.0
    member = np.zeros((len(labels), k), dtype=np.float32)
    member[inside, own] = 1.0
    sizes = member.sum(axis=0, dtype=np.float64)
    sums = (distances @ member)[inside].astype(np.float64)
    at = np.arange(n)
    inner = sums[at, own] / np.maximum(sizes[own] - 1.0, 1.0)
    sums /= sizes
    sums[at, own] = np.inf
    outer = sums.min(axis=1)
    widths = (outer - inner) / np.maximum(np.maximum(outer, inner), 1e-300)
    widths = np.where(sizes[own] > 1, widths, 0.0)
    each = np.bincount(own, widths, k) / sizes
    same = (labels[near[inside]] == labels[inside][:, None]).mean()
    within = float(((squared @ member) * member).sum(axis=0, dtype=np.float64) @ (0.5 / sizes))
    ratio = max(total - within, 0.0) / max(within, 1e-12 * total + 1e-300)
    return (
        float(widths.mean()),
        float(each.min()),
        float(same),
        float(np.log1p(min(ratio * max(n - k, 1) / (k - 1), 1e12))),
    )
