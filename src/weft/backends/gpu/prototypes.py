"""Rows and prototypes on a device, a whole swarm per call.

Sums have the order of the CPU's, so the same seed takes the same path to the last bit.
"""

from __future__ import annotations

import numpy as np
import torch

from weft._base.arrays import Floats, Integers
from weft.backends.devices import to_device
from weft.backends.gpu.kernels import prototypes as kernels
from weft.backends.gpu.kernels import validity
from weft.backends.gpu.kernels.prototypes import Rows
from weft.backends.gpu.kernels.validity import Pool
from weft.backends.gpu.transfers import fetch

_MEMORY = 2**31  # bytes that the silhouettes of stage 1 may take at once


def load(rows: Floats, device: str, *, medoids: bool = False) -> Rows:
    """Move the rows to the device; `medoids` marks their values, which `medoid_swarm` needs."""
    return Rows.of(rows, torch.device(device), marked=medoids)


def load_pool(data: Rows, centers: Floats) -> Pool:
    """Measure the distances of a pool of centres to the rows, once for all particles."""
    return Pool.of(data, to_device(centers, data.rows.device))


def medoid_swarm(data: Rows, positions: Floats, limit: int) -> tuple[Integers, Integers, Floats]:
    return fetch(*kernels.medoid_swarm(data, to_device(positions, data.rows.device), limit))


def centroid_swarm(data: Rows, positions: Floats, features: Integers) -> tuple[Integers, Floats]:
    device = data.rows.device
    device_positions, chosen = to_device(positions, device), to_device(features, device)
    return fetch(*kernels.centroid_swarm(data, device_positions, chosen))


def string_swarm(data: Rows, positions: Floats, n_genes: int) -> tuple[Integers, Floats]:
    return fetch(*validity.string_swarm(data, to_device(positions, data.rows.device), n_genes))


def subset_swarm(pool: Pool, positions: Floats) -> tuple[Integers, Floats, Floats]:
    return fetch(*validity.subset_swarm(pool, to_device(positions, pool.distances.device)))


def lloyd(data: Rows, centers: Floats, max_iter: int) -> tuple[Floats, Integers]:
    device = data.rows.device
    n_centers = torch.tensor([len(centers)], dtype=torch.int32, device=device)
    start = to_device(centers, device)[None]
    labels, moved = kernels.lloyd_from(data, start, n_centers, max_iter)
    return moved[0].cpu().numpy(), labels[0].cpu().numpy().astype(np.int64)


def kmeans_silhouettes(
    data: Rows, starts: list[Integers], n_labels: int, max_iter: int, n_threads: int = 1
) -> Floats:
    labelings = kernels.lloyd(data, starts, max_iter)
    scores = kernels.mean_silhouettes(data, labelings, n_labels, _MEMORY)
    return np.asarray(scores.cpu().numpy())
