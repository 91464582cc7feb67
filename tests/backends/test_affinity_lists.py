"""Messages in lists of several pieces, most of which late rounds leave out."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from weft.backends.cpu.kernels import affinity, message_vectors
from weft.backends.cpu.kernels.affinity_lists import listed_messages
from weft.backends.cpu.kernels.vectors import PIECE
from weft.backends.reference.clusterings import powered_distances


@njit
def shrunk(numbers, at, factor):
    message_vectors.shrink_piece(numbers, at, factor)


@njit
def values_of(B, keys, c, s, at, out):
    return message_vectors.values_of_piece(B, keys, c, s, at, out)


@njit
def responsibilities(s, e, at, now, m, out):
    return message_vectors.responsibilities_of_piece(s, e, at, now, m, out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("at", [0, PIECE])
def test_a_piece_is_computed_as_the_formulas_say(dtype, at):
    rng = np.random.default_rng(at)
    n = 2 * PIECE
    B, e, c = -rng.random(300), rng.random(n), -rng.random(n)
    keys, s = rng.integers(0, 300, n).astype(np.uint32), -rng.random(n).astype(dtype)
    s[3::10] = -np.inf  # as in a piece that is not full
    here, out = slice(at, at + PIECE), np.full(PIECE, np.nan)
    top = values_of(B, keys, c, s, at, out)
    np.testing.assert_array_equal(out, (B[keys] + c + s)[here])
    assert top == out.max()
    mask = responsibilities(s, e, at, 0.75, -0.25, out)
    np.testing.assert_array_equal(out, (0.75 * s.astype(np.float64) + 0.25 + e)[here])
    assert mask & (2**64 - 1) == sum(1 << k for k in np.flatnonzero(out > 0.0).tolist())
    expected = np.where(np.arange(n) // PIECE == at // PIECE, 0.9 * c, c)
    shrunk(c, at, 0.9)
    np.testing.assert_array_equal(c, expected)


def _similarity(kind, dtype):
    rng = np.random.default_rng(8)
    centres = 1.5 * rng.normal(size=(12, 8))
    X = centres[rng.integers(0, 12, 600)] + rng.normal(size=(600, 8))
    if kind == "every row twice":
        X = X[rng.integers(0, 300, 600)]
    if kind == "bits":
        X = (X > 0.0).astype(float)
    similarity = -powered_distances(np.ascontiguousarray(X.T)).astype(dtype)
    np.fill_diagonal(similarity, np.median(similarity))
    affinity.break_ties(similarity)
    return similarity


@pytest.mark.parametrize("kind", ["clusters", "every row twice", "bits"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("damping", [0.5, 0.8])
@pytest.mark.parametrize("max_iter", [1, 2, 9, 200])
def test_exemplars_are_those_of_all_messages(kind, dtype, damping, max_iter):
    # All messages in two matrices need no lists. At each limit of rounds the same rows must be
    # exemplars, so a piece that missed a round would show.
    if max_iter == 200 and kind != "clusters":
        max_iter = 30  # later, endless oscillations have magnified the last bit
    similarity = _similarity(kind, dtype)
    n = len(similarity)
    expected, found = np.zeros((2, n), bool)
    R, A = np.empty((2, n, n))
    wanted = affinity.dense_messages(similarity, R, A, damping, max_iter, 15, expected)
    size = n**2 // 2
    numbers, keys = np.empty((2, size)), np.empty(size, np.uint32)
    s = np.empty(size, dtype)
    state = listed_messages(
        similarity, keys, s, numbers[0], numbers[1], damping, max_iter, 15, found
    )
    assert state == wanted
    np.testing.assert_array_equal(found, expected)


def test_too_little_memory_stops_the_function():
    similarity = _similarity("clusters", np.float32)
    n = len(similarity)
    size = 64 * n  # the first lists are longer
    numbers, keys = np.empty((2, size)), np.empty(size, np.uint32)
    state = listed_messages(
        similarity, keys, np.empty(size, np.float32), numbers[0], numbers[1], 0.5, 200, 15,
        np.zeros(n, bool),
    )  # fmt: skip
    assert state == -1
