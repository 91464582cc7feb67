"""How unusual a row is: local outlier probabilities.

H.-P. Kriegel, P. Kröger, E. Schubert and A. Zimek, "LoOP: local outlier probabilities", CIKM 2009.

    reach(x) = √ mean of squared distances to the k nearest anchors
    plof(x)  = reach(x) / mean reach of these anchors − 1
    score(x) = max(0, erf(plof(x) / (λ √2 σ)))                              λ = 3

In the paper σ is the standard deviation of plof. A few far rows make it so large that they no
longer look unusual, so weft uses the median of |plof| × 1.4826.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import erf

from weft._base.arrays import Floats
from weft.answers.nearness import squared_blocks

N_NEIGHBOURS = 10
_LAMBDA = 3.0
_DIMENSION_UNKNOWN = 2.0


class Reach(NamedTuple):
    """How dense it is around each anchor.

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
    """Return how dense it is around each anchor."""
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
    """Return how much farther rows reach than expected, as a share; 0 where nothing is far."""
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
