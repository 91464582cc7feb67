"""Dependence of columns from the products of their contrasts."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def sum_of_squares(products, width, out):
    """Fill (columns, others) the sums of squares of each pair's width × width products.

    Sums run along a row of the pair's products first, as NumPy adds up such blocks.
    """
    for column in range(out.shape[0]):
        own = out[column]
        own[:] = 0.0
        for contrast in range(width):
            line = products[column * width + contrast]
            for other in range(out.shape[1]):
                total = 0.0
                for place in range(other * width, (other + 1) * width):
                    value = np.float64(line[place])
                    total += value * value
                own[other] += total
