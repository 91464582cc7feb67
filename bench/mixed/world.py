"""A synthetic world of mixed tables, on which the rules for such tables are chosen.

Every kind draws a table of numbers, categories, ordered, cyclic and heavy-tailed columns with known
clusters, or without any. Rules and the weights of the small judge (`weft.auto.mixed_judge`) are
chosen here, with whole kinds left out; the real sets of `bench.mixed.sets` are only looked at
afterwards. Each table then gets columns of noise and gaps, by its seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.mixed.sets import MixedSet, with_gaps, with_noise
from weft.columns.source import MixedTable, SourceColumn

Maker = Callable[[np.random.Generator], tuple["Columns", np.ndarray]]
GAPS = (0.0, 0.0, 0.1, 0.3)


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


class World(NamedTuple):
    """A kind of table: how one is drawn, and whether it has clusters."""

    make: Maker
    clustered: bool = True


def _labels(rng: np.random.Generator, n: int, low: int = 2, high: int = 6) -> np.ndarray:
    """Return classes of different sizes, none below a twentieth of the rows."""
    count = int(rng.integers(low, high + 1))
    shares = rng.dirichlet(np.full(count, 5.0))
    shares = 0.05 + (1.0 - 0.05 * count) * shares
    return rng.choice(count, n, p=shares / shares.sum())


def _begin(rng: np.random.Generator, low: int = 2, high: int = 6) -> tuple[Columns, np.ndarray]:
    n = int(rng.integers(200, 700))
    return Columns(n, rng), _labels(rng, n, low, high)


def _spread(rng: np.random.Generator, labels: np.ndarray, apart: float) -> np.ndarray:
    """Return a number whose classes have other means, some of them shared."""
    count = int(labels.max()) + 1
    means = rng.permutation(count) if rng.random() < 0.5 else rng.integers(0, 3, count)
    return rng.normal(apart * means[labels], rng.uniform(0.7, 1.3, count)[labels])


def latent_classes(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Categories, independent within a class."""
    made, labels = _begin(rng)
    for _ in range(int(rng.integers(6, 14))):
        made.by_class(labels, int(rng.integers(2, 7)), 0.5)
    return made, labels


