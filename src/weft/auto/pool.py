"""The candidates of one table as the judge takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft.auto.kernels.partitions import sizes_of


class Pool(NamedTuple):
    """The candidates of one table, of all representations of its rows."""

    labels: Integers  # (C, n), outliers in the nearest cluster
    values: Floats  # (C, F), evidence of each candidate
    part_of: Integers  # (C,) the representation that a candidate was made and measured in
    table_values: Floats  # (R, T) evidence of the table in each representation

    def take(self, places: Integers) -> Pool:
        """Return the candidates at these places."""
        return self._replace(
            labels=self.labels[places], values=self.values[places], part_of=self.part_of[places]
        )


def rounded(values: NDArray) -> Floats:
    """Return evidence in the precision of the judge."""
    return np.nan_to_num(np.asarray(values, dtype=np.float32)).astype(np.float64)


def cluster_counts(labels: Integers) -> Integers:
    """Return the number of clusters of each row of labels (C, n); -1 is none."""
    return cluster_sizes(labels)[0]


def cluster_sizes(labels: Integers) -> tuple[Integers, Integers]:
    """Return the number of clusters of each row of labels (C, n), and the smallest one's size."""
    n_clusters, smallest = np.empty((2, len(labels)), dtype=np.int64)
    sizes_of(np.ascontiguousarray(labels), n_clusters, smallest)
    return n_clusters, smallest


def by_part(values: Floats, part_of: Integers, relative: Callable[[Floats], Floats]) -> Floats:
    """Compare the evidence of each candidate with that of the others of its representation."""
    parts = [relative(values[part_of == part]) for part in np.unique(part_of)]
    out = np.empty((len(values), parts[0].shape[1]))
    for part, beside in zip(np.unique(part_of), parts, strict=True):
        out[part_of == part] = beside
    return out
