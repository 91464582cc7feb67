"""Switching to another answer that the search has found."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.utils.validation import check_is_fitted

from weft._base.validation import check_integer
from weft.auto.alternatives import take_alternative


class AlternativesMixin:
    """``with_alternative``, for an estimator with ``alternatives_``."""

    alternatives_: list[dict[str, Any]]

    def with_alternative(self, number: int) -> Any:
        """Return a copy of the fitted model with another of its answers.

        Parameters
        ----------
        number : int
            Position in ``alternatives_``, counted from 1; 1 is the chosen answer.

        Returns
        -------
        AutoCluster
            A fitted model: labels, weights, `predict` and report are those of that answer. Its
            certainty was not measured: ``confidence_`` is None.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from weft import AutoCluster
        >>> model = AutoCluster(n_resamples=0).fit(load_wine().data)
        >>> second = model.with_alternative(2)
        >>> second.n_clusters_ == model.alternatives_[1]["n_clusters"]
        True
        """
        check_is_fitted(self)
        number = check_integer("number", number, low=1)
        if number > len(self.alternatives_):
            raise ValueError(
                f"number={number} needs as many answers, got {len(self.alternatives_)}; see "
                "alternatives_."
            )
        taken = copy(self)
        if number > 1:
            plan = vars(self).get("_table")
            owner = None if plan is None else plan.owner
            vars(taken).update(take_alternative(vars(self), number, owner))
            for name in ("_fit_membership", "_fit_outlier_scores"):
                vars(taken).pop(name, None)  # they belong to the first answer
        return taken