def numbers_and_levels(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Numbers and categories, all of which tell of the classes."""
    made, labels = _begin(rng)
    for _ in range(int(rng.integers(3, 7))):
        made.number(_spread(rng, labels, 1.8))
    for _ in range(int(rng.integers(3, 7))):
        made.by_class(labels, int(rng.integers(2, 7)), 0.6)
    return made, labels


def factors(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in two or three hidden factors, which numbers and cut levels follow."""
    made, labels = _begin(rng)
    count, width = int(labels.max()) + 1, int(rng.integers(2, 4))
    centers = rng.normal(0.0, 2.2, (count, width))
    hidden = centers[labels] + rng.standard_normal((made.n, width))
    for number in range(int(rng.integers(8, 15))):
        z = hidden @ rng.normal(0.0, 1.0, width) + rng.normal(0.0, 0.8, made.n)
        if number % 3 == 0:
            made.number(z)
        else:
            made.cut(z, int(rng.integers(2, 6)), ordered=number % 3 == 1)
    return made, labels


def crossed(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in the numbers, and a yes/no that moves every number within each class."""
    made, labels = _begin(rng, 2, 4)
    other = rng.integers(0, 2, made.n)
    for _ in range(int(rng.integers(4, 7))):
        made.number(_spread(rng, labels, 2.6) + rng.uniform(0.5, 1.3) * other)
    made.category(other, 2)
    for _ in range(2):
        made.by_class(labels, int(rng.integers(2, 5)), 0.7)
    return made, labels


def in_numbers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in correlated numbers; categories depend on each other by something else."""
    made, labels = _begin(rng, 2, 5)
    width = int(rng.integers(3, 6))
    centers = rng.normal(0.0, 2.5, (int(labels.max()) + 1, width))
    turn = rng.normal(0.0, 1.0, (width, width)) / np.sqrt(width)
    for column in (centers[labels] + rng.standard_normal((made.n, width)) @ turn).T:
        made.number(column)
    trait = rng.standard_normal(made.n)
    for _ in range(3):
        made.cut(0.7 * trait + 0.7 * rng.standard_normal(made.n), 3, ordered=False)
    return made, labels


def symptoms(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Ordered grades, most of them 0 except in the classes that have the symptom."""
    made, labels = _begin(rng, 3, 6)
    count = int(labels.max()) + 1
    for _ in range(int(rng.integers(12, 25))):
        has = rng.random(count) < 0.35
        grade = np.where(has[labels], rng.normal(2.0, 0.8, made.n), rng.normal(-0.3, 0.7, made.n))
        made.category(np.clip(np.round(grade), 0, 3), 4, "ordered")
    made.number(rng.normal(40.0, 12.0, made.n))
    return made, labels


def yes_or_no(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Many columns of yes and no."""
    made, labels = _begin(rng, 2, 5)
    count = int(labels.max()) + 1
    for _ in range(int(rng.integers(12, 22))):
        chances = rng.beta(0.7, 0.7, count)
        made.category(rng.random(made.n) < chances[labels], 2)
    return made, labels


def weak_halves(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Two classes that every column tells a little of, as in tables of patients."""
    made, labels = _begin(rng, 2, 2)
    for _ in range(int(rng.integers(4, 7))):
        made.number(rng.normal(rng.uniform(0.3, 1.2) * labels, 1.0))
    for _ in range(int(rng.integers(5, 9))):
        low = rng.uniform(0.1, 0.5)
        chances = np.array([low, min(low + rng.uniform(0.2, 0.5), 0.95)])
        made.category(rng.random(made.n) < chances[labels], 2)
    return made, labels


def cycles(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Hours and months beside numbers and categories."""
    made, labels = _begin(rng, 2, 5)
    count = int(labels.max()) + 1
    for period in (24.0, 12.0):
        middles = period * (rng.permutation(count) + rng.random()) / count
        values = rng.normal(middles[labels], period / (4.0 * count)) % period
        made.add(values, "cyclic", periods=(period,))
    for _ in range(int(rng.integers(2, 5))):
        made.number(_spread(rng, labels, 1.5))
        made.by_class(labels, int(rng.integers(2, 5)), 0.7)
    return made, labels


def amounts(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Money and counts with heavy tails, whose classes lie apart by factors."""
    made, labels = _begin(rng, 2, 5)
    for number in range(int(rng.integers(3, 6))):
        z = _spread(rng, labels, 1.8) * rng.uniform(0.6, 1.4)
        if number % 2:
            made.add(np.round(10.0 * np.exp(z - z.mean())), "count")
        else:
            made.add(100.0 * np.exp(z), "amount")
    for _ in range(int(rng.integers(2, 5))):
        made.by_class(labels, int(rng.integers(2, 6)), 0.7)
    return made, labels


def with_outliers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Numbers with a few wild values, and categories."""
    made, labels = _begin(rng, 2, 5)
    for _ in range(int(rng.integers(3, 6))):
        values = _spread(rng, labels, 2.0)
        wild = rng.random(made.n) < 0.02
        made.number(np.where(wild, values + rng.normal(0.0, 40.0, made.n), values))
    for _ in range(int(rng.integers(3, 6))):
        made.by_class(labels, int(rng.integers(2, 6)), 0.6)
    return made, labels


def many_levels(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Categories of up to 15 levels beside numbers."""
    made, labels = _begin(rng, 2, 5)
    for _ in range(int(rng.integers(4, 8))):
        made.by_class(labels, int(rng.integers(6, 16)), 0.4)
    for _ in range(int(rng.integers(2, 4))):
        made.number(_spread(rng, labels, 1.6))
    return made, labels


def nested(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes within two branches: some columns tell the branch, others the class."""
    made, labels = _begin(rng, 4, 6)
    branch = labels % 2
    for _ in range(3):
        made.number(rng.normal(3.0 * branch, 1.0))
        made.number(_spread(rng, labels, 2.0))
        made.by_class(branch, 3, 0.4)
        made.by_class(labels, int(rng.integers(3, 6)), 0.4)
    return made, labels


def patients(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Two classes told a little by skewed numbers with many zeros, beside traits of no class."""
    made, labels = _begin(rng, 2, 2)
    age, build = rng.standard_normal((2, made.n))
    for number in range(int(rng.integers(4, 8))):
        z = rng.uniform(0.4, 1.2) * labels + rng.standard_normal(made.n)
        z = z + rng.uniform(0.0, 0.8) * (age if number % 2 else build)
        if number % 3 == 1:
            made.number(np.exp(z))
        elif number % 3 == 2:
            made.number(np.where(z > rng.uniform(0.0, 1.0), np.round(np.exp(z)), 0.0))
        else:
            made.number(z)
    for number in range(int(rng.integers(4, 9))):
        z = rng.uniform(0.4, 1.6) * labels + rng.standard_normal(made.n)
        z = z + rng.uniform(0.0, 0.8) * (build if number % 2 else age)
        made.cut(z, int(rng.integers(2, 5)), ordered=number % 4 == 3)
    return made, labels


def households(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in half of the columns; the others hang together by a trait of their own."""
    made, labels = _begin(rng, 2, 3)
    trait, wealth = rng.standard_normal((2, made.n))
    for _ in range(int(rng.integers(2, 5))):
        made.number(_spread(rng, labels, 1.6) + 0.5 * wealth)
        made.by_class(labels, int(rng.integers(2, 6)), 0.5)
        made.cut(trait + 0.8 * rng.standard_normal(made.n), int(rng.integers(2, 6)), ordered=False)
    amount = np.exp(wealth + 0.5 * rng.standard_normal(made.n))
    made.add(np.where(rng.random(made.n) < 0.8, 0.0, np.round(1000.0 * amount)), "amount")
    return made, labels


def dependent_within(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes whose rows follow one more factor, in numbers and levels alike."""
    made, labels = _begin(rng, 2, 5)
    count = int(labels.max()) + 1
    factor = rng.standard_normal(made.n)
    for number in range(int(rng.integers(7, 13))):
        means = rng.normal(0.0, 1.7, count)
        z = means[labels] + rng.uniform(-0.8, 0.8) * factor + 0.8 * rng.standard_normal(made.n)
        if number % 2:
            made.cut(z, int(rng.integers(2, 6)), ordered=number % 4 == 1)
        else:
            made.number(np.exp(0.7 * z) if number % 4 == 2 else z)
    return made, labels


def one_trait(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Answers and numbers that follow one trait: dependent, and no clusters."""
    return _traits(rng, 1)


def two_traits(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """The same with two or three traits."""
    return _traits(rng, int(rng.integers(2, 4)))


def skewed_trait(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """One trait with a long tail, and numbers on that scale."""
    return _traits(rng, 1, skewed=True)


def _traits(
    rng: np.random.Generator, width: int, *, skewed: bool = False
) -> tuple[Columns, np.ndarray]:
    made = Columns(int(rng.integers(200, 700)), rng)
    traits = rng.standard_normal((made.n, width))
    if skewed:
        traits = np.exp(0.8 * traits) - 1.4
    for number in range(int(rng.integers(7, 14))):
        load = rng.uniform(0.5, 0.9)
        direction = rng.normal(0.0, 1.0, width)
        z = traits @ (direction / np.sqrt((direction**2).sum()))
        z = load * z + np.sqrt(1.0 - load**2) * rng.standard_normal(made.n)
        if number % 3 == 0:
            made.number(np.exp(z) if number % 2 else z)
        else:
            made.cut(z, int(rng.integers(2, 6)), ordered=number % 3 == 1)
    return made, np.zeros(made.n, dtype=np.int64)


def independent(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Columns of every kind that have nothing to do with each other."""
    made = Columns(int(rng.integers(200, 700)), rng)
    for _ in range(int(rng.integers(2, 5))):
        count = int(rng.integers(2, 10))
        made.category(rng.choice(count, made.n, p=rng.dirichlet(np.full(count, 2.0))), count)
        made.number(rng.standard_normal(made.n))
        made.number(np.exp(rng.standard_normal(made.n)))
        made.cut(rng.standard_normal(made.n), 4, ordered=True)
        made.add(rng.uniform(0.0, 24.0, made.n), "cyclic", periods=(24.0,))
    return made, np.zeros(made.n, dtype=np.int64)


def few_pairs(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Pairs of columns that depend on each other, and on nothing else."""
    made = Columns(int(rng.integers(200, 700)), rng)
    for number in range(int(rng.integers(3, 6))):
        z = rng.multivariate_normal(np.zeros(2), [[1.0, 0.7], [0.7, 1.0]], made.n)
        made.number(z[:, 0])
        if number % 2:
            made.cut(z[:, 1], int(rng.integers(2, 6)), ordered=False)
        else:
            made.number(z[:, 1])
    return made, np.zeros(made.n, dtype=np.int64)


WORLDS = {
    maker.__name__: World(maker, clustered)
    for makers, clustered in (
        (
            (
                latent_classes, numbers_and_levels, factors, crossed, in_numbers, symptoms,
                yes_or_no, weak_halves, cycles, amounts, with_outliers, many_levels, nested,
                patients, households, dependent_within,
            ),
            True,
        ),
        ((one_trait, two_traits, skewed_trait, independent, few_pairs), False),
    )
    for maker in makers
}  # fmt: skip


def draw(kind: str, seed: int, *, gaps: float | None = None) -> MixedSet:
    """Return a table of a kind; every second seed has columns of noise, and gaps by turns."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    made, labels = WORLDS[kind].make(rng)
    table = made.table()
    real = np.full(len(table.used), WORLDS[kind].clustered)
    data = MixedSet(table, np.unique(labels, return_inverse=True)[1], real)
    if seed % 2:
        data = with_noise(data, seed)
    share = GAPS[seed // 2 % len(GAPS)] if gaps is None else gaps
    if share > 0.0:
        leaves = _gaps_by_value if seed // 8 % 2 else with_gaps
        data = leaves(data, share, seed)
    return data


def _gaps_by_value(data: MixedSet, share: float, seed: int) -> MixedSet:
    """Delete cells more often where the first number, or level, of the table is large."""
    rng = np.random.default_rng(seed)
    first = data.table.values[:, 0]
    chance = np.where(first > np.median(first), 1.5 * share, 0.5 * share)
    gone = rng.random((len(first), len(data.table.used))) < chance[:, None]
    gone[gone.all(axis=1), 0] = False
    values = np.where(gone[:, data.table.source_of], np.nan, data.table.values)
    return data._replace(table=MixedTable(values, data.table.columns))
