"""Exact nearest rows of a whole swarm without any matrix in memory.

1. `_candidates`: distances as products on the matrix units (three products of split float32
   numbers), directly into 128 buckets per row that keep their two smallest: no sorting, no
   branches. The C smallest of the buckets are a row's candidates, and the buckets give the distance
   below which nothing was dropped.
2. `_settle`: the candidates' distances in float64, feature by feature, with the bits of the CPU. If
   the k-th is below every distance that may have been dropped, the row is finished: the buckets
   hold lower bounds.
3. `_settle_rows`: the few other rows in float64. They are compared with the rows of a bucket whose
   two smallest were both near, because a third may be near too; or with all rows, if the bound is
   too coarse.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.products import chunk, product, split_rows, stages

_ROWS, _BUCKETS, _SHIFT, _WARPS = 128, 128, 7, 8
_MANY = 30_000
_LARGEST = tl.constexpr(0x7FFFFFFF)
# A matrix unit adds eight products per step, so M features in three products take 3M / 8 steps with
# errors of up to 2^-22 |x||y| each, twice those of 24 bits. Splitting and the norms add eight.
_STEP = 2.0**-22


@triton.jit
def _candidates(high, low, norms, matrix, candidates, bound, full, n_rows, first_row, n_block,
                n_tiles, low_bits, shrink, M: tl.constexpr, BK: tl.constexpr, C: tl.constexpr,
                BM: tl.constexpr, BN: tl.constexpr, SHIFT: tl.constexpr,
                FROM_MATRIX: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    offset = tl.program_id(0) * BM + tl.arange(0, BM)
    row = first_row + offset
    ok_row = offset < n_block
    bucket = tl.arange(0, BN)
    base = p * n_rows
    # Norms are made slightly too short, so that every distance is a lower bound of the true one.
    here = tl.load(norms + base + row, mask=ok_row, other=0.0) * shrink
    least = tl.full((BM, BN), _LARGEST, dtype=tl.int32)
    second = tl.full((BM, BN), _LARGEST, dtype=tl.int32)
    for tile in range(0, n_tiles):
        column = tile * BN + bucket
        ok = column < n_rows
        if FROM_MATRIX:
            place = (p * n_block + offset)[:, None] * n_rows + column[None, :]
            squared = tl.load(matrix + place, mask=ok_row[:, None] & ok[None, :], other=0.0)
            squared *= shrink
        else:
            there = tl.load(norms + base + column, mask=ok, other=0.0) * shrink
            dot = product(high, low, base + row, base + column, ok_row, ok, M, BK, BM, BN)
            squared = tl.maximum(here[:, None] + there[None, :] - 2.0 * dot, 0.0)
        # Distances are not negative, so their bits have the same order. The lowest bits store the
        # tile, and whether the bucket has dropped nothing.
        key = (squared.to(tl.int32, bitcast=True) & ~low_bits) | (tile << 1)
        key = tl.where(ok[None, :] & (column[None, :] != row[:, None]), key, _LARGEST)
        second = tl.minimum(second, tl.maximum(least, key))
        least = tl.minimum(least, key)
    dropped = tl.full((BM,), _LARGEST, dtype=tl.int32)
    full_bucket = tl.full((BM,), -1, dtype=tl.int32)
    for c in range(0, C):
        best = tl.min((least.to(tl.int64) << SHIFT) | bucket[None, :].to(tl.int64), axis=1)
        where = (best & (BN - 1)).to(tl.int32)
        key = (best >> SHIFT).to(tl.int32)
        index = ((key & low_bits) >> 1) * BN + where
        index = tl.where(key == _LARGEST, -1, index)
        tl.store(candidates + (base + row) * C + c, index, mask=ok_row)
        # Rows left out of a bucket are at least as far as its second one, and may be the next
        # nearest. The first such bucket is stored; for further ones, only the bound is used.
        is_second = ((key & 1) == 1) & (key != _LARGEST)
        is_next = is_second & (full_bucket >= 0)
        dropped = tl.minimum(dropped, tl.where(is_next, key, _LARGEST))
        full_bucket = tl.where(is_second & (full_bucket < 0), where, full_bucket)
        hit = bucket[None, :] == where[:, None]
        least = tl.where(hit, second | 1, least)
        second = tl.where(hit, _LARGEST, second)
    rest = tl.minimum(dropped, tl.min(least, axis=1))
    value = (rest & ~low_bits).to(tl.float32, bitcast=True)
    value = tl.where(rest == _LARGEST, float("inf"), value)
    tl.store(bound + base + row, value, mask=ok_row)
    tl.store(full + base + row, full_bucket, mask=ok_row)


@triton.jit
def powered(gap, exponent):
    """|gap| ** exponent in float64; 0 for 0."""
    size = tl.abs(gap)
    value = tl.exp2(exponent * tl.log2(tl.where(size > 0.0, size, 1.0)))
    return tl.where(size > 0.0, value, 0.0)


@triton.jit
def exact_tile(XT, kept, weights, exponents, p, row, column, ok_row, n_rows, M: tl.constexpr,
               BM: tl.constexpr, BN: tl.constexpr, POWERS: tl.constexpr):  # fmt: skip
    """Powered distances (BM, BN) of rows and columns in float64, feature by feature."""
    total = tl.zeros((BM, BN), dtype=tl.float64)
    for slot in range(0, M):
        weight = tl.load(weights + p * M + slot)
        if weight != 0.0:  # unused slots have weight 0
            base = XT + tl.load(kept + p * M + slot).to(tl.int64) * n_rows
            x = tl.load(base + row, mask=ok_row, other=0.0) * weight
            y = tl.load(base + column, mask=column < n_rows, other=0.0) * weight
            gap = y[None, :] - x[:, None]
            if POWERS:
                total += powered(gap, tl.load(exponents + p * M + slot))
            else:
                total += gap * gap
    return total


@triton.jit
def _settle(X, kept, weights, exponents, candidates, bound, full, indices, values, flagged,
            n_flagged, n_rows, n_features, k, M: tl.constexpr, C: tl.constexpr, BR: tl.constexpr,
            POWERS: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok_row = row < n_rows
    place = (p * n_rows + row)[:, None] * C + tl.arange(0, C)[None, :]
    mate = tl.load(candidates + place, mask=ok_row[:, None], other=-1)
    ok = mate >= 0
    total = tl.zeros((BR, C), dtype=tl.float64)
    for slot in range(0, M):
        feature = tl.load(kept + p * M + slot)
        weight = tl.load(weights + p * M + slot)
        x = tl.load(X + row.to(tl.int64) * n_features + feature, mask=ok_row, other=0.0) * weight
        y = tl.load(X + mate.to(tl.int64) * n_features + feature, mask=ok, other=0.0) * weight
        gap = y - x[:, None]
        if POWERS:
            total += powered(gap, tl.load(exponents + p * M + slot))
        else:
            total += gap * gap
    total = tl.where(ok, total, float("inf"))
    last = tl.zeros((BR,), dtype=tl.float64)
    for s in range(0, k):
        last = tl.min(total, axis=1)
        found = tl.min(tl.where(total == last[:, None], mate, _LARGEST), axis=1)
        out = (p * n_rows + row) * k + s
        tl.store(indices + out, found, mask=ok_row)
        tl.store(values + out, last, mask=ok_row)
        total = tl.where(mate == found[:, None], float("inf"), total)
    limit = tl.load(bound + p * n_rows + row, mask=ok_row, other=0.0).to(tl.float64)
    sure = (last < limit) & (last < float("inf"))
    bucket = tl.load(full + p * n_rows + row, mask=ok_row, other=-1)
    tl.store(full + p * n_rows + row, tl.where(sure, bucket, -1), mask=ok_row)
    open_ = ok_row & ~(sure & (bucket < 0))
    target = n_flagged + tl.zeros((BR,), dtype=tl.int32)
    slot_ = tl.atomic_add(target, tl.full((BR,), 1, dtype=tl.int32), mask=open_)
    tl.store(flagged + slot_, p * n_rows + row, mask=open_)


@triton.jit
def ok_value(value):
    """Return whether a distance is valid: masked entries are infinite."""
    return value < float("inf")


@triton.jit
def _settle_rows(XT, kept, weights, exponents, full, flagged, n_flagged, indices, values, n_rows,
                 k, BUCKETS: tl.constexpr, M: tl.constexpr, KP: tl.constexpr, BN: tl.constexpr,
                 POWERS: tl.constexpr):  # fmt: skip
    count = tl.load(n_flagged)
    slots = tl.arange(0, KP)
    for item in range(tl.program_id(0), count, tl.num_programs(0)):
        code = tl.load(flagged + item)
        p = code // n_rows
        i = (code % n_rows).to(tl.int32)
        bucket = tl.load(full + code)
        # All columns, or those of one bucket, in addition to the rows already found.
        some = bucket >= 0
        stride = tl.where(some, BUCKETS, 1)
        begin = tl.where(some, bucket, 0)
        n_columns = (n_rows - begin + stride - 1) // stride
        best = tl.load(values + code * k + slots, mask=some & (slots < k), other=float("inf"))
        best = tl.where(slots < k, best, float("-inf"))
        where = tl.load(indices + code * k + slots, mask=some & (slots < k), other=0x7FFFFFFF)
        worst = tl.max(best, axis=0)
        latest = tl.max(tl.where(best == worst, where, -1), axis=0)
        for start in range(0, n_columns, BN):
            column = begin + (start + tl.arange(0, BN)) * stride
            ok = column < n_rows
            total = tl.zeros((BN,), dtype=tl.float64)
            for slot in range(0, M):
                feature = tl.load(kept + p * M + slot).to(tl.int64)
                weight = tl.load(weights + p * M + slot)
                x = tl.load(XT + feature * n_rows + i) * weight
                gap = tl.load(XT + feature * n_rows + column, mask=ok, other=0.0) * weight - x
                if POWERS:
                    total += powered(gap, tl.load(exponents + p * M + slot))
                else:
                    total += gap * gap
            total = tl.where(ok & (column != i), total, float("inf"))
            for s in range(0, k):
                known = tl.max(tl.where(slots == s, where, -1), axis=0)
                total = tl.where(column == known, float("inf"), total)
            smallest = tl.min(total, axis=0)
            j = tl.min(tl.where(total == smallest, column, 0x7FFFFFFF), axis=0)
            while (smallest < worst) | ((smallest == worst) & (j < latest) & ok_value(smallest)):
                # Of equally distant rows the last one is dropped, so ties go to the first.
                gone = tl.min(tl.where((best == worst) & (where == latest), slots, KP), axis=0)
                best = tl.where(slots == gone, smallest, best)
                where = tl.where(slots == gone, j, where)
                total = tl.where(column == j, float("inf"), total)
                worst = tl.max(best, axis=0)
                latest = tl.max(tl.where(best == worst, where, -1), axis=0)
                smallest = tl.min(total, axis=0)
                j = tl.min(tl.where(total == smallest, column, 0x7FFFFFFF), axis=0)
        tl.store(indices + code * k + slots, where, mask=slots < k)
        tl.store(values + code * k + slots, best, mask=slots < k)


class Source:
    """The source of approximate distances: split rows, or blocks of a matrix in float32."""

    def __init__(self, table: Any, metrics: Any, share: float = 0.0) -> None:
        self.table, self.metrics, self.share = table, metrics, share
        n_rows = len(table.X)
        device = table.X.device
        if metrics.exponents is None:
            self.high, self.low, self.norms = split_rows(table, metrics)
        else:
            self.norms = torch.zeros(
                (metrics.n_particles, n_rows), dtype=torch.float32, device=device
            )
            self.high = self.low = self.norms


def nearest_rows(
    source: Source, columns: Tensor, k: int, blocks: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the k nearest rows (P, n, k), exactly, their powered distances, and how many rows
    were computed again. `columns` (d, n) is the table's transpose; `blocks` yields
    (first row, matrix (P, b, n)) if distances come from a matrix."""
    table, metrics = source.table, source.metrics
    n_rows, n_features = table.X.shape
    P, M = metrics.kept.shape
    device = table.X.device
    # With many rows, the next nearest ones are only slightly farther: more candidates leave fewer
    # rows open.
    C = triton.next_power_of_2(k + (4 if n_rows <= _MANY else 12))
    shrink = 1.0 - (source.share if blocks is not None else (3 * M / 8 + 8) * _STEP)
    candidates = torch.empty((P, n_rows, C), dtype=torch.int32, device=device)
    bound = torch.empty((P, n_rows), dtype=torch.float32, device=device)
    full = torch.empty((P, n_rows), dtype=torch.int32, device=device)
    n_tiles = triton.cdiv(n_rows, _BUCKETS)
    low_bits = (1 << (max(n_tiles - 1, 1).bit_length() + 1)) - 1
    for first, matrix in [(0, None)] if blocks is None else blocks:
        n_block = n_rows if matrix is None else matrix.shape[1]
        rows = _ROWS if matrix is None else 64
        _candidates[(triton.cdiv(n_block, rows), P)](
            source.high, source.low, source.norms, source.norms if matrix is None else matrix,
            candidates, bound, full, n_rows, first, n_block, n_tiles, low_bits, shrink, M=M,
            BK=chunk(M), C=C, BM=rows, BN=_BUCKETS, SHIFT=_SHIFT, FROM_MATRIX=matrix is not None,
            num_warps=_WARPS, num_stages=stages(M),
        )  # fmt: skip
    indices = torch.empty((P, n_rows, k), dtype=torch.int32, device=device)
    values = torch.empty((P, n_rows, k), dtype=torch.float64, device=device)
    flagged = torch.empty(P * n_rows, dtype=torch.int64, device=device)
    n_flagged = torch.zeros(1, dtype=torch.int32, device=device)
    powers = metrics.exponents is not None
    exponents = metrics.exponents if powers else metrics.weights
    rows = max(256 // C, 1)
    _settle[(triton.cdiv(n_rows, rows), P)](
        table.X, metrics.kept, metrics.weights, exponents, candidates, bound, full, indices,
        values, flagged, n_flagged, n_rows, n_features, k, M=M, C=C, BR=rows, POWERS=powers,
        enable_fp_fusion=False,
    )  # fmt: skip
    _settle_rows[(min(2112, P * n_rows),)](
        columns, metrics.kept, metrics.weights, exponents, full, flagged, n_flagged, indices,
        values, n_rows, k, BUCKETS=_BUCKETS, M=M, KP=triton.next_power_of_2(k), BN=256,
        POWERS=powers, enable_fp_fusion=False,
    )  # fmt: skip
    return indices, values, n_flagged
