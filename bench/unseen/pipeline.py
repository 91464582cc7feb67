"""From a table to candidates and their evidence, as AutoCluster does it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bench.unseen.rivals import standardised
from weft.auto.candidates import generate
from weft.auto.evidence import measure, measure_table
from weft.auto.screening import columns_that_matter
from weft.auto.working import prepare


class Examined(NamedTuple):
    """Candidates of a table with their evidence; rows are in the caller's order."""

    labels: np.ndarray  # (C, n), -1 for outliers
    values: np.ndarray  # (C, F)
    table_values: np.ndarray  # (T,)


def columns_used(X: np.ndarray, seed: int) -> np.ndarray:
    """Return which columns the candidates are made on: those that matter, or else all."""
    varies = np.ptp(X, axis=0) > 0
    kept = np.zeros(X.shape[1], dtype=bool)
    if varies.any():
        kept[varies] = columns_that_matter(standardised(X[:, varies]), seed)
    return kept if kept.any() else varies


def examine(X: np.ndarray, seed: int, kept: np.ndarray | None = None) -> Examined:
    """Return the candidates of a table and their evidence."""
    kept = columns_used(X, seed) if kept is None else kept
    prepared = prepare(X[:, kept], seed)
    candidates = generate(prepared)
    if not candidates:
        return Examined(np.zeros((0, len(X)), int), measure(prepared, []), np.zeros(0))
    values = measure(prepared, candidates)
    table_values = measure_table(prepared, candidates, values)
    labels = np.stack([prepared.restore(candidate.labels) for candidate in candidates])
    return Examined(labels, values, table_values)
