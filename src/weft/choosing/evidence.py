"""Evidence for an exponent: each function returns one score per exponent, higher is better.

De Amorim 2011, chapter 4. A `Fitter` fits a model with a given exponent; all functions of this
module use such fits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.datasets import make_noisy_gaussians
from weft.metrics import accuracy

# The look-alikes' settings: share of columns that are noise, variance of a cluster (its centres
# have variance 1).
LOOK_ALIKES = ((0.0, 0.3), (0.0, 1.0), (0.25, 0.3), (0.25, 1.0), (0.5, 0.3), (0.5, 1.0))


@dataclass(frozen=True)
class Fitter:
    """Fits clones of a model with a given exponent."""

    model: Any
    names: tuple[str, ...]  # the parameters that take the exponent
    seed: int

    def parameters(self, exponent: float) -> dict[str, float]:
        return dict.fromkeys(self.names, float(exponent))

    def fit(self, X: Floats, exponent: float, *, repeat: int = 0, sample_weight: Any = None) -> Any:
        """Return a fitted clone; `repeat` changes the seed of models that have one."""
        model = clone(self.model).set_params(**self.parameters(exponent))
        seeded = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
        # The same seeds for each exponent, so that only the exponent differs.
        model.set_params(**dict.fromkeys(seeded, (self.seed + 7919 * repeat) % (2**31 - 1)))
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a poor exponent may leave a cluster empty
            return model.fit(X, **given)


def labels_of(model: Any) -> Integers:
    """Return the labels of a fitted model, or of a pipeline's last step."""
    return np.asarray(model.labels_ if hasattr(model, "labels_") else model[-1].labels_)


def over_grid(score: Callable[[float], float], grid: Floats) -> Floats:
    return np.array([score(float(exponent)) for exponent in grid])


def by_labels(fitter: Fitter, X: Floats, y: Integers, grid: Floats, n_repeats: int) -> Floats:
    """Mean accuracy on the labelled rows alone (algorithms 4.3 and 4.4, steps 1 to 3)."""
    known = y >= 0
    part, truth = X[known], y[known]

    def score(exponent: float) -> float:
        runs = [fitter.fit(part, exponent, repeat=repeat) for repeat in range(n_repeats)]
        return float(np.mean([accuracy(truth, labels_of(run)) for run in runs]))

    return over_grid(score, grid)


def by_all_rows(labelings: list[Integers], y: Integers) -> Floats:
    """Accuracy on the labelled rows of the clustering of all rows."""
    known = y >= 0
    return np.array([accuracy(y[known], labels[known]) for labels in labelings])


def by_pairs(labelings: list[Integers], must_link: Integers, cannot_link: Integers) -> Floats:
    """Share of satisfied pairs; both kinds have the same weight."""
    scores = []
    for labels in labelings:
        shares = []
        if len(must_link):
            shares.append((labels[must_link[:, 0]] == labels[must_link[:, 1]]).mean())
        if len(cannot_link):
            shares.append((labels[cannot_link[:, 0]] != labels[cannot_link[:, 1]]).mean())
        scores.append(float(np.mean(shares)))
    return np.array(scores)


def validity(X: Floats, labels: Integers, mass: Floats | None = None) -> float:
    """Return how much of each single feature the clusters explain, in nats per row.

    -½ Σ_v ln(W_v / T_v) - ½ K M ln(n) / n, with W_v and T_v the variance of feature v within the
    clusters and in all: the log likelihood of Gaussian clusters that share one axis-parallel
    covariance, against a single one, minus the penalty of BIC for their centres.

    Unlike the criterion of weighted k-means it can be compared between exponents. Unlike the
    silhouette it is not dominated by noise columns, which add nothing to it. It does not depend on
    the units of the features. NaN for a single cluster.
    """
    clusters, dense = np.unique(labels, return_inverse=True)
    if len(clusters) < 2:
        return float("nan")
    mass = np.ones(len(X)) if mass is None else mass
    within, total = np.zeros(X.shape[1]), _scatter(X, mass)
    for cluster in range(len(clusters)):
        rows = dense == cluster
        within += _scatter(X[rows], mass[rows])
    n = float(mass.sum())
    varies = total > 0.0
    # Adding T_v / n keeps the logarithm finite if the clusters explain a feature perfectly.
    ratio = (within[varies] + total[varies] / n) / (total[varies] * (1.0 + 1.0 / n))
    price = 0.5 * len(clusters) * varies.sum() * np.log(n) / n
    return float(-0.5 * np.log(ratio).sum() - price)


def _scatter(X: Floats, mass: Floats) -> Floats:
    """Return Σ m (x - mean)² of each column over its observed values."""
    observed = ~np.isnan(X)
    counted = observed * mass[:, np.newaxis]
    values = np.where(observed, X, 0.0)
    sums = counted.sum(axis=0)
    mean = (counted * values).sum(axis=0) / np.where(sums > 0.0, sums, 1.0)
    away = np.where(observed, values - mean, 0.0)
    return (counted * away**2).sum(axis=0)


def agreement(labelings: list[Integers], reach: int = 2) -> Floats:
    """Mean adjusted Rand index with the clusterings at the nearest `reach` exponents each way."""
    scores = []
    for i, labels in enumerate(labelings):
        near = [j for j in range(i - reach, i + reach + 1) if j != i and 0 <= j < len(labelings)]
        scores.append(np.mean([adjusted_rand_score(labels, labelings[j]) for j in near] or [1.0]))
    return np.array(scores)


def stability(
    fitter: Fitter, X: Floats, grid: Floats, n_repeats: int, rng: np.random.Generator
) -> Floats:
    """Mean adjusted Rand index, on all rows, of models fitted to two random halves."""
    halves = [np.array_split(rng.permutation(len(X)), 2) for _ in range(n_repeats)]

    def score(exponent: float) -> float:
        values = []
        for repeat, (first, second) in enumerate(halves):
            told = [
                fitter.fit(X[np.sort(rows)], exponent, repeat=repeat).predict(X)
                for rows in (first, second)
            ]
            single = max(len(np.unique(labels)) for labels in told) < 2
            values.append(np.nan if single else adjusted_rand_score(*told))
        return float(np.mean(values))

    return over_grid(score, grid)


def look_alike(
    fitter: Fitter,
    shape: tuple[int, int],
    n_clusters: int,
    grid: Floats,
    n_repeats: int,
    rng: np.random.Generator,
) -> Floats:
    """Mean accuracy on labelled Gaussians of the same shape (the thesis's section 4.5)."""
    n_samples, n_columns = shape
    sets = []
    for number in range(max(n_repeats, 1)):
        noise, variance = LOOK_ALIKES[number % len(LOOK_ALIKES)]
        n_noise = min(round(noise * n_columns), n_columns - 1)
        sets.append(
            make_noisy_gaussians(
                n_samples=n_samples,
                n_features=n_columns - n_noise,
                n_clusters=n_clusters,
                n_noise=n_noise,
                variance=variance,
                random_state=int(rng.integers(2**31 - 1)),
            )
        )

    def score(exponent: float) -> float:
        return float(
            np.mean(
                [accuracy(s.target, labels_of(fitter.fit(_ranged(s.data), exponent))) for s in sets]
            )
        )

    return over_grid(score, grid)


def _ranged(X: Floats) -> Floats:
    half = 0.5 * np.ptp(X, axis=0)
    return (X - X.mean(axis=0)) / np.where(half > 0.0, half, 1.0)  # eq. 3.13
