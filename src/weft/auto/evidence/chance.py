"""What k-means gives on copies of the table that are one lump, for each number of clusters.

Any clustering of one lump has some silhouette, and it depends on the number of clusters, on the
number of axes and on their variances. Evidence is how far a candidate is above that.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft.auto.candidates.centres import kmeans_labels
from weft.auto.candidates.trees import cuts, linkage_edges_of
from weft.auto.kernels.distances import pairwise
from weft.auto.working import Floats, Ints

COUNTS = np.array([2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 28, 40])
MAX_ROWS = 400  # of a copy that is clustered


class Chance(NamedTuple):
    """Means over the copies, one value for each of `counts`."""

    counts: Ints
    silhouettes: Floats
    calinski: Floats  # log of 1 plus the index

    def silhouette_at(self, n_clusters: Floats) -> Floats:
        """What chance gives at these numbers of clusters."""
        return np.interp(np.log(n_clusters), np.log(self.counts), self.silhouettes)

    def calinski_at(self, n_clusters: Floats) -> Floats:
        """What chance gives at these numbers of clusters."""
        return np.interp(np.log(n_clusters), np.log(self.counts), self.calinski)


def silhouette(distances: Floats, labels: Ints) -> float:
    """Mean silhouette (Rousseeuw 1987); 0 for rows that are alone."""
    sizes = np.bincount(labels)
    members = np.eye(len(sizes))[labels]
    sums = distances @ members
    rows = np.arange(len(labels))
    own = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / np.maximum(sizes, 1)
    means[:, sizes == 0] = np.inf
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    widths = (nearest - own) / np.maximum(np.maximum(nearest, own), 1e-300)
    return float(np.where(sizes[labels] > 1, widths, 0.0).mean())


def calinski(points: Floats, labels: Ints) -> float:
    """Log of 1 plus the index of Caliński and Harabasz (1974)."""
    n, k = len(points), int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=k)
    members = np.eye(k)[labels]
    centres = (members.T @ points) / np.maximum(sizes, 1)[:, None]
    within = ((points - centres[labels]) ** 2).sum()
    total = ((points - points.mean(axis=0)) ** 2).sum()
    ratio = (total - within) / max(within, 1e-300) * (n - k) / max(k - 1, 1)
    return float(np.log1p(ratio))


def chance_of(copies: Sequence[Floats], seed: int) -> Chance:
    """Cluster each copy for each number of clusters and measure the result."""
    rng = np.random.default_rng([seed, 8])
    rows = copies[0][:MAX_ROWS]
    counts = COUNTS[len(rows) // 3 >= COUNTS]
    counts = counts if len(counts) else COUNTS[:1]
    found = np.empty((len(copies), 2, len(counts)))
    for copy, values in zip(copies, found, strict=True):
        points = np.ascontiguousarray(copy[:MAX_ROWS])
        distances = np.empty((len(points), len(points)))
        pairwise(points, distances)
        starts = cuts(linkage_edges_of(distances, "ward"), counts)
        for column, (k, start) in enumerate(zip(counts.tolist(), starts, strict=True)):
            labels = kmeans_labels(points, start, k, rng)
            values[:, column] = silhouette(distances, labels), calinski(points, labels)
    return Chance(counts, *found.mean(axis=0))
