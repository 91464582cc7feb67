"""Soft answers from anchors: rows of the fit that a model stores, with their clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft.answers.membership import soften, softness_of
from weft.answers.nearness import cluster_distances
from weft.answers.outlyingness import Reach, measure_reach, outlier_scores
from weft.estimators._soft_answers import SoftAnswersMixin

# A cache of what was computed from the anchors of a model, with the labels that it was computed
# for. It is not part of the model: `predict_proba` must not change the model, and files do not
# store it.
_remembered: WeakKeyDictionary[Any, tuple[Integers, dict[str, Any]]] = WeakKeyDictionary()


def remember(model: Any, name: str, make: Callable[[], Any]) -> Any:
    """Return what `make` makes of a fitted model, made once for each fit."""
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
