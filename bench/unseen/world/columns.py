"""Clusters in columns that are not plain measurements: rounded, binary, codes, counts, shares."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_rows,
    draw_sizes,
    labels_of,
    log_uniform,
    spread_centres,
)


def _groups(rng: Rng, low: int = 2, high: int = 7, smallest: int = 20) -> np.ndarray:
    return labels_of(
        draw_sizes(rng, draw_rows(rng), int(rng.integers(low, high)), smallest=smallest)
    )


def _clouds(rng: Rng, y: np.ndarray, d: int, low: float, high: float) -> np.ndarray:
    centres = spread_centres(rng, np.ones(y.max() + 1), d, rng.uniform(low, high))
    return centres[y] + rng.standard_normal((len(y), d))


def rounded(rng: Rng) -> Sketch:
    """Clouds whose columns were recorded with few digits."""
    y, d = _groups(rng), int(rng.integers(2, 11))
    X = _clouds(rng, y, d, 2.0, 3.5)
    steps = log_uniform(rng, 0.3, 2.5, d)
    return Sketch(np.round(X / steps) * steps, y)


def partly_rounded(rng: Rng) -> Sketch:
    """Clouds with some rounded, some clipped and some untouched columns."""
    y, d = _groups(rng), int(rng.integers(3, 13))
    X = _clouds(rng, y, d, 1.8, 3.2)
    for column in range(d):
        what = rng.integers(4)
        if what == 0:
            X[:, column] = np.round(X[:, column] / 1.5)
        elif what == 1:  # a detection limit
            low = X[:, column].min()
            X[:, column] = np.maximum(X[:, column], low + 0.3 * np.ptp(X[:, column]))
        elif what == 2:
            X[:, column] = X[:, column] > X[:, column].mean()
    return Sketch(X, y)


def binary_items(rng: Rng) -> Sketch:
    """Yes/no items with a probability for each group (latent classes)."""
    y, d = _groups(rng, 2, 6, 30), int(rng.integers(8, 61))
    sharpness = rng.uniform(0.2, 0.8)
    chance = rng.beta(sharpness, sharpness, (y.max() + 1, d))
    return Sketch((rng.random((len(y), d)) < chance[y]).astype(float), y)


def binary_and_numbers(rng: Rng) -> Sketch:
    """Measurements beside yes/no columns, both saying something about the groups."""
    y = _groups(rng, 2, 6, 30)
    numbers = _clouds(rng, y, int(rng.integers(2, 6)), 1.6, 3.0)
    chance = rng.beta(0.4, 0.4, (y.max() + 1, int(rng.integers(2, 9))))
    flags = rng.random((len(y), chance.shape[1])) < chance[y]
    return Sketch(np.concatenate([numbers, flags], axis=1), y)


def category_codes(rng: Rng) -> Sketch:
    """Categories written as whole numbers; each group prefers one level of each column."""
    y, d = _groups(rng, 2, 6, 30), int(rng.integers(5, 25))
    loyalty = rng.uniform(0.55, 0.95)
    X = np.empty((len(y), d))
    for column in range(d):
        levels = int(rng.integers(3, 8))
        favourite = rng.integers(levels, size=y.max() + 1)
        other = rng.integers(levels, size=len(y))
        X[:, column] = np.where(rng.random(len(y)) < loyalty, favourite[y], other)
    return Sketch(X, y)


def answers_on_a_scale(rng: Rng) -> Sketch:
    """Answers from 1 to 5 or 7 that follow a hidden attitude of each group."""
    y, d = _groups(rng, 2, 5, 40), int(rng.integers(6, 31))
    levels = int(rng.choice([5, 7]))
    centres = rng.normal(0, rng.uniform(0.8, 1.6), (y.max() + 1, d))
    style = rng.normal(0, rng.uniform(0, 0.6), (len(y), 1))
    hidden = centres[y] + style + rng.standard_normal((len(y), d))
    return Sketch(np.clip(np.round(hidden + (levels + 1) / 2), 1, levels), y)


def counts(rng: Rng) -> Sketch:
    """Poisson or over-dispersed counts with a rate for each group."""
    y, d = _groups(rng), int(rng.integers(3, 25))
    rates = log_uniform(rng, 1.0, 25.0, d) * np.exp(
        rng.normal(0, rng.uniform(0.4, 1.2), (y.max() + 1, d))
    )
    extra = rng.gamma(5.0, 0.2, (len(y), d)) if rng.random() < 0.5 else 1.0
    return Sketch(rng.poisson(rates[y] * extra).astype(float), y)


def subspaces(rng: Rng) -> Sketch:
    """Each cluster is tight in columns of its own and spread out in all others."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(8, 31))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=30))
    X = rng.uniform(-3, 3, (len(y), d)) if rng.random() < 0.5 else rng.normal(0, 1.7, (len(y), d))
    relevant = np.zeros(d, dtype=bool)
    for cluster in range(k):
        own = rng.permutation(d)[: rng.integers(max(3, d // 4), max(4, d // 2) + 1)]
        members = np.flatnonzero(y == cluster)
        place = rng.uniform(-2.5, 2.5, len(own))
        spread = rng.uniform(0.15, 0.5)
        X[np.ix_(members, own)] = place + spread * rng.standard_normal((len(members), len(own)))
        relevant[own] = True
    return Sketch(X, y, relevant)


def one_telling_column_each(rng: Rng) -> Sketch:
    """Each cluster is shifted in one or two columns only."""
    k, d = int(rng.integers(2, 7)), int(rng.integers(4, 16))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=30))
    X = rng.standard_normal((len(y), d))
    relevant = np.zeros(d, dtype=bool)
    for cluster in range(k):
        own = rng.permutation(d)[: rng.integers(1, 3)]
        shift = rng.uniform(4.5, 8.0) * rng.choice([-1, 1])
        X[np.ix_(np.flatnonzero(y == cluster), own)] += shift
        relevant[own] = True
    return Sketch(X, y, relevant)


def shares(rng: Rng) -> Sketch:
    """Rows that sum to one: shares of a whole, one profile for each group."""
    y, d = _groups(rng), int(rng.integers(3, 13))
    profile = rng.dirichlet(np.full(d, rng.uniform(0.6, 2.0)), y.max() + 1)
    strength = rng.uniform(20, 120)
    weights = rng.gamma(np.maximum(profile[y] * strength, 0.05))
    return Sketch(weights / weights.sum(axis=1, keepdims=True), y)


def directions_on_sphere(rng: Rng) -> Sketch:
    """Directions: rows of length one around one axis for each group."""
    y, d = _groups(rng), int(rng.integers(2, 11))
    axes = directions(rng, int(y.max()) + 1, d)
    X = axes[y] + rng.uniform(0.1, 0.4) / np.sqrt(d / 3) * rng.standard_normal((len(y), d))
    return Sketch(X / np.sqrt((X**2).sum(axis=1, keepdims=True)), y)


def repeated_columns(rng: Rng) -> Sketch:
    """Few hidden measurements, each recorded in several correlated columns."""
    y, hidden = _groups(rng), int(rng.integers(2, 5))
    source = _clouds(rng, y, hidden, 1.8, 3.2)
    copies = rng.integers(hidden, size=rng.integers(hidden, 5 * hidden + 1))
    copies = np.concatenate([np.arange(hidden), copies])
    noise = rng.uniform(0.1, 0.7) * rng.standard_normal((len(y), len(copies)))
    return Sketch(source[:, copies] * rng.choice([-1.0, 1.0], len(copies)) + noise, y)


def spikes(rng: Rng) -> Sketch:
    """Columns that are zero for most rows and positive for some groups."""
    y, d = _groups(rng, 2, 7, 25), int(rng.integers(4, 25))
    active = rng.random((int(y.max()) + 1, d)) < rng.uniform(0.25, 0.6)
    present = rng.random((len(y), d)) < np.where(active[y], rng.uniform(0.7, 0.98), 0.06)
    return Sketch(present * rng.gamma(3.0, 0.5, (len(y), d)), y)


KINDS = {
    draw.__name__: Kind(draw, "table")
    for draw in (
        rounded, partly_rounded, binary_items, binary_and_numbers, category_codes,
        answers_on_a_scale, counts, subspaces, one_telling_column_each, shares,
        directions_on_sphere, repeated_columns, spikes,
    )
}  # fmt: skip
