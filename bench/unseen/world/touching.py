"""Tables whose clusters touch or overlap, and single groups that look a little like them.

The gate that says "no clusters" is wrong most often on such tables: clusters may overlap so much
that only a dent is between them, or their columns may be rounded to a few grades.
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
    in_ball,
    labels_of,
    log_uniform,
    pile,
    spread_centres,
)


def fuzzy_arms(rng: Rng) -> Sketch:
    """Long clouds around one point, in different directions; a cloud may be in the middle."""
    k, n = int(rng.integers(3, 7)), draw_rows(rng, low=200, centre=700)
    turn = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(k) / k + rng.normal(0, 0.08, k)
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    side = np.stack([-np.sin(turn), np.cos(turn)], axis=1)
    reach, width = rng.uniform(1.6, 2.6), rng.uniform(0.12, 0.3)
    y = labels_of(draw_sizes(rng, n, k, smallest=30))
    along = reach + rng.uniform(0.4, 0.7) * rng.standard_normal((len(y), 1))
    X = along * way[y] + width * rng.standard_normal((len(y), 1)) * side[y]
    if rng.random() < 0.5:
        core = rng.uniform(0.3, 0.5) * rng.standard_normal((max(30, n // (k + 1)), 2))
        X, y = np.concatenate([X, core]), np.append(y, np.full(len(core), k))
    return Sketch(X, y)


def touching_ellipses(rng: Rng) -> Sketch:
    """Long parallel or slanted clouds side by side, some deviations apart in the short way."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    y = labels_of(draw_sizes(rng, draw_rows(rng, low=150), k, smallest=30))
    X = rng.standard_normal((len(y), d))
    X[:, 0] *= rng.uniform(2.0, 6.0)
    X[:, 1] += rng.uniform(3.0, 4.2) * y
    X[:, 0] += rng.uniform(-2.0, 2.0) * y
    X[:, 1] += rng.uniform(-0.25, 0.25) * X[:, 0]
    return Sketch(X, y)


def overlapping_pair(rng: Rng) -> Sketch:
    """Two normal clouds of unequal size and spread whose distance leaves a dent between them."""
    d = int(log_uniform(rng, 2, 13))
    y = labels_of(draw_sizes(rng, draw_rows(rng), 2, smallest=40))
    spread = np.array([1.0, rng.uniform(0.6, 1.4)])
    X = spread[y, None] * rng.standard_normal((len(y), d))
    X += rng.uniform(3.0, 4.2) * spread.mean() * y[:, None] * directions(rng, 1, d)
    return Sketch(X, y)


def overlapping_trio(rng: Rng) -> Sketch:
    """Three to five clouds close together in a few columns, each with an axis of its own."""
    k, d = int(rng.integers(3, 6)), int(rng.integers(2, 9))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.5, 2.1))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=30))
    X = rng.standard_normal((len(y), d))
    axis = directions(rng, k, d)[y]
    along = (X * axis).sum(axis=1, keepdims=True)
    return Sketch(centres[y] + X + rng.uniform(0.2, 0.8) * along * axis, y)


def chain_of_discs(rng: Rng) -> Sketch:
    """Evenly filled discs in a row or on an arc that just touch."""
    k, n = int(rng.integers(3, 8)), draw_rows(rng, low=250, centre=800)
    turn, place, parts = rng.uniform(-0.5, 0.5), np.zeros(2), []
    heading = 0.0
    for size in draw_sizes(rng, n, k, smallest=40):
        parts.append(place + in_ball(rng, size, 2))
        heading += turn
        step = rng.uniform(2.0, 2.15)
        place = place + step * np.array([np.cos(heading), np.sin(heading)])
    return pile(parts)


