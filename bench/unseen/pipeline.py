"""From a table to candidates and their evidence: AutoCluster's own steps."""

from __future__ import annotations

import numpy as np

from weft.auto.canonical import to_canonical
from weft.auto.examining import examine as examine_rows
from weft.auto.pool import Pool
from weft.parallel.blas import one_blas_thread


def examine(X: np.ndarray) -> Pool:
    """Return the candidates of a table and their evidence; rows are in the caller's order."""
    given = to_canonical(np.asarray(X, dtype=np.float64))
    with one_blas_thread():
        examined = examine_rows(given.standardised(), given.scales(), np.arange(len(X)))
    if not examined.representations:
        nothing = np.zeros((0, 0))
        return Pool(np.zeros((0, len(X)), dtype=np.int64), nothing, np.zeros(0, int), nothing)
    pool = examined.pool()
    labels = np.empty_like(pool.labels)
    labels[:, given.rows] = pool.labels
    return pool._replace(labels=labels)
