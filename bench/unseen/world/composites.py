"""Tables that put unlike things together, and shapes that are rare elsewhere in the world."""

from __future__ import annotations

import numpy as np

from bench.unseen.world import arrangements, curves, solids
from bench.unseen.world.curves import along, arc
from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_rows,
    draw_sizes,
    in_ball,
    labels_of,
    log_uniform,
    orthonormal,
    pile,
    product,
    spread_centres,
)

TAU = 2 * np.pi
MOST_ROWS = 1600
PARTS = (
    arrangements.dense_in_sparse, arrangements.peaks_in_haze, arrangements.grid_with_holes,
    curves.moons, curves.rings, curves.ring_and_core, curves.spirals, curves.waves, curves.lines,
    curves.zigzags, curves.broken_ring, curves.letters, solids.touching_discs, solids.wings,
    solids.blocks_of_wall,
)  # fmt: skip


def composite(rng: Rng) -> Sketch:
    """Two or three different scenes beside each other in one plane."""
    X: list[np.ndarray] = []
    y: list[np.ndarray] = []
    left = 0.0
    for part in rng.permutation(len(PARTS))[: rng.integers(2, 4)]:
        scene = PARTS[part](rng)
        plane = scene.X[:, :2]
        scored = scene.y >= 0
        size = np.ptp(plane[scored], axis=0).max()
        plane = (plane - plane[scored].min(axis=0)) / size * rng.uniform(0.7, 1.4)
        keep = rng.permutation(len(plane))[:600]
        offset = 1 + max((int(labels.max()) for labels in y), default=-1)
        X.append(plane[keep] + np.array([left, rng.uniform(-0.3, 0.3)]))
        y.append(np.where(scene.y[keep] >= 0, scene.y[keep] + offset, -1))
        left += float(plane[:, 0].max()) + rng.uniform(0.15, 0.4)
    rows = rng.permutation(sum(len(part) for part in X))[:MOST_ROWS]
    return Sketch(np.concatenate(X)[rows], np.concatenate(y)[rows])


def scene_and_clouds(rng: Rng) -> Sketch:
    """One shape with Gaussian clouds around it."""
    scene = PARTS[rng.integers(len(PARTS))](rng)
    keep = rng.permutation(len(scene.X))[:900]
    plane, labels = scene.X[keep, :2], scene.y[keep]
    plane = (plane - plane.mean(axis=0)) / np.ptp(plane, axis=0).max()
    k = int(rng.integers(1, 4))
    angles = rng.uniform(0, TAU) + np.arange(k) * TAU / k
    centres = rng.uniform(1.0, 1.5) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    own = labels_of(draw_sizes(rng, len(plane) // 2, k, smallest=25))
    clouds = centres[own] + rng.uniform(0.04, 0.14) * rng.standard_normal((len(own), 2))
    y = np.concatenate([labels, own + labels.max() + 1])
    return Sketch(np.concatenate([plane, clouds]), y)


def crossed_clouds(rng: Rng) -> Sketch:
    """Long Gaussian clouds with nearly the same centre and different directions."""
    k, d = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=60)
    if d == 2:
        angles = rng.uniform(0, np.pi) + np.arange(k) * np.pi / k
        axes = [np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) for a in angles]
    else:
        axes = [orthonormal(rng, d, d) for _ in range(k)]
    width = np.full(d, rng.uniform(0.03, 0.12))
    width[0] = 1.0
    parts = []
    for size, own in zip(sizes, axes, strict=True):
        shift = rng.normal(0, 0.25, d)
        parts.append(product(rng.standard_normal((size, d)) * width, own) + shift)
    return pile(parts)


