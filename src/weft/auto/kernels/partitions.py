"""Partitions compared with each other."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def canonical(labels, out):
    """Fill labels numbered by first row, -1 kept; gives the number of clusters."""
    highest = -1
    for label in labels:
        highest = max(highest, label)
    number = np.full(highest + 1, -1)
    count = 0
    for i in range(len(labels)):
        if labels[i] < 0:
            out[i] = -1
            continue
        if number[labels[i]] < 0:
            number[labels[i]] = count
            count += 1
        out[i] = number[labels[i]]
    return count


@njit(nogil=True, cache=True, error_model="numpy")
def pairs_within(labels):
    """Pairs of rows in one cluster; rows with -1 are a cluster of their own."""
    highest = 0
    for label in labels:
        highest = max(highest, label)
    sizes = np.zeros(highest + 2)
    for label in labels:
        sizes[label + 1] += 1.0
    return 0.5 * ((sizes * sizes).sum() - len(labels))


@njit(nogil=True, cache=True, error_model="numpy")
def rand_index(first, second, pairs_first, pairs_second, counts):
    """Adjusted Rand index (Hubert, Arabie 1985); rows with -1 are one cluster.

    `counts` is a buffer of zeros, large enough for both numbers of clusters; zeros again after.
    """
    n = len(first)
    width = 0
    for label in second:
        width = max(width, label)
    width += 2
    squares = 0
    for i in range(n):
        cell = (first[i] + 1) * width + second[i] + 1
        squares += 2 * counts[cell] + 1
        counts[cell] += 1
    for i in range(n):
        counts[(first[i] + 1) * width + second[i] + 1] = 0
    both = 0.5 * (squares - n)
    expected = pairs_first * pairs_second / (0.5 * n * (n - 1.0))
    middle = 0.5 * (pairs_first + pairs_second)
    if middle - expected <= 1e-12 * middle or middle == 0.0:
        return 1.0
    return (both - expected) / (middle - expected)


@njit(nogil=True, cache=True, error_model="numpy")
def rand_matrix(labels, out):
    """Fill the adjusted Rand index of every two rows of `labels` (candidates, n)."""
    n_candidates, n = labels.shape
    pairs = np.empty(n_candidates)
    highest = 0
    for c in range(n_candidates):
        pairs[c] = pairs_within(labels[c])
        for i in range(n):
            highest = max(highest, labels[c, i])
    counts = np.zeros((highest + 2) * (highest + 2), dtype=np.int64)
    for c in range(n_candidates):
        out[c, c] = 1.0
        for b in range(c):
            value = rand_index(labels[c], labels[b], pairs[c], pairs[b], counts)
            out[c, b] = value
            out[b, c] = value


@njit(nogil=True, cache=True, error_model="numpy")
def leaders(labels, threshold, out):
    """Fill, for each partition, the first earlier leader whose index with it is above threshold.

    A partition without one is its own leader.
    """
    n_candidates, n = labels.shape
    pairs = np.empty(n_candidates)
    highest = 0
    for c in range(n_candidates):
        pairs[c] = pairs_within(labels[c])
        for i in range(n):
            highest = max(highest, labels[c, i])
    counts = np.zeros((highest + 2) * (highest + 2), dtype=np.int64)
    all_pairs = 0.5 * n * (n - 1.0)
    for c in range(n_candidates):
        out[c] = c
        for b in range(c):
            if out[b] != b:
                continue
            # The index is largest if the smaller number of pairs is wholly among the larger.
            expected = pairs[c] * pairs[b] / all_pairs
            bound = min(pairs[c], pairs[b]) - expected
            if bound <= threshold * (0.5 * (pairs[c] + pairs[b]) - expected):
                continue
            if rand_index(labels[c], labels[b], pairs[c], pairs[b], counts) > threshold:
                out[c] = b
                break
