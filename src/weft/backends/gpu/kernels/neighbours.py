"""Nearest rows and connected components, for a whole swarm; see the reference for the notation."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.distances import Distances

# More neighbours than this do not fit into the fused search's lists.
_MOST_FUSED = 28


class Nearest(NamedTuple):
    """The nearest rows of each row; the set is exact, the order is not guaranteed."""

    indices: Tensor  # (P, n, k)
    powered: Tensor  # (P, n, k), in float64
    source: Any = None  # what the fused silhouette takes its products from


def nearest_rows(distances: Distances, k: int) -> Nearest:
    """Return the k nearest rows of each row; on a tie, the row that comes first."""
    k = min(k, distances.n_rows - 1)
    if distances.fused and 0 < k <= _MOST_FUSED:
        return _fused_nearest(distances, k)
    indices, values = [], []
    for first, block in distances.blocks():
        rows = torch.arange(block.shape[1], device=block.device)
        block[:, rows, first + rows] = torch.inf
        ordered = torch.sort(block, dim=2, stable=True)
        indices.append(ordered.indices[:, :, :k].to(torch.int32))
        values.append(ordered.values[:, :, :k])
    return Nearest(torch.cat(indices, dim=1), torch.cat(values, dim=1))


def _fused_nearest(distances: Distances, k: int) -> Nearest:
    source = fused.nearest.Source(distances.table, distances.metrics, power_share(distances))
    blocks = None if distances.metrics.exponents is None else powered_blocks(distances)
    indices, values, _ = fused.nearest.nearest_rows(source, distances.columns, k, blocks)
    return Nearest(indices, values, source)


def power_share(distances: Distances) -> float:
    """Return the largest relative error of a powered distance in single precision.

    Logarithm and exponential of the special-function unit have errors of 2^-22 each. Logarithms up
    to 126 are rounded, and so is the sum.
    """
    if distances.metrics.exponents is None:
        return 0.0
    return 2.0 * (2e-7 * (8.0 + 126.0) + int(distances.metrics.kept.shape[1]) * 2.0**-24)


def powered_blocks(distances: Distances) -> Any:
    """Yield (first row, powered distances (P, b, n) in single precision)."""
    n_rows = distances.n_rows
    height = distances.max_memory // (4 * distances.metrics.n_particles * n_rows)
    height = min(max(height, 1), n_rows)
    split = fused.distances.split_columns(distances.table, distances.metrics)
    for first in range(0, n_rows, height):
        yield first, fused.distances.powered_rows(split, first, min(first + height, n_rows))


def graph_components(indices: Tensor) -> Tensor:
    """Return labels (P, n) int32 of the undirected kNN graphs, numbered by first row."""
    if is_fused(indices.device):
        return number_roots(fused.components.graph_components(indices))
    P, n_rows, k = indices.shape
    rows = torch.arange(n_rows, device=indices.device)
    tails = rows.repeat_interleave(k).expand(P, -1)
    heads = indices.reshape(P, -1).long()
    parent = rows.expand(P, -1).clone()
    while True:
        a, b = parent.gather(1, tails), parent.gather(1, heads)
        if torch.equal(a, b):
            return number_roots(parent.to(torch.int32))
        parent.scatter_reduce_(1, torch.maximum(a, b), torch.minimum(a, b), "amin")
        parent = flatten(parent)


def flatten(parent: Tensor) -> Tensor:
    """Follow pointers (P, n) to their last targets."""
    while True:
        further = parent.gather(1, parent)
        if torch.equal(further, parent):
            return parent
        parent = further


def number_roots(parent: Tensor, member: Tensor | None = None) -> Tensor:
    """Return labels (P, n) int32, 0 … K-1 by first row, from each row's first mate.

    Rows that are not in `member` get -1.
    """
    is_root = parent == torch.arange(parent.shape[1], dtype=parent.dtype, device=parent.device)
    if member is not None:
        is_root &= member
    number = is_root.cumsum(dim=1, dtype=torch.int32) - 1
    labels = number.gather(1, parent.long())
    return labels if member is None else torch.where(member, labels, -1)


def dbscan(distances: Distances, eps: float, min_samples: int) -> tuple[Tensor, Tensor]:
    """Return labels (P, n), -1 for noise, and which rows are core rows (P, n).

    All distances are compared in float64. A border row joins its nearest core row's cluster.
    """
    P, n_rows = distances.metrics.n_particles, distances.n_rows
    near = _within(distances, distances.radius(eps))
    core = _count_mates(near) >= min_samples
    parent = _density_components(near, core, distances.max_memory)
    best = _nearest_core(distances, near, core)
    found = best >= 0
    joined = parent.gather(1, best.clamp(min=0))
    parent = torch.where(core, parent, torch.where(found, joined, n_rows))
    member = core | found
    # Clusters are numbered by their first row, which may be a border row.
    safe = torch.where(member, parent, 0)
    rows = torch.arange(n_rows, device=distances.device).expand(P, -1)
    earliest = torch.full_like(parent, n_rows)
    earliest.scatter_reduce_(1, safe, torch.where(member, rows, n_rows), "amin")
    return number_roots(torch.where(member, earliest.gather(1, safe), 0), member), core


def _within(distances: Distances, radius: Tensor) -> Tensor:
    """Return which rows (P, n, n) are within the radius (P,) of each other, as int8."""
    if distances.fused:
        return fused.density.within(distances.columns, distances.metrics, radius)
    shape = (len(radius), distances.n_rows, distances.n_rows)
    near = torch.empty(shape, dtype=torch.int8, device=distances.device)
    for first, block in distances.blocks():
        near[:, first : first + block.shape[1]] = block <= radius[:, None, None]
    return near


def _count_mates(near: Tensor) -> Tensor:
    if is_fused(near.device):
        return fused.density.count_mates(near)
    return near.sum(dim=2, dtype=torch.int32)


def _nearest_core(distances: Distances, near: Tensor, core: Tensor) -> Tensor:
    """Return the nearest core row (P, n) within the radius of rows that are not core; else -1."""
    if distances.fused:
        columns, metrics = distances.columns, distances.metrics
        return fused.density.nearest_core(columns, metrics, near, core, ~core).long()
    found = []
    for first, block in distances.blocks():
        last = first + block.shape[1]
        mate = (near[:, first:last] != 0) & core[:, None, :] & ~core[:, first:last, None]
        reach = torch.where(mate, block, torch.inf)
        found.append(torch.where(mate.any(dim=2), reach.argmin(dim=2), -1))
    return torch.cat(found, dim=1)


def _density_components(near: Tensor, core: Tensor, max_memory: int) -> Tensor:
    """Return the first core row of each core row's component, (P, n)."""
    P, n_rows = core.shape
    parent = torch.arange(n_rows, device=core.device).repeat(P, 1)
    while True:
        seen = torch.where(core, parent, n_rows)
        least = _least_mates(near, seen, max_memory)
        least = torch.where(core, torch.minimum(least, parent), parent)
        if torch.equal(least, parent):
            return parent
        after = parent.clone()
        after.scatter_reduce_(1, parent, least, "amin")
        parent = flatten(torch.minimum(after, least))


def _least_mates(near: Tensor, seen: Tensor, max_memory: int) -> Tensor:
    """Return the least of `seen` (P, n) over the rows near to each row; n where there is none."""
    P, n_rows = seen.shape
    if is_fused(near.device):
        return fused.density.least_mates(near, seen.to(torch.int32)).long()
    height = min(max(max_memory // (16 * P * n_rows), 1), n_rows)
    parts = [
        torch.where(near[:, first : first + height] != 0, seen[:, None, :], n_rows).amin(dim=2)
        for first in range(0, n_rows, height)
    ]
    return torch.cat(parts, dim=1)
