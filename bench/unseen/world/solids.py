"""Surfaces and bodies: shells, linked rings, sheets, helices, and bodies that touch."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.curves import along, arc
from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_rows,
    draw_sizes,
    in_ball,
    labels_of,
    orthonormal,
    pile,
    product,
    spread_centres,
)

TAU = 2 * np.pi


def _shell(rng: Rng, size: int, d: int, radius: float, width: float) -> np.ndarray:
    return directions(rng, size, d) * (radius + width * rng.uniform(-1, 1, (size, 1)))


def shells(rng: Rng) -> Sketch:
    """Hollow spheres around one centre."""
    k, d = int(rng.integers(2, 4)), int(rng.integers(3, 6))
    radii = np.cumsum(rng.uniform(0.8, 1.3, k))
    weights = radii ** (d - 1) if rng.random() < 0.4 else np.ones(k)
    n = draw_rows(rng, low=300, centre=700)
    sizes = np.maximum(80, (n * weights / weights.sum()).astype(int))
    width = rng.uniform(0.02, 0.12)
    return pile([_shell(rng, s, d, r, width) for s, r in zip(sizes, radii, strict=True)])


def ball_in_shell(rng: Rng) -> Sketch:
    """A dense ball inside a hollow sphere."""
    d = int(rng.integers(2, 8))
    n = draw_rows(rng, low=200, centre=600)
    size = int(n * rng.uniform(0.2, 0.6))
    if rng.random() < 0.5:
        ball = rng.uniform(0.05, 0.45) * in_ball(rng, size, d)
    else:
        ball = rng.uniform(0.05, 0.35) / np.sqrt(d) * rng.standard_normal((size, d))
    return pile([ball, _shell(rng, max(80, n - size), d, 1.0, rng.uniform(0.02, 0.15))])


def shells_apart(rng: Rng) -> Sketch:
    """Hollow spheres beside each other; some are filled."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(3, 5))
    radii = rng.uniform(0.6, 1.3, k)
    centres = spread_centres(rng, radii, d, rng.uniform(1.1, 1.4))
    sizes = draw_sizes(rng, draw_rows(rng, low=100 * k, centre=600), k, smallest=80)
    parts = []
    for centre, radius, size in zip(centres, radii, sizes, strict=True):
        filled = rng.random() < 0.3
        body = in_ball(rng, size, d) if filled else _shell(rng, size, d, 1.0, 0.05)
        parts.append(centre + radius * body)
    return pile(parts)


def _ring_in_space(rng: Rng, size: int, axes: np.ndarray, radius: float, width: float):
    circle = along(rng, arc((0, 0), radius, 0, TAU), size, 0.0)
    return product(circle, axes) + width * rng.standard_normal((size, axes.shape[1]))


