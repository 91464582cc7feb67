"""Tables whose classes are not what varies most: weak signals beside strong nuisances.

Measured classes are often of this kind. A method can find a part of them at best; the judge learns
from these tables which candidate to prefer when none is clean.
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
)
from bench.unseen.world.wide import n_columns, n_groups, pixels, scene


def _factors(rng: Rng, n: int, count: int, decay: float) -> np.ndarray:
    """Return nuisance factors of falling strength; a third of them skewed or heavy-tailed."""
    F = rng.standard_normal((n, count))
    for column in range(count):
        what = rng.random()
        if what < 0.15:
            F[:, column] = rng.exponential(1.0, n) - 1.0
        elif what < 0.3:
            F[:, column] = rng.standard_t(4, n) / 1.4
    return F / (1.0 + np.arange(count)) ** decay


def _expression(rng: Rng, activity: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return columns that follow few activities each, and whether they follow any."""
    count = activity.shape[1]
    loadings = rng.standard_normal((count, p)) * (rng.random((count, p)) < rng.uniform(0.1, 0.4))
    noise = rng.gamma(4.0, 0.25, p) * rng.uniform(0.5, 1.5)
    X = product(activity, loadings) + noise * rng.standard_normal((len(activity), p))
    return X, (loadings != 0).any(axis=0)


def _gene_labels(rng: Rng, most: int = 12, n_low: int = 40, n_high: int = 120) -> np.ndarray:
    k = n_groups(rng, most)
    n = max(int(rng.integers(n_low, n_high)), 7 * k)
    return labels_of(draw_sizes(rng, n, k, smallest=5))


def genes_behind_factors(rng: Rng) -> Sketch:
    """Classes move some of many factors, and not the strongest ones."""
    y, p = _gene_labels(rng), n_columns(rng, 200, 2000)
    nuisance = _factors(rng, len(y), int(rng.integers(4, 12)), rng.uniform(0.2, 0.8))
    shift = rng.normal(0, 1.0, (y.max() + 1, int(rng.integers(2, 6))))
    classes = rng.uniform(0.5, 1.5) * shift[y] + 0.4 * rng.standard_normal((len(y), shift.shape[1]))
    X, told = _expression(rng, np.concatenate([classes, nuisance], axis=1), p)
    return Sketch(X, y, told)


def genes_of_subtypes(rng: Rng) -> Sketch:
    """Types with subtypes; the truth is the types, some of which are rare."""
    k = int(rng.integers(2, 6))
    subtypes = rng.integers(1, 4, k)
    owner = np.repeat(np.arange(k), subtypes)
    parts = labels_of(draw_sizes(rng, int(rng.integers(60, 110)), len(owner), smallest=5))
    p, f = n_columns(rng, 200, 2000), int(rng.integers(3, 9))
    types = rng.normal(0, 1.0, (k, f)) * rng.uniform(1.0, 2.0)
    inner = rng.normal(0, 1.0, (len(owner), f)) * rng.uniform(0.4, 1.0)
    activity = (types[owner] + inner)[parts] + 0.5 * rng.standard_normal((len(parts), f))
    nuisance = _factors(rng, len(parts), int(rng.integers(2, 7)), 0.5)
    X, told = _expression(rng, np.concatenate([activity, nuisance], axis=1), p)
    return Sketch(X, owner[parts], told)


def genes_in_a_tree(rng: Rng) -> Sketch:
    """Classes that branch off one another, as cells or tumours do: relatives differ in few columns.

    Each branch changes columns of its own; rows also differ by a few continuous factors.
    """
    y, p = _gene_labels(rng), n_columns(rng, 200, 2000)
    k = int(y.max()) + 1
    level = np.zeros((k, p))
    for child in range(1, k):
        parent = int(rng.integers(child))
        own = rng.random(p) < rng.uniform(0.02, 0.12)
        level[child] = level[parent] + own * rng.normal(0, rng.uniform(1.0, 2.2), p)
    factors = _factors(rng, len(y), int(rng.integers(2, 8)), rng.uniform(0.2, 0.8))
    loadings = rng.standard_normal((factors.shape[1], p)) * (rng.random(p) < 0.3)
    noise = rng.standard_normal((len(y), p)) * rng.gamma(4.0, 0.25, p)
    X = level[y] + rng.uniform(0.3, 0.9) * product(factors, loadings) + noise
    return Sketch(X, y, (level != level[0]).any(axis=0))


