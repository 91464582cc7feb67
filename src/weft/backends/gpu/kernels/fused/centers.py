"""Minkowski centres of all clusters and columns at once, with one pass over the rows per step.

With a = (c - x) / half, where half is half of a column's range, a pass computes

    Σ m |a|^p,    Σ m |a|^(p-1) sign(a),    Σ m |a|^(p-2),

and for the value next to the centre its a, its mass, and the distance to the next. For p < 2 the
slope is infinitely steep at each value, so Newton's method oscillates around a value next to the
root. A step treats that value exactly and the others by their tangent; the error is of the
second order in step / (distance of the next value). The first passes are in single precision. A
pass skips columns that have converged, if all columns of one program have.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels.fused.groups import group_rows, masses, splits_of
from weft.backends.gpu.kernels.fused.nearest import powered
from weft.backends.gpu.kernels.fused.scaled import ScaledRows

_PASSES = (4, 12)  # at most, in single and in double precision
_LEAST = 1e-30  # of |a|: below it a value lies on the centre
_ROUGH = 3e-4  # of σ: a step in single precision below which double precision takes over
_EXACT = 1e-13  # of σ: largest error, as on the CPU
_WIDE = 32  # columns of a program


@triton.jit
def _weights(size, exponent, ROOT: tl.constexpr, DOUBLE: tl.constexpr):
    """|a|^(p-2) for |a| > 0."""
    if ROOT and DOUBLE:  # a root in single precision and one step of third order
        guess = tl.rsqrt(size.to(tl.float32)).to(tl.float64)
        miss = 1.0 - size * guess * guess
        return guess + guess * miss * (0.5 + 0.375 * miss)
    elif ROOT:
        return tl.rsqrt(size)
    elif DOUBLE:
        return powered(size, exponent - 2.0)
    else:
        return tl.exp2((exponent - 2.0) * tl.log2(size))


@triton.jit
def _closest(first, mass, second):
    """Return the value next to each column's centre, its mass, and the distance of the next one."""
    near = tl.abs(first)
    best = tl.min(near, axis=0)
    chosen = tl.min(tl.where(near == best[None, :], first, float("inf")), axis=0)
    here = first == chosen[None, :]
    whole = tl.sum(tl.where(here, mass, 0.0), axis=0)
    rest = tl.min(tl.minimum(second, tl.where(here, float("inf"), near)), axis=0)
    return chosen, whole, rest


@triton.jit
def _pass(X, load, order, starts, open_, centers, scale, numbers, sums, K, M, W, S,
          ROOT: tl.constexpr, DOUBLE: tl.constexpr, BF: tl.constexpr,
          BR: tl.constexpr):  # fmt: skip
    """Fill `sums` (6, S, K, M); `centers` are in units of the rows, times `scale` they are a."""
    k = tl.program_id(0)
    s = tl.program_id(1)
    slot = tl.program_id(2) * BF + tl.arange(0, BF)
    there = slot < M
    wanted = tl.load(open_ + k * M + slot, mask=there, other=0)
    if tl.max(wanted, axis=0) > 0:
        begin = tl.load(starts + k)
        end = tl.load(starts + k + 1)
        length = tl.cdiv(end - begin, S)
        begin += s * length
        end = tl.minimum(begin + length, end)
        kind = tl.float64 if DOUBLE else tl.float32
        exponent = tl.load(numbers).to(kind)
        least = tl.load(numbers + 1).to(kind)
        c = tl.load(centers + k * M + slot, mask=there, other=0.0).to(kind)
        unit = tl.load(scale + slot, mask=there, other=0.0).to(kind)
        total = tl.zeros((BR, BF), dtype=kind)
        slope = tl.zeros((BR, BF), dtype=kind)
        curve = tl.zeros((BR, BF), dtype=kind)
        # Single precision is enough for the value next to the centre: with any error, a step is
        # 0 where the slope is 0.
        first = tl.full((BR, BF), float("inf"), dtype=tl.float32)
        second = tl.full((BR, BF), float("inf"), dtype=tl.float32)
        mass = tl.zeros((BR, BF), dtype=tl.float32)
        for at in range(begin, end, BR):
            index = at + tl.arange(0, BR)
            ok = index < end
            row = tl.load(order + index, mask=ok, other=0)
            m = tl.load(load + row, mask=ok, other=0.0).to(kind)
            x = tl.load(X + row[:, None] * W + slot[None, :], mask=ok[:, None] & there[None, :],
                        other=0.0)  # fmt: skip
            away = (c[None, :] - x) * unit[None, :]
            place = tl.where(ok[:, None], away.to(tl.float32), float("inf"))
            here = tl.abs(place)
            near = tl.abs(first)
            same = place == first
            second = tl.where(same, second, tl.minimum(second, tl.maximum(here, near)))
            heavy = m.to(tl.float32)[:, None]
            mass = tl.where(here < near, heavy, tl.where(same, mass + heavy, mass))
            first = tl.where(here < near, place, first)
            size = tl.abs(away)
            good = size > least
            q = m[:, None] * _weights(tl.where(good, size, 1.0), exponent, ROOT, DOUBLE)
            q = tl.where(good, q, 0.0)
            curve += q
            q *= away
            slope += q
            total += q * away
        first, mass, second = _closest(first, mass, second)
        out = sums + (s * K + k) * M + slot
        apart = S * K * M
        tl.store(out, tl.sum(total, axis=0).to(tl.float64), mask=there)
        tl.store(out + apart, tl.sum(slope, axis=0).to(tl.float64), mask=there)
        tl.store(out + 2 * apart, tl.sum(curve, axis=0).to(tl.float64), mask=there)
        tl.store(out + 3 * apart, first.to(tl.float64), mask=there)
        tl.store(out + 4 * apart, mass.to(tl.float64), mask=there)
        tl.store(out + 5 * apart, second.to(tl.float64), mask=there)


