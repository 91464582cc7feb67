"""Factors of matrices, by the LAPACK that SciPy carries.

`scipy.linalg` has functions for them, and the results have the same bits. Those functions keep the
interpreter lock, so other threads wait; and with small matrices, of which a search has a thousand,
checking the arguments takes as long as the factors.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address
from numpy.typing import NDArray

from weft.auto.working import Floats, Ints


@cache
def _routine(name: str, n_arguments: int) -> Any:
    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    # A call through ctypes releases the lock. Every argument is an address.
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


def _call(name: str, *given: NDArray[Any] | int | bytes) -> None:
    """Call a routine with arrays, integers and letters; its last argument tells of a failure."""
    failed = ctypes.c_int(0)
    kept: list[Any] = []  # numbers must exist until the call ends
    addresses: list[Any] = []
    for each in given:
        if isinstance(each, np.ndarray):
            addresses.append(each.ctypes.data)
        else:
            kept.append(ctypes.c_int(each) if isinstance(each, int) else ctypes.c_char(each))
            addresses.append(ctypes.addressof(kept[-1]))
    _routine(name, len(given) + 1)(*addresses, ctypes.addressof(failed))
    if failed.value:
        raise np.linalg.LinAlgError(f"LAPACK's {name} failed with code {failed.value}.")


def _columns_of(matrix: Floats) -> Floats:
    """Return a copy with the values of a column side by side, as LAPACK takes it."""
    return np.array(matrix, dtype=np.float64, order="F")


@cache
def _length_of_work(name: str, m: int, n: int) -> int:
    """Return the length of the buffer with which a routine is fastest."""
    answer, unused, pivots = np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int32)
    if name == "dgeqrf":
        _call(name, m, n, unused, m, unused, answer, -1)
    elif name == "dorgqr":
        _call(name, m, n, n, unused, m, unused, answer, -1)
    elif name == "dgeqp3":
        _call(name, m, n, unused, m, pivots, unused, answer, -1)
    else:
        rest = (unused, unused, m, unused, m, answer, -1, pivots)
        _call("dgesdd", b"S", m, n, unused, m, *rest)
    return int(answer[0])


def lower_factor(matrix: Floats) -> Floats:
    """Return Cholesky's factor of a positive definite matrix, below and on the diagonal."""
    factor = _columns_of(matrix)
    n = len(factor)
    _call("dpotrf", b"L", n, factor, n)
    return factor


def solve_with(factor: Floats, right: Floats) -> Floats:
    """Return the solution of equations with the matrix of `lower_factor`."""
    out = _columns_of(right)
    n, k = out.shape
    _call("dpotrs", b"L", n, k, factor, n, out, n)
    return out


def orthonormal(block: Floats) -> Floats:
    """Return an orthonormal basis of the columns, of which there are no more than rows."""
    out = _columns_of(block)
    m, n = out.shape
    scales, work = np.empty(n), np.empty(_length_of_work("dgeqrf", m, n))
    _call("dgeqrf", m, n, out, m, scales, work, len(work))
    work = np.empty(_length_of_work("dorgqr", m, n))
    _call("dorgqr", m, n, n, out, m, scales, work, len(work))
    return out


def independent_rows(vectors: Floats) -> Ints:
    """Return the rows (n, k) in the order of a pivoted QR factorisation, most different first."""
    columns = _columns_of(vectors.T)
    m, n = columns.shape
    order = np.zeros(n, dtype=np.int32)
    work = np.empty(_length_of_work("dgeqp3", m, n))
    _call("dgeqp3", m, n, columns, m, order, np.empty(min(m, n)), work, len(work))
    return order.astype(np.int64) - 1


def nearest_rotation(square: Floats) -> Floats:
    """Return the orthogonal matrix that is nearest to a square one (its polar factor)."""
    square = _columns_of(square)
    k = len(square)
    left, right = np.empty((k, k), order="F"), np.empty((k, k), order="F")
    work = np.empty(_length_of_work("dgesdd", k, k))
    whole = np.empty(8 * k, dtype=np.int32)
    parts = (np.empty(k), left, k, right, k, work, len(work), whole)
    _call("dgesdd", b"S", k, k, square, k, *parts)
    return np.asarray(left @ right)
