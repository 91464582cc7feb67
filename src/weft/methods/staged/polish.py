"""Instead of stage 3: k-means on all features after stage 2, and fewer centres.

``"lloyd"``: steps of k-means from the clusters found. ``"prune"``: then, as long as the fitness of
stage 2 gains (its feature term stays what it was), a centre is dropped and k-means run again.
Lloyd steps alone cannot remove a centre: two centres in one cluster stay there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends import CPU
from weft.methods.staged.estimate import LLOYD_STEPS
from weft.methods.staged.objectives import Partition, Terms

POLISHES = ("lloyd", "prune")


class Clusters(NamedTuple):
    """Centres where k-means left them."""

    centers: Floats
    labels: Integers
    fitness: float


def polished(partition: Partition, rows: Floats, terms: Terms, kind: str) -> Partition:
    """Return the clusters of stage 2 after the polish; rows are assigned over all features."""
    operations = CPU.prototypes
    data = operations.load(rows, CPU.device)
    n_selected = len(partition.features)

    def settle(centers: Floats) -> Clusters:
        centers, labels = operations.lloyd(data, centers, LLOYD_STEPS)
        between, filled = operations.between_sum(data, labels, len(centers))
        value = terms.fitness(np.array([between]), np.array([n_selected]), np.array([filled]))
        return Clusters(centers, labels, float(value[0]))

    n_clusters = len(partition.prototypes)
    start = np.stack([rows[partition.labels == k].mean(axis=0) for k in range(n_clusters)])
    best = settle(start)
    while kind == "prune" and len(best.centers) > 2:
        trials = [
            settle(np.delete(best.centers, gone, axis=0)) for gone in range(len(best.centers))
        ]
        leader = max(trials, key=lambda trial: trial.fitness)
        if leader.fitness <= best.fitness:
            break
        best = leader
    features = np.arange(rows.shape[1])
    return Partition.of(best.labels, features, best.centers, selected=partition.selected)
