"""Minkowski centres and nearest centres for powers other than 2, one launch each.

A program handles one cluster and one feature, and runs all steps of Newton's method. Launching a
dozen steps one by one took longer than computing them.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.nearest import powered

_BLOCK = 512
MAX_STEPS = tl.constexpr(200)


def _numbers(like: Tensor, *values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64, device=like.device)


@triton.jit
def _centers(columns, load, starts, guess, numbers, center_out, spread_out, n_rows, M,
             ROOT: tl.constexpr, BR: tl.constexpr):  # fmt: skip
    k = tl.program_id(0)
    v = tl.program_id(1).to(tl.int64)
    first = tl.load(starts + k)
    last = tl.load(starts + k + 1)
    lane = tl.arange(0, BR)
    # Read from memory, because numbers passed as arguments become single precision.
    exponent = tl.load(numbers)
    root_width = tl.load(numbers + 1)
    near_share = tl.load(numbers + 2)
    low = tl.full((), float("inf"), dtype=tl.float64)
    high = tl.full((), float("-inf"), dtype=tl.float64)
    for start in range(first, last, BR):
        i = start + lane
        x = tl.load(columns + v * n_rows + i, mask=i < last, other=float("nan"))
        known = x == x
        low = tl.minimum(low, tl.min(tl.where(known, x, float("inf")), axis=0))
        high = tl.maximum(high, tl.max(tl.where(known, x, float("-inf")), axis=0))
    before = tl.load(guess + k * M + v)
    width = high - low
    going = (width > 0.0).to(tl.int32)
    safe = tl.where(width > 0.0, width, 1.0)
    center = tl.where((low < before) & (before < high), before, 0.5 * (low + high))
    center = tl.where(width > 0.0, center, low)
    steepest = tl.full((), float("inf"), dtype=tl.float64)
    steps = 0
    while going > 0:
        slope = tl.full((), 0.0, dtype=tl.float64)
        curve = tl.full((), 0.0, dtype=tl.float64)
        for start in range(first, last, BR):
            i = start + lane
            x = tl.load(columns + v * n_rows + i, mask=i < last, other=float("nan"))
            m = tl.load(load + i, mask=i < last, other=0.0)
            away = (center - x) / safe
            good = tl.abs(away) > 0.0  # neither a missing value nor one on the centre
            away = tl.where(good, away, 1.0)
            if ROOT:  # p = 1.5
                weight = tl.where(good, m / tl.sqrt(tl.abs(away)), 0.0)
            else:
                weight = tl.where(good, m * powered(away, exponent - 2.0), 0.0)
            curve += tl.sum(weight, axis=0)
            slope += tl.sum(weight * away, axis=0)
        low = tl.where(slope < 0.0, center, low)
        high = tl.where(slope < 0.0, high, center)
        step = -slope / (curve * (exponent - 1.0)) * safe
        size = tl.abs(step)
        past = tl.where(size < near_share * safe, 1e-3 * size + 0.25 * root_width * safe, 0.0)
        trial = center + step + tl.where(step > 0.0, past, -past)
        good_step = (low < trial) & (trial < high) & (tl.abs(slope) <= 0.5 * steepest)
        trial = tl.where(good_step, trial, 0.5 * (low + high))
        ended = (slope == 0.0) | (high - low <= root_width * safe)
        ended = ended | (trial <= low) | (trial >= high)
        steepest = tl.abs(slope)
        center = tl.where(ended, center, trial)
        steps += 1
        going = tl.where(ended | (steps >= MAX_STEPS), 0, 1)
    total = tl.full((), 0.0, dtype=tl.float64)
    seen = tl.full((), 0.0, dtype=tl.float64)
    for start in range(first, last, BR):
        i = start + lane
        x = tl.load(columns + v * n_rows + i, mask=i < last, other=float("nan"))
        m = tl.load(load + i, mask=i < last, other=0.0)
        known = x == x
        gap = tl.where(known, center - x, 0.0)
        if ROOT:  # noqa: SIM108 (Triton decides it as it compiles)
            term = tl.abs(gap) * tl.sqrt(tl.abs(gap))
        else:
            term = powered(gap, exponent)
        total += tl.sum(tl.where(known, m * term, 0.0), axis=0)
        seen += tl.sum(tl.where(known, m, 0.0), axis=0)
    tl.store(center_out + k * M + v, tl.where(seen > 0.0, center, before))
    nothing = tl.where(last > first, float("nan"), 0.0)
    tl.store(spread_out + k * M + v, tl.where(seen > 0.0, total, nothing))


def column_centers(
    X: Tensor,
    labels: Tensor,
    load: Tensor,
    exponent: float,
    guess: Tensor,
    root_width: float,
    near_share: float,
) -> tuple[Tensor, Tensor]:
    """Return centres and dispersions (K, M); see the plain form for the rules."""
    K, M = guess.shape
    order = torch.sort(labels, stable=True).indices
    counts = torch.bincount(labels, minlength=K)
    starts = torch.zeros(K + 1, dtype=torch.int64, device=X.device)
    starts[1:] = counts.cumsum(dim=0)
    columns = X[order].T.contiguous()
    numbers = _numbers(X, exponent, root_width, near_share)
    center, spread = torch.empty_like(guess), torch.empty_like(guess)
    _centers[(K, M)](
        columns, load[order].contiguous(), starts, guess.contiguous(), numbers, center, spread,
        len(X), M, ROOT=exponent == 1.5, BR=_BLOCK, num_warps=4,
    )  # fmt: skip
    return center, spread


@triton.jit
def _nearest(columns, centers, factors, numbers, labels, least_out, second_out, n_rows, M, K,
             ROOT: tl.constexpr, BR: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    exponent = tl.load(numbers)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    ok = row < n_rows
    least = tl.full((BR,), float("inf"), dtype=tl.float64)
    second = tl.full((BR,), float("inf"), dtype=tl.float64)
    label = tl.zeros((BR,), dtype=tl.int64)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        total = tl.zeros((BR, BK), dtype=tl.float64)
        for v in range(0, M):
            x = tl.load(columns + tl.cast(v, tl.int64) * n_rows + row, mask=ok, other=0.0)
            c = tl.load(centers + k * M + v, mask=k < K, other=0.0)
            f = tl.load(factors + k * M + v, mask=k < K, other=0.0)
            gap = x[:, None] - c[None, :]
            gap = tl.abs(tl.where(gap == gap, gap, 0.0))
            if ROOT:  # noqa: SIM108 (as above)
                term = f[None, :] * gap * tl.sqrt(gap)
            else:
                term = f[None, :] * powered(gap, exponent)
            total += tl.where((f != 0.0)[None, :], term, 0.0)
        total = tl.where((k < K)[None, :], total, float("inf"))
        here = tl.min(total, axis=1)
        which = tl.min(tl.where(total == here[:, None], k[None, :], 0x7FFFFFFF), axis=1)
        rest = tl.min(tl.where(k[None, :] == which[:, None], float("inf"), total), axis=1)
        second = tl.minimum(tl.maximum(least, here), tl.minimum(second, rest))
        label = tl.where(here < least, which, label)
        least = tl.minimum(least, here)
    tl.store(labels + row, label, mask=ok)
    tl.store(least_out + row, least, mask=ok)
    tl.store(second_out + row, second, mask=ok)


def nearest_centers(
    columns: Tensor, centers: Tensor, factors: Tensor, exponent: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return each row's nearest centre, and its two least powered distances, (n,) each."""
    M, n_rows = columns.shape
    labels = torch.empty(n_rows, dtype=torch.int64, device=columns.device)
    least, second = (torch.empty(n_rows, dtype=torch.float64, device=columns.device) for _ in "ab")
    numbers = _numbers(columns, exponent)
    _nearest[(triton.cdiv(n_rows, 64),)](
        columns, centers.contiguous(), factors.contiguous(), numbers, labels, least, second,
        n_rows, M, len(centers), ROOT=exponent == 1.5, BR=64, BK=16, num_warps=4,
    )  # fmt: skip
    return labels, least, second
