"""Clusters whose arrangement is the difficulty: grids, lattices, hierarchies, nests, chains."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_rows,
    draw_sizes,
    in_ball,
    labels_of,
    log_uniform,
    pile,
    spread_centres,
    with_background,
)


def _ball(rng: Rng, size: int, d: int) -> np.ndarray:
    """Return a cloud of radius about one: filled evenly, Gaussian or a box."""
    form = rng.integers(3)
    if form == 0:
        return in_ball(rng, size, d)
    if form == 1:
        return 0.45 * rng.standard_normal((size, d))
    return rng.uniform(-0.8, 0.8, (size, d))


def grid(rng: Rng) -> Sketch:
    """A cluster on each point of a grid: the columns are independent of each other."""
    d = int(rng.integers(2, 4))
    steps = rng.integers(2, 5 if d == 2 else 4, d)
    points = np.stack(np.meshgrid(*[np.arange(s) for s in steps], indexing="ij"), -1)
    centres = points.reshape(-1, d) * rng.uniform(2.4, 4.5)
    sizes = np.full(len(centres), max(8, draw_rows(rng, centre=500) // len(centres)))
    if rng.random() < 0.4:
        sizes = draw_sizes(rng, draw_rows(rng, centre=500), len(centres), smallest=8)
    return pile([c + _ball(rng, s, d) for c, s in zip(centres, sizes, strict=True)])


def grid_with_holes(rng: Rng) -> Sketch:
    """A grid on which some points are empty, slightly out of line."""
    steps = rng.integers(3, 6, 2)
    points = np.stack(np.meshgrid(*[np.arange(s) for s in steps], indexing="ij"), -1)
    centres = points.reshape(-1, 2).astype(float)
    kept = rng.permutation(len(centres))[: max(3, int(len(centres) * rng.uniform(0.4, 0.9)))]
    centres = centres[kept] * rng.uniform(2.6, 4.0) + rng.normal(0, 0.2, (len(kept), 2))
    sizes = draw_sizes(rng, draw_rows(rng, centre=600), len(centres), smallest=10)
    return pile([c + _ball(rng, s, 2) for c, s in zip(centres, sizes, strict=True)])


def axis_lattice(rng: Rng) -> Sketch:
    """A cloud in the middle and one at both ends of every axis; the middle may be denser."""
    d = int(rng.integers(2, 6))
    arms = np.concatenate([np.eye(d), -np.eye(d)]) * rng.uniform(2.4, 4.5)
    centres = np.concatenate([np.zeros((1, d)), arms])
    per_cloud = max(12, draw_rows(rng, centre=350) // len(centres))
    radii = np.ones(len(centres))
    radii[0] = rng.uniform(0.4, 1.0)
    return pile([c + r * _ball(rng, per_cloud, d) for c, r in zip(centres, radii, strict=True)])


def simplex(rng: Rng) -> Sketch:
    """Nearly touching clouds with equal distances between all of them."""
    k = int(rng.integers(3, 8))
    d = k if rng.random() < 0.5 else k + int(rng.integers(0, 3))
    centres = np.eye(k, d) * rng.uniform(2.05, 3.0) / np.sqrt(2.0)
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=30)
    if rng.random() < 0.6:
        clouds = [in_ball(rng, s, d) for s in sizes]
    else:
        clouds = [0.4 * rng.standard_normal((s, d)) for s in sizes]
    return pile([c + cloud for c, cloud in zip(centres, clouds, strict=True)])


def hierarchy_fine(rng: Rng) -> Sketch:
    """Groups of clusters; the truth is the clusters, and the groups only stand a bit apart."""
    groups, within, d = int(rng.integers(2, 5)), int(rng.integers(2, 5)), int(rng.integers(2, 7))
    outer = spread_centres(rng, np.ones(groups), d, rng.uniform(5.0, 8.0))
    centres = np.concatenate(
        [c + spread_centres(rng, np.full(within, 0.5), d, rng.uniform(2.6, 3.4)) for c in outer]
    )
    y = labels_of(draw_sizes(rng, draw_rows(rng), len(centres), smallest=15))
    return Sketch(centres[y] + 0.5 * rng.standard_normal((len(y), d)), y)


def hierarchy_coarse(rng: Rng) -> Sketch:
    """Well separated groups with a weak inner structure; the truth is the groups."""
    groups, within, d = int(rng.integers(2, 6)), int(rng.integers(2, 5)), int(rng.integers(2, 7))
    outer = spread_centres(rng, np.ones(groups), d, rng.uniform(4.5, 8.0))
    inner = outer[np.repeat(np.arange(groups), within)] + 0.8 * rng.standard_normal(
        (groups * within, d)
    )
    parts = labels_of(draw_sizes(rng, draw_rows(rng), groups * within, smallest=8))
    return Sketch(inner[parts] + 0.7 * rng.standard_normal((len(parts), d)), parts // within)


def clumpy_clusters(rng: Rng) -> Sketch:
    """Clusters of uneven density: each is a few overlapping clumps of several sizes."""
    k, d = int(rng.integers(2, 8)), int(rng.integers(2, 9))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(3.0, 5.0))
    parts = []
    for centre, size in zip(centres, draw_sizes(rng, draw_rows(rng), k, smallest=30), strict=True):
        clumps = int(rng.integers(3, 7))
        places = 0.9 * rng.standard_normal((clumps, d))
        spread = rng.uniform(0.3, 0.8, clumps)
        own = rng.integers(0, clumps, size)
        parts.append(centre + places[own] + spread[own, None] * rng.standard_normal((size, d)))
    return pile(parts)


def many_small(rng: Rng) -> Sketch:
    """From 20 to 100 clusters of a few rows or a few dozen rows."""
    k, d = int(log_uniform(rng, 20, 100)), int(rng.integers(2, 9))
    n = min(2000, k * int(rng.integers(8, 40)))
    scales = rng.uniform(0.7, 1.3, k)
    centres = spread_centres(rng, scales, d, rng.uniform(2.0, 3.6))
    y = labels_of(draw_sizes(rng, n, k, smallest=6))
    return Sketch(centres[y] + scales[y, None] * rng.standard_normal((len(y), d)), y)


def nested_gaussians(rng: Rng) -> Sketch:
    """A tight cluster in the middle of a wide one, perhaps with others beside them."""
    d = int(rng.integers(2, 11))
    n = draw_rows(rng)
    inner = int(n * rng.uniform(0.25, 0.6))
    ratio = rng.uniform(5.0, 15.0) if d < 4 else rng.uniform(3.0, 8.0)
    parts = [rng.standard_normal((inner, d)) / ratio, rng.standard_normal((max(n - inner, 40), d))]
    for _ in range(int(rng.integers(0, 3))):
        centre = spread_centres(rng, np.ones(2), d, 3.5)
        parts.append(centre[1] - centre[0] + 0.4 * rng.standard_normal((max(n // 5, 15), d)))
    return pile(parts)


def dense_in_sparse(rng: Rng) -> Sketch:
    """Dense discs inside a thin, evenly filled field; the field is a cluster too."""
    k, d = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    n = draw_rows(rng, low=150)
    radii = rng.uniform(0.12, 0.25, k)
    centres = spread_centres(rng, radii, d, rng.uniform(1.5, 2.2))
    extent = max(1.0, 1.3 * float(np.abs(centres).max()))
    field = rng.uniform(-extent, extent, (max(60, int(n * rng.uniform(0.3, 0.6))), d))
    gaps = np.sqrt(((field[:, None, :] - centres[None]) ** 2).sum(-1))
    field = field[(gaps > 1.15 * radii).all(axis=1)]
    sizes = draw_sizes(rng, n - len(field), k, smallest=40)
    discs = [c + r * in_ball(rng, s, d) for c, r, s in zip(centres, radii, sizes, strict=True)]
    return pile([field, *discs])


def chain(rng: Rng) -> Sketch:
    """Clusters in a row, each close to the next."""
    k, d = int(rng.integers(3, 10)), int(rng.integers(2, 6))
    steps = rng.standard_normal((k, d)) * 0.5
    steps[:, 0] = 1.0
    steps /= np.sqrt((steps**2).sum(axis=1, keepdims=True))
    centres = np.cumsum(steps * rng.uniform(2.2, 3.4), axis=0)
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=15)
    return pile([c + _ball(rng, s, d) for c, s in zip(centres, sizes, strict=True)])


def bridged(rng: Rng) -> Sketch:
    """Clouds joined by thin bridges of unscored rows."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.5, 2.5))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=40)
    sketch = pile([c + in_ball(rng, s, d) for c, s in zip(centres, sizes, strict=True)])
    bridges = []
    for left, right in pairwise(centres):
        n_bridge = int(rng.integers(5, 25))
        along = rng.random((n_bridge, 1))
        bridges.append(left + along * (right - left) + 0.05 * rng.standard_normal((n_bridge, d)))
    extra = np.concatenate(bridges)
    y = np.concatenate([sketch.y, np.full(len(extra), -1)])
    return Sketch(np.concatenate([sketch.X, extra]), y)


