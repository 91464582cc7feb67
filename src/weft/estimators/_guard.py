"""Wraps every public method of an estimator: checks parameters, limits BLAS, explains memory
errors.

The guard wraps the public methods when a class is created, as scikit-learn does for ``set_output``,
so no estimator can leave it out.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from weft.estimators._parameters import LIVE, Live, check_parameters
from weft.parallel.blas import one_blas_thread

GUARDED = (
    *("fit", "partial_fit", "predict", "predict_proba", "transform", "score"),
    *("membership", "outlier_score", "explain"),
)


class GuardMixin:
    """Puts the guard around the public methods of every subclass, also around inherited ones."""

    # Parameters that may hold more than the schema of model files allows.
    _live: ClassVar[dict[str, Live]] = LIVE

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in GUARDED:
            # Not `getattr`: it would fail for methods that exist only for some settings.
            method = inspect.getattr_static(cls, name, None)
            if isinstance(method, FunctionType) and not hasattr(method, "_is_guarded"):
                setattr(cls, name, guarded(method))


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return `method` with the guard around it."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_parameters(self)
        # One BLAS thread: the bits of a product must not depend on the settings of the process.
        with one_blas_thread():
            try:
                return method(self, *args, **kwargs)
            except MemoryError as error:
                raise MemoryError(_too_large(self, args, kwargs, error)) from error

    call._is_guarded = True  # type: ignore[attr-defined] # read above, in subclasses
    return call


def _too_large(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: MemoryError) -> str:
    """Return the sentence for a call that ran out of memory."""
    if str(error).endswith("."):  # an inner guard has already written the sentence
        return str(error)
    X = args[0] if args else kwargs.get("X")
    shape = getattr(X, "shape", None)
    size = f"{shape[0]} rows × {shape[1]} columns" if shape and len(shape) == 2 else "this table"
    params = self.get_params(deep=False)
    remedies = [
        f"lower {name}" for name in ("max_memory", "max_clusters", "n_particles") if name in params
    ]
    if "max_samples" in params:
        remedies.insert(0, "set max_samples")
    advice = ", or ".join([*remedies, "pass fewer rows or columns"])
    return f"memory does not suffice for {type(self).__name__} on {size}; {advice}."
