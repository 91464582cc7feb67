"""AutoCluster without one of its parts, for the noise bench."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest import mock

import numpy as np


def _everything(X: np.ndarray, rate: float, rng: np.random.Generator, **_: Any) -> Any:
    """Screening that keeps every column that varies."""
    from weft.columns.screening import Screening

    kept = np.ptp(X, axis=0) > 0.0
    return Screening(kept, kept, np.where(kept, 0, -1), kept.astype(float))


def _swap(module: str, name: str, value: Any) -> AbstractContextManager:
    return mock.patch(f"weft.{module}.{name}", value)


# name -> replacement of the part
WITHOUT: dict[str, Callable[[], AbstractContextManager]] = {
    "without screening": lambda: _swap("auto.examining", "screen", _everything),
    "one round of screening": lambda: _swap("columns.screening", "MOST_ROUNDS", 1),
    "without the test for clumps": lambda: _swap(
        "columns.screening", "is_clumped", lambda *_: True
    ),
    "without the test for two modes": lambda: _swap(
        "columns.screening", "has_two_modes", lambda _: False
    ),
}


def fit_without(part: str, X: np.ndarray, seed: int) -> Any:
    """Fit AutoCluster, in this process only, without one part."""
    from weft import AutoCluster

    with ExitStack() as stack:
        stack.enter_context(WITHOUT[part]())
        return AutoCluster(random_state=seed, n_jobs=1).fit(X)
