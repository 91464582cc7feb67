"""Long clusters of any direction, packed side by side, mostly in many columns.

Clouds in many columns are nearly round. Measured clusters are not: few directions carry most of
their variance.
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
    log_uniform,
    pile,
    product,
    spread_centres,
)

N_TRIES = 12  # random places that are tried at each distance from the middle


def rods(rng: Rng) -> Sketch:
    """Long thin clusters of any direction in 8 to 100 columns, packed side by side.

    Clouds in many columns are nearly round; these are not: each is a rod with soft ends.
    """
    k, d = int(rng.integers(2, 13)), int(log_uniform(rng, 8, 100))
    sizes = draw_sizes(rng, draw_rows(rng, centre=350), k, smallest=14)
    length = rng.uniform(3.0, 9.0, k)
    # Centres are less than a length apart, yet in so many columns rods seldom meet.
    centres = rng.standard_normal((k, d)) * rng.uniform(0.4, 1.0) * length.mean() / np.sqrt(2 * d)
    thickness = log_uniform(rng, 0.2, 1.0)
    parts = []
    for centre, size, half in zip(centres, sizes, length / 2, strict=True):
        along = rng.uniform(-half, half, (size, 1)) * directions(rng, 1, d)
        across = rng.standard_normal((size, d)) / np.sqrt(d)
        parts.append(centre + along + across * thickness * rng.uniform(0.7, 1.4))
    return pile(parts)


def covariances_of_their_own(rng: Rng) -> Sketch:
    """Gaussian clusters in 8 to 60 columns: few directions are long, and each has its own."""
    k, d = int(rng.integers(2, 11)), int(log_uniform(rng, 8, 60))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=30)
    centres = directions(rng, k, d) * rng.uniform(2.5, 6.0)
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        long = int(rng.integers(1, 5))
        axes = directions(rng, long, d) * rng.uniform(1.0, 5.0, (long, 1))
        rows = product(rng.standard_normal((size, long)), axes)
        parts.append(centre + rows + rng.uniform(0.3, 0.9) * rng.standard_normal((size, d)))
    return pile(parts)


def many_correlated(rng: Rng) -> Sketch:
    """Ten to forty Gaussian clusters of any shape in 2 to 12 columns."""
    k, d = int(rng.integers(10, 41)), int(rng.integers(2, 13))
    sizes = draw_sizes(rng, max(draw_rows(rng, centre=900), 15 * k), k, smallest=10)
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.5, 2.6))
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        axes = directions(rng, d, d) * log_uniform(rng, 0.15, 0.9, (d, 1))
        parts.append(centre + product(rng.standard_normal((size, d)), axes))
    return pile(parts)


def _packed(rng: Rng, parts: list[np.ndarray], gap: float) -> list[np.ndarray]:
    """Move each part as near to the middle as it can be with `gap` between it and the others."""
    placed = [parts[0]]
    for part in parts[1:]:
        others = np.concatenate(placed)
        squares = (others**2).sum(axis=1)
        distance = 0.0
        while True:
            distance += 0.15
            moves = distance * directions(rng, N_TRIES, part.shape[1])
            clear = [_nearest(part + move, others, squares) >= gap for move in moves]
            if any(clear):
                placed.append(part + moves[int(np.argmax(clear))])
                break
    return placed


def _nearest(rows: np.ndarray, others: np.ndarray, squares: np.ndarray) -> float:
    """Return the smallest distance between two sets of rows."""
    squared = (rows**2).sum(axis=1)[:, None] + squares - 2.0 * product(rows, others.T)
    return float(np.sqrt(max(squared.min(), 0.0)))


def packed_rods(rng: Rng) -> Sketch:
    """Rods of unequal length that lie as close to each other as they can."""
    k, d = int(rng.integers(3, 13)), int(log_uniform(rng, 5, 60))
    sizes = draw_sizes(rng, min(draw_rows(rng, centre=350), 700), k, smallest=14)
    parts = []
    for size in sizes:
        half = rng.uniform(0.6, 2.0)
        along = rng.uniform(-half, half, (size, 1)) * directions(rng, 1, d)
        parts.append(along + rng.uniform(0.15, 0.35) / np.sqrt(d) * rng.standard_normal((size, d)))
    return pile(_packed(rng, parts, rng.uniform(0.3, 1.2)))


def packed_needles(rng: Rng) -> Sketch:
    """Gaussian clusters with one or two long axes that lie as close to each other as they can."""
    k, d = int(rng.integers(3, 11)), int(log_uniform(rng, 6, 100))
    sizes = draw_sizes(rng, min(draw_rows(rng, centre=350), 700), k, smallest=20)
    parts = []
    for size in sizes:
        long = int(rng.integers(1, 3))
        axes = directions(rng, long, d) * rng.uniform(0.5, 1.2, (long, 1))
        thick = rng.uniform(0.15, 0.4) / np.sqrt(d)
        rows = product(rng.standard_normal((size, long)), axes)
        parts.append(rows + thick * rng.standard_normal((size, d)))
    return pile(_packed(rng, parts, rng.uniform(0.3, 1.2)))


KINDS = {
    draw.__name__: Kind(draw, "space")
    for draw in (
        rods, covariances_of_their_own, many_correlated, packed_rods, packed_needles,
    )
}  # fmt: skip
