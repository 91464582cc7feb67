"""Two filters that examine each column alone, rivals for the noise bench.

`laplacian_score`: X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NIPS 2005.
`bumps`: how far a column is from having one mode, similar to J. A. Hartigan and
P. M. Hartigan, "The dip test of unimodality", Annals of Statistics 13, 1985.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit
from scipy.sparse.csgraph import laplacian
from sklearn.neighbors import kneighbors_graph

LEVEL = 0.05
N_DRAWS = 400


def laplacian_score(X: np.ndarray, *, n_neighbors: int = 10) -> np.ndarray:
    """Return each column's score (d,); small where near rows have near values.

    L_r = f̃ᵀ L f̃ / f̃ᵀ D f̃ with f̃ = f - (fᵀ D 1 / 1ᵀ D 1) 1, on the 0/1 graph of neighbours.
    """
    n_neighbors = min(n_neighbors, len(X) - 1)
    graph = kneighbors_graph(X, n_neighbors)
    graph = graph.maximum(graph.T)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    centered = X - degree @ X / degree.sum()
    above = np.einsum("ij,ij->j", centered, laplacian(graph) @ centered)
    below = np.einsum("ij,i,ij->j", centered, degree, centered)
    return above / np.maximum(below, 1e-300)


def bumps(values: np.ndarray) -> float:
    """Return how far the distribution of `values` is from unimodal, in units of probability.

    With a mode at m, a unimodal distribution function is convex left of m and concave right of it.
    The greatest distance of the empirical one from its convex minorant left of m grows with m,
    that from its concave majorant right of m falls: where they meet is the best m. Half of that is
    a lower bound of the dip; compared with uniform draws it gives the same kind of test.
    """
    x, counts = np.unique(values, return_counts=True)
    upto = np.cumsum(counts) / len(values)
    before = upto - counts / len(values)
    # The right side is the left side of the mirrored data.
    return _bumps(x, before, upto, -x[::-1], 1.0 - upto[::-1], 1.0 - before[::-1])


@njit(nogil=True, cache=True, error_model="numpy")
def _bumps(x, before, upto, x_turned, before_turned, upto_turned):
    n = len(x)
    low, high = 0, n - 1
    while low < high:  # the least m whose left gap is not below its right gap
        m = (low + high) // 2
        if _gap(x, before, upto, m) >= _gap(x_turned, before_turned, upto_turned, n - 1 - m):
            high = m
        else:
            low = m + 1
    best = np.inf
    for m in range(max(low - 1, 0), low + 1):
        right = _gap(x_turned, before_turned, upto_turned, n - 1 - m)
        best = min(best, max(_gap(x, before, upto, m), right))
    return 0.5 * best


@njit(nogil=True, cache=True, error_model="numpy")
def _gap(x, before, upto, m):
    """Return the greatest distance, left of `x[m]`, of the steps above their convex minorant.

    The minorant is the lower hull of the steps' feet (x, before); it is farthest below their tops.
    """
    hull = np.empty(m + 1, np.int64)
    hull[0] = 0
    top = 0
    for i in range(1, m + 1):
        while top > 0:
            a, b = hull[top - 1], hull[top]
            if (before[b] - before[a]) * (x[i] - x[a]) >= (before[i] - before[a]) * (x[b] - x[a]):
                top -= 1
            else:
                break
        top += 1
        hull[top] = i
    gap = 0.0
    for corner in range(top):
        a, b = hull[corner], hull[corner + 1]
        slope = (before[b] - before[a]) / (x[b] - x[a])
        for i in range(a, b):
            gap = max(gap, upto[i] - before[a] - slope * (x[i] - x[a]))
    return gap


@cache
def threshold(n_rows: int) -> float:
    """Return what `bumps` of `n_rows` uniform values exceeds in 5 % of draws."""
    rng = np.random.default_rng(n_rows)
    return float(np.quantile([bumps(rng.uniform(size=n_rows)) for _ in range(N_DRAWS)], 1 - LEVEL))
