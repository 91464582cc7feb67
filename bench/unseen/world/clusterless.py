"""Tables without clusters: what a method must not cut into pieces. Every row has label 0."""

from __future__ import annotations

import numpy as np

from bench.unseen.world.curves import along, arc
from bench.unseen.world.drawing import (
    Kind,
    Rng,
    Sketch,
    directions,
    draw_rows,
    in_ball,
    log_uniform,
    orthonormal,
    product,
)


def _one(X: np.ndarray) -> Sketch:
    return Sketch(X, np.zeros(len(X), dtype=int))


def _size(rng: Rng, high: int = 30) -> tuple[int, int]:
    return draw_rows(rng), int(np.clip(np.round(log_uniform(rng, 1.6, high)), 2, high))


def one_gaussian(rng: Rng) -> Sketch:
    """One round or stretched Gaussian cloud."""
    n, d = _size(rng)
    return _one(rng.standard_normal((n, d)) * log_uniform(rng, 0.3, 3.0, d))


def correlated_gaussian(rng: Rng) -> Sketch:
    """One Gaussian cloud with a random covariance."""
    n, d = _size(rng, 20)
    axes = orthonormal(rng, d, d) * log_uniform(rng, 0.1, 3.0, d)[:, None]
    return _one(product(rng.standard_normal((n, d)), axes))


def _unimodal_margins(rng: Rng, Z: np.ndarray) -> np.ndarray:
    """Bend each column of a standard normal table by a monotone function with one mode."""
    X = Z.copy()
    for column in range(Z.shape[1]):
        z = Z[:, column]
        what = rng.integers(4)
        if what == 0:
            X[:, column] = np.sinh(rng.uniform(0.3, 1.0) * z)
        elif what == 1:
            X[:, column] = np.exp(rng.uniform(0.2, 0.9) * z)
        elif what == 2:
            X[:, column] = z + 0.15 * z**3
    return X


def heavy_copula(rng: Rng) -> Sketch:
    """One cloud with dependent columns and heavy or skewed margins."""
    n, d = _size(rng, 20)
    axes = orthonormal(rng, d, d) * log_uniform(rng, 0.2, 2.0, d)[:, None]
    Z = product(rng.standard_normal((n, d)), axes)
    return _one(_unimodal_margins(rng, Z / np.sqrt((axes**2).sum(axis=0))))


def one_student(rng: Rng) -> Sketch:
    """One cloud with heavy tails in all directions at once."""
    n, d = _size(rng)
    spread = np.sqrt(rng.chisquare(rng.uniform(2.5, 6), (n, 1)) / 4)
    return _one(rng.standard_normal((n, d)) / spread)


def uniform_cube(rng: Rng) -> Sketch:
    """A box filled evenly."""
    n, d = _size(rng, 15)
    return _one(rng.random((n, d)) * rng.uniform(0.5, 3.0, d))


def uniform_ball(rng: Rng) -> Sketch:
    """A ball filled evenly."""
    return _one(in_ball(rng, *_size(rng, 10)))


def uniform_shape(rng: Rng) -> Sketch:
    """A triangle, a cross, a frame without gaps, or an L, filled evenly."""
    n = draw_rows(rng)
    points = rng.uniform(-1, 1, (8 * n, 2))
    x, y = points.T
    masks = (
        x + y < 0,
        (np.abs(x) < 0.35) | (np.abs(y) < 0.35),
        np.maximum(np.abs(x), np.abs(y)) > 0.5,
        (x < -0.3) | (y < -0.3),
        (x**2 + y**2 < 1) & (x**2 + y**2 > 0.36),
    )
    return _one(points[masks[rng.integers(len(masks))]][:n])


def one_filament(rng: Rng) -> Sketch:
    """One smooth curve, an arc or a spiral."""
    n, d = draw_rows(rng), int(rng.integers(2, 6))
    time = np.linspace(0, 1, 150)[:, None]
    form = rng.integers(3)
    if form == 0:
        waves = rng.standard_normal(d) * np.sin(np.pi * time + rng.uniform(0, 6, d))
        path = waves + rng.standard_normal(d) * time * 2
    elif form == 1:
        path = arc((0, 0), 1, 0, rng.uniform(2, 5.5))
    else:
        angle = np.linspace(2, rng.uniform(8, 14), 200)
        path = np.stack([angle * np.cos(angle), angle * np.sin(angle)], 1) / 4
    return _one(along(rng, path, n, rng.uniform(0.02, 0.15)))


def one_ring(rng: Rng) -> Sketch:
    """One ring or one hollow sphere."""
    n, d = draw_rows(rng), int(rng.integers(2, 5))
    return _one(directions(rng, n, d) * (1 + rng.uniform(0.02, 0.15) * rng.standard_normal((n, 1))))


def lognormal(rng: Rng) -> Sketch:
    """Positive columns with long tails."""
    n, d = _size(rng, 20)
    common = rng.uniform(0, 0.8) * rng.standard_normal((n, 1))
    return _one(np.exp(rng.uniform(0.3, 1.0) * (rng.standard_normal((n, d)) + common)))


def exponential(rng: Rng) -> Sketch:
    """Independent exponential or gamma columns."""
    return _one(rng.gamma(rng.uniform(0.7, 3.0), 1.0, _size(rng, 15)))


