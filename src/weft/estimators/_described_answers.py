"""Rules, names, explanations and other answers, from the data of a fitted AutoCluster."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft._base.validation import check_integer
from weft.answers.drawing import Explanation
from weft.answers.explaining import Placement, explain_rows
from weft.answers.membership import Membership, most_likely
from weft.answers.rules import Rule, find_rules
from weft.answers.traits import name_clusters
from weft.answers.views import ColumnView, number_views, source_views
from weft.auto.alternatives import take_alternative
from weft.columns.source import MixedTable
from weft.estimators._anchors import AnchoredAnswersMixin, remember
from weft.estimators._auto_rows import anchor_columns
from weft.estimators._reading import raw_table
from weft.parallel.blas import one_blas_thread
from weft.tables.cells import is_table
from weft.tables.plan import TablePlan
from weft.tables.points import values_at
from weft.tables.prepare import PREPARED


class DescribedAnswersMixin(AnchoredAnswersMixin):
    """Soft answers for the rows of the fit, rules, names and explanations.

    A model file holds the anchors, so all of this also works for a loaded model.
    """

    @property
    def membership_(self: Any) -> Membership:
        """The most likely clusters of each row of the fit; see `membership`."""
        _check_fitted(self, "membership_")
        kept = vars(self).get("_fit_membership")
        if kept is not None:
            return kept
        with one_blas_thread():
            return most_likely(self._probabilities(self._rows_of_fit("membership_")))

    @property
    def outlier_score_(self: Any) -> Floats:
        """How unusual each row of the fit is, from 0 to 1; see `outlier_score`."""
        _check_fitted(self, "outlier_score_")
        kept = vars(self).get("_fit_outlier_scores")
        if kept is not None:
            return kept
        with one_blas_thread():
            return self._outlier_scores(self._rows_of_fit("outlier_score_"))

    @property
    def rules_(self: Any) -> list[Rule]:
        """A short rule for each cluster, with its precision and coverage on other rows."""
        _check_fitted(self, "rules_")
        return remember(self, "rules", lambda: find_rules(*self._described()))

    @property
    def cluster_names_(self: Any) -> dict[int, str]:
        """A name for each cluster, made from the columns in which it differs most."""
        _check_fitted(self, "cluster_names_")
        return remember(self, "names", lambda: name_clusters(*self._described()))

    def explain(self: Any, X: Any) -> Explanation:
        """Explain which columns put rows into their clusters and not into the next likely ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_features,) for one row
            Rows as in `predict`, seen before or not.

        Returns
        -------
        Explanation
            Can be printed, and is shown as a table in a notebook; ``to_dict()`` has everything. For
            each row it has the cluster, the next most likely cluster, and for each column with a
            weight: the row's value, the usual values in both clusters, and how strongly the value
            supports the first cluster.
        """
        check_is_fitted(self)
        if not is_table(X) and np.ndim(X) == 1:
            X = np.asarray(X)[np.newaxis]
        rows = self._soft_rows(X)
        by_source = self._has_sources() and is_table(X)
        titles = _titles(X)
        if not by_source:
            views = number_views(rows, self._column_names())
            return self._explain(rows, views, titles, by_source=False)
        prepared = getattr(X, "attrs", {}).get(PREPARED)
        if prepared is None:
            table = raw_table(self._table, X).table
        else:
            table = prepared.mixed.take_rows(X.index.to_numpy())
        return self._explain(rows, self._source_views(table), titles, by_source=True)

    def _explain(
        self: Any,
        rows: Floats,
        asked: list[ColumnView],
        titles: list[int | str] | None,
        *,
        by_source: bool,
    ) -> Explanation:
        known, labels, weights = self._described(by_source=by_source)
        likely = most_likely(self._probabilities(rows), 2)
        alone = likely.n_clusters < 2
        placed = Placement(
            self._nearest(rows),
            np.full(len(rows), -1) if alone else likely.clusters[:, 1].astype(np.int64),
            likely.probabilities[:, 0].astype(np.float64),
            np.zeros(len(rows)) if alone else likely.probabilities[:, 1].astype(np.float64),
            self._outlier_scores(rows),
        )
        explained = explain_rows(known, labels, weights, asked, placed, titles)
        return Explanation(explained, self.cluster_names_)

    def _has_sources(self) -> bool:
        return isinstance(vars(self).get("_table"), TablePlan)

    def _source_views(self: Any, table: MixedTable) -> list[ColumnView]:
        dates = [reading for reading in self._table.readings if reading.kind == "date"]
        return source_views(table, {reading.name: reading.origin for reading in dates})

    def _described(
        self: Any, *, by_source: bool = True
    ) -> tuple[list[ColumnView], Integers, Floats]:
        """Return the columns of the anchors, their clusters, and the weights of the columns."""
        labels = self._fit_anchor_labels
        if not (by_source and self._has_sources()):
            return (
                number_views(self._fit_anchors, self._column_names()),
                labels,
                self.feature_weights_[anchor_columns(self)],
            )
        plan, values = self._table, vars(self).get("_fit_source_values")
        if values is None:  # a table of numbers, scaled before the fit
            values = _rounded(values_at(plan.points, plan.columns, self._fit_anchors))
        used = [column.is_used for column in plan.columns]
        views = self._source_views(MixedTable(values, plan.columns))
        return views, labels, self.source_weights_[used]

    def _column_names(self: Any) -> list[str]:
        """Return the names of the columns that the anchors have."""
        n_features = len(self.feature_weights_)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(n_features)])
        return np.asarray(names, dtype=object)[anchor_columns(self)].tolist()

    def _rows_of_fit(self: Any, name: str) -> Floats:
        """Return all rows of the fit, where all of them are anchors."""
        places = vars(self).get("_fit_anchor_rows")
        if self.n_clusters_ > 1 and (places is None or len(places) != len(self.labels_)):
            raise AttributeError(f"{name} was not kept by this model; call {name[:-1]}(X).")
        rows = np.zeros((len(self.labels_), self._fit_anchors.shape[1]))
        if places is not None:
            rows[places] = self._fit_anchors
        return rows


def _rounded(values: Floats) -> Floats:
    """Return numbers rounded to twelve digits, which scaling and its inverse preserve."""
    with np.errstate(divide="ignore"):
        digits = 11.0 - np.floor(np.log10(np.abs(values)))
    unit = 10.0 ** np.where(np.isfinite(digits), np.clip(digits, -300, 300), 0.0)
    return np.round(values * unit) / unit


def _titles(X: Any) -> list[int | str] | None:
    """Return the names of the rows of a pandas table; None if they have none."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or PREPARED in getattr(X, "attrs", {}):
        return None
    return [title if isinstance(title, int) else str(title) for title in index]


def _check_fitted(model: Any, name: str) -> None:
    if not hasattr(model, "labels_"):
        raise AttributeError(f"{name} is learned by fit; call fit first.")


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
