"""One round of merges for all particles: the smaller matrix and its rows' minima in one pass."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor


@triton.jit
def _merge(D, keep, mate, out, least, where, m, m_new, BN: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    a = tl.program_id(0)
    row = tl.load(keep + p * m_new + a)
    other = tl.load(mate + p * m_new + a)
    smallest = tl.full((), float("inf"), dtype=tl.float64)
    index = 0
    if row >= 0:
        for start in range(0, m_new, BN):
            b = start + tl.arange(0, BN)
            inside = b < m_new
            column = tl.load(keep + p * m_new + b, mask=inside, other=-1)
            partner = tl.load(mate + p * m_new + b, mask=inside, other=0)
            ok = inside & (column >= 0) & (b != a)
            first, second = (p * m + row) * m, (p * m + other) * m
            value = tl.load(D + first + column, mask=ok, other=0.0)
            value = tl.maximum(value, tl.load(D + first + partner, mask=ok, other=0.0))
            value = tl.maximum(value, tl.load(D + second + column, mask=ok, other=0.0))
            value = tl.maximum(value, tl.load(D + second + partner, mask=ok, other=0.0))
            value = tl.where(ok, value, float("inf"))
            tl.store(out + (p * m_new + a) * m_new + b, value, mask=inside)
            here = tl.min(value, axis=0)
            place = tl.min(tl.where(value == here, b, m_new), axis=0)
            index = tl.where(here < smallest, place, index)
            smallest = tl.minimum(smallest, here)
    tl.store(least + p * m_new + a, smallest)
    tl.store(where + p * m_new + a, index)


def merged(D: Tensor, keep: Tensor, mate: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distances between the clusters `keep` (P, m') after each was merged with its
    `mate`.

    Entries of `keep` below 0 are not clusters. Also returns each cluster's nearest cluster, the
    first on a tie, and the distance to it.
    """
    P, m, _ = D.shape
    m_new = keep.shape[1]
    out = torch.empty((P, m_new, m_new), dtype=torch.float64, device=D.device)
    least = torch.empty((P, m_new), dtype=torch.float64, device=D.device)
    where = torch.empty((P, m_new), dtype=torch.int64, device=D.device)
    _merge[(m_new, P)](D, keep, mate, out, least, where, m, m_new, BN=min(1024, max(
        triton.next_power_of_2(m_new), 16)))  # fmt: skip
    return out, least, where
