"""Answers from anchors: rows of the fit that represent the clusters in a learned metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft.answers.membership import soften, softness_of
from weft.answers.outlyingness import Reach, cluster_distances, measure_reach, outlier_scores
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution
from weft.estimators._mixins import KeptFeaturesMixin, PredictMixin
from weft.estimators._reading import read_table
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.parallel.workers import threads_per_process


class AnchorsMixin(KeptFeaturesMixin, PredictMixin, TransformerMixin):
    """Labels from the nearest row (core row, exemplar) seen in fit, and weighted columns.

    For estimators with ``feature_weights_``, ``feature_exponents_`` and anchors.
    """

    def _solution(self: Any) -> Solution:
        return Solution(self.feature_weights_, self.feature_exponents_)

    def _nearest(self: Any, X: Floats) -> Integers:
        if len(self._fit_anchors) == 0:
            return np.full(len(X), -1, dtype=np.int64)
        solution = self._solution()
        n_threads = threads_per_process(self.n_jobs)
        nearest = nearest_rows_of(X, self._fit_anchors, solution, n_threads=n_threads)
        labels = self._fit_anchor_labels[nearest.indices]
        root = 2.0 if solution.exponents is None else solution.exponents[self.get_support()].mean()
        # The same comparison as in the clusterer: powered distances on both sides.
        labels[nearest.powered > self._fit_radius**root] = -1
        return labels

    def transform(self: Any, X: Any) -> Floats:
        """Return the selected columns, each times its weight.

        Euclidean distances between the returned rows are the distances that the search learned
        (with ``exponents=True``: before the exponents).

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_selected)
            Weighted, selected columns.
        """
        check_is_fitted(self)
        X = read_table(self, X, reset=False)
        support = self.get_support()
        return X[:, support] * self.feature_weights_[support]


# A cache of values computed from the anchors of a model, with the labels that they were computed
# for. It is not part of the model: `predict_proba` must not change the model, and files do not
# store it.
_remembered: WeakKeyDictionary[Any, tuple[Integers, dict[str, Any]]] = WeakKeyDictionary()


def remember(model: Any, name: str, make: Callable[[], Any]) -> Any:
    """Return the result of `make` for a fitted model, computed once for each fit."""
    labels = model._fit_anchor_labels
    known = _remembered.get(model)
    if known is None or known[0] is not labels:
        known = (labels, {})
        _remembered[model] = known
    if name not in known[1]:
        known[1][name] = make()
    return known[1][name]


class AnchoredAnswersMixin(SoftAnswersMixin):
    """``predict_proba``, ``membership`` and ``outlier_score``.

    For estimators with ``_fit_anchors``, ``_fit_anchor_labels`` and ``feature_weights_``;
    ``_nearest(rows)`` labels rows.
    """

    _fit_anchors: Floats
    _fit_anchor_labels: Integers

    def outlier_score(self: Any, X: Any) -> Floats:
        """Return how unusual each row is among the rows of the fit.

        Local outlier probabilities in the learned metric (Kriegel et al., "LoOP: local outlier
        probabilities", 2009): how much farther a row is from its neighbours than they are from
        their own neighbours.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            From 0 (not unusual) to 1.
        """
        check_is_fitted(self)
        return self._outlier_scores(self._soft_rows(X))

    def _outlier_scores(self: Any, rows: Floats) -> Floats:
        return outlier_scores(self._in_metric(rows), self._anchor_points(), self._reach())

    def _probabilities(self: Any, rows: Floats) -> Floats:
        n_clusters = self._n_soft_clusters()
        if n_clusters < 2 or not self.get_support().any():
            return np.eye(1, n_clusters).repeat(len(rows), axis=0)
        softness = softness_of(getattr(self, "confidence_", None), self._reach().dimension)
        distances = cluster_distances(
            self._in_metric(rows), self._anchor_points(), self._fit_anchor_labels, n_clusters
        )
        return soften(distances, softness, self._nearest(rows))

    def _in_metric(self: Any, rows: Floats) -> Floats:
        support = self.get_support()
        scales = getattr(self, "feature_scales_", np.ones(len(support)))
        return rows[:, support] * (self.feature_weights_ / scales)[support]

    def _anchor_points(self: Any) -> Floats:
        return self._in_metric(self._fit_anchors)

    def _reach(self: Any) -> Reach:
        return remember(self, "reach", lambda: measure_reach(self._anchor_points()))
