"""Silhouettes of a whole swarm in one pass over the pairs, without arrays of n × n or n × K.

Columns are visited cluster by cluster. A row's sum of distances to a cluster is finished when the
next cluster begins, and immediately becomes a(i) or a candidate for b(i).
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.distances import fast_exp2, fast_log2
from weft.backends.gpu.kernels.fused.nearest import Source
from weft.backends.gpu.kernels.fused.products import chunk, product, stages

_ROWS, _COLUMNS, _WARPS = 64, 64, 4
# Products lose digits by cancellation if rows are near. A few near pairs do not matter in a sum of
# many distances; if they are more than one in `_FEW` of a row's mates, its tile is computed again
# from differences.
_NEAR = tl.constexpr(2.0**-15)
_FEW = tl.constexpr(64)


@triton.jit
def _arrange(high, low, norms, order, high_out, low_out, norms_out, n_rows,
             M: tl.constexpr, MP: tl.constexpr, BR: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    source = p * n_rows + tl.load(order + p * n_rows + row, mask=ok, other=0)
    target = p * n_rows + row
    slot = tl.arange(0, MP)
    there = ok[:, None] & (slot < M)[None, :]
    from_, to = source[:, None] * M + slot[None, :], target[:, None] * M + slot[None, :]
    tl.store(high_out + to, tl.load(high + from_, mask=there, other=0.0), mask=there)
    tl.store(low_out + to, tl.load(low + from_, mask=there, other=0.0), mask=there)
    tl.store(norms_out + target, tl.load(norms + source, mask=ok, other=0.0), mask=ok)


@triton.jit
def _silhouette(high, low, norms, matrix, order, labels, counts, inverse_root, flags, out, n_rows,
                first_row, n_block, n_tiles, M: tl.constexpr, BK: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr, FROM_MATRIX: tl.constexpr, AGAIN: tl.constexpr,
                FAST: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    flag = p * tl.num_programs(0) + tl.program_id(0)
    todo = tl.load(flags + flag) if AGAIN else 1
    if todo == 0:
        return
    offset = tl.program_id(0) * BM + tl.arange(0, BM)
    ok_row = offset < n_block
    base = p * n_rows
    # From a matrix: rows in their order, columns by index. Otherwise all is sorted by cluster.
    row = first_row + offset
    own = tl.load(labels + base + row, mask=ok_row, other=-1)
    here = tl.load(norms + base + row, mask=ok_row, other=0.0)
    total = tl.zeros((BM,), dtype=tl.float64)
    inside = tl.zeros((BM,), dtype=tl.float64)
    nearest = tl.full((BM,), float("inf"), dtype=tl.float64)
    n_near = tl.zeros((BM,), dtype=tl.int32)
    current = -1
    for tile in range(0, n_tiles):
        column = tile * BN + tl.arange(0, BN)
        ok = column < n_rows
        if FROM_MATRIX:
            column = tl.load(order + base + column, mask=ok, other=0)
        label = tl.load(labels + base + column, mask=ok, other=-1)
        same = column[None, :] == row[:, None]
        if FROM_MATRIX:
            place = (p * n_block + offset)[:, None] * n_rows + column[None, :]
            value = tl.load(matrix + place, mask=ok_row[:, None] & ok[None, :], other=0.0)
            distance = fast_exp2(fast_log2(value, FAST) * tl.load(inverse_root + p), FAST)
        else:
            if AGAIN:
                squared = tl.zeros((BM, BN), dtype=tl.float32)
                for slot in range(0, M):
                    x = (base + row) * M + slot
                    y = (base + column) * M + slot
                    x_high = tl.load(high + x, mask=ok_row, other=0.0)
                    x_low = tl.load(low + x, mask=ok_row, other=0.0)
                    y_high = tl.load(high + y, mask=ok, other=0.0)
                    y_low = tl.load(low + y, mask=ok, other=0.0)
                    gap = (y_high[None, :] - x_high[:, None]) + (y_low[None, :] - x_low[:, None])
                    squared += gap * gap
            else:
                there = tl.load(norms + base + column, mask=ok, other=0.0)
                both = here[:, None] + there[None, :]
                dot = product(high, low, base + row, base + column, ok_row, ok, M, BK, BM, BN)
                squared = both - 2.0 * dot
                near = (squared < _NEAR * both) & ok_row[:, None] & ok[None, :] & ~same
                n_near += tl.sum(near.to(tl.int32), axis=1)
            distance = tl.sqrt(tl.maximum(squared, 0.0))
        distance = tl.where(ok[None, :] & ~same, distance, 0.0)
        first = tl.min(tl.where(ok, label, 0x7FFFFFFF), axis=0)
        last = tl.max(label, axis=0)
        for cluster in range(tl.maximum(first, 0), last + 1):
            part = tl.sum(tl.where(label[None, :] == cluster, distance, 0.0), axis=1)
            # A new cluster begins: the sum so far is that of the previous one.
            finished = (cluster != current) & (current >= 0)
            size = tl.load(counts + base + tl.maximum(current, 0)).to(tl.float64)
            inside = tl.where(finished & (own == current), total, inside)
            other = tl.where(finished & (own != current), total / size, float("inf"))
            nearest = tl.minimum(nearest, other)
            total = tl.where(cluster != current, 0.0, total) + part.to(tl.float64)
            current = cluster
    size = tl.load(counts + base + tl.maximum(current, 0)).to(tl.float64)
    inside = tl.where(own == current, total, inside)
    nearest = tl.minimum(nearest, tl.where(own != current, total / size, float("inf")))
    mates = tl.load(counts + base + tl.maximum(own, 0), mask=ok_row, other=0) - 1
    a = inside / tl.maximum(mates, 1).to(tl.float64)
    larger = tl.maximum(a, nearest)
    good = (own >= 0) & (mates > 0) & (larger > 0.0) & (nearest < float("inf"))
    value = (nearest - a) / tl.where(good, larger, 1.0)
    if not FROM_MATRIX:
        if not AGAIN:
            many = (n_near * _FEW > mates) & (n_near > 0) & ok_row
            tl.store(flags + flag, tl.max(many.to(tl.int32), axis=0))
        row = tl.load(order + base + row, mask=ok_row, other=0)
    tl.store(out + base + row, tl.where(good, value, 0.0), mask=ok_row)


def silhouette_rows(
    source: Source, labels: Tensor, counts: Tensor, inverse_root: Tensor, blocks: Any = None
) -> Tensor:
    """Return the silhouette (P, n) of each row, 0 for rows without a label.

    `labels` (P, n) int32 are 0 … K-1 or -1, `counts` (P, n) int32 their sizes.
    """
    P, n_rows = labels.shape
    M = source.metrics.kept.shape[1]
    arranged, order = torch.sort(labels, dim=1, stable=True)
    order = order.to(torch.int32)
    out = torch.empty((P, n_rows), dtype=torch.float64, device=labels.device)
    high, low, norms = source.high, source.low, source.norms
    if blocks is None:
        labels = arranged
        high, low, norms = (torch.empty_like(part) for part in (high, low, norms))
        _arrange[(triton.cdiv(n_rows, 16), P)](
            source.high, source.low, source.norms, order, high, low, norms, n_rows,
            M=M, MP=triton.next_power_of_2(M), BR=16,
        )  # fmt: skip
    flags = torch.empty((P, triton.cdiv(n_rows, _ROWS)), dtype=torch.int32, device=labels.device)
    for first, matrix in [(0, None)] if blocks is None else blocks:
        n_block = n_rows if matrix is None else matrix.shape[1]
        for again in (False, True) if matrix is None else (False,):
            _silhouette[(triton.cdiv(n_block, _ROWS), P)](
                high, low, norms, norms if matrix is None else matrix, order, labels, counts,
                inverse_root, flags, out, n_rows, first, n_block, triton.cdiv(n_rows, _COLUMNS),
                M=M, BK=chunk(M), BM=_ROWS, BN=_COLUMNS, FROM_MATRIX=matrix is not None,
                AGAIN=again, FAST=labels.is_cuda, num_warps=_WARPS, num_stages=stages(M),
            )  # fmt: skip
    return out
