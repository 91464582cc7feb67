"""Clusters that are clouds around a centre: Gaussian, heavy-tailed, skewed, flat, of any size."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_rows,
    draw_sizes,
    in_ball,
    labels_of,
    log_uniform,
    orthonormal,
    pile,
    product,
    spread_centres,
    with_background,
)


def _few_columns(rng: Rng, high: int = 12) -> int:
    return int(np.clip(np.round(log_uniform(rng, 1.6, high)), 2, high))


def _clouds(rng: Rng, gap: tuple[float, float], scales: np.ndarray, n_columns: int) -> Sketch:
    """Return round Gaussian clouds; a gap of 2 puts centres four deviations apart."""
    sizes = draw_sizes(rng, draw_rows(rng), len(scales))
    centres = spread_centres(rng, scales, n_columns, rng.uniform(*gap))
    y = labels_of(sizes)
    X = centres[y] + scales[y, None] * rng.standard_normal((len(y), n_columns))
    return Sketch(X, y)


def gaussians_apart(rng: Rng) -> Sketch:
    """Round Gaussian clusters with clear gaps."""
    scales = rng.uniform(0.6, 1.4, rng.integers(2, 13))
    return _clouds(rng, (2.6, 5.0), scales, _few_columns(rng, 30))


def gaussians_overlapping(rng: Rng) -> Sketch:
    """Round Gaussian clusters whose tails mix."""
    scales = rng.uniform(0.8, 1.2, rng.integers(2, 9))
    return _clouds(rng, (1.4, 2.3), scales, _few_columns(rng, 20))


def gaussians_correlated(rng: Rng) -> Sketch:
    """Gaussian clusters, each with a covariance of its own."""
    k, d = int(rng.integers(2, 9)), _few_columns(rng, 12)
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=5 * d)
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.4, 3.0))
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        axes = orthonormal(rng, d, d) * log_uniform(rng, 0.15, 1.2, d)[:, None]
        parts.append(centre + product(rng.standard_normal((size, d)), axes))
    return pile(parts)


def gaussians_stretched(rng: Rng) -> Sketch:
    """Long parallel Gaussian clusters side by side: their length is not their separation."""
    k, d = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=25)
    y = labels_of(sizes)
    X = rng.standard_normal((len(y), d))
    X[:, 0] *= rng.uniform(3.0, 12.0)
    X[:, 1] += y * rng.uniform(4.5, 8.0)
    X[:, 0] += rng.uniform(-4, 4, k)[y]
    return Sketch(X, y)


def student_tails(rng: Rng) -> Sketch:
    """Clusters with heavy tails."""
    k, d = int(rng.integers(2, 8)), _few_columns(rng)
    y = labels_of(draw_sizes(rng, draw_rows(rng), k))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.2, 4.5))
    spread = np.sqrt(rng.chisquare(rng.uniform(2.0, 6.0), len(y)) / 4.0)
    return Sketch(centres[y] + rng.standard_normal((len(y), d)) / spread[:, None], y)


def laplace_clouds(rng: Rng) -> Sketch:
    """Peaked clusters with straight sides, each column on its own."""
    k, d = int(rng.integers(2, 8)), _few_columns(rng)
    y = labels_of(draw_sizes(rng, draw_rows(rng), k))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.2, 4.0))
    return Sketch(centres[y] + rng.laplace(0, 0.7, (len(y), d)), y)


def skewed_clouds(rng: Rng) -> Sketch:
    """Log-normal or gamma clusters: a dense corner and a long tail."""
    k, d = int(rng.integers(2, 7)), _few_columns(rng, 10)
    y = labels_of(draw_sizes(rng, draw_rows(rng), k))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.0, 4.0))
    if rng.random() < 0.5:
        noise = np.exp(rng.uniform(0.4, 0.9) * rng.standard_normal((len(y), d)))
    else:
        noise = rng.gamma(rng.uniform(1.0, 3.0), 0.8, (len(y), d))
    signs = rng.choice([-1.0, 1.0], (k, d)) if rng.random() < 0.5 else np.ones((k, d))
    return Sketch(centres[y] + signs[y] * noise, y)


def lognormal_groups(rng: Rng) -> Sketch:
    """Groups that differ by factors, not by differences: clear only on a log scale."""
    k, d = int(rng.integers(2, 6)), _few_columns(rng, 10)
    y = labels_of(draw_sizes(rng, draw_rows(rng), k))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.0, 4.0))
    return Sketch(
        np.exp(rng.uniform(0.2, 0.5) * (centres[y] + rng.standard_normal((len(y), d)))), y
    )


def uniform_boxes(rng: Rng) -> Sketch:
    """Boxes filled evenly, with clear gaps."""
    k, d = int(rng.integers(2, 9)), int(rng.integers(2, 7))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=20)
    sides = log_uniform(rng, 0.4, 1.6, (k, d))
    centres = spread_centres(rng, np.sqrt((sides**2).sum(axis=1)), d, rng.uniform(1.05, 1.5))
    y = labels_of(sizes)
    return Sketch(centres[y] + sides[y] * rng.uniform(-1, 1, (len(y), d)), y)


def slabs(rng: Rng) -> Sketch:
    """Wide thin plates above each other; within a plate nothing depends on anything."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=40))
    X = rng.uniform(-1, 1, (len(y), d)) * rng.uniform(0.7, 2.0, d)
    thickness = rng.uniform(0.15, 0.4)
    X[:, 0] = thickness * rng.uniform(-1, 1, len(y)) + y * thickness * rng.uniform(2.7, 5.0)
    return Sketch(X, y)


