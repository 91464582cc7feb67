"""Where an estimator computes, and tables that are on a GPU already."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from weft._base.validation import check_choice
from weft.backends.devices import DEVICES, has_cuda, load_torch

# What torch calls the device; tests put its own CPU here.
GPU = "cuda"


def choose_device(device: Any, *, worth_it: bool) -> str:
    """Return ``"cpu"``, or torch's name of the GPU, which ``"auto"`` takes if it pays."""
    check_choice("device", device, DEVICES)
    if device == "auto":
        return GPU if worth_it and has_cuda() else "cpu"
    if device == "cuda":
        load_torch()
        if not has_cuda():
            raise ValueError(
                "device='cuda' needs a GPU that torch can use, and there is none here; "
                "use device='cpu', or 'auto', which takes a GPU where there is one."
            )
        return GPU
    return "cpu"


def is_on_gpu(X: Any) -> bool:
    """Tell whether a table lies in GPU memory: a CUDA tensor of torch, or an array of CuPy."""
    return hasattr(X, "__cuda_array_interface__") or bool(getattr(X, "is_cuda", False))


def as_tensor(X: Any) -> Any:
    """Return a table that lies on the GPU as torch's, where it is."""
    return load_torch().as_tensor(X)


def gpu_rows(estimator: Any, X: Any, device: str, *, largest: float) -> Any:
    """Check a table that lies on the GPU and return it as a float64 tensor, where it is."""
    if device == "cpu":
        raise ValueError(
            "X lies in GPU memory, but the search runs on the CPU; pass device='cuda', or move X "
            "to the host first."
        )
    torch = load_torch()
    rows = as_tensor(X)
    validate_data(estimator, X, skip_check_array=True)
    if rows.dim() != 2 or rows.is_complex() or rows.shape[0] < 2 or rows.shape[1] < 1:
        raise ValueError(
            f"X of shape {tuple(rows.shape)} and type {rows.dtype} is no table; pass real numbers, "
            "two rows and one column at least."
        )
    rows = rows.to(torch.float64)
    if not bool(torch.isfinite(rows).all()):
        raise ValueError("X holds NaN or infinity; impute or drop such values first.")
    if float(rows.abs().max()) > largest:
        raise ValueError(
            f"X holds values up to {float(rows.abs().max()):.3g}, whose squares cannot be summed; "
            "scale the columns first."
        )
    return rows


def to_host(X: Any) -> Any:
    """Return a table that lies on the GPU as NumPy's; any other as it is."""
    if not is_on_gpu(X):
        return X
    return np.asarray(as_tensor(X).cpu().numpy())
