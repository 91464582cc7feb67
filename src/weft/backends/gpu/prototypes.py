"""Rows and prototypes on a device, a whole swarm per call.

Sums have the same order as on the CPU, so the same seed gives the same search to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Tensor
from weft.backends.devices import to_device
from weft.backends.gpu.kernels import prototypes as kernels
from weft.backends.gpu.kernels import validity
from weft.backends.gpu.kernels.prototypes import Rows
from weft.backends.gpu.kernels.scores import silhouettes
from weft.backends.gpu.transfers import fetch

# Rows are compared by a hash of the two sums of their values' marks.
_MIX = [int(np.uint64(c).astype(np.int64)) for c in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)]
_BEHIND = 1 << 62
_AT_ONCE = 2**27  # numbers that one step holds
_MEMORY = 2**31  # bytes that the silhouettes of stage 1 may take at once


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
        return cls(total, validity.squared_between(centers[None])[0])


def load(rows: Floats, device: str, *, medoids: bool = False) -> Rows:
    """Move the rows to the device; `medoids` marks their values, which `medoid_swarm` needs."""
    return Rows.of(rows, torch.device(device), marked=medoids)


def load_pool(data: Rows, centers: Floats) -> Pool:
    """Measure the distances of a pool of centres to the rows, once for all particles."""
    return Pool.of(data, to_device(centers, data.rows.device))


def medoid_swarm(data: Rows, positions: Floats, limit: int) -> tuple[Integers, Integers, Floats]:
    n_rows, d = data.rows.shape
    P = len(positions)
    device = data.rows.device
    moved = to_device(positions, device)
    mask = moved[:, :d] >= 0.0
    n_selected = mask.sum(dim=1).to(torch.int32)
    chosen = moved[:, d : d + n_rows] > moved[:, -1:]
    first = _first_of_equals(data.marks, mask, chosen)
    n_chosen, n_distinct = chosen.sum(dim=1), first.sum(dim=1)
    valid = (n_selected > 0) & (n_distinct >= 2) & (n_chosen <= limit)
    n_prototypes = torch.where(valid, n_distinct, 0).to(torch.int32)
    rank = first.cumsum(dim=1) - 1
    place = torch.where(first & (rank < limit), rank, limit)
    medoids = torch.zeros((P, limit + 1), dtype=torch.int64, device=device)
    medoids.scatter_(1, place, torch.arange(n_rows, device=device).expand(P, -1))
    features = torch.sort((~mask).to(torch.int8), dim=1, stable=True).indices
    prototypes = data.rows[medoids[:, :limit]].gather(2, features[:, None, :].expand(P, limit, d))
    assigned = kernels.assign(data, features.to(torch.int32), n_selected, prototypes, n_prototypes)
    between, _ = kernels.between_sums(assigned.sums, assigned.counts, n_prototypes, n_rows)
    few = torch.where(n_chosen > limit, limit + 1, n_distinct)
    n_clusters = torch.where(valid, n_chosen, torch.where(n_selected > 0, few, 0))
    return fetch(n_selected, n_clusters, torch.where(valid, between, 0.0))


def _first_of_equals(marks: Tensor, mask: Tensor, chosen: Tensor) -> Tensor:
    """Return which chosen rows (P, n) are the first of those equal in the features of `mask`.

    Rows are compared by sums of their values' marks, whole numbers that float64 adds exactly.
    """
    weights = mask.to(torch.float64)
    one, other = (weights @ marks[0]).long(), (weights @ marks[1]).long()
    key = (one * _MIX[0] + other * _MIX[1]) & (_BEHIND - 1)
    key = torch.where(chosen, key, _BEHIND)  # rows that are not chosen come after all others
    ordered = torch.sort(key, dim=1, stable=True)
    new = ordered.values < _BEHIND
    new[:, 1:] &= ordered.values[:, 1:] != ordered.values[:, :-1]
    return torch.zeros_like(chosen).scatter_(1, ordered.indices, new)


def centroid_swarm(data: Rows, positions: Floats, features: Integers) -> tuple[Integers, Floats]:
    device = data.rows.device
    P, W = len(positions), len(features)
    prototypes = to_device(positions, device).reshape(P, -1, W)
    ones = torch.ones(P, dtype=torch.int32, device=device)
    n_prototypes = ones * prototypes.shape[1]
    wide = to_device(features, device).to(torch.int32).expand(P, W)
    assigned = kernels.assign(data, wide, ones * W, prototypes, n_prototypes)
    between, filled = kernels.between_sums(
        assigned.sums, assigned.counts, n_prototypes, len(data.rows)
    )
    return fetch(filled, between)


def string_swarm(data: Rows, positions: Floats, n_genes: int) -> tuple[Integers, Floats]:
    device = data.rows.device
    moved = to_device(positions, device)
    P, d = len(positions), data.rows.shape[1]
    flags = moved[:, :n_genes] > 0.5
    centers = validity.pack_first(moved[:, n_genes:].reshape(P, n_genes, d), flags)
    n_chosen = flags.sum(dim=1)
    n_prototypes = torch.where(n_chosen >= 2, n_chosen, 0).to(torch.int32)
    features = torch.arange(d, dtype=torch.int32, device=device).expand(P, d)
    selected = torch.full((P,), d, dtype=torch.int32, device=device)
    assigned = kernels.assign(data, features.contiguous(), selected, centers, n_prototypes)
    slots = torch.arange(n_genes, device=device)
    filled = (assigned.counts > 0) & (slots < n_prototypes[:, None])
    means = assigned.sums / assigned.counts.clamp(min=1)[:, :, None]
    away = kernels.own_distances(data, assigned.labels, means).sqrt()
    scatter = validity.cluster_means(away, assigned.labels, assigned.counts)
    n_filled = filled.sum(dim=1)
    index = validity.davies_bouldin(scatter, means, filled)
    good = (n_chosen >= 2) & (n_filled >= 2)
    counts = torch.where(n_chosen >= 2, n_filled, n_chosen)
    return fetch(counts, torch.where(good, index, torch.inf))


def subset_swarm(pool: Pool, positions: Floats) -> tuple[Integers, Floats, Floats]:
    chosen = to_device(positions, pool.distances.device) > 0.5
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
    pair = validity.different_pairs(filled)
    inter = torch.where(pair, pool.between, torch.inf).amin(dim=(1, 2))
    good = (n_chosen >= 2) & (n_filled >= 2)
    return fetch(
        torch.where(n_chosen >= 2, n_filled, n_chosen),
        torch.where(good, whole / n_rows, torch.inf),
        torch.where(good, inter, 0.0),
    )


def lloyd(data: Rows, centers: Floats, max_iter: int) -> tuple[Floats, Integers]:
    device = data.rows.device
    n_centers = torch.tensor([len(centers)], dtype=torch.int32, device=device)
    start = to_device(centers, device)[None]
    labels, moved = kernels.lloyd_from(data, start, n_centers, max_iter)
    return moved[0].cpu().numpy(), labels[0].cpu().numpy().astype(np.int64)


def kmeans_silhouettes(
    data: Rows, starts: list[Integers], n_labels: int, max_iter: int, n_threads: int = 1
) -> Floats:
    labelings = _from_starts(data, starts, max_iter)
    n_rows = len(data.rows)
    distances = torch.cdist(data.rows, data.rows, compute_mode="donot_use_mm_for_euclid_dist")
    out = []
    height = max(int(_MEMORY // (24 * n_labels * n_rows)), 1)
    for first in range(0, len(labelings), height):
        labels = labelings[first : first + height].long()
        member = torch.nn.functional.one_hot(labels, n_labels).to(torch.float64)
        sums = member.transpose(1, 2) @ distances  # (l, K, n)
        out.append(silhouettes(sums, labels, member.sum(dim=1)).mean(dim=1))
    return torch.cat(out).cpu().numpy()


def _from_starts(data: Rows, starts: list[Integers], max_iter: int) -> Tensor:
    """Return labels (R, n) of k-means from R sets of rows to start from."""
    device = data.rows.device
    R, L = len(starts), max(len(start) for start in starts)
    which = np.zeros((R, L), dtype=np.int64)
    for run, start in enumerate(starts):
        which[run, : len(start)] = start
    centers = data.rows[torch.as_tensor(which, device=device)]
    n_centers = torch.tensor([len(start) for start in starts], dtype=torch.int32, device=device)
    return kernels.lloyd_from(data, centers, n_centers, max_iter)[0]
