"""A round of weighted k-means on squared distances: labels by matrix units, sums in one pass.

With x and c scaled to [-1, 1], a = (x², x) and b = (f, -2 f c), a distance is a · b + Σ f c². Half
precision rounds a and b; by Cauchy and Schwarz

    |a · b - a' · b'| ≤ |a - a'| |b| + |a'| |b - b'|,

so the label of a row is certain if its two nearest centres differ by more than twice that. If there
are many clusters, the other rows are computed again with numbers split in two, by a product of each
pair except the smallest. Rows that are still open are computed in double precision, feature by
feature, in the order and with the bits of the CPU.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor

_STEP = 2.0**-22  # error of a sum of products on the matrix units, for each step of its addition
_LIFT = 2.0**11  # factor of the low parts, to keep all their digits
_PROGRAMS = 1056
_MANY = 96  # from this number of clusters on, open rows are computed in single precision first


class Scaled(NamedTuple):
    """Rows for the matrix units.

    Attributes
    ----------
    high, single : (n, width), scaled rows in half and in single precision, columns of 0 added
    lost, norms : (n,), |a - a'| and |a'|
    middle, half : (M,), x = middle + half · scaled
    shares : (2,), errors of sums of whole and of split numbers, as shares of |a| |b|
    """

    high: Tensor
    single: Tensor
    lost: Tensor
    norms: Tensor
    middle: Tensor
    half: Tensor
    shares: Tensor


class Terms(NamedTuple):
    """Centres and factors for the matrix units: b in half precision, and the rest."""

    thin: Tensor  # (2, clusters, width), half precision: f, -2 f c
    low: Tensor  # the rest, times 2^11, in half precision
    constants: Tensor  # (clusters,), Σ f c²; inf for clusters of the padding
    limits: Tensor  # (5,): |b|, |b - b'|, shares of both kinds of sums, Σ f c²


def width_of(n_features: int) -> tuple[int, int]:
    """Return how many columns rows are stored with, and how many go into a product at once."""
    at_once = max(16, min(128, triton.next_power_of_2(n_features)))
    return triton.cdiv(n_features, at_once) * at_once, at_once


def scale_rows(X: Tensor) -> Scaled:
    """Scale rows (n, M) in double precision, in stripes."""
    n_rows, n_features = X.shape
    low, top = X.amin(dim=0), X.amax(dim=0)
    half = 0.5 * top - 0.5 * low
    middle = low + half
    half = torch.where(half > 0.0, half, 1.0)
    width = width_of(n_features)[0]
    high = torch.zeros((n_rows, width), dtype=torch.float16, device=X.device)
    single = torch.zeros((n_rows, width), dtype=torch.float32, device=X.device)
    lost, norms = torch.empty((2, n_rows), dtype=torch.float32, device=X.device)
    height = max(2**26 // n_features, 1)
    for first in range(0, n_rows, height):
        span = slice(first, first + height)
        x = (X[span] - middle) / half
        thin = x.to(torch.float16)
        high[span, :n_features] = thin
        single[span, :n_features] = x
        square = (thin.to(torch.float32) ** 2).to(torch.float16).to(torch.float64)
        thin = thin.to(torch.float64)
        away = ((thin - x) ** 2).sum(dim=1) + ((square - x * x) ** 2).sum(dim=1)
        lost[span] = (away.sqrt() * (1.0 + 1e-6)).to(torch.float32)
        size = ((thin * thin).sum(dim=1) + (square * square).sum(dim=1)).sqrt()
        norms[span] = (size * (1.0 + 1e-6)).to(torch.float32)
    steps = (2 * width / 16 + 16, 2 * width / 16 + 32)  # of 16 products each
    shares = torch.tensor(steps, dtype=torch.float64, device=X.device) * _STEP
    return Scaled(high, single, lost, norms, middle, half, shares)


def make_terms(rows: Scaled, centers: Tensor, factors: Tensor) -> Terms:
    """Return b of each centre, without waiting for the device."""
    n_clusters, n_features = centers.shape
    width = rows.high.shape[1]
    filled = triton.cdiv(n_clusters, cluster_tile(n_clusters)) * cluster_tile(n_clusters)
    wide = factors * rows.half**2
    wide = wide / wide.amax()
    c = (centers - rows.middle) / rows.half
    exact = torch.zeros((2, filled, width), dtype=torch.float64, device=centers.device)
    tilted = wide * c
    exact[0, :n_clusters, :n_features] = wide
    exact[1, :n_clusters, :n_features] = -2.0 * tilted
    thin = exact.to(torch.float16)
    constants = torch.full((filled,), torch.inf, dtype=torch.float32, device=centers.device)
    own = (tilted * c).sum(dim=1)
    constants[:n_clusters] = own
    away = ((thin.to(torch.float64) - exact) ** 2).sum(dim=(0, 2)).amax().sqrt()
    size = (exact**2).sum(dim=(0, 2)).amax().sqrt()
    numbers = [torch.stack([size, away]) * (1.0 + 1e-6), rows.shares, own.amax()[None] * _STEP]
    limits = torch.cat(numbers).to(torch.float32)
    low = ((exact - thin.to(torch.float64)) * _LIFT).to(torch.float16)
    return Terms(thin, low, constants, limits)


def cluster_tile(n_clusters: int) -> int:
    """Return how many clusters are processed together."""
    return max(16, min(128, triton.next_power_of_2(n_clusters)))


@triton.jit
def _merge(total, k, least, second, label):
    """Update the two least distances of each row, and the nearest centre, by a tile's."""
    here = tl.min(total, axis=1)
    which = tl.min(tl.where(total == here[:, None], k[None, :], 0x7FFFFFFF), axis=1)
    rest = tl.min(tl.where(k[None, :] == which[:, None], float("inf"), total), axis=1)
    second = tl.minimum(tl.maximum(least, here), tl.minimum(second, rest))
    label = tl.where(here < least, which, label)
    return tl.minimum(least, here), second, label


