"""Kernel swarms and their rivals on a GPU: the same objectives, whole swarms at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.devices import load_torch, to_device
from weft.backends.gpu.kernels import mercer_cs, prototypes, validity
from weft.methods.centroids.objectives import StringObjective, SubsetObjective
from weft.methods.mercer.objectives import InputObjective, SpaceObjective
from weft.methods.mercer.spaces import FeatureSpace, KernelSpace, gamma_of, make_space, read_width
from weft.parallel.parts import WholeSwarm

_MEMORY = 2**31  # bytes that one step over all pairs of rows may take


def _here(*columns: Any) -> list[Floats]:
    """Bring numbers (P,) each to the host in one trip."""
    torch = load_torch()
    together = torch.stack([column.to(torch.float64) for column in columns])
    return list(together.cpu().numpy())


class DeviceInputObjective(WholeSwarm, InputObjective):
    """Centres among the rows, eq. 8."""

    def __init__(self, rows: Floats, max_clusters: int, *, gamma: float, device: Any) -> None:
        super().__init__(rows, max_clusters, gamma=gamma)
        self.data = prototypes.Rows.of(self.rows, device, marked=False)
        self.there = [to_device(array, device) for array in (self.distances, self.low, self.span)]

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the number of clusters and the measure of all particles."""
        distances, low, span = self.there
        moved = to_device(positions, distances.device)
        found = mercer_cs.input_cs_swarm(
            self.data, moved, distances, self.max_clusters, low, span, self.gamma, _MEMORY
        )
        number, cs = _here(*found)
        return number.astype(np.int64), cs


class DeviceSpaceObjective(WholeSwarm, SpaceObjective):
    """Centres in feature space, the weighted CS."""

    def __init__(
        self, space: FeatureSpace, max_clusters: int, *, steps: int, least: int, device: Any
    ) -> None:
        super().__init__(space, max_clusters, steps=steps, least=least)
        self.data = prototypes.Rows.of(self.rows, device, marked=False)
        self.there = [to_device(array, device) for array in (self.distances, self.low, self.span)]

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the number of clusters and the measure of all particles."""
        distances, low, span = self.there
        found = mercer_cs.feature_cs_swarm(
            self.data,
            to_device(positions, distances.device),
            distances,
            self.max_clusters,
            low,
            span,
            self.steps,
            self.least,
            _MEMORY,
        )
        number, cs = _here(*found)
        return number.astype(np.int64), cs


class DeviceStringObjective(WholeSwarm, StringObjective):
    """GCUK's strings of centres."""

    def __init__(
        self, rows: Floats, max_clusters: int, *, min_clusters: int = 2, device: Any
    ) -> None:
        super().__init__(rows, max_clusters, min_clusters=min_clusters)
        self.data = prototypes.Rows.of(self.rows, device, marked=False)

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return clusters found and the index of each string."""
        moved = to_device(positions, self.data.rows.device)
        number, index = _here(*validity.string_swarm(self.data, moved, self.max_clusters))
        return number.astype(np.int64), index


class DeviceSubsetObjective(WholeSwarm, SubsetObjective):
    """DCPSO's subsets of a pool, whose distances to all rows are taken once."""

    def __init__(
        self,
        rows: Floats,
        pool: Floats,
        *,
        penalty: float = 25.0,
        device: Any,
        data: prototypes.Rows | None = None,
    ) -> None:
        super().__init__(rows, pool, penalty=penalty)
        self.device = device
        self.data = prototypes.Rows.of(self.rows, device, marked=False) if data is None else data
        self.measured = validity.Pool.of(self.data, to_device(self.pool, device))

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats, Floats]:
        """Return clusters, spread within and distance between of each particle."""
        moved = to_device(positions, self.device)
        number, intra, inter = _here(*validity.subset_swarm(self.measured, moved))
        return number.astype(np.int64), intra, inter

    def with_pool(self, pool: Floats) -> DeviceSubsetObjective:
        """Return the objective of another pool on the same rows."""
        return DeviceSubsetObjective(
            self.rows, pool, penalty=self.penalty, device=self.device, data=self.data
        )

    def settle(self, centers: Floats, max_iter: int) -> Floats:
        """Return the centres that have rows, after k-means from `centers`."""
        torch = load_torch()
        number = torch.tensor([len(centers)], dtype=torch.int32, device=self.data.rows.device)
        labels, moved = prototypes.lloyd_from(
            self.data, to_device(centers, self.device)[None], number, max_iter
        )
        return np.asarray(moved[0, labels[0].unique().long()].cpu().numpy())


def kernel_k_means(
    gram: Any, starts: list[Integers], n_clusters: int, max_iter: int
) -> tuple[Integers, Integers, Floats]:
    """Return labels (R, n), steps and sums of squares of kernel k-means from sets of rows.

    `gram` (n, n) lies on the device.
    """
    torch = load_torch()
    chosen = torch.as_tensor(np.stack(starts)).to(gram.device)
    products = gram[chosen]  # (R, K, n)
    labels = (gram.diagonal()[chosen][:, :, None] - 2.0 * products).argmin(dim=1)
    found = mercer_cs.kernel_kmeans(gram, labels, n_clusters, max_iter, 0)
    labelings, steps, sums = (each.cpu().numpy() for each in found)
    return labelings, steps, sums


def make_space_there(
    rows: Floats,
    kernel: Any,
    sigma: Any,
    kernel_params: dict[str, Any] | None,
    *,
    n_components: int,
    device: Any,
) -> tuple[FeatureSpace, float | None, Any]:
    """Return what `make_space` does, and the inner products on the device.

    The Gaussian kernel is made there; others are made on the host and moved.
    """
    sigma = read_width(kernel, sigma)
    given = dict(kernel_params or {})
    if kernel != "rbf" or set(given) - {"gamma"}:
        space, width = make_space(rows, kernel, sigma, kernel_params, n_components=n_components)
        return space, width, to_device(space.gram, device)
    width = median_distance(rows, device) if sigma == "median" else sigma
    params = {"gamma": gamma_of(width), **given}
    gram = gaussian_gram(rows, params["gamma"], device)
    space = KernelSpace.of_gram(rows, gram.cpu().numpy(), kernel, params, n_components)
    return space, width, gram


def gaussian_gram(rows: Floats, gamma: float, device: Any) -> Any:
    """Return exp(-γ |x - y|²) of all rows, on the device."""
    torch = load_torch()
    X = to_device(rows, device)
    gram = torch.cdist(X, X, compute_mode="donot_use_mm_for_euclid_dist")
    return gram.square_().mul_(-gamma).exp_()


def median_distance(rows: Floats, device: Any) -> float:
    """Return the median distance between different rows; 1 if all rows are equal."""
    torch = load_torch()
    X = to_device(rows, device)
    away = torch.cdist(X, X, compute_mode="donot_use_mm_for_euclid_dist").ravel()
    away = away[away > 0.0].sort().values
    if len(away) == 0:
        return 1.0
    middle = away[[(len(away) - 1) // 2, len(away) // 2]]
    return float(middle.mean())


def choose_centers(
    gram: Any, alpha: float, beta: float, n_clusters: int
) -> tuple[list[int], list[float], Integers]:
    """Return subtractive clustering's centres, their potentials, and each row's nearest of them."""
    torch = load_torch()
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
    return chosen, heights, np.asarray(squared[:, chosen].argmin(dim=1).cpu().numpy())
