"""Candidates beside the rows on half of the columns."""

import numpy as np
from numba import njit

from weft.auto.kernels.centres import BLOCK, in_blocks, squared_gaps
from weft.auto.kernels.partitions import pairs_within, rand_index


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_to_own_centre(points, labels, out):
    """Fill the share of rows that are nearest to their own cluster's centre.

    A row is left out of its own cluster's centre, and a cluster of one row has no other. Rows with
    -1 are not counted.
    """
    n, d = points.shape
    blocks = in_blocks(points)
    gaps = np.empty(BLOCK)
    gap = np.empty(n)  # to a row's own centre
    other = np.empty(n)  # to the nearest of the others
    for candidate in range(len(labels)):
        other[:] = np.inf
        row_labels = labels[candidate]
        k = row_labels.max() + 1
        sizes = np.zeros(max(k, 1))
        centres = np.zeros((max(k, 1), d))
        for i in range(n):
            if row_labels[i] >= 0:
                sizes[row_labels[i]] += 1.0
                for f in range(d):
                    centres[row_labels[i], f] += points[i, f]
        for c in range(k):
            for f in range(d):
                centres[c, f] /= max(sizes[c], 1.0)
        for b in range(len(blocks)):
            first = b * BLOCK
            last = min(first + BLOCK, n)
            for c in range(k):
                if sizes[c] == 0.0:
                    continue
                squared_gaps(blocks[b], centres[c], gaps)
                for i in range(first, last):
                    if row_labels[i] == c:
                        gap[i] = gaps[i - first]
                    elif gaps[i - first] < other[i]:
                        other[i] = gaps[i - first]
        counted = 0
        right = 0
        for i in range(n):
            own = row_labels[i]
            if own < 0:
                continue
            counted += 1
            if sizes[own] < 2.0:
                continue
            # Without the row itself, its distance to the centre grows by n / (n - 1).
            stretch = (sizes[own] / (sizes[own] - 1.0)) ** 2
            right += not other[i] < gap[i] * stretch
        out[candidate] = right / max(counted, 1)


@njit(nogil=True, cache=True, error_model="numpy")
def most_alike(labels, others, out):
    """Fill the largest adjusted Rand index of each row of `labels` with a row of `others`."""
    pairs = np.empty(len(others))
    for b in range(len(others)):
        pairs[b] = pairs_within(others[b])
    counts = np.zeros((labels.max() + 2) * (others.max() + 2), dtype=np.int64)
    for candidate in range(len(labels)):
        own = pairs_within(labels[candidate])
        best = -1.0
        for b in range(len(others)):
            value = rand_index(labels[candidate], others[b], own, pairs[b], counts)
            best = max(best, value)
        out[candidate] = best
