"""Plain k-means of small tables, in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import lloyd


class Partition(NamedTuple):
    """Labels (n,), centres (K, d), and the sum of squared distances to them."""

    labels: Integers
    centers: Floats
    within: float


def kmeans(
    rows: Floats, order: Integers, draws: Floats, n_clusters: int, max_iter: int
) -> Partition:
    """Return the best of one run of k-means for each row of `draws`.

    Parameters
    ----------
    rows : (n, d)
    order : (n,) the rows in an order that follows from their values
    draws : (n_init, 1 + (n_clusters - 1) * trials) uniform numbers for greedy k-means++
    n_clusters : at most n
    max_iter : most rounds of a run
    """
    labels = np.empty(len(rows), dtype=np.int64)
    centers = np.empty((n_clusters, rows.shape[1]))
    columns = np.ascontiguousarray(rows.T)
    within = lloyd.kmeans(columns, order, draws, max_iter, labels, centers)
    return Partition(labels, centers, within)
