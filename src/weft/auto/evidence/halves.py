"""Whether halves of the columns show a clustering, and halves of the rows reproduce it.

Clusters that many columns separate are visible in any half of the columns; clusters that are due to
chance, or to a single column, are not. Clusters that are too small are not reproduced by half of
the rows.
"""

import numpy as np

from weft.auto.candidates.centres import kmeans_labels
from weft.auto.candidates.trees import cuts, linkage_edges_of
from weft.auto.kernels.distances import pairwise
from weft.auto.kernels.halves import nearest_to_own_centre
from weft.auto.kernels.partitions import rand_between
from weft.auto.working import Floats, Ints, Prepared

N_SPLITS = 2  # random splits of the rows, two halves each
FEWEST_ROWS = 6  # below, half of them cannot be clustered
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


def most_alike(labels: Ints, others: Ints) -> Floats:
    """The largest adjusted Rand index of each row of `labels` with a row of `others`."""
    indices = np.empty((len(labels), len(others)))
    rand_between(labels, others, False, indices)
    return indices.max(axis=1)


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
        nearest_to_own_centre(points, own, shares)
        agreement = most_alike(own, clusterings_of(points, prepared.seed))
        out += np.column_stack([shares, agreement])
    return out / len(prepared.halves)


def alike_in_rows(prepared: Prepared, labels: Ints) -> Floats:
    """The mean adjusted Rand index of each candidate with k-means on random halves of the rows.

    Each half is clustered into several numbers of clusters; the most alike counts. Zeros where
    rows are too few to be halved.
    """
    rng = np.random.default_rng([prepared.seed, 9])
    out = np.zeros(len(labels))
    if len(prepared.half_rows) < FEWEST_ROWS:
        return out
    for _ in range(N_SPLITS):
        for part in np.array_split(rng.permutation(prepared.half_rows), 2):
            rows = np.sort(part)
            points = np.ascontiguousarray(prepared.points[rows])
            own = np.ascontiguousarray(labels[:, rows])
            out += most_alike(own, clusterings_of(points, prepared.seed))
    return out / (2 * N_SPLITS)
