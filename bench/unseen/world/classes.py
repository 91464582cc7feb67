"""Classes as surveys, clinics and laboratories record them: scores, close relatives, rare classes.

Columns are correlated, skewed and rounded; classes overlap, are of unlike spread and size, or have
a near relative.
"""

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
    orthonormal,
    product,
)


def _rows(rng: Rng, k: int, centre: float = 350.0, smallest: int = 15) -> np.ndarray:
    return labels_of(draw_sizes(rng, draw_rows(rng, high=1200, centre=centre), k, smallest))


def _written_down(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Round columns to two to four digits; bend a third of them as logarithms would be undone."""
    X = X.copy()
    for column in range(X.shape[1]):
        values = X[:, column]
        deviation = max(values.std(), 1e-9)
        if rng.random() < 0.35:
            values = np.exp(rng.uniform(0.2, 0.8) * values / deviation)
            deviation = values.std()
        step = deviation * log_uniform(rng, 0.02, 0.6)
        X[:, column] = np.round(values / step) * log_uniform(rng, 0.01, 100.0)
    return X


def _correlated(rng: Rng, n: int, d: int, factors: int, share: float) -> np.ndarray:
    """Return noise of unit variance, a share of which follows common factors."""
    loadings = directions(rng, d, factors)
    common = product(rng.standard_normal((n, factors)), loadings.T)
    return np.sqrt(share) * common + np.sqrt(1 - share) * rng.standard_normal((n, d))


def healthy_and_ill_scores(rng: Rng) -> Sketch:
    """Scores of 1 to 10: low and alike for one class, high and scattered for the other."""
    n, d = draw_rows(rng, high=1200), int(rng.integers(5, 13))
    y = (rng.random(n) < rng.uniform(0.25, 0.5)).astype(int)
    top = int(rng.choice([4, 5, 10, 10]))
    severity = rng.beta(rng.uniform(1.2, 3.0), rng.uniform(0.8, 2.0), (n, 1))
    high = top * np.clip(severity + rng.normal(0, rng.uniform(0.15, 0.35), (n, d)), 0, 1)
    low = rng.exponential(rng.uniform(0.25, 0.9) * top / 10, (n, d))
    X = np.where((y == 1)[:, None], high, low)
    return Sketch(np.clip(np.ceil(X), 1, top), y)


def tight_and_diffuse(rng: Rng) -> Sketch:
    """One tight class and one that is wide, heavy-tailed and shifted, in positive columns."""
    n, d = draw_rows(rng, high=1200), int(rng.integers(4, 21))
    y = (rng.random(n) < rng.uniform(0.2, 0.5)).astype(int)
    tight = 0.3 * _correlated(rng, n, d, 2, rng.uniform(0.1, 0.6))
    wide = rng.uniform(0.6, 1.2) * _correlated(rng, n, d, 2, rng.uniform(0.2, 0.7))
    wide += rng.uniform(0.5, 1.8) * rng.uniform(0.5, 1.2, d)
    return Sketch(np.exp(np.where((y == 1)[:, None], wide, tight)), y)


def symptoms(rng: Rng) -> Sketch:
    """Grades of 0 to 3, most of them 0; each illness has a profile of likely symptoms."""
    k, d = int(rng.integers(2, 8)), int(rng.integers(10, 40))
    y = _rows(rng, k)
    profile = rng.normal(-1.2, rng.uniform(1.0, 1.8), (k, d))
    strength = rng.normal(0, rng.uniform(0.2, 0.6), (len(y), 1))
    hidden = profile[y] + strength + 0.7 * rng.standard_normal((len(y), d))
    return Sketch(np.clip(np.ceil(hidden), 0, 3), y)


def near_kin(rng: Rng) -> Sketch:
    """Two or three classes that overlap a little, beside one or two that lie apart."""
    near, apart, d = int(rng.integers(2, 4)), int(rng.integers(1, 3)), int(rng.integers(3, 9))
    y = _rows(rng, near + apart, 220, 25)
    along, far = orthonormal(rng, 2, d)
    step = rng.uniform(2.2, 3.6)
    places = [along * step * i for i in range(near)]
    places += [far * rng.uniform(4, 8) * (-1) ** i + along * rng.normal(0, 2) for i in range(apart)]
    X = np.array(places)[y] + _correlated(rng, len(y), d, 1, rng.uniform(0.2, 0.75))
    return Sketch(_written_down(rng, X), y)


def apart_in_thin_directions(rng: Rng) -> Sketch:
    """All classes share one long-drawn covariance and differ where it is thin."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(3, 16))
    y = _rows(rng, k, 300, 25)
    spread = log_uniform(rng, 0.25, 2.5, d)
    thin = np.argsort(spread)[: max(1, d // 2)]
    centres = np.zeros((k, d))
    centres[:, thin] = rng.standard_normal((k, len(thin))) * rng.uniform(1.2, 2.4) * spread[thin]
    X = centres[y] + rng.standard_normal((len(y), d)) * spread
    return Sketch(_written_down(rng, product(X, orthonormal(rng, d, d))), y)


def own_covariances_overlapping(rng: Rng) -> Sketch:
    """Classes with a tilt and a spread of their own, which overlap."""
    k, d = int(rng.integers(2, 7)), int(rng.integers(3, 13))
    y = _rows(rng, k, 380, 25)
    X = np.empty((len(y), d))
    for label in range(k):
        own = np.flatnonzero(y == label)
        axes = orthonormal(rng, d, d) * log_uniform(rng, 0.2, 1.8, d)[:, None]
        X[own] = product(rng.standard_normal((len(own), d)), axes)
        X[own] += rng.standard_normal(d) * rng.uniform(0.7, 1.8)
    return Sketch(_written_down(rng, X) if rng.random() < 0.6 else X, y)


def many_unequal_classes(rng: Rng) -> Sketch:
    """Five to fourteen classes, few large and many small, that overlap with their neighbours."""
    k, d = int(rng.integers(5, 15)), int(rng.integers(5, 21))
    shares = (1.0 + np.arange(k)) ** -rng.uniform(0.3, 1.3)
    sizes = np.maximum((shares / shares.sum() * draw_rows(rng, 200, 1200)).astype(int), 6)
    y = labels_of(sizes)
    hidden = int(rng.integers(3, 8))
    centres = rng.standard_normal((k, hidden)) * rng.uniform(1.4, 2.8)
    scores = centres[y] + rng.standard_normal((len(y), hidden))
    X = product(scores, rng.standard_normal((hidden, d)) / np.sqrt(hidden))
    return Sketch(_written_down(rng, X + rng.uniform(0.1, 0.6) * rng.standard_normal(X.shape)), y)


def rare_class_at_the_edge(rng: Rng) -> Sketch:
    """A large class and one or two rare ones at its edge, which are tighter."""
    rare, d = int(rng.integers(1, 3)), int(rng.integers(2, 11))
    n = draw_rows(rng, 120, 1200)
    sizes = [n, *(max(12, int(n * rng.uniform(0.05, 0.2))) for _ in range(rare))]
    X = [_correlated(rng, n, d, 1, rng.uniform(0.1, 0.6))]
    for size in sizes[1:]:
        place = directions(rng, 1, d) * rng.uniform(2.8, 4.5) * np.sqrt(1 + d / 8)
        X.append(place + rng.uniform(0.3, 0.8) * rng.standard_normal((size, d)))
    return Sketch(_written_down(rng, np.concatenate(X)), labels_of(np.array(sizes)))


def classes_beside_groups(rng: Rng) -> Sketch:
    """Classes, and groups of another kind (a place, a device) that cross them and are weaker."""
    k, groups, d = int(rng.integers(2, 5)), int(rng.integers(2, 4)), int(rng.integers(4, 19))
    y = _rows(rng, k, 380, 30)
    place = rng.integers(0, groups, len(y))
    centres = rng.standard_normal((k, d)) * rng.uniform(1.0, 1.9)
    shift = rng.standard_normal((groups, d)) * rng.uniform(0.3, 0.8)
    noise = _correlated(rng, len(y), d, 2, rng.uniform(0.2, 0.6))
    return Sketch(_written_down(rng, centres[y] + shift[place] + noise), y)


def movements(rng: Rng) -> Sketch:
    """Hand movements: a path in the plane for each class, with its own speed, size and tilt."""
    k, steps = int(rng.integers(4, 16)), int(rng.integers(15, 46))
    y = np.repeat(np.arange(k), int(rng.integers(12, 31)))
    time = np.linspace(0, 1, steps)
    waves = rng.standard_normal((2, k, 3)) / np.array([1.0, 1.7, 2.6])
    phase = rng.uniform(0, 2 * np.pi, (2, k, 3))
    speed = np.exp(rng.normal(0, rng.uniform(0.02, 0.12), (len(y), 1)))
    at = np.clip(time * speed + rng.normal(0, rng.uniform(0.01, 0.06), (len(y), 1)), 0, 1.3)
    paths = np.zeros((2, len(y), steps))
    for axis in range(2):
        for wave in range(3):
            angle = np.pi * (wave + 1) * at + phase[axis, y, wave][:, None]
            paths[axis] += waves[axis, y, wave][:, None] * np.sin(angle)
    tilt = rng.normal(0, rng.uniform(0.02, 0.25), (len(y), 1))
    size = np.exp(rng.normal(0, rng.uniform(0.05, 0.25), (len(y), 1)))
    across = size * (paths[0] * np.cos(tilt) - paths[1] * np.sin(tilt))
    down = size * (paths[0] * np.sin(tilt) + paths[1] * np.cos(tilt))
    X = np.concatenate([across, down], axis=1)
    return Sketch(X + rng.uniform(0.01, 0.1) * rng.standard_normal(X.shape), y)


def patches(rng: Rng) -> Sketch:
    """Patches of pictures by material: colours that follow brightness, textures with long tails."""
    k, d = int(rng.integers(3, 8)), int(rng.integers(8, 19))
    y = _rows(rng, k, 500, 30)
    colours, textures = d // 2, d - d // 2
    bright = rng.normal(0, 1.5, (k, 1))[y] + rng.uniform(0.3, 0.8) * rng.standard_normal(
        (len(y), 1)
    )
    hue = rng.normal(0, rng.uniform(0.3, 0.8), (k, colours))[y]
    colour = bright * rng.uniform(0.6, 1.2, colours) + hue
    colour += rng.uniform(0.05, 0.3) * rng.standard_normal(colour.shape)
    rough = np.exp(rng.normal(-0.5, rng.uniform(0.5, 1.2), (k, 1)))[y]
    texture = rough * rng.exponential(1.0, (len(y), textures)) ** rng.uniform(0.8, 1.6)
    return Sketch(np.concatenate([colour, texture], axis=1), y)


def outlines(rng: Rng) -> Sketch:
    """Shape measures of silhouettes seen from all sides: ratios that hang on size and angle."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(8, 21))
    y = _rows(rng, k, 420, 40)
    body = rng.standard_normal((k, 5)) * rng.uniform(0.6, 1.6)
    hidden = body[y] + 0.5 * rng.standard_normal((len(y), 5))
    angle = rng.uniform(0, np.pi, (len(y), 1))
    seen = np.concatenate([np.cos(angle), np.sin(angle), np.cos(2 * angle), hidden], axis=1)
    mix = rng.standard_normal((8, d))
    mix[:3] *= rng.uniform(0.5, 1.5)
    inner = product(seen, mix) / np.sqrt(8)
    X = np.where(rng.random(d) < 0.4, np.exp(0.7 * inner), inner)
    return Sketch(_written_down(rng, X + 0.1 * rng.standard_normal(X.shape)), y)


KINDS = {
    draw.__name__: Kind(draw, "table")
    for draw in (
        healthy_and_ill_scores, tight_and_diffuse, symptoms, near_kin, apart_in_thin_directions,
        own_covariances_overlapping, many_unequal_classes, rare_class_at_the_edge,
        classes_beside_groups, movements, patches, outlines,
    )
}  # fmt: skip
