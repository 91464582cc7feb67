"""Scores of the clusterings of a whole swarm; see the reference for the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from weft._base.arrays import Tensor
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.neighbours import power_share, powered_blocks


def cluster_sizes(labels: Tensor, width: int | None = None) -> Tensor:
    """Return the sizes (P, width) int32 of clusters 0 … of labels (P, n); -1 is not counted."""
    P, n_rows = labels.shape
    sizes = torch.zeros((P, width or n_rows), dtype=torch.int32, device=labels.device)
    ones = (labels >= 0).to(torch.int32)
    return sizes.scatter_add_(1, labels.clamp(min=0).long(), ones)


def cluster_totals(values: Tensor, labels: Tensor, n_clusters: int) -> Tensor:
    """Return the sums (P, K, q) of values (n, q) or (P, n, q) over each cluster's rows.

    Products with the members' columns always add in the same order; atomic additions do not. The
    number of clusters per step is limited so that they need no more memory than the values.
    """
    height = max(values.shape[-1], 32)
    totals = []
    for first in range(0, n_clusters, height):
        last = min(first + height, n_clusters)
        clusters = torch.arange(first, last, dtype=labels.dtype, device=labels.device)
        totals.append((labels[:, None, :] == clusters[:, None]).to(values.dtype) @ values)
    return torch.cat(totals, dim=1)


def silhouettes(sums: Tensor, labels: Tensor, counts: Tensor) -> Tensor:
    """Return (b - a) / max(a, b) of some rows (P, b), from their sums (P, K, b) of distances.

    `labels` (P, b), not below 0, are the rows' own; `counts` (P, K) in float64 the clusters' sizes.
    """
    own = labels[:, None, :]
    size = counts.gather(1, labels)
    a = sums.gather(1, own)[:, 0] / (size - 1.0).clamp(min=1.0)
    means = sums / counts.clamp(min=1.0)[:, :, None]
    means.masked_fill_((counts == 0.0)[:, :, None], torch.inf)
    b = means.scatter_(1, own, torch.inf).amin(dim=1)
    larger = torch.maximum(a, b)
    good = (size > 1.0) & (larger > 0.0) & (b < torch.inf)
    return torch.where(good, (b - a) / torch.where(good, larger, 1.0), 0.0)


def silhouette_rows(distances: Distances, labels: Tensor, source: Any = None) -> Tensor:
    """Return (b - a) / max(a, b) of each row (P, n) in the search's precision."""
    if not distances.fused:
        return exact_silhouette_rows(distances, labels)
    if source is None:
        source = fused.nearest.Source(distances.table, distances.metrics, power_share(distances))
    blocks = None if distances.metrics.exponents is None else powered_blocks(distances)
    inverse = (1.0 / distances.metrics.root).to(torch.float32)
    sizes = cluster_sizes(labels)
    narrow = labels.to(torch.int32)  # labels of a user's own clusterer are often int64
    return fused.scores.silhouette_rows(source, narrow, sizes, inverse, blocks)


def exact_silhouette_rows(distances: Distances, labels: Tensor) -> Tensor:
    """Return the same in float64 throughout, from each row's sums of distances to clusters."""
    n_clusters = max(int(labels.max()) + 1, 1)
    counts = cluster_sizes(labels, n_clusters).to(torch.float64)
    place = labels.clamp(min=0).long()
    out = []
    for first, block in distances.blocks(copies=4):
        sums = cluster_totals(distances.rooted(block).transpose(1, 2), labels, n_clusters)
        out.append(silhouettes(sums, place[:, first : first + block.shape[1]], counts))
    return torch.where(labels >= 0, torch.cat(out, dim=1), 0.0)


