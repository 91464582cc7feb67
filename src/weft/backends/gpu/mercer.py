"""Mercer kernels on a device: whole swarms, and all starts of kernel k-means, at once."""

from __future__ import annotations

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Tensor
from weft.backends.devices import to_device
from weft.backends.gpu.kernels import mercer_cs as kernels
from weft.backends.gpu.kernels import prototypes
from weft.backends.gpu.kernels.mercer_cs import Rows
from weft.backends.gpu.kernels.validity import in_order
from weft.backends.gpu.transfers import fetch


def load(rows: Floats, distances: Floats, low: Floats, span: Floats, device: str) -> Rows:
    moved = (to_device(array, device) for array in (distances, low, span))
    return Rows(prototypes.Rows.of(rows, device, marked=False), *moved)


def gaussian_gram(rows: Floats, gamma: float, device: str) -> Tensor:
    return _distances(rows, device).square_().mul_(-gamma).exp_()


def load_gram(gram: Floats, device: str) -> Tensor:
    return to_device(gram, device)


def fetch_gram(gram: Tensor) -> Floats:
    return gram.cpu().numpy()


def median_distance(rows: Floats, device: str) -> float:
    away = _distances(rows, device).ravel()
    away = away[away > 0.0].sort().values
    if len(away) == 0:
        return 1.0
    middle = away[[(len(away) - 1) // 2, len(away) // 2]]
    return float(middle.mean())


def _distances(rows: Floats, device: str) -> Tensor:
    device_rows = to_device(rows, device)
    return torch.cdist(device_rows, device_rows, compute_mode="donot_use_mm_for_euclid_dist")


def input_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, gamma: float
) -> tuple[Integers, Floats]:
    moved = to_device(positions, data.low.device)
    labels, alive, centers = kernels.decode_input(data, moved, n_centers)
    widths = kernels.mean_widths(data.distances, labels, kernels.count_labels(labels, n_centers))
    apart = 2.0 * (1.0 - torch.exp(-gamma * kernels.nearest_other(centers, alive)))  # eq. 5
    above = in_order(torch.where(alive, widths, 0.0))
    below = in_order(torch.where(alive, apart, 0.0))
    n_alive = alive.sum(dim=1)
    good = (n_alive >= 2) & (below > 0.0)
    return fetch(n_alive, torch.where(good, above / below, torch.inf))


def feature_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, steps: int, least: int
) -> tuple[Integers, Floats]:
    moved = to_device(positions, data.low.device)
    labels, alive, centers = kernels.decode_feature(data, moved, n_centers, steps, least)
    n_alive = alive.sum(dim=1)
    means, counts = kernels.means_of_clusters(data.data, labels, n_alive >= 2, centers)
    widths = kernels.mean_widths(data.distances, labels, counts)
    apart = kernels.nearest_other(means, alive)
    far = (apart > 1e-12 * (data.span * data.span).sum()) | ~alive
    terms = torch.where(alive, counts * (widths / apart), 0.0)
    good = (n_alive >= 2) & far.all(dim=1)
    cs = torch.where(good, in_order(terms) / len(data.distances), torch.inf)
    return fetch(n_alive, cs)


def kernel_kmeans(
    gram: Tensor, starts: list[Integers], max_iter: int, n_threads: int = 1
) -> tuple[Integers, Integers, Floats]:
    chosen = to_device(np.stack(starts), gram.device)
    products = gram[chosen]  # (R, K, n)
    labels = (gram.diagonal()[chosen][:, :, None] - 2.0 * products).argmin(dim=1)
    runs = kernels.kernel_kmeans(gram, labels, len(starts[0]), max_iter, 0)
    labelings, steps, sums = (each.cpu().numpy() for each in runs)
    return labelings, steps, sums


def subtractive_centers(
    gram: Tensor, alpha: float, beta: float, n_clusters: int
) -> tuple[Integers, Floats, Integers]:
    norms = gram.diagonal()
    squared = (norms[:, None] - 2.0 * gram + norms).clamp_(min=0.0)
    potential = torch.exp(-alpha * squared).sum(dim=1)
    chosen: list[int] = []
    heights: list[float] = []
    for _ in range(n_clusters):
        center = int(potential.argmax())
        chosen.append(center)
        heights.append(float(potential[center]))
        potential = potential - potential[center] * torch.exp(-beta * squared[:, center])
        potential[chosen] = -torch.inf
    nearest = squared[:, chosen].argmin(dim=1).cpu().numpy()
    return np.array(chosen), np.array(heights), nearest
