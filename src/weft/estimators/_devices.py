"""Where an estimator computes."""

from __future__ import annotations

from typing import Any

from weft.backends import backend_for


def choose_device(device: Any, work: str, size: float) -> str:
    """Return ``"cpu"``, or torch's name of the GPU, which ``"auto"`` takes if it pays."""
    return backend_for(device, work, size).device
