"""torch and its devices: which are available, and transfers of tables."""

from __future__ import annotations

import functools
import importlib.util
import os
from typing import Any

import numpy as np

from weft._base.validation import check_magnitude, import_optional

DEVICES = ("cpu", "cuda", "auto")
# torch's name of the GPU; tests replace it by torch's CPU device.
GPU = "cuda"


def load_torch() -> Any:
    """Import torch; the error names the extra that installs it."""
    return import_optional("torch", "gpu")


def to_device(array: Any, device: Any) -> Any:
    """Copy a NumPy array or a tensor to a device; the number type is kept."""
    if isinstance(array, np.ndarray):
        array = np.ascontiguousarray(array)
        if not array.flags.writeable:  # torch would warn, because it could write to the array
            array = array.copy()
    return load_torch().as_tensor(array).to(device)


def has_cuda() -> bool:
    """Return whether there is a GPU that torch can use; without torch there is none."""
    if importlib.util.find_spec("torch") is None:
        return False
    return bool(load_torch().cuda.is_available())


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def is_fused(device: Any) -> bool:
    """Return whether the Triton kernels run on a device; Triton's interpreter runs on any."""
    if not _has_triton():
        return False
    return device.type == "cuda" or os.environ.get("TRITON_INTERPRET") == "1"


def is_on_gpu(X: Any) -> bool:
    """Return whether a table is in GPU memory: a CUDA tensor of torch, or an array of CuPy."""
    return hasattr(X, "__cuda_array_interface__") or bool(getattr(X, "is_cuda", False))


def as_tensor(X: Any) -> Any:
    """Return a table in GPU memory as a tensor of torch, without a transfer."""
    return load_torch().as_tensor(X)


def device_rows(X: Any) -> Any:
    """Check a table in GPU memory and return it as a float64 tensor, without a transfer."""
    torch = load_torch()
    rows = as_tensor(X)
    if rows.dim() != 2 or rows.is_complex() or rows.shape[0] < 2 or rows.shape[1] < 1:
        raise ValueError(
            f"X of shape {tuple(rows.shape)} and type {rows.dtype} is not a table; pass real "
            "numbers with at least two rows and one column."
        )
    rows = rows.to(torch.float64)
    if not bool(torch.isfinite(rows).all()):
        raise ValueError("X holds NaN or infinity; impute or drop such values first.")
    check_magnitude(rows)
    return rows


def to_host(X: Any) -> Any:
    """Return a table in GPU memory as a NumPy array; other tables are returned unchanged."""
    if not is_on_gpu(X):
        return X
    return np.asarray(as_tensor(X).cpu().numpy())
