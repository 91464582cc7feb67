"""Few samples, many columns, and more structure than the classes: subgroups, batches, gradients.

The truth is what a pathologist would record. Some types are diffuse, some hide subgroups, and
strong factors that have nothing to do with the types run through all of them.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import Kind, Rng, Sketch, draw_sizes, labels_of, product
from bench.unseen.world.wide import n_columns


def _loadings(rng: Rng, count: int, p: int) -> np.ndarray:
    """Return how columns follow activities: sparsely, and most of them upwards."""
    share = rng.uniform(0.05, 0.3)
    sign = rng.choice([-1.0, 1.0], (count, p), p=[0.35, 0.65])
    return sign * rng.gamma(2.0, 0.5, (count, p)) * (rng.random((count, p)) < share)


def _columns(rng: Rng, activity: np.ndarray, p: int) -> np.ndarray:
    noise = rng.gamma(3.0, 0.33, p) * rng.uniform(0.5, 1.4)
    tails = rng.standard_t(int(rng.integers(4, 15)), (len(activity), p))
    return product(activity, _loadings(rng, activity.shape[1], p)) + noise * tails


def _clumpy(rng: Rng, n: int, count: int) -> np.ndarray:
    """Return nuisances, about half of which have two or three levels."""
    F = rng.standard_normal((n, count))
    for column in range(count):
        if rng.random() < 0.5:
            level = rng.standard_normal(int(rng.integers(2, 4))) * 1.4
            F[:, column] = level[rng.integers(0, len(level), n)] + 0.4 * F[:, column]
    return F * rng.uniform(0.4, 1.3, count)


def large_diffuse_type(rng: Rng) -> Sketch:
    """One type of about half of the samples, spread along factors of its own; others are tight."""
    k = int(rng.integers(3, 10))
    small = draw_sizes(rng, int(rng.integers(20, 60)), k - 1, smallest=4)
    y = labels_of(np.array([int(small.sum() * rng.uniform(0.6, 1.5)), *small]))
    f, own = int(rng.integers(4, 12)), int(rng.integers(2, 6))
    level = rng.standard_normal((k, f)) * rng.uniform(1.2, 2.2)
    spread = np.where(y == 0, rng.uniform(0.8, 1.5), rng.uniform(0.2, 0.5))[:, None]
    wander = spread * rng.standard_normal((len(y), own))
    activity = [level[y] + 0.4 * rng.standard_normal((len(y), f)), wander]
    return Sketch(_columns(rng, np.concatenate(activity, axis=1), n_columns(rng, 250, 2000)), y)


def types_with_hidden_subgroups(rng: Rng) -> Sketch:
    """Two to five types; each falls into one to four subgroups that differ less than types do."""
    k = int(rng.integers(2, 6))
    owner = np.repeat(np.arange(k), rng.integers(1, 5, k))
    part = labels_of(draw_sizes(rng, int(rng.integers(50, 120)), len(owner), smallest=4))
    f = int(rng.integers(4, 12))
    types = rng.standard_normal((k, f)) * rng.uniform(1.2, 2.2)
    inner = rng.standard_normal((len(owner), f)) * rng.uniform(0.5, 1.1)
    activity = [(types[owner] + inner)[part] + 0.4 * rng.standard_normal((len(part), f))]
    activity.append(_clumpy(rng, len(part), int(rng.integers(1, 5))))
    X = _columns(rng, np.concatenate(activity, axis=1), n_columns(rng, 250, 2000))
    return Sketch(X, owner[part])


def types_and_growth(rng: Rng) -> Sketch:
    """Types behind growth, content of other tissue and decay, which differ in every sample."""
    k = int(rng.integers(2, 6))
    y = labels_of(draw_sizes(rng, int(rng.integers(40, 110)), k, smallest=6))
    f = int(rng.integers(3, 9))
    level = rng.standard_normal((k, f)) * rng.uniform(1.0, 2.0)
    degrees = rng.gamma(2.0, 0.6, (len(y), 3)) * rng.uniform(0.5, 1.5, 3)
    degrees[:, 0] *= rng.uniform(0.5, 1.5, k)[y]
    activity = np.concatenate([level[y] + 0.5 * rng.standard_normal((len(y), f)), degrees], axis=1)
    return Sketch(_columns(rng, activity, n_columns(rng, 250, 2000)), y)


def two_types_beside_batches(rng: Rng) -> Sketch:
    """Two or three types that a tenth of the columns tell, beside batches and sexes."""
    k = int(rng.integers(2, 4))
    y = labels_of(draw_sizes(rng, int(rng.integers(40, 110)), k, smallest=10))
    level = rng.standard_normal((k, 2)) * rng.uniform(1.6, 3.0)
    nuisance = _clumpy(rng, len(y), int(rng.integers(3, 9))) * rng.uniform(0.4, 0.9)
    activity = np.concatenate([level[y] + 0.5 * rng.standard_normal((len(y), 2)), nuisance], axis=1)
    return Sketch(_columns(rng, activity, n_columns(rng, 250, 2000)), y)


def types_along_a_gradient(rng: Rng) -> Sketch:
    """Types that follow each other along a bent gradient, and one or two that lie apart."""
    along, apart = int(rng.integers(2, 5)), int(rng.integers(0, 3))
    y = labels_of(draw_sizes(rng, int(rng.integers(50, 120)), along + apart, smallest=7))
    f = int(rng.integers(3, 9))
    place = y + rng.uniform(0.15, 0.4) * rng.standard_normal(len(y))
    bend = rng.standard_normal((2, f)) * np.array([[rng.uniform(0.9, 1.8)], [0.5]])
    activity = product(np.stack([place, (place - 1.0) ** 2], 1), bend)
    far = rng.standard_normal((along + apart, f)) * rng.uniform(2.0, 3.0)
    activity = np.where((y >= along)[:, None], far[y], activity)
    activity = activity + 0.5 * rng.standard_normal(activity.shape)
    nuisance = _clumpy(rng, len(y), int(rng.integers(1, 6)))
    X = _columns(rng, np.concatenate([activity, nuisance], axis=1), n_columns(rng, 250, 2000))
    return Sketch(X, y)


KINDS = {
    draw.__name__: Kind(draw, "wide")
    for draw in (
        large_diffuse_type, types_with_hidden_subgroups, types_and_growth, two_types_beside_batches,
        types_along_a_gradient,
    )
}  # fmt: skip
