"""A fit that can be stopped, saved and resumed.

A fit consists of one or more searches (calls of `optimize`), and of work between them that depends
only on the data, the settings and the seed. So a checkpoint holds only searches and seeds. A
resumed fit repeats the work between searches, skips finished searches, and continues the unfinished
one where it stopped: the result has the same bits as an uninterrupted fit.

An estimator opens a run for its fit (`running`), and the loop gets it with `open_run`. If an
estimator fits others inside its own fit, their searches belong to its run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from signal import raise_signal
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from sklearn.utils import check_random_state

from weft._base.warnings import warn_caller
from weft.models.checkpoints import Mismatch, Record, read_checkpoint
from weft.parallel.signals import Signals
from weft.search.identity import settings_of


class SearchInterrupted(UserWarning):
    """A signal ended a search; the model is fitted with the best solution found so far.

    Attributes
    ----------
    signal : int
        The number of the signal.
    """

    def __init__(self, text: str, signal: int) -> None:
        super().__init__(text)
        self.signal = signal


@runtime_checkable
class Keeper(Protocol):
    """A callback that saves the run; see `weft.callbacks.Checkpoint`."""

    path: Path

    def due(self, number: int) -> bool: ...
    def check(self) -> None: ...
    def write(self, content: dict[str, Any]) -> None: ...


class Run:
    """One fit: its seeds, finished searches, callbacks that save it, and signals."""

    def __init__(self, estimator: Any, X: Any, resume: str | Path | None = None) -> None:
        self.estimator = estimator
        self.X = X
        calls = list(getattr(estimator, "callbacks", None) or [])
        self.keepers = [call for call in calls if isinstance(call, Keeper)]
        listens = bool(self.keepers) or any(getattr(call, "on_signals", False) for call in calls)
        self.signals = Signals(listens)
        self.seeds: list[int] = []
        self._old_seeds: list[int] = []
        self._old: list[Record] = []
        self._over: list[Record] = []
        self._n_begun = 0
        self._frozen = False
        self._where = ""
        self._path = Path() if resume is None else Path(resume)
        self._settings: dict[str, Any] = {}
        for keeper in self.keepers:
            keeper.check()
        if self.keepers or resume is not None:
            self._settings = settings_of(estimator, X)
        if resume is not None:
            self._old_seeds, self._old = read_checkpoint(resume, self._settings)

    def seed(self, random_state: Any) -> int:
        """Draw the seed of a search; a resumed fit keeps its first seed."""
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        if len(self.seeds) < len(self._old_seeds):
            seed = self._old_seeds[len(self.seeds)]
        self.seeds.append(seed)
        return seed

    def begin(self, search: Search, fresh: Any) -> tuple[Record, Any] | None:
        """Return the checkpoint's record of the search that begins now, and its swarm's state.

        `fresh` is the state of the swarm before it has moved.
        """
        self._n_begun += 1
        if self._n_begun > len(self._old):
            return None
        record = self._old[self._n_begun - 1]
        try:
            state = search.restore(record, fresh)
        except (LookupError, AttributeError, TypeError, ValueError) as error:
            detail = error if isinstance(error, Mismatch) else f"it is damaged ({error})."
            raise Mismatch(f"cannot resume from {self._path.name}: {detail}") from None
        if record.over:
            self._over.append(record)
        return record, state

    def note(
        self, number: int, total: int, record: Callable[[bool], Record], *, over: bool, sure: bool
    ) -> bool:
        """Record the end of a generation, save the run if it is due, return whether to stop.

        A search that a callback ended is saved only when the next one has begun, because the
        callbacks of the resumed fit decide again whether to end it. `sure` means that the settings
        alone determine this end.
        """
        if self._frozen:  # generations after a signal do not belong to the run
            return True
        if self.signals.received is not None:  # a signal from now on counts for the next generation
            self._frozen = True
            self._where = f" in generation {number} of {total}"
        if over and self.keepers:
            self._over.append(record(True))
            if sure:
                self._write(self._over, self.keepers)
        elif not over:
            due = [keeper for keeper in self.keepers if self._frozen or keeper.due(number)]
            if due:
                self._write([*self._over, record(False)], due)
        return over or self._frozen

    def stop_requested_by(self) -> str:
        """Return the name of the signal that asked to stop, or "": for work between two searches.

        The state at that point is saved; the rest of the fit does not belong to the run.
        """
        if self.signals.received is None:
            return ""
        if not self._frozen:
            self._frozen = True
            self.seeds += self._old_seeds[len(self.seeds) :]
            self._write([*self._over, *self._old[self._n_begun :]], self.keepers)
        return self.signals.name

    def _write(self, records: list[Record], keepers: Iterable[Keeper]) -> None:
        content = {
            **self._settings,
            "seeds": self.seeds,
            "searches": [record._asdict() for record in records],
        }
        for keeper in keepers:
            keeper.write(content)

    def warn_if_stopped(self) -> None:
        """Warn that the fit ended early, and say how to continue it."""
        if self.signals.received is None:
            return
        if not self._frozen:  # the signal came after the last generation and changed nothing
            raise_signal(self.signals.received)
            return
        how = "A callback Checkpoint(path) would let you continue from here."
        if self.keepers:
            how = f"Continue with fit(X, resume={str(self.keepers[0].path)!r})."
        text = (
            f"the search was stopped{self._where} by {self.signals.name}; the model is fitted with "
            f"the best found until then. {how}"
        )
        warn_caller(SearchInterrupted(text, self.signals.received))


_OPEN: ContextVar[Run | None] = ContextVar("weft_run", default=None)


@contextmanager
def running(estimator: Any, X: Any, resume: str | Path | None = None) -> Iterator[Run]:
    """Open the run of a fit, or join that of the estimator whose fit calls this one."""
    outer = _OPEN.get()
    if outer is not None:
        if resume is not None:
            raise ValueError(
                "resume must be given to the outer estimator, not to an estimator inside it."
            )
        yield outer
        return
    run = Run(estimator, X, resume)
    token = _OPEN.set(run)
    try:
        with run.signals:
            yield run
    finally:
        _OPEN.reset(token)
    run.warn_if_stopped()


@contextmanager
def open_run() -> Iterator[Run | None]:
    """Yield the run of the current fit; fits within an objective or a callback have none."""
    run = _OPEN.get()
    token = _OPEN.set(None)
    try:
        yield run
    finally:
        _OPEN.reset(token)


# A search, saved and restored -------------------------------------------------------------------


class Search(NamedTuple):
    """The parts of a search that have a state."""

    objective: Any
    calls: list[Any]
    rng: np.random.Generator

    def record(
        self, state: Any, number: int, n_evaluations: int, began: float, over: bool
    ) -> Record:
        """Return the state of the search, to be saved."""
        fields = {"best_position": state.best_position, "best_fitness": state.best_fitness}
        return Record(
            over,
            number,
            n_evaluations,
            time.monotonic() - began,
            fields if over else state._asdict(),
            dict(self.rng.bit_generator.state),
            _state_of(self.objective),
            [[type(call).__name__, _state_of(call)] for call in self.calls if _has_state(call)],
        )

    def restore(self, record: Record, fresh: Any) -> Any:
        """Restore objective, callbacks and generator; return the state of the swarm.

        `fresh` is the state of a swarm that has not moved: the restored state must have the same
        types and shapes.
        """
        known = fresh._asdict()
        wanted = {name: known[name] for name in record.state} if record.over else known
        if record.state.keys() != wanted.keys():
            raise Mismatch("it has another kind of swarm than this search.")
        for name, like in wanted.items():
            check_like(record.state[name], like, name)
        accepts = getattr(self.objective, "accepts", None)
        places = ("positions", "own_best", "best_position")
        if accepts is not None and not all(
            accepts(record.state[name]) for name in places if name in record.state
        ):
            raise Mismatch("it holds positions that are not possible.")
        restore_rng(self.rng, record.rng)
        if _has_state(self.objective):
            self.objective.set_state(record.objective)
        remaining = list(record.callbacks)
        for call in self.calls:
            names = [name for name, _ in remaining]
            if _has_state(call) and type(call).__name__ in names:
                call.set_state(remaining.pop(names.index(type(call).__name__))[1])
        return fresh._replace(**record.state)


def _has_state(owner: Any) -> bool:
    return hasattr(owner, "get_state") and hasattr(owner, "set_state")


def _state_of(owner: Any) -> dict[str, Any]:
    return owner.get_state() if _has_state(owner) else {}


def check_like(value: Any, like: Any, name: str) -> Any:
    """Return `value` if it has the type and shape of `like` and no NaN; finite unless a fitness."""
    if isinstance(like, np.ndarray):
        fits = isinstance(value, np.ndarray) and value.dtype == like.dtype
        fits = fits and value.shape == like.shape
    else:
        fits = type(value) is type(like) or (type(value) is float and isinstance(like, float))
    # Only a fitness may be infinite: it means that no solution was found yet.
    if not fits or np.isnan(value).any() or ("fitness" not in name and np.isinf(value).any()):
        raise Mismatch(f"its {name!r} does not fit this search.")
    return value


def restore_rng(rng: np.random.Generator, state: Any) -> None:
    """Restore the state of a generator."""
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise Mismatch("the state of its random numbers is not valid.") from None
