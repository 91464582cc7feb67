"""Distances to a swarm's centres, and the dropping of small clusters, one program per particle.

Launching the steps one by one took longer than computing them. Sums run over the coordinates in
their order.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor


@triton.jit
def _distances(columns, centers, out, n_rows, q, C, CP: tl.constexpr, BR: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    k = tl.arange(0, CP)
    total = tl.zeros((BR, CP), dtype=tl.float64)
    for feature in range(0, q):
        x = tl.load(
            columns + tl.cast(feature, tl.int64) * n_rows + row, mask=row < n_rows, other=0.0
        )
        c = tl.load(centers + (p * C + k) * q + feature, mask=k < C, other=0.0)
        gap = x[:, None] - c[None, :]
        total += gap * gap
    place = (p * n_rows + row)[:, None] * C + k[None, :]
    tl.store(out + place, total, mask=(row < n_rows)[:, None] & (k < C)[None, :])


def center_distances(columns: Tensor, centers: Tensor) -> Tensor:
    """Return squared distances (P, n, C) of the rows to centres (P, C, q)."""
    P, C, q = centers.shape
    n_rows = columns.shape[1]
    out = torch.empty((P, n_rows, C), dtype=torch.float64, device=columns.device)
    _distances[(triton.cdiv(n_rows, 64), P)](
        columns, centers.contiguous(), out, n_rows, q, C,
        CP=max(triton.next_power_of_2(C), 16), BR=64, enable_fp_fusion=False,
    )  # fmt: skip
    return out


@triton.jit
def _drop(distances, alive, labels, n_rows, C, least, CP: tl.constexpr, BR: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, CP)
    live = tl.load(alive + p * C + k, mask=k < C, other=0)
    going = 1
    while going > 0:
        counts = tl.zeros((CP,), dtype=tl.int32)
        for start in range(0, n_rows, BR):
            row = start + tl.arange(0, BR)
            ok = (row < n_rows)[:, None] & (live != 0)[None, :]
            place = (p * n_rows + row)[:, None] * C + k[None, :]
            away = tl.load(distances + place, mask=ok, other=float("inf"))
            near = tl.min(away, axis=1)
            which = tl.min(tl.where(away == near[:, None], k[None, :], 0x7FFFFFFF), axis=1)
            tl.store(labels + p * n_rows + row, which.to(tl.int64), mask=row < n_rows)
            mine = (which[:, None] == k[None, :]) & (row < n_rows)[:, None]
            counts += tl.sum(mine.to(tl.int32), axis=0)
        size = tl.where(live != 0, counts, 0x7FFFFFFF)
        fewest = tl.min(size, axis=0)
        smallest = tl.min(tl.where(size == fewest, k, 0x7FFFFFFF), axis=0)
        goes = (fewest < least) & (tl.sum(live, axis=0) > 1)
        live = tl.where((k == smallest) & goes, 0, live)
        going = tl.where(goes, 1, 0)
    tl.store(alive + p * C + k, live, mask=k < C)


def drop_small(distances: Tensor, alive: Tensor, least: int) -> tuple[Tensor, Tensor]:
    """Return labels (P, n) and active centres after dropping the smallest clusters, one by one."""
    P, n_rows, C = distances.shape
    live = alive.to(torch.int32)
    labels = torch.empty((P, n_rows), dtype=torch.int64, device=distances.device)
    _drop[(P,)](
        distances, live, labels, n_rows, C, least,
        CP=max(triton.next_power_of_2(C), 16), BR=256, num_warps=8,
    )  # fmt: skip
    return labels, live != 0