def tumours(rng: Rng) -> Sketch:
    """Samples of several types, some rare: modules of columns differ by type, and much else varies.

    A share of each sample is other tissue, activity varies within a type, and tails are heavy.
    """
    y, p = _gene_labels(rng, 10), n_columns(rng, 250, 2000)
    n, k, n_modules = len(y), int(y.max()) + 1, int(rng.integers(8, 26))
    telling = rng.random(n_modules) < rng.uniform(0.3, 0.8)
    telling[:2] = True
    level = rng.normal(0, 1.0, (k, n_modules)) * telling
    scatter = rng.uniform(0.3, 0.9, (k, n_modules))[y] * rng.standard_normal((n, n_modules))
    purity = rng.uniform(rng.uniform(0.3, 0.8), 1.0, (n, 1))
    activity = np.concatenate([purity * (level[y] + scatter), 2.0 * purity], axis=1)
    member = rng.integers(-n_modules // 2, n_modules + 1, p)  # below 0: in no module
    weight = rng.gamma(2.0, 0.5, p)
    X = np.where(member >= 0, weight * activity[:, member], 0.0)
    tails = rng.standard_t(int(rng.integers(3, 12)), (n, p))
    X = X + tails * rng.gamma(4.0, 0.25, p) * rng.uniform(0.4, 1.0)
    return Sketch(X, y, (member >= 0) & np.append(telling, False)[member])


def persons_by_conditions(rng: Rng) -> Sketch:
    """Each person is pictured once under each condition; conditions matter more than persons."""
    k, conditions, side = (
        int(rng.integers(low, high)) for low, high in ((5, 21), (7, 14), (12, 25))
    )
    y = np.repeat(np.arange(k), conditions)
    condition = np.tile(np.arange(conditions), k)
    across, down = pixels(side)
    person = np.array([scene(rng, across, down, 12) for _ in range(k)])
    effect = np.array([scene(rng, across, down, 6) for _ in range(conditions)])
    effect *= rng.gamma(1.5, 1.0, (conditions, 1))  # most are mild, some are strong
    own = 0.3 * rng.standard_normal((len(y), 1)) * scene(rng, across, down, 8)
    X = person[y] + rng.uniform(0.5, 1.2) * effect[condition] * (1.0 + 0.4 * person[y]) + own
    return Sketch(X + rng.uniform(0.05, 0.3) * rng.standard_normal(X.shape), y)


def genes_in_batches(rng: Rng) -> Sketch:
    """Two or three batches shift all columns a little; the classes cross the batches."""
    y, p = _gene_labels(rng, 8), n_columns(rng, 200, 1500)
    batch = rng.integers(0, rng.integers(2, 4), len(y))
    effect = rng.uniform(0.1, 0.5) * rng.standard_normal((batch.max() + 1, p))
    shift = rng.normal(0, rng.uniform(0.8, 1.6), (y.max() + 1, p)) * (rng.random(p) < 0.15)
    told = (shift != 0).any(axis=0)
    X = shift[y] + effect[batch] + rng.standard_normal((len(y), p)) * rng.gamma(4.0, 0.25, p)
    return Sketch(np.exp(0.5 * X) if rng.random() < 0.3 else X, y, told)


def _person_labels(rng: Rng) -> np.ndarray:
    k, each = int(rng.integers(4, 21)), int(rng.integers(8, 22))
    return np.repeat(np.arange(k), each)


def portraits_in_changing_light(rng: Rng) -> Sketch:
    """Pictures of persons; where the light comes from matters more than who is shown."""
    y, side = _person_labels(rng), int(rng.integers(12, 29))
    across, down = pixels(side)
    common = scene(rng, across, down, 12)
    person = np.array([scene(rng, across, down, 10) for _ in range(y.max() + 1)])
    relief = common + rng.uniform(0.3, 0.8) * person[y]
    shade = np.stack([across - 0.5, down - 0.5, np.abs(across - 0.5)])
    lights = rng.standard_normal((len(y), 3))
    if rng.random() < 0.5:  # a few lamps instead of any direction
        lamps = rng.standard_normal((int(rng.integers(3, 12)), 3))
        lights = lamps[rng.integers(0, len(lamps), len(y))]
    light = product(lights, shade)
    X = relief * (1.0 + 0.5 * light) + rng.uniform(0.3, 1.5) * light
    return Sketch(X + rng.uniform(0.02, 0.1) * rng.standard_normal(X.shape), y)


def portraits_in_poses(rng: Rng) -> Sketch:
    """Pictures of persons; every person turns the head, which moves all spots of the picture."""
    y, side = _person_labels(rng), int(rng.integers(12, 25))
    across, down = pixels(side)
    k = int(y.max()) + 1
    places, widths = rng.uniform(0.2, 0.8, (8, 2)), rng.uniform(0.06, 0.16, 8)
    own = places + rng.normal(0, rng.uniform(0.02, 0.06), (k, 8, 2))
    depth = rng.uniform(-1, 1, (k, 8)) + rng.uniform(-1, 1, 8)
    turn = rng.uniform(-1, 1, (len(y), 2)) * rng.uniform(0.03, 0.3)
    X = np.zeros((len(y), side * side))
    for spot in range(8):
        at = own[y, spot] + turn
        far = (across - at[:, :1]) ** 2 + (down - at[:, 1:]) ** 2
        X += depth[y, spot][:, None] * np.exp(-far / (2 * widths[spot] ** 2))
    return Sketch(X + rng.uniform(0.02, 0.1) * rng.standard_normal(X.shape), y)


def _labels(rng: Rng, low: int = 2, high: int = 6) -> np.ndarray:
    k = int(rng.integers(low, high))
    return labels_of(draw_sizes(rng, draw_rows(rng, centre=350), k, smallest=25))


def classes_behind_size(rng: Rng) -> Sketch:
    """One or two strong common factors hide classes that lie in minor directions."""
    y, d = _labels(rng), int(rng.integers(5, 19))
    strong = _factors(rng, len(y), int(rng.integers(1, 4)), 0.5) * rng.uniform(1.5, 4.0)
    shift = rng.normal(0, rng.uniform(0.8, 2.0), (y.max() + 1, 3))
    hidden = np.concatenate([strong, shift[y] + rng.standard_normal((len(y), 3)) * 0.7], axis=1)
    X = product(hidden, rng.standard_normal((hidden.shape[1], d)))
    return Sketch(X + rng.uniform(0.2, 1.0) * rng.standard_normal((len(y), d)), y)


def classes_along_a_line(rng: Rng) -> Sketch:
    """Ordered classes that follow each other along a bent gradient and overlap with the next."""
    y, d = _labels(rng, 2, 5), int(rng.integers(4, 16))
    place = y + rng.uniform(0.15, 0.35) * rng.standard_normal(len(y))
    bend = rng.normal(0, 1, (3, d))
    basis = np.stack([place, np.sin(place * rng.uniform(0.5, 1.5)), (place - y.max() / 2) ** 2], 1)
    noise = log_uniform(rng, 0.3, 1.0) * rng.standard_normal((len(y), d))
    return Sketch(product(basis, bend) + noise, y)


def few_telling_columns(rng: Rng) -> Sketch:
    """A third of the columns tell the classes; the others follow factors of their own."""
    y, d = _labels(rng), int(rng.integers(6, 25))
    telling = np.zeros(d, dtype=bool)
    telling[rng.permutation(d)[: max(2, d // 3)]] = True
    centres = rng.normal(0, rng.uniform(1.3, 2.6), (y.max() + 1, d)) * telling
    factors = _factors(rng, len(y), int(rng.integers(1, 4)), 0.3)
    other = product(factors, rng.standard_normal((factors.shape[1], d))) * ~telling
    X = centres[y] + rng.uniform(0.5, 1.2) * other + rng.standard_normal((len(y), d))
    return Sketch(X, y, telling)


def classes_by_spread(rng: Rng) -> Sketch:
    """Classes that differ in spread and correlation more than in their centres."""
    y, d = _labels(rng, 2, 4), int(rng.integers(4, 16))
    X = np.empty((len(y), d))
    for label in range(int(y.max()) + 1):
        own = y == label
        mix = rng.standard_normal((d, d)) / np.sqrt(d) * log_uniform(rng, 0.3, 2.0)
        X[own] = product(rng.standard_normal((int(own.sum()), d)), mix)
        X[own] += rng.normal(0, rng.uniform(0.1, 0.8), d)
    return Sketch(X, y)


def signals_with_phase(rng: Rng) -> Sketch:
    """Returned signals: structured for one class, several kinds of disorder for the other."""
    y, pairs = _labels(rng, 2, 3), int(rng.integers(8, 18))
    step = np.arange(pairs)
    decay = np.exp(-rng.uniform(0.02, 0.12) * step)
    speed = rng.uniform(0.0, 0.5, (len(y), 1))
    clean = np.concatenate([decay * np.cos(speed * step), decay * np.sin(speed * step)], axis=1)
    wild = np.clip(rng.normal(0, rng.uniform(0.4, 1.0), (len(y), 2 * pairs)), -1, 1)
    wild[rng.random(len(y)) < 0.3] *= 0.1
    order = rng.uniform(0.3, 1.0, len(y)), rng.uniform(0.0, rng.uniform(0.3, 0.8), len(y))
    weight = np.where(y == 0, *order)[:, None]
    X = weight * clean + (1 - weight) * wild + 0.1 * rng.standard_normal(clean.shape)
    return Sketch(np.clip(X, -1, 1), y)


_WIDE = (
    genes_behind_factors, genes_of_subtypes, genes_in_a_tree, genes_in_batches, tumours,
    portraits_in_changing_light, portraits_in_poses, persons_by_conditions,
)  # fmt: skip
_TABLES = (
    classes_behind_size, classes_along_a_line, few_telling_columns, classes_by_spread,
    signals_with_phase,
)  # fmt: skip
KINDS = {
    **{draw.__name__: Kind(draw, "wide") for draw in _WIDE},
    **{draw.__name__: Kind(draw, "table") for draw in _TABLES},
}
