"""Sums over clusters and nearest centres for a whole swarm: see the reference for the notation.

Each particle's sums run over the rows in order on one thread, so no bit depends on the number of
threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_totals(rows, labels, out, counts):
    """Fill `out` (P, K, q) with sums over each cluster's rows and `counts` with their number."""
    n_particles, n_rows = labels.shape
    width = rows.shape[1]
    out[:] = 0.0
    counts[:] = 0.0
    # Particles are the inner loop, so that a row stays in the first-level cache for all of them.
    for i in range(n_rows):
        row = rows[i]
        for p in range(n_particles):
            k = labels[p, i]
            if k < 0:
                continue
            counts[p, k] += 1.0
            sums = out[p, k]
            for j in range(width):
                sums[j] += row[j]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest(distances, labels, best):
    """Fill `labels` and `best` (P, n) from `distances` (n, P·K): the first smallest of each K."""
    n_particles, n_rows = labels.shape
    n_clusters = distances.shape[1] // n_particles
    for i in range(n_rows):
        row = distances[i]
        for p in range(n_particles):
            first = p * n_clusters
            least = row[first]
            where = 0
            for k in range(1, n_clusters):
                if row[first + k] < least:
                    least = row[first + k]
                    where = k
            labels[p, i] = where
            best[p, i] = least


@njit(nogil=True, cache=True, error_model="numpy")
def sparse_totals(data, indices, indptr, labels, out):
    """Fill `out` (K, M) with sums of the sparse rows of each cluster; `labels` is (n,)."""
    out[:] = 0.0
    for i in range(labels.shape[0]):
        k = labels[i]
        if k < 0:
            continue
        sums = out[k]
        for slot in range(indptr[i], indptr[i + 1]):
            sums[indices[slot]] += data[slot]


@njit(nogil=True, cache=True, error_model="numpy")
def sparse_products(data, indices, indptr, columns, out):
    """Fill `out` (n, K) with the inner products of sparse rows and `columns` (M, K)."""
    n_clusters = columns.shape[1]
    sums = np.empty(n_clusters)
    for i in range(out.shape[0]):
        sums[:] = 0.0
        for slot in range(indptr[i], indptr[i + 1]):
            value = data[slot]
            column = columns[indices[slot]]
            for k in range(n_clusters):
                sums[k] += value * column[k]
        for k in range(n_clusters):
            out[i, k] = sums[k]
