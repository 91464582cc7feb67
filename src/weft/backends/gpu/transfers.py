"""Results on their way from a device to the host."""

from __future__ import annotations

from weft._base.arrays import Floats, Tensor
from weft.backends.devices import load_torch


def fetch(*columns: Tensor) -> list[Floats]:
    """Bring numbers (P,) each to the host in one trip, as float64."""
    torch = load_torch()
    together = torch.stack([column.to(torch.float64) for column in columns])
    return list(together.cpu().numpy())
