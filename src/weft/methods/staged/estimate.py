"""Stage 1: estimate the number of clusters by the silhouette over k-means (section 3.1).

k-means runs for every k in [2, √n], and the k with the highest mean silhouette wins. Because a run
of k-means depends on chance, this is repeated `n_estimates` times; the median is the estimate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends import CPU, Backend

LLOYD_STEPS = 100


class Estimate(NamedTuple):
    """The result of stage 1."""

    n_clusters: int  # the median, halves rounded up
    votes: Integers  # (n_estimates,), the winner of each repetition
    silhouettes: Floats  # (n_estimates, number of k), mean silhouette of each k from 2 on


def largest_number(n_rows: int) -> int:
    """Return the maximum number of clusters, ⌊√n⌋, but at least 2."""
    return max(2, int(np.sqrt(n_rows)))


def estimate_n_clusters(
    rows: Floats,
    *,
    n_estimates: int,
    max_clusters: int,
    rng: np.random.Generator,
    n_threads: int = 1,
    backend: Backend = CPU,
) -> Estimate:
    """Return K_est of `rows` (n, d)."""
    n_rows = len(rows)
    largest = min(max_clusters, n_rows)
    numbers = np.arange(2, largest + 1) if largest >= 2 else np.array([1])
    # All random numbers are drawn first, in one order, so that runs can be parallel.
    starts = [
        rng.choice(n_rows, size=n_centers, replace=False)
        for _ in range(n_estimates)
        for n_centers in numbers
    ]
    operations = backend.prototypes
    data = operations.load(rows, backend.device)
    flat = operations.kmeans_silhouettes(data, starts, largest, LLOYD_STEPS, n_threads)
    scores = flat.reshape(n_estimates, len(numbers))
    votes = numbers[scores.argmax(axis=1)]
    return Estimate(int(np.floor(np.median(votes) + 0.5)), votes, scores)
