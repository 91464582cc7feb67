"""From a table to candidates and their evidence: AutoCluster's own steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft.auto.canonical import to_canonical
from weft.auto.examining import examine as examine_rows
from weft.parallel.blas import one_blas_thread


class Examined(NamedTuple):
    """Candidates of a table with their evidence; rows are in the caller's order."""

    labels: np.ndarray  # (C, n), -1 for outliers
    values: np.ndarray  # (C, F)
    table_values: np.ndarray  # (T,)


def examine(X: np.ndarray) -> Examined:
    """Return the candidates of a table and their evidence."""
    given = to_canonical(np.asarray(X, dtype=np.float64))
    with one_blas_thread():
        examined = examine_rows(given.standardised(), given.scales(), np.arange(len(X)))
    if examined.prepared is None or not examined.candidates:
        return Examined(np.zeros((0, len(X)), int), np.zeros((0, 0)), np.zeros(0))
    labels = np.empty((len(examined.candidates), len(X)), dtype=np.int64)
    for row, candidate in zip(labels, examined.candidates, strict=True):
        row[given.rows] = examined.prepared.restore(candidate.labels)
    return Examined(labels, examined.values, examined.table_values)
