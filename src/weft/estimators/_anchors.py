"""Prediction from anchors: rows seen in fit that represent the clusters in a learned metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution
from weft.estimators._mixins import KeptFeaturesMixin, PredictMixin
from weft.estimators._reading import read_table
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
