"""Centres under a metric: Euclidean, or the extended Jaccard coefficient of sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from weft._base.arrays import Floats
from weft.estimators._centers import CenterClusterer, read_mass
from weft.estimators._reading import read_table
from weft.methods.projected.settings import read_exponent
from weft.methods.projected.sparse import SparseSpace
from weft.parallel.threads import thread_runner


class MetricClusterer(CenterClusterer):
    """`CenterClusterer` with a ``metric``: "euclidean", or "jaccard" for sparse rows.

    With "jaccard" distances are 1 minus the coefficient, and a score is the sum of similarities.
    """

    metric: str
    weight_exponent: float | str
    _weights: Floats | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric == "jaccard"
        return tags

    def _distances_of(self, rows: Any) -> np.ndarray:
        if self.metric == "euclidean":
            return super()._distances_of(rows)
        return 1.0 - self._similar(rows)

    def _labels_of(self, rows: Any) -> np.ndarray:
        if self.metric == "euclidean":
            return super()._labels_of(rows)
        return self._similar(rows).argmax(axis=1)

    def _look_up(self, X: Any, sample_weight: Any) -> tuple[np.ndarray, float]:
        if self.metric == "euclidean":
            return super()._look_up(X, sample_weight)
        similar = self._similar(self._read(X))
        nearest = similar.max(axis=1)
        mass = read_mass(sample_weight, nearest)
        return similar.argmax(axis=1).astype(np.int32), -float(np.dot(nearest, mass))

    def _similar(self, rows: Any) -> Floats:
        """Return the extended Jaccard coefficient of each row with each centre, (n, K)."""
        exponent = read_exponent(self.weight_exponent, self.metric)
        with thread_runner(None) as run:
            space = SparseSpace(rows, len(self.cluster_centers_), exponent, run)
            return space.similarities(self._weights, self.cluster_centers_)

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        if self.metric == "euclidean":
            return super()._read(X, reset=reset)
        rows = csr_array(read_table(self, X, reset=reset, accept_sparse=True))
        if not rows.has_canonical_format:
            rows = rows.copy()  # the caller's matrix must not change
            rows.sum_duplicates()
        return rows
