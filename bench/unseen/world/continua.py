"""More tables without clusters: what varies by degrees, in scores, samples, curves and pictures."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_rows,
    log_uniform,
    product,
)
from bench.unseen.world.wide import pixels, scene


def _one(X: np.ndarray) -> Sketch:
    return Sketch(X, np.zeros(len(X), dtype=int))


def severity_by_degrees(rng: Rng) -> Sketch:
    """Scores of 1 to 10 that follow one severity without groups; most rows are mild."""
    n, d = draw_rows(rng, high=1200), int(rng.integers(5, 13))
    top = int(rng.choice([4, 5, 10, 10]))
    shape = rng.uniform(0.8, 2.5)
    severity = rng.gamma(shape, 1.0 / shape, (n, 1)) * rng.uniform(0.15, 0.4) * top
    X = severity * rng.uniform(0.7, 1.3, d) + rng.uniform(0.1, 0.25) * top * rng.random((n, d))
    return _one(np.clip(np.ceil(X), 1, top))


def attitudes_by_degrees(rng: Rng) -> Sketch:
    """Answers from 1 to 5 or 7 that follow two or three attitudes, each by degrees."""
    n, d, f = draw_rows(rng, high=1200), int(rng.integers(6, 31)), int(rng.integers(1, 4))
    hidden = product(rng.standard_normal((n, f)), directions(rng, d, f).T)
    hidden = rng.uniform(0.5, 1.2) * hidden + 0.8 * rng.standard_normal((n, d))
    levels = int(rng.choice([5, 7]))
    return _one(np.clip(np.round(hidden * rng.uniform(0.8, 1.6) + (levels + 1) / 2), 1, levels))


def flags_by_degrees(rng: Rng) -> Sketch:
    """Yes/no columns that follow one or two quantities by degrees; measurements may join them."""
    n, d, f = draw_rows(rng, high=1200), int(rng.integers(6, 41)), int(rng.integers(1, 3))
    hidden = product(rng.standard_normal((n, f)), directions(rng, d, f).T) * rng.uniform(0.2, 1.2)
    hidden += rng.standard_normal((n, d))
    flags = (hidden > rng.normal(0.3, 0.8, d)).astype(float)
    numbers = rng.random(d) < rng.choice([0.0, 0.3, 0.6])
    return _one(np.where(numbers, hidden, flags))


def grades_by_degrees(rng: Rng) -> Sketch:
    """Columns of two to six levels, unlike in number and rarity, that follow one cloud."""
    n, d = draw_rows(rng, high=1200), int(rng.integers(4, 25))
    common = rng.uniform(0, 0.9) * rng.standard_normal((n, 1)) * rng.choice([-1, 1], d)
    hidden = common + rng.standard_normal((n, d))
    levels = rng.integers(1, 6, d)
    cuts = [np.sort(rng.normal(rng.uniform(-0.5, 0.8), 0.8, count)) for count in levels]
    return _one(np.stack([np.searchsorted(c, h) for c, h in zip(cuts, hidden.T, strict=True)], 1))


def elliptic_tails(rng: Rng) -> Sketch:
    """One cloud with correlated columns and long tails, skewed in some of them."""
    n, d = draw_rows(rng, high=1200), int(rng.integers(2, 16))
    loadings = directions(rng, d, 2) * rng.uniform(0.5, 1.5, (d, 1))
    Z = product(rng.standard_normal((n, 2)), loadings.T) + 0.5 * rng.standard_normal((n, d))
    Z /= np.sqrt(rng.chisquare(rng.uniform(3, 8), (n, 1)) / 5)
    skewed = rng.random(d) < 0.4
    return _one(np.where(skewed, np.exp(0.5 * np.clip(Z, -6, 6)), Z))


def few_rows_of_noise(rng: Rng) -> Sketch:
    """Twelve to sixty rows of independent columns, few or many."""
    n, p = int(rng.integers(12, 61)), int(log_uniform(rng, 4, 2000))
    X = rng.standard_normal((n, p)) if rng.random() < 0.6 else rng.standard_t(4, (n, p))
    return _one(X * rng.gamma(4.0, 0.25, p))


def samples_by_degrees(rng: Rng) -> Sketch:
    """Few samples and many columns in modules whose activities vary by degrees, some skewed."""
    n, p = int(rng.integers(15, 140)), int(log_uniform(rng, 100, 2000))
    count = int(rng.integers(2, 16))
    activity = rng.standard_normal((n, count)) / (1.0 + np.arange(count)) ** rng.uniform(0, 0.8)
    for column in range(count):
        if rng.random() < 0.3:
            activity[:, column] = rng.standard_t(4, n) / 1.4
        elif rng.random() < 0.2:
            activity[:, column] = rng.gamma(3.0, 0.6, n)
    member = rng.integers(0, count, p)
    weight = rng.gamma(1.5, 0.6, p) * (rng.random(p) < rng.uniform(0.3, 0.95))
    X = weight * activity[:, member] * rng.choice([-1.0, 1.0], p)
    return _one(X + rng.standard_normal((n, p)) * rng.gamma(3.0, 0.33, p))


def counts_of_one_population(rng: Rng) -> Sketch:
    """Counts of molecules of one sort of cells; depth differs; raw or as log(1 + count)."""
    n, p = int(rng.integers(40, 300)), int(log_uniform(rng, 100, 1200))
    base = log_uniform(rng, 0.05, 8.0, p)
    depth = log_uniform(rng, 0.5, 2.0, (n, 1))
    spread = rng.uniform(0.5, 6.0)
    X = rng.poisson(depth * base * rng.gamma(spread, 1 / spread, (n, p)))
    X = X[:, np.ptp(X, axis=0) > 0]
    return _one(np.log1p(X) if rng.random() < 0.7 else X.astype(float))


def curves_of_one_sort(rng: Rng) -> Sketch:
    """Smooth curves: one mean, with heights, shifts and slow waves that vary by degrees."""
    n, d = draw_rows(rng, high=800, centre=250), int(rng.integers(15, 80))
    time = np.linspace(0, 1, d)
    at = time + rng.normal(0, rng.uniform(0.01, 0.1), (n, 1))
    X = np.exp(rng.normal(0, 0.3, (n, 1))) * np.sin(rng.uniform(2, 9) * at + rng.uniform(0, 6))
    for wave in range(1, 5):
        X += rng.normal(0, 0.6 / wave, (n, 1)) * np.sin(np.pi * wave * time + wave)
    return _one(X + rng.uniform(0.02, 0.4) * rng.standard_normal((n, d)))


def one_face(rng: Rng) -> Sketch:
    """Pictures of one person in changing light and expression."""
    n, side = int(rng.integers(50, 250)), int(rng.integers(12, 25))
    across, down = pixels(side)
    changes = np.stack([scene(rng, across, down, 6) for _ in range(int(rng.integers(3, 9)))])
    weight = rng.standard_normal((n, len(changes))) * rng.gamma(2.0, 0.4, len(changes))
    X = scene(rng, across, down, 12) + product(weight, changes)
    X *= 1.0 + 0.3 * rng.standard_normal((n, 1)) * (across - 0.5)
    return _one(X + rng.uniform(0.02, 0.2) * rng.standard_normal(X.shape))


_WIDE = ("few_rows_of_noise", "samples_by_degrees", "counts_of_one_population", "one_face")
KINDS = {
    draw.__name__: Kind(draw, "wide" if draw.__name__ in _WIDE else "table", clustered=False)
    for draw in (
        severity_by_degrees, attitudes_by_degrees, flags_by_degrees, grades_by_degrees,
        elliptic_tails, few_rows_of_noise, samples_by_degrees, counts_of_one_population,
        curves_of_one_sort, one_face,
    )
}  # fmt: skip
