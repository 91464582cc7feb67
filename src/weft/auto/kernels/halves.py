"""Candidates compared with the rows on half of the columns."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.centres import BLOCK, in_blocks, squared_gaps


@njit(**COMPILED)
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
        row_labels = labels[candidate]
        k = 0
        for i in range(n):
            other[i] = np.inf
            k = max(k, row_labels[i] + 1)
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
