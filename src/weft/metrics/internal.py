"""Measures of a clustering that need only the data: O'Neill 2017, sections 2.2 and 4.4.

Each takes a table or a matrix of distances. Every partition has a finite value; what the formulas
leave open is decided in docs/decisions/0002-degenerate-partitions.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from weft._base.arrays import Floats, Integers
from weft._base.docstrings import documented
from weft._base.reading import read_array
from weft._base.validation import check_choice, check_integer, check_real
from weft.backends.cpu import space_measures
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.spaces import MatrixSpace, Space, Table
from weft.backends.spaces import Solution
from weft.metrics._paragraphs import GAUSSIAN, HIGHER, INTERNAL, LOWER
from weft.metrics.on_spaces import bcr_of, bic_of, combine_csc, dense_labels
from weft.parallel.threads import local_threads


def _prepare(X: ArrayLike, labels: ArrayLike, metric: str, noise: str) -> tuple[Spaces, Integers]:
    """Return the space of the rows, and labels (1, n) that measures can count."""
    check_choice("metric", metric, ("euclidean", "precomputed"))
    check_choice("noise", noise, ("cluster", "exclude"))
    data = read_array(X)
    if len(np.asarray(labels)) != len(data):
        raise ValueError(
            f"labels has {len(np.asarray(labels))} entries for {len(data)} rows; pass one per row."
        )
    dense = dense_labels(labels, noise=noise)[np.newaxis]
    if metric == "precomputed":
        if data.shape[0] != data.shape[1]:
            raise ValueError(
                f"metric='precomputed' needs a square matrix of distances, got shape {data.shape}; "
                "pass metric='euclidean' for a table."
            )
        return Spaces(MatrixSpace(data)), dense
    table = Table.of(data)
    solution = Solution(np.ones(data.shape[1]))
    return Spaces(Space.of(table, solution, Buffers(hold_matrix=False)), table), dense


def _connected(spaces: Spaces, dense: Integers, n_neighbors: int, cap: float) -> Floats:
    check_integer("n_neighbors", n_neighbors, low=1)
    check_real("cap", cap, low=0.0, open_low=True)
    return spaces.connectedness(dense, spaces.neighbours(n_neighbors), cap)


@documented(INTERNAL)
def silhouette(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    metric: str = "euclidean",
    noise: str = "exclude",
    n_jobs: int | None = None,
) -> float:
    """Mean silhouette: (b - a) / max(a, b) of each row, in [-1, 1]; higher is better.

    Returns
    -------
    float
        0 if there are fewer than two clusters.

    Examples
    --------
    >>> from weft.metrics import silhouette
    >>> silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])  # (10.5-1)/10.5, (9.5-1)/9.5
    0.899749373433584
    """
    spaces, dense = _prepare(X, labels, metric, noise)
    n_sums = (dense.max(initial=-1) + 1) * dense.size
    if metric == "precomputed" or n_sums > space_measures.SUMS_AT_ONCE:
        return float(spaces.silhouette(dense)[0])
    samples = space_measures.symmetric_silhouette_samples(
        spaces.space, dense[0], local_threads(n_jobs)
    )
    return space_measures.mean_of_labelled(samples, dense[0])


@documented(INTERNAL, HIGHER)
def connectedness(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 5,
    cap: float = 10.0,
    metric: str = "euclidean",
    noise: str = "exclude",
) -> float:
    """Mean over rows of Σ ±min(1/d, cap) over the nearest rows: + for rows of the same cluster.

    Examples
    --------
    >>> from weft.metrics import connectedness
    >>> connectedness([[0.0], [1.0], [3.0]], [0, 0, 1], n_neighbors=1)  # (1 + 1 - 1/2) / 3
    0.5
    """
    return float(_connected(*_prepare(X, labels, metric, noise), n_neighbors, cap)[0])


@documented(INTERNAL, LOWER)
def sparsity(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", noise: str = "exclude"
) -> float:
    """Mean over clusters of the largest distance of a row to its nearest row; lower is better.

    Examples
    --------
    >>> from weft.metrics import sparsity
    >>> sparsity([[0.0], [1.0], [3.0], [9.0]], [0, 0, 0, 1])  # (2 + 0) / 2
    1.0
    """
    spaces, dense = _prepare(X, labels, metric, noise)
    return float(spaces.sparsity_and_separation(dense)[0][0])


@documented(INTERNAL, HIGHER)
def separation(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", noise: str = "exclude"
) -> float:
    """Mean over clusters of the distance to the nearest row of another cluster.

    Examples
    --------
    >>> from weft.metrics import separation
    >>> separation([[0.0], [1.0], [3.0], [9.0]], [0, 0, 1, 1])  # 2 from both sides
    2.0
    """
    spaces, dense = _prepare(X, labels, metric, noise)
    return float(spaces.sparsity_and_separation(dense)[1][0])


@documented(INTERNAL, HIGHER)
def csc(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 5,
    cap: float = 10.0,
    metric: str = "euclidean",
    noise: str = "exclude",
) -> float:
    """Silhouette times connectedness; negative if at least one of them is negative.

    In this function both factors use the same distances. In a search each can use the weighted or
    all features: see :class:`weft.search.criteria.CSC`.

    Examples
    --------
    >>> from weft.metrics import csc
    >>> csc([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1], n_neighbors=1)
    0.899749373433584
    """
    spaces, dense = _prepare(X, labels, metric, noise)
    connected = _connected(spaces, dense, n_neighbors, cap)
    return float(combine_csc(spaces.silhouette(dense), connected)[0])


@documented(GAUSSIAN, HIGHER)
def bcr(
    X: ArrayLike, labels: ArrayLike, *, artificial_noise: float = 0.1, noise: str = "exclude"
) -> float:
    """Bayes clustering ratio (eq. 4.2): how much better rows fit their own cluster than any other.

    Examples
    --------
    >>> from weft.metrics import bcr
    >>> round(bcr([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 3)
    165.289
    """
    check_real("artificial_noise", artificial_noise, low=0.0)
    return float(bcr_of(*_prepare(X, labels, "euclidean", noise), artificial_noise)[0])


@documented(GAUSSIAN, HIGHER)
def bic(
    X: ArrayLike, labels: ArrayLike, *, artificial_noise: float = 0.0, noise: str = "exclude"
) -> float:
    """Bayesian information criterion, ln L - ½ k ln n, of one axis-parallel Gaussian per cluster.

    Examples
    --------
    >>> from weft.metrics import bic
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> bic(X, [0, 0, 1, 1]) > bic(X, [0, 1, 0, 1])
    True
    """
    check_real("artificial_noise", artificial_noise, low=0.0)
    return float(bic_of(*_prepare(X, labels, "euclidean", noise), artificial_noise)[0])
