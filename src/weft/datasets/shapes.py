"""Clusters of all shapes: rings, a dish in a shell, moons, spirals, ellipses, rectangles, blobs.

Similar to the five synthetic sets of A. Abraham, S. Das and A. Konar, "Kernel based
automatic clustering using modified particle swarm optimization algorithm", GECCO 2007, of which
only figure 1 is published.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from weft._base.docstrings import documented
from weft._base.reading import read_generator
from weft._base.validation import check_choice, check_integer, check_real
from weft.datasets._shared import SHARED, column_names


class Shape(NamedTuple):
    """How a shape is drawn: one cluster's points without noise, given its number and size."""

    n_clusters: int
    n_features: int
    noise: float  # default standard deviation of the Gaussian noise
    draw: Callable[[int, int, np.random.Generator], np.ndarray]


@documented(SHARED)
def make_shapes(
    shape: str = "rings",
    *,
    n_samples: int = 600,
    noise: float | None = None,
    random_state: Any = None,
) -> Bunch:
    """Draw clusters of one of several shapes, in equal shares.

    Parameters
    ----------
    shape : {"rings", "dish-shell", "moons", "spirals", "ellipses", "rectangles", "blobs"}, \
default="rings"
        ``"rings"``: two concentric circles. ``"dish-shell"``: a disc inside a ring. ``"moons"``:
        two half circles that interlock. ``"spirals"``: two arms. ``"ellipses"``: two long, near,
        parallel ellipses. ``"rectangles"``: five of different form. ``"blobs"``: four balls in
        three dimensions.
    n_samples : int, default=600
        Number of points, at least 2 per cluster; the first clusters get the remainder.
    noise : float, default=None
        Standard deviation of the Gaussian noise added to every coordinate; None means the shape's
        own, which leaves a gap between its clusters.

    Returns
    -------
    Bunch
        ``data``, rows sorted by cluster; ``target``, the true cluster of each row;
        ``feature_names``; ``relevant``, all true; ``DESCR``.

    Examples
    --------
    >>> from weft.datasets import make_shapes
    >>> moons = make_shapes("moons", n_samples=200, random_state=0)
    >>> moons.data.shape, len(set(moons.target.tolist()))
    ((200, 2), 2)
    """
    check_choice("shape", shape, SHAPES)
    form = SHAPES[shape]
    n_samples = check_integer("n_samples", n_samples, low=2 * form.n_clusters)
    spread = form.noise if noise is None else check_real("noise", noise, low=0.0)
    rng = read_generator(random_state)
    sizes = np.full(form.n_clusters, n_samples // form.n_clusters)
    sizes[: n_samples % form.n_clusters] += 1
    parts = [form.draw(cluster, int(size), rng) for cluster, size in enumerate(sizes)]
    data = np.vstack(parts)
    data += spread * rng.standard_normal(data.shape)
    return Bunch(
        data=data,
        target=np.repeat(np.arange(form.n_clusters), sizes),
        feature_names=column_names(form.n_features),
        relevant=np.ones(form.n_features, dtype=bool),
        DESCR=f"{shape}: {n_samples} points in {form.n_clusters} clusters, noise {spread:g}.",
    )


def _circle(radius: np.ndarray | float, angle: np.ndarray) -> np.ndarray:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _rings(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    return _circle((1.0, 3.0)[cluster], rng.uniform(0.0, 2.0 * np.pi, size))


def _dish_shell(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0.0, 2.0 * np.pi, size)
    low, high = ((0.0, 1.0), (2.0, 2.5))[cluster]
    # Uniform over the area: the squared radius is uniform.
    return _circle(np.sqrt(rng.uniform(low**2, high**2, size)), angle)


def _moons(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    points = _circle(1.0, rng.uniform(0.0, np.pi, size))
    return points if cluster == 0 else np.array([1.0, 0.5]) - points


def _spirals(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    # Equal steps along the arm: equal steps of the angle would crowd the middle.
    turn = np.sqrt(rng.uniform(0.25, 1.0, size)) * 3.0 * np.pi
    return _circle(turn / np.pi, turn + np.pi * cluster)


def _ellipses(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    points = _circle(np.sqrt(rng.uniform(size=size)), rng.uniform(0.0, 2.0 * np.pi, size))
    return points * [3.0, 0.5] + [0.0, 2.0 * cluster]


def _rectangles(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    left, bottom, width, height = (
        (0.0, 0.0, 1.0, 1.0),
        (2.0, 0.0, 3.0, 0.6),
        (0.0, 2.0, 0.6, 3.0),
        (2.0, 2.0, 2.0, 1.2),
        (5.0, 2.0, 0.8, 2.5),
    )[cluster]
    return rng.uniform(size=(size, 2)) * [width, height] + [left, bottom]


def _blobs(cluster: int, size: int, rng: np.random.Generator) -> np.ndarray:
    corners = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])  # a regular tetrahedron
    return np.repeat(4.0 * corners[cluster : cluster + 1], size, axis=0)


SHAPES = {
    "rings": Shape(2, 2, 0.1, _rings),
    "dish-shell": Shape(2, 2, 0.05, _dish_shell),
    "moons": Shape(2, 2, 0.06, _moons),
    "spirals": Shape(2, 2, 0.05, _spirals),
    "ellipses": Shape(2, 2, 0.05, _ellipses),
    "rectangles": Shape(5, 2, 0.05, _rectangles),
    "blobs": Shape(4, 3, 0.7, _blobs),
}
