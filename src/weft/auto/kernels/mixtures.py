"""Gaussian mixtures for many numbers of clusters on one small table.

As in `centres`, loops run over the rows of a block first, and each sum keeps its order.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.centres import BLOCK, in_blocks

FULL, TIED, DIAGONAL = 0, 1, 2
SMALLEST = -746.0  # of which the exponential is 0


@njit(**COMPILED)
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


@njit(**COMPILED)
def whitened_gaps(rows, whitening, out):
    """Fill the squared lengths of L⁻¹ x for the rows of a block, (d, BLOCK)."""
    line = np.empty(BLOCK)
    for i in range(BLOCK):
        out[i] = 0.0
    for f in range(rows.shape[0]):
        for i in range(BLOCK):
            line[i] = 0.0
        whole = (f + 1) - (f + 1) % 4
        for g in range(0, whole, 4):
            a, b = whitening[f, g], whitening[f, g + 1]
            c, e = whitening[f, g + 2], whitening[f, g + 3]
            first, second, third, fourth = rows[g], rows[g + 1], rows[g + 2], rows[g + 3]
            for i in range(BLOCK):
                line[i] = (((line[i] + a * first[i]) + b * second[i]) + c * third[i]) + e * fourth[
                    i
                ]
        for g in range(whole, f + 1):
            a = whitening[f, g]
            first = rows[g]
            for i in range(BLOCK):
                line[i] += a * first[i]
        for i in range(BLOCK):
            out[i] += line[i] * line[i]


@njit(**COMPILED)
def scaled_gaps(rows, variance, out):
    """Fill the sums of squares over variances for the rows of a block, (d, BLOCK)."""
    for i in range(BLOCK):
        out[i] = 0.0
    for f in range(rows.shape[0]):
        own = variance[f]
        first = rows[f]
        for i in range(BLOCK):
            out[i] += first[i] * first[i] / own


@njit(inline="always", **COMPILED)
def expect(blocks, centre, kind, variance, inverse, log_det, weights, shares, out):
    """Fill each row's shares of the pieces and its likeliest piece; gives the log-likelihood."""
    d = blocks.shape[1]
    k = len(weights)
    n = len(out)
    rows = np.empty((d, BLOCK))
    gap = np.empty(BLOCK)
    values = np.empty((k, BLOCK))
    likelihood = 0.0
    for b in range(len(blocks)):
        for c in range(k):
            for f in range(d):
                middle = centre[c, f]
                source, target = blocks[b, f], rows[f]
                for i in range(BLOCK):
                    target[i] = source[i] - middle
            if kind == DIAGONAL:
                scaled_gaps(rows, variance[c], gap)
            else:
                whitened_gaps(rows, inverse[c if kind == FULL else 0], gap)
            share = np.log(weights[c] / n)
            spread = log_det[c]
            target = values[c]
            for i in range(BLOCK):
                target[i] = share - 0.5 * (spread + gap[i])
        for i in range(b * BLOCK, min((b + 1) * BLOCK, n)):
            place = i - b * BLOCK
            highest = -np.inf
            for c in range(k):
                if values[c, place] > highest:
                    highest = values[c, place]
                    out[i] = c
            total = 0.0
            for c in range(k):
                behind = values[c, place] - highest
                shares[i, c] = np.exp(behind) if behind > SMALLEST else 0.0
                total += shares[i, c]
            for c in range(k):
                shares[i, c] /= total
            likelihood += highest + np.log(total)
    return likelihood


@njit(inline="always", **COMPILED)
def maximise(points, shares, kind, floor, weights, centre, cov, variance, inverse, log_det):
    """Fill weights, centres and (inverse) covariances of the pieces, given the rows' shares."""
    n, d = points.shape
    k = len(weights)
    factor = np.zeros((d, d))
    row = np.empty(d)
    for c in range(len(cov)):
        for f in range(d):
            for g in range(d):
                cov[c, f, g] = 0.0
    for c in range(k):
        weights[c] = 1e-10
        for f in range(d):
            centre[c, f] = 0.0
            variance[c, f] = 0.0
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
                continue
            piece = cov[c if kind == FULL else 0]
            for f in range(d):
                scaled = share * row[f]
                line = piece[f]
                for g in range(f + 1):
                    line[g] += scaled * row[g]
    if kind == TIED:
        for f in range(d):
            for g in range(f + 1):
                cov[0, f, g] /= n
            cov[0, f, f] += floor[f]
        log_det[0] = cholesky_inverse(cov[0], factor, inverse[0])
    for c in range(k):
        if kind == TIED:
            log_det[c] = log_det[0]
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


@njit(**COMPILED)
def mixture(points, start, k, kind, floor, max_iter, tolerance, out):
    """Fill the labels of a Gaussian mixture after EM from given labels.

    `floor` (d,) is added to each variance. Gives the log-likelihood.
    """
    n, d = points.shape
    blocks = in_blocks(points)
    shares = np.zeros((n, k))
    for i in range(n):
        shares[i, start[i]] = 1.0
    weights = np.empty(k)
    centre = np.empty((k, d))
    cov = np.empty((k if kind == FULL else 1, d, d))
    variance = np.empty((k, d))
    inverse = np.zeros((k, d, d))
    log_det = np.empty(k)
    before = -np.inf
    likelihood = -np.inf
    for _ in range(max_iter):
        maximise(points, shares, kind, floor, weights, centre, cov, variance, inverse, log_det)
        likelihood = expect(blocks, centre, kind, variance, inverse, log_det, weights, shares, out)
        if likelihood - before < tolerance * n:
            break
        before = likelihood
    return likelihood
