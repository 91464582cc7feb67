"""Callbacks that watch a search and may stop it: callables that take a `Generation`.

Pass instances as ``callbacks=[...]``; a callback that returns true ends the search after the
current generation. A plain function works too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.validation import check_integer, check_real
from weft.search.bars import Bar, make_bar
from weft.search.checkpointing import Checkpoint
from weft.search.optimize import Generation

__all__ = ["Checkpoint", "History", "Patience", "Progress", "StopOnSignal", "TimeLimit"]

# Criteria are sums of rounded numbers, and some do not depend on the scale of the weights, so two
# equivalent positions may differ in the last bits. A smaller gain does not count.
_RELATIVE_GAIN = 1e-8


def _gained(now: float, before: float) -> bool:
    if not math.isfinite(before):
        return now > before
    return now > before + _RELATIVE_GAIN * max(1.0, abs(before))


class StopOnSignal:
    """Ctrl-C or SIGTERM ends the search after the current generation, with the best so far.

    A second Ctrl-C ends at once. `Checkpoint` does the same; without either, Ctrl-C raises
    `KeyboardInterrupt` as usual.

    Examples
    --------
    >>> from weft import FeatureSwarm
    >>> from weft.callbacks import StopOnSignal
    >>> swarm = FeatureSwarm(callbacks=[StopOnSignal()])
    """

    on_signals = True

    def __call__(self, generation: Generation) -> None:
        """Do nothing: the loop checks for signals itself."""


class History:
    """Keeps one row per generation.

    Attributes
    ----------
    rows : list of dict
        ``generation``, ``best_fitness``, ``mean_fitness`` (over particles with a valid solution),
        ``seconds``, and details of the best particle (``n_features``,
        ``n_clusters``).

    Examples
    --------
    >>> from weft.callbacks import History
    >>> History().rows
    []
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []
        self._best = -math.inf
        self._details: dict[str, float] = {}

    def __call__(self, generation: Generation) -> None:
        fitness = generation.evaluation.fitness
        valid = fitness[np.isfinite(fitness)]
        leader = int(fitness.argmax())
        if not self._details or fitness[leader] > self._best:
            self._best = float(fitness[leader])
            self._details = {
                name: values[leader].item()
                for name, values in generation.evaluation.details.items()
            }
        row = {
            "generation": generation.number,
            "best_fitness": generation.best_fitness,
            "mean_fitness": float(valid.mean()) if len(valid) else math.nan,
            "seconds": generation.seconds,
            **self._details,
        }
        if self.rows and row.keys() != self.rows[0].keys():  # after set_state alone
            raise ValueError("the history in the checkpoint belongs to another search.")
        self.rows.append(row)

    def get_state(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        names = list(self.rows[0]) if self.rows else []
        columns = {name: [row[name] for row in self.rows] for name in names}
        return {"best": self._best, "details": dict(self._details), "columns": columns}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the state from a checkpoint."""
        columns = {str(name): list(values) for name, values in state["columns"].items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if not all(type(value) in (int, float) for row in rows for value in row.values()):
            raise ValueError("the history in the checkpoint holds values that are not numbers.")
        self.rows = rows
        self._best = float(state["best"])
        self._details = dict(state["details"])

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the rows as one array per column."""
        return {name: np.array([row[name] for row in self.rows]) for name in self.rows[0]}


class Patience:
    """Stops after `generations` generations in a row without improvement.

    Generations before the first valid solution do not count.

    Parameters
    ----------
    generations : int
        Number of generations to wait (5 in the paper of PSO-FSW).

    Examples
    --------
    >>> from weft.callbacks import Patience
    >>> Patience(5).generations
    5
    """

    settled = True  # it depends only on the settings when it ends a search

    def __init__(self, generations: int) -> None:
        self.generations = check_integer("patience", generations, low=1)
        self._best = -math.inf
        self._waited = 0

    def get_state(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"best": self._best, "waited": self._waited}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the state from a checkpoint."""
        self._best, self._waited = float(state["best"]), int(state["waited"])

    def __call__(self, generation: Generation) -> bool:
        nothing_valid = generation.best_fitness == -math.inf
        if generation.number == 1 or nothing_valid or _gained(generation.best_fitness, self._best):
            self._best = generation.best_fitness
            self._waited = 0
        else:
            self._waited += 1
        return self._waited >= self.generations


class TimeLimit:
    """Stops at the end of the generation in which `seconds` have passed.

    Parameters
    ----------
    seconds : float
        Time limit of the search. The result then depends on the speed of the machine.

    Examples
    --------
    >>> from weft.callbacks import TimeLimit
    >>> TimeLimit(60).seconds
    60.0
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = check_real("seconds", seconds, low=0.0, open_low=True)

    def __call__(self, generation: Generation) -> bool:
        return generation.seconds >= self.seconds


class Progress:
    """Shows a bar: generation, best fitness, time left.

    The bar is on standard error in a terminal, and in the output of a cell in a notebook, where it
    needs no widgets. ``verbose=True`` of an estimator is short for ``callbacks=[Progress()]``.

    Parameters
    ----------
    description : str, default=None
        Text of the bar; None: the current stage of the search, such as "stage 2".

    Examples
    --------
    >>> from weft.callbacks import Progress
    >>> Progress("wine").description
    'wine'
    """

    def __init__(self, description: str | None = None) -> None:
        self.description = description
        self._title = "searching"
        self._bar: Bar | None = None

    def open(self, title: str | None = None) -> None:
        """Show the bar before the first generation, which may have to wait for compilation."""
        self._title = title or self._title
        if self._bar is None:
            self._bar = make_bar()

    def __call__(self, generation: Generation) -> None:
        self.open()
        if self._bar is not None:
            self._bar.update(
                self.description or self._title,
                generation.number,
                generation.n_generations,
                f"{generation.best_fitness:.4g}",
            )

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def open_bars(callbacks: Sequence[Any] | None, title: str) -> Iterator[None]:
    """Show the progress bars among `callbacks` while the block runs."""
    bars = [each for each in callbacks or [] if isinstance(each, Progress)]
    for bar in bars:
        bar.open(title)
    try:
        yield
    finally:
        for bar in bars:
            bar.close()
