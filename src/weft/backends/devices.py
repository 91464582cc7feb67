"""Which device a name means, and what it can do."""

from __future__ import annotations

import functools
import importlib.util
import os
from typing import Any

import numpy as np

from weft._base.validation import import_optional

DEVICES = ("cpu", "cuda", "auto")


def load_torch() -> Any:
    """Import torch, or say which extra brings it."""
    return import_optional("torch", "gpu")


def to_device(array: Any, device: Any) -> Any:
    """Bring an array of NumPy's, or a tensor, to a device; NumPy's type is kept."""
    if isinstance(array, np.ndarray):
        array = np.ascontiguousarray(array)
        if not array.flags.writeable:  # torch would warn, and could be made to write
            array = array.copy()
    return load_torch().as_tensor(array).to(device)


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
