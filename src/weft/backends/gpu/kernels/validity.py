"""Validity of swarms of centres in input space, whole swarms at once: see the reference.

On a GPU sums have the order, and so the bits, of the CPU's kernels: where clusters are so far apart
that measures differ by rounding alone, a swarm must still take the same path.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.prototypes import Rows, assign, own_distances

_AT_ONCE = 2**27  # numbers that one step holds


def cluster_means(values: Tensor, labels: Tensor, counts: Tensor) -> Tensor:
    """Return the mean (P, L) of `values` (P, n) over the rows of each label; 0 where none are."""
    if is_fused(values.device):
        return fused.prototypes.value_sums(values, labels, counts.shape[1]) / counts.clamp(min=1)
    if values.device.type == "cpu":  # one row after the other
        sums = torch.zeros(counts.shape, dtype=values.dtype).scatter_add_(1, labels.long(), values)
        return sums / counts.clamp(min=1)
    parts = [torch.where(labels == k, values, 0.0).sum(dim=1) for k in range(counts.shape[1])]
    return torch.stack(parts, dim=1) / counts.clamp(min=1)


def in_order(terms: Tensor) -> Tensor:
    """Return the sums (P,) of terms (P, L), the first first."""
    total = terms[:, 0].clone()
    for slot in range(1, terms.shape[1]):
        total += terms[:, slot]
    return total


def squared_between(centers: Tensor) -> Tensor:
    """Return squared distances (P, L, L) of centres (P, L, d) to each other."""
    if is_fused(centers.device) and len(centers[0]):
        return fused.prototypes.squared_between(centers)
    total = centers.new_zeros((*centers.shape[:2], centers.shape[1]))
    for value in centers.unbind(dim=2):
        gap = value[:, :, None] - value[:, None, :]
        total += gap * gap
    return total


def pack_first(values: Tensor, chosen: Tensor) -> Tensor:
    """Return values (P, L, d) with those of `chosen` (P, L) first, in their order."""
    order = torch.sort((~chosen).to(torch.int8), dim=1, stable=True).indices
    return values.gather(1, order[:, :, None].expand(values.shape))


def davies_bouldin(scatter: Tensor, centers: Tensor, filled: Tensor) -> Tensor:
    """Return (P,) the mean over `filled` clusters of the worst (S_i + S_j) / d_ij; inf at d = 0."""
    squared = squared_between(centers)
    pair = filled[:, :, None] & filled[:, None, :]
    pair &= ~torch.eye(filled.shape[1], dtype=torch.bool, device=filled.device)
    ratio = (scatter[:, :, None] + scatter[:, None, :]) / squared.sqrt()
    worst = torch.where(pair, ratio, 0.0).amax(dim=2)
    same = (pair & (squared == 0.0)).any(dim=2).any(dim=1)
    index = in_order(torch.where(filled, worst, 0.0)) / filled.sum(dim=1).clamp(min=1)
    return torch.where(same, torch.inf, index)


def string_swarm(data: Rows, positions: Tensor, n_genes: int) -> tuple[Tensor, Tensor]:
    """Return clusters and the Davies–Bouldin index of each string of centres with gaps."""
    P, d = len(positions), data.rows.shape[1]
    flags = positions[:, :n_genes] > 0.5
    centers = pack_first(positions[:, n_genes:].reshape(P, n_genes, d), flags)
    n_chosen = flags.sum(dim=1)
    n_prototypes = torch.where(n_chosen >= 2, n_chosen, 0).to(torch.int32)
    features = torch.arange(d, dtype=torch.int32, device=positions.device).expand(P, d)
    selected = torch.full((P,), d, dtype=torch.int32, device=positions.device)
    assigned = assign(data, features.contiguous(), selected, centers, n_prototypes)
    slots = torch.arange(n_genes, device=positions.device)
    filled = (assigned.counts > 0) & (slots < n_prototypes[:, None])
    means = assigned.sums / assigned.counts.clamp(min=1)[:, :, None]
    away = own_distances(data, assigned.labels, means).sqrt()
    scatter = cluster_means(away, assigned.labels, assigned.counts)
    n_filled = filled.sum(dim=1)
    index = davies_bouldin(scatter, means, filled)
    good = (n_chosen >= 2) & (n_filled >= 2)
    return torch.where(n_chosen >= 2, n_filled, n_chosen), torch.where(good, index, torch.inf)


class Pool(NamedTuple):
    """Centres that bits select from: distances of all rows to them, and between them."""

    distances: Tensor  # (n, L)
    between: Tensor  # (L, L)

    @classmethod
    def of(cls, data: Rows, centers: Tensor) -> Pool:
        """Measure each centre once; sums run over the features in order, as on the CPU."""
        shape = (len(data.rows), len(centers))
        total = torch.zeros(shape, dtype=torch.float64, device=centers.device)
        for feature, column in enumerate(data.columns):
            gap = column[:, None] - centers[:, feature]
            total += gap * gap
        return cls(total, squared_between(centers[None])[0])


def subset_swarm(pool: Pool, positions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return clusters, mean squared distance to, and least squared distance between, the centres
    that a particle of bits selects; those without a row do not count."""
    chosen = positions > 0.5
    n_rows, L = pool.distances.shape
    used, total = [], []
    height = max(_AT_ONCE // max(n_rows * L, 1), 1)
    for first in range(0, len(positions), height):
        bits = chosen[first : first + height]
        away = torch.where(bits[:, None, :], pool.distances, torch.inf)
        labels = away.argmin(dim=2)
        total.append(away.gather(2, labels[:, :, None])[:, :, 0].sum(dim=1))
        used.append(torch.zeros_like(bits).scatter_(1, labels, torch.ones_like(labels).bool()))
    filled, whole = torch.cat(used) & chosen, torch.cat(total)
    n_chosen, n_filled = chosen.sum(dim=1), filled.sum(dim=1)
    pair = filled[:, :, None] & filled[:, None, :]
    pair &= ~torch.eye(L, dtype=torch.bool, device=pair.device)
    inter = torch.where(pair, pool.between, torch.inf).amin(dim=(1, 2))
    good = (n_chosen >= 2) & (n_filled >= 2)
    return (
        torch.where(n_chosen >= 2, n_filled, n_chosen),
        torch.where(good, whole / n_rows, torch.inf),
        torch.where(good, inter, 0.0),
    )
