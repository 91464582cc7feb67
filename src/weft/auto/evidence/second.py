"""How a clustering looks in the second view of the rows."""

import numpy as np

from weft._base.arrays import Singles
from weft.auto.kernels import second as kernels
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
    near = np.ascontiguousarray(near[:, : min(NEIGHBOURS, len(rows) - 1)])
    total = squared.sum(dtype=np.float64) / (2.0 * len(rows))
    own = np.empty((len(labels), len(rows)), dtype=np.int64)
    n_clusters, n_rows = np.empty((2, len(labels)), dtype=np.int64)
    kernels.number_all_present(np.ascontiguousarray(labels[:, rows]), own, n_clusters, n_rows)
    out = np.empty((len(labels), len(NAMES)))
    for values, row, k, n in zip(out, own, n_clusters.tolist(), n_rows.tolist(), strict=True):
        values[:] = _measures(single, squared, near, total, row, k, n)
    return out


def _measures(
    distances: Singles, squared: Singles, near: Ints, total: float, own: Ints, k: int, n: int
) -> tuple[float, float, float, float]:
    """Return the measures of one candidate: `own` are its labels, k clusters with n rows."""
    if k < 2:
        return 0.0, -1.0, 1.0, 0.0
    member = np.zeros((len(own), k), dtype=np.float32)
    sizes = np.zeros(k)
    kernels.fill_members(own, member, sizes)
    widths, each, within = np.empty(n), np.empty(k), np.empty(k)
    same = kernels.compare_clusters(
        distances @ member, squared @ member, near, own, sizes, widths, each, within
    )
    inner = float(within @ (0.5 / sizes))
    ratio = max(total - inner, 0.0) / max(inner, 1e-12 * total + 1e-300)
    return (
        float(widths.mean()),
        float(each.min()),
        same,
        float(np.log1p(min(ratio * max(n - k, 1) / (k - 1), 1e12))),
    )