def tiles(rng: Rng) -> Sketch:
    """Squares of a pavement with narrow joints, some of them missing, rows shifted."""
    columns, rows = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    joint, shift = rng.uniform(0.12, 0.3), rng.choice([0.0, 0.5])
    corners = np.array(
        [(i + shift * (j % 2), j) for i in range(columns) for j in range(rows)], dtype=float
    )
    kept = rng.permutation(len(corners))[: max(3, int(len(corners) * rng.uniform(0.6, 1.0)))]
    n = draw_rows(rng, low=60 * len(kept), centre=900)
    size = np.maximum(30, (n * rng.uniform(0.6, 1.4, len(kept)) / len(kept)).astype(int))
    stretch = np.array([1.0, rng.uniform(0.5, 2.0)])
    return pile([(corners[place] * (1 + joint) + rng.random((own, 2))) * stretch
                 for place, own in zip(kept, size, strict=True)])  # fmt: skip


def heavy_neighbours(rng: Rng) -> Sketch:
    """Heavy-tailed clouds so close that their tails mix."""
    k, d = int(rng.integers(2, 5)), int(rng.integers(2, 9))
    freedom = rng.uniform(3.0, 7.0)
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(2.2, 3.2))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=30))
    tail = np.sqrt(freedom / rng.chisquare(freedom, (len(y), 1)))
    return Sketch(centres[y] + 0.8 * tail * rng.standard_normal((len(y), d)), y)


def skewed_neighbours(rng: Rng) -> Sketch:
    """Amounts of two or three sorts of customers: skewed, overlapping, in units of any size."""
    k, d = int(rng.integers(2, 4)), int(rng.integers(3, 10))
    y = labels_of(draw_sizes(rng, draw_rows(rng), k, smallest=40))
    level = rng.normal(0, 1.0, (k, d)) * (rng.random((k, d)) < rng.uniform(0.5, 0.9))
    size = rng.uniform(0.1, 0.4) * rng.standard_normal((len(y), 1))
    noise = rng.uniform(0.35, 0.55) * rng.standard_normal((len(y), d))
    return Sketch(np.exp(level[y] + size + noise), y)


def normal_and_two_ways_out(rng: Rng) -> Sketch:
    """A dense class, and two others that begin there and spread in two directions."""
    n, d = draw_rows(rng, low=120, centre=350), int(rng.integers(3, 7))
    y = labels_of(np.array([int(n * 0.5), int(n * 0.28), int(n * 0.22)]))
    way = np.concatenate([np.zeros((1, d)), directions(rng, 2, d)])[y]
    far = rng.uniform(0.8, 1.5) + rng.gamma(
        rng.uniform(2.0, 4.0), rng.uniform(0.6, 1.0), (len(y), 1)
    )
    near = 0.5 * rng.standard_normal((len(y), d))
    return Sketch(
        near + far * way + 0.12 * far * (y > 0)[:, None] * rng.standard_normal((len(y), d)), y
    )


def grades_of_two_groups(rng: Rng) -> Sketch:
    """Whole grades from 1 on: one group at the low end, one in the middle or above."""
    n, d, top = draw_rows(rng, high=1200), int(rng.integers(5, 16)), int(rng.integers(5, 11))
    y = (rng.random(n) < rng.uniform(0.2, 0.5)).astype(int)
    own = rng.uniform(0.35, 0.85, d)
    degree = np.clip(rng.normal(1.0, rng.uniform(0.15, 0.35), (n, 1)), 0.2, 1.6)
    high = top * own * degree + rng.uniform(0.08, 0.22) * top * rng.standard_normal((n, d))
    low = 1.0 + rng.geometric(rng.uniform(0.55, 0.85), (n, d)) - 1.0
    return Sketch(np.clip(np.round(np.where(y[:, None] == 1, high, low)), 1, top), y)


def two_camps(rng: Rng) -> Sketch:
    """Votes of yes and no: two camps that disagree on most questions, and some who cross over."""
    n, d = draw_rows(rng, low=100, high=1000, centre=350), int(rng.integers(10, 25))
    y = (rng.random(n) < rng.uniform(0.35, 0.5)).astype(int)
    yes = np.stack([rng.beta(0.8, 0.8, d), rng.beta(0.8, 0.8, d)])
    disputed = rng.random(d) < 0.7
    yes[1] = np.where(disputed, 1.0 - yes[0], yes[0])
    loyal = rng.beta(8.0, rng.uniform(0.8, 2.0), (n, 1))
    chance = loyal * yes[y] + (1.0 - loyal) * yes[1 - y]
    return Sketch((rng.random((n, d)) < chance).astype(float), y, disputed)


