"""Nearest rows and measures of one clustering on a CPU `Space`, without a particle axis.

Formulas and conventions are those of the public functions in :mod:`weft.metrics.internal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.buffers import aligned
from weft.backends.cpu.kernels import neighbours as neighbour_kernels
from weft.backends.cpu.kernels import products as product_kernels
from weft.backends.cpu.kernels import scores as score_kernels
from weft.backends.cpu.kernels import tiles as tile_kernels
from weft.backends.cpu.spaces import Space
from weft.backends.spaces import Neighbours
from weft.parallel.blas import one_blas_thread
from weft.parallel.threads import map_ranges

# Clusters × rows whose sums of distances are held at once (at most 64 MB in double precision).
SUMS_AT_ONCE = 8_000_000
# Number of parts of the symmetric silhouette: more than the usual number of threads.
_PARTS = 8


def nearest_rows(
    space: Space, n_neighbors: int, guess: Integers | None = None
) -> tuple[Integers, NDArray[Any]]:
    """Return the nearest rows of each row (n, k), and their powered distances.

    `guess` (n, g) may name rows that are probably among them.
    """
    k = min(n_neighbors, space.n_rows - 1)
    indices = np.empty((space.n_rows, k), dtype=np.int64)
    powered = np.empty((space.n_rows, k), dtype=space.buffers.dtype)
    if k == 0:
        return indices, powered
    if guess is None:
        guess = np.empty((space.n_rows, 0), dtype=np.int64)
    if space.rows is not None:
        limits = np.empty_like(space.rows.norms)
        tile_kernels.likely_limits(space.rows.tiles, space.rows.slack, guess, limits)
        store = space.tile_store()
        tile_kernels.nearest_in_tiles(*space.rows, limits, store, indices, powered)
        space.tiles_ready = space.buffers.hold_matrix
        return indices, powered
    for start, block in space.blocks():
        if space.exact:
            neighbour_kernels.nearest_in_block(block, start, True, indices, powered)
        else:
            neighbour_kernels.settled_nearest_in_block(
                block, start, guess, *space.doubt, space.columns, space.exponents, indices, powered
            )
    return indices, powered


def nearest_neighbours(space: Space, n_neighbors: int) -> Neighbours:
    """Return the nearest rows (n, k) of each row and their distances, nearest first."""
    indices, powered = nearest_rows(space, n_neighbors)
    if not space.exact:
        # The rows are correct, but their distances are rounded: these few are computed in float64.
        powered = np.empty(indices.shape)
        neighbour_kernels.true_values(space.columns, space.exponents, indices, powered)
    return Neighbours(indices, space.to_distances(powered))


def silhouette_samples(space: Space, labels: Integers) -> Floats:
    """Return the silhouette of each row; 0 for rows without a label."""
    counts = np.bincount(labels[labels >= 0])
    out = np.empty(space.n_rows)
    if len(counts) * space.n_rows > SUMS_AT_ONCE:
        for start, block in space.blocks():
            score_kernels.silhouette_block(block, start, labels, counts, space.root, out)
        return out
    if space.rows is None or space.matrix_ready:
        sums = np.zeros((len(counts), space.n_rows), dtype=space.buffers.dtype)
        for start, block in space.blocks():
            score_kernels.add_cluster_sums(block, start, labels, space.root, sums)
    else:
        rows = space.rows
        sums = aligned((len(counts), len(rows.norms)), space.buffers.dtype)
        sums[:] = 0.0
        ready, store = space.tiles_ready, space.tile_store()
        tile_kernels.add_tile_sums(*rows, 0, len(rows.tiles), ready, store, labels, sums)
        space.tiles_ready = space.buffers.hold_matrix
    score_kernels.silhouette_rows(sums, labels, counts, out)
    return out


def symmetric_silhouette_samples(space: Space, labels: Integers, n_threads: int) -> Floats:
    """Return the same in half the work, for a space without exponents, on several threads.

    The pairs are divided into a fixed number of parts, whose sums are added in a fixed order. So
    the result does not depend on the threads; it may differ from `silhouette_samples` in the last
    bits.
    """
    counts = np.bincount(labels[labels >= 0])
    rows = space.rows
    if rows is None:
        raise ValueError("a space with exponents, or of given distances, has no rows.")
    n_tiles = len(rows.tiles)
    # Early rows of tiles are longer: divide so that parts have equal numbers of pairs, not of rows.
    shares = 1.0 - np.sqrt(1.0 - np.linspace(0.0, 1.0, _PARTS + 1))
    edges = np.round(shares * n_tiles).astype(int)
    parts = np.zeros((_PARTS, len(counts), len(rows.norms)))

    def work(first: int, last: int) -> None:
        store = aligned((1, product_kernels.TILE, product_kernels.TILE), rows.tiles.dtype)
        for part in range(first, last):
            tile_kernels.add_tile_sums(
                *rows, edges[part], edges[part + 1], False, store, labels, parts[part]
            )

    with one_blas_thread():
        map_ranges(work, _PARTS, n_threads)
    out = np.empty(space.n_rows)
    score_kernels.silhouette_rows(parts.sum(axis=0), labels, counts, out)
    return out


def connectedness_samples(neighbours: Neighbours, labels: Integers, cap: float) -> Floats:
    """Return the connectedness of each row; `neighbours` have no particle axis."""
    out = np.empty(len(labels))
    score_kernels.connectedness_rows(*neighbours, labels, cap, out)
    return out


def sparsity_and_separation(space: Space, labels: Integers) -> tuple[float, float]:
    """Return both, since one pass over the distances gives both."""
    same = np.empty(space.n_rows, dtype=space.buffers.dtype)
    other = np.empty_like(same)
    for start, block in space.blocks():
        score_kernels.nearest_by_label_block(block, start, labels, same, other)
    widest, nearest = [], []
    for cluster in range(int(labels.max(initial=-1)) + 1):
        rows = labels == cluster
        widest.append(same[rows].max())
        nearest.append(other[rows].min())
    # A cluster of one row, or a single cluster, has no such distance: it counts as 0.
    powered = np.array([widest, nearest]).reshape(2, -1)
    values = space.to_distances(np.where(np.isfinite(powered), powered, 0.0))
    if values.shape[1] == 0:
        return 0.0, 0.0
    return float(values[0].mean()), float(values[1].mean())


def gaussian_scores(X: Floats, labels: Integers, noise: float) -> tuple[Floats, Floats]:
    """Return log P(x|Model)P(Model) of each row's own cluster and of the best other one."""
    own, best_other = np.zeros(len(X)), np.zeros(len(X))
    n_clusters = int(labels.max(initial=-1)) + 1
    if n_clusters:
        spread = X.std(axis=0)
        # Without artificial noise a constant column would divide by zero.
        floor = 1e-12 * np.where(spread > 0.0, spread, 1.0)
        score_kernels.gaussian_scores(X, labels, n_clusters, noise, floor, own, best_other)
    return own, best_other


def mean_of_labelled(values: Floats, labels: Integers) -> float:
    """Return the mean over the rows that are in a cluster; 0 where there are none."""
    labelled = labels >= 0
    return float(values[labelled].mean()) if labelled.any() else 0.0
