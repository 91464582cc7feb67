"""Copies of a table that are one lump: a reference without clusters."""

import numpy as np
from scipy.special import ndtri

from weft.auto.kernels.dip import dip
from weft.auto.working import Floats, Prepared

N_COPIES = 3
FEW_VALUES = 0.3  # share of distinct values below which a column counts as one of few values
WIDTHS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of smoothing, in deviations
ONE_MODE = 0.42  # dip · √n below which a column has one mode; uniform columns have .27 to .4


def one_lump_copies(prepared: Prepared) -> list[Floats]:
    """The copies that a prepared table is compared with."""
    rng = np.random.default_rng([prepared.seed, 4])
    points = prepared.points
    return [np.ascontiguousarray(one_lump_copy(points, rng)) for _ in range(N_COPIES)]


def one_lump_margin(values: Floats, noise: Floats) -> Floats:
    """Sorted values of one column, smoothed until they have one mode; same variance.

    Columns with few distinct values keep them: smoothing would remove ties, which are not clusters.
    """
    n = len(values)
    ordered = np.sort(values)
    if (np.diff(ordered) > 0).sum() + 1 < FEW_VALUES * n:
        return ordered
    deviation = values.std()
    for width in WIDTHS:
        ordered = np.sort(values + width * deviation * noise)
        if dip(ordered) * np.sqrt(n) < ONE_MODE:
            break
    ordered = ordered - ordered.mean()
    return ordered * (deviation / max(ordered.std(), 1e-300))


def one_lump_copy(points: Floats, rng: np.random.Generator) -> Floats:
    """A copy with similar margins and the same rank correlations, but one lump: a Gaussian
    copula."""
    n, d = points.shape
    ranks = points.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    scores = ndtri((ranks + 0.5) / n)
    values, vectors = np.linalg.eigh(scores.T @ scores / n)
    drawn = rng.standard_normal((n, d)) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    drawn_ranks = drawn.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    noise = rng.standard_normal((n, d))
    margins = np.column_stack([one_lump_margin(points[:, f], noise[:, f]) for f in range(d)])
    return np.take_along_axis(margins, drawn_ranks, axis=0)
