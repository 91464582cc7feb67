"""Parameters that were moved into records: the old names still work, with a FutureWarning."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from weft._base.records import Merge, written
from weft._base.warnings import warn_caller
from weft.search.callbacks import Progress


class Moved(NamedTuple):
    """Old names, the parameter that replaces them, and the function that converts their values."""

    names: tuple[str, ...]
    into: str
    merge: Merge
    in_files: bool = True  # whether a model file holds the parameter
    stays: bool = False  # a permanent short form, without a warning


def moved_dict(name: str, into: str, merge: Merge) -> Moved:
    """A dict of settings that used to be a separate parameter."""

    def put(value: Any, old: Mapping[str, Any]) -> Any:
        settings = old[name]
        if settings is not None and not isinstance(settings, Mapping):
            raise TypeError(f"{name}={settings!r} must be None or a dict of settings.")
        return merge(value, settings or {})

    return Moved((name,), into, put)


class MovedParamsMixin:
    """For estimators whose rarely used parameters are settings of records (``swarm=PSO(...)``).

    Constructors, ``get_params`` and ``clone`` have only the new parameters. Old names are converted
    to them before the constructor is called, and in ``set_params``.
    """

    # Parameters that take records, and the function that puts a setting into each.
    _records: ClassVar[Mapping[str, Merge]] = {}
    _moved: ClassVar[tuple[Moved, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _with_old_names(cls.__init__)  # type: ignore[method-assign] # it is wrapped

    @classmethod
    def _old_names(cls) -> tuple[str, ...]:
        return tuple(name for moved in cls._moved for name in moved.names)

    def _take(self, given: Mapping[str, Any]) -> None:
        """Put parameters that were given by their old names into the new ones."""
        for moved in self._moved:
            old = {name: given[name] for name in moved.names if name in given}
            if not old:
                continue
            value = moved.merge(getattr(self, moved.into), old)
            setattr(self, moved.into, value)
            if moved.stays:
                continue
            warn_caller(
                f"{', '.join(old)} of {type(self).__name__} moved into {moved.into}; pass "
                f"{moved.into}={written(value)}.",
                FutureWarning,
            )

    @classmethod
    def _upgraded_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of an older model file under the names that they have now."""
        kept = {key: value for key, value in params.items() if key not in cls._old_names()}
        defaults = inspect.signature(cls).parameters
        for moved in cls._moved:
            old = {name: params[name] for name in moved.names if name in params}
            if old and moved.in_files:
                before = kept.get(moved.into, defaults[moved.into].default)
                kept[moved.into] = moved.merge(before, old)
        return kept

    def set_params(self, **params: Any) -> Any:
        """Set parameters, also by names that have moved.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        self
            The estimator.
        """
        old = {key: params.pop(key) for key in self._old_names() if key in params}
        super().set_params(**params)  # type: ignore[misc] # BaseEstimator comes after this mixin
        self._take(old)
        return self


def _with_old_names(construct: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that takes old names as well, with the same signature."""

    known = inspect.signature(construct).parameters  # a subclass may reuse an old name

    @functools.wraps(construct)
    def init(self: Any, *args: Any, **params: Any) -> None:
        names = [name for name in self._old_names() if name in params and name not in known]
        old = {name: params.pop(name) for name in names}
        construct(self, *args, **params)
        self._take(old)

    return init


def _progress(callbacks: Any, old: Mapping[str, Any]) -> Any:
    others = [each for each in callbacks or [] if not isinstance(each, Progress)]
    if old["verbose"]:
        return [*others, Progress()]
    return callbacks if len(others) == len(callbacks or []) else others


# A progress bar is a callback; ``verbose=True`` is a permanent short form of it.
VERBOSE = Moved(("verbose",), "callbacks", _progress, in_files=False, stays=True)


def read_records(estimator: type, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as the constructor takes them: tables of settings become records.

    A table may have a ``name``, which is what the parameter would hold without further settings:
    ``{"clusterer": {"name": "dbscan", "eps": 0.5}}``. Study files and ``weft cluster --param``
    write records this way.
    """
    merges: Mapping[str, Merge] = getattr(estimator, "_records", {})
    defaults = inspect.signature(estimator).parameters
    made = dict(params)
    for key, value in params.items():
        if key in merges and isinstance(value, Mapping):
            fields = dict(value)
            name = fields.pop("name", defaults[key].default)
            made[key] = merges[key](name, fields) if fields else name
    return made
