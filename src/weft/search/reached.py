"""How fast a search was: evaluations until the best partition was accurate enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.metrics import evaluations_to_reach


class Reached:
    """Callback that counts evaluations until the best has the right K and enough accuracy.

    The estimator calls `bind` with a function that turns a position into labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes.
    threshold : float
        Accuracy to be reached.
    stop : bool, default=False
        Whether the search ends at that point.
    """

    def __init__(self, y_true: Any, *, threshold: float, stop: bool = False) -> None:
        self.y_true = np.asarray(y_true)
        self.threshold = threshold
        self.stop = stop
        self.n_evaluations = np.inf
        self._labels_of: Callable[[Floats], Integers] | None = None
        self._best = -np.inf
        self._before = 0

    def bind(self, labels_of: Callable[[Floats], Integers], n_before: int = 0) -> None:
        """Set how positions become labels, and the number of earlier evaluations."""
        self._labels_of, self._best, self._before = labels_of, -np.inf, n_before

    def __call__(self, generation: Any) -> bool:
        if self._labels_of is None or generation.best_fitness <= self._best:
            return False
        self._best = generation.best_fitness
        if self.n_evaluations == np.inf:
            labels = self._labels_of(generation.best_position)
            self.n_evaluations = evaluations_to_reach(
                self.y_true,
                [labels],
                [self._before + generation.n_evaluations],
                threshold=self.threshold,
            )
        return self.stop and self.n_evaluations < np.inf


def bind_all(
    callbacks: Any, labels_of: Callable[[Floats], Integers], n_before: int = 0
) -> list[Any]:
    """Return the callbacks, after a call of `bind` for those that have it."""
    calls = list(callbacks or [])
    for call in calls:
        if hasattr(call, "bind"):
            call.bind(labels_of, n_before)
    return calls