def one_factor(rng: Rng) -> Sketch:
    """All columns follow one hidden quantity, which has one mode."""
    n, d = _size(rng)
    hidden = rng.standard_normal((n, 1)) if rng.random() < 0.5 else rng.random((n, 1)) * 3.4
    noise = rng.uniform(0.1, 1.0) * rng.standard_normal((n, d))
    return _one(hidden * rng.uniform(0.4, 1.2, d) * rng.choice([-1, 1], d) + noise)


def several_factors(rng: Rng) -> Sketch:
    """Columns follow several hidden quantities; margins may be skewed."""
    n, d = _size(rng, 40)
    factors = int(rng.integers(2, 6))
    X = product(rng.standard_normal((n, factors)), rng.standard_normal((factors, d)))
    X += rng.uniform(0.3, 1.5) * rng.standard_normal((n, d))
    return _one(_unimodal_margins(rng, X / X.std(axis=0)) if rng.random() < 0.5 else X)


def density_gradient(rng: Rng) -> Sketch:
    """A box that is dense at one side and thins out smoothly."""
    n, d = draw_rows(rng), int(rng.integers(2, 7))
    X = rng.random((n, d))
    X[:, 0] = rng.beta(1.0, rng.uniform(2.0, 5.0), n)
    return _one(X)


def rounded_noise(rng: Rng) -> Sketch:
    """Independent or one-factor columns with few levels: the gaps are only rounding."""
    n, d = _size(rng)
    common = rng.uniform(0, 1) * rng.standard_normal((n, 1))
    return _one(np.round((rng.standard_normal((n, d)) + common) / log_uniform(rng, 0.3, 1.5, d)))


def binary_noise(rng: Rng) -> Sketch:
    """Independent or one-factor yes/no columns, perhaps with measurements beside them."""
    n, d = draw_rows(rng), int(rng.integers(5, 40))
    common = rng.uniform(0, 0.7) * rng.standard_normal((n, 1))
    X = (rng.standard_normal((n, d)) + common > rng.uniform(-1, 1, d)).astype(float)
    if rng.random() < 0.5:
        X[:, : d // 2] = rng.standard_normal((n, d // 2)) + common
    return _one(X)


def code_noise(rng: Rng) -> Sketch:
    """Categories as whole numbers, drawn from one copula that was cut into levels."""
    n, d = draw_rows(rng), int(rng.integers(5, 20))
    common = rng.uniform(0, 1) * rng.standard_normal((n, 1))
    hidden = rng.standard_normal((n, d)) + common
    levels = [np.sort(rng.normal(0, 1, rng.integers(1, 6))) for _ in range(d)]
    return _one(np.stack([np.searchsorted(c, h) for c, h in zip(levels, hidden.T, strict=True)], 1))


def wide_noise(rng: Rng) -> Sketch:
    """Far more columns than rows, all of them noise."""
    n, p = int(rng.integers(40, 150)), int(log_uniform(rng, 100, 2000))
    return _one(rng.standard_normal((n, p)) * rng.gamma(4.0, 0.25, p))


def wide_factors(rng: Rng) -> Sketch:
    """Far more columns than rows, with smooth common factors and no groups."""
    n, p = int(rng.integers(40, 150)), int(log_uniform(rng, 100, 1500))
    factors = int(rng.integers(1, 8))
    loadings = rng.standard_normal((factors, p)) * (rng.random((factors, p)) < 0.5)
    X = product(rng.standard_normal((n, factors)), loadings) * rng.uniform(0.3, 1.2)
    return _one(X + rng.standard_normal((n, p)) * rng.gamma(4.0, 0.25, p))


def bent_sheet(rng: Rng) -> Sketch:
    """A smooth surface seen in many columns through nonlinear functions."""
    n, d = draw_rows(rng), int(rng.integers(3, 31))
    hidden = rng.uniform(-1, 1, (n, 2)) if rng.random() < 0.5 else rng.normal(0, 0.6, (n, 2))
    inner = np.tanh(product(hidden, rng.standard_normal((2, 8))) + rng.normal(0, 0.5, 8))
    X = product(inner, rng.standard_normal((8, d)))
    return _one(X + rng.uniform(0.02, 0.3) * rng.standard_normal(X.shape))


def random_walks(rng: Rng) -> Sketch:
    """Each row is one random walk; neighbouring columns are alike."""
    n, d = draw_rows(rng, centre=300), int(rng.integers(10, 61))
    return _one(np.cumsum(rng.standard_normal((n, d)), axis=1))


def lump_and_stragglers(rng: Rng) -> Sketch:
    """One cloud and some rows far away from it in all directions."""
    n, d = _size(rng, 12)
    X = rng.standard_normal((n, d))
    far = int(rng.integers(2, max(4, n // 30)))
    X[:far] = directions(rng, far, d) * rng.uniform(4, 12, (far, 1))
    return _one(X)


_SHAPES = ("uniform_shape", "one_filament", "one_ring", "uniform_ball", "density_gradient")
KINDS = {
    draw.__name__: Kind(
        draw,
        "plane" if draw.__name__ in _SHAPES
        else "wide" if draw.__name__.startswith("wide") else "table",
        clustered=False,
    )
    for draw in (
        one_gaussian, correlated_gaussian, heavy_copula, one_student, uniform_cube, uniform_ball,
        uniform_shape, one_filament, one_ring, lognormal, exponential, one_factor, several_factors,
        density_gradient, rounded_noise, binary_noise, code_noise, wide_noise, wide_factors,
        bent_sheet, random_walks, lump_and_stragglers,
    )
}  # fmt: skip
