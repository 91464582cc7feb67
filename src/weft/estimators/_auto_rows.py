"""The rows of AutoCluster, dense or sparse: how they are read and assigned to clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.arrays import Floats, Integers
from weft._base.reading import check_numbers, convert
from weft._base.warnings import warn_caller
from weft.auto.learned import nearest_anchors
from weft.auto.projection import nearest_points, vote
from weft.auto.sparse import as_canonical_csr, dense_blocks
from weft.columns.counts import check_counts, look_like_counts, normalized_counts, usual_total


def read_rows(model: Any, X: Any, *, reset: bool) -> Any:
    """Return the rows as float64 in C order, or CSR, checked; counts are scaled to one total.

    With `reset` the total is learned as ``_fit_total``; None if the table does not hold counts.
    """
    rows = convert(
        lambda: validate_data(
            model,
            X,
            reset=reset,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
            accept_sparse="csr",
        )
    )
    in_sparse = issparse(rows)
    names = None if in_sparse else getattr(model, "feature_names_in_", None)
    check_numbers(rows.data[:, np.newaxis] if in_sparse else rows, columns=names)
    if in_sparse:
        rows = as_canonical_csr(rows)
    if reset:
        model._fit_total = model._fit_projection = None
        if model.counts:
            check_counts(rows)
            model._fit_total = usual_total(rows)
        elif look_like_counts(rows):
            warn_caller(
                "X looks like raw counts, whose row totals depend on how much was measured, not "
                "on clusters; if it holds counts, set counts=True, which scales rows to the same "
                "total and takes logarithms.",
                UserWarning,
            )
    if model._fit_total is None:
        return rows
    check_counts(rows)
    return normalized_counts(rows, model._fit_total)


def anchor_columns(model: Any) -> Any:
    """Return the columns that the anchors of a fitted model have: all, or those of the axes."""
    projection = vars(model).get("_fit_projection")
    return slice(None) if projection is None else projection.columns


class AutoRowsMixin(TransformerMixin):
    """`transform` and `_predict_rows` for dense and sparse rows, and methods for soft answers.

    After a fit on a sparse table, anchors have only the columns of the axes.
    """

    def _predict_rows(self: Any, X: Any) -> Integers:
        """Return the clusters of rows in memory."""
        rows = read_rows(self, self._rows_of(X), reset=False)
        projection = self._fit_projection
        if not self.get_support().any():
            return np.zeros(rows.shape[0], dtype=np.int64)
        if projection is not None:
            return self._vote(projection.points(rows))
        blocks = dense_blocks(rows) if issparse(rows) else [(slice(None), rows)]
        labels = np.empty(rows.shape[0], dtype=np.int64)
        for span, part in blocks:
            labels[span] = self._nearest(part)
        return labels

    def transform(self: Any, X: Any) -> Any:
        """Return the kept columns, each divided by its deviation and multiplied by its weight.

        New rows are assigned by the Euclidean distances between the returned rows, unless the fit
        was on a sparse table.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_new : ndarray or sparse array of shape (n_samples, n_selected)
            Weighted, selected columns; sparse where `X` is.
        """
        check_is_fitted(self)
        support = self.get_support()
        metric = (self.feature_weights_ / self.feature_scales_)[support]
        rows = read_rows(self, self._rows_of(X), reset=False)[:, support]
        return rows.multiply(metric).tocsr() if issparse(rows) else rows * metric

    def _nearest(self: Any, rows: Any) -> Integers:
        """Label rows that have the columns of the anchors."""
        if not self.get_support().any():
            return np.zeros(len(rows), dtype=np.int64)
        projection = self._fit_projection
        if projection is not None:
            return self._vote(projection.points_of_columns(rows))
        metric = self.feature_weights_ / self.feature_scales_
        return self._fit_anchor_labels[nearest_anchors(rows, self._fit_anchors, metric)]

    def _vote(self: Any, points: Floats) -> Integers:
        known = self._fit_projection.points_of_columns(self._fit_anchors)
        return vote(self._fit_anchor_labels, nearest_points(points, known))

    def _has_dense_answers(self: Any) -> bool:
        return vars(self).get("_fit_projection") is None

    def _soft_rows(self: Any, X: Any) -> Floats:
        """Return rows, dense, that have the columns of the anchors."""
        rows = read_rows(self, self._rows_of(X), reset=False)[:, anchor_columns(self)]
        return rows.toarray() if issparse(rows) else rows

    def _in_metric(self: Any, rows: Floats) -> Floats:
        """Return rows that have the columns of the anchors as points of the learned metric."""
        if self._fit_projection is not None:
            return self._fit_projection.points_of_columns(rows)
        support = self.get_support()
        return rows[:, support] * (self.feature_weights_ / self.feature_scales_)[support]
