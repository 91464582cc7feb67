"""Synthetic tables with known truth: counts of cells, and markers of known columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def make_counts(
    n_rows: int,
    n_columns: int,
    n_clusters: int,
    seed: int,
    *,
    n_markers: int = 60,
    depth: float = 0.12,
    spread: float = 0.5,
) -> tuple[Any, np.ndarray]:
    """Return negative binomial counts (CSR) of cells of unequal depth, and their clusters.

    `depth` is the mean count of a cell's gene; each cluster has markers four times as high.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, n_rows)
    base = rng.gamma(0.6, 1.0, n_columns)
    profiles = np.tile(base, (n_clusters, 1))
    for profile in profiles:
        profile[rng.choice(n_columns, n_markers, replace=False)] *= 4.0
    profiles /= profiles.sum(axis=1, keepdims=True)
    sizes = rng.lognormal(0.0, spread, n_rows) * n_columns * depth
    blocks = []
    for first in range(0, n_rows, 2000):
        part = slice(first, first + 2000)
        mean = profiles[labels[part]] * sizes[part, np.newaxis]
        blocks.append(sparse.csr_array(rng.poisson(rng.gamma(2.0, mean / 2.0)).astype(float)))
    return sparse.vstack(blocks).tocsr(), labels


def make_marked(
    n_rows: int, n_columns: int, seed: int, *, effect: float = 2.0, n_markers: int = 20
) -> tuple[np.ndarray, int]:
    """Return Gaussian rows in three clusters, and how many of the first columns are markers."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_rows)
    X = rng.standard_normal((n_rows, n_columns))
    for k in range(3):
        X[labels == k, n_markers * k : n_markers * (k + 1)] += effect
    return X, 3 * n_markers


def make_wide(n_rows: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return four clusters that 200 columns separate."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), n_rows // 4)
    X = rng.standard_normal((len(labels), n_columns))
    X[:, :200] += 1.5 * rng.standard_normal((4, 200))[labels]
    return X, labels


def make_dense(n_rows: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return six clusters that two of five columns separate."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 6, n_rows)
    X = rng.standard_normal((n_rows, n_columns))
    n_telling = 2 * n_columns // 5
    X[:, :n_telling] += rng.standard_normal((6, n_telling))[labels]
    return X, labels
