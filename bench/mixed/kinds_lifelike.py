"""Kinds of synthetic mixed tables with clusters that resemble tables people have."""

from __future__ import annotations

import numpy as np

from bench.mixed.drawing import Columns, begin, spread


def amounts(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Money and counts with heavy tails, whose classes lie apart by factors."""
    made, labels = begin(rng, 2, 5)
    for number in range(int(rng.integers(3, 6))):
        z = spread(rng, labels, 1.8) * rng.uniform(0.6, 1.4)
        if number % 2:
            made.add(np.round(10.0 * np.exp(z - z.mean())), "count")
        else:
            made.add(100.0 * np.exp(z), "amount")
    for _ in range(int(rng.integers(2, 5))):
        made.by_class(labels, int(rng.integers(2, 6)), 0.7)
    return made, labels


def nested(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes within two branches: some columns tell the branch, others the class."""
    made, labels = begin(rng, 4, 6)
    branch = labels % 2
    for _ in range(3):
        made.number(rng.normal(3.0 * branch, 1.0))
        made.number(spread(rng, labels, 2.0))
        made.by_class(branch, 3, 0.4)
        made.by_class(labels, int(rng.integers(3, 6)), 0.4)
    return made, labels


def patients(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Two classes told a little by skewed numbers with many zeros, beside traits of no class."""
    made, labels = begin(rng, 2, 2)
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
    """Classes in half of the columns; the others depend on another trait."""
    made, labels = begin(rng, 2, 3)
    trait, wealth = rng.standard_normal((2, made.n))
    for _ in range(int(rng.integers(2, 5))):
        made.number(spread(rng, labels, 1.6) + 0.5 * wealth)
        made.by_class(labels, int(rng.integers(2, 6)), 0.5)
        made.cut(trait + 0.8 * rng.standard_normal(made.n), int(rng.integers(2, 6)), ordered=False)
    amount = np.exp(wealth + 0.5 * rng.standard_normal(made.n))
    made.add(np.where(rng.random(made.n) < 0.8, 0.0, np.round(1000.0 * amount)), "amount")
    return made, labels


def dependent_within(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Classes whose rows follow one more factor, in numbers and levels alike."""
    made, labels = begin(rng, 2, 5)
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


def animals(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Measures that size moves together within a species, sexes of two sizes, and places."""
    made, labels = begin(rng, 2, 4)
    count, width = int(labels.max()) + 1, int(rng.integers(3, 6))
    sex = rng.integers(0, 2, made.n)
    size = rng.standard_normal(made.n) + rng.uniform(0.6, 1.8) * sex
    centers = rng.normal(0.0, 1.8, (count, width))
    load = rng.uniform(0.4, 1.0, width)
    for j in range(width):
        made.number(centers[labels, j] + load[j] * size + 0.6 * rng.standard_normal(made.n))
    made.category(sex, 2)
    made.by_class(labels, int(rng.integers(2, 5)), 0.5)
    return made, labels


def graded(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Many grades from 0 to 3, most of them 0; a class has its own signs, some shared by two."""
    made, labels = begin(rng, 3, 6)
    count = int(labels.max()) + 1
    for _ in range(int(rng.integers(14, 30))):
        has = np.zeros(count, dtype=bool)
        has[rng.choice(count, 1 + int(rng.random() < 0.35), replace=False)] = True
        chance = np.where(has, rng.uniform(0.5, 0.95), rng.uniform(0.0, 0.15))
        shown = rng.random(made.n) < chance[labels]
        made.number(np.where(shown, 1 + rng.binomial(2, rng.uniform(0.3, 0.7), made.n), 0))
    for _ in range(int(rng.integers(2, 6))):
        made.number(rng.binomial(3, rng.uniform(0.2, 0.8), made.n))
    return made, labels


def survey(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Answers from 1 to 5 by class, moved by how much each person agrees with anything."""
    made, labels = begin(rng, 2, 5)
    count = int(labels.max()) + 1
    style = rng.uniform(0.2, 0.7) * rng.standard_normal(made.n)
    for _ in range(int(rng.integers(8, 16))):
        z = rng.normal(0.0, 1.1, count)[labels] + style + 0.8 * rng.standard_normal(made.n)
        made.number(np.clip(np.round(3.0 + z), 1, 5))
    for _ in range(int(rng.integers(1, 4))):
        made.by_class(labels, int(rng.integers(2, 5)), 1.0)
    return made, labels


def customers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Spending with heavy tails and zeros, a plan, a channel, and a region of no class."""
    made, labels = begin(rng, 2, 5)
    wealth = 0.5 * rng.standard_normal(made.n)
    for number in range(int(rng.integers(3, 6))):
        z = 0.8 * spread(rng, labels, 1.8) + wealth
        bought = rng.random(made.n) < rng.uniform(0.5, 1.0, int(labels.max()) + 1)[labels]
        amount = np.exp(z) * 20.0
        kind = "count" if number % 2 else "amount"
        amount = np.where(bought, amount, 0.0) if number % 3 == 1 else amount
        made.add(np.round(amount) if kind == "count" else amount, kind)
    for _ in range(int(rng.integers(2, 4))):
        made.by_class(labels, int(rng.integers(2, 5)), 0.5)
    made.category(rng.integers(0, 5, made.n), 5)
    return made, labels