@triton.jit
def _root_of_tangent(slope, curve, first, mass, p, least, ROOT: tl.constexpr):
    """Return the step t to the root of a tangent plus one value that is treated exactly.

    With y = a + t of that value, R + R' t + m |y|^(p-1) sign(y) = 0. So -y has the sign of
    G = R - R' a, and z = |y| solves R' z + m z^(p-1) = |G|: a convex equation in s = z^(p-1).
    """
    first = tl.where(tl.abs(first) < 1e300, first, 0.0)
    first = tl.where(p < 2.0, first, 0.0)
    mass = tl.where(p < 2.0, mass, 0.0)
    near = tl.abs(first)
    weight = tl.where(near > least, mass * powered(near, p - 2.0), 0.0)
    tangent = (p - 1.0) * tl.maximum(curve - weight, 0.0)
    level = slope - weight * first - tangent * first
    high = tl.abs(level)
    if ROOT:
        s = 2.0 * high / (mass + tl.sqrt(mass * mass + 4.0 * tangent * high))
        z = s * s
    else:
        r = 1.0 / (p - 1.0)
        s = tl.minimum(high / mass, powered(high / tangent, p - 1.0))
        for _ in range(0, 12):
            steep = tangent * r * powered(s, r - 1.0) + mass
            s = tl.maximum(s - (tangent * powered(s, r) + mass * s - high) / steep, 0.0)
        z = tl.where(p < 2.0, powered(s, r), high / tangent)
    step = tl.where(level > 0.0, -z, z) - first
    return tl.where(step == step, step, 0.0)


@triton.jit
def _step(sums, mass, numbers, floors, open_, centers, low, high, spread, K, M,
          ROOT: tl.constexpr, S: tl.constexpr, DOUBLE: tl.constexpr, BF: tl.constexpr):  # fmt: skip
    """Move the open centres (in units of half a column's range); return which remain open."""
    k = tl.program_id(0)
    slot = tl.program_id(1) * BF + tl.arange(0, BF)
    at = k * M + slot
    wanted = tl.load(open_ + at, mask=slot < M, other=0) > 0
    if tl.max(wanted.to(tl.int32), axis=0) > 0:
        part = sums + (tl.arange(0, S)[:, None] * K + k) * M + slot[None, :]
        some = wanted[None, :]
        apart = S * K * M
        total = tl.sum(tl.load(part, mask=some, other=0.0), axis=0)
        slope = tl.sum(tl.load(part + apart, mask=some, other=0.0), axis=0)
        curve = tl.sum(tl.load(part + 2 * apart, mask=some, other=0.0), axis=0)
        first, heavy, second = _closest(
            tl.load(part + 3 * apart, mask=some, other=float("inf")),
            tl.load(part + 4 * apart, mask=some, other=0.0),
            tl.load(part + 5 * apart, mask=some, other=float("inf")),
        )
        p = tl.load(numbers)
        c = tl.load(centers + at, mask=wanted, other=0.0)
        ratio = (total / tl.load(mass + k)).to(tl.float32)
        sigma = tl.exp2(tl.log2(ratio) / p.to(tl.float32)).to(tl.float64)
        step = _root_of_tangent(slope, curve, first, heavy, p, tl.load(numbers + 1), ROOT)
        # Far from the root a tangent step is too long if p < 2; a step to the weighted mean is not.
        mean = -slope / curve
        far = tl.abs(mean) >= tl.where(p < 2.0, 0.5 * (p - 1.0), float("inf")) * sigma
        step = tl.where(far, mean, step)
        step = tl.where(second == float("inf"), -first, step)  # no other value
        trial = c + step
        size = tl.abs(step)
        if DOUBLE:
            a = tl.load(low + at, mask=wanted, other=0.0)
            b = tl.load(high + at, mask=wanted, other=0.0)
            a = tl.where(slope < 0.0, c, a)
            b = tl.where(slope < 0.0, b, c)
            allowed = tl.load(numbers + 3) * sigma
            # The result cannot be more precise than the last bits of the rows.
            done = size <= allowed + tl.load(floors + slot, mask=slot < M, other=0.0)
            # For p > 2 the curvature changes by about size / σ of itself.
            reach = tl.where(p < 2.0, second, sigma)
            bend = tl.where(p < 2.0, 2.0 - p, p - 1.0)
            done |= (size < 0.1 * reach) & (bend * size * size <= allowed * reach)
            # A step across most of the bracket oscillates around a value with much mass: halve it.
            lost = (trial <= a) | (trial >= b) | (size > 0.5 * (b - a))
            lost = lost & ~done & (a > -1e300) & (b < 1e300)
            trial = tl.where(lost, 0.5 * (a + b), trial)
            moved = 0.5 * p * tl.abs(slope * step)  # by Taylor, to the second order
            tl.store(spread + at, total - moved, mask=wanted & done)
            tl.store(low + at, a, mask=wanted)
            tl.store(high + at, b, mask=wanted)
        else:
            done = ~(size > tl.load(numbers + 2) * sigma)
        tl.store(centers + at, trial, mask=wanted)
        tl.store(open_ + at, (~done).to(tl.int8), mask=wanted)


