"""DBSCAN's passes over all pairs of rows, without storing the distances.

Distances are computed in float64, feature by feature, with the bits of `distances.exact_rows`.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.nearest import exact_tile

_TILE, _COLUMNS = 64, 64


@triton.jit
def _within(XT, kept, weights, exponents, radius, near, n_rows, M: tl.constexpr,
            B: tl.constexpr, POWERS: tl.constexpr):  # fmt: skip
    # Distances are symmetric: tiles below the diagonal mirror those above.
    p = tl.program_id(2).to(tl.int64)
    if tl.program_id(0) >= tl.program_id(1):
        row = tl.program_id(1) * B + tl.arange(0, B)
        column = tl.program_id(0) * B + tl.arange(0, B)
        total = exact_tile(XT, kept, weights, exponents, p, row, column, row < n_rows, n_rows,
                           M, B, B, POWERS)  # fmt: skip
        found = (total <= tl.load(radius + p)).to(tl.int8)
        there = (row < n_rows)[:, None] & (column < n_rows)[None, :]
        place = (p * n_rows + row)[:, None] * n_rows + column[None, :]
        tl.store(near + place, found, mask=there)
        mirror = (p * n_rows + column)[None, :] * n_rows + row[:, None]
        tl.store(near + mirror, found, mask=there)


def within(columns: Tensor, metrics: Any, radius: Tensor) -> Tensor:
    """Return which powered distances (P, n, n) are at most `radius` (P,), as int8."""
    n_rows = columns.shape[1]
    P, M = metrics.kept.shape
    near = torch.empty((P, n_rows, n_rows), dtype=torch.int8, device=columns.device)
    powers = metrics.exponents is not None
    tiles = triton.cdiv(n_rows, _TILE)
    _within[(tiles, tiles, P)](
        columns, metrics.kept, metrics.weights, metrics.exponents if powers else metrics.weights,
        radius, near, n_rows, M=M, B=_TILE, POWERS=powers,
        enable_fp_fusion=False, num_warps=8,
    )  # fmt: skip
    return near


@triton.jit
def _count(near, out, n_rows, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), dtype=tl.int32)
    for start in range(0, n_rows, BN):
        column = start + tl.arange(0, BN)
        ok = (row < n_rows)[:, None] & (column < n_rows)[None, :]
        place = (p * n_rows + row)[:, None] * n_rows + column[None, :]
        total += tl.sum(tl.load(near + place, mask=ok, other=0).to(tl.int32), axis=1)
    tl.store(out + p * n_rows + row, total, mask=row < n_rows)


def count_mates(near: Tensor) -> Tensor:
    """Return how many rows (P, n) are near to each row."""
    P, n_rows, _ = near.shape
    out = torch.empty((P, n_rows), dtype=torch.int32, device=near.device)
    _count[(triton.cdiv(n_rows, 16), P)](near, out, n_rows, BM=16, BN=256, num_warps=4)
    return out


@triton.jit
def _least(near, seen, out, n_rows, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    best = tl.zeros((BM,), dtype=tl.int32) + n_rows
    for start in range(0, n_rows, BN):
        column = start + tl.arange(0, BN)
        ok = (row < n_rows)[:, None] & (column < n_rows)[None, :]
        place = (p * n_rows + row)[:, None] * n_rows + column[None, :]
        mate = tl.load(near + place, mask=ok, other=0) != 0
        value = tl.load(seen + p * n_rows + column, mask=column < n_rows, other=0)
        best = tl.minimum(best, tl.min(tl.where(mate, value[None, :], n_rows), axis=1))
    tl.store(out + p * n_rows + row, best, mask=row < n_rows)


def least_mates(near: Tensor, seen: Tensor) -> Tensor:
    """Return the least of `seen` (P, n) int32 over the rows near to each row; n where none is."""
    P, n_rows = seen.shape
    out = torch.empty_like(seen)
    _least[(triton.cdiv(n_rows, 16), P)](
        near, seen.contiguous(), out, n_rows, BM=16, BN=256, num_warps=4
    )
    return out


@triton.jit
def _nearest_core(XT, kept, weights, exponents, near, core, border, out, n_rows, M: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, POWERS: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    wanted = tl.load(border + p * n_rows + row, mask=row < n_rows, other=0)
    best = tl.full((BM,), float("inf"), dtype=tl.float64)
    label = tl.full((BM,), -1, dtype=tl.int32)
    if tl.max(wanted, axis=0) > 0:
        for start in range(0, n_rows, BN):
            column = start + tl.arange(0, BN)
            ok = (row < n_rows)[:, None] & (column < n_rows)[None, :]
            place = (p * n_rows + row)[:, None] * n_rows + column[None, :]
            mate = tl.load(near + place, mask=ok, other=0)
            anchor = tl.load(core + p * n_rows + column, mask=column < n_rows, other=0)
            mate = mate * anchor[None, :] * wanted[:, None]
            if tl.max(tl.max(mate.to(tl.int32), axis=1), axis=0) > 0:
                total = exact_tile(XT, kept, weights, exponents, p, row, column, row < n_rows,
                                   n_rows, M, BM, BN, POWERS)  # fmt: skip
                total = tl.where(mate != 0, total, float("inf"))
                least = tl.min(total, axis=1)
                first = tl.min(
                    tl.where(total == least[:, None], column[None, :], 0x7FFFFFFF), axis=1
                )
                label = tl.where(least < best, first, label)
                best = tl.minimum(best, least)
    tl.store(out + p * n_rows + row, label, mask=row < n_rows)


def nearest_core(
    columns: Tensor, metrics: Any, near: Tensor, core: Tensor, border: Tensor
) -> Tensor:
    """Return the nearest core row (P, n) within reach of each row of `border`; -1 elsewhere."""
    P, M = metrics.kept.shape
    n_rows = columns.shape[1]
    out = torch.empty((P, n_rows), dtype=torch.int32, device=columns.device)
    powers = metrics.exponents is not None
    _nearest_core[(triton.cdiv(n_rows, 16), P)](
        columns, metrics.kept, metrics.weights, metrics.exponents if powers else metrics.weights,
        near, core.to(torch.int8), border.to(torch.int8), out, n_rows, M=M, BM=16, BN=_COLUMNS,
        POWERS=powers, enable_fp_fusion=False, num_warps=4,
    )  # fmt: skip
    return out