def uniform_balls(rng: Rng) -> Sketch:
    """Balls filled evenly, of several radii."""
    k, d = int(rng.integers(2, 10)), int(rng.integers(2, 9))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=20)
    radii = rng.uniform(0.5, 1.5, k)
    centres = spread_centres(rng, radii, d, rng.uniform(1.05, 1.6))
    return pile([c + r * in_ball(rng, s, d)
                 for c, r, s in zip(centres, radii, sizes, strict=True)])  # fmt: skip


def unequal_sizes(rng: Rng) -> Sketch:
    """One cluster holds most rows; others hold a few percent each."""
    k, d = int(rng.integers(2, 7)), _few_columns(rng, 10)
    n = draw_rows(rng, low=200, centre=600)
    sizes = np.maximum(10, (n * log_uniform(rng, 0.02, 0.1, k)).astype(int))
    sizes[0] = max(n - sizes[1:].sum(), 60)
    scales = rng.uniform(0.4, 1.0, k)
    centres = spread_centres(rng, np.where(np.arange(k) == 0, 1.0, scales), d, rng.uniform(2.2, 4))
    y = labels_of(sizes)
    return Sketch(centres[y] + scales[y, None] * rng.standard_normal((len(y), d)), y)


def unequal_densities(rng: Rng) -> Sketch:
    """Tight and wide clusters beside each other: spreads differ by a factor of up to 20."""
    scales = log_uniform(rng, 0.08, 1.6, int(rng.integers(2, 8)))
    return _clouds(rng, (2.0, 3.5), scales, _few_columns(rng, 10))


def rare_cluster(rng: Rng) -> Sketch:
    """A few dozen rows at least six deviations from everybody else."""
    n, d = draw_rows(rng, low=500, centre=1000), int(rng.integers(2, 16))
    sizes = np.array([n, rng.integers(12, 40)])
    y = labels_of(sizes)
    X = rng.standard_normal((len(y), d))
    X += np.array([0.0, rng.uniform(6.0, 10.0)])[y][:, None] * directions(rng, 1, d)
    X[y == 1] *= 1.0 if rng.random() < 0.5 else 0.8
    return Sketch(X, y)


def background(rng: Rng) -> Sketch:
    """Clusters in a field of evenly spread noise, which is not scored."""
    scales = rng.uniform(0.3, 1.0, rng.integers(2, 9))
    sketch = _clouds(rng, (3.0, 5.5), scales, int(rng.integers(2, 5)))
    return with_background(rng, sketch, rng.uniform(0.05, 0.5))


def outliers(rng: Rng) -> Sketch:
    """Clusters and a few rows very far from them, which are not scored."""
    scales = rng.uniform(0.5, 1.2, rng.integers(2, 8))
    sketch = _clouds(rng, (2.4, 4.5), scales, _few_columns(rng))
    n, d = sketch.X.shape
    n_far = int(rng.integers(2, max(4, n // 25)))
    far = sketch.X.std() * rng.uniform(2.5, 8.0, (n_far, 1)) * directions(rng, n_far, d)
    return Sketch(np.concatenate([sketch.X, far]), np.concatenate([sketch.y, np.full(n_far, -1)]))


def mixed_clouds(rng: Rng) -> Sketch:
    """Clusters of different families in one table."""
    k, d = int(rng.integers(3, 9)), int(rng.integers(2, 9))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=20)
    radii = rng.uniform(0.5, 1.5, k)
    centres = spread_centres(rng, radii, d, rng.uniform(1.5, 2.6))
    draws = (
        lambda s: 0.5 * rng.standard_normal((s, d)),
        lambda s: in_ball(rng, s, d),
        lambda s: rng.uniform(-0.8, 0.8, (s, d)),
        lambda s: 0.3 * rng.laplace(size=(s, d)),
        lambda s: directions(rng, s, d) * rng.uniform(0.8, 1.0, (s, 1)),
        lambda s: 0.35 * rng.standard_t(4, (s, d)),
    )
    return pile([c + r * draws[rng.integers(len(draws))](s)
                 for c, r, s in zip(centres, radii, sizes, strict=True)])  # fmt: skip


def many_columns(rng: Rng) -> Sketch:
    """Gaussian clusters in 30 to 200 columns, each column saying little."""
    k, d = int(rng.integers(2, 9)), int(log_uniform(rng, 30, 200))
    y = labels_of(draw_sizes(rng, draw_rows(rng, centre=250), k, smallest=15))
    centres = directions(rng, k, d) * rng.uniform(3.5, 9.0)
    return Sketch(centres[y] + rng.standard_normal((len(y), d)), y)


KINDS = {
    "gaussians_apart": Kind(gaussians_apart, "space"),
    "gaussians_overlapping": Kind(gaussians_overlapping, "space"),
    "gaussians_correlated": Kind(gaussians_correlated, "space"),
    "gaussians_stretched": Kind(gaussians_stretched, "space"),
    "student_tails": Kind(student_tails, "space"),
    "laplace_clouds": Kind(laplace_clouds, "table"),
    "skewed_clouds": Kind(skewed_clouds, "table"),
    "lognormal_groups": Kind(lognormal_groups, "table"),
    "uniform_boxes": Kind(uniform_boxes, "space"),
    "slabs": Kind(slabs, "space"),
    "uniform_balls": Kind(uniform_balls, "space"),
    "unequal_sizes": Kind(unequal_sizes, "space"),
    "unequal_densities": Kind(unequal_densities, "space"),
    "rare_cluster": Kind(rare_cluster, "table"),
    "background": Kind(background, "space"),
    "outliers": Kind(outliers, "space"),
    "mixed_clouds": Kind(mixed_clouds, "space"),
    "many_columns": Kind(many_columns, "table"),
}
