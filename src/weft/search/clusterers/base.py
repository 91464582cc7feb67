"""What every clusterer has."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from weft._base.arrays import Integers
from weft.backends.cpu.spaces import Space


class Clustering(NamedTuple):
    """Labels, and what it takes to label further rows.

    A new row gets the label of the nearest anchor, or -1 if that is farther than `radius`.
    """

    labels: Integers  # (n,), numbered by first row; -1 for rows in no cluster
    anchors: Integers  # rows that stand for the clusters
    radius: float = np.inf
    converged: bool = True


class Clusterer(Protocol):
    """A distance-based clusterer."""

    @property
    def n_matrices(self) -> int:
        """How many n × n arrays it cannot do without."""

    @property
    def precision(self) -> str:
        """``"float32"`` if it settles what that leaves open, else ``"float64"``."""

    def prepare(self, full: Space) -> Clusterer:
        """Return the clusterer with what depends on the data settled, and its demands checked."""

    def cluster(self, space: Space) -> Clustering:
        """Cluster the rows of `space`."""
