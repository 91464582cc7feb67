"""Validity of swarms of centres in input space, whole swarms at once: see the reference.

On a GPU sums have the same order as in the CPU kernels, and so the same bits. Otherwise searches
could differ where clusters are so far apart that measures differ only by rounding.
"""

from __future__ import annotations

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused


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
    """Return the sums (P,) of terms (P, L), added in order."""
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


def different_pairs(chosen: Tensor) -> Tensor:
    """Return (P, L, L): which two are both of `chosen` (P, L), and not the same."""
    itself = torch.eye(chosen.shape[1], dtype=torch.bool, device=chosen.device)
    return chosen[:, :, None] & chosen[:, None, :] & ~itself


def pack_first(values: Tensor, chosen: Tensor) -> Tensor:
    """Return values (P, L, d) with those of `chosen` (P, L) first, in their order."""
    order = torch.sort((~chosen).to(torch.int8), dim=1, stable=True).indices
    return values.gather(1, order[:, :, None].expand(values.shape))


def davies_bouldin(scatter: Tensor, centers: Tensor, filled: Tensor) -> Tensor:
    """Return (P,) the mean over `filled` clusters of the worst (S_i + S_j) / d_ij; inf at d = 0."""
    squared = squared_between(centers)
    pair = different_pairs(filled)
    ratio = (scatter[:, :, None] + scatter[:, None, :]) / squared.sqrt()
    worst = torch.where(pair, ratio, 0.0).amax(dim=2)
    same = (pair & (squared == 0.0)).any(dim=2).any(dim=1)
    index = in_order(torch.where(filled, worst, 0.0)) / filled.sum(dim=1).clamp(min=1)
    return torch.where(same, torch.inf, index)
