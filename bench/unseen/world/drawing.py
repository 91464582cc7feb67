"""What every kind of table is drawn with: sizes, centres, rotations, and the finishing steps.

A kind is a function ``draw(rng) -> Sketch``. The finishing steps (`finish`) then do what can happen
to any table: its shape is warped, turned or lifted into more columns, noise columns join it, its
columns get units of their own, and its rows are shuffled.

All arithmetic is elementwise. No BLAS or LAPACK is called, so neither the number of threads nor the
library changes a bit; the result is rounded to single precision, so the last bit of ``sin`` on
another processor does not matter either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Rng = np.random.Generator
MOST_ROWS = 2000


class Sketch(NamedTuple):
    """A table before its finishing steps; `relevant` is None where every column matters."""

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray | None = None


@dataclass(frozen=True)
class Kind:
    """One kind of table.

    finish: "plane" for shapes that stay what they are when warped, turned and lifted; "space" for
    clouds that may be turned; "table" where the columns have a meaning of their own; "wide" where
    the kind brings its own noise columns.
    """

    draw: Callable[[Rng], Sketch]
    finish: str
    clustered: bool = True


def draw_rows(rng: Rng, low: int = 60, high: int = 2000, centre: float = 420.0) -> int:
    """Return a number of rows, most often between 200 and 1,000."""
    return int(np.clip(np.exp(rng.normal(np.log(centre), 0.55)), low, high))


def draw_sizes(rng: Rng, n_rows: int, n_clusters: int, smallest: int = 10) -> np.ndarray:
    """Return sizes of clusters that sum to about `n_rows`: equal, uneven or very uneven."""
    evenness = rng.choice([1e6, 8.0, 3.0, 1.2], p=[0.3, 0.3, 0.3, 0.1])
    shares = rng.gamma(evenness, size=n_clusters)
    sizes = np.round(n_rows * shares / shares.sum()).astype(int)
    return np.maximum(sizes, smallest)


def labels_of(sizes: np.ndarray) -> np.ndarray:
    """Return 0, …, 0, 1, …, 1, … for sizes of clusters."""
    return np.repeat(np.arange(len(sizes)), sizes)


def log_uniform(rng: Rng, low: float, high: float, size: int | tuple | None = None):
    """Return draws whose logarithm is uniform."""
    return np.exp(rng.uniform(np.log(low), np.log(high), size))


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return ``A @ B`` as a sum of outer products, term by term: the same bits everywhere."""
    out = np.zeros((A.shape[0], B.shape[1]))
    for inner in range(A.shape[1]):
        out += A[:, inner, None] * B[inner]
    return out


def orthonormal(rng: Rng, n_rows: int, n_columns: int) -> np.ndarray:
    """Return `n_rows` random orthonormal vectors of length `n_columns` (Gram–Schmidt, twice)."""
    basis = rng.standard_normal((n_rows, n_columns))
    for i in range(n_rows):
        for _ in range(2):
            for j in range(i):
                basis[i] -= (basis[i] * basis[j]).sum() * basis[j]
            basis[i] /= np.sqrt((basis[i] ** 2).sum())
    return basis


def directions(rng: Rng, n_rows: int, n_columns: int) -> np.ndarray:
    """Return random points on the unit sphere."""
    points = rng.standard_normal((n_rows, n_columns))
    return points / np.sqrt((points**2).sum(axis=1, keepdims=True))


def in_ball(rng: Rng, n_rows: int, n_columns: int) -> np.ndarray:
    """Return points spread evenly in the unit ball."""
    radius = rng.random((n_rows, 1)) ** (1.0 / n_columns)
    return radius * directions(rng, n_rows, n_columns)


def spread_centres(rng: Rng, radii: np.ndarray, n_columns: int, gap: float) -> np.ndarray:
    """Return random centres whose distances are at least ``gap · (rᵢ + rⱼ)``, and not much more.

    The box that they are drawn in grows until all of them fit.
    """
    side = gap * 1.5 * radii.max() * len(radii) ** (1.0 / n_columns)
    centres: list[np.ndarray] = []
    failures = 0
    while len(centres) < len(radii):
        centre = rng.uniform(-side / 2, side / 2, n_columns)
        needed = gap * (radii[: len(centres)] + radii[len(centres)])
        if all(((centre - other) ** 2).sum() >= need**2
               for other, need in zip(centres, needed, strict=True)):  # fmt: skip
            centres.append(centre)
            continue
        failures += 1
        if failures % 25 == 0:
            side *= 1.08
    return np.array(centres)