def linked_rings(rng: Rng) -> Sketch:
    """Rings in space that are linked like a chain."""
    k = int(rng.integers(2, 4))
    n = draw_rows(rng, low=100 * k, centre=600)
    width = rng.uniform(0.01, 0.1)
    planes = (np.eye(3)[[0, 1]], np.eye(3)[[0, 2]])
    parts = []
    for link in range(k):
        ring = _ring_in_space(rng, max(80, n // k), planes[link % 2], 1.0, width)
        parts.append(ring + np.array([link * rng.uniform(0.85, 1.15), 0.0, 0.0]))
    return pile(parts)


def ring_and_rod(rng: Rng) -> Sketch:
    """A rod, or a ball, through the middle of a ring in space."""
    n = draw_rows(rng, low=200)
    width = rng.uniform(0.02, 0.1)
    ring = _ring_in_space(rng, max(80, n // 2), np.eye(3)[[0, 1]], 1.0, width)
    if rng.random() < 0.6:
        path = np.array([[0, 0, -1.0], [0, 0, 1.0]]) * rng.uniform(0.6, 2.0)
        return pile([ring, along(rng, path, max(60, n // 2), width)])
    return pile([ring, rng.uniform(0.2, 0.4) * in_ball(rng, max(60, n // 2), 3)])


def helices(rng: Rng) -> Sketch:
    """Helices that wind around one axis."""
    k, turns = int(rng.integers(2, 4)), rng.uniform(1.0, 2.5)
    angle = np.linspace(0, turns * TAU, 250)
    paths = []
    for strand in range(k):
        phase = angle + TAU * strand / k
        paths.append(np.stack([np.cos(phase), np.sin(phase), angle * rng.uniform(0.19, 0.21)], 1))
    n = draw_rows(rng, low=150 * k, centre=700)
    width = rng.uniform(0.01, 0.08)
    return pile([along(rng, path, n // k, width) for path in paths])


def sheets(rng: Rng) -> Sketch:
    """Curved sheets in space, one above the other."""
    k = int(rng.integers(2, 4))
    n = draw_rows(rng, low=200 * k, centre=900)
    bend, gap = rng.uniform(0.5, 1.5), rng.uniform(0.6, 1.2)
    parts = []
    for level in range(k):
        uv = rng.uniform(-1, 1, (n // k, 2))
        height = bend * (uv[:, 0] ** 2 - rng.uniform(-0.1, 0.1) * uv[:, 1]) + gap * level
        sheet = np.column_stack([uv, height])
        parts.append(sheet + gap * rng.uniform(0.01, 0.1) * rng.standard_normal(sheet.shape))
    return pile(parts)


def touching_discs(rng: Rng) -> Sketch:
    """Evenly filled discs or balls that just touch each other."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    radii = rng.uniform(0.5, 1.3, k) if rng.random() < 0.5 else np.ones(k)
    centres, position = [], np.zeros(d)
    for i in range(k):
        if i:
            step = np.zeros(d)
            turn = rng.uniform(-0.6, 0.6)
            step[:2] = np.cos(turn), np.sin(turn)
            position = position + step * (radii[i - 1] + radii[i]) * rng.uniform(1.0, 1.08)
        centres.append(position)
    weights = radii**d if rng.random() < 0.6 else np.ones(k)
    n = draw_rows(rng, low=250, centre=700)
    sizes = np.maximum(60, (n * weights / weights.sum()).astype(int))
    return pile([c + r * in_ball(rng, s, d)
                 for c, r, s in zip(centres, radii, sizes, strict=True)])  # fmt: skip


def touching_polygons(rng: Rng) -> Sketch:
    """Evenly filled diamonds or triangles that touch at a corner."""
    k = int(rng.integers(2, 4))
    n = draw_rows(rng, low=250, centre=700)
    parts = []
    for place in range(k):
        u, v = rng.uniform(-1, 1, (2, n // k))
        points = np.stack([(u + v) / 2, (u - v) / 2], axis=1)  # a diamond of half width 1
        if rng.random() < 0.2:
            points[:, 0] = np.abs(points[:, 0]) * rng.choice([-1.0, 1.0])
        parts.append(points + np.array([place * rng.uniform(2.0, 2.15), 0.0]))
    return pile(parts)


def wings(rng: Rng) -> Sketch:
    """Two parallel blocks whose density rises towards opposite ends, with a narrow gap."""
    n = draw_rows(rng, low=250, centre=700)
    d = 2 if rng.random() < 0.7 else 3
    gap, length = rng.uniform(0.1, 0.35), rng.uniform(1.5, 3.0)
    parts = []
    for side in (-1.0, 1.0):
        block = rng.random((n // 2, d))
        block[:, 0] **= rng.uniform(0.35, 0.8)
        block[:, 0] *= length
        block *= side
        # Slid along each other, so that the dense end of one lies beside the thin end of the other.
        block[:, 0] += -side * length * rng.uniform(0.4, 0.6)
        block[:, 1] += side * gap / 2
        parts.append(block)
    return pile(parts)


def touching_clouds(rng: Rng) -> Sketch:
    """Round or long Gaussian clouds that touch, with different spreads."""
    d = int(rng.integers(2, 4))
    n = draw_rows(rng, low=200, centre=700)
    scales = np.array([1.0, rng.uniform(0.25, 1.0)])
    gap = rng.uniform(2.0, 2.8) * scales.sum() / 2
    y = labels_of(np.array([n // 2, max(40, int(n * rng.uniform(0.2, 0.5)))]))
    X = rng.standard_normal((len(y), d)) * scales[y, None]
    X[:, 0] += y * gap * 1.3
    X[y == 1, 1] *= rng.uniform(0.8, 2.5)
    return Sketch(X, y)


def blocks_of_wall(rng: Rng) -> Sketch:
    """A rectangle cut into blocks by narrow gaps."""
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    n = draw_rows(rng, low=60 * columns * rows, centre=700)
    gap = rng.uniform(0.12, 0.35)
    widths, heights = rng.uniform(0.6, 1.6, columns), rng.uniform(0.6, 1.6, rows)
    parts, left = [], 0.0
    for w in widths:
        bottom = 0.0
        for h in heights:
            size = max(30, int(n * w * h / (widths.sum() * heights.sum())))
            parts.append(np.array([left, bottom]) + rng.random((size, 2)) * np.array([w, h]))
            bottom += h + gap
        left += w + gap
    return pile(parts)


def subspaces_through_origin(rng: Rng) -> Sketch:
    """Planes or lines through one point, in 4 to 10 columns."""
    k, d, inner = int(rng.integers(2, 5)), int(rng.integers(4, 11)), int(rng.integers(1, 3))
    sizes = draw_sizes(rng, draw_rows(rng), k, smallest=40)
    noise = rng.uniform(0.01, 0.06)
    parts = []
    for size in sizes:
        radius = rng.uniform(0.4, 1.5, (size, 1))
        flat = radius * directions(rng, size, inner)
        points = product(flat, orthonormal(rng, inner, d))
        parts.append(points + noise * rng.standard_normal((size, d)))
    return pile(parts)


KINDS = {
    draw.__name__: Kind(draw, "plane")
    for draw in (
        shells, ball_in_shell, shells_apart, linked_rings, ring_and_rod, helices, sheets,
        touching_discs, touching_polygons, wings, touching_clouds, blocks_of_wall,
        subspaces_through_origin,
    )
}  # fmt: skip
