"""Transfer of results from a device to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from weft._base.arrays import Tensor


def fetch(*columns: Tensor) -> tuple[Any, ...]:
    """Copy arrays of P numbers to the host in one transfer: integers as int64, others as
    float64."""
    moved = torch.stack([column.to(torch.float64) for column in columns]).cpu().numpy()
    return tuple(
        values if column.is_floating_point() else values.astype(np.int64)
        for values, column in zip(moved, columns, strict=True)
    )
