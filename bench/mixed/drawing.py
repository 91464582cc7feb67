"""How tables of the synthetic world are drawn: columns of every kind, classes, spreads."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.columns.source import MixedTable, SourceColumn


class Columns:
    """Columns of a table that is being drawn."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self.n, self.rng = n, rng
        self.parts: list[np.ndarray] = []
        self.columns: list[SourceColumn] = []

    def add(self, values: np.ndarray, kind: str, **more: Any) -> None:
        """Add a column."""
        place = len(self.parts)
        self.columns.append(SourceColumn(f"{kind} {place}", kind, (place,), **more))
        self.parts.append(np.asarray(values, dtype=np.float64))

    def number(self, values: np.ndarray) -> None:
        """Add a column of numbers."""
        self.add(values, "number")

    def category(self, codes: np.ndarray, n_levels: int, kind: str = "category") -> None:
        """Add a column of levels."""
        self.add(codes, kind, levels=tuple(f"level {code}" for code in range(n_levels)))

    def cut(self, z: np.ndarray, n_levels: int, *, ordered: bool) -> None:
        """Add the levels into which a hidden number is cut; unordered ones get mixed names."""
        ends = np.quantile(z, np.sort(self.rng.uniform(0.05, 0.95, n_levels - 1)))
        codes = np.digitize(z, ends)
        if ordered:
            self.category(codes, n_levels, "ordered")
        else:
            self.category(self.rng.permutation(n_levels)[codes], n_levels)

    def by_class(self, labels: np.ndarray, n_levels: int, evenness: float) -> None:
        """Add a category whose shares depend on the class; the smaller `evenness`, the more."""
        chances = self.rng.dirichlet(np.full(n_levels, evenness), int(labels.max()) + 1)
        draws = self.rng.random(self.n)[:, None] > np.cumsum(chances, axis=1)[labels]
        self.category(np.minimum(draws.sum(axis=1), n_levels - 1), n_levels)

    def table(self) -> MixedTable:
        """Return what was added."""
        return MixedTable(np.column_stack(self.parts), tuple(self.columns))


def draw_labels(rng: np.random.Generator, n: int, low: int = 2, high: int = 6) -> np.ndarray:
    """Return classes of different sizes, none below a twentieth of the rows."""
    count = int(rng.integers(low, high + 1))
    shares = rng.dirichlet(np.full(count, 5.0))
    shares = 0.05 + (1.0 - 0.05 * count) * shares
    return rng.choice(count, n, p=shares / shares.sum())


def begin(rng: np.random.Generator, low: int = 2, high: int = 6) -> tuple[Columns, np.ndarray]:
    n = int(rng.integers(200, 700))
    return Columns(n, rng), draw_labels(rng, n, low, high)


def spread(rng: np.random.Generator, labels: np.ndarray, apart: float) -> np.ndarray:
    """Return a number whose classes have other means, some of them shared."""
    count = int(labels.max()) + 1
    means = rng.permutation(count) if rng.random() < 0.5 else rng.integers(0, 3, count)
    return rng.normal(apart * means[labels], rng.uniform(0.7, 1.3, count)[labels])
