"""Long, thin clusters in many dimensions, packed closely by an evolutionary algorithm.

J. Handl and J. Knowles, "Improvements to the scalability of multiobjective clustering",
CEC 2005. Used with smaller clusters by D. O'Neill, 2017, section 3.3.

Symbols
-------
k, d, n          clusters, features, points
o_c (k, d)       origins: the first focus of each cluster; the only thing the search moves
f_c (k, d)       second focus relative to the first; |f_c| = L_c
L_c (k,)         distance between the foci, U(1, 3)
e_c (k,)         excess: a point belongs to the ellipsoid if its focal distances sum to < (1 + e) L
q_i (n, d)       points relative to their own origin, so that x_i = q_i + o_{y_i}
v                share of points inside the ellipsoid of another cluster
D                summed distance of all points to their overall mean

The sources leave some choices open; docs/decisions/0001-ellipsoid-generator.md lists ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from weft._base.docstrings import documented
from weft._base.reading import read_generator
from weft._base.validation import check_integer
from weft.datasets._shared import SHARED, column_names, draw_sizes
from weft.parallel.blas import one_blas_thread

DEFAULT_SIZES = (14, 124)  # the smallest and the largest cluster of O'Neill's table 3.1
FOCAL_LENGTH = (1.0, 3.0)
EXCESS = (0.05, 0.15)

POPULATION = 50
STEPS = 500
START_SCALE = 0.67
OVERLAP_PENALTY = 50.0


class Shapes(NamedTuple):
    """The ellipsoids, each with its first focus at the origin."""

    focus: np.ndarray  # (k, d), the second focus
    length: np.ndarray  # (k,)
    excess: np.ndarray  # (k,)


class Terms(NamedTuple):
    """Everything that `score` needs and that does not depend on the origins."""

    points: np.ndarray  # q, (n, d)
    labels: np.ndarray  # (n,)
    share: np.ndarray  # (k,), share of the points in each cluster
    mean: np.ndarray  # (d,), mean of q
    square: np.ndarray  # |q_i|², (n,)
    to_focus: np.ndarray  # |q_i - f_b|², (n, k)
    focus: np.ndarray  # (k, d)
    bound: np.ndarray  # (1 + e) L, (k,)


class Score(NamedTuple):
    """How good one placement of the origins is; small values are better."""

    fitness: float  # D (1 + 50 v)
    overlap: float  # v


@documented(SHARED)
def make_ellipsoids(
    n_clusters: int,
    n_features: int,
    *,
    cluster_size: int | tuple[int, int] | None = None,
    random_state: Any = None,
) -> Bunch:
    """Draw elongated clusters of any orientation that lie close together.

    Gaussian clusters become nearly spherical as the dimension grows; these do not. Each cluster
    fills a thin ellipsoid between two foci, and an evolutionary algorithm places the ellipsoids so
    that the whole data set is compact and few points lie inside a foreign ellipsoid [1]_. From
    about 10 features on, hardly any do; in the plane the overlap is large, and `overlap` says how
    large.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at least 1.
    n_features : int
        Number of features, at least 2. All of them are relevant.
    cluster_size : int or (int, int), default=None
        Points per cluster: one number for all, or a range from which each cluster's size is drawn.
        None means ``(14, 124)``, the sizes of [2]_. The sizes of [1]_ are ``(50, 500)`` for fewer
        than 20 clusters and ``(10, 100)`` for more.

    Returns
    -------
    Bunch
        ``data`` (n, n_features), rows sorted by cluster; ``target`` (n,), the true cluster of each
        row; ``feature_names``; ``relevant`` (n_features,), all true; ``overlap``, the share of
        points inside the ellipsoid of another cluster; ``DESCR``.

    References
    ----------
    .. [1] J. Handl and J. Knowles, "Improvements to the scalability of multiobjective
       clustering", IEEE Congress on Evolutionary Computation, 2005.
    .. [2] D. O'Neill, honours thesis, 2017, section 3.3.

    Examples
    --------
    >>> from weft.datasets import make_ellipsoids
    >>> ellipsoids = make_ellipsoids(4, 50, cluster_size=30, random_state=0)
    >>> ellipsoids.data.shape, ellipsoids.overlap
    ((120, 50), 0.0)
    """
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    n_features = check_integer("n_features", n_features, low=2)
    rng = read_generator(random_state)
    sizes = draw_sizes(
        cluster_size, default=DEFAULT_SIZES, n_clusters=n_clusters, smallest=1, rng=rng
    )
    shapes = draw_shapes(n_clusters, n_features, rng)
    points = np.vstack([draw_points(shapes, c, int(size), rng) for c, size in enumerate(sizes)])
    labels = np.repeat(np.arange(n_clusters), sizes)
    with one_blas_thread():
        origins, placed = place(points, labels, shapes, rng)
    return Bunch(
        data=points + origins[labels],
        target=labels,
        feature_names=column_names(n_features),
        relevant=np.ones(n_features, dtype=bool),
        overlap=placed.overlap,
        DESCR=(
            f"Handl-Knowles ellipsoids: {len(labels)} points in {n_clusters} elongated clusters, "
            f"{n_features} features, {placed.overlap:.1%} of the points inside another cluster's "
            "ellipsoid."
        ),
    )


def draw_shapes(n_clusters: int, n_features: int, rng: np.random.Generator) -> Shapes:
    """Return ellipsoids of random length, thickness and orientation."""
    length = rng.uniform(*FOCAL_LENGTH, size=n_clusters)
    excess = rng.uniform(*EXCESS, size=n_clusters)
    focus = length[:, np.newaxis] * _directions(n_clusters, n_features, rng)
    return Shapes(focus, length, excess)


def draw_points(shapes: Shapes, cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Return `size` points of one cluster, its origin at zero."""
    focus, length, excess = (part[cluster] for part in shapes)
    kept = np.empty((0, len(focus)))
    while len(kept) < size:
        # In every dimension about half of the tries are kept, so two rounds are nearly always
        # enough.
        tries = 2 * (size - len(kept)) + 8
        on_axis = rng.uniform(size=(tries, 1)) * focus
        away = rng.standard_normal((tries, 1)) * (2.0 * excess * length)
        tried = on_axis + away * _directions(tries, len(focus), rng)
        reach = np.linalg.norm(tried, axis=1) + np.linalg.norm(tried - focus, axis=1)
        kept = np.vstack([kept, tried[reach < (1.0 + excess) * length]])
    return kept[:size]


