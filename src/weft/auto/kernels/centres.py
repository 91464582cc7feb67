"""k-means for many numbers of clusters on one small table.

Loops run over the rows of a block first, so that the compiler handles several rows at once. Each
sum keeps its order, features first to last: the bits are those of one row after the other.

Here and in the other modules of this package, arrays are copied and filled in loops. An assignment
such as ``out[:] = labels`` makes numba compile the error message for unequal shapes, which takes
longer than most of these functions.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED

BLOCK = 64  # rows of a block; the last one is filled up with zeros


@njit(**COMPILED)
def in_blocks(points):
    """Give the rows as (blocks, d, BLOCK)."""
    n, d = points.shape
    blocks = np.zeros(((n + BLOCK - 1) // BLOCK, d, BLOCK))
    for i in range(n):
        for f in range(d):
            blocks[i // BLOCK, f, i % BLOCK] = points[i, f]
    return blocks


@njit(**COMPILED)
def squared_gaps(block, centre, out):
    """Fill the squared distances of a block's rows to a centre."""
    d = len(centre)
    for i in range(BLOCK):
        out[i] = 0.0
    whole = d - d % 4
    for f in range(0, whole, 4):
        p, q, r, s = centre[f], centre[f + 1], centre[f + 2], centre[f + 3]
        first, second, third, fourth = block[f], block[f + 1], block[f + 2], block[f + 3]
        for i in range(BLOCK):
            a = first[i] - p
            b = second[i] - q
            c = third[i] - r
            e = fourth[i] - s
            out[i] = (((out[i] + a * a) + b * b) + c * c) + e * e
    for f in range(whole, d):
        p = centre[f]
        first = block[f]
        for i in range(BLOCK):
            a = first[i] - p
            out[i] += a * a


@njit(inline="always", **COMPILED)
def spread_rows(points, blocks, draws, centres):
    """Fill centres by k-means++ (Arthur, Vassilvitskii 2007), one uniform draw for each."""
    n, d = points.shape
    gaps = np.empty(n)
    for i in range(n):
        gaps[i] = np.inf
    gap = np.empty(BLOCK)
    row = min(int(draws[0] * n), n - 1)
    for c in range(centres.shape[0]):
        if c > 0:
            total = 0.0
            for i in range(n):
                total += gaps[i]
            goal = draws[c] * total
            row = n - 1
            passed = 0.0
            for i in range(n):
                passed += gaps[i]
                if passed > goal:
                    row = i
                    break
        for f in range(d):
            centres[c, f] = points[row, f]
        for b in range(len(blocks)):
            squared_gaps(blocks[b], centres[c], gap)
            own = gaps[b * BLOCK : (b + 1) * BLOCK]
            for i in range(len(own)):
                own[i] = min(own[i], gap[i])


@njit(**COMPILED)
def means(points, labels, centres, sizes):
    """Fill the mean and size of each cluster; an empty cluster keeps its centre."""
    n, d = points.shape
    for c in range(len(sizes)):
        sizes[c] = 0
    for i in range(n):
        sizes[labels[i]] += 1
    for c in range(centres.shape[0]):
        if sizes[c] > 0:
            for f in range(d):
                centres[c, f] = 0.0
    for i in range(n):
        centre = centres[labels[i]]
        for f in range(d):
            centre[f] += points[i, f]
    for c in range(centres.shape[0]):
        if sizes[c] > 0:
            for f in range(d):
                centres[c, f] /= sizes[c]


@njit(inline="always", **COMPILED)
def assign(blocks, centres, labels):
    """Fill the nearest centre of each row; gives the sum of squares and the rows that moved."""
    gap = np.empty(BLOCK)
    best = np.empty(BLOCK)
    nearest = np.empty(BLOCK)
    inertia = 0.0
    moved = 0
    for b in range(len(blocks)):
        for i in range(BLOCK):
            best[i] = np.inf
            nearest[i] = 0.0
        for c in range(centres.shape[0]):
            squared_gaps(blocks[b], centres[c], gap)
            number = float(c)  # as wide as a distance: one mask serves both
            for i in range(BLOCK):
                closer = gap[i] < best[i]
                best[i] = gap[i] if closer else best[i]
                nearest[i] = number if closer else nearest[i]
        own = labels[b * BLOCK : (b + 1) * BLOCK]
        for i in range(len(own)):
            moved += own[i] != int(nearest[i])
            own[i] = int(nearest[i])
            inertia += best[i]
    return inertia, moved


@njit(**COMPILED)
def kmeans(points, start, draws, max_iter, out):
    """Fill the best labels of Lloyd's algorithm, from given labels and from k-means++ starts.

    `start` is one labelling with as many clusters as `draws` has columns; `draws` has one row of
    uniform numbers for each k-means++ start.
    """
    n, d = points.shape
    k = draws.shape[1]
    blocks = in_blocks(points)
    centres = np.empty((k, d))
    sizes = np.empty(k, dtype=np.int64)
    labels = np.empty(n, dtype=np.int64)
    lowest = np.inf
    for attempt in range(-1, draws.shape[0]):
        for i in range(n):
            labels[i] = -1
        if attempt < 0:
            for c in range(k):
                for f in range(d):
                    centres[c, f] = points[0, f]
            means(points, start, centres, sizes)
        else:
            spread_rows(points, blocks, draws[attempt], centres)
        inertia = np.inf
        for _ in range(max_iter):
            inertia, moved = assign(blocks, centres, labels)
            if moved * 1000 <= n:
                break
            means(points, labels, centres, sizes)
        if inertia < lowest * (1.0 - 1e-9):
            lowest = inertia
            for i in range(n):
                out[i] = labels[i]
    return lowest
