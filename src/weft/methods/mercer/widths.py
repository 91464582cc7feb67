"""The search in feature space: one width or many, the stable one, the polish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.backends.cpu import mercer_cs as kernels

# Partitions at neighbouring widths are the same partition from this agreement on.
SAME = 0.9
# A run whose best is below this share of the best of all is no contender: many narrow widths may
# agree on how to cut one long cluster into pieces.
CONTENDER = 0.02
POLISH_STEPS = 100


class Found(NamedTuple):
    """What a search came to."""

    labels: Integers
    fitness: float
    sigma: float
    history: dict[str, NDArray[Any]]
    n_generations: int
    n_evaluations: int
    position: Floats


def most_stable(found: Sequence[Found]) -> int:
    """Return which of the partitions, in the order of widths, to take.

    The longest run of widths whose partitions agree with their neighbours wins, among runs that
    come near the fittest partition of all; among equals the one with the fittest partition. Within
    the run the fittest is taken.
    """
    runs: list[list[int]] = [[0]]
    for place in range(1, len(found)):
        agreement = adjusted_rand_score(found[place - 1].labels, found[place].labels)
        if agreement >= SAME and found[place].fitness > 0.0:
            runs[-1].append(place)
        else:
            runs.append([place])

    def peak(run: list[int]) -> float:
        return max(found[place].fitness for place in run)

    bar = CONTENDER * max(each.fitness for each in found)
    runs = [run for run in runs if peak(run) >= bar]
    longest = max(runs, key=lambda run: (len(run), peak(run)))
    return max(longest, key=lambda place: found[place].fitness)


def search_widths(widths: Sequence[float], search: Callable[[float], Found]) -> Found:
    """Search at every width and return the stable find; a single width is taken as it is."""
    found = [search(width) for width in widths]
    chosen = found[most_stable(found)]
    return chosen._replace(n_evaluations=sum(each.n_evaluations for each in found))


def polish(gram: Floats, labels: Integers, least: int) -> Integers:
    """Return `labels` after kernel k-means from them; no cluster falls below `least` rows."""
    moved = labels.copy()
    kernels.kernel_kmeans(gram, int(labels.max()) + 1, POLISH_STEPS, least, moved)
    return moved


def by_first_row(labels: Integers) -> Integers:
    """Number clusters by their first row."""
    _, first, dense = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[dense]


class Reached:
    """A callback: after how many evaluations the best had the right K and enough accuracy.

    The estimator that gets it calls `bind` with what turns a position into labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes.
    threshold : float
        Accuracy that is enough.
    stop : bool, default=False
        End the search there.
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
        """Say how positions become labels, and how many evaluations went before."""
        self._labels_of, self._best, self._before = labels_of, -np.inf, n_before

    def __call__(self, generation: Any) -> bool:
        from weft.metrics import evaluations_to_reach

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
    """Return the callbacks, those with a `bind` told how positions become labels."""
    calls = list(callbacks or [])
    for call in calls:
        if hasattr(call, "bind"):
            call.bind(labels_of, n_before)
    return calls
