"""Partitions and weights of a whole swarm over one table on a device: see `cpu.projected`.

The two products, with the distances' matrix and with the members' columns, run on the device for
the whole swarm, and partitions stay there. Weights are a few thousand numbers and are computed on
the host. Products are in float64, which takes no longer than float32 on a data-centre GPU. Sparse
rows are not implemented here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Labels, Mask, Tensor
from weft.backends.devices import to_device
from weft.backends.reference.projected import Summary, refill, summary_of
from weft.parallel.threads import Runner

_AT_ONCE = 2**27  # numbers that one step holds


class Table(NamedTuple):
    """A table on a device."""

    X: Tensor  # (n, M)
    norms: Tensor  # (n,), Σ_j x²
    squares: Tensor  # (n, 2M), squares and values side by side
    n_clusters: int


def load(X: Floats, n_clusters: int, run: Runner, device: str) -> Table:
    rows = to_device(X, device)
    norms = to_device(np.einsum("ij,ij->i", X, X), device)
    return Table(rows, norms, torch.hstack([rows * rows, rows]), n_clusters)


def hold(table: Table, labels: Labels) -> Tensor:
    return to_device(labels, table.X.device).clone()


def fetch(partitions: Tensor) -> Labels:
    return np.asarray(partitions.cpu().numpy())


def summarise(table: Table, partitions: Tensor, live: Integers) -> Summary:
    labels = partitions[to_device(live, partitions.device)]
    totals, sizes = [], []
    height = max(_AT_ONCE // (labels.shape[1] * table.n_clusters), 1)
    for first in range(0, len(labels), height):
        member = _members(labels[first : first + height], table.n_clusters)
        totals.append(member.transpose(1, 2) @ table.squares)
        sizes.append(member.sum(dim=1))
    return summary_of(torch.cat(totals).cpu().numpy(), torch.cat(sizes).cpu().numpy())


def assign(
    table: Table, factors: Floats, centers: Floats, dead: Mask, exact: bool
) -> tuple[Labels, Floats]:
    labels, best = _nearest(table, factors, centers, dead)
    return labels.cpu().numpy(), best.cpu().numpy()


def reassign(
    table: Table,
    partitions: Tensor,
    live: Integers,
    factors: Floats,
    centers: Floats,
    dead: Mask,
    exact: bool,
) -> Mask:
    labels, cost = _nearest(table, factors, centers, dead)
    # Few partitions have clusters without rows: those are refilled on the host.
    sizes = _members(labels, table.n_clusters).sum(dim=1)
    for number in (sizes == 0.0).any(dim=1).nonzero()[:, 0].tolist():
        own = labels[number].cpu().numpy()
        refill(own, cost[number].cpu().numpy(), table.n_clusters)
        labels[number] = to_device(own, labels.device)
    index = to_device(live, labels.device)
    changed = (labels != partitions[index]).any(dim=1)
    partitions[index[changed]] = labels[changed]
    return np.asarray(changed.cpu().numpy())


def squared_distances(table: Table, rows: Integers | Tensor) -> Tensor:
    index = to_device(rows, table.X.device)
    out = table.norms[index, None] + table.norms
    out -= 2.0 * (table.X[index] @ table.X.T)
    out.clamp_(min=0.0)
    out.scatter_(1, index[:, None], 0.0)
    return out


def draw_next(
    nearest: Tensor, draws: Floats, distances_to: Callable[[Tensor], Tensor]
) -> tuple[Integers, Tensor]:
    n_particles, n_rows = nearest.shape
    reach = nearest.cumsum(dim=1)
    aims = to_device(draws, nearest.device) * reach[:, -1:]
    candidates = torch.searchsorted(reach, aims, right=True).clamp(max=n_rows - 1)
    offered = distances_to(candidates.ravel()).reshape(*draws.shape, n_rows)
    offered = torch.minimum(offered, nearest[:, None])
    best = offered.sum(dim=2).argmin(dim=1)
    particles = torch.arange(n_particles, device=nearest.device)
    return candidates[particles, best].cpu().numpy(), offered[particles, best]


def _nearest(table: Table, factors: Floats, centers: Floats, dead: Mask) -> tuple[Tensor, Tensor]:
    tilted = factors * centers
    P, K, M = tilted.shape
    right = np.concatenate([np.broadcast_to(factors, tilted.shape), -2.0 * tilted], axis=2)
    constant = np.einsum("pkj,pkj->pk", tilted, centers)
    constant[dead] = np.inf
    matrix = to_device(right.reshape(P * K, 2 * M), table.X.device).T
    offset = to_device(constant.reshape(P * K), table.X.device)
    labels, best = [], []
    height = max(_AT_ONCE // (P * K), 1)
    for first in range(0, len(table.X), height):
        distances = table.squares[first : first + height] @ matrix
        distances += offset
        distances = distances.reshape(-1, P, K)
        least = distances.argmin(dim=2, keepdim=True)
        best.append(distances.gather(2, least)[:, :, 0].T)
        labels.append(least[:, :, 0].T.to(torch.int32))
    return torch.cat(labels, dim=1), torch.cat(best, dim=1)


def _members(labels: Tensor, n_clusters: int) -> Tensor:
    """Return (P, n, K), 1 in the column of a row's cluster; rows in none have 0 throughout."""
    out = torch.zeros((*labels.shape, n_clusters), dtype=torch.float64, device=labels.device)
    inside = (labels >= 0).to(torch.float64)[:, :, None]
    return out.scatter_(2, labels.clamp(min=0).long()[:, :, None], inside)
