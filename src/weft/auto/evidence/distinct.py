"""The distinct clusters of all candidates: trees and repeats share most of them."""

from typing import NamedTuple

import numpy as np

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
    # Short integers are sorted by radix and make short keys.
    small = np.min_scalar_type(-2 * labels.shape[1])
    labels = labels.astype(small)
    number: dict[bytes, int] = {}
    members: list[Ints] = []
    offsets = [0]
    clusters: list[int] = []
    for row in labels:
        by_label = np.argsort(row, kind="stable").astype(small)
        sizes = np.bincount(row + 1)
        ends = np.cumsum(sizes)
        for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            rows = by_label[start:end]
            u = number.setdefault(rows.tobytes(), len(members))
            if u == len(members):
                members.append(rows)
            clusters.append(u)
        offsets.append(len(clusters))
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in members])]).astype(np.int64)
    return DistinctClusters(
        starts,
        np.concatenate(members).astype(np.int64),
        np.array(offsets, dtype=np.int64),
        np.array(clusters, dtype=np.int64),
    )
