"""Scenes in the plane: unlike shapes near each other, as in drawings that compare methods."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.curves import along, arc, draw_paths, maybe_noisy
from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_rows,
    in_ball,
    log_uniform,
    pile,
    with_background,
)

TAU = 2 * np.pi


def _turned(rng: Rng, points: np.ndarray) -> np.ndarray:
    angle = rng.uniform(0, TAU)
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = points.T
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=1)


def _triangle(rng: Rng, size: int) -> np.ndarray:
    """Return rows spread evenly in a triangle around the origin."""
    weights = rng.exponential(1.0, (size, 3))
    weights /= weights.sum(axis=1, keepdims=True)
    angles = TAU * np.arange(3) / 3
    x, y = (weights * np.cos(angles)).sum(axis=1), (weights * np.sin(angles)).sum(axis=1)
    return 0.6 * np.stack([x, y], axis=1)


def _thing(rng: Rng, size: int) -> np.ndarray:
    """Return one shape that fits into a unit square, turned at random."""
    form, width = rng.integers(9), rng.uniform(0.02, 0.07)
    if form == 0:
        rows = rng.uniform(-0.5, 0.5, (size, 2)) * [1.0, rng.uniform(0.2, 0.9)]
    elif form == 1:
        rows = in_ball(rng, size, 2) * [0.5, rng.uniform(0.2, 0.5)]
    elif form == 2:
        rows = rng.standard_normal((size, 2)) * [0.16, rng.uniform(0.05, 0.16)]
    elif form == 3:
        rows = _triangle(rng, size)
    elif form == 4:
        rows = along(rng, arc((0, 0), 0.4, 0, rng.uniform(1.0, 2.0) * np.pi), size, width)
    elif form == 5:  # U and V
        foot = rng.uniform(0.0, 0.4)
        corners = [(-0.4, 0.4), (-foot, -0.4), (foot, -0.4), (0.4, 0.4)]
        rows = along(rng, np.array(corners), size, width)
    elif form == 6:  # L
        rows = along(rng, np.array([(-0.3, 0.45), (-0.3, -0.4), (0.4, -0.4)]), size, width)
    elif form == 7:
        place = np.linspace(-0.5, 0.5, 80)
        path = np.stack([place, 0.2 * np.sin(rng.uniform(5, 14) * place)], axis=1)
        rows = along(rng, path, size, width)
    else:  # a bar
        rows = along(rng, np.array([(-0.45, 0.0), (0.45, 0.0)]), size, width)
    return _turned(rng, rows)


def drawn_scene(rng: Rng) -> Sketch:
    """Three to nine shapes beside each other, perhaps on a long wave, often among noise."""
    k = int(rng.integers(3, 10))
    columns = int(np.ceil(np.sqrt(k * rng.uniform(0.8, 1.6))))
    n = draw_rows(rng, low=60 * k, centre=1100)
    even = rng.random() < 0.5
    parts = []
    for number in range(k):
        zoom = rng.uniform(0.6, 1.05)
        size = n // k * (zoom**2 if even else rng.uniform(0.4, 1.6))
        place = np.array([number % columns, number // columns]) * 1.1
        parts.append(place + zoom * _thing(rng, max(40, int(size))))
    if rng.random() < 0.25:
        place = np.linspace(-0.6, 1.1 * columns, 200)
        path = np.stack([place, -0.9 + 0.15 * np.sin(3 * place)], axis=1)
        parts.append(along(rng, path, max(60, n // k), rng.uniform(0.01, 0.05)))
    sketch = pile(parts)
    if rng.random() < 0.6:
        return with_background(rng, sketch, rng.uniform(0.02, 0.15))
    return sketch


def moons_and_clouds(rng: Rng) -> Sketch:
    """Two half circles that reach into each other, clouds above them, and noise."""
    n = draw_rows(rng, low=150, centre=400)
    k = int(rng.integers(1, 5))
    width = rng.uniform(0.03, 0.12)
    parts = [
        along(rng, arc((0, 0), 1, 0, np.pi), n // (k + 2), width),
        along(rng, arc((1, rng.uniform(0.3, 0.5)), 1, np.pi, TAU), n // (k + 2), width),
    ]
    for number in range(k):
        centre = np.array([-1.0 + 1.5 * number, rng.uniform(1.8, 2.6)])
        size = max(20, int(n * rng.uniform(0.5, 1.3)) // (k + 2))
        parts.append(centre + rng.uniform(0.12, 0.3) * rng.standard_normal((size, 2)))
    sketch = pile(parts)
    if rng.random() < 0.6:
        return with_background(rng, sketch, rng.uniform(0.03, 0.15))
    return sketch


def stroke_and_clouds(rng: Rng) -> Sketch:
    """A zigzag, wave or spiral, and clouds that lie between its strokes."""
    form = rng.integers(3)
    if form == 0:
        ends = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [0, -1], [1, -1]], dtype=float)
        path = ends[: rng.integers(4, 7)]
    elif form == 1:
        place = np.linspace(0, 3, 200)
        path = np.stack([place, rng.uniform(0.5, 1.0) * np.sin(rng.uniform(2, 5) * place)], axis=1)
    else:
        angle = np.linspace(0.5, rng.uniform(4.5, 8.0), 200)
        path = 0.25 * angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    n, k = draw_rows(rng, low=200, centre=600), int(rng.integers(1, 5))
    width = rng.uniform(0.01, 0.04)
    stroke = along(rng, path, n, width)
    parts = [stroke]
    low, high = stroke.min(axis=0) - 0.3, stroke.max(axis=0) + 0.3
    for _ in range(200):
        centre, radius = rng.uniform(low, high), rng.uniform(0.1, 0.25)
        rows = centre + radius * in_ball(rng, max(30, n // 5), 2)
        if rng.random() < 0.5:
            rows = centre + 0.4 * radius * rng.standard_normal(rows.shape)
        gap = min(np.sqrt(((centre - part) ** 2).sum(axis=1)).min() for part in parts)
        if gap > radius + 3 * width:
            parts.append(rows)
        if len(parts) > k:
            break
    return pile(parts)


def cup_and_ball(rng: Rng) -> Sketch:
    """A thick cup, and a ball or cloud in it that almost touches it."""
    n = draw_rows(rng, low=120, centre=300)
    half = rng.uniform(0.25, 0.7) * np.pi
    inner = rng.uniform(0.5, 0.75)
    angle = -np.pi / 2 + rng.uniform(-half, half, n // 2)
    radius = rng.uniform(inner, 1.0, n // 2)
    cup = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ball = in_ball(rng, n - n // 2, 2) * rng.uniform(0.6, 0.85) * inner
    if rng.random() < 0.4:
        ball = rng.uniform(0.3, 0.4) * inner * rng.standard_normal(ball.shape)
    return pile([cup, ball + np.array([0.0, rng.uniform(0.05, 0.4)])])


def unequal_arcs(rng: Rng) -> Sketch:
    """Two or three bows, turned towards each other, of very different density."""
    n, ratio = draw_rows(rng, low=150), log_uniform(rng, 2.0, 8.0)
    shift, drop = rng.uniform(0.8, 1.3), rng.uniform(-0.2, 0.25)
    paths = [arc((0, 0), 1, 0, np.pi), arc((shift, drop), 1, np.pi, TAU)]
    if rng.random() < 0.2:
        paths.append(arc((2 * shift, 0), 1, 0, np.pi))
    sizes = np.maximum(35, (n / ratio ** np.arange(len(paths))).astype(int))
    width = rng.uniform(0.04, 0.12)
    return pile([along(rng, path, size, width) for path, size in zip(paths, sizes, strict=True)])


def crowded_ring(rng: Rng) -> Sketch:
    """A wide ring, open or closed, around clouds that touch each other and nearly touch it."""
    n, k = draw_rows(rng, low=180, centre=400), int(rng.integers(2, 4))
    gap = rng.uniform(0.4, 1.8) if rng.random() < 0.7 else 0.0
    share = rng.uniform(0.3, 0.5)
    ring = along(rng, arc((0, 0), 1, 0, TAU - gap), int(share * n), rng.uniform(0.03, 0.08))
    angles = rng.uniform(0, TAU) + TAU * np.arange(k) / k
    reach, spread = rng.uniform(0.3, 0.42), rng.uniform(0.11, 0.16)
    parts = [ring]
    for angle in angles:
        centre = reach * np.array([np.cos(angle), np.sin(angle)])
        size = max(40, int((1 - share) * n) // k)
        parts.append(centre + spread * rng.standard_normal((size, 2)))
    return pile(parts)


def parallel_waves(rng: Rng) -> Sketch:
    """Waves above each other: shifted, or with crests in the hollows of the next."""
    k, length = int(rng.integers(2, 6)), rng.uniform(4, 13)
    place = np.linspace(0, length, 300)
    height, phase = rng.uniform(0.4, 1.2), rng.uniform(0, 1.0)
    step = rng.uniform(0.55, 1.1)
    paths = [
        np.stack([place, step * number + height * np.sin(place + phase * number)], axis=1)
        for number in range(k)
    ]
    nearest = min(
        np.sqrt(((paths[0][:, None] - paths[1]) ** 2).sum(axis=2)).min(axis=1).mean(), step
    )
    return maybe_noisy(rng, draw_paths(rng, paths, nearest, 60))


def window(rng: Rng) -> Sketch:
    """Blocks in rows and columns, with or without a frame around them."""
    across, down = rng.integers(1, 4, 2)
    pane, gap = 1.0, rng.uniform(0.12, 0.5)
    n = draw_rows(rng, low=60 * int(across * down + 1), centre=700)
    size = n // int(across * down + 1)
    parts = [
        np.array([column, row]) * (pane + gap) + pane * rng.random((size, 2))
        for column in range(across)
        for row in range(down)
    ]
    if len(parts) == 1 or rng.random() < 0.7:
        out = rng.uniform(0.3, 0.9)
        right, top = across * (pane + gap) - gap + out, down * (pane + gap) - gap + out
        corners = [(-out, -out), (right, -out), (right, top), (-out, top), (-out, -out)]
        parts.append(along(rng, np.array(corners), 2 * size, rng.uniform(0.02, 0.08)))
    return pile(parts)


def thick_arms(rng: Rng) -> Sketch:
    """Three to five thick, soft arms that nearly meet in the middle."""
    k = int(rng.integers(3, 6))
    angles = TAU * np.arange(k) / k + rng.uniform(-0.15, 0.15, k)
    begin, width = rng.uniform(0.03, 0.2), rng.uniform(0.04, 0.11)
    size = max(50, draw_rows(rng, centre=700) // k)
    parts = []
    for angle in angles:
        end = np.array([np.cos(angle), np.sin(angle)])
        path = np.stack([(begin + 1.5 * width) * end, rng.uniform(0.9, 1.3) * end])
        parts.append(along(rng, path, size, width))
    return pile(parts)


KINDS = {
    draw.__name__: Kind(draw, "plane")
    for draw in (
        drawn_scene, moons_and_clouds, stroke_and_clouds, cup_and_ball, unequal_arcs, crowded_ring,
        parallel_waves, window, thick_arms,
    )
}  # fmt: skip
