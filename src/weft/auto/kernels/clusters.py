"""Measures of a set of rows as a cluster, independent of the partition that it belongs to.

Many candidates share clusters, so each distinct cluster is described once. Members are given as
`rows[starts[u] : starts[u + 1]]`.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.dip import dip
from weft.auto.kernels.mixtures import cholesky_inverse
from weft.auto.kernels.ordering import put_in_order

# columns of `shapes`
SQUARES, RADIUS, FIT_FULL, FIT_DIAGONAL, KURTOSIS, DIP, CORE, CORE_SPREAD = range(8)
N_SHAPES = 8
# columns of `inner_edges`
LARGEST, NINETIETH, MEDIAN, SPLIT = range(4)
N_EDGES = 4
N_DIP_AXES = 2
POWER_STEPS = 15


@njit(**COMPILED)
def sum_rows(matrix, starts, rows, out):
    """Fill (U, n) sums of the members' rows of a matrix."""
    n = matrix.shape[1]
    for u in range(len(starts) - 1):
        target = out[u]
        for j in range(n):
            target[j] = 0.0
        size = starts[u + 1] - starts[u]
        # Four rows at a time, added in their order: the sums are read and written less often.
        for position in range(starts[u], starts[u] + size - size % 4, 4):
            a, b = matrix[rows[position]], matrix[rows[position + 1]]
            c, d = matrix[rows[position + 2]], matrix[rows[position + 3]]
            for j in range(n):
                target[j] = (((target[j] + a[j]) + b[j]) + c[j]) + d[j]
        for position in range(starts[u + 1] - size % 4, starts[u + 1]):
            source = matrix[rows[position]]
            for j in range(n):
                target[j] += source[j]


@njit(**COMPILED)
def nearest_member(reach, starts, rows, out):
    """Fill (U, n) the smallest entry of the members' rows of a matrix."""
    n = reach.shape[1]
    for u in range(len(starts) - 1):
        target = out[u]
        for j in range(n):
            target[j] = np.inf
        for position in range(starts[u], starts[u + 1]):
            source = reach[rows[position]]
            for j in range(n):
                target[j] = min(target[j], source[j])