def place(
    points: np.ndarray, labels: np.ndarray, shapes: Shapes, rng: np.random.Generator
) -> tuple[np.ndarray, Score]:
    """Return origins (k, d) found by a steady-state evolutionary algorithm, and their score."""
    k, d = shapes.focus.shape
    terms = prepare(points, labels, shapes)
    unit = shapes.length.max() * EXCESS[1] / np.sqrt(d)
    population = rng.normal(0.0, START_SCALE * unit, size=(POPULATION, k, d))
    scores = [score(origins, terms) for origins in population]
    for _ in range(STEPS):
        first, second = rng.integers(POPULATION, size=2)
        parent = first if scores[first].fitness <= scores[second].fitness else second
        child = population[parent].copy()
        # A mutated gene is replaced by a new value, not shifted.
        mutated = rng.random((k, d)) < 1.0 / (k * d)
        child[mutated] = rng.normal(0.0, unit * k / 60.0, size=int(mutated.sum()))
        born = score(child, terms) if mutated.any() else scores[parent]
        worst = max(range(POPULATION), key=lambda i: scores[i].fitness)
        if born.fitness <= scores[worst].fitness:
            population[worst], scores[worst] = child, born
    # The result is chosen by overlap alone; among equals the compact one.
    winner = min(range(POPULATION), key=lambda i: (scores[i].overlap, scores[i].fitness))
    return population[winner], scores[winner]


def prepare(points: np.ndarray, labels: np.ndarray, shapes: Shapes) -> Terms:
    """Return everything about the points that does not depend on the origins."""
    square = np.einsum("nd,nd->n", points, points)
    across = points @ shapes.focus.T
    return Terms(
        points=points,
        labels=labels,
        share=np.bincount(labels, minlength=len(shapes.length)) / len(labels),
        mean=points.mean(axis=0),
        square=square,
        to_focus=square[:, np.newaxis] - 2.0 * across + shapes.length**2,
        focus=shapes.focus,
        bound=(1.0 + shapes.excess) * shapes.length,
    )


def score(origins: np.ndarray, terms: Terms) -> Score:
    """Return D (1 + 50 v) and v for one placement.

    Only origins move, so a squared distance is a constant plus what the shift s = o_a - o_b adds:
    |q + s - f|² = |q - f|² + 2 (q - f)·s + |s|², and one product of the points with the origins
    serves all of them.
    """
    own = terms.labels
    rows = np.arange(len(own))
    centre = terms.mean + terms.share @ origins
    product = terms.points @ np.vstack([origins, centre]).T  # (n, k + 1)
    along, at_centre = product[:, :-1], product[:, -1]
    at_own = along[rows, own]

    shift = origins[:, np.newaxis, :] - origins  # (k, k, d): o_a - o_b
    shift_square = np.einsum("abd,abd->ab", shift, shift)
    shift_focus = np.einsum("abd,bd->ab", shift, terms.focus)
    moved = 2.0 * (at_own[:, np.newaxis] - along) + shift_square[own]
    first = terms.square[:, np.newaxis] + moved
    second = terms.to_focus + moved - 2.0 * shift_focus[own]
    # Rounding can take a squared distance of zero just below it.
    reach = np.sqrt(np.maximum(first, 0.0)) + np.sqrt(np.maximum(second, 0.0))
    inside = reach < terms.bound
    inside[rows, own] = False
    overlap = float(inside.any(axis=1).mean())

    offset = origins - centre
    spread = (
        terms.square + 2.0 * (at_own - at_centre) + np.einsum("kd,kd->k", offset, offset)[own]
    )  # |q + o - centre|²
    total = float(np.sqrt(np.maximum(spread, 0.0)).sum())
    return Score(total * (1.0 + OVERLAP_PENALTY * overlap), overlap)


def _directions(count: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Return unit vectors, every direction as likely as any other."""
    normal = rng.standard_normal((count, n_features))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)
