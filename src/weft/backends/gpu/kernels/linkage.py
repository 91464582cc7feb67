"""Complete linkage of a whole swarm: all pairs that are each other's nearest merge at once.

Under complete linkage a merge never makes two clusters nearer to each other. So two clusters that
are each other's nearest remain so until they merge, regardless of other merges. All such pairs can
therefore be merged in the same round, and the tree is the same (Müllner 2011, section 2.1). About
two thirds of the clusters are left after a round. Ties are decided by (distance, first row, other
row), as in the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.neighbours import flatten, number_roots


class _Round(NamedTuple):
    """The remaining clusters: distances, and the nearest cluster of each."""

    D: Tensor  # (P, m, m); inf on the diagonal and where there is no cluster
    least: Tensor  # (P, m)
    where: Tensor  # (P, m)


def complete_linkage(D: Tensor, n_clusters: int) -> Tensor:
    """Return labels (P, n) of the `n_clusters` clusters; `D` (P, n, n) float64 is overwritten."""
    P, n_rows, _ = D.shape
    device = D.device
    name = torch.arange(n_rows, device=device).repeat(P, 1)  # first row of each cluster
    heights, lows, highs = [], [], []
    state = _merged(D, name, name)
    while True:
        P, m = name.shape
        there = name >= 0
        here = torch.arange(m, device=device).expand(P, -1)
        mutual = there & (state.where.gather(1, state.where) == here) & (state.least < torch.inf)
        winner = mutual & (here < state.where)
        loser = mutual & (here > state.where)
        heights.append(torch.where(winner, state.least, torch.inf))
        lows.append(torch.where(winner, name, n_rows))
        highs.append(torch.where(winner, name.gather(1, state.where), n_rows))
        alive = there & ~loser
        left = int(alive.sum(dim=1).max())
        if left <= 1 or not bool(winner.any()):
            break
        # The remaining clusters are moved to the front, in their order.
        keep = torch.sort((~alive).to(torch.int8), dim=1, stable=True).indices[:, :left]
        mate = torch.where(winner, state.where, here).gather(1, keep)
        standing = alive.gather(1, keep)
        keep = torch.where(standing, keep, -1)
        state = _merged(state.D, keep, mate)
        name = torch.where(standing, name.gather(1, keep.clamp(min=0)), -1)
    return _cut(torch.cat(heights, 1), torch.cat(lows, 1), torch.cat(highs, 1), n_rows, n_clusters)


def _merged(D: Tensor, keep: Tensor, mate: Tensor) -> _Round:
    """Return the clusters `keep` (P, m) after each was merged with its mate."""
    if is_fused(D.device):
        return _Round(*fused.linkage.merged(D, keep.contiguous(), mate.contiguous()))
    P, m = keep.shape
    width = D.shape[2]
    safe = keep.clamp(min=0)
    rows = torch.maximum(
        D.gather(1, safe[:, :, None].expand(P, m, width)),
        D.gather(1, mate[:, :, None].expand(P, m, width)),
    )
    out = torch.maximum(
        rows.gather(2, safe[:, None, :].expand(P, m, m)),
        rows.gather(2, mate[:, None, :].expand(P, m, m)),
    )
    dead = keep < 0
    out.masked_fill_(dead[:, None, :] | dead[:, :, None], torch.inf)
    out.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    where = out.argmin(dim=2)
    return _Round(out, out.gather(2, where[:, :, None])[:, :, 0], where)


def _cut(heights: Tensor, lows: Tensor, highs: Tensor, n_rows: int, n_clusters: int) -> Tensor:
    """Return the labels after the n - K lowest merges; each merge ends one cluster, its `high`."""
    order = torch.sort(lows * (n_rows + 1) + highs, dim=1).indices
    order = order.gather(1, torch.sort(heights.gather(1, order), dim=1, stable=True).indices)
    chosen = order[:, : n_rows - n_clusters]
    parent = torch.arange(n_rows + 1, device=heights.device).repeat(len(heights), 1)
    parent.scatter_(1, highs.gather(1, chosen), lows.gather(1, chosen))
    return number_roots(flatten(parent)[:, :n_rows].to(torch.int32))
