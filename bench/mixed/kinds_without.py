"""Kinds of synthetic mixed tables without clusters."""

from __future__ import annotations

import numpy as np

from bench.mixed.drawing import Columns


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


def tempers(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Answers from 1 to 5 that follow two traits and a style, and no clusters."""
    made = Columns(int(rng.integers(200, 700)), rng)
    traits = rng.standard_normal((made.n, 3))
    for number in range(int(rng.integers(8, 16))):
        z = 0.8 * traits[:, number % 2] + 0.5 * traits[:, 2] + 0.8 * rng.standard_normal(made.n)
        made.number(np.clip(np.round(3.0 + rng.normal(0.0, 0.5) + z), 1, 5))
    made.cut(traits[:, 0] + rng.standard_normal(made.n), 3, ordered=False)
    made.category(rng.integers(0, 2, made.n), 2)
    return made, np.zeros(made.n, dtype=np.int64)


def spenders(rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
    """Amounts and counts with heavy tails that follow wealth, a plan cut from it, no clusters."""
    made = Columns(int(rng.integers(200, 700)), rng)
    wealth = rng.standard_normal(made.n)
    for number in range(int(rng.integers(3, 7))):
        z = rng.uniform(0.5, 1.0) * wealth + 0.7 * rng.standard_normal(made.n)
        made.add(np.round(5.0 * np.exp(z)) if number % 2 else 100.0 * np.exp(z),
                 "count" if number % 2 else "amount")  # fmt: skip
    for _ in range(3):
        made.cut(wealth + rng.standard_normal(made.n), int(rng.integers(2, 5)), ordered=False)
    made.category(rng.integers(0, 5, made.n), 5)
    return made, np.zeros(made.n, dtype=np.int64)
