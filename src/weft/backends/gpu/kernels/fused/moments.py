"""Sums of each cluster around its last centre, in double precision, always in the same order.

Rows are sorted by cluster; a cluster is cut into equal parts, each summed by one program, and the
parts are added by one reduction. Atomic additions are not used, because their order would change
from run to run.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor


@triton.jit
def _moments(X, load, order, starts, origin, first_out, second_out, mass_out, K, M, S,
             BF: tl.constexpr, BR: tl.constexpr):  # fmt: skip
    k = tl.program_id(0)
    s = tl.program_id(1)
    slot = tl.program_id(2) * BF + tl.arange(0, BF)
    there = slot < M
    begin = tl.load(starts + k)
    end = tl.load(starts + k + 1)
    length = tl.cdiv(end - begin, S)
    begin += s * length
    end = tl.minimum(begin + length, end)
    middle = tl.load(origin + k * M + slot, mask=there, other=0.0)
    first = tl.zeros((BF,), dtype=tl.float64)
    second = tl.zeros((BF,), dtype=tl.float64)
    mass = tl.zeros((BR,), dtype=tl.float64)
    for at in range(begin, end, BR):
        index = at + tl.arange(0, BR)
        ok = index < end
        row = tl.load(order + index, mask=ok, other=0)
        m = tl.load(load + row, mask=ok, other=0.0)
        x = tl.load(X + row[:, None] * M + slot[None, :], mask=ok[:, None] & there[None, :],
                    other=0.0)  # fmt: skip
        gap = x - middle[None, :]
        weighted = m[:, None] * gap
        first += tl.sum(weighted, axis=0)
        second += tl.sum(weighted * gap, axis=0)
        mass += m
    out = (s * K + k) * M + slot
    tl.store(first_out + out, first, mask=there)
    tl.store(second_out + out, second, mask=there)
    tl.store(mass_out + s * K + k, tl.sum(mass, axis=0))


def moments(
    X: Tensor, load: Tensor, labels: Tensor, origin: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return Σ m d and Σ m d², d = x - o_k, (K, M), and Σ m, (K,): always the same bits."""
    n_rows, n_features = X.shape
    n_clusters = len(origin)
    kind = torch.uint8 if n_clusters <= 256 else torch.int16 if n_clusters < 2**15 else torch.int32
    ranked, order = torch.sort(labels.to(kind), stable=True)
    edges = torch.arange(n_clusters + 1, device=X.device)
    starts = torch.searchsorted(ranked.to(torch.int32), edges.to(torch.int32))
    splits = max(32, min(256, triton.next_power_of_2(n_rows // (n_clusters * 128) + 1)))
    at_once = max(16, min(128, triton.next_power_of_2(n_features)))
    shape = (splits, n_clusters, n_features)
    first, second = torch.empty((2, *shape), dtype=torch.float64, device=X.device)
    mass = torch.empty(shape[:2], dtype=torch.float64, device=X.device)
    _moments[(n_clusters, splits, triton.cdiv(n_features, at_once))](
        X, load, order, starts, origin.contiguous(), first, second, mass, n_clusters, n_features,
        splits, BF=at_once, BR=2048 // at_once, num_warps=4,
    )  # fmt: skip
    return first.sum(dim=0), second.sum(dim=0), mass.sum(dim=0)
