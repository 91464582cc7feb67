"""Stages 1 to 3 on a GPU: the objectives of `weft.methods.staged.objectives`, whole swarms at once.

Sums have the order of the CPU's, so the same seed walks the same path to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.devices import load_torch
from weft.backends.gpu.kernels import prototypes as kernels
from weft.methods.staged.objectives import CentroidObjective, MedoidObjective, Terms
from weft.parallel.parts import WholeSwarm
from weft.search.swarms.base import Evaluation

# What the silhouettes of stage 1 may take at once.
_MEMORY = 2**31


class DeviceMedoidObjective(WholeSwarm, MedoidObjective):
    """Stage 2 for a whole swarm at once."""

    def __init__(self, rows: Floats, terms: Terms, *, device: Any) -> None:
        super().__init__(rows, terms)
        self.data = kernels.Rows.of(self.rows, load_torch().device(device))

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, m + n + 1) → (P,)."""
        moved = load_torch().as_tensor(positions).to(self.data.rows.device)
        n_selected, n_clusters, between = _fetch(
            *kernels.medoid_swarm(self.data, moved, self.terms.max_clusters)
        )
        counts = n_selected.astype(np.int64), n_clusters.astype(np.int64)
        fitness = self.terms.fitness(between, *counts)
        return Evaluation(fitness, {"n_features": counts[0], "n_clusters": counts[1]})


class DeviceCentroidObjective(WholeSwarm, CentroidObjective):
    """Stage 3 for a whole swarm at once."""

    def __init__(self, rows: Floats, features: Integers, terms: Terms, *, device: Any) -> None:
        super().__init__(rows, features, terms)
        torch = load_torch()
        self.data = kernels.Rows.of(self.rows, torch.device(device))
        self.chosen = torch.as_tensor(features, device=self.data.rows.device)

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, K · m') → (P,)."""
        moved = load_torch().as_tensor(positions).to(self.data.rows.device)
        filled, between = _fetch(*kernels.centroid_swarm(self.data, moved, self.chosen))
        n_clusters = filled.astype(np.int64)
        n_selected = np.full(len(positions), len(self.features), dtype=np.int64)
        fitness = self.terms.fitness(between, n_selected, n_clusters)
        return Evaluation(fitness, {"n_features": n_selected, "n_clusters": n_clusters})


def k_means_silhouettes(
    rows: Floats, starts: list[Integers], n_labels: int, max_iter: int, device: Any
) -> Floats:
    """Return the mean silhouette of k-means from each of `starts`, sets of rows."""
    data = kernels.Rows.of(rows, load_torch().device(device))
    labelings = kernels.lloyd(data, starts, max_iter)
    scores = kernels.mean_silhouettes(data, labelings, n_labels, _MEMORY)
    return np.asarray(scores.cpu().numpy())


def _fetch(*columns: Any) -> Floats:
    """Bring numbers (P,) each to the host in one trip."""
    torch = load_torch()
    return np.asarray(torch.stack([column.to(torch.float64) for column in columns]).cpu().numpy())
