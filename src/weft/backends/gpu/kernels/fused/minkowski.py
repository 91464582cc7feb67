"""Nearest centres under |d|^p on a device: single precision first, double if that is uncertain.

With few clusters all distances are computed. With many, most are ruled out by a product: with
nodes t_j and weights ψ_j(c) such that

    |x - c|^p ≈ Σ_j ψ_j(c) |x - t_j|^p,

the nodes spread over a column's centres, a = |x - t_j|^p and b = f ψ_j(c), a · b is a distance up
to an error that is known for each centre (see `nodes`). Centres are then tested one by one, the
most promising first, until the next one cannot be nearer.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.cpu.kernels import power
from weft.backends.gpu.kernels.fused.rounds import _list_open, _merge, width_of
from weft.backends.gpu.kernels.nodes import WIDEST, Nodes, make_nodes

_PROGRAMS = 1056
_MANY = 96  # clusters from which a product rules most of them out
_ROUNDING = 2.0**-23
_SPREAD = 1.5  # standard deviations of a column's centres that the nodes cover
_NARROWEST = 1.0 / 64.0  # of a column's range
_AT_ONCE = 2**30  # products that are held at once
_LARGEST = 32.0  # largest sum of a centre's factors: 32 · 129^1.5 is a half-precision number


class ScaledRows(NamedTuple):
    """Rows in single precision, within [-1, 1].

    Attributes
    ----------
    single : (n, width), columns of 0 added
    columns : (M, n), the same turned over; None with many clusters
    middle, half : (M,), x = middle + half · scaled
    """

    single: Tensor
    columns: Tensor
    middle: Tensor
    half: Tensor
    exponent: float


class Metric(NamedTuple):
    """Centres and factors for scaled rows, and the errors of distances."""

    centers: Tensor  # (K, width), single precision
    factors: Tensor  # f half^p, the largest 1
    limits: Tensor  # (4,): relative and absolute error, the exponent, the unit of the factors


class Features(NamedTuple):
    """|x - t|^p of rows and nodes in half precision, |a - a'| and |a'|."""

    thin: Tensor  # (n, nodes · width)
    lost: Tensor  # (n,)
    norms: Tensor  # (n,)


class Product(NamedTuple):
    """Quantities that rule centres out; see the module's docstring."""

    b: Tensor  # (K, nodes · width), half precision
    errors: Tensor  # (3, K): of the nodes, |b|, |b - b'|
    scale: Tensor  # (width,), u = x · scale + shift, for scaled rows
    shift: Tensor
    ratio: Tensor  # (1,), what a · b is multiplied by to be in the units of `Metric`


