"""Sparse rows under the extended Jaccard coefficient: what `ProjectedSwarm` does with new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from weft._base.arrays import Floats
from weft.backends.devices import to_host
from weft.estimators._centers import CenterClusterer
from weft.methods.projected.settings import read_exponent
from weft.methods.projected.sparse import SparseSpace
from weft.parallel.threads import thread_runner


class MetricClusterer(CenterClusterer):
    """`CenterClusterer` with a ``metric``: "euclidean", or "jaccard" for sparse rows."""

    metric: str
    weight_exponent: float | str
    _weights: Floats | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric == "jaccard"
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """Return the nearest cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Indices into ``cluster_centers_``.
        """
        if self.metric == "euclidean":
            return super().predict(X)
        return self._similarities(X).argmax(axis=1).astype(np.int32)

    def transform(self, X: Any) -> np.ndarray:
        """Return how far each row is from each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Weighted Euclidean distances, or 1 minus the extended Jaccard coefficient.
        """
        if self.metric == "euclidean":
            return super().transform(X)
        return 1.0 - self._similarities(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the summed weighted squared distance, or the summed similarity.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        score : float
            Of rows to their nearest centres; larger is better.
        """
        if self.metric == "euclidean":
            return super().score(X, sample_weight=sample_weight)
        nearest = self._similarities(X).max(axis=1)
        return float(np.dot(nearest, _check_sample_weight(sample_weight, nearest)))

    def _similarities(self, X: Any) -> Floats:
        check_is_fitted(self)
        rows = self._read(X)
        exponent = read_exponent(self.weight_exponent, self.metric)
        with thread_runner(None) as run:
            space = SparseSpace(rows, len(self.cluster_centers_), exponent, run)
            return space.similarities(self._weights, self.cluster_centers_)

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        if self.metric == "euclidean":
            return super()._read(X, reset=reset)
        rows = csr_array(
            validate_data(self, to_host(X), reset=reset, dtype=np.float64, accept_sparse="csr")
        )
        if not rows.has_canonical_format:
            rows = rows.copy()  # the caller's matrix stays as it is
            rows.sum_duplicates()
        return rows
