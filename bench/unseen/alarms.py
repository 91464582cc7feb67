"""False alarms in wide tables: noise, factors and counts of one population, called clustered.

These are not the clusterless kinds that the judge is trained on: shapes, seeds and recipes differ.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

Rng = np.random.Generator


def _shape(rng: Rng) -> tuple[int, int]:
    """Return 12 to 200 rows and 50 to 20,000 columns, evenly on a logarithmic scale."""
    return tuple(
        int(np.exp(rng.uniform(np.log(low), np.log(high))))
        for low, high in ((12, 201), (50, 20001))
    )


def noise(rng: Rng) -> np.ndarray:
    """Return independent columns: normal, uniform, heavy-tailed or skewed."""
    n, p = _shape(rng)
    draw: Callable[..., np.ndarray] = (
        rng.standard_normal,
        rng.random,
        lambda size: rng.standard_t(3, size),
        lambda size: rng.exponential(1.0, size),
    )[rng.integers(4)]
    return draw((n, p)) * np.exp(rng.normal(0, 0.5, p))


def factors(rng: Rng) -> np.ndarray:
    """Return columns that follow one to ten smooth factors, without groups."""
    n, p = _shape(rng)
    count = int(rng.integers(1, 11))
    scores = rng.standard_normal((n, count)) * rng.uniform(0.3, 1.5, count)
    loadings = rng.standard_normal((count, p)) * (rng.random((count, p)) < rng.uniform(0.1, 1.0))
    return scores @ loadings + rng.standard_normal((n, p)) * np.exp(rng.normal(0, 0.4, p))


def counts(rng: Rng) -> np.ndarray:
    """Return log(1 + count) of negative binomial counts of one population."""
    n, p = _shape(rng)
    rate = np.exp(rng.normal(0.5, 1.2, p)) * np.exp(rng.normal(0, 0.3, (n, 1)))
    shape = rng.uniform(0.5, 5.0)
    X = rng.poisson(rng.gamma(shape, rate / shape)).astype(float)
    return np.log1p(X[:, np.ptp(X, axis=0) > 0])


RECIPES = {"noise": (noise, 200), "factors": (factors, 50), "counts": (counts, 50)}


def is_alarm(name: str, number: int) -> bool:
    """Return whether the judge calls table `number` of a recipe clustered."""
    from bench.unseen.answering import answer

    X = RECIPES[name][0](np.random.default_rng([22, list(RECIPES).index(name), number]))
    return bool(answer(X, 0).labels.max() > 0)


def alarms_table(n_jobs: int = 1, share: float = 1.0) -> str:
    """Return how many tables of each recipe are called clustered; `share` of them are drawn."""
    lines = ["| wide tables without clusters | tables | called clustered |", "| --- | --- | --- |"]
    with ProcessPoolExecutor(n_jobs) as pool:
        for name, (_, most) in RECIPES.items():
            numbers = range(max(1, round(share * most)))
            found = list(pool.map(is_alarm, [name] * len(numbers), numbers))
            lines.append(f"| {name} | {len(found)} | {np.mean(found):.3f} |")
    return "\n".join(lines)
