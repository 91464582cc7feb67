"""The metrics of a generation: one set of weights (and exponents) per particle.

========  =========  ====================================================================
symbol    shape      meaning
========  =========  ====================================================================
P, n, M   ()         particles, rows, slots for features; a slot that is left over has
                     weight 0, which adds exactly 0 to every distance
kept      (P, M)     features with a weight, in their order
weights   (P, M)     their weights times the particle's scale, a power of 2 that keeps
                     squares in the range of float32
========  =========  ====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch

from weft._base.arrays import Floats, Tensor


@dataclass(frozen=True)
class DeviceTable:
    """The unweighted data on the device."""

    X: Tensor  # (n, d), float64
    centred: Tensor  # (n, d), minus the column means
    spread: Floats  # (d,), on the host: largest absolute value of each centred column

    @classmethod
    def of(cls, X: Any, device: Any) -> DeviceTable:
        """Prepare a table; a tensor that is already on the device is not copied."""
        rows = torch.as_tensor(X, dtype=torch.float64, device=device).contiguous()
        centred = rows - rows.mean(dim=0)
        return cls(rows, centred, centred.abs().amax(dim=0).cpu().numpy())

    @cached_property
    def columns(self) -> Tensor:
        """The transpose of X, (d, n)."""
        return self.X.T.contiguous()


class Metrics(NamedTuple):
    """Features, weights and exponents of P particles, on the device."""

    kept: Tensor  # (P, M), int32
    weights: Tensor  # (P, M), float64
    exponents: Tensor | None  # (P, M), float64; None: 2 for all
    scale: Tensor  # (P,), float64
    root: Tensor  # (P,), float64

    @classmethod
    def unpacked(cls, packed: Tensor, n_slots: int, *, exponents: bool) -> Metrics:
        """Read (P, 2 or 3 times M, and 2) numbers as `pack` laid them out."""
        kept = packed[:, :n_slots].to(torch.int32)
        weights = packed[:, n_slots : 2 * n_slots].contiguous()
        powers = packed[:, 2 * n_slots : 3 * n_slots].contiguous() if exponents else None
        return cls(kept, weights, powers, packed[:, -2].contiguous(), packed[:, -1].contiguous())

    @property
    def n_particles(self) -> int:
        return int(self.kept.shape[0])


class Packed(NamedTuple):
    """The metrics of a generation on the host, packed for one transfer to the device."""

    numbers: Floats  # (P, 2 or 3 times M, and 2)
    n_slots: int
    exponents: bool

    def to(self, device: Any) -> Metrics:
        """Move them."""
        moved = torch.as_tensor(self.numbers).to(device)
        return Metrics.unpacked(moved, self.n_slots, exponents=self.exponents)


def pack(weights: Floats, exponents: Floats | None, spread: Floats) -> Packed:
    """Lay out the metrics of P particles, (P, d) each; a feature of weight 0 takes no slot."""
    is_kept = weights > 0.0
    n_kept = is_kept.sum(axis=1)
    n_slots = _n_slots(int(n_kept.max(initial=1)))
    order = np.argsort(~is_kept, axis=1, kind="stable")[:, :n_slots]
    width = order.shape[1]
    used = np.arange(width) < n_kept[:, np.newaxis]
    numbers = np.zeros((len(weights), (2 if exponents is None else 3) * n_slots + 2))
    numbers[:, :width] = np.where(used, order, 0)
    chosen = np.where(used, np.take_along_axis(weights, order, axis=1), 0.0)
    scale, root = np.ones(len(weights)), np.full(len(weights), 2.0)
    if exponents is None:
        scale = _scale_to_one(np.max(weights * spread, axis=1, initial=0.0))
        chosen *= scale[:, np.newaxis]
    else:
        powers = numbers[:, 2 * n_slots : 3 * n_slots]
        powers[:] = 1.0
        powers[:, :width] = np.where(used, np.take_along_axis(exponents, order, axis=1), 1.0)
        for row in np.flatnonzero(n_kept):
            root[row] = exponents[row][is_kept[row]].mean()
    numbers[:, n_slots : n_slots + width] = chosen
    numbers[:, -2], numbers[:, -1] = scale, root
    return Packed(numbers, n_slots, exponents is not None)


def _n_slots(n_kept: int) -> int:
    """Return 16, 32, 64 or a multiple of 32, the sizes that matrix units process."""
    small = next((size for size in (16, 32, 64) if n_kept <= size), 0)
    return small or -(-n_kept // 32) * 32


def _scale_to_one(largest: Floats) -> Floats:
    """Return the powers of 2 that bring each of `largest` to about 1."""
    usable = (largest > 0.0) & (largest < np.inf)
    steps = -np.ceil(np.log2(np.where(usable, largest, 1.0)))
    return np.where(usable, 2.0 ** np.clip(steps, -1000.0, 1000.0), 1.0)


def weighted_columns(table: DeviceTable, metrics: Metrics) -> Tensor:
    """Return the weighted columns (P, n, M) in float64, the bits of a CPU space's columns."""
    kept = metrics.kept.long()
    return table.X[:, kept].permute(1, 0, 2) * metrics.weights[:, None, :]
