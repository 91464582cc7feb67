"""The callback that saves a running fit to a file, so that it can be resumed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft._base.validation import check_integer
from weft._base.warnings import warn_caller
from weft.models.archive import draft_of
from weft.models.checkpoints import write_checkpoint
from weft.search.optimize import Generation


class Checkpoint:
    """Saves the fit while it runs, so that it can be resumed: ``fit(X, resume=path)``.

    The file is written to a temporary name, flushed to disk and renamed in one step, so it is
    complete even after a crash. A resumed fit gives the same result as an uninterrupted one, to the
    last bit. Another estimator, other settings or other data are refused.

    Ctrl-C and SIGTERM end the search after the current generation: the model is fitted with the
    best solution found so far, and a warning says how to continue. A second Ctrl-C ends at once.

    Parameters
    ----------
    path : str or Path
        Output file.
    every : int, default=10
        Number of generations between two writes; the end of a search is written as well.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.callbacks import Checkpoint
    >>> X = load_iris().data
    >>> path = Path(tempfile.mkdtemp()) / "iris.checkpoint"
    >>> swarm = FeatureSwarm(n_generations=6, random_state=0, callbacks=[Checkpoint(path, every=2)])
    >>> labels = swarm.fit(X).labels_
    >>> bool((swarm.fit(X, resume=path).labels_ == labels).all())
    True
    """

    on_signals = True

    def __init__(self, path: str | Path, *, every: int = 10) -> None:
        self.path = Path(path)
        self.every = check_integer("every", every, low=1)

    def __call__(self, generation: Generation) -> None:
        """Do nothing: the loop writes the file after all callbacks were called."""

    def due(self, number: int) -> bool:
        """Whether to write after generation `number`."""
        return number % self.every == 0

    def check(self) -> None:
        """Check before the search that the file can be written."""
        if self.path.is_dir():
            raise ValueError(f"{str(self.path)!r} is a folder; give Checkpoint the path of a file.")
        draft = draft_of(self.path)
        try:
            draft.touch()
            draft.unlink()
        except OSError as error:
            raise ValueError(
                f"the checkpoint {str(self.path)!r} cannot be written "
                f"({error.strerror or error}); give Checkpoint another path."
            ) from None
        for old in self.path.parent.glob(f".{self.path.name}.*.tmp"):  # left by a process that died
            with suppress(ValueError, OSError):
                if not _lives(int(old.suffixes[-2][1:])):
                    old.unlink()

    def write(self, content: dict[str, Any]) -> None:
        """Write the file; a full disk does not end the search."""
        try:
            write_checkpoint(self.path, content)
        except OSError as error:
            kept = "the last one is kept" if self.path.exists() else "there is none yet"
            warn_caller(
                f"the checkpoint {str(self.path)!r} could not be written "
                f"({error.strerror or error}); {kept}, and the search continues."
            )


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
