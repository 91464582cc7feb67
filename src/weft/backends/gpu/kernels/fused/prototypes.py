"""Nearest prototypes and sums of clusters for many particles, with the bits of the CPU kernels.

Sums run over features, and over rows, in their order, which is fast enough in float64.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor

_ROWS, _PROTOTYPES, _FEATURES = 64, 16, 16


@triton.jit
def _nearest(columns, features, n_selected, prototypes, n_prototypes, labels, n_rows, W, L,
             BR: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    count = tl.load(n_prototypes + p)
    if count > 0:
        row = tl.program_id(0) * BR + tl.arange(0, BR)
        ok = row < n_rows
        selected = tl.load(n_selected + p)
        best = tl.full((BR,), float("inf"), dtype=tl.float64)
        label = tl.zeros((BR,), dtype=tl.int32)
        for start in range(0, count, BK):
            k = start + tl.arange(0, BK)
            total = tl.zeros((BR, BK), dtype=tl.float64)
            for slot in range(0, selected):
                feature = tl.load(features + p * W + slot).to(tl.int64)
                x = tl.load(columns + feature * n_rows + row, mask=ok, other=0.0)
                v = tl.load(prototypes + (p * W + slot) * L + k, mask=k < count, other=0.0)
                gap = x[:, None] - v[None, :]
                total += gap * gap
            total = tl.where((k < count)[None, :], total, float("inf"))
            least = tl.min(total, axis=1)
            first = tl.min(tl.where(total == least[:, None], k[None, :], 0x7FFFFFFF), axis=1)
            label = tl.where(least < best, first, label)
            best = tl.minimum(best, least)
        tl.store(labels + p * n_rows + row, label, mask=ok)


def nearest_prototypes(
    columns: Tensor,
    features: Tensor,
    n_selected: Tensor,
    prototypes: Tensor,
    n_prototypes: Tensor,
    labels: Tensor,
) -> None:
    """Fill labels (P, n); `prototypes` (P, W, L) has slots first. Skip particles without any."""
    P, W, L = prototypes.shape
    n_rows = columns.shape[1]
    _nearest[(triton.cdiv(n_rows, _ROWS), P)](
        columns, features, n_selected, prototypes, n_prototypes, labels, n_rows, W, L,
        BR=_ROWS, BK=_PROTOTYPES, enable_fp_fusion=False,
    )  # fmt: skip


@triton.jit
def _sums(rows, labels, n_prototypes, sums, counts, n_rows, d, L, LP: tl.constexpr,
          BF: tl.constexpr, UNROLL: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    if tl.load(n_prototypes + p) > 0:
        k = tl.arange(0, LP)
        feature = tl.program_id(0) * BF + tl.arange(0, BF)
        ok = feature < d
        total = tl.zeros((LP, BF), dtype=tl.float64)
        count = tl.zeros((LP,), dtype=tl.int32)
        for start in range(0, n_rows, UNROLL):
            for step in tl.static_range(UNROLL):
                i = start + step
                there = i < n_rows
                label = tl.load(labels + p * n_rows + i, mask=there, other=-1)
                x = tl.load(rows + i * d + feature, mask=ok & there, other=0.0)
                mine = k == label
                total += tl.where(mine[:, None], x[None, :], 0.0)
                count += mine.to(tl.int32)
        place = (p * L + k)[:, None] * d + feature[None, :]
        tl.store(sums + place, total, mask=(k < L)[:, None] & ok[None, :])
        if tl.program_id(0) == 0:
            tl.store(counts + p * L + k, count, mask=k < L)


def cluster_sums(
    rows: Tensor, labels: Tensor, n_prototypes: Tensor, sums: Tensor, counts: Tensor
) -> None:
    """Fill sums (P, L, d) and counts (P, L) of the particles that have prototypes."""
    P, L, d = sums.shape
    _sums[(triton.cdiv(d, _FEATURES), P)](
        rows, labels, n_prototypes, sums, counts, rows.shape[0], d, L,
        LP=max(triton.next_power_of_2(L), 16), BF=_FEATURES, UNROLL=8, enable_fp_fusion=False,
    )  # fmt: skip


@triton.jit
def _between(sums, counts, n_prototypes, between, filled, n_rows, d, L, LP: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    number = tl.load(n_prototypes + p)
    k = tl.arange(0, LP)
    ok = k < number
    count = tl.load(counts + p * L + k, mask=ok, other=0)
    norm = tl.zeros((LP,), dtype=tl.float64)
    for feature in range(0, d):
        value = tl.load(sums + (p * L + k) * d + feature, mask=ok, other=0.0)
        norm += value * value
    share = tl.where(count > 0, norm / tl.maximum(count, 1).to(tl.float64), 0.0)
    total = tl.full((), 0.0, dtype=tl.float64)
    for cluster in range(0, number):
        total += tl.sum(tl.where(k == cluster, share, 0.0), axis=0)
    tl.store(between + p, total / n_rows)
    tl.store(filled + p, tl.sum((count > 0).to(tl.int32), axis=0))


def between_sums(sums: Tensor, counts: Tensor, n_prototypes: Tensor, n_rows: int) -> Any:
    """Return eq. 5 (P,) and the number of filled clusters (P,); 0 where there are no prototypes."""
    P, L, d = sums.shape
    between = torch.empty(P, dtype=torch.float64, device=sums.device)
    filled = torch.empty(P, dtype=torch.int32, device=sums.device)
    _between[(P,)](
        sums, counts, n_prototypes, between, filled, n_rows, d, L,
        LP=max(triton.next_power_of_2(L), 16), enable_fp_fusion=False,
    )  # fmt: skip
    return between, filled


@triton.jit
def _own(columns, labels, prototypes, out, n_rows, d, L, BR: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    label = tl.load(labels + p * n_rows + row, mask=ok, other=0)
    total = tl.zeros((BR,), dtype=tl.float64)
    for feature in range(0, d):
        x = tl.load(columns + tl.cast(feature, tl.int64) * n_rows + row, mask=ok, other=0.0)
        v = tl.load(prototypes + (p * L + label) * d + feature, mask=ok, other=0.0)
        gap = x - v
        total += gap * gap
    tl.store(out + p * n_rows + row, total, mask=ok)


def own_distances(columns: Tensor, labels: Tensor, prototypes: Tensor) -> Tensor:
    """Return squared distances (P, n) of rows to the prototypes (P, L, d) of their labels."""
    P, L, d = prototypes.shape
    n_rows = columns.shape[1]
    out = torch.empty((P, n_rows), dtype=torch.float64, device=columns.device)
    _own[(triton.cdiv(n_rows, 256), P)](
        columns, labels.contiguous(), prototypes.contiguous(), out, n_rows, d, L,
        BR=256, enable_fp_fusion=False,
    )  # fmt: skip
    return out


@triton.jit
def _value_sums(values, labels, out, n_rows, L, LP: tl.constexpr, UNROLL: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, LP)
    total = tl.zeros((LP,), dtype=tl.float64)
    for start in range(0, n_rows, UNROLL):
        for step in tl.static_range(UNROLL):
            i = start + step
            there = i < n_rows
            label = tl.load(labels + p * n_rows + i, mask=there, other=-1)
            x = tl.load(values + p * n_rows + i, mask=there, other=0.0)
            total += tl.where(k == label, x, 0.0)
    tl.store(out + p * L + k, total, mask=k < L)


def value_sums(values: Tensor, labels: Tensor, n_labels: int) -> Tensor:
    """Return the sums (P, L) of `values` (P, n) over the rows of each label, row by row."""
    P, n_rows = values.shape
    out = torch.empty((P, n_labels), dtype=torch.float64, device=values.device)
    _value_sums[(P,)](
        values.contiguous(), labels.to(torch.int32).contiguous(), out, n_rows, n_labels,
        LP=max(triton.next_power_of_2(n_labels), 16), UNROLL=8, num_warps=1,
    )  # fmt: skip
    return out


@triton.jit
def _pairs(centers, out, L, d, LP: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    a = tl.program_id(0)
    b = tl.arange(0, LP)
    total = tl.zeros((LP,), dtype=tl.float64)
    for feature in range(0, d):
        x = tl.load(centers + (p * L + a) * d + feature)
        y = tl.load(centers + (p * L + b) * d + feature, mask=b < L, other=0.0)
        gap = x - y
        total += gap * gap
    tl.store(out + (p * L + a) * L + b, total, mask=b < L)


def squared_between(centers: Tensor) -> Tensor:
    """Return squared distances (P, L, L) of centres (P, L, d), feature by feature."""
    P, L, d = centers.shape
    out = torch.empty((P, L, L), dtype=torch.float64, device=centers.device)
    _pairs[(L, P)](
        centers.contiguous(), out, L, d, LP=max(triton.next_power_of_2(L), 16),
        enable_fp_fusion=False, num_warps=1,
    )  # fmt: skip
    return out
