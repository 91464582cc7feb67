"""Tables with far more columns than rows: genes, cells, images, texts, spectra."""

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


def n_groups(rng: Rng, most: int) -> int:
    """Return a number of groups from 2 to `most`; few are more likely than many."""
    return int(log_uniform(rng, 2, most + 1))


def _groups(rng: Rng, low: int = 40, high: int = 130, most: int = 12) -> np.ndarray:
    k = n_groups(rng, most)
    n = max(int(rng.integers(low, high + 1)), 8 * k)
    return labels_of(draw_sizes(rng, n, k, smallest=5))


def n_columns(rng: Rng, low: int = 100, high: int = 2000) -> int:
    return int(log_uniform(rng, low, high))


def gene_modules(rng: Rng) -> Sketch:
    """Groups of genes that go up and down together; some follow the classes, some do not."""
    y, p = _groups(rng), n_columns(rng)
    k = int(y.max()) + 1
    n_modules = int(rng.integers(4, 15))
    telling = rng.random(n_modules) < rng.uniform(0.3, 0.7)
    telling[0] = True
    level = rng.normal(0, rng.uniform(1.2, 2.5), (k, n_modules)) * telling
    activity = level[y] + rng.uniform(0.5, 1.0) * rng.standard_normal((len(y), n_modules))
    member = rng.integers(-1, n_modules, p)  # -1: in no module
    member[rng.random(p) < rng.uniform(0.1, 0.7)] = -1
    weight = rng.gamma(3.0, 0.25, p) * rng.choice([-1.0, 1.0], p, p=[0.3, 0.7])
    signal = np.where(member >= 0, weight * activity[:, member], 0.0)
    X = signal + rng.standard_normal((len(y), p)) * rng.gamma(4.0, 0.25, p)
    return Sketch(X, y, (member >= 0) & telling[member])


def gene_markers(rng: Rng) -> Sketch:
    """Each class has marker genes of its own among many genes that say nothing."""
    y, p = _groups(rng), n_columns(rng)
    k = int(y.max()) + 1
    X = rng.standard_normal((len(y), p)) * rng.gamma(4.0, 0.25, p)
    relevant = np.zeros(p, dtype=bool)
    for cluster in range(k):
        own = rng.permutation(p)[: max(5, int(p * rng.uniform(0.03, 0.15)))]
        X[np.ix_(np.flatnonzero(y == cluster), own)] += rng.uniform(1.2, 3.0)
        relevant[own] = True
    if rng.random() < 0.5:  # a factor such as the day of measurement
        day = rng.standard_normal((len(y), 1)) * rng.uniform(0.2, 0.8)
        X += day * rng.standard_normal((1, p))
    return Sketch(np.exp(0.6 * X) if rng.random() < 0.3 else X, y, relevant)


def cell_counts(rng: Rng) -> Sketch:
    """Counts of molecules per cell: depth differs, many zeros; given as log(1 + count)."""
    y, p = _groups(rng, 100, 400, 14), n_columns(rng, 100, 800)
    k = int(y.max()) + 1
    base = log_uniform(rng, 0.05, 5.0, p)
    told = rng.random(p) < rng.uniform(0.05, 0.3)
    effect = np.where(told, rng.normal(0, rng.uniform(1.0, 1.8), (k, p)), 0.0)
    depth = log_uniform(rng, 0.5, 2.0, (len(y), 1))
    rate = depth * base * np.exp(effect[y]) * rng.gamma(3.0, 1 / 3.0, (len(y), p))
    return Sketch(np.log1p(rng.poisson(rate)), y, told)


def texts(rng: Rng) -> Sketch:
    """Word counts by topic, weighted down for length; most entries are zero."""
    y, p = _groups(rng, 80, 400, 12), n_columns(rng, 100, 1000)
    k = int(y.max()) + 1
    general = rng.dirichlet(np.full(p, 0.3))
    topics = rng.dirichlet(np.full(p, 0.05), k)
    length = rng.integers(40, 300, len(y))
    blend = rng.uniform(0.25, 0.6)
    chance = (1 - blend) * general + blend * topics
    X = rng.poisson(length[:, None] * chance[y]).astype(float)
    X = X[:, X.sum(axis=0) > 0]
    norm = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return Sketch(X / np.maximum(norm, 1e-12), y)


def pixels(side: int) -> tuple[np.ndarray, np.ndarray]:
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), -1)
    return grid.reshape(-1, 2)[:, 0] / side, grid.reshape(-1, 2)[:, 1] / side


