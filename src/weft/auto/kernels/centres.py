"""k-means and Gaussian mixtures for many numbers of clusters on one small table."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def spread_rows(points, draws, centres):
    """Fill centres by k-means++ (Arthur, Vassilvitskii 2007), one uniform draw for each."""
    n, d = points.shape
    k = centres.shape[0]
    gaps = np.full(n, np.inf)
    row = min(int(draws[0] * n), n - 1)
    for c in range(k):
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
        for i in range(n):
            gap = 0.0
            for f in range(d):
                difference = points[i, f] - centres[c, f]
                gap += difference * difference
            gaps[i] = min(gaps[i], gap)


@njit(nogil=True, cache=True, error_model="numpy")
def means(points, labels, centres, sizes):
    """Fill the mean and size of each cluster; an empty cluster keeps its centre."""
    n, d = points.shape
    sizes[:] = 0
    for i in range(n):
        sizes[labels[i]] += 1
    for c in range(centres.shape[0]):
        if sizes[c] > 0:
            for f in range(d):
                centres[c, f] = 0.0
    for i in range(n):
        for f in range(d):
            centres[labels[i], f] += points[i, f]
    for c in range(centres.shape[0]):
        if sizes[c] > 0:
            for f in range(d):
                centres[c, f] /= sizes[c]


@njit(nogil=True, cache=True, error_model="numpy")
def assign(points, centres, labels):
    """Fill the nearest centre of each row; gives the sum of squares and the rows that moved."""
    n, d = points.shape
    k = centres.shape[0]
    inertia = 0.0
    moved = 0
    for i in range(n):
        best = np.inf
        nearest = 0
        for c in range(k):
            gap = 0.0
            for f in range(d):
                difference = points[i, f] - centres[c, f]
                gap += difference * difference
            if gap < best:
                best = gap
                nearest = c
        if labels[i] != nearest:
            labels[i] = nearest
            moved += 1
        inertia += best
    return inertia, moved


@njit(nogil=True, cache=True, error_model="numpy")
def kmeans(points, start, draws, max_iter, out):
    """Fill the best labels of Lloyd's algorithm, from given labels and from k-means++ starts.

    `start` is one labelling with as many clusters as `draws` has columns; `draws` has one row of
    uniform numbers for each k-means++ start.
    """
    n, d = points.shape
    k = draws.shape[1]
    centres = np.empty((k, d))
    sizes = np.empty(k, dtype=np.int64)
    labels = np.empty(n, dtype=np.int64)
    lowest = np.inf
    for attempt in range(-1, draws.shape[0]):
        labels[:] = -1
        if attempt < 0:
            centres[:] = points[0]
            means(points, start, centres, sizes)
        else:
            spread_rows(points, draws[attempt], centres)
        inertia = np.inf
        for _ in range(max_iter):
            inertia, moved = assign(points, centres, labels)
            if moved * 1000 <= n:
                break
            means(points, labels, centres, sizes)
        if inertia < lowest * (1.0 - 1e-9):
            lowest = inertia
            out[:] = labels
    return lowest


@njit(nogil=True, cache=True, error_model="numpy")
def cholesky_inverse(matrix, factor, inverse):
    """Fill the Cholesky factor L and L⁻¹ of a positive matrix; gives its log determinant."""
    d = matrix.shape[0]
    log_determinant = 0.0
    for i in range(d):
        for j in range(i + 1):
            total = matrix[i, j]
            for m in range(j):
                total -= factor[i, m] * factor[j, m]
            if i == j:
                factor[i, i] = np.sqrt(max(total, 1e-300))
                log_determinant += 2.0 * np.log(factor[i, i])
            else:
                factor[i, j] = total / factor[j, j]
    for i in range(d):
        inverse[i, i] = 1.0 / factor[i, i]
        for j in range(i):
            total = 0.0
            for m in range(j, i):
                total -= factor[i, m] * inverse[m, j]
            inverse[i, j] = total / factor[i, i]
    return log_determinant


FULL, TIED, DIAGONAL = 0, 1, 2


@njit(nogil=True, cache=True, error_model="numpy")
def mixture(points, start, k, kind, floor, max_iter, tolerance, out):
    """Fill the labels of a Gaussian mixture after EM from given labels.

    `floor` (d,) is added to each variance. Gives the log-likelihood.
    """
    n, d = points.shape
    shares = np.zeros((n, k))
    for i in range(n):
        shares[i, start[i]] = 1.0
    weights = np.empty(k)
    centre = np.empty((k, d))
    cov = np.empty((k if kind == FULL else 1, d, d))
    variance = np.empty((k, d))
    inverse = np.zeros((k, d, d))
    factor = np.zeros((d, d))
    log_det = np.empty(k)
    row = np.empty(d)
    before = -np.inf
    likelihood = -np.inf
    for _ in range(max_iter):
        # M step
        cov[:] = 0.0
        for c in range(k):
            weights[c] = 1e-10
            centre[c] = 0.0
            variance[c] = 0.0
        for i in range(n):
            for c in range(k):
                share = shares[i, c]
                if share > 0.0:
                    weights[c] += share
                    for f in range(d):
                        centre[c, f] += share * points[i, f]
        for c in range(k):
            for f in range(d):
                centre[c, f] /= weights[c]
        for i in range(n):
            for c in range(k):
                share = shares[i, c]
                if share < 1e-8:
                    continue
                for f in range(d):
                    row[f] = points[i, f] - centre[c, f]
                if kind == DIAGONAL:
                    for f in range(d):
                        variance[c, f] += share * row[f] * row[f]
                else:
                    target = cov[c if kind == FULL else 0]
                    for f in range(d):
                        scaled = share * row[f]
                        for g in range(f + 1):
                            target[f, g] += scaled * row[g]
        if kind == TIED:
            for f in range(d):
                for g in range(f + 1):
                    cov[0, f, g] /= n
                cov[0, f, f] += floor[f]
            log_det[:] = cholesky_inverse(cov[0], factor, inverse[0])
        for c in range(k):
            if kind == FULL:
                for f in range(d):
                    for g in range(f + 1):
                        cov[c, f, g] /= weights[c]
                    cov[c, f, f] += floor[f]
                log_det[c] = cholesky_inverse(cov[c], factor, inverse[c])
            elif kind == DIAGONAL:
                log_det[c] = 0.0
                for f in range(d):
                    variance[c, f] = variance[c, f] / weights[c] + floor[f]
                    log_det[c] += np.log(variance[c, f])
        # E step
        likelihood = 0.0
        for i in range(n):
            highest = -np.inf
            for c in range(k):
                gap = 0.0
                for f in range(d):
                    row[f] = points[i, f] - centre[c, f]
                if kind == DIAGONAL:
                    for f in range(d):
                        gap += row[f] * row[f] / variance[c, f]
                else:
                    whitening = inverse[c if kind == FULL else 0]
                    for f in range(d):
                        total = 0.0
                        for g in range(f + 1):
                            total += whitening[f, g] * row[g]
                        gap += total * total
                value = np.log(weights[c] / n) - 0.5 * (log_det[c] + gap)
                shares[i, c] = value
                if value > highest:
                    highest = value
                    out[i] = c
            total = 0.0
            for c in range(k):
                shares[i, c] = np.exp(shares[i, c] - highest)
                total += shares[i, c]
            for c in range(k):
                shares[i, c] /= total
            likelihood += highest + np.log(total)
        if likelihood - before < tolerance * n:
            break
        before = likelihood
    return likelihood
