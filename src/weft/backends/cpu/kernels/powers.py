"""Sums over clusters of powered differences and of their first two derivatives.

The notation is that of the reference. Powers are taken for 64 rows at a time, which vectorises;
the sums then run over the rows in their order.
"""

from __future__ import annotations

from numba import njit

from weft.backends.cpu.kernels.kmeans import BLOCK, load_block
from weft.backends.cpu.kernels.power import aligned, positive_power


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_powers(X, labels, load, centers, units, exponent, seen, total, slope, curve):
    """Fill four (K, M) arrays with sums over each cluster's observed values."""
    n_rows, n_features = X.shape
    seen[:] = 0.0
    total[:] = 0.0
    slope[:] = 0.0
    curve[:] = 0.0
    block = aligned(n_features, BLOCK)
    away = aligned(1, BLOCK)[0]
    power = aligned(1, BLOCK)[0]
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        width = min(BLOCK, n_rows - start)
        for v in range(n_features):
            x = block[v]
            for r in range(width):
                away[r] = (centers[labels[start + r], v] - x[r]) * units[v]
            if exponent != 2.0:
                for r in range(BLOCK):
                    d = abs(away[r])
                    known = d > 0.0
                    q = positive_power(d if known else 1.0, exponent - 2.0)
                    power[r] = q if known else 0.0
            for r in range(width):
                d = away[r]
                if d != d:
                    continue
                k = labels[start + r]
                m = load[start + r]
                q = m if exponent == 2.0 else m * power[r]
                seen[k, v] += m
                curve[k, v] += q
                slope[k, v] += q * d
                total[k, v] += q * d * d
