"""Wide tables as laboratories and archives bring them: few samples, far more columns than rows.

What tells the classes is seldom what varies most, types are of very unlike size, and persons in
pictures lie in minor directions behind light and expression.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_sizes,
    labels_of,
    product,
)
from bench.unseen.world.wide import n_columns, n_groups, pixels, scene


def _factors(rng: Rng, n: int, count: int) -> np.ndarray:
    """Return nuisances of falling strength: normal, heavy-tailed, or with two levels."""
    F = rng.standard_normal((n, count))
    for column in range(count):
        what = rng.random()
        if what < 0.25:
            F[:, column] = rng.standard_t(3, n) / 1.7
        elif what < 0.4:
            F[:, column] = rng.choice([-1.0, 1.0], n) + 0.4 * rng.standard_normal(n)
    return F / (1.0 + np.arange(count)) ** rng.uniform(0.2, 1.0)


def _unequal_types(rng: Rng, k: int, low: int, high: int) -> np.ndarray:
    """Return labels of one or two large types and some that are rare."""
    shares = (1.0 + np.arange(k)) ** -rng.uniform(0.4, 1.6)
    sizes = np.round(shares / shares.sum() * rng.integers(low, high)).astype(int)
    return labels_of(np.maximum(sizes, 4))


def _modules(rng: Rng, activity: np.ndarray, p: int) -> np.ndarray:
    """Return columns of which blocks follow one activity each, and noise of many strengths."""
    n, count = activity.shape
    member = rng.integers(0, count, p)
    weight = rng.gamma(1.5, 0.6, p) * rng.choice([-1.0, 1.0], p, p=[0.35, 0.65])
    weight *= rng.random(p) < rng.uniform(0.3, 0.9)
    noise = rng.gamma(3.0, 0.33, p) * rng.uniform(0.5, 1.3)
    return weight * activity[:, member] + noise * rng.standard_normal((n, p))


def rare_and_common_types(rng: Rng) -> Sketch:
    """Four to ten types, one of them half of all samples, each with programs of its own."""
    y, p = _unequal_types(rng, int(rng.integers(4, 11)), 50, 130), n_columns(rng, 250, 2000)
    k, programs = int(y.max()) + 1, int(rng.integers(6, 20))
    level = rng.standard_normal((k, programs)) * (rng.random((k, programs)) < 0.6)
    own = rng.uniform(1.0, 2.2) * level[y] + 0.5 * rng.standard_normal((len(y), programs))
    return Sketch(_modules(rng, np.concatenate([own, _factors(rng, len(y), 6)], axis=1), p), y)


def two_types_among_programs(rng: Rng) -> Sketch:
    """Two or three types that differ in a few programs; others vary as much, without groups."""
    k = int(rng.integers(2, 4))
    y = labels_of(draw_sizes(rng, int(rng.integers(30, 110)), k, smallest=8))
    programs, p = int(rng.integers(5, 16)), n_columns(rng, 250, 2000)
    telling = max(1, int(programs * rng.uniform(0.15, 0.5)))
    level = np.zeros((k, programs))
    level[:, :telling] = rng.standard_normal((k, telling)) * rng.uniform(1.2, 2.4)
    activity = level[y] + rng.standard_normal((len(y), programs)) * rng.uniform(0.4, 1.0, programs)
    return Sketch(_modules(rng, activity, p), y)


def intensities(rng: Rng) -> Sketch:
    """Raw intensities: columns of high level vary more and tell more, with a floor and a scale."""
    k = n_groups(rng, 8)
    y = labels_of(draw_sizes(rng, max(int(rng.integers(35, 110)), 7 * k), k, smallest=5))
    p, f = n_columns(rng, 250, 2000), int(rng.integers(3, 9))
    level = rng.standard_normal((k, f)) * rng.uniform(0.8, 1.8)
    activity = np.concatenate(
        [level[y] + 0.4 * rng.standard_normal((len(y), f)), _factors(rng, len(y), 4)], axis=1
    )
    mean = rng.gamma(2.0, 1.5, p)
    strength = rng.uniform(0.1, 0.5) * mean / mean.mean()
    loadings = rng.standard_normal((f + 4, p)) * (rng.random((f + 4, p)) < 0.3)
    logs = mean + strength * product(activity, loadings) + 0.3 * rng.standard_normal((len(y), p))
    logs += rng.normal(0, 0.15, (len(y), 1))
    return Sketch(np.log2(np.exp(logs) + rng.uniform(1, 8)), y)


def organs_and_donors(rng: Rng) -> Sketch:
    """Samples of some organs from some donors: the organ is the truth, donors shift all columns."""
    k, donors = int(rng.integers(3, 9)), int(rng.integers(5, 16))
    y, donor = np.repeat(np.arange(k), donors), np.tile(np.arange(donors), k)
    p = n_columns(rng, 250, 1500)
    organ = rng.standard_normal((k, p)) * (rng.random((k, p)) < rng.uniform(0.1, 0.4))
    person = rng.standard_normal((donors, p)) * rng.uniform(0.2, 0.7)
    kept = rng.permutation(len(y))[: int(len(y) * rng.uniform(0.6, 1.0))]
    X = rng.uniform(0.7, 1.5) * organ[y] + person[donor] + rng.standard_normal((len(y), p))
    return Sketch(X[kept], y[kept])


def faces_under_lamps(rng: Rng) -> Sketch:
    """Each person's pictures fill a cone of few directions, by the direction of the light."""
    k, each, side = int(rng.integers(4, 21)), int(rng.integers(8, 25)), int(rng.integers(14, 27))
    y = np.repeat(np.arange(k), each)
    across, down = pixels(side)
    common = np.stack([scene(rng, across, down, 8) for _ in range(3)])
    share = rng.uniform(0.25, 0.7)
    slopes = [
        common + share * np.stack([scene(rng, across, down, 10) for _ in range(3)])
        for _ in range(k)
    ]
    skin = np.array([1.0 + 0.3 * scene(rng, across, down, 10) for _ in range(k)])
    light = directions(rng, len(y), 3) * rng.uniform(0.3, 1.2)
    light[:, 0] += 1.0
    X = np.empty((len(y), side * side))
    for row in range(len(y)):
        lit = (light[row][:, None] * slopes[y[row]]).sum(axis=0)
        X[row] = skin[y[row]] * np.maximum(0.6 + lit, 0.0)
    return Sketch(X + rng.uniform(0.01, 0.1) * rng.standard_normal(X.shape), y)


