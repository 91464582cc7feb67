"""Distances of a whole generation on a torch device, and the operations on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from weft._base.arrays import Floats, Tensor
from weft._base.labels import number_by_first_row
from weft.backends.gpu.kernels import affinity, linkage, neighbours, scores
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.metrics import pack, weighted_columns
from weft.backends.spaces import Neighbours, Partitions


class Spaces:
    """Distances of P particles; see `weft.backends.spaces.Spaces` for the operations."""

    def __init__(self, distances: Distances, *, exact: bool = False) -> None:
        self.values = distances
        self.xp = torch
        self._exact = exact
        self._source: Any = None  # of the nearest rows: the silhouette uses its products

    @property
    def n_particles(self) -> int:
        return self.values.metrics.n_particles

    @property
    def n_rows(self) -> int:
        return self.values.n_rows

    @property
    def n_columns(self) -> int:
        return int(self.values.table.X.shape[1])

    def table(self) -> Floats:
        return np.asarray(self.values.table.X.cpu().numpy())

    def to_host(self, array: Any) -> NDArray[Any]:
        host_array = array.cpu().numpy() if self.xp.is_tensor(array) else np.asarray(array)
        return host_array.astype(np.int64) if host_array.dtype == np.int32 else host_array

    def to_device(self, array: NDArray[Any]) -> Tensor:
        if array.dtype == np.int64:  # labels and indices
            array = array.astype(np.int32)
        return self.xp.as_tensor(array, device=self.values.device)

    def full(self) -> Spaces:
        table = self.values.table
        packed = pack(np.ones((self.n_particles, table.X.shape[1])), None, table.spread)
        distances = Distances(table, packed.to(self.values.device), self.values.max_memory)
        return Spaces(distances, exact=self._exact)

    def selected_columns(self, particle: int) -> Floats:
        kept = self.values.metrics.weights[particle] > 0.0
        columns = weighted_columns(self.values.table, self.values.metrics)[particle][:, kept]
        return np.ascontiguousarray(columns.cpu().numpy())

    def distances(self) -> Tensor:
        return self._true_distances(self.values.squared_rows(0, self.n_rows))

    def nearest_rows(self, n_neighbors: int, guess: Tensor | None = None) -> Tensor:
        near = neighbours.nearest_rows(self.values, n_neighbors)
        self._source = near.source
        return near.indices

    def likely_neighbours(self, n_neighbors: int) -> Tensor | None:
        return None  # all pairs are compared anyway

    def neighbours(self, n_neighbors: int) -> Neighbours:
        near = neighbours.nearest_rows(self.values, n_neighbors)
        return Neighbours(near.indices, self._true_distances(near.powered))

    def graph_components(self, indices: Tensor) -> Tensor:
        return neighbours.graph_components(indices)

    def dbscan(self, eps: float, min_samples: int) -> tuple[Tensor, Tensor]:
        labels, core = neighbours.dbscan(self.values, eps, min_samples)
        return labels.to(self.xp.int32), core

    def complete_linkage(self, n_clusters: int) -> Tensor:
        return linkage.complete_linkage(self.values.squared_rows(0, self.n_rows), n_clusters)

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        torch, metrics = self.xp, self.values.metrics
        S = self.values.squared_rows(0, self.n_rows, torch.float32)
        if metrics.exponents is not None:
            S = self.values.rooted(S).square_()
        S.neg_()
        if preference is None:
            diagonal = affinity.median_similarity(S)
        else:
            diagonal = preference * metrics.scale**2
        S.diagonal(dim1=1, dim2=2).copy_(diagonal[:, None].to(S.dtype))
        affinity.break_ties(S)
        exemplars, settled = affinity.affinity_propagation(S, damping, max_iter, convergence_iter)
        numbered = np.stack([number_by_first_row(row) for row in exemplars.cpu().numpy()])
        labels = torch.as_tensor(numbered.astype(np.int32), device=self.values.device)
        anchors = torch.zeros(exemplars.shape, dtype=torch.bool, device=self.values.device)
        anchors.scatter_(1, exemplars.clamp(min=0), exemplars >= 0)
        return Partitions(labels, anchors, settled)

    def outliers_as_cluster(self, labels: Tensor) -> Tensor:
        return self.xp.where(labels < 0, labels.amax(dim=1, keepdim=True) + 1, labels)

    def count_clusters(self, labels: Tensor) -> Tensor:
        return labels.amax(dim=1).to(self.xp.float64) + 1.0

    def count_labelled(self, labels: Tensor) -> Tensor:
        return (labels >= 0).sum(dim=1).to(self.xp.float64)

    def silhouette(self, labels: Tensor) -> Tensor:
        if self._exact:
            rows = scores.exact_silhouette_rows(self.values, labels)
        else:
            rows = scores.silhouette_rows(self.values, labels, self._source)
        return scores.mean_of_labelled(rows, labels).to(self.xp.float64)

    def connectedness(self, labels: Tensor, neighbours: Neighbours, cap: float) -> Tensor:
        closeness = (1.0 / neighbours.distances).clamp(max=cap)
        indices = neighbours.indices
        if len(indices) == 1:  # the same for all particles
            indices, closeness = indices[0], closeness[0]
        rows = scores.connectedness_rows(indices, closeness, labels)
        return scores.mean_of_labelled(rows, labels)

    def sparsity_and_separation(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        widest, nearest = scores.widest_and_nearest(self.values, labels)
        counts = self.count_clusters(labels).clamp(min=1.0)
        sparsity, separation = (self._true_distances(each).sum(dim=1) for each in (widest, nearest))
        return sparsity / counts, separation / counts

    def gaussian_scores(self, labels: Tensor, noise: float) -> tuple[Tensor, Tensor]:
        X = self.values.table.X
        spread = X.std(dim=0, correction=0)
        floor = 1e-12 * self.xp.where(spread > 0.0, spread, 1.0)
        return scores.gaussian_scores(X, labels, noise, floor)

    def _true_distances(self, powered: Tensor) -> Tensor:
        """Remove the power and the scale from powered distances (P, …)."""
        shape = (-1,) + (1,) * (powered.dim() - 1)
        return self.values.rooted(powered) / self.values.metrics.scale.reshape(shape)
