"""Clusters in the plane that are drawn with a pen: lines, arcs, rings, spirals, strokes.

Every curve is a polyline; rows are spread along it and moved by noise of a drawn width.
"""

from __future__ import annotations

import numpy as np

from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    draw_rows,
    draw_sizes,
    in_ball,
    pile,
    spread_centres,
    with_background,
)

TAU = 2 * np.pi


def along(rng: Rng, path: np.ndarray, size: int, width: float) -> np.ndarray:
    """Return rows spread evenly along a polyline, with Gaussian or flat noise across it."""
    legs = np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1))
    travelled = np.concatenate([[0.0], np.cumsum(legs)])
    places = rng.random(size) * travelled[-1]
    points = np.stack([np.interp(places, travelled, axis) for axis in path.T], axis=1)
    if rng.random() < 0.5:
        return points + width * rng.standard_normal(points.shape)
    return points + 1.7 * width * in_ball(rng, size, path.shape[1])


def arc(centre, radius: float, start: float, stop: float) -> np.ndarray:
    """Return a piece of a circle as a polyline."""
    angle = np.linspace(start, stop, 80)
    return np.asarray(centre) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def draw_paths(rng: Rng, paths: list[np.ndarray], gap: float, low: int = 40) -> Sketch:
    """Return one cluster per path; `gap` is the distance between paths, which bounds the width."""
    lengths = np.array([np.sqrt((np.diff(p, axis=0) ** 2).sum(axis=1)).sum() for p in paths])
    n = draw_rows(rng, low=max(120, low * len(paths)), centre=500)
    if rng.random() < 0.6:  # the same density on all paths
        sizes = np.maximum(low, (n * lengths / lengths.sum()).astype(int))
    else:
        sizes = draw_sizes(rng, n, len(paths), smallest=low)
    width = gap * rng.uniform(0.02, 0.16)
    return pile([along(rng, p, s, width) for p, s in zip(paths, sizes, strict=True)])


def maybe_noisy(rng: Rng, sketch: Sketch) -> Sketch:
    """Add unscored rows to a fifth of the tables."""
    if rng.random() < 0.2:
        return with_background(rng, sketch, rng.uniform(0.01, 0.1))
    return sketch


def moons(rng: Rng) -> Sketch:
    """Half circles that reach into each other."""
    shift, drop = rng.uniform(0.8, 1.2), rng.uniform(0.1, 0.45)
    paths = [arc((0, 0), 1, 0, np.pi), arc((shift, drop), 1, np.pi, TAU)]
    if rng.random() < 0.3:
        paths.append(arc((2 * shift, 0), 1, 0, np.pi))
    return maybe_noisy(rng, draw_paths(rng, paths, 0.75 - drop / 2))


def rings(rng: Rng) -> Sketch:
    """Rings around one centre."""
    k = int(rng.integers(2, 5))
    radii = np.cumsum(rng.uniform(0.7, 1.3, k))
    return maybe_noisy(rng, draw_paths(rng, [arc((0, 0), r, 0, TAU) for r in radii], 0.7, 50))


def ring_and_core(rng: Rng) -> Sketch:
    """A cloud inside one ring or two, perhaps with small corner groups."""
    n = draw_rows(rng, low=150)
    core = rng.uniform(0.2, 0.45) * in_ball(rng, max(40, int(n * rng.uniform(0.2, 0.5))), 2)
    if rng.random() < 0.4:
        core = rng.uniform(0.12, 0.2) * rng.standard_normal(core.shape)
    width = rng.uniform(0.02, 0.1)
    parts = [core, along(rng, arc((0, 0), 1.0, 0, TAU), max(60, n - len(core)), width)]
    if rng.random() < 0.3:
        parts.append(along(rng, arc((0, 0), 1.8, 0, TAU), n, width))
    if rng.random() < 0.4:
        reach = 1.6 if len(parts) == 2 else 2.4
        corners = reach * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        parts += [c + 0.05 * rng.standard_normal((rng.integers(3, 12), 2)) for c in corners]
    return pile(parts)


