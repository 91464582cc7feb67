"""Clustering of one CPU `Space`, without a particle axis; the clusterers cite the papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Integers
from weft._base.labels import number_by_first_row
from weft.backends.cpu.buffers import AnyFloats
from weft.backends.cpu.kernels import affinity as affinity_kernels
from weft.backends.cpu.kernels import linkage as linkage_kernels
from weft.backends.cpu.kernels import neighbours as kernels
from weft.backends.cpu.kernels import products as product_kernels
from weft.backends.cpu.kernels.density_tiles import count_in_tiles, join_in_tiles
from weft.backends.cpu.kernels.near_linkage import near_linkage
from weft.backends.cpu.kernels.settled_linkage import settled_linkage
from weft.backends.cpu.kernels.vectors import PIECE as SMALLEST
from weft.backends.cpu.spaces import Space

# From this many rows on, complete linkage merges near rows first; below, a matrix is as fast.
SMALLEST_NEAR = 16 * product_kernels.TILE
# Attempts that may fail before no other is made: on tables with many ties, all of them fail.
_ATTEMPTS = 3


def graph_components(indices: Integers) -> Integers:
    """Return the connected components of the undirected graph of nearest rows (n, k)."""
    labels = np.empty(len(indices), dtype=np.int64)
    kernels.graph_components(indices, labels)
    return labels


def dbscan(space: Space, eps: float, min_samples: int) -> tuple[Integers, NDArray[np.bool_]]:
    """Return labels, -1 for noise, and which rows are core rows."""
    n_rows = space.n_rows
    radius = space.to_powered(eps)
    parent = np.arange(n_rows)
    nearest = np.full(n_rows, -1, dtype=np.int64)
    reach = np.full(n_rows, np.inf)
    if space.rows is not None:
        within = np.empty(len(space.rows.norms), dtype=np.int32)
        store = space.tile_store()
        count_in_tiles(*space.rows, radius, store, within)
        space.tiles_ready = space.buffers.hold_matrix
        core = within[:n_rows] >= min_samples
        join_in_tiles(*space.rows, radius, space.tiles_ready, store, core, parent, nearest, reach)
    else:
        behind = (*space.doubt, space.columns, space.exponents)
        counts = np.empty(n_rows, dtype=np.int64)
        for start, block in space.blocks():
            kernels.count_within(block, start, radius, *behind, counts)
        core = counts >= min_samples
        for start, block in space.blocks():
            kernels.join_cores(block, start, radius, *behind, core, parent)
            kernels.nearest_core(block, start, radius, *behind, core, nearest, reach)
    labels = np.empty(n_rows, dtype=np.int64)
    kernels.label_roots(parent, core, labels)
    border = ~core & (nearest >= 0)
    labels[border] = labels[nearest[border]]
    return number_by_first_row(labels), core


def complete_linkage(space: Space, n_clusters: int) -> Integers:
    """Return labels of complete linkage, cut at `n_clusters`."""
    n_rows = space.n_rows
    labels = np.empty(n_rows, dtype=np.int64)
    if space.exact:
        linkage_kernels.complete_linkage(space.consume_matrix(), n_clusters, labels)
        return labels
    # Memory for the distances and a copy to overwrite, or for all in double precision.
    both = space.buffers.get("both", (2, n_rows, n_rows))
    was_ready = space.matrix_ready
    if not was_ready and _near_linkage(space, both.reshape(-1), n_clusters, labels):
        return labels
    if not was_ready:
        space.buffers.put("matrix", both[0])
    settled = n_rows >= SMALLEST and settled_linkage(
        space.matrix(), both[1], *space.doubt, space.columns, space.exponents, n_clusters, labels
    )
    if not settled:
        exact = both.reshape(-1).view(np.float64)[: n_rows**2].reshape(n_rows, n_rows)
        space.exact_matrix(exact)
        linkage_kernels.complete_linkage(exact, n_clusters, labels)
        if not was_ready:
            space.forget_matrix()
    return labels


def _near_linkage(space: Space, room: AnyFloats, n_clusters: int, labels: Integers) -> bool:
    """Fill `labels`, starting from near rows; return whether it was possible.

    `room` is memory for two matrices. If it was possible, it keeps the tiles of all distances.
    """
    n_rows, rows = space.n_rows, space.rows
    if rows is None or n_rows < SMALLEST_NEAR or room.dtype != np.float32:
        return False
    if space.buffers.n_failures >= _ATTEMPTS:
        return False
    n_tiles = product_kernels.count_tiles(n_rows)
    n_held = n_tiles * (n_tiles + 1) // 2
    side = product_kernels.TILE
    store, rest = room[: n_held * side**2].reshape(n_held, side, side), room[n_held * side**2 :]
    numbers, floats = rest[: len(rest) // 3].view(np.uint32), rest[len(rest) // 3 :]
    if not near_linkage(*rows, store, numbers, floats, n_clusters, labels):
        space.buffers.n_failures += 1
        return False
    space.use_tiles(store)
    return True


def affinity_propagation(
    space: Space, damping: float, preference: float | None, max_iter: int, convergence_iter: int
) -> tuple[Integers, bool]:
    """Return each row's exemplar, -1 if there is none, and whether the messages converged.

    The similarity is minus the squared *distance*, with exponents too.
    """
    shape = (space.n_rows, space.n_rows)
    similarity = space.buffers.get("similarity", shape)
    squared = space.matrix()
    if space.root != 2.0:
        squared = similarity
        np.square(space.to_distances(space.matrix()), out=squared)
    diagonal = -_median(squared) if preference is None else preference * space.scale**2
    np.negative(squared, out=similarity)
    np.fill_diagonal(similarity, diagonal)
    affinity_kernels.break_ties(similarity)
    exemplars = np.empty(space.n_rows, dtype=np.int64)
    settled = affinity_kernels.affinity_propagation(
        similarity,
        space.buffers.get("responsibility", shape, np.float64),
        space.buffers.get("availability", shape, np.float64),
        damping,
        max_iter,
        convergence_iter,
        exemplars,
    )
    return exemplars, bool(settled)


def _median(squared: NDArray[Any]) -> float:
    """Return the median of all entries of a symmetric matrix with zeros on its diagonal.

    Counting the entries by their first 16 bits locates it, so that few entries are sorted.
    """
    n_rows = len(squared)
    # In ascending order come the n zeros of the diagonal, then each entry of the upper half twice.
    places = [max((n_rows**2 - 1) // 2 - n_rows, 0) // 2, max(n_rows**2 // 2 - n_rows, 0) // 2]
    if n_rows**2 // 2 - n_rows < 1:
        return float(np.median(squared))
    shift = np.uint64(15 if squared.itemsize == 4 else 47)
    counts = np.empty(2**16, dtype=np.int64)
    affinity_kernels.upper_bins(squared, shift, counts)
    ends = np.cumsum(counts)
    first, last = np.searchsorted(ends, places, side="right")
    chosen = np.empty(counts[first : last + 1].sum(), dtype=squared.dtype)
    affinity_kernels.upper_between(squared, shift, np.uint64(first), np.uint64(last), chosen)
    within = np.array(places) - (ends[first] - counts[first])
    return float(np.partition(chosen, within)[within].astype(np.float64).mean())
