"""What follows stage 2 in place of stage 3: k-means on all features, and moves of centres.

``"lloyd"``: steps of k-means from the clusters found. ``"swap"``: then, as long as the fitness of
stage 2 gains (its feature term stays what it was), a centre is dropped, or moved to
where a split helps most. Lloyd steps alone cannot do either: two centres in one cluster stay there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.kernels.cpu import prototypes as kernels
from weft.staged.estimate import LLOYD_STEPS
from weft.staged.objectives import Partition, Terms

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POLISHES = ("lloyd", "swap")
# Clusters whose split is tried for every centre that may move there.
SPLITS = 3


class Clusters(NamedTuple):
    """Centres where k-means left them."""

    centers: Floats
    labels: Integers
    fitness: float


def polished(found: Partition, rows: Floats, terms: Terms, kind: str) -> Partition:
    """Return the clusters of stage 2 after the polish; rows are assigned over all features."""
    columns = np.ascontiguousarray(rows.T)
    n_selected = len(found.features)

    def settle(centers: Floats) -> Clusters:
        centers, labels = centers.copy(), np.empty(len(rows), dtype=np.int64)
        kernels.lloyd(rows, columns, centers, LLOYD_STEPS, labels)
        between, filled = _between(rows, labels, len(centers))
        value = terms.fitness(np.array([between]), np.array([n_selected]), np.array([filled]))
        return Clusters(centers, labels, float(value[0]))

    n_clusters = len(found.prototypes)
    start = np.stack([rows[found.labels == cluster].mean(axis=0) for cluster in range(n_clusters)])
    best = settle(start)
    while kind == "swap":
        trials = [settle(each) for each in _neighbours(rows, best)]
        leader = max(trials, key=lambda trial: trial.fitness, default=best)
        # A gain in the last bits is none; without this bar two equal partitions could alternate.
        if leader.fitness <= best.fitness * (1.0 + 1e-9):
            break
        best = leader
    features = np.arange(rows.shape[1])
    return Partition.of(best.labels, features, best.centers, selected=found.selected)


def _neighbours(rows: Floats, clusters: Clusters) -> list[Floats]:
    """Return sets of centres: each one dropped; each moved to where a split helps most."""
    centers, labels = clusters.centers, clusters.labels
    n_clusters = len(centers)
    splits = {number: _split(rows[labels == number]) for number in range(n_clusters)}
    tried = sorted(splits, key=lambda number: splits[number].gain)[-SPLITS:]
    sets = []
    for gone in range(n_clusters):
        if n_clusters > 2:
            sets.append(np.delete(centers, gone, axis=0))
        for number in tried:
            if gone != number and splits[number].gain > 0.0:
                others = np.delete(centers, [gone, number], axis=0)
                sets.append(np.vstack([others, splits[number].halves]))
    return sets


class Split(NamedTuple):
    """A cluster cut in two, and how much less the sum of squares is then."""

    halves: Floats
    gain: float


def _split(members: Floats) -> Split:
    """Cut a cluster across its widest direction, at its mean."""
    centred = members - members.mean(axis=0)
    if len(members) < 2 or not centred.any():
        return Split(members[:0], 0.0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    upper = centred @ direction > 0.0
    halves = np.stack([members[upper].mean(axis=0), members[~upper].mean(axis=0)])
    sizes = np.array([upper.sum(), (~upper).sum()])
    gain = (sizes * ((halves - members.mean(axis=0)) ** 2).sum(axis=1)).sum()
    return Split(halves, float(gain))


def _between(rows: Floats, labels: Integers, n_clusters: int) -> tuple[float, int]:
    sums = np.empty((n_clusters, rows.shape[1]))
    counts = np.empty(n_clusters, dtype=np.int64)
    kernels.cluster_sums(rows, labels, sums, counts)
    return kernels.between_sum(sums, counts, len(rows))
