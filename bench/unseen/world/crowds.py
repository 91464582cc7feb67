"""Large tables of many clusters: crowds, grids, chains, worms, and few dense clusters beside many
small ones. Tables of more than 2,000 rows are searched on a sample that looks like these.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.curves import along, maybe_noisy
from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_sizes,
    log_uniform,
    orthonormal,
    pile,
    product,
    spread_centres,
)

TAU = 2 * np.pi
LEAST_PER_CLUSTER = 14


def _rows(rng: Rng, k: int) -> int:
    return max(int(log_uniform(rng, 700, 2000)), LEAST_PER_CLUSTER * k)


def _clouds(rng: Rng, centres: np.ndarray, sizes: np.ndarray, radii: np.ndarray, flat: float):
    """Return Gaussian clouds, each turned and flattened by a factor between `flat` and 1."""
    d = centres.shape[1]
    parts = []
    for centre, size, radius in zip(centres, sizes, radii, strict=True):
        widths = np.append([1.0], rng.uniform(flat, 1.0, d - 1))
        rows = rng.standard_normal((size, d)) * widths
        parts.append(centre + radius * product(rows, orthonormal(rng, d, d)))
    return parts


def crowd_of_clouds(rng: Rng) -> Sketch:
    """Twelve to sixty clouds of equal size in two or three columns, apart or overlapping."""
    k, d = int(log_uniform(rng, 12, 61)), int(rng.choice([2, 2, 3]))
    radii = np.ones(k) if rng.random() < 0.6 else rng.uniform(0.6, 1.3, k)
    centres = spread_centres(rng, radii, d, rng.uniform(1.5, 3.2))
    flat = 1.0 if rng.random() < 0.4 else rng.uniform(0.4, 0.9)
    n = _rows(rng, k)
    sizes = np.full(k, n // k) if rng.random() < 0.5 else draw_sizes(rng, n, k, smallest=12)
    return pile(_clouds(rng, centres, sizes, radii, flat))


def clouds_of_any_size(rng: Rng) -> Sketch:
    """Four to fifteen long clouds whose widths and numbers of rows differ by a factor of ten."""
    k = int(rng.integers(4, 16))
    radii = log_uniform(rng, 0.2, 2.0, k)
    centres = spread_centres(rng, radii, 2, rng.uniform(1.4, 2.4))
    sizes = np.maximum(15, (_rows(rng, k) * rng.dirichlet(np.full(k, 1.2))).astype(int))
    return pile(_clouds(rng, centres, sizes, radii, rng.uniform(0.15, 0.6)))


def large_grid(rng: Rng) -> Sketch:
    """A grid of up to 100 clouds or squares in the plane, some moved a little."""
    shape = rng.integers(4, 11, 2)
    places = np.stack(np.meshgrid(*map(np.arange, shape)), axis=-1).reshape(-1, 2).astype(float)
    places += rng.uniform(0.0, 0.08) * rng.standard_normal(places.shape)
    size = _rows(rng, len(places)) // len(places)
    if rng.random() < 0.6:
        width = rng.uniform(0.08, 0.24)
        return pile([place + width * rng.standard_normal((size, 2)) for place in places])
    width = rng.uniform(0.5, 0.85)
    return pile([place + width * rng.random((size, 2)) for place in places])


def clouds_along_a_curve(rng: Rng) -> Sketch:
    """Ten to ninety clouds in a row along a wave, a spiral or a ring."""
    k = int(log_uniform(rng, 10, 91))
    where = np.linspace(0, 1, 4000)
    form = rng.integers(3)
    if form == 0:
        turns, height = rng.uniform(0.5, 2.5), rng.uniform(0.1, 0.4)
        path = np.stack([where, height * np.sin(TAU * turns * where)], axis=1)
    elif form == 1:
        angle = TAU * rng.uniform(1.0, 2.5) * np.sqrt(0.05 + where)
        path = angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        path = np.stack([np.cos(TAU * where), np.sin(TAU * where)], axis=1)
    legs = np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1))
    travelled = np.concatenate([[0.0], np.cumsum(legs)])
    stops = (np.arange(k) + 0.5) / k * travelled[-1]
    centres = np.stack([np.interp(stops, travelled, axis) for axis in path.T], axis=1)
    width = rng.uniform(0.1, 0.26) * travelled[-1] / k
    size = _rows(rng, k) // k
    return pile([centre + width * rng.standard_normal((size, 2)) for centre in centres])


def _worm(rng: Rng, length: float) -> np.ndarray:
    """Return a smooth random walk that starts at the origin."""
    steps = 40
    turns = np.cumsum(rng.normal(0, rng.uniform(0.05, 0.25), steps)) + rng.uniform(0, TAU)
    return np.cumsum(length / steps * np.stack([np.cos(turns), np.sin(turns)], axis=1), axis=0)


def worms(rng: Rng) -> Sketch:
    """Five to thirty bent strings that lie anywhere in a box; a few of them may touch."""
    k = int(rng.integers(5, 31))
    width, strict = rng.uniform(0.05, 0.2), rng.random() < 0.7
    side = np.sqrt(k) * rng.uniform(2.0, 3.2)
    paths: list[np.ndarray] = []
    for _ in range(30 * k):
        path = _worm(rng, rng.uniform(2.0, 5.0)) + rng.uniform(0, side, 2)
        gaps = [np.sqrt(((path[:, None] - other) ** 2).sum(axis=2)).min() for other in paths]
        if not strict or min(gaps, default=np.inf) > 5.0 * width:
            paths.append(path)
        if len(paths) == (k if strict else min(k, 10)):
            break
    lengths = np.array([np.sqrt((np.diff(path, axis=0) ** 2).sum(1)).sum() for path in paths])
    sizes = np.maximum(25, (_rows(rng, k) * lengths / lengths.sum()).astype(int))
    parts = [along(rng, path, size, width) for path, size in zip(paths, sizes, strict=True)]
    return maybe_noisy(rng, pile(parts))


def dense_beside_small(rng: Rng) -> Sketch:
    """Two to four dense clusters with most of the rows, and small sparse ones far from them."""
    n_dense, n_small = int(rng.integers(2, 5)), int(rng.integers(3, 10))
    d = int(rng.choice([2, 2, 2, 3, 5]))
    dense = spread_centres(rng, np.full(n_dense, 0.35), d, rng.uniform(2.5, 4.0))
    small = spread_centres(rng, np.full(n_small, 0.8), d, rng.uniform(2.5, 5.0))
    apart = np.zeros(d)
    apart[0] = np.ptp(small[:, 0]) / 2 + np.ptp(dense[:, 0]) / 2 + rng.uniform(4.0, 15.0)
    n = int(log_uniform(rng, 700, 2000))
    n_rare = max(12, int(n * rng.uniform(0.05, 0.25)) // n_small)
    sizes = np.append(np.full(n_dense, n // n_dense), np.full(n_small, n_rare))
    radii = np.append(np.full(n_dense, 0.35), rng.uniform(0.4, 0.8, n_small))
    return pile(_clouds(rng, np.concatenate([dense, small + apart]), sizes, radii, 0.7))


def _one(X: np.ndarray) -> Sketch:
    return Sketch(X, np.zeros(len(X), dtype=int))


def large_lump(rng: Rng) -> Sketch:
    """One group of many rows: normal, uniform, heavy-tailed, skewed or peaked."""
    n, d = int(log_uniform(rng, 900, 2000)), int(log_uniform(rng, 2, 13))
    draw = (
        rng.standard_normal,
        rng.random,
        lambda size: rng.standard_t(rng.uniform(2.5, 6), size),
        lambda size: rng.gamma(rng.uniform(1.0, 4.0), 1.0, size),
        lambda size: rng.laplace(0.0, 1.0, size),
    )[rng.integers(5)]
    X = draw((n, d))
    return _one(product(X, rng.standard_normal((d, d))) if rng.random() < 0.5 else X)


def moved_lattice(rng: Rng) -> Sketch:
    """Rows on a lattice, each moved a little: more even than chance, and without clusters."""
    side = int(rng.integers(14, 45))
    places = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    return _one(places + rng.uniform(0.15, 0.6) * rng.uniform(-1, 1, places.shape))


def one_long_curve(rng: Rng) -> Sketch:
    """One worm, wave or spiral of many rows."""
    n, form = int(log_uniform(rng, 500, 2000)), rng.integers(3)
    where = np.linspace(0, 1, 400)
    if form == 0:
        path = _worm(rng, 4.0)
    elif form == 1:
        path = np.stack([6 * where, np.sin(TAU * rng.uniform(0.7, 2.5) * where)], axis=1)
    else:
        angle = TAU * rng.uniform(1.0, 2.2) * (0.15 + where)
        path = angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) / 4
    return _one(along(rng, path, n, rng.uniform(0.02, 0.15)))


_CLUSTERLESS = (large_lump, moved_lattice, one_long_curve)
KINDS = {
    draw.__name__: Kind(
        draw, "table" if draw is large_lump else "plane", clustered=draw not in _CLUSTERLESS
    )
    for draw in (
        crowd_of_clouds, clouds_of_any_size, large_grid, clouds_along_a_curve, worms,
        dense_beside_small, *_CLUSTERLESS,
    )
}  # fmt: skip