def widest_and_nearest(distances: Distances, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return powered distances (P, K) for sparsity and separation.

    The first are the largest distances of a row to its nearest row in the same cluster, the second
    the smallest distances to a row of another cluster; 0 if there is no such row.
    """
    n_clusters = max(int(labels.max()) + 1, 1)
    labelled = labels >= 0
    same, other = [], []
    for first, block in distances.blocks(copies=4):
        own = labels[:, first : first + block.shape[1], None]
        mates = (own == labels[:, None, :]) & (own >= 0)
        strangers = (own != labels[:, None, :]) & (own >= 0) & labelled[:, None, :]
        rows = torch.arange(block.shape[1], device=block.device)
        mates[:, rows, first + rows] = False
        same.append(torch.where(mates, block, torch.inf).amin(dim=2))
        other.append(torch.where(strangers, block, torch.inf).amin(dim=2))
    place = labels.clamp(min=0).long()
    start = torch.zeros((len(labels), n_clusters), dtype=torch.float64, device=labels.device)
    gaps = torch.where(labelled, torch.cat(same, dim=1), -torch.inf)
    widest = (start - torch.inf).scatter_reduce_(1, place, gaps, "amax")
    reach = torch.where(labelled, torch.cat(other, dim=1), torch.inf)
    nearest = (start + torch.inf).scatter_reduce_(1, place, reach, "amin")
    return tuple(torch.where(each.isfinite(), each, 0.0) for each in (widest, nearest))


def connectedness_rows(indices: Tensor, closeness: Tensor, labels: Tensor) -> Tensor:
    """Return Σ_k ±min(1/d(i,k), cap) of each row (P, n): plus for mates in the own cluster.

    `indices` and `closeness` are (n, k), the same for all particles, or (P, n, k).
    """
    P, n_rows = labels.shape
    if indices.dim() == 2:
        mates = labels[:, indices.long().reshape(-1)].reshape(P, n_rows, -1)
    else:
        mates = labels.gather(1, indices.long().reshape(P, -1)).reshape(P, n_rows, -1)
    own = labels[:, :, None]
    sign = (mates == own).to(closeness.dtype) * 2.0 - 1.0
    both = ((mates >= 0) & (own >= 0)).to(closeness.dtype)
    return torch.sum(sign * both * closeness, dim=2)


def mean_of_labelled(values: Tensor, labels: Tensor) -> Tensor:
    """Return the mean (P,) over the rows that are in a cluster; 0 where there are none."""
    inside = (labels >= 0).to(values.dtype)
    return (values * inside).sum(dim=1) / inside.sum(dim=1).clamp(min=1.0)


def gaussian_scores(X: Tensor, labels: Tensor, noise: float, floor: Tensor) -> tuple[Any, Any]:
    """Return log P(x|Model) P(Model) of each row's own cluster and of the best other one, (P, n).

    Clusters are processed one after the other, with all particles and rows at once: P × n × d
    numbers are held.
    """
    n_clusters = max(int(labels.max()) + 1, 2)
    P, n_rows = labels.shape
    n_features = X.shape[1]
    place = labels.clamp(min=0).long()
    counts = cluster_sizes(labels, n_clusters).to(torch.float64)
    size = counts.clamp(min=1.0)[:, :, None]
    means = cluster_totals(X, labels, n_clusters) / size
    gap = X - means.gather(1, place[:, :, None].expand(P, n_rows, n_features))
    spread = cluster_totals(gap.square_(), labels, n_clusters) / size
    sd = torch.maximum(spread.sqrt() + noise, floor)
    share = counts / counts.sum(dim=1, keepdim=True).clamp(min=1.0)
    constant = share.clamp(min=1e-300).log() - 0.5 * n_features * float(np.log(2.0 * np.pi))
    constant = (constant - sd.log().sum(dim=2)).masked_fill(counts == 0.0, -torch.inf)
    own = torch.zeros((P, n_rows), dtype=torch.float64, device=X.device)
    best_other = torch.full_like(own, -torch.inf)
    for cluster in range(n_clusters):
        z = (X - means[:, cluster, None, :]) / sd[:, cluster, None, :]
        score = constant[:, cluster, None] - 0.5 * (z * z).sum(dim=2)
        mine = place == cluster
        own = torch.where(mine, score, own)
        best_other = torch.where(mine, best_other, torch.maximum(best_other, score))
    there = labels >= 0
    return torch.where(there, own, 0.0), torch.where(there, best_other, 0.0)
