"""The distinct clusters of all candidates: trees and repeats share most of them."""

from typing import NamedTuple

import numpy as np

from weft.auto.kernels.distinct import collect_clusters
from weft.auto.working import Ints


class DistinctClusters(NamedTuple):
    """Distinct sets of rows, and which of them each candidate is made of.

    Attributes
    ----------
    starts, rows : members of cluster u are rows[starts[u] : starts[u + 1]]
    offsets, clusters : candidate c has the clusters clusters[offsets[c] : offsets[c + 1]]
    """

    starts: Ints
    rows: Ints
    offsets: Ints
    clusters: Ints


def distinct_clusters(labels: Ints) -> DistinctClusters:
    """Find the distinct clusters of candidates (C, n), labelled 0 … K - 1 with -1 for outliers."""
    offsets = np.concatenate([[0], np.cumsum(labels.max(axis=1) + 1)]).astype(np.int64)
    clusters = np.empty(offsets[-1], dtype=np.int64)
    starts, rows = collect_clusters(np.ascontiguousarray(labels), offsets, clusters)
    return DistinctClusters(starts, rows, offsets, clusters)
