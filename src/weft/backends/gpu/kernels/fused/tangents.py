"""Nearest of many centres under |d|^p, 1 < p < 2: a product excludes most of them.

A row's terms a and a centre's terms b are those of `weft.backends.gpu.kernels.tangents`: a · b is
at most the distance. Both are rounded to half precision, b with |b| = _LENGTH. By Cauchy and
Schwarz

    |a · b - a' · b'| ≤ |a - a'| |b| + |a'| |b - b'|,

an error that depends only on the row. A row's centres are then examined one by one, the smallest
bound first, until the next one cannot be nearer.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.rounds import width_of
from weft.backends.gpu.kernels.fused.scaled import (
    Metric,
    ScaledRows,
    margin,
    power,
    relative_error,
)
from weft.backends.gpu.kernels.tangents import CURVED, KNOT, N_TERMS, coefficients

_LENGTH = 16.0
_NARROWEST = 1.0 / 64.0  # of a column's range: 129^p is a half-precision number
_AT_ONCE = 2**30  # products that are held at once


class Product(NamedTuple):
    """The product that excludes centres."""

    b: Tensor  # (K, terms · width), half precision
    units: Tensor  # (K,), factors that convert a · b to the units of `Metric`
    scale: Tensor  # (width,), u = x · scale + shift, for scaled rows
    shift: Tensor
    share: Tensor  # (1,), errors of b and of sums, as a share of |a| |b|


class Features(NamedTuple):
    """Terms of rows in half precision, and error bounds of their products with b."""

    thin: Tensor  # (n, terms · width)
    errors: Tensor  # (n,)


def make_product(rows: ScaledRows, metric: Metric, centers: Tensor, factors: Tensor) -> Product:
    """Return the terms of centres, without waiting for the device."""
    n_clusters, n_features = centers.shape
    p, width = rows.exponent, rows.single.shape[1]
    low, top = rows.middle - rows.half, rows.middle + rows.half
    middle = torch.minimum(torch.maximum(centers.mean(dim=0), low), top)
    reach = centers.std(dim=0, correction=0)
    reach = torch.minimum(torch.maximum(reach, _NARROWEST * rows.half), 2.0 * rows.half)
    wide = factors * reach**p / metric.unit
    exact = torch.zeros((n_clusters, N_TERMS, width), dtype=torch.float64, device=centers.device)
    terms = wide[:, :, None] * coefficients((centers - middle) / reach)
    exact[:, :, :n_features] = terms.transpose(1, 2)
    exact = exact.reshape(n_clusters, -1)
    size = (exact**2).sum(dim=1).sqrt() / _LENGTH
    exact = torch.where(size > 0.0, exact.T / size, 0.0).T.contiguous()
    b = exact.to(torch.float16)
    away = ((b.to(torch.float64) - exact) ** 2).sum(dim=1).sqrt().amax() / _LENGTH
    # Sums of 16 products each, and the error of splitting a sum into parts.
    sums = (b.shape[1] / 16 + 128) * 2.0**-22 + relative_error(p)
    share = ((away + sums) * (1.0 + 1e-5)).to(torch.float32)[None]
    scale, shift = torch.zeros((2, width), device=centers.device)
    scale[:n_features] = rows.half / reach
    shift[:n_features] = (rows.middle - middle) / reach
    units = (size * (1.0 - 1e-6)).to(torch.float32)
    return Product(b, torch.where(units.isfinite(), units, 0.0), scale, shift, share)


@triton.jit
def _features(single, scale, shift, share_at, exponent_at, a, errors, n_rows, M, KNOT: tl.constexpr,
              CURVED: tl.constexpr, LENGTH: tl.constexpr, W: tl.constexpr, BF: tl.constexpr,
              ROOT: tl.constexpr, BR: tl.constexpr):  # fmt: skip
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
        for j in tl.static_range(0, 6):
            gap = u + KNOT if j < 3 else u - KNOT
            e = tl.abs(gap)
            if ROOT:
                g = tl.sqrt(e)
                h = tl.sqrt(e + CURVED)
                if j % 3 == 0:
                    value = e * g
                elif j % 3 == 1:
                    value = tl.where(gap > 0.0, -1.5, 1.5) * g
                else:
                    value = (h + 0.5 * g) / ((g + h) * (g + h))
            else:
                if j % 3 == 0:
                    value = power(e, exponent, False)
                elif j % 3 == 1:
                    value = tl.where(gap > 0.0, -exponent, exponent) * power(
                        e, exponent - 1.0, False
                    )
                else:
                    curve = 0.5 * exponent * (exponent - 1.0)
                    value = curve * power(e + CURVED / 3.0, exponent - 2.0, False)
            value = tl.where(there, value, 0.0)
            thin = value.to(tl.float16)
            back = thin.to(tl.float32)
            away += (back - value) * (back - value)
            size += back * back
            place = (row.to(tl.int64)[:, None] * 6 + j) * W + slot[None, :]
            tl.store(a + place, thin, mask=ok[:, None])
    error = tl.sqrt(tl.sum(away, axis=1)) + tl.load(share_at) * tl.sqrt(tl.sum(size, axis=1))
    # Half-precision products below the smallest normal number lose up to 2^-25.
    tl.store(errors + row, error * (1.001 * LENGTH) + 1e-7, mask=ok)


@triton.jit
def _look(single, near, errors, units, centers, factors, limits, labels, flagged, n_flagged, pairs,
          n_pairs, first_row, n_rows, K, W: tl.constexpr, BF: tl.constexpr, KP: tl.constexpr,
          ROWS: tl.constexpr, ROOT: tl.constexpr):  # fmt: skip
    """Examine a row's centres, the smallest lower bound first, until none can be nearer.

    A row that is open between two centres goes to `pairs` (n, 3) with both, one that is open
    between more to `flagged`.
    """
    exponent = tl.load(limits + 2)
    k = tl.arange(0, KP)
    begin = tl.program_id(0) * ROWS
    end = tl.minimum(begin + ROWS, n_rows)
    slot = tl.arange(0, BF)
    value = tl.load(near + tl.cast(begin, tl.int64) * K + k, mask=k < K, other=0.0)
    for i in range(begin, end):
        row = tl.cast(first_row + i, tl.int64)
        lower = value.to(tl.float32)
        lower = (lower - 0.001 * tl.abs(lower) - tl.load(errors + i)) * tl.load(
            units + k, mask=k < K, other=0.0
        )
        lower = tl.where((lower > 0.0) & (lower < float("inf")), lower, 0.0)  # and where it is NaN
        # Bounds are not negative, so their bits, as integers, have the same order. Their last bits
        # are replaced by the number of the centre, which makes them smaller.
        key = (lower.to(tl.int32, bitcast=True) & -KP) | k
        key = tl.where(k < K, key, 0x7FFFFFFF)
        after = tl.minimum(i + 1, end - 1)  # loaded while this row is examined
        value = tl.load(near + tl.cast(after, tl.int64) * K + k, mask=k < K, other=0.0)
        x = tl.load(single + row * W + slot)
        best = tl.full((), float("inf"), dtype=tl.float32)
        second = tl.full((), float("inf"), dtype=tl.float32)
        limit = tl.full((), float("inf"), dtype=tl.float32)
        third = tl.full((), float("inf"), dtype=tl.float32)
        label = 0
        rival = 0
        least = tl.min(key, axis=0)
        while (least < 0x7FFFFFFF) & ((least & -KP).to(tl.float32, bitcast=True) <= limit):
            which = least & (KP - 1)
            c = tl.load(centers + which * W + slot)
            f = tl.load(factors + which * W + slot)
            total = tl.sum(f * power(x - c, exponent, ROOT), axis=0)
            for start in range(BF, W, BF):
                rest = tl.load(single + row * W + start + slot)
                c = tl.load(centers + which * W + start + slot)
                f = tl.load(factors + which * W + start + slot)
                total += tl.sum(f * power(rest - c, exponent, ROOT), axis=0)
            nearer = (total < best) | ((total == best) & (which < label))
            other = tl.where(nearer, best, total)
            third = tl.minimum(third, tl.maximum(second, other))
            rival = tl.where(other < second, tl.where(nearer, label, which), rival)
            second = tl.minimum(second, other)
            label = tl.where(nearer, which, label)
            best = tl.minimum(best, total)
            limit = best + 2.0 * margin(best, limits)
            key = tl.where(key == least, 0x7FFFFFFF, key)
            least = tl.min(key, axis=0)
        tl.store(labels + row, label)
        if ~(second - 2.0 * margin(second, limits) > best) & (second < float("inf")):
            if (third - 2.0 * margin(third, limits) > best) | (third == float("inf")):
                place = 3 * tl.atomic_add(n_pairs, 1).to(tl.int64)
                tl.store(pairs + place, row.to(tl.int32))
                tl.store(pairs + place + 1, label)
                tl.store(pairs + place + 2, rival)
            else:
                tl.store(flagged + tl.atomic_add(n_flagged, 1), row.to(tl.int32))


def _multiply(a: Tensor, b: Tensor) -> Tensor:
    """Return a bᵀ of half-precision numbers, added in single precision, as the bounds assume."""
    settings = torch.backends.cuda.matmul
    before = settings.allow_fp16_reduced_precision_reduction
    settings.allow_fp16_reduced_precision_reduction = False
    try:
        return a @ b.T
    finally:
        settings.allow_fp16_reduced_precision_reduction = before


def find_nearest(
    rows: ScaledRows, metric: Metric, centers: Tensor, factors: Tensor, found: tuple[Tensor, ...]
) -> None:
    """Fill labels, open rows, their number, pairs and their number, `found`."""
    product = make_product(rows, metric, centers, factors)
    n_rows, n_features = len(rows.single), centers.shape[1]
    height = max(_AT_ONCE // max(product.b.shape), 2**12)
    for first in range(0, n_rows, height):
        a = make_features(rows, product, first, min(height, n_rows - first), n_features)
        look(rows, metric, product, a, _multiply(a.thin, product.b), first, found, n_features)


def make_features(
    rows: ScaledRows, product: Product, first: int, height: int, n_features: int
) -> Features:
    """Return the terms of `height` rows from row `first` on."""
    device, width = rows.single.device, rows.single.shape[1]
    thin = torch.empty((height, N_TERMS * width), dtype=torch.float16, device=device)
    errors = torch.empty(height, dtype=torch.float32, device=device)
    exponent = torch.full((1,), rows.exponent, dtype=torch.float32, device=device)
    _features[(triton.cdiv(height, 16),)](
        rows.single[first:], product.scale, product.shift, product.share, exponent, thin, errors,
        height, n_features, KNOT=KNOT, CURVED=CURVED, LENGTH=_LENGTH, W=width,
        BF=min(width_of(n_features)[1], 64), ROOT=rows.exponent == 1.5, BR=16, num_warps=4,
    )  # fmt: skip
    return Features(thin, errors)


def look(
    rows: ScaledRows,
    metric: Metric,
    product: Product,
    a: Features,
    near: Tensor,
    first: int,
    found: tuple[Tensor, ...],
    n_features: int,
) -> None:
    """Fill the results of some rows, given the products `near`."""
    height, n_clusters = near.shape
    filled = triton.next_power_of_2(n_clusters)
    _look[(triton.cdiv(height, 16),)](
        rows.single, near, a.errors, product.units, metric.centers, metric.factors, metric.limits,
        *found, first, height, n_clusters, W=rows.single.shape[1], BF=width_of(n_features)[1],
        KP=filled, ROWS=16, ROOT=rows.exponent == 1.5, num_warps=max(1, min(16, filled // 1024)),
    )  # fmt: skip
