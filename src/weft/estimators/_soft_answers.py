"""Probabilities that rows belong to each cluster, for all estimators that have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats
from weft._base.memory import check_memory
from weft.answers.membership import N_TOP, Membership, most_likely
from weft.estimators._reading import read_table

_BLOCK_CELLS = 4_000_000  # probabilities that are held at once


class SoftAnswersMixin:
    """``predict_proba`` and ``membership``.

    The estimator has ``_probabilities(rows)``, which returns an array of shape (n, K) whose rows
    sum to 1; ``_soft_rows(X)`` reads a table.
    """

    @available_if(lambda self: self._has_dense_answers())
    def predict_proba(self: Any, X: Any) -> Floats:
        """Return the probability that each row belongs to each cluster.

        Not available for sparse tables: call `membership` instead, which returns a sparse result.
        The most likely cluster is that of `predict`. The guide "What to do with an answer" reports
        how well probabilities agree with known classes.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_clusters)
            Rows sum to 1.
        """
        check_is_fitted(self)
        rows = self._soft_rows(X)
        n_rows, n_clusters = rows.shape[0], self._n_soft_clusters()
        check_memory(
            16 * n_rows * n_clusters,
            f"probabilities of {n_rows} rows and {n_clusters} clusters",
            "call membership, which keeps the most likely clusters of each row alone",
        )
        out = np.empty((n_rows, n_clusters))
        for span in self._soft_spans(n_rows):
            out[span] = self._probabilities(rows[span])
        return out

    def membership(self: Any, X: Any, *, n_top: int = N_TOP) -> Membership:
        """Return the most likely clusters of each row, without an array of rows × clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.
        n_top : int, default=4
            Number of clusters to return for each row.

        Returns
        -------
        Membership
            ``clusters`` and ``probabilities`` of shape (n_samples, n_top), the most likely first;
            ``to_csr()`` makes a sparse array of them.
        """
        check_is_fitted(self)
        rows = self._soft_rows(X)
        parts = [
            most_likely(self._probabilities(rows[span]), n_top)
            for span in self._soft_spans(rows.shape[0])
        ]
        return Membership(
            np.concatenate([part.clusters for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            self._n_soft_clusters(),
        )

    def _has_dense_answers(self: Any) -> bool:
        return True

    def _soft_rows(self: Any, X: Any) -> Any:
        return read_table(self, X, reset=False)

    def _soft_spans(self: Any, n_rows: int) -> Iterator[slice]:
        step = max(1, _BLOCK_CELLS // max(self._n_soft_clusters(), 1))
        for first in range(0, max(n_rows, 1), step):
            yield slice(first, min(first + step, n_rows))

    def _n_soft_clusters(self: Any) -> int:
        return max(1, int(self.n_clusters_))
