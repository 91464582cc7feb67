"""Expression of genes as laboratories record it: few strong markers, weak factors everywhere.

The markers of a type vary much. Factors such as the quality of a sample, or whether it was grown in
a dish, change nearly all columns a little. Samples differ in how strongly they show anything.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_sizes,
    labels_of,
    log_uniform,
    product,
)
from bench.unseen.world.wide import n_columns


def _types(rng: Rng, most: int = 8) -> np.ndarray:
    k = int(rng.integers(2, most + 1))
    return labels_of(draw_sizes(rng, max(int(rng.integers(40, 120)), 7 * k), k, smallest=5))


def _weak_factors(rng: Rng, n: int, p: int) -> np.ndarray:
    """Return factors that run through nearly all columns; some have two levels."""
    count = int(rng.integers(1, 5))
    factors = rng.standard_normal((n, count))
    for column in range(count):
        if rng.random() < 0.5:
            level = rng.choice([-1.0, 1.0], n, p=[0.4, 0.6])
            factors[:, column] = level + 0.3 * factors[:, column]
    return product(factors * rng.uniform(0.15, 0.5, count), rng.standard_normal((count, p)))


def _markers(rng: Rng, y: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what the types change, and where: each type has strong markers of its own."""
    signal, relevant = np.zeros((len(y), p)), np.zeros(p, dtype=bool)
    for cluster in range(int(y.max()) + 1):
        own = rng.permutation(p)[: max(4, int(p * rng.uniform(0.01, 0.06)))]
        effect = rng.gamma(4.0, rng.uniform(0.35, 0.8), len(own))
        effect *= rng.choice([-1.0, 1.0], len(own), p=[0.25, 0.75])
        shown = rng.gamma(6.0, 1 / 6.0, (len(y), 1)) * (y == cluster)[:, None]
        signal[:, own] += shown * effect
        relevant[own] = True
    return signal, relevant


def strong_markers_behind_weak_factors(rng: Rng) -> Sketch:
    """A few columns in a hundred vary much and tell the types; weak factors run through all."""
    y, p = _types(rng), n_columns(rng, 400, 2000)
    signal, relevant = _markers(rng, y, p)
    noise = rng.gamma(5.0, 0.1, p) * rng.standard_normal((len(y), p))
    return Sketch(signal + _weak_factors(rng, len(y), p) + noise, y, relevant)


def samples_of_unequal_quality(rng: Rng) -> Sketch:
    """The same, where samples differ in how strongly they show anything."""
    y, p = _types(rng), n_columns(rng, 300, 2000)
    signal, relevant = _markers(rng, y, p)
    strength = rng.uniform(0.25, 1.0, (len(y), 1))
    noise = rng.gamma(5.0, 0.08, p) * rng.standard_normal((len(y), p))
    X = strength * (signal + _weak_factors(rng, len(y), p)) + noise
    return Sketch(X, y, relevant)


def raw_intensities_of_types(rng: Rng) -> Sketch:
    """Intensities less their background: scales over decades, long tails, some below zero."""
    y, p = _types(rng, 5), n_columns(rng, 300, 2000)
    signal, relevant = _markers(rng, y, p)
    logarithm = 0.5 * signal + 0.6 * _weak_factors(rng, len(y), p)
    logarithm += rng.gamma(4.0, 0.07, p) * rng.standard_normal((len(y), p))
    X = log_uniform(rng, 30.0, 3000.0, p) * np.exp(logarithm) * rng.uniform(0.7, 1.4, (len(y), 1))
    return Sketch(X + 60.0 * rng.standard_normal(X.shape), y, relevant)


def _in_three_levels(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Return low, middle and high, cut at half a deviation from each column's mean."""
    cut = rng.uniform(0.3, 0.8) * X.std(axis=0)
    return 2.0 * ((X.mean(axis=0) + cut < X).astype(float) - (X.mean(axis=0) - cut > X))


def types_in_three_levels(rng: Rng) -> Sketch:
    """Types by groups of columns, some telling, each value recorded as low, middle or high."""
    y, p = _types(rng, 10), n_columns(rng, 200, 2000)
    k, count = int(y.max()) + 1, int(rng.integers(4, 16))
    activity = rng.standard_normal((k, count))[y] * rng.uniform(0.7, 1.8)
    activity = activity * (rng.random(count) < 0.7) + 0.6 * rng.standard_normal((len(y), count))
    weight = rng.gamma(2.0, 0.5, p) * rng.choice([-1.0, 1.0], p)
    X = weight * activity[:, rng.integers(0, count, p)]
    X = X + _weak_factors(rng, len(y), p) + rng.uniform(0.4, 1.2) * rng.standard_normal(X.shape)
    return Sketch(_in_three_levels(rng, X), y)


def quality_by_degrees(rng: Rng) -> Sketch:
    """No types: samples differ in quality and along factors of few columns, by degrees."""
    n, p = int(rng.integers(30, 140)), n_columns(rng, 150, 2000)
    count = int(rng.integers(2, 12))
    loadings = rng.gamma(2.0, 0.5, (count, p)) * (rng.random((count, p)) < rng.uniform(0.03, 0.3))
    X = product(rng.standard_normal((n, count)), loadings)
    common = product(
        rng.standard_normal((n, 2)), rng.uniform(0.1, 0.5) * rng.standard_normal((2, p))
    )
    noise = rng.gamma(5.0, 0.1, p) * rng.standard_normal((n, p))
    X = rng.uniform(0.25, 1.0, (n, 1)) * (X + common) + noise
    return Sketch(X, np.zeros(n, dtype=np.int64))


def degrees_in_three_levels(rng: Rng) -> Sketch:
    """No types: columns follow factors by degrees and are recorded as low, middle or high."""
    n, p = int(rng.integers(30, 140)), n_columns(rng, 150, 2000)
    count = int(rng.integers(2, 16))
    activity = rng.standard_normal((n, count)) / (1.0 + np.arange(count)) ** rng.uniform(0, 0.8)
    X = rng.gamma(2.0, 0.5, p) * activity[:, rng.integers(0, count, p)]
    X = X + rng.uniform(0.4, 1.5) * rng.standard_normal(X.shape)
    return Sketch(_in_three_levels(rng, X), np.zeros(n, dtype=np.int64))


KINDS = {
    draw.__name__: Kind(draw, "wide")
    for draw in (
        strong_markers_behind_weak_factors, samples_of_unequal_quality, raw_intensities_of_types,
        types_in_three_levels,
    )
} | {
    draw.__name__: Kind(draw, "wide", clustered=False)
    for draw in (quality_by_degrees, degrees_in_three_levels)
}  # fmt: skip
