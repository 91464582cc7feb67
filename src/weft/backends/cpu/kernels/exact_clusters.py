"""The tree of complete linkage, whose clusters are chains of rows, and their exact distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weft.backends.cpu.kernels.neighbours import true_powered
from weft.backends.cpu.kernels.products import TILE

_EXACT_COST = 64  # of an exact distance, in examined pairs


class Tree(NamedTuple):
    """All merges so far, and the current clusters. A cluster's number is its first row."""

    height: NDArray[np.float64]  # (n - 1,)
    left: NDArray[np.int64]  # (n - 1,): the cluster that stays, and the one that is merged into it
    right: NDArray[np.int64]
    ends: NDArray[np.int64]  # (n - 1, 2): their last members before the merge
    # The members of a cluster are a linked list: a merge appends one list to the other.
    follower: NDArray[np.int64]  # (n,)
    end: NDArray[np.int64]  # (n,): the last member of each cluster
    up: NDArray[np.float32]  # (n,): the largest slack in each cluster, inf if it was merged
    dead: NDArray[np.bool_]  # (n,): whether a cluster was merged into another


class Exact(NamedTuple):
    """What is needed to compute exact distances of clusters."""

    distances: NDArray[np.float32]  # (n, n), or tiles (…, TILE, TILE) of its upper half
    slack: NDArray[np.float32]
    share: float
    columns: NDArray[np.float64]
    exponents: NDArray[np.float64]


@njit(nogil=True, cache=True, error_model="numpy")
def new_tree(slack):
    """Return the tree of n clusters of one row each."""
    n_rows = slack.shape[0]
    return Tree(
        np.empty(n_rows - 1),
        np.empty(n_rows - 1, np.int64),
        np.empty(n_rows - 1, np.int64),
        np.empty((n_rows - 1, 2), np.int64),
        np.full(n_rows, -1),
        np.arange(n_rows),
        slack.copy(),
        np.zeros(n_rows, np.bool_),
    )


@njit(nogil=True, cache=True, error_model="numpy")
def exact_distance(value, a, b, tree, exact):
    """Return the exact distance of two clusters, near `value`, and the number of examined pairs."""
    return farthest_pair(value, a, tree.end[a], b, tree.end[b], tree.follower, exact)


@njit(nogil=True, cache=True, error_model="numpy")
def _most_slack(slack, row, last, follower):
    """Return the largest slack in a chain of rows."""
    most = 0.0
    while True:
        most = max(most, slack[row])
        if row == last:
            return most
        row = follower[row]


@njit(nogil=True, cache=True, error_model="numpy")
def _entry(distances, n_rows, i, j):
    """Return the distance of two rows, from the matrix or from the tiles of its upper half."""
    if distances.ndim == 2:
        return distances[i, j]
    low, high = min(i, j), max(i, j)
    top, left = low // TILE, high // TILE
    n_tiles = -(-n_rows // TILE)
    tile = top * n_tiles - top * (top - 1) // 2 + left - top
    return distances[tile, low % TILE, high % TILE]


@njit(nogil=True, cache=True, error_model="numpy")
def farthest_pair(value, a, last_a, b, last_b, follower, exact):
    """Return the largest exact distance between two chains of rows, and the examined pairs.

    `value` is that distance in single precision.
    """
    distances, slack, share, columns, exponents = exact
    doubt = _most_slack(slack, a, last_a, follower) + _most_slack(slack, b, last_b, follower)
    # Both the farthest pair's distance and `value` may have an error of either sign.
    least = value * (1.0 - 2.5 * share - 1e-6) - 2.0 * doubt
    farthest = 0.0
    looks = 0
    i = a
    while True:
        j = b
        while True:
            looks += 1
            if _entry(distances, slack.shape[0], i, j) >= least:
                looks += _EXACT_COST
                farthest = max(farthest, true_powered(columns, exponents, i, j))
            if j == last_b:
                break
            j = follower[j]
        if i == last_a:
            break
        i = follower[i]
    return farthest, looks
