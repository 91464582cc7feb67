"""Sparse k-means, a rival for the noise bench.

D. M. Witten and R. Tibshirani, "A framework for feature selection in clustering", JASA 105, 2010,
section 3. Maximise Σ_j w_j a_j over clusters and weights w, ‖w‖₂ ≤ 1, ‖w‖₁ ≤ s, w ≥ 0, where a_j is
the between-cluster sum of squares of feature j (their equation 10).

s is chosen by their permutation gap (algorithm 2), shortened: 6 bounds for their 10 or more, 3
permutations for their 25, and k-means continues from its centres instead of starting again after
each change of weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

N_BOUNDS = 6
N_PERMUTATIONS = 3
MAX_ROUNDS = 10
TOLERANCE = 1e-4  # their stopping rule: Σ|w - w_old| / Σ|w_old|


class SparseClusters(NamedTuple):
    """Labels, the weights of the features, Σ w_j a_j, and the bound s."""

    labels: np.ndarray
    weights: np.ndarray
    objective: float
    bound: float


def between_by_feature(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return a (d,): each feature's total minus its within-cluster sum of squares."""
    counts = np.bincount(labels)
    used = counts > 0
    sums = np.zeros((len(counts), X.shape[1]))
    np.add.at(sums, labels, X)
    means = sums[used] / counts[used, None]
    return (counts[used, None] * (means - X.mean(axis=0)) ** 2).sum(axis=0)


def weights_for(a: np.ndarray, bound: float) -> np.ndarray:
    """Return the w that maximises w·a under both bounds: soft-thresholded a at unit length.

    The threshold is 0 if that satisfies ‖w‖₁ ≤ s, else the one at which ‖w‖₁ = s (their
    proposition), found by bisection, because ‖w‖₁ falls as the threshold rises.
    """
    a = np.maximum(a, 0.0)
    if not a.any():
        return np.full(len(a), 1.0 / np.sqrt(len(a)))
    weights = a / np.linalg.norm(a)
    if weights.sum() <= bound:
        return weights
    low, high = 0.0, float(a.max())
    for _ in range(60):
        middle = 0.5 * (low + high)
        cut = np.maximum(a - middle, 0.0)
        if cut.sum() > bound * np.linalg.norm(cut):
            low = middle
        else:
            high = middle
    cut = np.maximum(a - high, 0.0)
    if not cut.any():  # ties at the top, more of them than s² allows
        cut = (a >= a.max()).astype(float)
    return cut / np.linalg.norm(cut)


def fit_bound(X: np.ndarray, k: int, bound: float, start: np.ndarray) -> SparseClusters:
    """Alternate clusters and weights for one s, from the labels `start`."""
    labels = start
    weights = weights_for(between_by_feature(X, labels), bound)
    for _ in range(MAX_ROUNDS):
        used = weights > 0
        scaled = X[:, used] * np.sqrt(weights[used])
        counts = np.maximum(np.bincount(labels, minlength=k), 1)
        centers = np.zeros((k, scaled.shape[1]))
        np.add.at(centers, labels, scaled)
        model = KMeans(k, init=centers / counts[:, None], n_init=1).fit(scaled)
        labels, old = model.labels_, weights
        weights = weights_for(between_by_feature(X, labels), bound)
        if np.abs(weights - old).sum() < TOLERANCE * np.abs(old).sum():
            break
    objective = float(weights @ between_by_feature(X, labels))
    return SparseClusters(labels, weights, objective, bound)


def sparse_kmeans(
    X: np.ndarray, k: int, *, bound: float | None = None, seed: int = 0
) -> SparseClusters:
    """Cluster into `k`, with s given or chosen by the gap to data whose columns are permuted."""
    X = X - X.mean(axis=0)
    rng = np.random.default_rng(seed)

    def first(table: np.ndarray, n_init: int) -> np.ndarray:
        state = int(rng.integers(2**31))
        return KMeans(k, n_init=n_init, random_state=state).fit(table).labels_

    start = first(X, 10)
    if bound is not None:
        return fit_bound(X, k, bound, start)
    # The range of bounds of their program `sparcl`.
    bounds = np.geomspace(1.2, max(0.9 * np.sqrt(X.shape[1]), 1.3), N_BOUNDS)
    fits = [fit_bound(X, k, s, start) for s in bounds]
    gaps = np.log([max(fit.objective, 1e-300) for fit in fits])
    for _ in range(N_PERMUTATIONS):
        shuffled = rng.permuted(X, axis=0)
        start = first(shuffled, 3)
        alone = [fit_bound(shuffled, k, s, start).objective for s in bounds]
        gaps -= np.log(np.maximum(alone, 1e-300)) / N_PERMUTATIONS
    return fits[int(np.argmax(gaps))]
