"""Mercer-kernel CS of swarms of centres, and kernel k-means, all at once: see the reference.

Centres stay in their slots (P, C); a mask marks the active ones. Distances to centres are
summed over the coordinates in their order, as on the CPU.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused, prototypes
from weft.backends.gpu.kernels.prototypes import cluster_sums
from weft.backends.gpu.kernels.validity import cluster_means, different_pairs, squared_between

_MEMORY = 2**31  # bytes that one step over all pairs of rows may take


class Rows(NamedTuple):
    """The space of the centres."""

    data: prototypes.Rows
    distances: Tensor  # (n, n)
    low: Tensor  # (q,)
    span: Tensor  # (q,)


class Decoded(NamedTuple):
    """Partitions of a swarm."""

    labels: Tensor  # (P, n), slots
    alive: Tensor  # (P, C)
    centers: Tensor  # (P, C, q)


def active_centers(data: Rows, positions: Tensor, n_centers: int) -> tuple[Tensor, Tensor]:
    """Return all centres (P, C, q), and which are active: thresholds above 0.5, two at least."""
    thresholds = positions[:, :n_centers]
    active = thresholds > 0.5  # eq. 10
    best = torch.sort(thresholds, dim=1, descending=True, stable=True).indices[:, :2]
    active.scatter_(1, best, torch.ones_like(best).bool())
    centers = positions[:, n_centers:].reshape(len(positions), n_centers, -1)
    return data.low + centers * data.span, active


def center_distances(columns: Tensor, centers: Tensor) -> Tensor:
    """Return squared distances (P, n, C) of the rows to centres (P, C, q)."""
    if is_fused(columns.device):
        return fused.mercer_cs.center_distances(columns, centers)
    P, C, _ = centers.shape
    total = torch.zeros((P, columns.shape[1], C), dtype=torch.float64, device=columns.device)
    for feature, column in enumerate(columns):
        gap = column[None, :, None] - centers[:, None, :, feature]
        total += gap * gap
    return total


def count_labels(labels: Tensor, n_clusters: int) -> Tensor:
    """Return how many rows (P, C) each label (P, n) has."""
    shape = (len(labels), n_clusters)
    counts = torch.zeros(shape, dtype=torch.int64, device=labels.device)
    # Sums of integers do not depend on the order of atomic additions.
    return counts.scatter_add_(1, labels, torch.ones_like(labels))


def drop_small(distances: Tensor, alive: Tensor, least: int) -> tuple[Tensor, Tensor]:
    """Drop the smallest clusters, one by one, until all have `least` rows; return labels (P, n) and
    the remaining centres. `distances` (P, n, C) are overwritten."""
    if is_fused(distances.device):
        return fused.mercer_cs.drop_small(distances.contiguous(), alive, least)
    alive = alive.clone()
    distances.masked_fill_(~alive[:, None, :], torch.inf)
    while True:
        labels = distances.argmin(dim=2)
        counts = count_labels(labels, alive.shape[1])
        counts.masked_fill_(~alive, torch.iinfo(torch.int64).max)
        smallest = counts.argmin(dim=1, keepdim=True)
        goes = (counts.gather(1, smallest) < least) & (alive.sum(dim=1, keepdim=True) > 1)
        if not bool(goes.any()):
            return labels, alive
        alive.scatter_(1, smallest, alive.gather(1, smallest) & ~goes)
        distances.masked_fill_(~alive[:, None, :], torch.inf)


def nearest_average(data: prototypes.Rows, distances: Tensor, alive: Tensor) -> Tensor:
    """Return each centre moved to the mean of its n/k nearest rows (section 4.3)."""
    n_rows = len(data.rows)
    share = (n_rows // alive.sum(dim=1)).clamp(min=1)[:, None, None]
    order = torch.sort(distances.transpose(1, 2), dim=2, stable=True).indices
    near = (torch.arange(n_rows, device=alive.device) < share).expand(order.shape)
    taken = torch.zeros_like(near).scatter_(2, order, near)
    # A product may add in another order at the edge of a tile. It is not used, because centres
    # with the same nearest rows must be the same to the last bit.
    if is_fused(taken.device):
        (P, C), q = order.shape[:2], data.rows.shape[1]
        both = torch.zeros((P * C, 2, q), dtype=torch.float64, device=taken.device)
        counts = torch.zeros((P * C, 2), dtype=torch.int32, device=taken.device)
        number = torch.full((P * C,), 2, dtype=torch.int32, device=taken.device)
        labels = (~taken).reshape(P * C, n_rows).to(torch.int32)
        cluster_sums(data, labels, number, both, counts)
        return both[:, 0].reshape(P, C, q) / share
    sums = [torch.where(taken, column, 0.0).sum(dim=2) for column in data.columns]
    return torch.stack(sums, dim=2) / share


def decode_input(data: Rows, positions: Tensor, n_centers: int) -> Decoded:
    """Partition by the printed rules: input space, repaired."""
    rows = data.data
    centers, alive = active_centers(data, positions, n_centers)
    distances = center_distances(rows.columns, centers)
    labels = distances.masked_fill(~alive[:, None, :], torch.inf).argmin(dim=2)
    counts = count_labels(labels, n_centers)
    short = ((counts < 2) & alive).any(dim=1).nonzero()[:, 0]
    if len(short):
        moved = nearest_average(rows, distances[short], alive[short])
        distances = center_distances(rows.columns, moved)
        labels[short], alive[short] = drop_small(distances, alive[short], 2)
        centers[short] = moved
    return Decoded(labels, alive, centers)


def means_of_clusters(
    data: prototypes.Rows, labels: Tensor, going: Tensor, centers: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the means (P, C, q) of the clusters, old centres for empty ones, and the sizes."""
    sums = torch.zeros_like(centers)
    counts = torch.zeros(centers.shape[:2], dtype=torch.int32, device=centers.device)
    number = torch.where(going, centers.shape[1], 0).to(torch.int32)
    cluster_sums(data, labels.to(torch.int32), number, sums, counts)
    means = torch.where((counts > 0)[:, :, None], sums / counts.clamp(min=1)[:, :, None], centers)
    return means, counts


