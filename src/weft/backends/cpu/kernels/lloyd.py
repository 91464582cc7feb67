"""Plain k-means of small tables: greedy k-means++ starts and Lloyd's rounds, all in one call.

A table of some hundred rows is clustered thousands of times where clusters are counted or compared
with chance; there, calls between rounds would take longer than the rounds.

========  =========  ===============================================================================
symbol    shape      meaning
========  =========  ===============================================================================
columns   (d, n)     the table, transposed: inner loops over rows are vectorised by the compiler
order     (n,)       the rows in an order that follows from their values
draws     (S, m)     uniform numbers of each start: one for the first centre, then some per centre
centers   (K, d)     centres
away      (n,)       squared distance of each row to its centre
========  =========  ===============================================================================
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED

SAME = 1e-10  # relative difference of two criteria that is only rounding


@njit(**COMPILED)
def squared_gaps(columns, center, out):
    """Fill the squared distance of each row to a centre."""
    for i in range(len(out)):
        out[i] = 0.0
    for f in range(len(center)):
        column, middle = columns[f], center[f]
        for i in range(len(out)):
            gap = column[i] - middle
            out[i] += gap * gap


@njit(**COMPILED)
def spread_centers(columns, order, draws, centers):
    """Fill the centres with rows drawn by their distance to the rows already drawn.

    Of several candidates the one that lowers the sum of squared distances most is taken (greedy
    k-means++; Arthur and Vassilvitskii 2007).
    """
    n = len(order)
    n_clusters, n_features = centers.shape
    n_trials = (len(draws) - 1) // max(n_clusters - 1, 1)
    away, gap, best = np.empty(n), np.empty(n), np.empty(n)
    row = order[min(int(draws[0] * n), n - 1)]
    for f in range(n_features):
        centers[0, f] = columns[f, row]
    squared_gaps(columns, centers[0], away)
    for c in range(1, n_clusters):
        total = 0.0
        for i in range(n):
            total += away[order[i]]
        lowest = np.inf
        for trial in range(n_trials if total > 0.0 else 0):  # else the last row is repeated
            goal = draws[1 + (c - 1) * n_trials + trial] * total
            reached, candidate = 0.0, row
            for i in range(n):
                if away[order[i]] > 0.0:
                    candidate = order[i]
                    reached += away[candidate]
                    if reached > goal:
                        break
            for f in range(n_features):
                centers[c, f] = columns[f, candidate]
            squared_gaps(columns, centers[c], gap)
            left = 0.0
            for i in range(n):
                gap[i] = min(gap[i], away[i])
                left += gap[i]
            if left < lowest:
                lowest, row = left, candidate
                for i in range(n):
                    best[i] = gap[i]
        for f in range(n_features):
            centers[c, f] = columns[f, row]
        if total > 0.0:
            for i in range(n):
                away[i] = best[i]


@njit(**COMPILED)
def assign(columns, centers, gap, nearest, away):
    """Fill each row's nearest centre, the first on a tie, and its squared distance."""
    for i in range(len(away)):
        away[i] = np.inf
        nearest[i] = 0.0
    for c in range(centers.shape[0]):
        squared_gaps(columns, centers[c], gap)
        number = float(c)  # as wide as a distance: one mask serves both
        for i in range(len(away)):
            closer = gap[i] < away[i]
            away[i] = gap[i] if closer else away[i]
            nearest[i] = number if closer else nearest[i]


@njit(**COMPILED)
def fill_empty(sizes, nearest, away):
    """Give each empty cluster the farthest row of a cluster with others; say whether any was given.

    Rows at distance 0 stay: with fewer distinct rows than clusters some clusters remain empty.
    """
    refilled = False
    for c in range(len(sizes)):
        if sizes[c] > 0:
            continue
        row = -1
        for i in range(len(away)):
            farthest = row < 0 or away[i] > away[row]
            if farthest and away[i] > 0.0 and sizes[int(nearest[i])] > 1:
                row = i
        if row < 0:
            break
        sizes[int(nearest[row])] -= 1
        sizes[c] = 1
        nearest[row] = float(c)
        away[row] = 0.0  # this row is not moved again
        refilled = True
    return refilled


@njit(**COMPILED)
def means(columns, nearest, sizes, centers):
    """Fill the mean of each cluster; an empty one keeps its centre."""
    for f in range(centers.shape[1]):
        for c in range(len(sizes)):
            if sizes[c] > 0:
                centers[c, f] = 0.0
        for i in range(len(nearest)):
            centers[int(nearest[i]), f] += columns[f, i]
        for c in range(len(sizes)):
            if sizes[c] > 0:
                centers[c, f] /= sizes[c]


@njit(**COMPILED)
def kmeans(columns, order, draws, max_iter, labels, centers):
    """Fill labels and centres of the best start; give its sum of squared distances."""
    n = len(order)
    n_clusters, n_features = centers.shape
    sizes = np.empty(n_clusters, dtype=np.int64)
    own = np.empty((n_clusters, n_features))
    gap, away, nearest, before = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    lowest = np.inf
    for start in range(draws.shape[0]):
        spread_centers(columns, order, draws[start], own)
        settled = False
        for number in range(max_iter):
            assign(columns, own, gap, nearest, away)
            for c in range(n_clusters):
                sizes[c] = 0
            for i in range(n):
                sizes[int(nearest[i])] += 1
            refilled = fill_empty(sizes, nearest, away)
            moved = number == 0
            for i in range(n):
                moved = moved or nearest[i] != before[i]
                before[i] = nearest[i]
            if not moved:
                settled = not refilled
                break
            means(columns, nearest, sizes, own)
        if not settled:
            assign(columns, own, gap, nearest, away)
        within = 0.0
        for i in range(n):
            within += away[i]
        if start == 0 or lowest - within > SAME * lowest:
            lowest = within
            for i in range(n):
                labels[i] = int(nearest[i])
            for c in range(n_clusters):
                for f in range(n_features):
                    centers[c, f] = own[c, f]
    return lowest
