"""Many clusters of few rows each in many columns: needles, plates, strings and balls.

Each has directions of its own, so that all of them together fill more axes than any of them has.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_sizes,
    log_uniform,
    orthonormal,
    pile,
    product,
)


def _sizes(rng: Rng, k: int, low: int = 12, high: int = 45) -> np.ndarray:
    return draw_sizes(rng, min(int(rng.integers(low, high)) * k, 1200), k, smallest=9)


def many_needles(rng: Rng) -> Sketch:
    """Ten to forty Gaussian clusters with one to three long axes, in 8 to 60 columns."""
    k, d = int(rng.integers(10, 41)), int(log_uniform(rng, 8, 60))
    centres = rng.standard_normal((k, d)) * rng.uniform(1.0, 2.2)
    parts = []
    for centre, size in zip(centres, _sizes(rng, k), strict=True):
        long = int(rng.integers(1, 4))
        axes = directions(rng, long, d) * rng.uniform(1.0, 3.0, (long, 1)) * np.sqrt(d / 8)
        rows = product(rng.standard_normal((size, long)), axes)
        parts.append(centre + rows + rng.uniform(0.15, 0.5) * rng.standard_normal((size, d)))
    return pile(parts)


def many_strings(rng: Rng) -> Sketch:
    """Eight to thirty bent strings of rows in 6 to 40 columns, close to each other."""
    k, d = int(rng.integers(8, 31)), int(log_uniform(rng, 6, 40))
    centres = rng.standard_normal((k, d)) * rng.uniform(0.8, 1.6)
    parts = []
    for centre, size in zip(centres, _sizes(rng, k), strict=True):
        along = rng.uniform(-1, 1, (size, 1))
        axes = orthonormal(rng, 2, d) * np.sqrt(d / 6) * rng.uniform(0.6, 2.2)
        bend = rng.uniform(0.0, 0.8)
        rows = along * axes[0] + bend * (along**2 - 0.33) * axes[1]
        parts.append(centre + rows + rng.uniform(0.05, 0.2) * rng.standard_normal((size, d)))
    return pile(parts)


def many_plates(rng: Rng) -> Sketch:
    """Six to twenty-five flat clusters of two to five directions in 10 to 80 columns."""
    k, d = int(rng.integers(6, 26)), int(log_uniform(rng, 10, 80))
    centres = directions(rng, k, d) * rng.uniform(1.5, 4.0)
    parts = []
    for centre, size in zip(centres, _sizes(rng, k, 15, 50), strict=True):
        flat = int(rng.integers(2, 6))
        axes = directions(rng, flat, d) * rng.uniform(0.7, 2.2)
        rows = product(rng.uniform(-1.7, 1.7, (size, flat)), axes)
        parts.append(
            centre + rows + rng.uniform(0.5, 1.3) / np.sqrt(d) * rng.standard_normal((size, d))
        )
    return pile(parts)


def few_long_in_many_columns(rng: Rng) -> Sketch:
    """Three to seven long clusters of 20 to 100 rows in 40 to 120 columns; they nearly meet."""
    k, d = int(rng.integers(3, 8)), int(log_uniform(rng, 40, 120))
    centres = directions(rng, k, d) * rng.uniform(0.5, 1.6)
    parts = []
    for centre in centres:
        size = int(rng.integers(20, 101))
        end = directions(rng, 1, d) * rng.uniform(1.0, 3.0)
        along = rng.beta(*rng.uniform(0.7, 1.6, 2), (size, 1)) - 0.5
        bulge = np.sqrt(np.maximum(1.0 - (2 * along) ** 2, 0.05))
        across = directions(rng, size, d) * rng.uniform(0.2, 0.7) * bulge
        parts.append(centre + along * end + across)
    return pile(parts)


def many_balls(rng: Rng) -> Sketch:
    """Fifteen to forty-five round clusters of any size in 8 to 100 columns."""
    k, d = int(rng.integers(15, 46)), int(log_uniform(rng, 8, 100))
    centres = rng.standard_normal((k, d)) * rng.uniform(0.9, 2.0) * (8 / d) ** 0.25
    parts = [
        centre + rng.uniform(0.5, 1.0) * rng.standard_normal((size, d))
        for centre, size in zip(centres, _sizes(rng, k), strict=True)
    ]
    return pile(parts)


def crossing_subspaces(rng: Rng) -> Sketch:
    """Each cluster fills a subspace of its own through nearly the same middle."""
    k, d = int(rng.integers(2, 9)), int(log_uniform(rng, 8, 60))
    parts = []
    for size in _sizes(rng, k, 30, 90):
        axes = directions(rng, int(rng.integers(1, 4)), d)
        rows = product(rng.standard_normal((size, len(axes))) * 2.5, axes)
        middle = rng.standard_normal(d) * rng.uniform(0.2, 0.9) * 2.0 / np.sqrt(d)
        parts.append(
            middle + rows + rng.uniform(0.2, 0.8) / np.sqrt(d) * rng.standard_normal((size, d))
        )
    return pile(parts)


KINDS = {
    draw.__name__: Kind(draw, "space")
    for draw in (
        many_needles, many_strings, many_plates, few_long_in_many_columns, many_balls,
        crossing_subspaces,
    )
}  # fmt: skip
