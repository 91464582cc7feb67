"""Factors of eigenvectors, by LAPACK itself.

`scipy.linalg` has functions for them. A search calls them a thousand times with small matrices, and
checking their arguments took as long as the factors. The results have the same bits.
"""

from functools import cache

import numpy as np
from scipy.linalg.lapack import dgeqp3, dgeqrf, dgesdd, dgesdd_lwork, dorgqr

from weft.auto.working import Floats, Ints


@cache
def _work_of_qr(m: int, n: int) -> tuple[int, int]:
    """Return the lengths of the buffers for the two steps of a QR factorisation."""
    a = np.empty((m, n), order="F")
    return int(dgeqrf(a, lwork=-1)[2][0]), int(dorgqr(a, np.empty(n), lwork=-1)[1][0])


def orthonormal(block: Floats) -> Floats:
    """Return an orthonormal basis of the columns, no more than rows, and overwrite `block`."""
    of_factor, of_basis = _work_of_qr(*block.shape)
    factor, scales, _, _ = dgeqrf(block, lwork=of_factor, overwrite_a=True)
    return np.asarray(dorgqr(factor, scales, lwork=of_basis, overwrite_a=True)[0])


@cache
def _work_of_pivots(m: int, n: int) -> int:
    return int(dgeqp3(np.empty((m, n), order="F"), lwork=-1)[3][0])


def independent_rows(vectors: Floats) -> Ints:
    """Return the rows (n, k) in the order of a pivoted QR factorisation, most different first."""
    columns = vectors.T
    return np.asarray(dgeqp3(columns, lwork=_work_of_pivots(*columns.shape))[1] - 1)


@cache
def _work_of_singular(k: int) -> int:
    return int(dgesdd_lwork(k, k, compute_uv=1, full_matrices=0)[0])


def nearest_rotation(square: Floats) -> Floats:
    """Return the orthogonal matrix that is nearest to a square one (its polar factor)."""
    work = _work_of_singular(len(square))
    left, _, right, failed = dgesdd(square, compute_uv=1, full_matrices=0, lwork=work)
    if failed:
        raise np.linalg.LinAlgError("the singular values of eigenvectors were not found.")
    return np.asarray(left @ right)
