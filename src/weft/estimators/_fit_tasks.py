"""scikit-learn's own callbacks (1.9 and newer): ``model.set_callbacks(ProgressBar()).fit(X)``.

The fit is a task, each generation of a search a task within it; a callback that asks to stop ends
the search after the current generation. Older versions of scikit-learn have no callbacks, and
estimators then have no ``set_callbacks``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef] # replaces the one above
        """Empty: older scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        return method


class FitTasksMixin(CallbackSupportMixin):
    """Calls scikit-learn's callbacks for the fit and for its generations."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "fit" in vars(cls):
            cls.fit = _told(cls.fit)


def _told(fit: Callable[..., Any]) -> Callable[..., Any]:
    """`fit`, wrapped in a task when scikit-learn callbacks are set; unchanged otherwise."""

    @functools.wraps(fit)
    def fit_and_tell(self: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(self, "_skl_callbacks") or hasattr(self, "_parent_callback_ctx"):
            return _fit_with_tasks(self, fit, args, kwargs)
        return fit(self, *args, **kwargs)

    return fit_and_tell


@with_callbacks
def _fit_with_tasks(
    estimator: Any, fit: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    searches = "callbacks" in estimator.get_params(deep=False)
    X = args[0] if args else kwargs.get("X")
    task = estimator._init_callback_context(max_subtasks=None if searches else 0)
    task.call_on_fit_task_begin(estimator=estimator, X=X)

    def tell(generation: Any) -> bool:
        step = task.subcontext(task_name="generation")
        step.call_on_fit_task_begin(estimator=estimator, X=X)
        return bool(step.call_on_fit_task_end(estimator=estimator, X=X))

    own = estimator.callbacks if searches else None
    try:
        if searches:  # during the search, this is one of the callbacks of the loop
            estimator.callbacks = [*(own or []), tell]
        fitted = fit(estimator, *args, **kwargs)
    finally:
        if searches:
            estimator.callbacks = own
    task.call_on_fit_task_end(estimator=estimator, X=X)
    return fitted