def checklists(rng: Rng) -> Sketch:
    """Traits that each sort has or lacks, with few exceptions, and one count."""
    k, d = int(rng.integers(3, 8)), int(rng.integers(9, 18))
    y = labels_of(draw_sizes(rng, draw_rows(rng, low=80, high=400, centre=150), k, smallest=6))
    has = rng.random((k, d)) < rng.uniform(0.3, 0.6)
    doubtful = rng.random((k, d)) < rng.uniform(0.1, 0.25)  # about half of this sort has it
    chance = np.where(doubtful, rng.uniform(0.3, 0.7, (k, d)), np.where(has, 0.97, 0.03))
    X = (rng.random((len(y), d)) < chance[y]).astype(float)
    legs = rng.choice([0.0, 2.0, 4.0, 6.0, 8.0], k)
    return Sketch(np.column_stack([X, legs[y]]), y)


def repeated_measures(rng: Rng) -> Sketch:
    """A few measurements of each subject in each class: subjects differ less than classes."""
    k, subjects, times = int(rng.integers(3, 9)), int(rng.integers(6, 16)), int(rng.integers(3, 7))
    d = int(rng.integers(4, 12))
    centres = spread_centres(rng, np.ones(k), d, rng.uniform(1.4, 2.2))
    y = np.repeat(np.arange(k), subjects * times)
    person = np.tile(np.repeat(np.arange(subjects), times), k)
    habit = rng.uniform(0.2, 0.5) * rng.standard_normal((subjects, d))
    own = rng.uniform(0.3, 0.6) * rng.standard_normal((k * subjects, d))
    X = centres[y] + habit[person] + own[y * subjects + person]
    return Sketch(X + rng.uniform(0.15, 0.35) * rng.standard_normal((len(y), d)), y)


def crossing_waves(rng: Rng) -> Sketch:
    """Two or three curves over the same range that cross once or twice."""
    k, n = int(rng.integers(2, 4)), draw_rows(rng, low=250, centre=700)
    y = labels_of(draw_sizes(rng, n, k, smallest=80))
    t = rng.uniform(0, 1, len(y))
    slope, bend = rng.uniform(-1.5, 1.5, k), rng.uniform(-0.5, 0.5, k)
    slope += np.linspace(-1.5, 1.5, k)
    start = -slope / 2 + rng.uniform(-0.2, 0.2, k)
    height = start[y] + slope[y] * t + bend[y] * np.sin(2 * np.pi * t)
    X = np.stack([2.0 * t, height], axis=1)
    return Sketch(X + rng.uniform(0.01, 0.035) * rng.standard_normal(X.shape), y)


