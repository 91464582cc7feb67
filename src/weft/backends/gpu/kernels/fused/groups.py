"""Rows sorted by cluster, and the mass of each cluster, with the same bits in every run."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor


def splits_of(n_rows: int, n_clusters: int) -> int:
    """Return the number of programs that share the rows of one cluster."""
    return max(4, min(128, triton.next_power_of_2(n_rows // (n_clusters * 256) + 1)))


def group_rows(labels: Tensor, n_clusters: int) -> tuple[Tensor, Tensor]:
    """Return the rows sorted by cluster, and the position where each cluster begins, (K + 1,)."""
    kind = torch.uint8 if n_clusters <= 256 else torch.int16 if n_clusters < 2**15 else torch.int32
    ranked, order = torch.sort(labels.to(kind), stable=True)
    edges = torch.arange(n_clusters + 1, device=labels.device, dtype=torch.int32)
    return order, torch.searchsorted(ranked.to(torch.int32), edges)


@triton.jit
def _masses(load, order, starts, out, K, S, BR: tl.constexpr):
    k = tl.program_id(0)
    s = tl.program_id(1)
    begin = tl.load(starts + k)
    end = tl.load(starts + k + 1)
    length = tl.cdiv(end - begin, S)
    begin += s * length
    end = tl.minimum(begin + length, end)
    mass = tl.zeros((BR,), dtype=tl.float64)
    for at in range(begin, end, BR):
        index = at + tl.arange(0, BR)
        row = tl.load(order + index, mask=index < end, other=0)
        mass += tl.load(load + row, mask=index < end, other=0.0)
    tl.store(out + s * K + k, tl.sum(mass, axis=0))


def masses(load: Tensor, order: Tensor, starts: Tensor) -> Tensor:
    """Return the sum of the loads of each cluster, (K,), with the same bits in every run."""
    n_clusters = len(starts) - 1
    splits = splits_of(len(load), n_clusters)
    out = torch.empty((splits, n_clusters), dtype=torch.float64, device=load.device)
    _masses[(n_clusters, splits)](load, order, starts, out, n_clusters, splits, BR=256)
    return out.sum(dim=0)
