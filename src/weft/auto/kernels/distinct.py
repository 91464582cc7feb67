"""Equal clusters of many candidates, found by signatures of their rows."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.order import scrambled


@njit(inline="always", **COMPILED)
def same_rows(rows, start, others, other_start, size):
    """Return whether two clusters of one size have the same rows."""
    i = 0
    while i < size and rows[start + i] == others[other_start + i]:
        i += 1
    return i == size


@njit(inline="always", **COMPILED)
def longer(values, size):
    """Return the values in an array that has room for `size` of them, and for more."""
    if size <= len(values):
        return values
    out = np.empty(2 * size, dtype=np.int64)
    for i in range(len(values)):
        out[i] = values[i]
    return out


@njit(**COMPILED)
def collect_clusters(labels, offsets, clusters):
    """Fill the number of the distinct cluster of each cluster of each candidate.

    `labels` (C, n); candidate c has the clusters offsets[c] to offsets[c + 1]. Distinct clusters
    are numbered as they first appear. Gives their starts and their rows, each cluster's in order.
    """
    n_candidates, n = labels.shape
    n_slots = 2
    while n_slots < 2 * len(clusters):
        n_slots *= 2
    slots = np.empty(n_slots, dtype=np.int64)
    for place in range(n_slots):
        slots[place] = -1
    mask = np.uint64(n_slots - 1)
    signatures = np.empty(len(clusters), dtype=np.uint64)
    starts = np.zeros(len(clusters) + 1, dtype=np.int64)
    rows = np.empty(4 * n, dtype=np.int64)
    count = 0
    keys = np.empty(n, dtype=np.uint64)
    for i in range(n):
        keys[i] = scrambled(np.uint64(i + 1))
    own = np.empty(n, dtype=np.int64)
    ends = np.empty(n + 1, dtype=np.int64)
    sums = np.empty(n + 1, dtype=np.uint64)
    for c in range(n_candidates):
        k = offsets[c + 1] - offsets[c]
        for label in range(k + 1):
            ends[label] = 0
            sums[label] = np.uint64(0)
        for i in range(n):
            ends[labels[c, i] + 1] += 1
            sums[labels[c, i] + 1] += keys[i]
        for label in range(1, k + 1):
            ends[label] += ends[label - 1]
        # Rows by label, each label's in order: the last rows are put in place first.
        for back in range(n):
            i = n - 1 - back
            ends[labels[c, i] + 1] -= 1
            own[ends[labels[c, i] + 1]] = i
        for label in range(k):
            first = ends[label + 1]
            last = ends[label + 2] if label + 1 < k else n
            signature = scrambled(sums[label + 1])
            slot = signature & mask
            while slots[slot] >= 0:
                u = slots[slot]
                size = starts[u + 1] - starts[u]
                if (
                    signatures[u] == signature
                    and size == last - first
                    and same_rows(own, first, rows, starts[u], size)
                ):
                    break
                slot = (slot + np.uint64(1)) & mask
            if slots[slot] < 0:
                slots[slot] = count
                signatures[count] = signature
                starts[count + 1] = starts[count] + last - first
                rows = longer(rows, starts[count + 1])
                for i in range(first, last):
                    rows[starts[count] + i - first] = own[i]
                count += 1
            clusters[offsets[c] + label] = slots[slot]
    return starts[: count + 1].copy(), rows[: starts[count]].copy()
