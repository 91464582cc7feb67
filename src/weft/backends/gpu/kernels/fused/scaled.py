"""Rows, centres and factors in single precision, and error bounds of their powered distances."""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.rounds import width_of

_ROUNDING = 2.0**-23


class ScaledRows(NamedTuple):
    """Rows in single precision, within [-1, 1].

    Attributes
    ----------
    single : (n, width), columns of 0 added
    columns : (M, n), the same, transposed; None if not needed
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
    limits: Tensor  # (3,): relative and absolute error, the exponent
    unit: Tensor  # of the factors, double precision


def scale_rows(X: Tensor, exponent: float, *, turned: bool = False) -> ScaledRows:
    """Scale rows (n, M) in double precision, in stripes; `turned`: by columns as well."""
    n_rows, n_features = X.shape
    low, top = X.amin(dim=0), X.amax(dim=0)
    half = 0.5 * top - 0.5 * low
    middle = low + half
    half = torch.where(half > 0.0, half, 1.0)
    width = width_of(n_features)[0]
    single = torch.zeros((n_rows, width), dtype=torch.float32, device=X.device)
    columns = None
    if turned:
        columns = torch.empty((n_features, n_rows), dtype=torch.float32, device=X.device)
    height = max(2**26 // n_features, 1)
    for first in range(0, n_rows, height):
        span = slice(first, first + height)
        single[span, :n_features] = (X[span] - middle) / half
        if columns is not None:
            columns[:, span] = single[span, :n_features].T
    return ScaledRows(single, columns, middle, half, exponent)


def relative_error(exponent: float) -> float:
    """Return the relative error of a power in single precision, without that of sums."""
    # As on the CPU: see `weft.backends.cpu.kernels.screen`.
    return 0.0 if exponent == 1.5 else 2e-7 * (9.0 + 24.0 * exponent)


def make_metric(rows: ScaledRows, centers: Tensor, factors: Tensor) -> Metric:
    """Scale centres and factors (K, M), without waiting for the device."""
    n_clusters, n_features = centers.shape
    p = rows.exponent
    wide = factors * rows.half**p
    unit = wide.amax()
    wide = wide / unit
    thin = torch.zeros((2, n_clusters, rows.single.shape[1]), device=centers.device)
    thin[0, :, :n_features] = (centers - rows.middle) / rows.half
    thin[1, :, :n_features] = wide
    relative = torch.full_like(unit, relative_error(p) + _ROUNDING * (n_features + 12.0))
    reach = thin[0].abs().amax().to(torch.float64).clamp(min=1.0)
    absolute = 8.0 * _ROUNDING * reach * wide.sum(dim=1).amax() ** (1.0 / p)
    absolute = absolute + (n_features * 1e-37) ** (1.0 / p)
    limits = torch.stack([relative, absolute, torch.full_like(unit, p)])
    return Metric(thin[0], thin[1], limits.to(torch.float32), unit)


@triton.jit
def power(gap, exponent, ROOT: tl.constexpr):
    """|gap| ** exponent in single precision."""
    size = tl.abs(gap)
    if ROOT:
        return size * tl.sqrt(size)
    return tl.where(size > 0.0, tl.exp2(exponent * tl.log2(size)), 0.0)


@triton.jit
def margin(distance, limits):
    """Return the error bound of a distance in single precision."""
    absolute = tl.load(limits + 1)
    exponent = tl.load(limits + 2)
    root = tl.exp2(tl.log2(distance) / exponent) + absolute
    moved = exponent * absolute * tl.exp2((exponent - 1.0) * tl.log2(root))
    return 1.05 * (tl.load(limits) * distance + moved)