def rings_apart(rng: Rng) -> Sketch:
    """Rings beside each other, some with a cloud inside."""
    k = int(rng.integers(2, 6))
    radii = rng.uniform(0.5, 1.5, k)
    centres = spread_centres(rng, radii, 2, rng.uniform(1.15, 1.5))
    n = draw_rows(rng, low=80 * k, centre=600)
    parts = []
    for centre, radius in zip(centres, radii, strict=True):
        parts.append(along(rng, arc(centre, radius, 0, TAU), max(60, n // k), 0.05 * radius))
        if rng.random() < 0.3:
            parts.append(centre + 0.35 * radius * in_ball(rng, max(30, n // (2 * k)), 2))
    return pile(parts)


def broken_ring(rng: Rng) -> Sketch:
    """A ring cut into pieces by gaps."""
    k = int(rng.integers(2, 6))
    edges = np.sort(rng.uniform(0, 0.4, k)) + np.linspace(0, TAU, k, endpoint=False)
    gap = rng.uniform(0.25, 0.5) * TAU / k / 2 + 0.12
    stops = np.append(edges[1:], edges[0] + TAU) - gap
    paths = [arc((0, 0), 1, a, b) for a, b in zip(edges, stops, strict=True)]
    return maybe_noisy(rng, draw_paths(rng, paths, min(gap, 0.5)))


def spirals(rng: Rng) -> Sketch:
    """Spiral arms that wind around each other."""
    k, turns = int(rng.integers(2, 5)), rng.uniform(0.6, 1.6)
    angle = np.linspace(0.15 * TAU, turns * TAU, 200)
    paths = []
    for arm in range(k):
        phase = angle + TAU * arm / k
        paths.append(np.stack([angle * np.cos(phase), angle * np.sin(phase)], axis=1))
    return maybe_noisy(rng, draw_paths(rng, paths, TAU / k * rng.uniform(0.5, 0.9), 70))


def filaments(rng: Rng) -> Sketch:
    """Smooth wandering curves in 2 to 5 columns, far enough from each other."""
    k, d = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.1, 1.6))
    time = np.linspace(0, 1, 120)[:, None]
    paths = []
    for centre in centres:
        waves = np.zeros((len(time), d))
        for frequency in (0.5, 1.0, 1.5):
            turn = np.sin(TAU * frequency * time + rng.uniform(0, TAU, d))
            waves += rng.standard_normal(d) * turn / frequency
        waves -= waves.mean(axis=0)
        paths.append(centre + waves / np.sqrt((waves**2).sum(axis=1)).max())
    return maybe_noisy(rng, draw_paths(rng, paths, 0.4))


def waves(rng: Rng) -> Sketch:
    """The same wave several times, one above the other."""
    k, height = int(rng.integers(2, 5)), rng.uniform(0.3, 1.2)
    x = np.linspace(0, rng.uniform(4, 9), 150)
    y = height * np.sin(rng.uniform(0.8, 2.0) * x)
    gap = rng.uniform(0.6, 1.2) + 0.3 * height
    paths = [np.stack([x + rng.uniform(-0.3, 0.3), y + gap * level], 1) for level in range(k)]
    return maybe_noisy(rng, draw_paths(rng, paths, 0.6))


def parabolas(rng: Rng) -> Sketch:
    """Two parabolas, side by side, facing each other or reaching into each other."""
    x = np.linspace(-1, 1, 100)
    bend, drop, shift = rng.uniform(0.8, 2.0), rng.uniform(0.5, 0.9), rng.uniform(0.0, 1.1)
    up = np.stack([x, bend * x**2], axis=1)
    if rng.random() < 0.5:
        other = np.stack([x + shift, bend * x**2 - drop], axis=1)
    else:
        other = np.stack([x + 0.8 + 0.3 * shift, 1.1 * bend - drop - bend * x**2 + 0.4], axis=1)
    return maybe_noisy(rng, draw_paths(rng, [up, other], 0.35))


def lines(rng: Rng) -> Sketch:
    """Straight lines of different length, parallel or fanned out."""
    k = int(rng.integers(2, 6))
    lengths = rng.uniform(0.5, 4.0, k)
    tilt = rng.uniform(-0.12, 0.12, k) if rng.random() < 0.5 else np.zeros(k)
    gap = rng.uniform(0.4, 1.0)
    paths = []
    for level in range(k):
        half = lengths[level] / 2 * np.array([[-1, -tilt[level]], [1, tilt[level]]])
        paths.append(half + np.array([rng.uniform(-0.8, 0.8), level * (gap + 0.4)]))
    return maybe_noisy(rng, draw_paths(rng, paths, gap))


def zigzags(rng: Rng) -> Sketch:
    """Zigzag lines above each other or end to end."""
    k, teeth = int(rng.integers(2, 5)), int(rng.integers(3, 7))
    x = np.linspace(0, 4, teeth + 1)
    y = np.where(np.arange(teeth + 1) % 2 == 0, 0.0, rng.uniform(0.5, 1.2))
    gap = rng.uniform(0.7, 1.1)
    across = rng.random() < 0.3
    offsets = [(4.0 + gap) * i if across else gap * i for i in range(k)]
    paths = [np.stack([x + (o if across else 0), y + (0 if across else o)], 1) for o in offsets]
    return maybe_noisy(rng, draw_paths(rng, paths, 0.45 * gap))


def _letter(rng: Rng) -> list[np.ndarray]:
    """Return the strokes of a synthetic letter in the unit square; strokes share points."""
    points = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0], [0.5, 1], [0, 0.5], [1, 0.5]])
    walk = rng.permutation(len(points))[: rng.integers(3, 6)]
    strokes = [points[walk]]
    if rng.random() < 0.4:
        start = points[walk[rng.integers(len(walk))]]
        strokes.append(np.stack([start, points[rng.integers(len(points))] + 1e-3]))
    return strokes


def letters(rng: Rng) -> Sketch:
    """Synthetic letters in a row, each a few connected strokes."""
    k = int(rng.integers(2, 7))
    n = draw_rows(rng, low=90 * k, centre=700)
    width = rng.uniform(0.01, 0.06)
    parts = []
    for place in range(k):
        strokes = _letter(rng)
        offset = np.array([1.5 * (place % 3), -1.6 * (place // 3)]) + rng.uniform(-0.08, 0.08, 2)
        pieces = [along(rng, s, max(40, n // k // len(strokes)), width) for s in strokes]
        parts.append(np.concatenate(pieces) + offset)
    return pile(parts)


def brackets(rng: Rng) -> Sketch:
    """L- and U-shaped bands around blocks."""
    n = draw_rows(rng, low=200)
    width, reach = rng.uniform(0.05, 0.2), rng.uniform(2.0, 3.5)
    corner = np.array([[0, reach], [0, 0], [reach, 0]])
    bends = [corner, np.array([[0, reach], [0, 0], [reach, 0], [reach, reach]])]
    parts = [along(rng, bends[rng.integers(2)], n // 2, width)]
    blocks = int(rng.integers(1, 4))
    centres = np.array([0.5 * reach, 0.55 * reach]) + np.array(
        [[0.0, 0.0], [0.0, 0.9 * reach], [1.1 * reach, 0.2]]
    )
    for centre in centres[:blocks]:
        parts.append(centre + rng.uniform(0.2, 0.3) * reach * rng.uniform(-1, 1, (n // 4 + 20, 2)))
    return pile(parts)


def faces(rng: Rng) -> Sketch:
    """An outline with eyes and a mouth in it."""
    n = draw_rows(rng, low=300)
    width = rng.uniform(0.02, 0.05)
    mouth = arc((0, 0.1), 0.55, 1.15 * np.pi, 1.85 * np.pi)
    if rng.random() < 0.4:
        mouth = mouth * np.array([1, -1]) + np.array([0, -0.75])
    eyes = [np.array([s * 0.35, 0.35]) + 0.1 * in_ball(rng, n // 8 + 20, 2) for s in (-1, 1)]
    parts = [along(rng, mouth, n // 5 + 30, width), *eyes]
    if rng.random() < 0.75:
        parts.append(along(rng, arc((0, 0), 1, 0, TAU), n // 2 + 40, width))
    return maybe_noisy(rng, pile(parts))


def crossing_lines(rng: Rng) -> Sketch:
    """Fuzzy lines that cross; each line is a cluster, and rows near the crossing are ambiguous."""
    k = int(rng.integers(2, 4))
    angles = np.arange(k) * np.pi / k + rng.uniform(-0.15, 0.15, k)
    ends = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    paths = [np.stack([-end, end]) + rng.uniform(-0.2, 0.2, 2) for end in ends]
    return draw_paths(rng, paths, 0.35)


KINDS = {
    draw.__name__: Kind(draw, "plane")
    for draw in (
        moons, rings, ring_and_core, rings_apart, broken_ring, spirals, filaments, waves, parabolas,
        lines, zigzags, letters, brackets, faces, crossing_lines,
    )
}  # fmt: skip