def blobs_beside_a_line(rng: Rng) -> Sketch:
    """A straight or bent thin line, and round clouds close to it on both sides."""
    n, k = draw_rows(rng, low=250, centre=700), int(rng.integers(2, 6))
    t = np.linspace(-2.0, 2.0, n // 2)
    bend = rng.uniform(-0.3, 0.3)
    line = np.stack([t, bend * t * t], axis=1) + 0.03 * rng.standard_normal((len(t), 2))
    places = rng.permutation(np.linspace(-1.8, 1.8, k + 1))[:k]
    parts = [line]
    for number, place in enumerate(places):
        side = (0.45 + rng.uniform(0.0, 0.3)) * (-1.0 if number % 2 else 1.0)
        centre = np.array([place, bend * place * place + side])
        parts.append(
            centre + rng.uniform(0.08, 0.14) * rng.standard_normal((max(30, n // (2 * k)), 2))
        )
    return pile(parts)


def close_pair_and_far_crowd(rng: Rng) -> Sketch:
    """Two or three large dense clusters near each other, and a far crowd of small ones."""
    n_large, n_small, d = int(rng.integers(2, 4)), int(rng.integers(4, 9)), int(rng.integers(2, 4))
    large = spread_centres(rng, np.full(n_large, 1.0), d, rng.uniform(1.9, 2.6))
    small = spread_centres(rng, np.full(n_small, 1.2), d, rng.uniform(2.0, 3.0))
    small[:, 0] += large[:, 0].max() - small[:, 0].min() + rng.uniform(8.0, 20.0)
    n = draw_rows(rng, low=600, centre=1100)
    sizes = np.append(np.full(n_large, int(0.85 * n) // n_large), np.full(n_small, 20))
    spread = np.append(np.full(n_large, 0.6), rng.uniform(0.5, 1.0, n_small))
    y = labels_of(sizes)
    centres = np.concatenate([large, small])
    return Sketch(centres[y] + spread[y, None] * rng.standard_normal((len(y), d)), y)


def _one(X: np.ndarray) -> Sketch:
    return Sketch(X, np.zeros(len(X), dtype=int))


def one_fan(rng: Rng) -> Sketch:
    """One group that spreads with its size: dense at one end, wide at the other."""
    n, d = draw_rows(rng), int(rng.integers(2, 9))
    size = rng.gamma(rng.uniform(1.5, 5.0), 1.0, (n, 1))
    slope = rng.uniform(0.2, 1.0, d)
    noise = rng.uniform(0.05, 0.3) + rng.uniform(0.1, 0.4) * size
    return _one(size * slope + noise * rng.standard_normal((n, d)))


def one_triangle(rng: Rng) -> Sketch:
    """Shares of three to five parts: one group in a triangle or a simplex, denser in the middle."""
    n, d = draw_rows(rng), int(rng.integers(3, 6))
    parts = rng.gamma(rng.uniform(1.0, 4.0), 1.0, (n, d))
    return _one((parts / parts.sum(axis=1, keepdims=True))[:, : d - 1])


def one_heavy_grade(rng: Rng) -> Sketch:
    """Whole grades that follow one degree with a floor: most are at the lowest grade."""
    n, d, top = draw_rows(rng, high=1200), int(rng.integers(5, 16)), int(rng.integers(5, 11))
    degree = rng.gamma(rng.uniform(0.8, 2.5), 1.0, (n, 1))
    X = degree * rng.uniform(0.5, 1.5, d) + rng.uniform(0.4, 1.0) * rng.standard_normal((n, d))
    return _one(np.clip(np.round(X), 1, top))


def one_opinion(rng: Rng) -> Sketch:
    """Votes of yes and no that follow one opinion by degrees, without camps."""
    n, d = draw_rows(rng, low=100, high=1000, centre=350), int(rng.integers(10, 25))
    opinion = rng.standard_normal((n, 1))
    odds = rng.uniform(0.4, 1.6, d) * rng.choice([-1.0, 1.0], d) * opinion + rng.normal(0, 1.0, d)
    return _one((rng.random((n, d)) < 1.0 / (1.0 + np.exp(-odds))).astype(float))


KINDS = {
    "fuzzy_arms": Kind(fuzzy_arms, "plane"),
    "touching_ellipses": Kind(touching_ellipses, "space"),
    "overlapping_pair": Kind(overlapping_pair, "space"),
    "overlapping_trio": Kind(overlapping_trio, "space"),
    "chain_of_discs": Kind(chain_of_discs, "plane"),
    "tiles": Kind(tiles, "plane"),
    "heavy_neighbours": Kind(heavy_neighbours, "space"),
    "skewed_neighbours": Kind(skewed_neighbours, "table"),
    "normal_and_two_ways_out": Kind(normal_and_two_ways_out, "table"),
    "grades_of_two_groups": Kind(grades_of_two_groups, "table"),
    "two_camps": Kind(two_camps, "table"),
    "checklists": Kind(checklists, "table"),
    "repeated_measures": Kind(repeated_measures, "table"),
    "crossing_waves": Kind(crossing_waves, "plane"),
    "blobs_beside_a_line": Kind(blobs_beside_a_line, "plane"),
    "close_pair_and_far_crowd": Kind(close_pair_and_far_crowd, "space"),
    "one_fan": Kind(one_fan, "table", clustered=False),
    "one_triangle": Kind(one_triangle, "table", clustered=False),
    "one_heavy_grade": Kind(one_heavy_grade, "table", clustered=False),
    "one_opinion": Kind(one_opinion, "table", clustered=False),
}
