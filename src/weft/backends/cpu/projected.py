"""Partitions and weights of a whole swarm over one table: the notation is that of the reference.

Σ_j f (x - z)² = Σ_j f x² - 2 Σ_j (f z) x + Σ_j f z²: with squares and values of the rows side by
side, (n, 2M), the distances of all rows to the centres of all particles are one product with a
(2M, P·K) matrix, 4 n M P K operations. The means are subtracted first, so that differences of large
numbers do not lose digits.

Products run on one BLAS thread per block of rows, blocks on `run`'s threads: the number of blocks
depends on n alone, so no bit depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Labels, Mask, Singles
from weft.backends.cpu.kernels import projected as kernels
from weft.backends.reference.projected import (
    Csr,
    Summary,
    distances_from_products,
    put_refilled,
    summary_of,
)

# Operations whose readable form is as fast as compiled code.
from weft.backends.reference.projected import draw_next as draw_next
from weft.backends.reference.projected import fetch as fetch
from weft.backends.reference.projected import refill as refill
from weft.parallel.threads import Runner

BLOCK_ROWS = 256


class Table(NamedTuple):
    """A table ready for swarms."""

    X: Floats  # (n, M)
    norms: Floats  # (n,), Σ_j x²
    squares: Floats  # (n, 2M), squares and values side by side
    scale: Floats  # (M,), the largest |x| of a column
    quick: Singles  # (n, 2M), the same of x / scale: float32 holds their range
    n_clusters: int
    run: Runner


def load(X: Floats, n_clusters: int, run: Runner, device: str) -> Table:
    norms = np.einsum("ij,ij->i", X, X)
    squares = np.hstack([X * X, X])
    scale = np.abs(X).max(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    quick = np.empty(squares.shape, dtype=np.float32)
    scaled = X / scale
    quick[:, : X.shape[1]] = scaled * scaled
    quick[:, X.shape[1] :] = scaled
    return Table(X, norms, squares, scale, quick, n_clusters, run)


def hold(table: Table, labels: Labels) -> Labels:
    return labels.copy()


def summarise(table: Table, partitions: Labels, live: Integers) -> Summary:
    labels = partitions[live]
    n_features = table.X.shape[1]
    totals = np.empty((len(labels), table.n_clusters, 2 * n_features))
    sizes = np.empty((len(labels), table.n_clusters))

    def task(first: int, last: int) -> None:
        kernels.cluster_totals(
            table.squares, labels[first:last], totals[first:last], sizes[first:last]
        )

    table.run(task, len(labels))
    return summary_of(totals, sizes)


def assign(
    table: Table, factors: Floats, centers: Floats, dead: Mask, exact: bool
) -> tuple[Labels, Floats]:
    # Single precision unless `exact`: the nearest centre can change only if two distances agree to
    # six digits.
    n_rows, n_features = table.X.shape
    n_particles = len(factors)
    left = table.squares if exact else table.quick
    if not exact:
        factors = factors * (table.scale * table.scale)
        largest = factors.max(axis=(1, 2), keepdims=True)
        factors = factors / np.where(largest > 0.0, largest, 1.0)
        centers = centers / table.scale
    tilted = factors * centers
    right = np.empty((n_particles * table.n_clusters, 2 * n_features), dtype=left.dtype)
    right[:, :n_features] = factors.reshape(-1, n_features)
    right[:, n_features:] = (-2.0 * tilted).reshape(-1, n_features)
    constant = np.einsum("pkj,pkj->pk", tilted, centers)
    constant[dead] = np.inf
    constant = constant.reshape(-1).astype(left.dtype)
    labels = np.empty((n_particles, n_rows), dtype=np.int32)
    best = np.empty((n_particles, n_rows))

    def block(first: int, last: int) -> None:
        for number in range(first, last):
            rows = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
            distances = left[rows] @ right.T
            distances += constant
            kernels.nearest(distances, labels[:, rows], best[:, rows])

    table.run(block, -(-n_rows // BLOCK_ROWS))
    return labels, best


def reassign(
    table: Table,
    partitions: Labels,
    live: Integers,
    factors: Floats,
    centers: Floats,
    dead: Mask,
    exact: bool,
) -> Mask:
    labels, cost = assign(table, factors, centers, dead, exact)
    return put_refilled(partitions, live, labels, cost, table.n_clusters)


def squared_distances(table: Table, rows: Integers) -> Floats:
    return distances_from_products(table.norms, rows, table.X[rows] @ table.X.T)


def sparse_products(csr: Csr, columns: Floats) -> Floats:
    out = np.empty((len(csr[2]) - 1, columns.shape[1]))
    kernels.sparse_products(*csr, columns, out)
    return out


def sparse_totals(csr: Csr, labels: Labels, n_clusters: int, n_features: int) -> Floats:
    out = np.empty((n_clusters, n_features))
    kernels.sparse_totals(*csr, labels, out)
    return out
