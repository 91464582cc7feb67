"""Identity of a fit: version, class, parameters and data, as comparable texts."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import weft

# Parameters that change how a fit runs, but not its result.
_NO_MATTER = ("callbacks", "max_memory", "n_jobs")


def settings_of(estimator: Any, X: Any) -> dict[str, Any]:
    """Return version, class, parameters and data, with which a checkpoint is compared."""
    params = estimator.get_params(deep=False)
    return {
        "weft": weft.__version__,
        "estimator": type(estimator).__name__,
        "params": {name: describe(params[name]) for name in params if name not in _NO_MATTER},
        "data": fingerprint(X),
    }


def describe(value: Any) -> Any:
    """Return a text for a parameter; parameters with the same meaning give the same text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return fingerprint(value)
    kind = value if hasattr(value, "__qualname__") else type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, BaseEstimator):
        return {name: describe(value.get_params(deep=False))}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        settings = [field.name for field in dataclasses.fields(value) if field.init]
        return {name: {key: describe(getattr(value, key)) for key in settings}}
    return name


def fingerprint(X: Any) -> dict[str, Any]:
    """Return shape, type and SHA-256 of a dense or sparse array."""
    total = hashlib.sha256()
    if getattr(X, "is_cuda", False):  # a table on a GPU has the fingerprint of its CPU copy
        X = X.cpu().numpy()
    if sparse.issparse(X):
        for part in (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)):
            total.update(np.ascontiguousarray(part).data)
    else:
        step = max(1, (1 << 24) // max(1, X[:1].nbytes))  # a memory map is not read all at once
        for first in range(0, len(X), step):
            total.update(np.ascontiguousarray(X[first : first + step]).data)
    return {"shape": list(X.shape), "dtype": str(X.dtype), "sha256": total.hexdigest()}