def pile(parts: list[np.ndarray]) -> Sketch:
    """Return clusters, one array of rows each, as one table."""
    y = np.concatenate([np.full(len(part), label) for label, part in enumerate(parts)])
    return Sketch(np.concatenate(parts), y)


def with_background(rng: Rng, sketch: Sketch, share: float) -> Sketch:
    """Add rows spread evenly over a box around the table; they are labelled -1."""
    n_noise = max(3, round(share * len(sketch.X)))
    low, high = sketch.X.min(axis=0), sketch.X.max(axis=0)
    margin = 0.08 * (high - low)
    noise = rng.uniform(low - margin, high + margin, (n_noise, sketch.X.shape[1]))
    y = np.concatenate([sketch.y, np.full(n_noise, -1)])
    return Sketch(np.concatenate([sketch.X, noise]), y, sketch.relevant)


def finish(rng: Rng, sketch: Sketch, how: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Do to a sketch what can happen to any table; return X, y and the relevant columns."""
    X = np.asarray(sketch.X, dtype=np.float64)
    y = np.asarray(sketch.y, dtype=np.int64)
    if how == "plane":
        X = _warp(rng, X) if rng.random() < 0.2 else X
        X = _turn(rng, X) if rng.random() < 0.6 else X
        X = _lift(rng, X) if rng.random() < 0.2 else X
    elif how == "space" and X.shape[1] <= 40 and rng.random() < 0.4:
        X = _turn(rng, X)
    relevant = sketch.relevant
    if relevant is None:
        relevant = np.ones(X.shape[1], dtype=bool)
    if how != "wide" and rng.random() < 1 / 3:
        # A shape drowns in more noise columns than it has itself; a cloud does not.
        X, relevant = _add_noise_columns(rng, X, relevant, 1.5 if how == "plane" else 4.0)
    if how != "wide" and rng.random() < 0.5:
        X = X * log_uniform(rng, 0.01, 100.0, X.shape[1]) + rng.normal(0, 10, X.shape[1])
    rows = rng.permutation(len(X))[:MOST_ROWS]
    return X[rows].astype(np.float32).astype(np.float64), y[rows], relevant


def _warp(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Bend the plane smoothly, without folding it: slope of the bend below one."""
    size = X.std()
    for _ in range(2):
        source, target = rng.integers(X.shape[1], size=2)
        wave = rng.uniform(0.5, 1.4) / size
        bend = np.sin(wave * X[:, source] + rng.uniform(0, 2 * np.pi))
        if source != target:
            X = X.copy()
            X[:, target] += rng.uniform(0.2, 0.7) / wave * bend
    return X


def _turn(rng: Rng, X: np.ndarray) -> np.ndarray:
    return product(X, orthonormal(rng, X.shape[1], X.shape[1]))


def _lift(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Show a shape in more columns than it has, with a little noise on each."""
    n_columns = int(X.shape[1] + rng.integers(1, 7))
    lifted = product(X, orthonormal(rng, X.shape[1], n_columns))
    noise = log_uniform(rng, 0.002, 0.02) * X.std()
    return lifted + noise * rng.standard_normal(lifted.shape)


def _add_noise_columns(rng: Rng, X: np.ndarray, relevant: np.ndarray, most: float):
    """Add columns that say nothing about the clusters, and shuffle all columns."""
    n_rows, n_columns = X.shape
    n_noise = int(np.clip(np.round(n_columns * log_uniform(rng, 0.3, most)), 1, 60))
    family = rng.choice(["normal", "uniform", "heavy", "skewed", "permuted", "mixed"])
    noise = np.empty((n_rows, n_noise))
    for column in range(n_noise):
        drawn = family
        if family == "mixed":
            drawn = rng.choice(["normal", "uniform", "heavy", "skewed", "permuted"])
        noise[:, column] = _noise_column(rng, X, drawn)
    order = rng.permutation(n_columns + n_noise)
    joined = np.concatenate([X, noise], axis=1)[:, order]
    return joined, np.concatenate([relevant, np.zeros(n_noise, dtype=bool)])[order]


def _noise_column(rng: Rng, X: np.ndarray, family: str) -> np.ndarray:
    if family == "permuted":
        return rng.permutation(X[:, rng.integers(X.shape[1])])
    size = max(float(X.std()), 1e-12)
    n = len(X)
    if family == "normal":
        return size * rng.standard_normal(n)
    if family == "uniform":
        return size * rng.uniform(-1.7, 1.7, n)
    if family == "heavy":
        return size * rng.standard_t(3, n)
    return size * rng.exponential(1.0, n)