def scene(rng: Rng, across: np.ndarray, down: np.ndarray, spots: int) -> np.ndarray:
    """Return a smooth picture: a sum of soft spots."""
    picture = np.zeros(len(across))
    for _ in range(spots):
        place, width = rng.uniform(0.1, 0.9, 2), rng.uniform(0.06, 0.25)
        spot = np.exp(-((across - place[0]) ** 2 + (down - place[1]) ** 2) / (2 * width**2))
        picture += rng.uniform(-1, 1) * spot
    return picture


def portraits(rng: Rng) -> Sketch:
    """Pictures of a few persons; light and pose change every picture of all persons."""
    y, side = _groups(rng, 60, 250, 20), int(rng.integers(12, 29))
    k = int(y.max()) + 1
    across, down = pixels(side)
    common = scene(rng, across, down, 10)
    person = np.array([scene(rng, across, down, 10) for _ in range(k)])
    own_way = np.array([[scene(rng, across, down, 5) for _ in range(2)] for _ in range(k)])
    light = np.stack([across - 0.5, down - 0.5, (across - 0.5) ** 2])
    strength = rng.uniform(0.2, 1.0)
    X = common + rng.uniform(0.6, 1.4) * person[y]
    X = X + strength * product(rng.standard_normal((len(y), 3)), light)
    for way in range(2):
        X = X + 0.5 * rng.standard_normal((len(y), 1)) * own_way[y, way]
    return Sketch(X + rng.uniform(0.02, 0.2) * rng.standard_normal(X.shape), y)


def small_pictures(rng: Rng) -> Sketch:
    """Strokes on a small grid of pixels, moved a little from picture to picture."""
    y, side = _groups(rng, 150, 500, 12), int(rng.integers(8, 15))
    k = int(y.max()) + 1
    across, down = pixels(side)
    corners = rng.uniform(0.15, 0.85, (k, 4, 2))
    move = rng.normal(0, rng.uniform(0.01, 0.05), (len(y), 4, 2))
    move += rng.normal(0, rng.uniform(0.0, 0.04), (len(y), 1, 2))
    X = np.zeros((len(y), side * side))
    for leg in range(3):
        for step in np.linspace(0, 1, 6):
            point = (1 - step) * (corners[y, leg] + move[:, leg])
            point = point + step * (corners[y, leg + 1] + move[:, leg + 1])
            far = (across - point[:, :1]) ** 2 + (down - point[:, 1:]) ** 2
            X = np.maximum(X, np.exp(-far / (2 * 0.07**2)))
    X = np.round(16 * X) if rng.random() < 0.5 else X
    return Sketch(X + (rng.random() < 0.5) * 0.05 * rng.standard_normal(X.shape), y)


def spectra(rng: Rng) -> Sketch:
    """Peaks at places that depend on the class, over a baseline that drifts."""
    y, p = _groups(rng, 50, 200), n_columns(rng, 150, 800)
    k = int(y.max()) + 1
    place = np.linspace(0, 1, p)
    centres = rng.uniform(0, 1, 14)
    shapes = np.exp(-(((place - centres[:, None]) / rng.uniform(0.005, 0.03, (14, 1))) ** 2))
    heights = rng.gamma(1.5, 0.6, (k, 14)) * (rng.random((k, 14)) < 0.7)
    scatter = np.exp(rng.uniform(0.1, 0.4) * rng.standard_normal((len(y), 14)))
    drift = product(rng.standard_normal((len(y), 2)), np.stack([place, place**2]))
    X = product(heights[y] * scatter, shapes) + rng.uniform(0.05, 0.4) * drift
    return Sketch(X + rng.uniform(0.02, 0.15) * rng.standard_normal(X.shape), y)


def binary_wide(rng: Rng) -> Sketch:
    """Hundreds of yes/no columns, as markers on a genome: a drifting frequency per group."""
    y, p = _groups(rng, 50, 200), n_columns(rng, 150, 1500)
    k = int(y.max()) + 1
    ancestral = rng.uniform(0.1, 0.9, p)
    drift = rng.uniform(0.05, 0.25)
    a = ancestral * (1 - drift) / drift
    b = (1 - ancestral) * (1 - drift) / drift
    frequency = rng.beta(a, b, (k, p))
    return Sketch(rng.binomial(2, frequency[y]).astype(float), y)


KINDS = {
    draw.__name__: Kind(draw, "wide")
    for draw in (
        gene_modules, gene_markers, cell_counts, texts, portraits, small_pictures, spectra,
        binary_wide,
    )
}  # fmt: skip