class Solved(NamedTuple):
    """Centres and dispersions (K, M), masses (K,), and how many pairs are not solved."""

    centers: Tensor
    spread: Tensor
    mass: Tensor
    n_open: Tensor


class Solver:
    """Centres of clusters of the same rows, for repeated calls."""

    def __init__(self, X: Tensor, load: Tensor, scaled: ScaledRows) -> None:
        self.X, self.load, self.scaled = X, load, scaled
        numbers = (scaled.exponent, _LEAST, _ROUGH, _EXACT)
        self.numbers = torch.tensor(numbers, dtype=torch.float64, device=X.device)
        self.ones = torch.ones_like(scaled.half)
        self.floors = 2.0**-51 * (1.0 + (scaled.middle / scaled.half).abs())
        self.passes = _PASSES

    def centers(self, labels: Tensor, changed: Tensor, previous: Tensor, spread: Tensor) -> Solved:
        """Return centres; clusters that are not `changed` (K,) keep theirs."""
        n_clusters, n_features = previous.shape
        middle, half = self.scaled.middle, self.scaled.half
        unit = half**self.scaled.exponent
        order, starts = group_rows(labels, n_clusters)
        mass = masses(self.load, order, starts)
        wanted = (changed & (mass > 0.0))[:, None].expand(previous.shape).contiguous()
        splits = splits_of(len(labels), n_clusters)
        shape = (6, splits, n_clusters, n_features)
        sums = torch.empty(shape, dtype=torch.float64, device=previous.device)
        groups = (order, starts, mass, sums)
        at = (previous - middle) / half
        low, high = (torch.full_like(at, end) for end in (-torch.inf, torch.inf))
        found = torch.full_like(at, torch.nan)
        state = (at, low, high, found)
        rough, open_ = wanted.to(torch.int8), wanted.to(torch.int8)
        for _ in range(self.passes[0]):
            self._advance(groups, self.scaled.single, at, self.ones, rough, state)
        at.clamp_(-1.0, 1.0)
        for _ in range(self.passes[1]):
            self._advance(groups, self.X, at * half + middle, 1.0 / half, open_, state)
        centers = torch.where(wanted, at * half + middle, previous)
        spread = torch.where(wanted, found * unit, spread)
        spread = torch.where((mass > 0.0)[:, None], spread, 0.0)
        return Solved(centers, spread, mass, (open_ > 0).sum())

    def _advance(
        self,
        groups: tuple[Tensor, ...],
        rows: Tensor,
        centers: Tensor,
        scale: Tensor,
        open_: Tensor,
        state: tuple[Tensor, ...],
    ) -> None:
        """Do one pass over `rows`, whose units are those of `centers`, and one step."""
        order, starts, mass, sums = groups
        splits, n_clusters, n_features = sums.shape[1:]
        root, double = self.scaled.exponent == 1.5, rows.dtype == torch.float64
        _pass[(n_clusters, splits, triton.cdiv(n_features, _WIDE))](
            rows, self.load, order, starts, open_, centers, scale, self.numbers, sums, n_clusters,
            n_features, rows.shape[1], splits, ROOT=root, DOUBLE=double, BF=_WIDE,
            BR=16 if double else 32, num_warps=4,
        )  # fmt: skip
        _step[(n_clusters, triton.cdiv(n_features, 16))](
            sums, mass, self.numbers, self.floors, open_, *state, n_clusters, n_features,
            ROOT=root, S=splits, DOUBLE=double, BF=16, num_warps=4,
        )  # fmt: skip
