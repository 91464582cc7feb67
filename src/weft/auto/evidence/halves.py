"""Whether a clustering shows in each half of the columns.

Clusters that many columns tell apart are there in any half of them. What a method made of chance,
or of one column, is not.
"""

import numpy as np

from weft.auto.candidates.centres import kmeans_labels
from weft.auto.candidates.trees import cuts, linkage_edges_of
from weft.auto.kernels import halves as kernels
from weft.auto.kernels.distances import pairwise
from weft.auto.working import Floats, Ints, Prepared

COUNTS = np.array([2, 3, 4, 5, 6, 8, 10, 13, 16, 20])


def clusterings_of(points: Floats, seed: int) -> Ints:
    """k-means on one half of the columns, for each of COUNTS that the rows allow."""
    rng = np.random.default_rng([seed, 7])
    counts = COUNTS[len(points) // 3 >= COUNTS]
    counts = counts if len(counts) else COUNTS[:1]
    distances = np.empty((len(points), len(points)))
    pairwise(points, distances)
    starts = cuts(linkage_edges_of(distances, "ward"), counts)
    found = [
        kmeans_labels(points, start, k, rng)
        for k, start in zip(counts.tolist(), starts, strict=True)
    ]
    return np.stack(found)


def shown_in_halves(prepared: Prepared, labels: Ints) -> Floats:
    """Two measures of each candidate, means over the halves; zeros without halves.

    The first is the share of rows that are nearest to their own cluster's centre. The second is
    the adjusted Rand index with the most alike k-means clustering of the half.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    labels : (C, n) of the candidates, -1 for outliers
    """
    out = np.zeros((len(labels), 2))
    if not prepared.halves:
        return out
    own = np.ascontiguousarray(labels[:, prepared.half_rows])
    for points in prepared.halves:
        shares = np.empty(len(labels))
        kernels.nearest_to_own_centre(points, own, shares)
        agreement = np.empty(len(labels))
        kernels.most_alike(own, clusterings_of(points, prepared.seed), agreement)
        out += np.column_stack([shares, agreement])
    return out / len(prepared.halves)
