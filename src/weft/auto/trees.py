"""Boosted trees as plain arrays: prediction, explanation, and a file without pickle.

A `Forest` is a sum of binary trees whose nodes lie in flat arrays. At a node with feature f a row
goes left if ``x[f] <= threshold``, else right; a leaf has feature -1. Inner nodes hold the mean of
the leaves below them as their value, so that each step of a row's path from the root to its leaf
can be credited to the feature of that node (Saabas 2014): these steps and the mean of the roots sum
to the prediction.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Singles
from weft._base.compiled import COMPILED

FIELDS = ("feature", "threshold", "left", "right", "value", "start")
ROWS_TOGETHER = 64
DTYPES = ("int16", "float32", "int16", "int16", "float32", "int32")


class Forest(NamedTuple):
    """Trees in flat arrays; `left` and `right` count from the tree's own root."""

    feature: NDArray[np.int16]  # (n_nodes,) -1 in leaves
    threshold: Singles  # (n_nodes,)
    left: NDArray[np.int16]  # (n_nodes,)
    right: NDArray[np.int16]  # (n_nodes,)
    value: Singles  # (n_nodes,) what a leaf adds; in inner nodes the mean below
    start: NDArray[np.int32]  # (n_trees + 1,) first node of each tree


@numba.njit(inline="always", **COMPILED)
def unroll(feature, threshold, left, right, start, asked, limit, below, depths):
    """Fill nodes that need no question whether they are leaves: a leaf leads to itself.

    `asked` and `limit` (n_nodes,) are features and thresholds, `below` (n_nodes, 2) the nodes to
    the left and to the right among all trees, `depths` (n_trees,) how often a row moves at most.
    """
    level = np.empty(len(feature), dtype=np.int32)
    for tree in range(start.shape[0] - 1):
        root = start[tree]
        level[root] = 0
        depths[tree] = 0
        for node in range(root, start[tree + 1]):
            if feature[node] < 0:
                asked[node] = 0
                limit[node] = np.inf
                below[node, 0] = node
                below[node, 1] = node
                depths[tree] = max(depths[tree], level[node])
            else:
                asked[node] = feature[node]
                limit[node] = threshold[node]
                below[node, 0] = root + left[node]
                below[node, 1] = root + right[node]
                level[root + left[node]] = level[node] + 1
                level[root + right[node]] = level[node] + 1


@numba.njit(**COMPILED)
def sum_leaves(feature, threshold, left, right, value, start, columns, out):
    """Fill `out` (n,) with the sum of the leaves that each row reaches.

    `columns` (n_features, n) are the features. All rows of a block take one step in a tree before
    any takes the next, without a branch, so that a processor does several of these steps at once.
    """
    n_nodes = len(feature)
    asked = np.empty(n_nodes, dtype=np.int32)
    limit = np.empty(n_nodes, dtype=np.float32)
    below = np.empty((n_nodes, 2), dtype=np.int32)
    depths = np.empty(start.shape[0] - 1, dtype=np.int32)
    unroll(feature, threshold, left, right, start, asked, limit, below, depths)
    nodes = np.empty(ROWS_TOGETHER, dtype=np.int32)
    n = columns.shape[1]
    for first in range(0, n, ROWS_TOGETHER):
        count = min(ROWS_TOGETHER, n - first)
        for i in range(count):
            out[first + i] = 0.0
        for tree in range(start.shape[0] - 1):
            for i in range(count):
                nodes[i] = start[tree]
            for _ in range(depths[tree]):
                for i in range(count):
                    node = nodes[i]
                    goes_right = not columns[asked[node], first + i] <= limit[node]
                    nodes[i] = below[node, np.int64(goes_right)]
            for i in range(count):
                out[first + i] += value[nodes[i]]


@numba.njit(**COMPILED)
def credit_features(feature, threshold, left, right, value, start, X, out):
    """Fill `out` (n, n_features + 1) with each feature's share; the last column is the mean."""
    for i in range(X.shape[0]):
        for column in range(out.shape[1]):
            out[i, column] = 0.0
        for tree in range(start.shape[0] - 1):
            root = start[tree]
            node = root
            out[i, -1] += value[root]
            while feature[node] >= 0:
                asked = feature[node]
                below = left[node] if X[i, asked] <= threshold[node] else right[node]
                out[i, asked] += value[root + below] - value[node]
                node = root + below


def _single(X: NDArray) -> Singles:
    return np.ascontiguousarray(np.nan_to_num(X, nan=0.0), dtype=np.float32)


def _check_width(forest: Forest, X: NDArray) -> None:
    # Compiled code does not check indices, so a judge of other evidence is refused here.
    if len(forest.feature) and int(forest.feature.max()) >= X.shape[1]:
        raise ValueError(
            f"the trees ask for {int(forest.feature.max()) + 1} features, but {X.shape[1]} are "
            "given; judge and evidence are of different versions, train the judge again."
        )


def predict(forest: Forest, X: NDArray) -> Floats:
    """Return the sum of the trees for each row of X; NaN counts as 0."""
    _check_width(forest, X)
    out = np.empty(len(X))
    sum_leaves(*forest, _single(np.transpose(X)), out)
    return out


def contributions(forest: Forest, X: NDArray) -> Floats:
    """Return (n, n_features + 1): what each feature added, then the mean prediction."""
    _check_width(forest, X)
    out = np.empty((len(X), np.shape(X)[1] + 1))
    credit_features(*forest, _single(X), out)
    return out


def logistic(scores: NDArray) -> Floats:
    """Return 1 / (1 + exp(-score)), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * np.asarray(scores, dtype=np.float64)))


def forest_from(arrays: dict[str, NDArray], name: str) -> Forest:
    """Return a forest from named arrays, after checking that no node points outside its tree."""
    parts = []
    for field, dtype in zip(FIELDS, DTYPES, strict=True):
        key = f"{name}.{field}"
        if key not in arrays or arrays[key].dtype != np.dtype(dtype) or arrays[key].ndim != 1:
            raise ValueError(f"the file has no one-dimensional {dtype} array {key!r}; replace it.")
        parts.append(np.ascontiguousarray(arrays[key]))
    forest = Forest(*parts)
    sizes = np.diff(forest.start)
    n_nodes = len(forest.feature)
    sound = (
        len(forest.start) > 0
        and forest.start[0] == 0
        and forest.start[-1] == n_nodes
        and (sizes > 0).all()
        and all(len(part) == n_nodes for part in parts[:-1])
        and bool(np.isfinite(forest.value).all())
    )
    if sound:
        inner = forest.feature >= 0
        place = np.arange(n_nodes) - np.repeat(forest.start[:-1], sizes)
        size = np.repeat(sizes, sizes)
        for child in (forest.left, forest.right):
            # Children come after their parent, so that every path ends.
            sound &= bool(((child > place) & (child < size))[inner].all())
    if not sound:
        raise ValueError(f"the trees {name!r} of the file are damaged; replace the file.")
    return forest


def read(path: Path) -> dict[str, NDArray]:
    """Return the named arrays of a file; nothing in it is executed."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
