"""Which device a name means, and what it can do."""

from __future__ import annotations

import functools
import importlib.util
import os
from typing import Any

from weft._validation import import_optional

DEVICES = ("cpu", "cuda", "auto")


def load_torch() -> Any:
    """Import torch, or say which extra brings it."""
    return import_optional("torch", "gpu")


def has_cuda() -> bool:
    """Tell whether there is a GPU that torch can use; without torch there is none."""
    if importlib.util.find_spec("torch") is None:
        return False
    return bool(load_torch().cuda.is_available())


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def is_fused(device: Any) -> bool:
    """Tell whether the Triton kernels run there; in Triton's interpreter they run anywhere."""
    if not _has_triton():
        return False
    return device.type == "cuda" or os.environ.get("TRITON_INTERPRET") == "1"
