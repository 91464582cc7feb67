"""The few operations that are written in LLVM's own vectors, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from weft.backends.cpu.kernels import vectors
from weft.backends.cpu.kernels.vectors import PIECE, SQUARE

below, sum_below = vectors.below, vectors.sum_below
least_sum, lowest_bit, turn_square = vectors.least_sum, vectors.lowest_bit, vectors.turn_square


@njit
def masks(row, shift, at, limit):
    return below(row, at, limit), sum_below(row, at, shift, limit)


@njit
def raised(target, to, row, at):
    vectors.raise_piece(target, to, row, at)


@njit
def least(row, shift, at):
    return least_sum(row, at, shift)


@njit
def most(row, at):
    return vectors.largest(row, at)


@njit
def lowest(mask):
    return lowest_bit(mask)


@njit
def turn(source, target, step):
    turn_square(source, 0, step, target, 0, SQUARE)


def numbers(dtype, seed):
    """Three pieces with equal numbers, both zeros and infinities among them."""
    rng = np.random.default_rng(seed)
    row = rng.integers(-3, 4, 3 * PIECE).astype(dtype)
    row[rng.integers(0, len(row), 12)] = np.repeat([np.inf, -0.0, 0.0], 4)
    return row


def bits(flags) -> int:
    """A mask as numba returns it: bit c for place c, the last one the sign."""
    return int(np.packbits(flags, bitorder="little").view(np.int64)[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("at", [0, 1, 77, 2 * PIECE])
def test_masks_the_smallest_sum_and_the_largest(dtype, at):
    row, shift = numbers(dtype, at), numbers(dtype, at + 1)
    piece, moved = row[at : at + PIECE], (row + shift)[at : at + PIECE]
    for limit in (dtype(-3), dtype(0), dtype(1), dtype(np.inf)):
        assert masks(row, shift, at, limit) == (
            bits(piece < limit),
            bits(moved < limit),
        )
    target = shift.copy()
    raised(target, at, row, PIECE)
    expected = shift.copy()
    expected[at : at + PIECE] = np.maximum(shift[at : at + PIECE], row[PIECE : 2 * PIECE])
    np.testing.assert_array_equal(target, expected)
    assert least(row, shift, at) == moved.min()
    assert most(row, at) == piece.max()


@pytest.mark.parametrize("place", range(PIECE))
def test_the_smallest_and_the_largest_are_found_wherever_they_are(place):
    row = np.ones(PIECE, np.float32)
    row[place] = -1.0
    assert least(row, np.zeros(PIECE, np.float32), 0) == -1.0
    assert most(-row, 0) == 1.0


def test_the_lowest_bit():
    for place in range(63):
        assert lowest(np.int64(1 << place)) == place
        assert lowest(np.int64((1 << place) | (1 << 62))) == place
    assert lowest(np.int64(-(2**63))) == 63


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_square_is_turned_over(dtype):
    source = np.arange(SQUARE * 11, dtype=dtype)
    target = np.empty(SQUARE * SQUARE, dtype)
    turn(source, target, 11)
    square = source.reshape(SQUARE, 11)[:, :SQUARE]
    np.testing.assert_array_equal(target.reshape(SQUARE, SQUARE), square.T)
