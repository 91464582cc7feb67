"""`max_samples` for methods with matrices of rows × rows: search on some rows, label all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft._base.labels import numbers_by_first_row
from weft._base.scaling import check_size, standard_scaling
from weft._base.validation import check_integer, parse_memory
from weft.parallel.threads import local_threads
from weft.search.labelling import representative_rows


class SampledMixin:
    """A fit on a sample of the rows, checked by a second sample.

    The estimator has ``_fit_rows(rows, seed)``, ``_nearest(X)`` (labels of any rows) and
    ``_cluster_again(X, seed)`` (labels of the second sample, from its own rows).
    """

    def _fit_sampled(self: Any, X: Floats, seed: int, n_matrices: int) -> None:
        """Fit all rows, or a sample, by ``_fit_rows(rows, seed)``; then label the other rows."""
        size = len(X)
        if self.max_samples is not None:
            size = min(size, check_integer("max_samples", self.max_samples, low=2))
        check_size(X, 0, 1)
        rows = X if size == len(X) else self._draw(X, size, seed, 1)
        check_size(rows, n_matrices, parse_memory("max_memory", self.max_memory))
        self._fit_rows(rows, seed)
        self._keep_sample()
        self.n_samples_search_, self.sample_agreement_ = size, None
        if size == len(X):
            return
        labels = self._nearest(X)
        numbers = numbers_by_first_row(labels, self.n_clusters_)
        self._renumber(numbers)
        self.labels_ = np.where(labels >= 0, numbers[labels], -1)
        other = self._draw(X, size, seed, 2)
        own_labels = self._cluster_again(other, seed)
        self.sample_agreement_ = float(adjusted_rand_score(self._nearest(other), own_labels))

    def _draw(self: Any, X: Floats, size: int, seed: int, number: int) -> Floats:
        """Return the rows of the search's sample (1), or of the one to compare it with (2)."""
        rng = np.random.default_rng([seed, number])
        rows = self._rows_to_sample(X)
        chosen = representative_rows(rows, size, rng, n_threads=local_threads(self.n_jobs))
        return np.ascontiguousarray(X[chosen])

    def _rows_to_sample(self: Any, X: Floats) -> Floats:
        """Return the rows whose density decides which are drawn."""
        return standard_scaling(X, scaled=self.scale).apply(X)

    def _keep_sample(self: Any) -> None:
        """Keep the labels of the rows that were searched, as `predict` needs them."""
        self._fit_labels = self.labels_

    def _renumber(self: Any, numbers: Integers) -> None:
        """Give the clusters other numbers."""
        self._fit_labels = numbers[self._fit_labels]
