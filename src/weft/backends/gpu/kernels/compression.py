"""Maximal information compression between features, in torch: see the reference."""

from __future__ import annotations

import torch

from weft._base.arrays import Tensor


def compression_tile(covariances: Tensor, variances: Tensor, others: Tensor) -> Tensor:
    """Return λ2 (eq. 5.2) from the covariances of a tile, (t, M)."""
    a, b = variances[:, None], others[None, :]
    squared = covariances * covariances
    largest = 0.5 * ((a + b) + ((a - b) ** 2 + 4.0 * squared).sqrt())
    determinant = a * b - squared
    positive = (determinant > 0.0) & (largest > 0.0)
    return torch.where(positive, determinant / largest, 0.0)
