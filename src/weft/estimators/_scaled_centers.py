"""What the rivals of KernelSwarm do with the centres that they have found among scaled rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.arrays import Floats
from weft._base.labels import number_by_first_row
from weft.backends.devices import to_host
from weft.methods.centroids.objectives import assign


class ScaledCentersMixin:
    """For estimators with ``_fit_scaling``: labels, centres and prediction from scaled centres."""

    def _keep_centers(self: Any, X: Floats, rows: Floats, centers: Floats, searcher: str) -> None:
        """Give each of the `rows`, the scaled ones of X, to its nearest centre."""
        raw = assign(np.ascontiguousarray(rows.T), centers)
        self.labels_ = number_by_first_row(raw)
        self.n_clusters_ = int(self.labels_.max()) + 1
        order = [int(raw[self.labels_ == number][0]) for number in range(self.n_clusters_)]
        self._fit_centers = centers[order]
        if self.n_clusters_ < 2:
            warnings.warn(
                f"no {searcher} split the rows into two or more clusters, so all rows are in one; "
                "check that the rows differ.",
                ConvergenceWarning,
                stacklevel=5,
            )
        self.cluster_centers_ = np.stack(
            [X[self.labels_ == number].mean(axis=0) for number in range(self.n_clusters_)]
        )

    def predict(self: Any, X: Any) -> NDArray[np.int64]:
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
        X = validate_data(self, to_host(X), dtype=np.float64, reset=False)
        return assign(np.ascontiguousarray(self._fit_scaling.apply(X).T), self._fit_centers)
