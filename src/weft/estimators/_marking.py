"""The marker columns of a fitted clusterer."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from weft.columns.marker_table import Markers
from weft.columns.markers import marker_columns
from weft.reporting.sources import facets, plan_of
from weft.tables.cells import is_table, read_cells
from weft.tables.prepare import PREPARED


class MarkersMixin:
    """``markers(X)``, for an estimator with ``labels_``."""

    def markers(
        self: Any,
        X: Any,
        *,
        honest: bool = False,
        false_discovery_rate: float = 0.05,
        min_effect: float = 0.2,
        random_state: Any = 0,
    ) -> Markers:
        """Find the columns that separate each cluster; see :func:`weft.marker_columns`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows it was fitted on.
        honest : bool, default=False
            Split each value in two parts, fit a copy of this estimator on the first part and test
            on the second. Otherwise columns are tested on the same values that gave the clusters,
            which is too optimistic.
        false_discovery_rate : float, default=0.05
            The share of each cluster's markers that may be listed by chance.
        min_effect : float, default=0.2
            Minimum difference of the means in either direction, in units of the standard deviation
            within clusters.
        random_state : int, RandomState instance or None, default=0
            Seed of the permutations and of the thinning.

        Returns
        -------
        Markers
            The markers as a table; ``to_frame()`` gives a DataFrame.
        """
        check_is_fitted(self)
        values, names = _comparable(self, X)
        if honest and names is not None:
            raise ValueError(
                "honest=True needs a table of numbers, but the model was fitted on a raw table; "
                "leave honest out, or fit on numbers."
            )
        if names is None:
            names = getattr(X, "columns", getattr(self, "feature_names_in_", None))
        return marker_columns(
            values,
            self.labels_,
            false_discovery_rate=false_discovery_rate,
            min_effect=min_effect,
            counts=bool(getattr(self, "counts", False)),
            clusterer=self if honest else None,
            feature_names=names,
            random_state=random_state,
        )


def _comparable(model: Any, X: Any) -> tuple[Any, list[str] | None]:
    """Return numbers to compare clusters by, and their names where a raw table made them."""
    plan = plan_of(model)
    prepared = getattr(X, "attrs", {}).get(PREPARED)
    if prepared is not None:
        mixed = prepared.mixed.take_rows(X.index.to_numpy())
    elif plan is not None and is_table(X):
        mixed = plan.apply(read_cells(X), table="X", place=str)[1]
    else:
        return X, None
    shown = facets(mixed)
    return shown.values, shown.names
