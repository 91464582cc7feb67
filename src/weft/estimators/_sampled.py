"""`max_samples` for methods whose matrices are of rows × rows: search on some rows, label all."""

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
    """For kernel methods: a fit on a sample, checked by another one.

    Offers `_fit_labels`, the labels of the rows that were searched, as `predict` needs them.
    """

    def _fit_sampled(self: Any, X: Floats, seed: int, n_matrices: int) -> None:
        """Fit all rows, or a sample, by ``_fit_rows(rows, seed)``; then label what is left."""
        size = len(X)
        if self.max_samples is not None:
            size = min(size, check_integer("max_samples", self.max_samples, low=2))
        check_size(X, 0, 1)
        rows = X if size == len(X) else self._draw(X, size, seed, 1)
        check_size(rows, n_matrices, parse_memory("max_memory", self.max_memory))
        self._fit_rows(rows, seed)
        self._fit_labels = self.labels_
        self.n_samples_search_, self.sample_agreement_ = size, None
        if size == len(X):
            return
        labels = self._nearest(X)
        numbers = numbers_by_first_row(labels, self.n_clusters_)
        self._renumber(numbers)
        self.labels_ = numbers[labels]
        other = self._draw(X, size, seed, 2)
        again = self._cluster_again(other, seed)
        self.sample_agreement_ = float(adjusted_rand_score(self._nearest(other), again))

    def _draw(self: Any, X: Floats, size: int, seed: int, number: int) -> Floats:
        """Return the rows of the search's sample (1), or of the one to compare it with (2)."""
        rng = np.random.default_rng([seed, number])
        scaled = standard_scaling(X, scaled=self.scale).apply(X)
        chosen = representative_rows(scaled, size, rng, n_threads=local_threads(self.n_jobs))
        return np.ascontiguousarray(X[chosen])

    def _renumber(self: Any, numbers: Integers) -> None:
        """Give the clusters other numbers."""
        self._fit_labels = numbers[self._fit_labels]