@triton.jit
def _list_open(open_, row, flagged, n_flagged):
    """Add the rows that are open to a list: one atomic operation for all of them."""
    flag = open_.to(tl.int32)
    first = tl.atomic_add(n_flagged, tl.sum(flag, axis=0))
    place = first + tl.cumsum(flag, axis=0) - 1
    tl.store(flagged + place, row, mask=open_)


@triton.jit
def _assign(high, lost, norms, thin, constants, limits, labels, flagged, n_flagged, n_rows, KP,
            W: tl.constexpr, BF: tl.constexpr, BR: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    slot = tl.arange(0, BF)
    place = row.to(tl.int64)[:, None] * W + slot[None, :]
    least = tl.full((BR,), float("inf"), dtype=tl.float32)
    second = tl.full((BR,), float("inf"), dtype=tl.float32)
    label = tl.zeros((BR,), dtype=tl.int32)
    if W == BF:  # the rows are kept from tile to tile
        x = tl.load(high + place, mask=ok[:, None], other=0.0)
        square = (x.to(tl.float32) * x.to(tl.float32)).to(tl.float16)
        for first in range(0, KP, BK):
            k = first + tl.arange(0, BK)
            b = k[None, :] * W + slot[:, None]
            total = tl.dot(square, tl.load(thin + b))
            total = tl.dot(x, tl.load(thin + KP * W + b), total)
            total += tl.load(constants + k)[None, :]
            least, second, label = _merge(total, k, least, second, label)
    else:
        for first in range(0, KP, BK):
            k = first + tl.arange(0, BK)
            total = tl.zeros((BR, BK), dtype=tl.float32)
            for start in range(0, W, BF):
                x = tl.load(high + place + start, mask=ok[:, None], other=0.0)
                square = (x.to(tl.float32) * x.to(tl.float32)).to(tl.float16)
                b = k[None, :] * W + start + slot[:, None]
                total = tl.dot(square, tl.load(thin + b), total)
                total = tl.dot(x, tl.load(thin + KP * W + b), total)
            total += tl.load(constants + k)[None, :]
            least, second, label = _merge(total, k, least, second, label)
    tl.store(labels + row, label, mask=ok)
    size = tl.load(limits)
    norm = tl.load(norms + row, mask=ok, other=0.0)
    error = tl.load(lost + row, mask=ok, other=0.0) * size + norm * tl.load(limits + 1)
    error += norm * size * tl.load(limits + 2) + tl.load(limits + 4)
    _list_open(ok & ~(second - least > 2.0 * error), row, flagged, n_flagged)


@triton.jit
def _add_split(a, b_high, b_low, total, cross):
    """Add a · b: high parts to `total`, high by low ones, lifted, to `cross`."""
    a_high = a.to(tl.float16)
    a_low = ((a - a_high.to(tl.float32)) * 2048.0).to(tl.float16)
    high = tl.load(b_high)
    total = tl.dot(a_high, high, total)
    cross = tl.dot(a_low, high, cross)
    return total, tl.dot(a_high, tl.load(b_low), cross)


@triton.jit
def _assign_open(single, norms, thin, low, constants, limits, labels, rows, n_open, flagged,
                 n_flagged, KP, W: tl.constexpr, BF: tl.constexpr, BR: tl.constexpr,
                 BK: tl.constexpr):  # fmt: skip
    count = tl.load(n_open)
    for item in range(tl.program_id(0), tl.cdiv(count, BR), tl.num_programs(0)):
        index = item * BR + tl.arange(0, BR)
        ok = index < count
        row = tl.load(rows + index, mask=ok, other=0)
        least = tl.full((BR,), float("inf"), dtype=tl.float32)
        second = tl.full((BR,), float("inf"), dtype=tl.float32)
        label = tl.zeros((BR,), dtype=tl.int32)
        for first in range(0, KP, BK):
            k = first + tl.arange(0, BK)
            total = tl.zeros((BR, BK), dtype=tl.float32)
            cross = tl.zeros((BR, BK), dtype=tl.float32)
            for start in range(0, W, BF):
                slot = start + tl.arange(0, BF)
                place = row.to(tl.int64)[:, None] * W + slot[None, :]
                x = tl.load(single + place, mask=ok[:, None], other=0.0)
                b = k[None, :] * W + slot[:, None]
                total, cross = _add_split(x * x, thin + b, low + b, total, cross)
                total, cross = _add_split(x, thin + KP * W + b, low + KP * W + b, total, cross)
            total += cross * (1.0 / 2048.0) + tl.load(constants + k)[None, :]
            least, second, label = _merge(total, k, least, second, label)
        tl.store(labels + row, label, mask=ok)
        norm = tl.load(norms + row, mask=ok, other=0.0)
        # Low parts below the smallest half-precision number lose less than 2^-36 each.
        error = (norm * 1.01 * tl.load(limits + 3) + 1e-9) * tl.load(limits) + tl.load(limits + 4)
        _list_open(ok & ~(second - least > 2.0 * error), row, flagged, n_flagged)


@triton.jit
def _settle(X, centers, factors, labels, rows, n_open, K, M, BR: tl.constexpr, BK: tl.constexpr):
    count = tl.load(n_open)
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
                for step in tl.static_range(0, 8):  # independent loads
                    v = start + step
                    x = tl.load(X + row.to(tl.int64) * M + v, mask=ok & (v < M), other=0.0)
                    c = tl.load(centers + v * K + k, mask=(k < K) & (v < M), other=0.0)
                    f = tl.load(factors + v * K + k, mask=(k < K) & (v < M), other=0.0)
                    gap = x[:, None] - c[None, :]
                    total = tl.fma(f[None, :] * gap, gap, total)
            total = tl.where((k < K)[None, :], total, float("inf"))
            here = tl.min(total, axis=1)
            which = tl.min(tl.where(total == here[:, None], k[None, :], 0x7FFFFFFF), axis=1)
            label = tl.where(here < best, which, label)
            best = tl.minimum(best, here)
        tl.store(labels + row, label, mask=ok)


def nearest(X: Tensor, rows: Scaled, centers: Tensor, factors: Tensor) -> Tensor:
    """Return each row's nearest centre, the first on a tie, (n,) int32; the host does not wait."""
    n_rows, n_features = X.shape
    n_clusters = len(centers)
    terms = make_terms(rows, centers, factors)
    filled, width = terms.thin.shape[1:]
    at_once = width_of(n_features)[1]
    tile = cluster_tile(n_clusters)
    labels, flagged, again = torch.empty((3, n_rows), dtype=torch.int32, device=X.device)
    counts = torch.zeros(2, dtype=torch.int32, device=X.device)
    # Rows, clusters, warps and stages that fit in shared memory and were fastest.
    height, beside, warps, stages = (128, tile, 4, 3) if tile < 128 else (256, 64, 8, 3)
    if width > at_once:
        height, beside, warps, stages = 128, min(tile, 64), 4, 2
    _assign[(triton.cdiv(n_rows, height),)](
        rows.high, rows.lost, rows.norms, terms.thin, terms.constants, terms.limits, labels,
        flagged, counts, n_rows, filled, W=width, BF=at_once, BR=height, BK=beside,
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    n_open = counts
    if n_clusters >= _MANY:
        _assign_open[(_PROGRAMS,)](
            rows.single, rows.norms, terms.thin, terms.low, terms.constants, terms.limits, labels,
            flagged, counts, again, counts[1:], filled, W=width, BF=at_once, BR=128, BK=64,
            num_warps=8, num_stages=1,
        )  # fmt: skip
        flagged, n_open = again, counts[1:]
    tile = max(16, min(64, triton.next_power_of_2(n_clusters)))
    _settle[(_PROGRAMS,)](
        X, centers.T.contiguous(), factors.T.contiguous(), labels, flagged, n_open, n_clusters,
        n_features, BR=512 // tile, BK=tile, num_warps=4,
    )  # fmt: skip
    return labels
