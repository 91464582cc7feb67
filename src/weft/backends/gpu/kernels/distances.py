"""Powered distances of a whole swarm, in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.metrics import DeviceTable, Metrics, weighted_columns


class Distances:
    """The distances of P particles between n rows (eq. 5.1, 6.1), computed on request.

    Numbers are `scale` times the true ones, as in a CPU space.
    """

    def __init__(self, table: DeviceTable, metrics: Metrics, max_memory: int) -> None:
        self.table, self.metrics, self.max_memory = table, metrics, max_memory
        self.device = table.X.device
        self.fused = is_fused(self.device)
        self.n_rows = int(table.X.shape[0])

    @property
    def columns(self) -> Tensor:
        """The table's transpose (d, n)."""
        return self.table.columns

    def squared_rows(self, first: int, last: int, dtype: Any = None) -> Tensor:
        """Return powered distances (P, b, n) of rows first … last - 1, computed in float64.

        Each pair is summed over the features in their order: without exponents the bits are those
        of `squared_difference` on the CPU.
        """
        dtype = dtype or torch.float64
        if self.fused:
            return fused.distances.exact_rows(self.columns, self.metrics, first, last, dtype)
        weighted = weighted_columns(self.table, self.metrics)
        shape = (self.metrics.n_particles, last - first, self.n_rows)
        total = torch.zeros(shape, dtype=torch.float64, device=self.device)
        for slot in range(weighted.shape[2]):
            column = weighted[:, :, slot]
            gap = column[:, None, :] - column[:, first:last, None]
            if self.metrics.exponents is None:
                total += gap * gap
            else:
                total += gap.abs() ** self.metrics.exponents[:, slot, None, None]
        return total.to(dtype)

    def blocks(self, copies: int = 3) -> Iterator[tuple[int, Tensor]]:
        """Yield (first row, powered distances (P, b, n) in float64) within the memory."""
        one = 8 * copies * self.metrics.n_particles * self.n_rows
        height = min(max(self.max_memory // one, 1), self.n_rows)
        for first in range(0, self.n_rows, height):
            yield first, self.squared_rows(first, min(first + height, self.n_rows))

    def rooted(self, powered: Tensor) -> Tensor:
        """Return distances from powered distances (P, …), without removing the scale."""
        if self.metrics.exponents is None:
            return powered.sqrt()
        shape = (-1,) + (1,) * (powered.dim() - 1)
        return powered ** (1.0 / self.metrics.root).to(powered.dtype).reshape(shape)

    def radius(self, distance: float) -> Tensor:
        """Convert a distance to powered distances (P,), for comparisons."""
        metrics = self.metrics
        pairs = zip(metrics.scale.tolist(), metrics.root.tolist(), strict=True)
        values = [float((distance * scale) ** root) for scale, root in pairs]
        return torch.tensor(values, dtype=torch.float64, device=self.device)
