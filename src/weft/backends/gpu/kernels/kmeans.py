"""Weighted k-means under a Minkowski metric, in torch: see the reference for the notation.

Functions take and return tensors on one device, float64 throughout. Sums over a cluster's rows are
products with its members' column, which always add in the same order; atomic additions do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused

_AT_ONCE = 2**26  # numbers that one step holds
ROUNDING = 2.0**-53
ROOT_WIDTH = 1e-13  # of the values' range: how far apart the ends of a root's bracket may be
NEAR = 1e-3  # of the range: shorter steps are made slightly too long, to close the bracket
MAX_STEPS = 200


class Nearest(NamedTuple):
    """Each row's nearest centre, and the rows for which it is uncertain because of rounding."""

    labels: Tensor  # (n,), int64
    open: Tensor  # (m,), row numbers


class Centers(NamedTuple):
    """Centres (K, M) and the dispersion of each feature around them (K, M)."""

    centers: Tensor
    dispersions: Tensor


def _spans(n_rows: int, width: int) -> Iterator[slice]:
    height = max(_AT_ONCE // max(width, 1), 1)
    for first in range(0, n_rows, height):
        yield slice(first, min(first + height, n_rows))


def _powers(gap: Tensor, exponent: float) -> Tensor:
    """Raise |gap| to a power, in place."""
    if exponent == 2.0:
        return gap.square_()
    gap.abs_()
    return gap if exponent == 1.0 else gap.pow_(exponent)


def powered_distances(X: Tensor, centers: Tensor, factors: Tensor, exponent: float) -> Tensor:
    """Return d_ik = Σ_v f_kv |x_iv - c_kv|^p, (n, K); a missing value adds nothing."""
    out = torch.empty((len(X), len(centers)), dtype=X.dtype, device=X.device)
    for span in _spans(*X.shape):
        for k, (center, factor) in enumerate(zip(centers, factors, strict=True)):
            terms = _powers(X[span] - center, exponent).mul_(factor)
            out[span, k] = terms.nansum(dim=1)
    return out


def nearest_centers(
    X: Tensor, columns: Tensor, centers: Tensor, factors: Tensor, exponent: float
) -> Nearest:
    """Return argmin_k d_ik; if the two smallest are equal up to rounding, the row is open.

    `columns` (M, n) is X transposed.
    """
    # Terms are not negative, so the relative error of the distance is that of a term plus that of
    # the sum. The error of a power by logarithms grows with the logarithm, which is at most 1,100.
    share = (8.0 * (X.shape[1] + 8.0) + 2200.0 * exponent) * ROUNDING
    if is_fused(X.device) and exponent not in (1.0, 2.0):
        labels, least, second = fused.kmeans.nearest_centers(columns, centers, factors, exponent)
        sure = second - least > share * (least + second)
        return Nearest(labels, (~(sure | (len(centers) == 1))).nonzero()[:, 0])
    distances = powered_distances(X, centers, factors, exponent)
    return _nearest(distances, lambda least, second: share * (least + second))


def nearest_squared(
    X: Tensor, squares: Tensor, centers: Tensor, factors: Tensor, shift: Tensor
) -> Nearest:
    """The same for p = 2 by two products, X and its `squares` being those of x - shift.

    Σ f (x - c)² = Σ f x² - 2 Σ (f c) x + Σ f c², whose error is a share of the first and the last.
    """
    shifted = centers - shift
    tilted = factors * shifted
    own = squares @ factors.T
    constant = (tilted * shifted).sum(dim=1)
    distances = own + constant
    share = 16.0 * (X.shape[1] + 8.0) * ROUNDING
    slack = share * distances.amax(dim=1)
    distances -= 2.0 * (X @ tilted.T)
    return _nearest(distances, lambda least, second: slack)


def _nearest(distances: Tensor, slack: Any) -> Nearest:
    labels = distances.argmin(dim=1, keepdim=True)
    least = distances.gather(1, labels)[:, 0]
    second = distances.scatter_(1, labels, torch.inf).amin(dim=1)
    sure = second - least > slack(least, second)
    if distances.shape[1] == 1:
        sure = torch.ones_like(sure)
    return Nearest(labels[:, 0], (~sure).nonzero()[:, 0])


def own_distances(
    X: Tensor, labels: Tensor, centers: Tensor, factors: Tensor, exponent: float
) -> Tensor:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    out = torch.empty(len(X), dtype=X.dtype, device=X.device)
    for span in _spans(*X.shape):
        terms = _powers(X[span] - centers[labels[span]], exponent).mul_(factors[labels[span]])
        out[span] = terms.nansum(dim=1)
    return out


def members(labels: Tensor, load: Tensor, n_clusters: int) -> Tensor:
    """Return (n, K), the load of each row in the column of its cluster."""
    out = torch.zeros((len(labels), n_clusters), dtype=load.dtype, device=load.device)
    return out.scatter_(1, labels[:, None], load[:, None])


def cluster_dispersions(
    X: Tensor, labels: Tensor, member: Tensor, centers: Tensor, exponent: float
) -> Tensor:
    """Return D_kv = Σ_{i in S_k} m_i |x_iv - c_kv|^p, (K, M)."""
    out = torch.zeros_like(centers)
    for span in _spans(*X.shape):
        terms = _powers(X[span] - centers[labels[span]], exponent)
        out += member[span].T @ torch.where(terms.isnan(), 0.0, terms)
    return out


def column_centers(
    X: Tensor, labels: Tensor, load: Tensor, exponent: float, previous: Tensor, missing: bool
) -> Centers:
    """Return each cluster's Minkowski centre (eq. 3.7) and dispersions (eq. 3.9).

    If a cluster has no observed value, its centre does not change and the dispersion is NaN, or 0
    if the cluster has no rows at all.
    """
    if is_fused(X.device) and exponent not in (1.0, 2.0):
        ends = (ROOT_WIDTH, NEAR)
        return Centers(*fused.kmeans.column_centers(X, labels, load, exponent, previous, *ends))
    member = members(labels, load, len(previous))
    known = ~X.isnan() if missing else None
    seen = member.T @ (torch.ones_like(X) if known is None else known.to(X.dtype))
    if exponent == 2.0:
        values = X if known is None else torch.where(known, X, 0.0)
        found = (member.T @ values) / seen
    elif exponent == 1.0:
        found = _medians(X, labels, load, len(previous))
    else:
        found = _roots(X, labels, member, exponent, previous)
    centers = torch.where(seen > 0.0, found, previous)
    spread = cluster_dispersions(X, labels, member, centers, exponent)
    spread = torch.where(seen > 0.0, spread, torch.nan)
    empty = member.sum(dim=0) == 0.0
    return Centers(centers, torch.where(empty[:, None], 0.0, spread))


def cluster_ends(X: Tensor, labels: Tensor, n_clusters: int) -> tuple[Tensor, Tensor]:
    """Return the least and largest observed value of each cluster, (K, M); inf, -inf if none."""
    order = torch.sort(labels, stable=True).indices
    counts = torch.bincount(labels, minlength=n_clusters).tolist()
    low = torch.full((n_clusters, X.shape[1]), torch.inf, dtype=X.dtype, device=X.device)
    high = -low
    first = 0
    for k, count in enumerate(counts):
        if count:
            rows = X[order[first : first + count]]
            low[k] = rows.nan_to_num(nan=torch.inf, neginf=-torch.inf).amin(dim=0)
            high[k] = rows.nan_to_num(nan=-torch.inf, posinf=torch.inf).amax(dim=0)
        first += count
    return low, high


def _roots(X: Tensor, labels: Tensor, member: Tensor, exponent: float, guess: Tensor) -> Tensor:
    """Return the roots of eq. 3.11: Newton's method inside a bracket, all clusters at once.

    The slope Σ m |d|^(p-2) d changes sign once. Short steps are made a thousandth too long, so that
    the sign of the slope changes and the bracket closes on the root from both sides.
    """
    low, high = cluster_ends(X, labels, len(guess))
    reach = high - low
    done = ~(reach > 0.0)  # one value or no value
    reach = torch.where(done, 1.0, reach)
    center = torch.where((low < guess) & (guess < high), guess, 0.5 * (low + high))
    center = torch.where(done, low, center)
    last = torch.full_like(center, torch.inf)
    for _ in range(MAX_STEPS):
        columns = (~done).any(dim=0).nonzero()[:, 0]
        if len(columns) == 0:
            break
        at, width = center[:, columns], reach[:, columns]
        slope, curve = _slopes(X, columns, labels, member, exponent, at, width)
        a, b, before = low[:, columns], high[:, columns], last[:, columns]
        a = torch.where(slope < 0.0, at, a)
        b = torch.where(slope < 0.0, b, at)
        # The slope's constant is p, the curvature's p (p - 1), both in units of the range.
        step = -slope / (curve * (exponent - 1.0)) * width
        past = 1e-3 * step.abs() + 0.25 * ROOT_WIDTH * width
        past = torch.where(step.abs() < NEAR * width, past, 0.0)
        trial = at + step + past * step.sign()
        slow = slope.abs() > 0.5 * before
        good = (a < trial) & (trial < b) & ~slow
        trial = torch.where(good, trial, 0.5 * (a + b))
        ended = (slope == 0.0) | (b - a <= ROOT_WIDTH * width) | done[:, columns]
        ended |= (trial <= a) | (trial >= b)  # adjacent floating-point numbers
        center[:, columns] = torch.where(ended, at, trial)
        low[:, columns], high[:, columns] = a, b
        last[:, columns] = slope.abs()
        done[:, columns] = ended
    return center


def _slopes(
    X: Tensor,
    columns: Tensor,
    labels: Tensor,
    member: Tensor,
    exponent: float,
    center: Tensor,
    width: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return Σ m |d|^(p-2) d and Σ m |d|^(p-2), d = (c - x) / range; a value on c adds nothing."""
    slope, curve = torch.zeros_like(center), torch.zeros_like(center)
    for span in _spans(len(X), len(columns)):
        own = labels[span]
        away = (center[own] - X[span][:, columns]) / width[own]
        weight = away.abs().pow_(exponent - 2.0)
        weight = torch.where(away.abs() > 0.0, weight, 0.0)  # NaN and 0 add nothing
        curve += member[span].T @ weight
        slope += member[span].T @ torch.where(away.isnan(), 0.0, weight * away)
    return slope, curve


def _medians(X: Tensor, labels: Tensor, load: Tensor, n_clusters: int) -> Tensor:
    """Return the weighted medians of the clusters, (K, M)."""
    out = torch.full((n_clusters, X.shape[1]), torch.nan, dtype=X.dtype, device=X.device)
    for k in range(n_clusters):
        rows = (labels == k).nonzero()[:, 0]
        if len(rows) == 0:
            continue
        ranked = torch.sort(X[rows], dim=0, stable=True)  # NaN goes last
        mass = torch.where(ranked.values.isnan(), 0.0, load[rows][ranked.indices])
        reached = mass.cumsum(dim=0)
        half = 0.5 * reached[-1]
        place = (reached >= half).to(torch.uint8).argmax(dim=0, keepdim=True)
        value = ranked.values.gather(0, place)[0]
        after = ranked.values.gather(0, (place + 1).clamp(max=len(rows) - 1))[0]
        split = (reached.gather(0, place)[0] == half) & (after == after)
        out[k] = torch.where(split, 0.5 * (value + after), value)
    return out
