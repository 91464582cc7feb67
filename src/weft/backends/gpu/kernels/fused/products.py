"""Distances as products on the matrix units: three products of split float32 numbers."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor

_HELD = tl.constexpr(128)  # slots of a tile's rows that shared memory holds in addition


@triton.jit
def _split(X, kept, weights, high, low, norms, n_rows, n_features,
           M: tl.constexpr, MP: tl.constexpr, BR: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    slot = tl.arange(0, MP)
    there = (row < n_rows)[:, None] & (slot < M)[None, :]
    feature = tl.load(kept + p * M + slot, mask=slot < M, other=0)
    weight = tl.load(weights + p * M + slot, mask=slot < M, other=0.0)
    place = row.to(tl.int64)[:, None] * n_features + feature[None, :]
    z = tl.load(X + place, mask=there, other=0.0) * weight[None, :]
    # The matrix units read 10 bits after the point: round to 10 bits and store the rest.
    bits = z.to(tl.float32).to(tl.int32, bitcast=True)
    first = ((bits + 0x1000) & -8192).to(tl.float32, bitcast=True)
    rest = (z - first.to(tl.float64)).to(tl.float32).to(tl.int32, bitcast=True)
    second = ((rest + 0x1000) & -8192).to(tl.float32, bitcast=True)
    out = (p * n_rows + row)[:, None] * M + slot[None, :]
    tl.store(high + out, first, mask=there)
    tl.store(low + out, second, mask=there)
    tl.store(norms + p * n_rows + row, tl.sum(z * z, axis=1).to(tl.float32), mask=row < n_rows)


def split_rows(table: Any, metrics: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weighted, centred rows (P, n, M) as high and low parts, and squared norms."""
    n_rows, n_features = table.centred.shape
    P, M = metrics.kept.shape
    device = table.X.device
    high = torch.empty((P, n_rows, M), dtype=torch.float32, device=device)
    low = torch.empty_like(high)
    norms = torch.empty((P, n_rows), dtype=torch.float32, device=device)
    rows = 16
    _split[(triton.cdiv(n_rows, rows), P)](
        table.centred, metrics.kept, metrics.weights, high, low, norms, n_rows, n_features,
        M=M, MP=triton.next_power_of_2(M), BR=rows,
    )  # fmt: skip
    return high, low, norms


@triton.jit
def add_product(total, high, low, left, right, ok_left, ok_right, start, M: tl.constexpr,
                BK: tl.constexpr):  # fmt: skip
    """total + x·y over the slots start … start + BK - 1."""
    slot = start + tl.arange(0, BK)
    a = left[:, None] * M + slot[None, :]
    b = right[None, :] * M + slot[:, None]
    a_high = tl.load(high + a, mask=ok_left[:, None], other=0.0)
    a_low = tl.load(low + a, mask=ok_left[:, None], other=0.0)
    b_high = tl.load(high + b, mask=ok_right[None, :], other=0.0)
    b_low = tl.load(low + b, mask=ok_right[None, :], other=0.0)
    total = tl.dot(a_low, b_high, total, input_precision="tf32")
    total = tl.dot(a_high, b_low, total, input_precision="tf32")
    return tl.dot(a_high, b_high, total, input_precision="tf32")


@triton.jit
def product(high, low, left, right, ok_left, ok_right, M: tl.constexpr, BK: tl.constexpr,
            BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """x·y of rows `left` and `right` (places in `high`, in rows), all M slots."""
    total = tl.zeros((BM, BN), dtype=tl.float32)
    if M <= _HELD:  # the left rows stay in shared memory from tile to tile
        for start in tl.static_range(0, M, BK):
            total = add_product(total, high, low, left, right, ok_left, ok_right, start, M, BK)
    else:  # they do not fit: a loop that is not unrolled loads them again
        for start in range(0, M, BK):
            total = add_product(total, high, low, left, right, ok_left, ok_right, start, M, BK)
    return total


def chunk(M: int) -> int:
    """Return how many slots go into a product at once; a divisor of M, a power of 2."""
    return M if M <= 64 else 64 if M % 64 == 0 else 32


def stages(M: int) -> int:
    """Return how many tiles are loaded at the same time, as many as shared memory can hold."""
    return 2 if M <= 64 else 1
