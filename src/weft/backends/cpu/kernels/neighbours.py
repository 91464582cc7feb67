"""Nearest rows and connected components: see the reference for the notation.

Distances in float32 come with a bound on their error. What the bound cannot decide (is this the
third or the fourth nearest row? is it within the radius?) is computed in float64, feature by
feature, so the answer is that of exact distances. This is rarely needed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.products import squared_difference

# Rows are searched in pieces: one vectorised count shows whether a piece has any candidate.
_PIECE = 64


@njit(nogil=True, cache=True, error_model="numpy")
def true_powered(columns, exponents, i, j):
    """Return the powered distance of two rows in float64."""
    if exponents.shape[0] == 0:
        return squared_difference(columns, i, j)
    total = 0.0
    for f in range(columns.shape[0]):
        total += abs(columns[f, j] - columns[f, i]) ** exponents[f]
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def true_values(columns, exponents, indices, out):
    """Fill `out` (n, k) with the powered distances, in float64, of each row to k others."""
    n_rows, k = indices.shape
    for i in range(n_rows):
        for slot in range(k):
            out[i, slot] = true_powered(columns, exponents, i, indices[i, slot])


@njit(nogil=True, cache=True, error_model="numpy")
def insert(value, j, best, where):
    """Insert into the ascending list `best`; the last entry is dropped, earlier rows win ties."""
    slot = best.shape[0] - 1
    while slot > 0 and best[slot - 1] > value:
        best[slot] = best[slot - 1]
        where[slot] = where[slot - 1]
        slot -= 1
    best[slot] = value
    where[slot] = j


@njit(nogil=True, cache=True, error_model="numpy")
def fill_from(source, out):
    """Fill `out` with the beginning of `source`.

    A loop, because numba takes two seconds to compile ``out[:] = source`` with its error messages.
    """
    for slot in range(out.shape[0]):
        out[slot] = source[slot]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_in_block(block, start, skip_self, indices, values):
    """Fill rows start … of `indices` and `values` (n, k) with the k nearest of each row."""
    n_block, n_rows = block.shape
    k = indices.shape[1]
    for offset in range(n_block):
        i = start + offset
        row = block[offset]
        best = values[i]
        where = indices[i]
        best[:] = np.inf
        where[:] = -1
        for j in range(n_rows):
            if (row[j] < best[k - 1] or where[k - 1] < 0) and not (skip_self and j == i):
                insert(row[j], j, best, where)


@njit(nogil=True, cache=True, error_model="numpy")
def settled_nearest_in_block(
    block, start, guess, slack, share, columns, exponents, indices, values
):
    """Fill rows start … of `indices` and `values` (n, k) with the k nearest of each row.

    `guess` (n, g) are rows that are probably near: the search starts from them, so that few other
    rows are examined. The k rows are exactly the nearest. If their distances differ by less than
    the error bound, their order is that of `block`.
    """
    n_block, n_rows = block.shape
    k = indices.shape[1]
    kind = block.dtype.type
    grow, shrink = kind(1.0 + share), kind(1.0 - share)
    most_slack = slack.max()
    # One more than needed: the next row shows whether the result is certain.
    best = np.empty(k + 1, dtype=block.dtype)
    where = np.empty(k + 1, dtype=np.int64)
    for offset in range(n_block):
        i = start + offset
        row = block[offset]
        best[:] = np.inf
        where[:] = -1
        for g in range(guess.shape[1]):
            if row[guess[i, g]] < best[k]:
                insert(row[guess[i, g]], guess[i, g], best, where)
        for low in range(0, n_rows, _PIECE):
            high = min(low + _PIECE, n_rows)
            piece = row[low:high]
            worst = best[k]
            near = 0
            for j in range(high - low):
                near += piece[j] < worst
            if near > 0:
                for j in range(low, high):
                    if row[j] < best[k] and j != i and not np.any(where == j):
                        insert(row[j], j, best, where)
        # The true k-th distance is at most `upper`: rows that may be below it are uncertain.
        upper = kind(0.0)
        for slot in range(k):
            if where[slot] >= 0:
                upper = max(upper, best[slot] * grow + slack[where[slot]] + slack[i])
        fill_from(where, indices[i])
        fill_from(best, values[i])
        if where[k - 1] < 0 or not best[k] * shrink - most_slack - slack[i] > upper:
            _settle_row(
                i,
                row,
                k,
                upper + slack[i],
                shrink,
                slack,
                columns,
                exponents,
                indices[i],
                values[i],
            )


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_row(i, row, k, limit, shrink, slack, columns, exponents, where, best):
    """Fill `where` and `best` with the k nearest rows by exact distances, if they are uncertain."""
    n_rows = row.shape[0]
    near = 0
    for j in range(n_rows):
        near += row[j] * shrink - slack[j] <= limit
    if near <= k + 1 and where[k - 1] >= 0:  # the k, and the row itself
        return
    exact = np.full(k, np.inf)
    where[:] = -1
    for j in range(n_rows):
        if j != i and not row[j] * shrink - slack[j] > limit:
            value = true_powered(columns, exponents, i, j)
            if value < exact[k - 1] or where[k - 1] < 0:
                insert(value, j, exact, where)
    fill_from(exact, best)


@njit(nogil=True, cache=True, error_model="numpy")
def root_of(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(nogil=True, cache=True, error_model="numpy")
def join_sets(parent, i, j):
    """Update `parent`: the sets of rows i and j become one."""
    # The smaller index becomes the root, so the result does not depend on the order of joins.
    a = root_of(parent, i)
    b = root_of(parent, j)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@njit(nogil=True, cache=True, error_model="numpy")
def graph_components(indices, out):
    """Fill `out` with the components of the undirected kNN graph; return their number."""
    n_rows, k = indices.shape
    parent = np.arange(n_rows)
    for i in range(n_rows):
        for slot in range(k):
            join_sets(parent, i, indices[i, slot])
    return label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)


@njit(nogil=True, cache=True, error_model="numpy")
def _is_within(value, i, j, radius, slack, share, columns, exponents):
    doubt = slack[i] + slack[j] + share * value
    if value + doubt <= radius:
        return True
    if value - doubt > radius:
        return False
    return true_powered(columns, exponents, i, j) <= radius


@njit(nogil=True, cache=True, error_model="numpy")
def count_within(block, start, radius, slack, share, columns, exponents, counts):
    """Fill counts[start …] with how many rows (the row itself among them) lie within `radius`."""
    n_block, n_rows = block.shape
    kind = block.dtype.type
    grow, shrink = kind(1.0 + share), kind(1.0 - share)
    for offset in range(n_block):
        i = start + offset
        row = block[offset]
        inner, outer = kind(radius) - slack[i], kind(radius) + slack[i]
        surely = possibly = 0
        for j in range(n_rows):
            surely += row[j] * grow + slack[j] <= inner
            possibly += row[j] * shrink - slack[j] <= outer
        if surely != possibly:
            surely = 0
            for j in range(n_rows):
                surely += _is_within(row[j], i, j, radius, slack, share, columns, exponents)
        counts[i] = surely


@njit(nogil=True, cache=True, error_model="numpy")
def _any_possible(piece, slack, shrink, outer):
    """Return whether a distance of the piece may be within the radius; without a branch."""
    near = 0
    for j in range(piece.shape[0]):
        near += piece[j] * shrink - slack[j] <= outer
    return near > 0


@njit(nogil=True, cache=True, error_model="numpy")
def join_cores(block, start, radius, slack, share, columns, exponents, core, parent):
    """Update `parent`: core rows within `radius` of each other get the same root."""
    n_block = block.shape[0]
    kind = block.dtype.type
    shrink = kind(1.0 - share)
    for offset in range(n_block):
        i = start + offset
        if not core[i]:
            continue
        row = block[offset]
        outer = kind(radius) + slack[i]
        for low in range(0, i, _PIECE):
            high = min(low + _PIECE, i)
            if not _any_possible(row[low:high], slack[low:high], shrink, outer):
                continue
            own = root_of(parent, i)
            for j in range(low, high):
                if not core[j] or row[j] * shrink - slack[j] > outer or root_of(parent, j) == own:
                    continue
                if _is_within(row[j], i, j, radius, slack, share, columns, exponents):
                    join_sets(parent, i, j)
                    own = root_of(parent, i)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_core(block, start, radius, slack, share, columns, exponents, core, index, value):
    """Fill `index` and `value` from `start` on with each border row's nearest core row.

    Core rows are skipped: their entries do not change. If no core row is within
    `radius`, the index is -1 and the value inf.
    """
    n_block, n_rows = block.shape
    kind = block.dtype.type
    shrink = kind(1.0 - share)
    known = columns.shape[0] == 0  # the distances were given, so they are exact
    for offset in range(n_block):
        i = start + offset
        if core[i]:
            continue
        index[i] = -1
        value[i] = np.inf
        row = block[offset]
        outer = kind(radius) + slack[i]
        for low in range(0, n_rows, _PIECE):
            high = min(low + _PIECE, n_rows)
            if not _any_possible(row[low:high], slack[low:high], shrink, outer):
                continue
            for j in range(low, high):
                if core[j] and row[j] * shrink - slack[j] <= outer:
                    true = row[j] if known else true_powered(columns, exponents, i, j)
                    if true <= radius and true < value[i]:
                        value[i] = true
                        index[i] = j


@njit(nogil=True, cache=True, error_model="numpy")
def label_roots(parent, core, out):
    """Fill `out` with the number of each core row's set, -1 elsewhere; return how many sets."""
    n_rows = parent.shape[0]
    number = np.full(n_rows, -1, dtype=np.int64)
    found = 0
    for i in range(n_rows):
        out[i] = -1
        if core[i]:
            root = root_of(parent, i)
            if number[root] < 0:
                number[root] = found
                found += 1
            out[i] = number[root]
    return found
