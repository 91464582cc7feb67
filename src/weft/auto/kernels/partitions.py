"""Partitions compared with each other."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED


@njit(inline="always", **COMPILED)
def canonical(labels, out):
    """Fill labels numbered by first row, -1 kept; gives the number of clusters."""
    highest = -1
    for label in labels:
        highest = max(highest, label)
    number = np.empty(highest + 1, dtype=np.int64)
    for label in range(highest + 1):
        number[label] = -1
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


@njit(**COMPILED)
def canonical_rows(labels, first_equal, out, n_clusters):
    """Fill `canonical` labels of each row of `labels` (C, n), and the numbers of clusters (C,).

    Row i of the table has the label of row first_equal[i].
    """
    n_candidates, n = labels.shape
    own = np.empty(n, dtype=np.int64)
    for c in range(n_candidates):
        for i in range(n):
            own[i] = labels[c, first_equal[i]]
        n_clusters[c] = canonical(own, out[c])


@njit(**COMPILED)
def sizes_of(labels, n_clusters, smallest):
    """Fill how many labels from 0 on each row of `labels` (C, n) has, and the smallest cluster.

    The smallest is 0 if a label below the largest one has no row.
    """
    n_candidates, n = labels.shape
    sizes = np.empty(n, dtype=np.int64)
    for c in range(n_candidates):
        highest = -1
        for i in range(n):
            highest = max(highest, labels[c, i])
        for label in range(highest + 1):
            sizes[label] = 0
        for i in range(n):
            if labels[c, i] >= 0:
                sizes[labels[c, i]] += 1
        n_clusters[c] = 0
        smallest[c] = n
        for label in range(highest + 1):
            n_clusters[c] += sizes[label] > 0
            smallest[c] = min(smallest[c], sizes[label])


@njit(**COMPILED)
def fill_membership(labels, member):
    """Fill `member` (n, total), 0 before, with 1 where a row is in a cluster of a candidate.

    The clusters of the candidates `labels` (C, n) lie side by side; -1 is none.
    """
    first = 0
    for c in range(len(labels)):
        highest = -1
        for i in range(labels.shape[1]):
            if labels[c, i] >= 0:
                member[i, first + labels[c, i]] = 1.0
                highest = max(highest, labels[c, i])
        first += highest + 1


@njit(**COMPILED)
def pairs_within(labels, pairs, widths):
    """Fill, for each row of `labels`, the pairs in one cluster and the largest label plus 2.

    Rows with -1 are a cluster of their own. Gives the largest of the widths.
    """
    n_candidates, n = labels.shape
    widest = 2
    for c in range(n_candidates):
        widths[c] = 2
        for i in range(n):
            widths[c] = max(widths[c], labels[c, i] + 2)
        widest = max(widest, widths[c])
    sizes = np.empty(widest, dtype=np.int64)
    for c in range(n_candidates):
        for label in range(widths[c]):
            sizes[label] = 0
        for i in range(n):
            sizes[labels[c, i] + 1] += 1
        squares = 0
        for label in range(widths[c]):
            squares += sizes[label] * sizes[label]
        pairs[c] = 0.5 * (squares - n)
    return widest


@njit(**COMPILED)
def rand_index(first, second, first_width, width, pairs_first, pairs_second, counts):
    """Adjusted Rand index (Hubert, Arabie 1985); rows with -1 are one cluster.

    `counts` is a buffer of zeros, large enough for both numbers of clusters; zeros again after.
    """
    n = len(first)
    squares = 0
    for i in range(n):
        cell = (first[i] + 1) * width + second[i] + 1
        squares += 2 * counts[cell] + 1
        counts[cell] += 1
    if first_width * width <= 4 * n:
        for cell in range(first_width * width):
            counts[cell] = 0
    else:
        for i in range(n):
            counts[(first[i] + 1) * width + second[i] + 1] = 0
    both = 0.5 * (squares - n)
    expected = pairs_first * pairs_second / (0.5 * n * (n - 1.0))
    middle = 0.5 * (pairs_first + pairs_second)
    if middle - expected <= 1e-12 * middle or middle == 0.0:
        return 1.0
    return (both - expected) / (middle - expected)


@njit(**COMPILED)
def rand_between(labels, others, same, out):
    """Fill the adjusted Rand index of every row of `labels` (C, n) with every row of `others`.

    With `same` both are the same array, and each two rows are compared once.
    """
    pairs = np.empty(len(labels))
    widths = np.empty(len(labels), dtype=np.int64)
    widest = pairs_within(labels, pairs, widths)
    other_pairs = np.empty(len(others))
    other_widths = np.empty(len(others), dtype=np.int64)
    other_widest = pairs_within(others, other_pairs, other_widths)
    counts = np.zeros(widest * other_widest, dtype=np.int64)
    for c in range(len(labels)):
        for b in range(c if same else len(others)):
            out[c, b] = rand_index(
                labels[c],
                others[b],
                widths[c],
                other_widths[b],
                pairs[c],
                other_pairs[b],
                counts,
            )
            if same:
                out[b, c] = out[c, b]
        if same:
            out[c, c] = 1.0


@njit(**COMPILED)
def leaders(labels, threshold, out):
    """Fill, for each partition, the first earlier leader whose index with it is above threshold.

    A partition without one is its own leader.
    """
    n_candidates, n = labels.shape
    pairs = np.empty(n_candidates)
    widths = np.empty(n_candidates, dtype=np.int64)
    widest = pairs_within(labels, pairs, widths)
    counts = np.zeros(widest * widest, dtype=np.int64)
    all_pairs = 0.5 * n * (n - 1.0)
    for c in range(n_candidates):
        out[c] = c
        for b in range(c):
            if out[b] != b:
                continue
            # The index is largest if all pairs of the smaller set are in the larger one.
            expected = pairs[c] * pairs[b] / all_pairs
            bound = min(pairs[c], pairs[b]) - expected
            if bound <= threshold * (0.5 * (pairs[c] + pairs[b]) - expected):
                continue
            index = rand_index(
                labels[c], labels[b], widths[c], widths[b], pairs[c], pairs[b], counts
            )
            if index > threshold:
                out[c] = b
                break
