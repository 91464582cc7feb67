"""The callback that saves a running fit to a file, and the identity of a fit to resume."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import weft
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
        Where to write.
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
        for old in self.path.parent.glob(f".{self.path.name}.*.tmp"):  # of a process that died
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


# What changes how a fit runs, and no bit of what it finds.
_NO_MATTER = ("callbacks", "max_memory", "n_jobs")


def settings_of(estimator: Any, X: Any) -> dict[str, Any]:
    """Return what a checkpoint is compared by: version, class, parameters, data."""
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
    if getattr(X, "is_cuda", False):  # a table on a GPU has the fingerprint of its copy here
        X = X.cpu().numpy()
    if sparse.issparse(X):
        for part in (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)):
            total.update(np.ascontiguousarray(part).data)
    else:
        step = max(1, (1 << 24) // max(1, X[:1].nbytes))  # a memory map is not read all at once
        for first in range(0, len(X), step):
            total.update(np.ascontiguousarray(X[first : first + step]).data)
    return {"shape": list(X.shape), "dtype": str(X.dtype), "sha256": total.hexdigest()}
