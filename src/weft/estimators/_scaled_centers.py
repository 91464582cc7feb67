"""Labels, centres and prediction of methods that search for centres among scaled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft._base.labels import order_by_first_row, renumber
from weft.estimators._reading import read_table
from weft.methods.centroids.objectives import assign


class ScaledCentersMixin:
    """For estimators with ``_fit_scaling``: labels, centres and prediction from scaled centres."""

    def _keep_centers(self: Any, X: Floats, rows: Floats, centers: Floats) -> None:
        """Give each of the `rows`, the scaled ones of X, to its nearest centre."""
        labels = assign(rows, centers)
        order = order_by_first_row(labels)
        self.labels_ = renumber(labels, order)
        self.n_clusters_ = len(order)
        self._fit_centers = centers[order]
        self.cluster_centers_ = np.stack(
            [X[self.labels_ == number].mean(axis=0) for number in range(self.n_clusters_)]
        )

    def predict(self: Any, X: Any) -> Integers:
        """Label rows by the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters.
        """
        check_is_fitted(self)
        X = read_table(self, X, reset=False)
        return assign(self._fit_scaling.apply(X), self._fit_centers)
