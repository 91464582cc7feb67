"""Sums over clusters and nearest centres for a whole swarm, dense and sparse.

========  ==========  =========================================================================
symbol    shape       meaning
========  ==========  =========================================================================
rows      (n, q)      what is summed: squares and values of a table side by side
labels    (P, n)      cluster of each row for each particle; -1 for rows in none
out       (P, K, q)   sums over each cluster's rows
csr       three       `data`, `indices`, `indptr` of n sparse rows over M columns
========  ==========  =========================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]


def cluster_totals(rows: Floats, labels: Integers, out: Floats, counts: Floats) -> None:
    """Fill `out` (P, K, q) with Σ_{i: label_pi = k} rows_i, and `counts` (P, K) with how many."""
    for particle, own in enumerate(labels):
        for cluster in range(out.shape[1]):
            members = own == cluster
            out[particle, cluster] = rows[members].sum(axis=0, dtype=np.float64)
            counts[particle, cluster] = members.sum()


def nearest(distances: Floats, labels: Integers, best: Floats) -> None:
    """Fill `labels` and `best` (P, n) from `distances` (n, P·K): the first least of each K."""
    n_particles, n_rows = labels.shape
    grouped = distances.reshape(n_rows, n_particles, -1)
    labels[:] = grouped.argmin(axis=2).T
    best[:] = grouped.min(axis=2).T


def sparse_totals(
    data: Floats, indices: Integers, indptr: Integers, labels: Integers, out: Floats
) -> None:
    """Fill `out` (K, M) with sums of the sparse rows of each cluster; `labels` is (n,)."""
    rows = csr_array((data, indices, indptr), shape=(len(labels), out.shape[1]))
    for cluster in range(len(out)):
        out[cluster] = rows[np.flatnonzero(labels == cluster)].sum(axis=0)


def sparse_products(
    data: Floats, indices: Integers, indptr: Integers, columns: Floats, out: Floats
) -> None:
    """Fill `out` (n, K) with the inner products of sparse rows and `columns` (M, K)."""
    rows = csr_array((data, indices, indptr), shape=(len(out), len(columns)))
    out[:] = rows @ columns
