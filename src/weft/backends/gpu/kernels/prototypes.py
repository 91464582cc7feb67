"""Medoids and centroids of whole swarms, and k-means from many starts; see the reference.

On a GPU every sum has the same order as in the CPU kernels, and so the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused

# Two random numbers of 31 bits per value: rows are compared by their sums over the features.
_BITS = 31


class Rows(NamedTuple):
    """Centred rows in the layouts that the kernels need."""

    rows: Tensor  # (n, d), float64
    columns: Tensor  # (d, n)
    marks: Tensor  # (2, d, n), whole numbers: equal values of a feature have equal marks; or None

    @classmethod
    def of(cls, rows: Any, device: Any, *, marked: bool = True) -> Rows:
        """Move a table and mark its values, which medoids need."""
        moved = torch.as_tensor(rows, dtype=torch.float64, device=device).contiguous()
        if not marked:
            return cls(moved, moved.T.contiguous(), None)
        values = np.asarray(moved.cpu().numpy())
        marks = np.empty((2, values.shape[1], len(values)))
        draws = np.random.default_rng(0)
        for feature, column in enumerate(values.T):
            _, which = np.unique(column, return_inverse=True)
            marks[:, feature] = draws.integers(0, 1 << _BITS, (2, which.max() + 1))[:, which]
        columns = moved.T.contiguous()
        return cls(moved, columns, torch.as_tensor(marks, device=device))


class Assigned(NamedTuple):
    """Rows assigned to prototypes, and their clusters' sums."""

    labels: Tensor  # (P, n), int32
    sums: Tensor  # (P, L, d)
    counts: Tensor  # (P, L), int32


def assign(
    data: Rows, features: Tensor, n_selected: Tensor, prototypes: Tensor, n_prototypes: Tensor
) -> Assigned:
    """Assign rows to the nearest of the `n_prototypes` (P,) of `prototypes` (P, L, W).

    Distances are over the first `n_selected` (P,) of `features` (P, W). Ties go to the first.
    """
    P, L, _ = prototypes.shape
    n_rows, d = data.rows.shape
    device = data.rows.device
    labels = torch.zeros((P, n_rows), dtype=torch.int32, device=device)
    sums = torch.zeros((P, L, d), dtype=torch.float64, device=device)
    counts = torch.zeros((P, L), dtype=torch.int32, device=device)
    nearest_prototypes(data, features, n_selected, prototypes, n_prototypes, labels)
    cluster_sums(data, labels, n_prototypes, sums, counts)
    return Assigned(labels, sums, counts)


def nearest_prototypes(
    data: Rows,
    features: Tensor,
    n_selected: Tensor,
    prototypes: Tensor,
    n_prototypes: Tensor,
    labels: Tensor,
) -> None:
    """Fill `labels` (P, n) of the particles that have prototypes."""
    if is_fused(data.rows.device):
        turned = prototypes.transpose(1, 2).contiguous()
        fused.prototypes.nearest_prototypes(
            data.columns, features.contiguous(), n_selected, turned, n_prototypes, labels
        )
        return
    P, L, W = prototypes.shape
    total = torch.zeros((P, labels.shape[1], L), dtype=torch.float64, device=labels.device)
    for slot in range(W):
        x = data.columns[features[:, slot].long()]
        gap = x[:, :, None] - prototypes[:, None, :, slot]
        total += torch.where((slot < n_selected)[:, None, None], gap * gap, 0.0)
    slots = torch.arange(L, device=labels.device)
    total.masked_fill_((slots >= n_prototypes[:, None])[:, None, :], torch.inf)
    nearest = total.argmin(dim=2).to(torch.int32)
    labels.copy_(torch.where((n_prototypes > 0)[:, None], nearest, labels))


def cluster_sums(
    data: Rows, labels: Tensor, n_prototypes: Tensor, sums: Tensor, counts: Tensor
) -> None:
    """Fill `sums` (P, L, d) and `counts` (P, L) of the particles that have prototypes."""
    if is_fused(data.rows.device):
        fused.prototypes.cluster_sums(data.rows, labels, n_prototypes, sums, counts)
        return
    member = torch.nn.functional.one_hot(labels.long(), sums.shape[1])
    active = (n_prototypes > 0)[:, None]
    if labels.device.type == "cpu":  # one row after the other
        where = labels.long()[:, :, None].expand(*labels.shape, sums.shape[2])
        totals = torch.zeros_like(sums).scatter_add_(1, where, data.rows.expand(where.shape))
    else:
        totals = member.transpose(1, 2).to(torch.float64) @ data.rows
    sums.copy_(torch.where(active[:, :, None], totals, sums))
    counts.copy_(torch.where(active, member.sum(dim=1).to(torch.int32), counts))


def between_sums(sums: Tensor, counts: Tensor, n_prototypes: Tensor, n_rows: int) -> Any:
    """Return eq. 5 (P,) and the number of filled clusters (P,); 0 where there are no prototypes."""
    if is_fused(sums.device):
        return fused.prototypes.between_sums(sums, counts, n_prototypes, n_rows)
    slots = torch.arange(sums.shape[1], device=sums.device)
    filled = (counts > 0) & (slots < n_prototypes[:, None])
    norms = (sums * sums).sum(dim=2) / counts.clamp(min=1)
    between = torch.where(filled, norms, 0.0).sum(dim=1) / n_rows
    return between, filled.sum(dim=1).to(torch.int32)


def lloyd_from(
    data: Rows, centers: Tensor, n_centers: Tensor, max_iter: int
) -> tuple[Tensor, Tensor]:
    """Return labels (R, n) and centres (R, L, d) of R runs of k-means.

    A run starts from the first `n_centers` (R,) of its centres. As on the CPU an empty cluster
    keeps its centre, and a run ends when no label changes.
    """
    device = data.rows.device
    n_rows, d = data.rows.shape
    R, L = centers.shape[:2]
    features = torch.arange(d, dtype=torch.int32, device=device).expand(R, d).contiguous()
    selected = torch.full((R,), d, dtype=torch.int32, device=device)
    labels = torch.zeros((R, n_rows), dtype=torch.int32, device=device)
    before = torch.full_like(labels, -1)
    sums = torch.zeros((R, L, d), dtype=torch.float64, device=device)
    counts = torch.zeros((R, L), dtype=torch.int32, device=device)
    active = n_centers.clone()
    for _ in range(max_iter):
        nearest_prototypes(data, features, selected, centers, active, labels)
        active = torch.where((labels == before).all(dim=1), 0, active)
        if not bool(active.any()):
            return labels, centers
        before.copy_(labels)
        cluster_sums(data, labels, active, sums, counts)
        moves = (counts > 0)[:, :, None] & (active > 0)[:, None, None]
        centers = torch.where(moves, sums / counts.clamp(min=1)[:, :, None], centers)
    nearest_prototypes(data, features, selected, centers, active, labels)
    return labels, centers


def own_distances(data: Rows, labels: Tensor, prototypes: Tensor) -> Tensor:
    """Return squared distances (P, n) of rows to the prototypes (P, L, d) of their labels."""
    if is_fused(data.rows.device):
        return fused.prototypes.own_distances(data.columns, labels, prototypes)
    total = torch.zeros(labels.shape, dtype=torch.float64, device=labels.device)
    own = labels.long()
    for feature, column in enumerate(data.columns):
        gap = column - prototypes[:, :, feature].gather(1, own)
        total += gap * gap
    return total
