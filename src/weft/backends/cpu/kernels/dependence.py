"""Dependence of columns from their contingency tables, which are computed by counting bits.

A bin of a column is a mask with one bit per row. The count of rows that two bins share is the
number of bits that both masks have, so 32 rows cost three instructions, and the loop over the
partners is vectorised. All counts are exact, so every machine has the same sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic as _numba_intrinsic

from weft._base.compiled import COMPILED

intrinsic: Any = _numba_intrinsic  # decorated functions lose their first parameter

WORDS_AT_ONCE = 4  # words of a mask that one step of `squared_contrasts` processes


@intrinsic
def shared_bits(context: Any, one: Any, other: Any) -> Any:
    """Return how many bits two words have in common."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctpop(builder.and_(given[0], given[1]))

    return types.int32(types.uint32, types.uint32), build


@njit(**COMPILED)
def squared_contrasts(masks, sizes, partners, partner_sizes, n_rows, out):
    """Fill (columns, others) with χ² / n of the table of counts of each pair of columns.

    `masks` (columns, bins, words) and `partners` (bins, words, others) hold a bit per row, `sizes`
    (columns, bins) and `partner_sizes` (bins, others) the rows of each bin. The number of words is
    a multiple of `WORDS_AT_ONCE`. With N rows in both of two bins of r and c rows, χ² / n is
    Σ (n N - r c)² / (n² r c).
    """
    n_bins, n_words, n_others = partners.shape
    last = n_bins - 1
    counts = np.empty((n_bins, n_others), dtype=np.int32)
    left = np.empty((n_bins, n_others), dtype=np.int32)  # rows that no earlier bin has
    inverse = np.zeros((n_bins, n_others))
    for bin_ in range(n_bins):
        for other in range(n_others):
            if partner_sizes[bin_, other] > 0:
                inverse[bin_, other] = 1.0 / partner_sizes[bin_, other]
    for column in range(out.shape[0]):
        own = out[column]
        # Arrays are filled in loops: numba compiles error messages for assignments of arrays.
        for other in range(n_others):
            own[other] = 0.0
        for bin_ in range(n_bins):
            for other in range(n_others):
                left[bin_, other] = partner_sizes[bin_, other]
        for own_bin in range(n_bins):
            size = sizes[column, own_bin]
            if size == 0:
                continue
            if own_bin == last:
                for bin_ in range(n_bins):
                    for other in range(n_others):
                        counts[bin_, other] = left[bin_, other]
            else:
                mask = masks[column, own_bin]
                rest = counts[last]
                for other in range(n_others):
                    rest[other] = size
                for bin_ in range(last):
                    line = counts[bin_]
                    for other in range(n_others):
                        line[other] = 0
                    for word in range(0, n_words, WORDS_AT_ONCE):
                        a, b, c, d = mask[word], mask[word + 1], mask[word + 2], mask[word + 3]
                        first, second = partners[bin_, word], partners[bin_, word + 1]
                        third, fourth = partners[bin_, word + 2], partners[bin_, word + 3]
                        for other in range(n_others):
                            line[other] += (
                                shared_bits(a, first[other])
                                + shared_bits(b, second[other])
                                + shared_bits(c, third[other])
                                + shared_bits(d, fourth[other])
                            )
                    for other in range(n_others):
                        rest[other] -= line[other]
                for bin_ in range(n_bins):
                    for other in range(n_others):
                        left[bin_, other] -= counts[bin_, other]
            rows_of_bin = np.float64(size)
            factor = 1.0 / (rows_of_bin * n_rows * n_rows)
            for bin_ in range(n_bins):
                line, of_size, sizes_there = counts[bin_], inverse[bin_], partner_sizes[bin_]
                for other in range(n_others):
                    beyond = np.float64(line[other]) * n_rows - rows_of_bin * sizes_there[other]
                    own[other] += beyond * beyond * (factor * of_size[other])


@njit(**COMPILED)
def sum_and_nearest(z, first, references, n_partners, overall, nearest):
    """Fill (columns,) with Σ z / √count over the references, and the mean of the largest z.

    Columns are numbered from `first`; none is compared with itself. A column with fewer than
    `n_partners` references has the mean -inf.
    """
    largest = np.empty(n_partners)  # in falling order
    for column in range(z.shape[0]):
        total, count = 0.0, 0
        for slot in range(n_partners):
            largest[slot] = -np.inf
        for place in range(z.shape[1]):
            if references[place] == first + column:
                continue
            value = z[column, place]
            total += value
            count += 1
            if value > largest[n_partners - 1]:
                slot = n_partners - 1
                while slot > 0 and largest[slot - 1] < value:
                    largest[slot] = largest[slot - 1]
                    slot -= 1
                largest[slot] = value
        overall[column] = total / np.sqrt(np.float64(max(count, 1)))
        mean = 0.0
        for slot in range(n_partners):
            mean += largest[slot]
        nearest[column] = mean / n_partners