def scale_rows(X: Tensor, exponent: float, n_clusters: int) -> ScaledRows:
    """Scale rows (n, M) in double precision, in stripes."""
    n_rows, n_features = X.shape
    low, top = X.amin(dim=0), X.amax(dim=0)
    half = 0.5 * top - 0.5 * low
    middle = low + half
    half = torch.where(half > 0.0, half, 1.0)
    width = width_of(n_features)[0]
    single = torch.zeros((n_rows, width), dtype=torch.float32, device=X.device)
    columns = None
    if n_clusters < _MANY:
        columns = torch.empty((n_features, n_rows), dtype=torch.float32, device=X.device)
    height = max(2**26 // n_features, 1)
    for first in range(0, n_rows, height):
        span = slice(first, first + height)
        single[span, :n_features] = (X[span] - middle) / half
        if columns is not None:
            columns[:, span] = single[span, :n_features].T
    return ScaledRows(single, columns, middle, half, exponent)


def _make_metric(rows: ScaledRows, centers: Tensor, factors: Tensor) -> Metric:
    n_clusters, n_features = centers.shape
    p = rows.exponent
    wide = factors * rows.half**p
    unit = wide.amax()
    wide = wide / unit
    thin = torch.zeros((2, n_clusters, rows.single.shape[1]), device=centers.device)
    thin[0, :, :n_features] = (centers - rows.middle) / rows.half
    thin[1, :, :n_features] = wide
    # As on the CPU: see `weft.backends.cpu.kernels.screen`.
    power = 0.0 if p == 1.5 else 2e-7 * (9.0 + 24.0 * p)
    relative = torch.full_like(unit, power + _ROUNDING * (n_features + 12.0))
    reach = thin[0].abs().amax().to(torch.float64).clamp(min=1.0)
    absolute = 8.0 * _ROUNDING * reach * wide.sum(dim=1).amax() ** (1.0 / p)
    absolute = absolute + (n_features * 1e-37) ** (1.0 / p)
    limits = torch.stack([relative, absolute, torch.full_like(unit, p), unit])
    return Metric(thin[0], thin[1], limits.to(torch.float32))


def _make_product(rows: ScaledRows, centers: Tensor, factors: Tensor, nodes: Nodes) -> Product:
    n_clusters, n_features = centers.shape
    p, width = rows.exponent, rows.single.shape[1]
    low, top = rows.middle - rows.half, rows.middle + rows.half
    middle = torch.minimum(torch.maximum(centers.mean(dim=0), low), top)
    reach = _SPREAD * centers.std(dim=0, correction=0)
    reach = torch.minimum(torch.maximum(reach, _NARROWEST * rows.half), 2.0 * rows.half)
    w = (centers - middle) / reach
    place = (w.abs() * nodes.steps).clamp(max=len(nodes.errors) - 2.0)
    knot = place.to(torch.int64)
    share = (place - knot)[:, :, None]
    psi = (1.0 - share) * nodes.weights[knot] + share * nodes.weights[knot + 1]
    psi = torch.where((w < 0.0)[:, :, None], psi.flip(2), psi)  # nodes are symmetric
    error = torch.maximum(nodes.errors[knot], nodes.errors[knot + 1])
    error = torch.where(w.abs() < WIDEST, error, torch.inf)
    wide = factors * reach**p
    unit = wide.sum(dim=1).amax() / _LARGEST
    wide = wide / unit
    exact = torch.zeros((n_clusters, psi.shape[2], width), dtype=w.dtype, device=w.device)
    exact[:, :, :n_features] = (wide[:, :, None] * psi).transpose(1, 2)
    b = exact.to(torch.float16)
    away = ((b.to(exact.dtype) - exact) ** 2).sum(dim=(1, 2)).sqrt()
    size = (exact**2).sum(dim=(1, 2)).sqrt()
    lost = torch.where(wide > 0.0, wide * error, 0.0).sum(dim=1)
    numbers = torch.stack([lost, size, away]) * (1.0 + 1e-5)
    scale, shift = torch.zeros((2, width), device=w.device)
    scale[:n_features] = rows.half / reach
    shift[:n_features] = (rows.middle - middle) / reach
    ratio = (unit / (factors * rows.half**p).amax()).to(torch.float32)[None]
    return Product(b.reshape(n_clusters, -1), numbers.to(torch.float32), scale, shift, ratio)


@triton.jit
def _power(gap, exponent, ROOT: tl.constexpr):
    """|gap| ** exponent in single precision."""
    size = tl.abs(gap)
    if ROOT:
        return size * tl.sqrt(size)
    return tl.where(size > 0.0, tl.exp2(exponent * tl.log2(size)), 0.0)


@triton.jit
def _margin(distance, limits):
    """Return the largest error of a distance in single precision."""
    absolute = tl.load(limits + 1)
    exponent = tl.load(limits + 2)
    root = tl.exp2(tl.log2(distance) / exponent) + absolute
    moved = exponent * absolute * tl.exp2((exponent - 1.0) * tl.log2(root))
    return 1.05 * (tl.load(limits) * distance + moved)


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
                total += f[None, :] * _power(x[:, None] - c[None, :], exponent, ROOT)
        total = tl.where((k < K)[None, :], total, float("inf"))
        least, second, label = _merge(total, k, least, second, label)
    tl.store(labels + row, label, mask=ok)
    far = tl.where(second < float("inf"), second - 2.0 * _margin(second, limits), second)
    _list_open(ok & ~(far > least), row, flagged, n_flagged)


@triton.jit
def _features(single, scale, shift, nodes, exponent_at, a, lost, norms, n_rows, M,
              R: tl.constexpr, W: tl.constexpr, BF: tl.constexpr, ROOT: tl.constexpr,
              BR: tl.constexpr):  # fmt: skip
    exponent = tl.load(exponent_at)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    away = tl.zeros((BR, BF), dtype=tl.float32)
    size = tl.zeros((BR, BF), dtype=tl.float32)
    for start in range(0, W, BF):
        slot = start + tl.arange(0, BF)
        there = ok[:, None] & (slot < M)[None, :]
        x = tl.load(single + row.to(tl.int64)[:, None] * W + slot[None, :], mask=there, other=0.0)
        u = x * tl.load(scale + slot)[None, :] + tl.load(shift + slot)[None, :]
        for j in tl.static_range(0, R):
            value = tl.where(there, _power(u - tl.load(nodes + j), exponent, ROOT), 0.0)
            thin = value.to(tl.float16)
            back = thin.to(tl.float32)
            away += (back - value) * (back - value)
            size += back * back
            place = (row.to(tl.int64)[:, None] * R + j) * W + slot[None, :]
            tl.store(a + place, thin, mask=ok[:, None])
    tl.store(lost + row, tl.sqrt(tl.sum(away, axis=1)) * 1.0001, mask=ok)
    tl.store(norms + row, tl.sqrt(tl.sum(size, axis=1)) * 1.0001, mask=ok)


@triton.jit
def _search(single, near, lost, norms, errors, ratio_at, centers, factors, limits, share_at,
            labels, flagged, n_flagged, first_row, n_rows, K, W: tl.constexpr,
            BF: tl.constexpr, KP: tl.constexpr, ROWS: tl.constexpr,
            ROOT: tl.constexpr):  # fmt: skip
    """Test a row's centres, the smallest lower bound first, until none can be nearer."""
    exponent = tl.load(limits + 2)
    ratio = tl.load(ratio_at)
    share = tl.load(share_at)
    k = tl.arange(0, KP)
    there = k < K
    begin = tl.program_id(0) * ROWS
    for i in range(begin, tl.minimum(begin + ROWS, n_rows)):
        row = tl.cast(first_row + i, tl.int64)
        value = tl.load(near + tl.cast(i, tl.int64) * K + k, mask=there, other=0.0).to(tl.float32)
        norm = tl.load(norms + i)
        # Read again for each row: registers are scarce.
        error = tl.load(errors + k, mask=there, other=0.0)
        error += (tl.load(lost + i) + norm * share) * tl.load(errors + K + k, mask=there, other=0.0)
        error += norm * tl.load(errors + 2 * K + k, mask=there, other=0.0)
        lower = (value - 0.001 * tl.abs(value) - error) * ratio
        lower = tl.where(lower == lower, lower, float("-inf"))
        lower = tl.where(there, lower, float("inf"))
        best = tl.full((), float("inf"), dtype=tl.float32)
        second = tl.full((), float("inf"), dtype=tl.float32)
        limit = tl.full((), float("inf"), dtype=tl.float32)
        label = 0
        steps = 0
        next_bound = tl.min(lower, axis=0)
        while (next_bound <= limit) & (steps < K):
            which = tl.min(tl.where(lower == next_bound, k, KP), axis=0)
            total = tl.full((), 0.0, dtype=tl.float32)
            for start in range(0, W, BF):
                slot = start + tl.arange(0, BF)
                x = tl.load(single + row * W + slot)
                c = tl.load(centers + which * W + slot)
                f = tl.load(factors + which * W + slot)
                total += tl.sum(f * _power(x - c, exponent, ROOT), axis=0)
            nearer = (total < best) | ((total == best) & (which < label))
            second = tl.minimum(second, tl.where(nearer, best, total))
            label = tl.where(nearer, which, label)
            best = tl.minimum(best, total)
            limit = best + 2.0 * _margin(best, limits)
            lower = tl.where(k == which, float("inf"), lower)
            next_bound = tl.min(lower, axis=0)
            steps += 1
        tl.store(labels + row, label)
        if ~(second - 2.0 * _margin(second, limits) > best) & (second < float("inf")):
            place = tl.atomic_add(n_flagged, 1)
            tl.store(flagged + place, row.to(tl.int32))


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
                for step in tl.static_range(0, 8):  # powers that do not wait for each other
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


# What `_exact_power` reads: 2^52 + 1023, 1, 1.5 · 2^52, the exponent, and both polynomials.
_SHIFTS = (4503599627371519.0, 1.0, 6755399441055744.0)


def _multiply(a: Tensor, b: Tensor) -> Tensor:
    """Return a bᵀ in half precision, added in single precision, as the bounds require."""
    settings = torch.backends.cuda.matmul
    before = settings.allow_fp16_reduced_precision_reduction
    settings.allow_fp16_reduced_precision_reduction = False
    try:
        return a @ b.T
    finally:
        settings.allow_fp16_reduced_precision_reduction = before


class Search:
    """Nearest centres of the same rows, for repeated calls."""

    def __init__(self, X: Tensor, exponent: float, n_clusters: int) -> None:
        self.X, self.n_clusters = X, n_clusters
        self.rows = scale_rows(X, exponent, n_clusters)
        self.many = n_clusters >= _MANY and 1.0 < exponent < 2.0
        numbers = (*_SHIFTS, exponent, *power.LOGARITHM, *power.EXPONENTIAL)
        self.numbers = torch.tensor(numbers, dtype=torch.float64, device=X.device)
        if self.many:
            self.nodes = make_nodes(exponent, X.device)

    def nearest(self, centers: Tensor, factors: Tensor) -> Tensor:
        """Return each row's nearest centre, the first on a tie, (n,) int32, without waiting."""
        X = self.X
        n_rows, n_features = X.shape
        n_clusters = len(centers)
        labels, flagged = torch.empty((2, n_rows), dtype=torch.int32, device=X.device)
        n_flagged = torch.zeros(1, dtype=torch.int32, device=X.device)
        metric = _make_metric(self.rows, centers, factors)
        found = (labels, flagged, n_flagged)
        if self.many:
            product = _make_product(self.rows, centers, factors, self.nodes)
            height = max(_AT_ONCE // max(product.b.shape), 2**12)
            for first in range(0, n_rows, height):
                a = self.make_features(product, first, min(height, n_rows - first))
                self.look(metric, product, a, _multiply(a.thin, product.b), first, found)
        else:
            self.compare_all(metric, found)
        tile = max(16, min(64, triton.next_power_of_2(n_clusters)))
        _settle[(_PROGRAMS,)](
            X, centers.T.contiguous(), factors.T.contiguous(), self.numbers, *found, n_clusters,
            n_features, BR=128 // tile, BK=tile, num_warps=4, enable_fp_fusion=False,
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

    def make_features(self, product: Product, first: int, height: int) -> Features:
        """Return the features of `height` rows from row `first` on."""
        single, n_nodes, device = self.rows.single, len(self.nodes.nodes), self.X.device
        n_features, width = self.X.shape[1], single.shape[1]
        thin = torch.empty((height, n_nodes * width), dtype=torch.float16, device=device)
        lost, norms = torch.empty((2, height), dtype=torch.float32, device=device)
        exponent = torch.full((1,), self.rows.exponent, dtype=torch.float32, device=device)
        _features[(triton.cdiv(height, 16),)](
            single[first:], product.scale, product.shift, self.nodes.nodes, exponent, thin, lost,
            norms, height, n_features, R=n_nodes, W=width, BF=min(width_of(n_features)[1], 64),
            ROOT=self.rows.exponent == 1.5, BR=16, num_warps=4,
        )  # fmt: skip
        return Features(thin, lost, norms)

    def look(
        self,
        metric: Metric,
        product: Product,
        a: Features,
        near: Tensor,
        first: int,
        found: tuple[Tensor, ...],
    ) -> None:
        """Fill labels, open rows and their number by way of the products `near`."""
        single = self.rows.single
        height, n_clusters = near.shape
        filled = triton.next_power_of_2(n_clusters)
        # Sums of 16 products each, and what splitting a sum into parts may add.
        steps = product.b.shape[1] / 16 + 128
        share = torch.full((1,), steps * 2.0**-22, dtype=torch.float32, device=near.device)
        _search[(triton.cdiv(height, 16),)](
            single, near, a.lost, a.norms, product.errors, product.ratio, metric.centers,
            metric.factors, metric.limits, share, *found, first, height, n_clusters,
            W=single.shape[1], BF=width_of(self.X.shape[1])[1], KP=filled, ROWS=16,
            ROOT=self.rows.exponent == 1.5, num_warps=max(1, min(16, filled // 1024)),
        )  # fmt: skip