def decode_feature(
    data: Rows, positions: Tensor, n_centers: int, steps: int, least: int
) -> Decoded:
    """Partition in feature space by `steps` of k-means, with a smallest cluster size."""
    rows = data.data
    centers, alive = active_centers(data, positions, n_centers)
    labels, alive = drop_small(center_distances(rows.columns, centers), alive, least)
    for _ in range(steps):
        going = alive.sum(dim=1) >= 2
        moved, _ = means_of_clusters(rows, labels, going, centers)
        centers = torch.where(going[:, None, None], moved, centers)
        moved_labels, left = drop_small(center_distances(rows.columns, centers), alive, least)
        labels = torch.where(going[:, None], moved_labels, labels)
        alive = torch.where(going[:, None], left, alive)
    return Decoded(labels, alive, centers)


def mean_widths(
    distances: Tensor, labels: Tensor, counts: Tensor, max_memory: int = _MEMORY
) -> Tensor:
    """Return the mean (P, C) over a cluster's rows of the distance to its farthest mate."""
    n_rows = len(distances)
    wide = max(int(max_memory // (20 * n_rows * n_rows)), 1)  # particles at once
    tall = min(max(int(max_memory // (20 * n_rows)), 1), n_rows)  # rows of one particle
    small = labels.to(torch.int16)
    out = []
    for first in range(0, len(labels), wide):
        own = small[first : first + wide]
        farthest = []
        for row in range(0, n_rows, tall):
            mates = own[:, row : row + tall, None] == own[:, None, :]
            farthest.append(torch.where(mates, distances[row : row + tall], 0.0).amax(dim=2))
        out.append(torch.cat(farthest, dim=1))
    return cluster_means(torch.cat(out), labels, counts)


def nearest_other(centers: Tensor, alive: Tensor) -> Tensor:
    """Return the squared distance (P, C) of each active centre to the nearest other one."""
    squared = torch.where(different_pairs(alive), squared_between(centers), torch.inf)
    return squared.amin(dim=2)


def kernel_kmeans(
    gram: Tensor, labels: Tensor, n_clusters: int, max_iter: int, least: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return labels (R, n), steps (R,) and sums of squares (R,) of kernel k-means from `labels`.

    A step that would leave a cluster with fewer than `least` rows is not made.
    """
    labels = labels.clone()
    steps = torch.zeros(len(labels), dtype=torch.int64, device=labels.device)
    sums = torch.zeros(len(labels), dtype=torch.float64, device=labels.device)
    live = torch.arange(len(labels), device=labels.device)
    trace = gram.diagonal().sum()
    for step in range(max_iter + 1):
        own = labels[live]
        member = torch.nn.functional.one_hot(own, n_clusters).to(torch.float64).transpose(1, 2)
        counts = member.sum(dim=2)
        products = member @ gram / counts.clamp(min=1.0)[:, :, None]  # ⟨φ(x_i), μ_k⟩
        norms = (member * products).sum(dim=2) / counts.clamp(min=1.0)
        values = norms[:, :, None] - 2.0 * products
        values.masked_fill_((counts == 0.0)[:, :, None], torch.inf)
        moved = values.argmin(dim=1)
        sizes = count_labels(moved, n_clusters)
        stay = (moved == own).all(dim=1) | ((counts > 0.0) & (sizes < least)).any(dim=1)
        if step == max_iter:
            stay = torch.ones_like(stay)
        within = values.gather(1, own[:, None, :])[:, 0].sum(dim=1) + trace
        sums[live[stay]] = within[stay]
        live, moved = live[~stay], moved[~stay]
        if len(live) == 0:
            break
        labels[live] = moved
        steps[live] += 1
    return labels, steps, sums