@njit(**COMPILED)
def inner_edges(reach, starts, rows, out):
    """Fill (U, 4) edges of each cluster's own spanning tree: largest, 90 %, median, split.

    The split is the largest edge with at least a tenth of the rows (and two) on either side.
    Clusters of one row get zeros.
    """
    n = reach.shape[0]
    best = np.empty(n, dtype=reach.dtype)
    source = np.empty(n, dtype=np.int64)
    left = np.empty(n, dtype=np.int64)  # members not yet in the tree
    order = np.empty(n, dtype=np.int64)
    below = np.empty(n, dtype=np.int64)
    lengths = np.empty(n)
    for u in range(len(starts) - 1):
        start = starts[u]
        m = starts[u + 1] - start
        for column in range(N_EDGES):
            out[u, column] = 0.0
        if m < 2:
            continue
        for t in range(m - 1):
            left[t] = t + 1
            best[t + 1] = np.inf
        current = 0
        order[0] = 0
        n_left = m - 1
        for step in range(1, m):
            line = reach[rows[start + current]]
            chosen = 0
            shortest = np.inf
            for t in range(n_left):
                j = left[t]
                length = line[rows[start + j]]
                if length < best[j]:
                    best[j] = length
                    source[j] = current
                if best[j] < shortest:
                    shortest = best[j]
                    chosen = t
            current = left[chosen]
            n_left -= 1
            left[chosen] = left[n_left]
            order[step] = current
            lengths[step - 1] = shortest
        for t in range(m):
            below[t] = 1
        least = max(2, int(np.ceil(0.1 * m)))
        split = 0.0
        for step in range(m - 1, 0, -1):
            j = order[step]
            below[source[j]] += below[j]
            if min(below[j], m - below[j]) >= least:
                split = max(split, best[j])
        ordered = lengths[: m - 1]
        put_in_order(ordered)
        out[u, LARGEST] = ordered[m - 2]
        out[u, NINETIETH] = ordered[int(0.9 * (m - 2))]
        out[u, MEDIAN] = ordered[(m - 2) // 2]
        out[u, SPLIT] = split if split > 0.0 else ordered[(m - 2) // 2]


@njit(inline="always", **COMPILED)
def leading_axis(matrix, axis):
    """Fill the direction of largest variance by power iteration; gives that variance.

    Where it gives 0, there is no such direction.
    """
    d = matrix.shape[0]
    largest = 0
    for f in range(d):
        if matrix[f, f] > matrix[largest, largest]:
            largest = f
    for f in range(d):
        axis[f] = matrix[f, largest]
    image = np.empty(d)
    length = 0.0
    for _ in range(POWER_STEPS):
        length = 0.0
        for f in range(d):
            length += axis[f] * axis[f]
        length = np.sqrt(length)
        if length < 1e-150:
            return 0.0
        for f in range(d):
            axis[f] /= length
        for f in range(d):
            total = 0.0
            for g in range(d):
                total += matrix[f, g] * axis[g]
            image[f] = total
        for f in range(d):
            axis[f] = image[f]
    length = 0.0
    for f in range(d):
        length += axis[f] * axis[f]
    length = np.sqrt(length)
    if length < 1e-150:
        return 0.0
    for f in range(d):
        axis[f] /= length
    return length


@njit(inline="always", **COMPILED)
def deviation(values):
    """The standard deviation of some values."""
    total = 0.0
    for value in values:
        total += value
    mean = total / len(values)
    squares = 0.0
    for value in values:
        squares += (value - mean) * (value - mean)
    return np.sqrt(squares / len(values))


@njit(**COMPILED)
def shapes(points, core, starts, rows, floor, centres, covariances, out):
    """Fill centres (U, d), covariances (U, d, d) and eight numbers (U, 8): sum of squares,
    mean radius, log-likelihood per row of a full and a diagonal Gaussian, log kurtosis, dip,
    median and spread of the log core distance.

    `core` is the log of the core distance. Covariances are shrunk towards `floor` (d,) with
    the weight of d + 1 rows.
    """
    d = points.shape[1]
    cov = np.zeros((d, d))
    shrunk = np.zeros((d, d))
    factor = np.zeros((d, d))
    inverse = np.zeros((d, d))
    axis = np.empty(d)
    row = np.empty(d)
    for u in range(len(starts) - 1):
        members = rows[starts[u] : starts[u + 1]]
        m = len(members)
        centre = centres[u]
        for f in range(d):
            centre[f] = 0.0
            for g in range(d):
                cov[f, g] = 0.0
        for i in members:
            for f in range(d):
                centre[f] += points[i, f]
        for f in range(d):
            centre[f] /= m
        squares = 0.0
        radius = 0.0
        for i in members:
            length = 0.0
            for f in range(d):
                row[f] = points[i, f] - centre[f]
                length += row[f] * row[f]
                for g in range(f + 1):
                    cov[f, g] += row[f] * row[g]
            squares += length
            radius += np.sqrt(length)
        diagonal = 0.0
        for f in range(d):
            for g in range(f + 1):
                cov[f, g] /= m
                cov[g, f] = cov[f, g]
                shrunk[f, g] = cov[f, g] * m / (m + d + 1.0)
            shrunk[f, f] += floor[f] * (d + 1.0) / (m + d + 1.0)
            diagonal -= 0.5 * (np.log(shrunk[f, f]) + cov[f, f] / shrunk[f, f])
        for f in range(d):
            for g in range(d):
                covariances[u, f, g] = cov[f, g]
        log_det = cholesky_inverse(shrunk, factor, inverse)
        first = 0.0
        second = 0.0
        for i in members:
            for f in range(d):
                row[f] = points[i, f] - centre[f]
            gap = 0.0
            for f in range(d):
                total = 0.0
                for g in range(f + 1):
                    total += inverse[f, g] * row[g]
                gap += total * total
            first += gap
            second += gap * gap
        first /= m
        second /= m
        out[u, SQUARES] = squares
        out[u, RADIUS] = radius / m
        out[u, FIT_FULL] = -0.5 * (log_det + first)
        out[u, FIT_DIAGONAL] = diagonal
        # Mardia's kurtosis over that of a Gaussian cloud: d (d + 2) for squares of mean d
        relative = second / (first * first) * d / (d + 2.0) if first > 1e-12 else 1.0
        out[u, KURTOSIS] = np.log(max(relative, 1e-3))
        deepest = 0.0
        projected = np.empty(m)
        for _ in range(min(N_DIP_AXES, d)):
            variance = leading_axis(cov, axis)
            if variance <= 0.0:
                break
            for position in range(m):
                total = 0.0
                for f in range(d):
                    total += axis[f] * points[members[position], f]
                projected[position] = total
            put_in_order(projected)
            deepest = max(deepest, dip(projected) * np.sqrt(m))
            for f in range(d):
                for g in range(d):
                    cov[f, g] -= variance * axis[f] * axis[g]
        out[u, DIP] = deepest
        levels = projected
        for position in range(m):
            levels[position] = core[members[position]]
        put_in_order(levels)
        out[u, CORE] = levels[m // 2]
        out[u, CORE_SPREAD] = deviation(levels)