def peaks_in_haze(rng: Rng) -> Sketch:
    """Density peaks on a common haze: every row belongs to the peak that it was drawn from."""
    k = int(rng.integers(2, 7))
    centres = spread_centres(rng, np.ones(k), 2, rng.uniform(2.0, 3.0))
    y = labels_of(draw_sizes(rng, draw_rows(rng, centre=700), k, smallest=40))
    wide = rng.random(len(y)) < rng.uniform(0.1, 0.35)
    noise = rng.standard_normal((len(y), 2)) * np.where(wide, 1.1, 0.45)[:, None]
    return Sketch(centres[y] + noise, y)


def satellites(rng: Rng) -> Sketch:
    """One large cloud with several small ones around it, in a thin background."""
    k, d = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    n = draw_rows(rng, low=200, centre=600)
    radii = np.concatenate([[1.0], rng.uniform(0.15, 0.35, k)])
    centres = spread_centres(rng, radii, d, rng.uniform(1.3, 1.8))
    sizes = np.concatenate([[n // 2], draw_sizes(rng, n // 2, k, smallest=12)])
    sketch = pile([c + r * in_ball(rng, s, d)
                   for c, r, s in zip(centres, radii, sizes, strict=True)])  # fmt: skip
    return with_background(rng, sketch, rng.uniform(0.0, 0.08)) if rng.random() < 0.5 else sketch


KINDS = {
    "grid": Kind(grid, "table"),
    "grid_with_holes": Kind(grid_with_holes, "plane"),
    "axis_lattice": Kind(axis_lattice, "table"),
    "simplex": Kind(simplex, "space"),
    "hierarchy_fine": Kind(hierarchy_fine, "space"),
    "clumpy_clusters": Kind(clumpy_clusters, "space"),
    "hierarchy_coarse": Kind(hierarchy_coarse, "space"),
    "many_small": Kind(many_small, "space"),
    "nested_gaussians": Kind(nested_gaussians, "space"),
    "dense_in_sparse": Kind(dense_in_sparse, "plane"),
    "chain": Kind(chain, "space"),
    "bridged": Kind(bridged, "plane"),
    "peaks_in_haze": Kind(peaks_in_haze, "plane"),
    "satellites": Kind(satellites, "plane"),
}
