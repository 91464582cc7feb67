"""How a result was made, in plain JSON types: settings, versions, a fingerprint of the labels."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import weft
from weft._base.records import named

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def fingerprint(model: Any) -> str:
    """Return a digest of the labels; it shows whether a summary belongs to a model."""
    labels = np.ascontiguousarray(model.labels_, dtype=np.int64)
    return hashlib.sha256(labels.tobytes()).hexdigest()[:16]


def plain(value: Any) -> Any:
    """`value` in JSON's own types; numbers that are not finite become None."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return named(value)


def settings_of(params: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model; a seed that is not a number cannot be saved."""
    seed = params.get("random_state")
    kept = {key: value for key, value in params.items() if key not in ("callbacks", "random_state")}
    return {**kept, "seed": seed if isinstance(seed, (int, np.integer)) else None}


def versions() -> dict[str, str]:
    """Return the versions of weft, Python and the libraries that results depend on."""
    known = {"weft": weft.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = "unknown"
    return known
