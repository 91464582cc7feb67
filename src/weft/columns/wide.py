"""Which columns matter in a table with far more columns than rows, such as gene expression.

A column's dependence on all others is the sum of its squared rank correlations. With the columns as
centred ranks of length 1 in A (n, d) and G = A Aᵀ, that is a_jᵀ G a_j - 1: n² d operations in place
of n d². A column that depends on nothing is a random direction, so the same form of permuted ranks
shows what chance gives. Columns whose sum is larger than that are kept.

=========  ========  ==========================================================================
symbol     shape     meaning
=========  ========  ==========================================================================
A          (n, d)    centred ranks of each column, of length 1; 0 where a column is constant
G          (n, n)    sums over columns of the products of two rows' ranks
=========  ========  ==========================================================================
"""

from __future__ import annotations

import numpy as np
from scipy.stats import gamma

from weft._base.arrays import Floats
from weft.backends.cpu.ranks import unit_ranks
from weft.columns.screening import Screening
from weft.kmeans.plain import sample

COLUMNS_PER_ROW = 2  # a table is wide if it has more than this many columns per row
MAX_ROWS = 1000
N_DRAWS = 2000  # permuted columns that show what chance gives


def is_wide(n_rows: int, n_columns: int) -> bool:
    """Return whether a table has far more columns than rows."""
    return n_columns > COLUMNS_PER_ROW * n_rows


def screen_wide(X: Floats, rate: float, rng: np.random.Generator) -> Screening:
    """Return the columns that depend on others; on noise, any is kept in `rate` of all tables."""
    rows = sample(X, MAX_ROWS, rng)
    ranks = unit_ranks(rows)
    gram = ranks @ ranks.T
    sums = np.einsum("ij,ij->j", ranks, gram @ ranks) - (ranks != 0.0).any(axis=0)
    level = _chance_level(gram, len(rows), rate / max(X.shape[1], 1), rng)
    strength = np.maximum(sums, 0.0) / level
    kept = strength > 1.0
    group = np.where(kept, 0, -1).astype(np.int64)
    return Screening(kept, kept.copy(), group, strength)


def _chance_level(gram: Floats, n: int, level: float, rng: np.random.Generator) -> float:
    """Return the value that an independent column exceeds with probability `level`.

    The tail is that of a gamma distribution with the mean, variance and skewness of the draws: far
    fewer draws are made than 1 / level.
    """
    plain = np.arange(n) - (n - 1) / 2.0
    plain /= np.sqrt((plain * plain).sum())
    drawn = rng.permuted(np.tile(plain, (N_DRAWS, 1)), axis=1)
    sums = np.einsum("ij,ij->i", drawn @ gram, drawn)
    mean, deviation = float(sums.mean()), max(float(sums.std()), 1e-12)
    skew = max(float((((sums - mean) / deviation) ** 3).mean()), 0.05)
    shape = 4.0 / skew**2
    standard = (float(gamma.isf(level, shape)) - shape) / np.sqrt(shape)
    return max(mean + deviation * standard, 1e-12)
