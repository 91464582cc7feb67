"""Screening's products on a GPU: see `screening` for what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.devices import load_torch, to_device

_AT_ONCE = 2**26  # products that one step holds


def gather(
    values: Any, width: int, freedom: Floats, references: Integers, rows: Integers, most: int
) -> tuple[Floats, Floats]:
    """Return how far each column depends on the references: over all, and on the nearest `most`.

    `values` (n, d · width) are contrasts on the device; columns are taken in the order of `rows`.
    """
    torch = load_torch()
    n_rows, n_columns = len(values), len(freedom)
    device = values.device
    taken = (references[:, np.newaxis] * width + np.arange(width)).ravel()
    partners = values[:, to_device(taken, device)]
    moved = values[to_device(rows, device)].T
    ours, others = to_device(freedom, device), to_device(freedom[references], device)
    which = to_device(references, device)
    overall, nearest = [], []
    step = max(_AT_ONCE // (len(taken) * width), 1)
    for first in range(0, n_columns, step):
        last = min(first + step, n_columns)
        squares = (moved[first * width : last * width] @ partners).to(torch.float64).square_()
        squares = squares.reshape(last - first, width, len(references), width).sum(dim=(1, 3))
        free = (ours[first:last, None] * others).clamp(min=1.0)
        spread = 2.0 / (9.0 * free)
        # Wilson and Hilferty's cube root
        z = ((n_rows * squares / free).pow(1.0 / 3.0) - (1.0 - spread)) / spread.sqrt()
        same = torch.arange(first, last, device=device)[:, None] == which
        number = (~same).sum(dim=1).clamp(min=1).to(torch.float64)
        overall.append(torch.where(same, 0.0, z).sum(dim=1) / number.sqrt())
        nearest.append(torch.where(same, -torch.inf, z).topk(most, dim=1).values.mean(dim=1))
    return torch.cat(overall).cpu().numpy(), torch.cat(nearest).cpu().numpy()
