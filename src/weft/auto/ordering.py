"""Orders of rows and columns that follow from their values alone."""

import numpy as np
from numpy.typing import NDArray

MAX_TIES = 64  # columns that play the same part and are told apart
GOLDEN = np.uint64(0x9E3779B97F4A7C15)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Signatures = NDArray[np.uint64]


def mixed(values: Signatures) -> Signatures:
    """Scramble 64-bit numbers (splitmix64), so that their sums are signatures."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def dense_ranks(X: Floats) -> Ints:
    """Ranks within each column from 0; equal values share a rank."""
    n, d = X.shape
    by_value = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, by_value, axis=0)
    steps = np.zeros((n, d), dtype=np.int64)
    steps[1:] = ordered[1:] != ordered[:-1]
    ranks = np.empty((n, d), dtype=np.int64)
    np.put_along_axis(ranks, by_value, np.cumsum(steps, axis=0), axis=0)
    return ranks


def _refined(
    cells: Signatures, rows: Signatures, columns: Signatures
) -> tuple[Signatures, Signatures]:
    """Signatures of rows and columns after three rounds of telling each other apart."""
    for _ in range(3):
        rows = mixed(mixed(cells ^ columns).sum(axis=1) + rows)
        columns = mixed(mixed(cells ^ rows[:, None]).sum(axis=0) + columns)
    return rows, columns


def canonical_order(X: Floats) -> tuple[Ints, Ints]:
    """Orders of rows and of columns that follow from the values, not from the given order.

    Signatures of columns and rows are refined in turn from each other. They are sums of 64-bit
    integers, which are exact in any order. They are made of ranks, so that rounding errors that
    depend on the order of rows (as in standardising) do not change them. Columns that play the
    same part (as in a full factorial design) are told apart one after the other.

    Returns
    -------
    rows, columns : the given row and column at each canonical position
    """
    n, d = X.shape
    ranks = dense_ranks(X)
    low = X.min(axis=0)
    span = np.maximum(X.max(axis=0) - low, np.finfo(float).tiny)
    shape = np.quantile((X - low) / span, (0.25, 0.5, 0.75), axis=0)
    coarse = np.round(shape * 1e5).astype(np.uint64)
    columns = mixed(coarse[0] + mixed(coarse[1] + mixed(coarse[2])))
    cells = mixed(ranks.astype(np.uint64) + GOLDEN)
    rows, columns = _refined(cells, np.zeros(n, dtype=np.uint64), columns)
    for _ in range(min(d, MAX_TIES)):
        by_signature = np.argsort(columns, kind="stable")
        ordered = columns[by_signature]
        tied = np.flatnonzero(ordered[1:] == ordered[:-1])
        if tied.size == 0:
            break
        columns[by_signature[tied[0]]] ^= GOLDEN
        rows, columns = _refined(cells, rows, columns)
    column_order = np.argsort(columns, kind="stable")
    # Rows follow the values of the first column: neighbours in memory are then nearer.
    row_order = np.lexsort((rows, ranks[:, column_order[0]]))
    if (rows[row_order[1:]] == rows[row_order[:-1]]).any():
        row_order = np.lexsort(ranks[:, column_order[::-1]].T)
    return row_order, column_order
