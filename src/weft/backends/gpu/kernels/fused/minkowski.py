"""Nearest centres under |d|^p on a device: single precision first, double for uncertain rows.

With few clusters all distances are computed. With many, a product excludes most of them: see
`tangents`. Rows that single precision leaves open are computed again with the bits of the CPU.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.cpu.kernels import power as cpu_power
from weft.backends.gpu.kernels.fused import tangents
from weft.backends.gpu.kernels.fused.rounds import _list_open, _merge
from weft.backends.gpu.kernels.fused.scaled import (
    Metric,
    make_metric,
    margin,
    power,
    scale_rows,
)

_PROGRAMS = 1056
_MANY = 96  # from this number of clusters on, a product excludes most of them


@triton.jit
def _assign_few(columns, centers, factors, limits, labels, flagged, n_flagged, n_rows, K, M,
                ROOT: tl.constexpr, BR: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Compare all centres with each row."""
    exponent = tl.load(limits + 2)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    least = tl.full((BR,), float("inf"), dtype=tl.float32)
    second = tl.full((BR,), float("inf"), dtype=tl.float32)
    label = tl.zeros((BR,), dtype=tl.int32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        total = tl.zeros((BR, BK), dtype=tl.float32)
        for start in range(0, M, 4):
            for step in tl.static_range(0, 4):
                v = start + step
                place = tl.minimum(v, M - 1).to(tl.int64) * n_rows
                x = tl.load(columns + place + row, mask=ok, other=0.0)
                there = (k < K) & (v < M)
                c = tl.load(centers + v * K + k, mask=there, other=0.0)
                f = tl.load(factors + v * K + k, mask=there, other=0.0)
                total += f[None, :] * power(x[:, None] - c[None, :], exponent, ROOT)
        total = tl.where((k < K)[None, :], total, float("inf"))
        least, second, label = _merge(total, k, least, second, label)
    tl.store(labels + row, label, mask=ok)
    far = tl.where(second < float("inf"), second - 2.0 * margin(second, limits), second)
    _list_open(ok & ~(far > least), row, flagged, n_flagged)


@triton.jit
def _exact_power(x, exponent, numbers):
    """x ** exponent for x >= 0, operation by operation as `cpu.kernels.power.positive_power`."""
    t = x.to(tl.int64, bitcast=True) + 0x3FF0000000000000 - 0x3FE6A09E667F3BCD
    m = ((t & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD).to(tl.float64, bitcast=True)
    e = ((t >> 52) | 0x4330000000000000).to(tl.float64, bitcast=True) - tl.load(numbers)
    one = tl.load(numbers + 1)
    s = (m - one) / (m + one)
    z = s * s
    r = tl.fma(
        z,
        tl.broadcast_to(tl.load(numbers + 10), x.shape),
        tl.broadcast_to(tl.load(numbers + 9), x.shape),
    )
    for j in tl.static_range(0, 5):
        r = tl.fma(r, z, tl.broadcast_to(tl.load(numbers + 8 - j), x.shape))
    y = exponent * tl.fma(s, r, e)
    y = tl.minimum(tl.maximum(y, -1022.0), 1023.0)
    shift = tl.load(numbers + 2)
    whole = y + shift
    g = y - (whole - shift)
    q = tl.fma(
        g,
        tl.broadcast_to(tl.load(numbers + 20), x.shape),
        tl.broadcast_to(tl.load(numbers + 19), x.shape),
    )
    for j in tl.static_range(0, 8):
        q = tl.fma(q, g, tl.broadcast_to(tl.load(numbers + 18 - j), x.shape))
    q = tl.fma(q, g, tl.broadcast_to(one, x.shape))
    power = (whole.to(tl.int64, bitcast=True) << 52) + 0x3FF0000000000000
    return q * power.to(tl.float64, bitcast=True)


@triton.jit
def _settle(X, centers, factors, numbers, labels, rows, n_open, K, M, BR: tl.constexpr,
            BK: tl.constexpr):  # fmt: skip
    count = tl.load(n_open)
    exponent = tl.load(numbers + 3)
    for item in range(tl.program_id(0), tl.cdiv(count, BR), tl.num_programs(0)):
        index = item * BR + tl.arange(0, BR)
        ok = index < count
        row = tl.load(rows + index, mask=ok, other=0)
        best = tl.full((BR,), float("inf"), dtype=tl.float64)
        label = tl.zeros((BR,), dtype=tl.int32)
        for first in range(0, K, BK):
            k = first + tl.arange(0, BK)
            total = tl.zeros((BR, BK), dtype=tl.float64)
            for start in range(0, M, 8):
                for step in tl.static_range(0, 8):  # independent powers
                    v = start + step
                    there = (k < K) & (v < M)
                    x = tl.load(X + row.to(tl.int64) * M + v, mask=ok & (v < M), other=0.0)
                    c = tl.load(centers + v * K + k, mask=there, other=0.0)
                    f = tl.load(factors + v * K + k, mask=there, other=0.0)
                    gap = tl.abs(x[:, None] - c[None, :])
                    term = f[None, :] * _exact_power(gap, exponent, numbers)
                    total += tl.where((f != 0.0)[None, :], term, 0.0)
            total = tl.where((k < K)[None, :], total, float("inf"))
            here = tl.min(total, axis=1)
            which = tl.min(tl.where(total == here[:, None], k[None, :], 0x7FFFFFFF), axis=1)
            label = tl.where(here < best, which, label)
            best = tl.minimum(best, here)
        tl.store(labels + row, label, mask=ok)


@triton.jit
def _settle_pairs(X, centers, factors, numbers, labels, pairs, n_pairs, M,
                  BR: tl.constexpr):  # fmt: skip
    """The same for rows that are open between two centres, `pairs` (n, 3)."""
    count = tl.load(n_pairs)
    exponent = tl.load(numbers + 3)
    for item in range(tl.program_id(0), tl.cdiv(count, BR), tl.num_programs(0)):
        index = item * BR + tl.arange(0, BR)
        ok = index < count
        place = pairs + 3 * index.to(tl.int64)
        row = tl.load(place, mask=ok, other=0)
        k = tl.load(place[:, None] + 1 + tl.arange(0, 2)[None, :], mask=ok[:, None], other=0)
        total = tl.zeros((BR, 2), dtype=tl.float64)
        for start in range(0, M, 8):
            for step in tl.static_range(0, 8):
                v = start + step
                there = ok[:, None] & (v < M)
                x = tl.load(X + row.to(tl.int64) * M + v, mask=ok & (v < M), other=0.0)
                c = tl.load(centers + k * M + v, mask=there, other=0.0)
                f = tl.load(factors + k * M + v, mask=there, other=0.0)
                term = f * _exact_power(tl.abs(x[:, None] - c), exponent, numbers)
                total += tl.where(f != 0.0, term, 0.0)
        least = tl.min(total, axis=1)
        label = tl.min(tl.where(total == least[:, None], k, 0x7FFFFFFF), axis=1)
        tl.store(labels + row, label, mask=ok)


# What `_exact_power` reads: 2^52 + 1023, 1, 1.5 · 2^52, the exponent, and both polynomials.
_SHIFTS = (4503599627371519.0, 1.0, 6755399441055744.0)


class Search:
    """Nearest centres of the same rows, for repeated calls."""

    def __init__(self, X: Tensor, exponent: float, n_clusters: int) -> None:
        self.X, self.n_clusters = X, n_clusters
        self.many = n_clusters >= _MANY and 1.0 < exponent < 2.0
        self.rows = scale_rows(X, exponent, turned=not self.many)
        numbers = (*_SHIFTS, exponent, *cpu_power.LOGARITHM, *cpu_power.EXPONENTIAL)
        self.numbers = torch.tensor(numbers, dtype=torch.float64, device=X.device)

    def nearest(self, centers: Tensor, factors: Tensor) -> Tensor:
        """Return each row's nearest centre, the first on a tie, (n,) int32, without waiting."""
        X = self.X
        n_rows, n_features = X.shape
        n_clusters = len(centers)
        labels, flagged = torch.empty((2, n_rows), dtype=torch.int32, device=X.device)
        counts = torch.zeros(2, dtype=torch.int32, device=X.device)
        metric = make_metric(self.rows, centers, factors)
        found = (labels, flagged, counts)
        if self.many:
            pairs = torch.empty((n_rows, 3), dtype=torch.int32, device=X.device)
            again = (pairs, counts[1:])
            tangents.find_nearest(self.rows, metric, centers, factors, (*found, *again))
            _settle_pairs[(_PROGRAMS,)](
                X, centers.contiguous(), factors.contiguous(), self.numbers, labels, *again,
                n_features, BR=16, num_warps=1, enable_fp_fusion=False,
            )  # fmt: skip
        else:
            self.compare_all(metric, found)
        # Few rows are open between more than two of many centres: each gets its own program.
        tile = max(16, min(512 if self.many else 64, triton.next_power_of_2(n_clusters)))
        _settle[(_PROGRAMS,)](
            X, centers.T.contiguous(), factors.T.contiguous(), self.numbers, *found, n_clusters,
            n_features, BR=max(128 // tile, 1), BK=tile, num_warps=max(tile // 32, 4),
            enable_fp_fusion=False,
        )  # fmt: skip
        return labels

    def compare_all(self, metric: Metric, found: tuple[Tensor, ...]) -> None:
        """Fill labels, open rows and their number from all distances."""
        n_features, n_rows = self.rows.columns.shape
        _assign_few[(triton.cdiv(n_rows, 256),)](
            self.rows.columns, metric.centers.T[:n_features].contiguous(),
            metric.factors.T[:n_features].contiguous(), metric.limits, *found, n_rows,
            len(metric.centers), n_features, ROOT=self.rows.exponent == 1.5, BR=256, BK=4,
            num_warps=4,
        )  # fmt: skip
