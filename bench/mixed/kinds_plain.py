"""Kinds of synthetic mixed tables with clusters: one thing at a time."""

from __future__ import annotations

import numpy as np

from bench.mixed.drawing import Columns, begin, spread


def latent_classes(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Categories, independent within a class."""
    made, labels = begin(rng)
    for _ in range(int(rng.integers(6, 14))):
        made.by_class(labels, int(rng.integers(2, 7)), 0.5)
    return made, labels


def numbers_and_levels(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Numbers and categories, all of which tell of the classes."""
    made, labels = begin(rng)
    for _ in range(int(rng.integers(3, 7))):
        made.number(spread(rng, labels, 1.8))
    for _ in range(int(rng.integers(3, 7))):
        made.by_class(labels, int(rng.integers(2, 7)), 0.6)
    return made, labels


def factors(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in two or three hidden factors, which numbers and cut levels follow."""
    made, labels = begin(rng)
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
    made, labels = begin(rng, 2, 4)
    other = rng.integers(0, 2, made.n)
    for _ in range(int(rng.integers(4, 7))):
        made.number(spread(rng, labels, 2.6) + rng.uniform(0.5, 1.3) * other)
    made.category(other, 2)
    for _ in range(2):
        made.by_class(labels, int(rng.integers(2, 5)), 0.7)
    return made, labels


def in_numbers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes in correlated numbers; categories depend on each other by something else."""
    made, labels = begin(rng, 2, 5)
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
    made, labels = begin(rng, 3, 6)
    count = int(labels.max()) + 1
    for _ in range(int(rng.integers(12, 25))):
        has = rng.random(count) < 0.35
        grade = np.where(has[labels], rng.normal(2.0, 0.8, made.n), rng.normal(-0.3, 0.7, made.n))
        made.category(np.clip(np.round(grade), 0, 3), 4, "ordered")
    made.number(rng.normal(40.0, 12.0, made.n))
    return made, labels


def yes_or_no(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Many columns of yes and no."""
    made, labels = begin(rng, 2, 5)
    count = int(labels.max()) + 1
    for _ in range(int(rng.integers(12, 22))):
        chances = rng.beta(0.7, 0.7, count)
        made.category(rng.random(made.n) < chances[labels], 2)
    return made, labels


def weak_halves(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Two classes that every column tells a little of, as in tables of patients."""
    made, labels = begin(rng, 2, 2)
    for _ in range(int(rng.integers(4, 7))):
        made.number(rng.normal(rng.uniform(0.3, 1.2) * labels, 1.0))
    for _ in range(int(rng.integers(5, 9))):
        low = rng.uniform(0.1, 0.5)
        chances = np.array([low, min(low + rng.uniform(0.2, 0.5), 0.95)])
        made.category(rng.random(made.n) < chances[labels], 2)
    return made, labels


def cycles(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Hours and months beside numbers and categories."""
    made, labels = begin(rng, 2, 5)
    count = int(labels.max()) + 1
    for period in (24.0, 12.0):
        middles = period * (rng.permutation(count) + rng.random()) / count
        values = rng.normal(middles[labels], period / (4.0 * count)) % period
        made.add(values, "cyclic", periods=(period,))
    for _ in range(int(rng.integers(2, 5))):
        made.number(spread(rng, labels, 1.5))
        made.by_class(labels, int(rng.integers(2, 5)), 0.7)
    return made, labels


def with_outliers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Numbers with a few wild values, and categories."""
    made, labels = begin(rng, 2, 5)
    for _ in range(int(rng.integers(3, 6))):
        values = spread(rng, labels, 2.0)
        wild = rng.random(made.n) < 0.02
        made.number(np.where(wild, values + rng.normal(0.0, 40.0, made.n), values))
    for _ in range(int(rng.integers(3, 6))):
        made.by_class(labels, int(rng.integers(2, 6)), 0.6)
    return made, labels


def many_levels(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Categories of up to 15 levels beside numbers."""
    made, labels = begin(rng, 2, 5)
    for _ in range(int(rng.integers(4, 8))):
        made.by_class(labels, int(rng.integers(6, 16)), 0.4)
    for _ in range(int(rng.integers(2, 4))):
        made.number(spread(rng, labels, 1.6))
    return made, labels
