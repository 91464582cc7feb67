"""Tables like those of the public repositories: classes that overlap, share factors, have parts.

Here a class is seldom one cloud, and no method can be right about every row.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_rows,
    draw_sizes,
    labels_of,
    log_uniform,
    product,
    spread_centres,
)


def _classes(rng: Rng, low: int = 2, high: int = 7, smallest: int = 20) -> np.ndarray:
    k = int(rng.integers(low, high))
    return labels_of(draw_sizes(rng, draw_rows(rng, centre=330), k, smallest=smallest))


def _margins(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Give some columns a skewed margin, some few levels, and all a unit of their own."""
    X = X.copy()
    for column in range(X.shape[1]):
        values = X[:, column]
        what = rng.random()
        if what < 0.25:
            values = np.exp(rng.uniform(0.3, 0.9) * values / max(values.std(), 1e-9))
        elif what < 0.4:
            levels = rng.integers(4, 20)
            values = np.round((values - values.min()) / np.ptp(values) * levels)
        elif what < 0.5:
            values = np.sign(values) * np.abs(values) ** rng.uniform(0.6, 1.6)
        X[:, column] = values * log_uniform(rng, 0.01, 100.0)
    return X


def overlapping_classes(rng: Rng) -> Sketch:
    """Classes with correlated columns, skewed margins and a good deal of overlap."""
    y, d = _classes(rng), int(rng.integers(4, 21))
    factors = int(rng.integers(2, 6))
    centres = spread_centres(rng, np.ones(y.max() + 1), factors, rng.uniform(1.1, 2.2))
    scores = centres[y] + rng.standard_normal((len(y), factors))
    loadings = rng.standard_normal((factors, d)) * (rng.random((factors, d)) < 0.6)
    X = product(scores, loadings) + rng.uniform(0.2, 0.8) * rng.standard_normal((len(y), d))
    return Sketch(_margins(rng, X), y)


def common_size(rng: Rng) -> Sketch:
    """Measurements of bodies: a common size moves all columns, the species their proportions."""
    y, d = _classes(rng, 2, 5), int(rng.integers(4, 13))
    size = rng.uniform(0.1, 0.4) * rng.standard_normal((len(y), 1))
    shape = rng.normal(0, rng.uniform(0.1, 0.25), (y.max() + 1, d))
    noise = rng.uniform(0.03, 0.1) * rng.standard_normal((len(y), d))
    return Sketch(np.exp(size * rng.uniform(0.6, 1.2, d) + shape[y] + noise), y)


