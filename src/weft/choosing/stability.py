"""k-means with the largest number of clusters that is reproduced on halves of the rows.

For tables with categories, whose rows lie on a lattice: the judge of `weft.auto.judge` was trained
on clouds of numbers, and most of its evidence (neighbours, gaps in density) means something else
there. The number of clusters is chosen by stability (Ben-Hur, Elisseeff and Guyon, "A stability
based method for discovering structure in clustered data", 2002; Lange et al., "Stability-based
validation of clustering solutions", 2004): the rows are split into halves, each half is clustered,
and both label all rows. Coarse answers tend to be stable in any case. So among the numbers that are
about as stable as the best, the largest is chosen, unless a cluster gets small: a few rows with a
rare pair of levels are reproduced by every half, but are not a cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.kmeans.plain import kmeans

MAX_CLUSTERS = 12
N_SPLITS = 10
SMALLEST = 0.05  # share of the rows that every cluster of the finer answer must have
AS_STABLE = 0.01  # adjusted Rand index by which a finer answer may be less stable than the best
LEAST_STABLE = 0.5  # below this, the clusterings of two halves differ too much
FEWEST_ROWS = 10  # of a half, per cluster


class StableClustering(NamedTuple):
    """Labels, their number, and how far two halves of the rows agree on them."""

    labels: Integers
    n_clusters: int
    stability: float

    @property
    def is_stable(self) -> bool:
        """Whether the clusterings of two halves of the rows agree."""
        return self.stability >= LEAST_STABLE


def cluster_by_stability(
    points: Floats, *, low: int = 2, high: int = MAX_CLUSTERS, rng: np.random.Generator
) -> list[StableClustering]:
    """Return a clustering for each number from `low` to `high`, the chosen one first.

    The others follow by their stability. Numbers for which a half has too few rows are left out,
    except for `low`.
    """
    high = max(low, min(high, len(points) // (2 * FEWEST_ROWS), MAX_CLUSTERS))
    halves = [np.array_split(rng.permutation(len(points)), 2) for _ in range(N_SPLITS)]
    clusterings = []
    for n_clusters in range(low, high + 1):
        labels = kmeans(points, n_clusters, 10, rng).labels
        agreed = [_agreement(points, half, n_clusters, rng) for half in halves]
        clusterings.append(StableClustering(labels, n_clusters, float(np.mean(agreed))))
    best = max(clusterings, key=lambda each: each.stability)
    finer = [
        each
        for each in clusterings
        if each.n_clusters > best.n_clusters
        and each.stability >= best.stability - AS_STABLE
        and np.bincount(each.labels).min() >= SMALLEST * len(points)
    ]
    chosen = max([best, *finer], key=lambda each: each.n_clusters)
    others = [each for each in clusterings if each is not chosen]
    return [chosen, *sorted(others, key=lambda each: -each.stability)]


def _agreement(
    points: Floats, halves: list[Integers], n_clusters: int, rng: np.random.Generator
) -> float:
    """Return the adjusted Rand index of all rows as labelled by either half."""
    by_half = []
    for rows in halves:
        if len(rows) < n_clusters:
            return 0.0
        centers = kmeans(np.ascontiguousarray(points[rows]), n_clusters, 3, rng).centers
        squared = (centers**2).sum(axis=1) - 2.0 * (points @ centers.T)
        by_half.append(squared.argmin(axis=1))
    return float(adjusted_rand_score(*by_half))