def faces_with_moods(rng: Rng) -> Sketch:
    """Persons, each pictured in a few moods and lights; some of them change the picture much."""
    k, moods, side = int(rng.integers(6, 21)), int(rng.integers(6, 13)), int(rng.integers(14, 29))
    y, mood = np.repeat(np.arange(k), moods), np.tile(np.arange(moods), k)
    across, down = pixels(side)
    base = scene(rng, across, down, 14)
    person = np.array([scene(rng, across, down, 16) for _ in range(k)]) * rng.uniform(0.7, 1.4)
    change = np.array([scene(rng, across, down, 5) for _ in range(moods)])
    strong = rng.permutation(moods)[: int(rng.integers(1, 4))]
    change[strong] += 2.0 * np.stack([across - 0.5] * len(strong)) * rng.choice([-1, 1])
    vary = np.exp(rng.normal(0, 0.3, (len(y), 1)))
    X = base + person[y] + rng.uniform(0.5, 1.2) * vary * change[mood]
    X += 0.4 * product(rng.standard_normal((len(y), 4)),
                       np.stack([scene(rng, across, down, 6) for _ in range(4)]))  # fmt: skip
    return Sketch(X + rng.uniform(0.02, 0.15) * rng.standard_normal(X.shape), y)


def documents(rng: Rng) -> Sketch:
    """Documents by subject: common words, words of subjects that share vocabulary, tf-idf."""
    k = n_groups(rng, 10)
    y = labels_of(draw_sizes(rng, int(rng.integers(100, 350)), k, smallest=12))
    p = n_columns(rng, 300, 1200)
    common = rng.dirichlet(np.full(p, 0.2))
    fields = rng.dirichlet(np.full(p, 0.04), max(2, k // 2))
    topics = 0.5 * rng.dirichlet(np.full(p, 0.04), k) + 0.5 * fields[np.arange(k) % len(fields)]
    blend = rng.beta(3, 5, (len(y), 1)) * rng.uniform(0.6, 1.0)
    rate = (1 - blend) * common + blend * topics[y]
    X = rng.poisson(rng.integers(30, 200, (len(y), 1)) * rate).astype(float)
    X = X[:, (X > 0).sum(axis=0) >= 2]
    X = np.log1p(X) * np.log((len(y) + 1) / ((X > 0).sum(axis=0) + 1))
    return Sketch(X / np.maximum(np.sqrt((X**2).sum(axis=1, keepdims=True)), 1e-12), y)


def few_samples(rng: Rng) -> Sketch:
    """Sixteen to forty samples of two to four types; a tenth to a half of the columns tell."""
    k = int(rng.integers(2, 5))
    y = labels_of(draw_sizes(rng, int(rng.integers(16, 41)), k, smallest=5))
    p = n_columns(rng, 100, 2000)
    shift = rng.standard_normal((k, p)) * (rng.random(p) < rng.uniform(0.1, 0.5))
    factors = _factors(rng, len(y), 3) * rng.uniform(0.2, 0.8)
    loadings = rng.standard_normal((3, p)) * (rng.random((3, p)) < 0.5)
    X = rng.uniform(0.7, 1.6) * shift[y] + product(factors, loadings)
    return Sketch(X + rng.standard_normal(X.shape) * rng.gamma(4.0, 0.25, p), y)


KINDS = {
    draw.__name__: Kind(draw, "wide")
    for draw in (
        rare_and_common_types, two_types_among_programs, intensities, organs_and_donors,
        faces_under_lamps, faces_with_moods, documents, few_samples,
    )
}  # fmt: skip
