"""Distance matrices of a whole swarm, each entry computed once, in registers.

`exact_rows` has the bits of the CPU's `squared_difference`. `powered_rows` is single precision: one
logarithm and one exponential per feature and pair, which take most of the time. Each number is
stored as two floats, so that differences of near rows lose no digits.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.nearest import exact_tile

_ROWS, _COLUMNS = 32, 64


@triton.jit
def _exact(XT, kept, weights, exponents, out, n_rows, first_row, n_block, M: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, POWERS: tl.constexpr):  # fmt: skip
    p = tl.program_id(2).to(tl.int64)
    offset = tl.program_id(1) * BM + tl.arange(0, BM)
    row = first_row + offset
    column = tl.program_id(0) * BN + tl.arange(0, BN)
    total = exact_tile(XT, kept, weights, exponents, p, row, column, offset < n_block, n_rows,
                       M, BM, BN, POWERS)  # fmt: skip
    place = (p * n_block + offset)[:, None] * n_rows + column[None, :]
    tl.store(out + place, total.to(out.dtype.element_ty),
             mask=(offset < n_block)[:, None] & (column < n_rows)[None, :])  # fmt: skip


def exact_rows(columns: Tensor, metrics: Any, first: int, last: int, dtype: Any) -> Tensor:
    """Return the powered distances (P, b, n) of rows first … last - 1, computed in float64."""
    n_rows = columns.shape[1]
    P, M = metrics.kept.shape
    n_block = last - first
    out = torch.empty((P, n_block, n_rows), dtype=dtype, device=columns.device)
    powers = metrics.exponents is not None
    _exact[(triton.cdiv(n_rows, _COLUMNS), triton.cdiv(n_block, _ROWS), P)](
        columns, metrics.kept, metrics.weights, metrics.exponents if powers else metrics.weights,
        out, n_rows, first, n_block, M=M, BM=_ROWS, BN=_COLUMNS, POWERS=powers,
        enable_fp_fusion=False, num_warps=8,
    )  # fmt: skip
    return out


@triton.jit
def fast_log2(x, FAST: tl.constexpr):
    """log2, by the special-function unit if there is one; -inf for 0."""
    if FAST:
        return tl.inline_asm_elementwise(
            "lg2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        return tl.where(x > 0.0, tl.log2(tl.where(x > 0.0, x, 1.0)), float("-inf"))


@triton.jit
def fast_exp2(x, FAST: tl.constexpr):
    """2 ** x likewise."""
    if FAST:
        return tl.inline_asm_elementwise(
            "ex2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        return tl.exp2(x)


@triton.jit
def _powered(high, low, exponents, out, n_rows, first_row, n_block, M: tl.constexpr,
             BM: tl.constexpr, BN: tl.constexpr, FAST: tl.constexpr):  # fmt: skip
    p = tl.program_id(2).to(tl.int64)
    offset = tl.program_id(1) * BM + tl.arange(0, BM)
    row = first_row + offset
    column = tl.program_id(0) * BN + tl.arange(0, BN)
    ok_row, ok = offset < n_block, column < n_rows
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for slot in range(0, M):
        base = (p * M + slot) * n_rows
        x = tl.load(high + base + row, mask=ok_row, other=0.0)
        x_rest = tl.load(low + base + row, mask=ok_row, other=0.0)
        y = tl.load(high + base + column, mask=ok, other=0.0)
        y_rest = tl.load(low + base + column, mask=ok, other=0.0)
        gap = tl.abs((y[None, :] - x[:, None]) + (y_rest[None, :] - x_rest[:, None]))
        total += fast_exp2(tl.load(exponents + p * M + slot) * fast_log2(gap, FAST), FAST)
    place = (p * n_block + offset)[:, None] * n_rows + column[None, :]
    tl.store(out + place, total, mask=ok_row[:, None] & ok[None, :])


def split_columns(table: Any, metrics: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return weighted, centred columns (P, M, n) as two floats each, and exponents in float32."""
    kept = metrics.kept.long()
    z = table.centred.T[kept] * metrics.weights[:, :, None]
    high = z.to(torch.float32)
    low = (z - high).to(torch.float32)
    return high, low, metrics.exponents.to(torch.float32)


def powered_rows(split: tuple[Tensor, Tensor, Tensor], first: int, last: int) -> Tensor:
    """Return the powered distances (P, b, n) of rows first … last - 1 in single precision."""
    high, low, exponents = split
    P, M, n_rows = high.shape
    n_block = last - first
    out = torch.empty((P, n_block, n_rows), dtype=torch.float32, device=high.device)
    _powered[(triton.cdiv(n_rows, _COLUMNS), triton.cdiv(n_block, _ROWS), P)](
        high, low, exponents, out, n_rows, first, n_block, M=M, BM=_ROWS, BN=_COLUMNS,
        FAST=high.is_cuda, num_warps=8,
    )  # fmt: skip
    return out
