"""Distances from rows to anchors (rows with known clusters), and local outlier probabilities.

H.-P. Kriegel, P. Kröger, E. Schubert and A. Zimek, "LoOP: local outlier probabilities", CIKM 2009.

    reach(x) = √ mean of squared distances to the k nearest anchors
    plof(x)  = reach(x) / mean reach of these anchors − 1
    score(x) = max(0, erf(plof(x) / (λ √2 σ)))                              λ = 3

In the paper σ is the standard deviation of plof. A few far rows make it so large that they no
longer look unusual, so weft uses the median of |plof| × 1.4826.

A row that is an anchor must not count as its own neighbour. So for every row one anchor at distance
0 is left out, whether it is the row itself or an equal one: rows seen in fit get the same answer
from `predict_proba` as from the attributes of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import erf

from weft._base.arrays import Floats, Integers

_BLOCK_CELLS = 2_000_000  # distances that are held at once
# Rounding in float64 products makes the squared distance of two equal rows about this share of
# their squared lengths.
_EQUAL = 1e-13


class Anchors(NamedTuple):
    """Anchors relative to their mean, and their squared lengths."""

    middle: Floats  # (q,)
    rows: Floats  # (A, q)
    squares: Floats  # (A,)


def around_middle(anchors: Floats) -> Anchors:
    """Return the anchors in the form that `squared_distances` takes."""
    middle = anchors.mean(axis=0)
    rows = anchors - middle
    return Anchors(middle, rows, np.einsum("ij,ij->i", rows, rows))


def squared_distances(points: Floats, anchors: Anchors) -> Floats:
    """Return the squared distances (b, A) of rows, infinite where an anchor is left out."""
    rows = points - anchors.middle
    own = np.einsum("ij,ij->i", rows, rows)
    squared = np.asarray(rows @ anchors.rows.T)
    squared *= -2.0
    squared += own[:, None]
    squared += anchors.squares
    np.maximum(squared, 0.0, out=squared)
    nearest = squared.argmin(axis=1)
    places = np.arange(len(rows))
    equal = squared[places, nearest] <= _EQUAL * (own + anchors.squares[nearest])
    squared[places[equal], nearest[equal]] = np.inf
    return squared


def blocks_of_rows(n_rows: int, n_anchors: int) -> list[slice]:
    """Return blocks of rows; the distances of a block to all anchors fit in memory."""
    size = max(1, _BLOCK_CELLS // max(n_anchors, 1))
    return [slice(first, min(first + size, n_rows)) for first in range(0, n_rows, size)]


def squared_blocks(points: Floats, anchors: Floats) -> Iterator[tuple[slice, Floats]]:
    """Return blocks of rows and their `squared_distances`, one after the other."""
    known = around_middle(anchors)
    for span in blocks_of_rows(len(points), len(anchors)):
        yield span, squared_distances(points[span], known)


class AnchorGroups(NamedTuple):
    """The anchors sorted by cluster."""

    order: Integers  # anchors that have a cluster, sorted by it
    starts: Integers  # where each cluster begins in `order`
    clusters: Integers  # which cluster that is
    n_clusters: int


def group_anchors(labels: Integers, n_clusters: int) -> AnchorGroups:
    """Return the anchors of each cluster, by their labels."""
    inside = np.flatnonzero(labels >= 0)
    order = inside[np.argsort(labels[inside], kind="stable")]
    clusters, starts = np.unique(labels[order], return_index=True)
    return AnchorGroups(order, starts, clusters, n_clusters)


def nearest_of_groups(squared: Floats, groups: AnchorGroups) -> Floats:
    """Return the distance to the nearest anchor of each cluster (b, K), given all squared ones.

    A cluster without any remaining anchor gets the distance of the nearest other cluster.
    """
    out = np.full((len(squared), groups.n_clusters), np.inf)
    if len(groups.order):
        out[:, groups.clusters] = np.minimum.reduceat(
            squared[:, groups.order], groups.starts, axis=1
        )
    nearest = out.min(axis=1, keepdims=True)
    nearest[~np.isfinite(nearest)] = 0.0
    np.copyto(out, nearest, where=~np.isfinite(out))
    return np.sqrt(out)


def cluster_distances(points: Floats, anchors: Floats, labels: Integers, n_clusters: int) -> Floats:
    """Return the distance of each row to the nearest anchor of each cluster, (n, K)."""
    groups = group_anchors(labels, n_clusters)
    out = np.empty((len(points), n_clusters))
    for span, squared in squared_blocks(points, anchors):
        out[span] = nearest_of_groups(squared, groups)
    return out


N_NEIGHBOURS = 10
_LAMBDA = 3.0
_DIMENSION_UNKNOWN = 2.0


class Reach(NamedTuple):
    """How densely the anchors lie around each anchor.

    Attributes
    ----------
    lengths : ndarray of shape (A,)
        The reach of each anchor.
    spread : float
        σ of the anchors.
    dimension : float
        Of the set that the anchors lie on (Levina and Bickel, "Maximum likelihood estimation of
        intrinsic dimension", 2004; the median over anchors).
    """

    lengths: Floats
    spread: float
    dimension: float


def measure_reach(anchors: Floats) -> Reach:
    """Return how densely the anchors lie around each anchor."""
    k = min(N_NEIGHBOURS, len(anchors) - 1)
    if k < 1 or anchors.shape[1] == 0:
        return Reach(np.zeros(len(anchors)), 1.0, _DIMENSION_UNKNOWN)
    blocks = [_smallest(squared, k) for _, squared in squared_blocks(anchors, anchors)]
    nearest, squared = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    lengths = np.sqrt(squared.mean(axis=1))
    floor = 1e-9 * float(lengths.mean()) or 1.0
    factors = _factors(lengths, lengths[nearest].mean(axis=1), floor)
    spread = 1.4826 * float(np.median(np.abs(factors)))
    return Reach(lengths, max(spread, 1e-3), _dimension(squared))


def outlier_scores(points: Floats, anchors: Floats, reach: Reach) -> Floats:
    """Return how unusual each row is, from 0 (not at all) to 1."""
    out = np.zeros(len(points))
    for span, squared in squared_blocks(points, anchors):
        out[span] = scores_of_block(squared, reach)
    return out


def scores_of_block(squared: Floats, reach: Reach) -> Floats:
    """Return the outlier scores of rows whose squared distances (b, A) to all anchors are known."""
    k = min(N_NEIGHBOURS, squared.shape[1] - 1)
    if k < 1:
        return np.zeros(len(squared))
    nearest, smallest = _smallest(squared, k)
    expected = reach.lengths[nearest].mean(axis=1)
    floor = 1e-9 * float(reach.lengths.mean()) or 1.0
    factors = _factors(np.sqrt(smallest.mean(axis=1)), expected, floor)
    return np.maximum(erf(factors / (_LAMBDA * np.sqrt(2.0) * reach.spread)), 0.0)


def _smallest(squared: Floats, k: int) -> tuple[np.ndarray, Floats]:
    """Return the k nearest anchors of each row in any order, and their squared distances."""
    nearest = np.argpartition(squared, k - 1, axis=1)[:, :k]
    return nearest, np.take_along_axis(squared, nearest, axis=1)


def _factors(own: Floats, expected: Floats, floor: float) -> Floats:
    """Return the reach of rows relative to the expected reach, minus 1; 0 up to `floor`."""
    return np.where(own <= floor, 0.0, own / np.maximum(expected, floor) - 1.0)


def _dimension(squared: Floats) -> float:
    if squared.shape[1] < 3:
        return _DIMENSION_UNKNOWN
    ordered = np.sort(squared, axis=1)
    largest = ordered[:, -1:]
    use = ordered[:, 0] > 1e-20 * largest[:, 0]
    if not use.any():
        return 1.0
    steps = 0.5 * np.log(largest[use] / ordered[use][:, :-1]).mean(axis=1)
    return float(1.0 / max(float(np.median(steps)), 1e-3))
