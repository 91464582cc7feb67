"""Distances, neighbours and minimum spanning trees of one small table.

Every loop is sequential, so that results do not depend on the number of threads.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED

TILE = 32


@njit(**COMPILED)
def pairwise(points, out):
    """Fill the (n, n) Euclidean distances.

    The loop over rows is the inner one, so that several distances are summed at once, each in the
    order of the columns.
    """
    n, d = points.shape
    columns = np.ascontiguousarray(points.T)
    for i in range(n):
        sums = out[i, :i]
        for j in range(i):
            sums[j] = 0.0
        for f in range(d):
            own = points[i, f]
            column = columns[f, :i]
            for j in range(i):
                difference = own - column[j]
                sums[j] += difference * difference
        for j in range(i):
            sums[j] = np.sqrt(sums[j])
        out[i, i] = 0.0
    for first in range(0, n, TILE):  # the other half, in squares that stay in a cache
        for other in range(0, first + 1, TILE):
            for i in range(first, min(first + TILE, n)):
                for j in range(other, min(other + TILE, i)):
                    out[j, i] = out[i, j]


@njit(**COMPILED)
def nearest(distances, k, rows, lengths):
    """Fill the k nearest other rows of each row, nearest first; equal distances by row number."""
    n = distances.shape[0]
    for i in range(n):
        filled = 0
        for j in range(n):
            if j == i:
                continue
            distance = distances[i, j]
            if filled == k and distance >= lengths[i, k - 1]:
                continue
            position = filled if filled < k else k - 1
            while position > 0 and lengths[i, position - 1] > distance:
                lengths[i, position] = lengths[i, position - 1]
                rows[i, position] = rows[i, position - 1]
                position -= 1
            lengths[i, position] = distance
            rows[i, position] = j
            if filled < k:
                filled += 1


@njit(**COMPILED)
def spanning_tree(distances, core, edges, lengths):
    """Fill the minimum spanning tree of max(distance, core, core), in the order of Prim.

    Core distances make many lengths equal; of these, the pair with the smaller distance counts.
    """
    n = distances.shape[0]
    best = np.empty(n)
    plain = np.empty(n)
    source = np.zeros(n, dtype=np.int64)
    done = np.zeros(n, dtype=np.bool_)
    for j in range(n):
        best[j] = np.inf
        plain[j] = np.inf
    current = 0
    done[0] = True
    for step in range(n - 1):
        following = -1
        shortest = np.inf
        for j in range(n):
            if done[j]:
                continue
            distance = distances[current, j]
            length = max(distance, core[current], core[j])
            if length < best[j] or (length == best[j] and distance < plain[j]):
                best[j] = length
                plain[j] = distance
                source[j] = current
            if (
                following < 0
                or best[j] < shortest
                or (best[j] == shortest and plain[j] < plain[following])
            ):
                shortest = best[j]
                following = j
        edges[step, 0] = source[following]
        edges[step, 1] = following
        lengths[step] = shortest
        done[following] = True
        current = following


@njit(**COMPILED)
def minimax(edges, lengths, out):
    """Fill the largest edge on the tree's path between every two rows (edges in order of length).

    Rows are kept in chains: two components that meet are crossed once, so the whole costs O(n²).
    """
    n = out.shape[0]
    head = np.empty(n, dtype=np.int64)
    tail = np.empty(n, dtype=np.int64)
    following = np.empty(n, dtype=np.int64)
    for i in range(n):
        out[i, i] = 0.0
        head[i] = i
        tail[i] = i
        following[i] = -1
    for e in range(n - 1):
        first = head[edges[e, 0]]
        second = head[edges[e, 1]]
        i = first
        while i >= 0:
            j = second
            while j >= 0:
                out[i, j] = lengths[e]
                out[j, i] = lengths[e]
                j = following[j]
            i = following[i]
        following[tail[first]] = second
        tail[first] = tail[second]
        j = second
        while j >= 0:
            head[j] = first
            j = following[j]