def two_factors(rng: Rng) -> Sketch:
    """Two labels that cross, such as species and sex; the stronger one is the truth."""
    first, second = int(rng.integers(2, 5)), 2
    cells = labels_of(draw_sizes(rng, draw_rows(rng), first * second, smallest=15))
    d = int(rng.integers(4, 13))
    strong = spread_centres(rng, np.ones(first), d, rng.uniform(2.0, 3.5))
    weak = rng.normal(0, 1.0, (second, d)) * rng.uniform(0.3, 0.7)
    X = strong[cells // second] + weak[cells % second] + rng.standard_normal((len(cells), d))
    return Sketch(_margins(rng, X) if rng.random() < 0.5 else X, cells // second)


def classes_of_parts(rng: Rng) -> Sketch:
    """Every class consists of one to three clouds, near to each other but not one cloud."""
    y, d = _classes(rng, 2, 6, 40), int(rng.integers(3, 11))
    k = int(y.max()) + 1
    outer = spread_centres(rng, np.ones(k), d, rng.uniform(2.4, 4.0))
    parts = np.array([outer[i] + rng.normal(0, 1.2, (3, d)) for i in range(k)])
    which = (rng.random(len(y)) * rng.integers(1, 4, k)[y]).astype(int)
    X = parts[y, which] + 0.7 * rng.standard_normal((len(y), d))
    return Sketch(_margins(rng, X) if rng.random() < 0.5 else X, y)


def one_class_spread_out(rng: Rng) -> Sketch:
    """One compact class and one that lies all around it, as good and bad signals do."""
    n, d = draw_rows(rng), int(rng.integers(3, 25))
    y = (np.arange(n) < n * rng.uniform(0.3, 0.5)).astype(int)
    spread = np.where(y == 1, 1.0, rng.uniform(2.0, 5.0))[:, None]
    heavy = np.sqrt(rng.chisquare(5, (n, 1)) / 5)
    loadings = rng.standard_normal((3, d))
    common = product(rng.standard_normal((n, 3)), loadings) * rng.uniform(0.2, 0.6)
    return Sketch(spread * (rng.standard_normal((n, d)) + common) / heavy, y)


def bent_factors(rng: Rng) -> Sketch:
    """Clouds in few hidden factors, seen through smooth nonlinear functions."""
    y, d, factors = _classes(rng), int(rng.integers(5, 31)), int(rng.integers(2, 5))
    centres = spread_centres(rng, np.ones(y.max() + 1), factors, rng.uniform(1.8, 3.2))
    hidden = centres[y] + rng.standard_normal((len(y), factors))
    hidden /= hidden.std(axis=0)
    inner = np.tanh(product(hidden, rng.standard_normal((factors, 12))) + rng.normal(0, 0.5, 12))
    X = product(inner, rng.standard_normal((12, d)) / 3.5)
    return Sketch(X + rng.uniform(0.02, 0.15) * rng.standard_normal(X.shape), y)


def curves_over_time(rng: Rng) -> Sketch:
    """Rows that are short series: a bump, wave or trend for each class, with shifts and noise."""
    y, d = _classes(rng), int(rng.integers(20, 61))
    time = np.linspace(0, 1, d)
    k = int(y.max()) + 1
    shift = rng.normal(0, rng.uniform(0.0, 0.04), (len(y), 1))
    at = time + shift
    place, width = rng.uniform(0.1, 0.9, (2, k)), rng.uniform(0.05, 0.2, k)
    speed = rng.uniform(0.5, 3.0, k)
    bumps = np.exp(-(((at - place[0][y, None]) / width[y, None]) ** 2))
    waves = np.sin(2 * np.pi * (speed[y, None] * at + place[1][y, None]))
    height = rng.uniform(0.7, 1.3, (len(y), 1))
    mix = rng.random(k)[y, None]
    X = height * (mix * bumps + (1 - mix) * 0.6 * waves)
    walk = np.cumsum(rng.standard_normal(X.shape), axis=1) / np.sqrt(d)
    return Sketch(X + rng.uniform(0.05, 0.35) * walk + 0.05 * rng.standard_normal(X.shape), y)


def echoes(rng: Rng) -> Sketch:
    """Smooth spectra in 30 to 60 columns that differ in a few bands only."""
    y, d = _classes(rng, 2, 4, 40), int(rng.integers(30, 61))
    k = int(y.max()) + 1
    place = np.arange(d)

    def smooth(rows: int, width: float) -> np.ndarray:
        kernel = np.exp(-(((place[:, None] - place[None, :]) / width) ** 2))
        return product(rng.standard_normal((rows, d)), kernel / np.sqrt(width))

    bands = smooth(k, 4.0) * (rng.random((k, d)) < 0.5)
    X = (
        smooth(1, 8.0)
        + rng.uniform(0.4, 1.2) * bands[y]
        + rng.uniform(0.3, 0.9) * smooth(len(y), 5.0)
    )
    return Sketch(1 / (1 + np.exp(-X)), y)


def ranges_of_units(rng: Rng) -> Sketch:
    """Well separated classes in columns whose units differ by six orders of magnitude."""
    y, d = _classes(rng), int(rng.integers(3, 16))
    centres = spread_centres(rng, np.ones(y.max() + 1), d, rng.uniform(1.8, 3.5))
    X = centres[y] + rng.standard_normal((len(y), d))
    return Sketch(X * log_uniform(rng, 1e-3, 1e3, d), y)


def skewed_classes(rng: Rng) -> Sketch:
    """Positive columns with long tails, as concentrations have; classes differ by factors."""
    y, d = _classes(rng), int(rng.integers(4, 21))
    base = rng.normal(0, 1, d)
    effect = rng.normal(0, rng.uniform(0.6, 1.4), (y.max() + 1, d)) * (rng.random(d) < 0.7)
    noise = rng.uniform(0.4, 0.8) * rng.standard_normal((len(y), d))
    noise += rng.uniform(0, 0.5) * rng.standard_normal((len(y), 1))
    return Sketch(np.exp(base + effect[y] + noise), y)


KINDS = {
    draw.__name__: Kind(draw, "table")
    for draw in (
        overlapping_classes, common_size, two_factors, classes_of_parts, one_class_spread_out,
        bent_factors, curves_over_time, echoes, ranges_of_units, skewed_classes,
    )
}  # fmt: skip