def bananas(rng: Rng) -> Sketch:
    """Bent Gaussian clouds: one column is a noisy parabola of another."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=40)
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.2, 3.5))
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        Z = rng.standard_normal((size, d)) * np.append([1.2], np.full(d - 1, 0.35))
        Z[:, 1] += rng.uniform(-0.8, 0.8) * (Z[:, 0] ** 2 - 1.4)
        parts.append(centre + product(Z, orthonormal(rng, d, d)))
    return pile(parts)


def olympic_rings(rng: Rng) -> Sketch:
    """Rings in the plane that cross each other; rows at the crossings are ambiguous."""
    k = int(rng.integers(2, 6))
    step = rng.uniform(1.4, 1.9)
    centres = [(step * i, -0.7 * (i % 2)) for i in range(k)]
    paths = [arc(centre, 1.0, 0, TAU) for centre in centres]
    return curves.draw_paths(rng, paths, 0.25, 80)


def frames(rng: Rng) -> Sketch:
    """Square or triangular frames inside each other, perhaps around a block."""
    k, corners = int(rng.integers(1, 4)), int(rng.integers(3, 7))
    angle = np.linspace(0, TAU, corners + 1) + rng.uniform(0, TAU)
    frame = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    n = draw_rows(rng, low=200, centre=700)
    width = rng.uniform(0.01, 0.08)
    parts = [along(rng, frame * (1.0 + level), n // k, width) for level in range(k)]
    inner = rng.uniform(0.12, 0.28)
    if k == 1 or rng.random() < 0.6:
        parts.append(inner * rng.uniform(-1, 1, (max(40, n // (2 * k)), 2)))
    return curves.maybe_noisy(rng, pile(parts))


def open_ring(rng: Rng) -> Sketch:
    """A ring with an opening and clouds inside it."""
    n = draw_rows(rng, low=200)
    k, gap = int(rng.integers(1, 4)), rng.uniform(0.3, 1.6)
    parts = [along(rng, arc((0, 0), 1, 0, TAU - gap), n // 2, rng.uniform(0.02, 0.07))]
    turn = rng.uniform(0, TAU)
    for cloud in range(k):
        angle = turn + TAU * cloud / k
        centre = (0.4 if k > 1 else 0.0) * np.array([np.cos(angle), np.sin(angle)])
        spread = 0.12 if k > 1 else 0.2
        parts.append(centre + spread * rng.standard_normal((max(30, n // (2 * k)), 2)))
    return pile(parts)


def arc_over_cloud(rng: Rng) -> Sketch:
    """A bow that nearly touches the cloud below it."""
    n = draw_rows(rng, low=150)
    bow = along(rng, arc((0, 0), 1, 0.05 * np.pi, 0.95 * np.pi), n // 2, rng.uniform(0.03, 0.1))
    cloud = in_ball(rng, n // 2, 2) * rng.uniform(0.4, 0.6) + np.array(
        [0.0, rng.uniform(-0.1, 0.2)]
    )
    return pile([bow, cloud])


def knots(rng: Rng) -> Sketch:
    """Closed curves in space that run through each other without meeting."""
    angle = np.linspace(0, TAU, 300)
    n = draw_rows(rng, low=300, centre=700)
    width = rng.uniform(0.02, 0.12)
    trefoil = np.stack(
        [np.sin(angle) + 2 * np.sin(2 * angle), np.cos(angle) - 2 * np.cos(2 * angle),
         -np.sin(3 * angle)], axis=1
    )  # fmt: skip
    ring = rng.uniform(0.8, 1.4) * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
    start = trefoil[rng.integers(300)]
    second = ring + start if rng.random() < 0.6 else trefoil * 1.0 + np.array([0, 0, 3.0])
    return pile([along(rng, trefoil, n // 2, width), along(rng, second, n // 2, width)])


def two_densities(rng: Rng) -> Sketch:
    """Neighbouring regions without a gap that differ in density only."""
    k, d = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    n = draw_rows(rng, low=300, centre=800)
    factors = log_uniform(rng, 5.0, 15.0) ** np.arange(k)
    widths = 1.0 / factors ** rng.uniform(0.6, 0.9)
    sizes = np.maximum(50, (n * rng.dirichlet(np.full(k, 6.0))).astype(int))
    parts, left = [], 0.0
    for size, width in zip(sizes, widths, strict=True):
        block = rng.random((size, d))
        block[:, 0] = left + width * block[:, 0]
        parts.append(block)
        left += width
    return pile(parts)


def star(rng: Rng) -> Sketch:
    """Arms that leave a common middle; each arm is a cluster and begins a little outside."""
    k, d = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    if d == 2:
        angles = np.arange(k) * TAU / k + rng.uniform(-0.1, 0.1, k)
        ends = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    else:
        ends = spread_centres(rng, np.full(k, 0.35), d, 1.2)
        ends /= np.sqrt((ends**2).sum(axis=1, keepdims=True))
    begin = rng.uniform(0.1, 0.35)
    paths = [np.stack([begin * end, rng.uniform(0.8, 1.5) * end]) for end in ends]
    return curves.draw_paths(rng, paths, 0.3)


KINDS = {
    draw.__name__: Kind(draw, "plane")
    for draw in (
        composite, scene_and_clouds, crossed_clouds, bananas, olympic_rings, frames, open_ring,
        arc_over_cloud, knots, two_densities, star,
    )
}  # fmt: skip
