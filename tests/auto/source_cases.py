"""A candidate and a table of categories with known parts, for tests of mixed tables."""

from __future__ import annotations

import numpy as np

from weft.auto.source_family import KMEANS, SourceCandidate
from weft.columns.source import MixedTable, SourceColumn

HALVES, THIRDS = np.arange(24) // 12, np.arange(24) // 8


def candidate(labels=HALVES, way=KMEANS, **changes):
    n_clusters = int(labels.max()) + 1
    made = SourceCandidate(labels, n_clusters, way, 0.9, 0.9, 0.5, 0.5, 0.06, 1.0, 1.0)
    return made._replace(**changes)


def categories(n_columns=5, n=24):
    """The codes of column j are multiples of row numbers, so that columns can be distinguished."""
    columns = tuple(
        SourceColumn(f"c{j}", "category", (j,), levels=("a", "b", "c")) for j in range(n_columns)
    )
    values = np.column_stack([np.arange(n) // (j + 1) % 3 for j in range(n_columns)])
    return MixedTable(values.astype(float), columns)
