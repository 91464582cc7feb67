"""Parameters that have moved into a record: the old names keep working, with a FutureWarning."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, ClassVar

from weft._base.warnings import warn_caller


class MovedParamsMixin:
    """For estimators whose rarely used parameters travel in one record, such as ``swarm=PSO(...)``.

    The constructor takes ``**moved`` as its last argument and ends with ``self._take(moved)``.
    scikit-learn's ``get_params`` and ``clone``, and the signature of the class, show the record
    alone.
    """

    # Name of the record parameter, the class of the record, and the old names that are its fields.
    _moved_into: ClassVar[tuple[str, Any, tuple[str, ...]]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        signature = inspect.signature(cls.__init__)
        shown = [
            parameter
            for name, parameter in signature.parameters.items()
            if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
        ]
        cls.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]

    def _take(self, moved: dict[str, Any]) -> None:
        """Put parameters that were given by their old names into the record."""
        if not moved:
            return
        name, kind, old_names = self._moved_into
        unknown = sorted(set(moved) - set(old_names))
        if unknown:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                f"{unknown[0]!r}"
            )
        listed = ", ".join(f"{key}={value!r}" for key, value in moved.items())
        warn_caller(
            f"{', '.join(moved)} of {type(self).__name__} moved into {name}; pass "
            f"{name}={kind.__name__}({listed}).",
            FutureWarning,
        )
        setattr(self, name, self._with_moved(getattr(self, name), moved))

    @classmethod
    def _with_moved(cls, record: Any, moved: dict[str, Any]) -> Any:
        _, kind, _ = cls._moved_into
        if isinstance(record, str):
            record = kind()
        if not isinstance(record, kind):
            raise TypeError(
                f"{', '.join(moved)} are settings of {kind.__name__}, not of "
                f"{type(record).__name__}; set them on that object."
            )
        return dataclasses.replace(record, **moved)

    @classmethod
    def _upgraded_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of an older model file, old names put into the record."""
        name, kind, old_names = cls._moved_into
        moved = {key: params[key] for key in old_names if key in params}
        kept = {key: value for key, value in params.items() if key not in moved}
        record = cls._with_moved(kept.get(name, ""), moved)
        return kept if record == kind() else {**kept, name: record}

    def set_params(self, **params: Any) -> Any:
        """Set parameters, also by names that have moved into a record.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        self
            The estimator.
        """
        moved = {key: params.pop(key) for key in self._moved_into[2] if key in params}
        super().set_params(**params)  # type: ignore[misc] # BaseEstimator comes after this mixin
        self._take(moved)
        return self
