"""A prepared table: canonical order, few axes, and everything that the candidates share.

Rows and columns are put into an order that follows from their values alone, so that tables that
differ only in the order of rows or columns give the same bits. Wide tables are reduced to
their principal axes. Distances, neighbours and spanning trees are computed once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.auto.canonical import canonical_order
from weft.auto.kernels import distances as kernels
from weft.auto.second_view import View, second_view
from weft.parallel.blas import one_blas_thread

MAX_ROWS = 2_000
N_NEIGHBOURS = 30
MIN_SAMPLES = (1, 5, 10)  # neighbours that make a row dense; 1 gives plain distances
PLAIN_COLUMNS = 12  # tables up to this width keep their columns
MAX_AXES = 32
FEWEST_TO_HALVE = 4  # columns from which on half of them can still show clusters
N_SPLITS = 2  # random splits of the columns, two halves each
HALF_ROWS = 600  # largest number of rows used with halves of the columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SpanningTree(NamedTuple):
    """A minimum spanning tree, its edges in order of length."""

    edges: Ints  # (n - 1, 2)
    lengths: Floats  # (n - 1,)


class Prepared(NamedTuple):
    """What candidates and evidence share. Rows are in canonical order.

    Attributes
    ----------
    points : (n, q) the rows on their working axes
    order : (n,) the caller's row of each canonical row
    seed : the seed of all later draws
    n_columns : columns of the given table that are not constant
    distances : (n, n) Euclidean distances
    neighbours, neighbour_distances : (n, k) nearest other rows, nearest first
    cores : (len(MIN_SAMPLES), n) distance within which a row has this many rows around it, itself
        included (as in scikit-learn)
    trees : a spanning tree of mutual reachability for each of MIN_SAMPLES; the first is that of
        plain distances
    first_equal : (n,) the first row that is equal to each row; equal rows are next to each other
    half_rows : rows that are used with halves of the columns, in canonical order
    halves : the half_rows on random halves of the columns, reduced like `points`; none where
        columns are few
    second : the same rows in another view, see `weft.auto.second_view`
    """

    points: Floats
    order: Ints
    seed: int
    n_columns: int
    distances: Floats
    neighbours: Ints
    neighbour_distances: Floats
    cores: Floats
    trees: tuple[SpanningTree, ...]
    first_equal: Ints
    half_rows: Ints
    halves: tuple[Floats, ...]
    second: View

    def restore(self, labels: Ints) -> Ints:
        """Labels in the caller's order of rows."""
        out = np.empty_like(labels)
        out[self.order] = labels
        return out


def standardised(X: Floats) -> Floats:
    """Columns in units of their deviation, without those that are constant."""
    largest = np.abs(X).max(axis=0)
    # A power of two changes no digits and keeps squares of huge values finite.
    X = X / np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))))
    X = X - X.mean(axis=0)
    deviations = np.sqrt((X * X).mean(axis=0))
    kept = deviations > 1e-13
    return X[:, kept] / deviations[kept]


def principal_axes(X: Floats, max_axes: int) -> Floats:
    """Scores on the axes whose variance is beyond that of noise, at least two.

    Noise of n rows and d independent columns has no axis beyond the mean variance times
    (1 + √(d / n))² (Marchenko, Pastur 1967). The mean is taken again without the axes found,
    which would hide weaker ones, until no more are found.
    """
    n, d = X.shape
    X = X - X.mean(axis=0)
    if d > n:
        values, vectors = np.linalg.eigh(X @ X.T)
        values = np.maximum(values[::-1], 0.0)
        scores = vectors[:, ::-1] * np.sqrt(values)
    else:
        values, vectors = np.linalg.eigh(X.T @ X)
        values = values[::-1]
        scores = X @ vectors[:, ::-1]
    n_axes, n_before = 0, -1
    while n_before < n_axes < max_axes:
        n_before = n_axes
        edge = values[n_axes:].sum() / d * (1.0 + np.sqrt(d / n)) ** 2
        n_axes = int((values > edge).sum())
    n_axes = int(np.clip(n_axes, min(2, len(values)), max_axes))
    return positive_where_largest(scores[:, :n_axes])


def positive_where_largest(scores: Floats) -> Floats:
    """Scores on eigenvectors, whose signs are arbitrary: the largest of each axis is positive."""
    largest = np.abs(scores).argmax(axis=0)
    signs = np.where(scores[largest, np.arange(scores.shape[1])] < 0, -1, 1)
    return np.ascontiguousarray(scores * signs)


def _checked(X: ArrayLike) -> Floats:
    table = np.array(X, dtype=np.float64, ndmin=1)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"X has shape {table.shape}, but rows and at least one column are needed; "
            "give a two-dimensional table."
        )
    if not 3 <= table.shape[0] <= MAX_ROWS:
        raise ValueError(
            f"X has {table.shape[0]} rows, but 3 to {MAX_ROWS} are allowed; "
            "give more rows, or a sample of them."
        )
    if not np.isfinite(table).all():
        raise ValueError("X holds NaN or infinite values; fill or drop them first.")
    return table + 0.0  # -0.0 and 0.0 are one value


def prepare(
    X: ArrayLike,
    seed: int = 0,
    *,
    standardise: bool = True,
    max_axes: int = MAX_AXES,
    unit_rows: bool = False,
) -> Prepared:
    """Order the rows, reduce wide tables, and compute what all candidates share.

    Parameters
    ----------
    X : (n, d) the columns to cluster on, 3 to 2,000 rows, finite
    seed : seed of all later draws
    standardise : whether columns are put into units of their deviation; otherwise their units
        are taken as comparable
    max_axes : most axes that a table of more than 12 columns is reduced to
    unit_rows : whether the rows on their axes are put to length 1, so that only directions count

    Returns
    -------
    Prepared
    """
    table = _checked(X)
    row_order, column_order = canonical_order(table)
    table = table[np.ix_(row_order, column_order)]
    new = np.concatenate([[True], (table[1:] != table[:-1]).any(axis=1)])
    first_equal = np.flatnonzero(new)[np.cumsum(new) - 1]
    if standardise:
        table = standardised(table)
    else:
        table = table - table.mean(axis=0)
        largest = np.abs(table).max(initial=0.0)
        table = table[:, np.abs(table).max(axis=0) > 1e-13 * largest] / (largest or 1.0)
    n_columns = table.shape[1]
    if n_columns == 0:
        table = np.zeros((len(table), 1))
    with one_blas_thread():
        half_rows, halves = halved(table, seed, max_axes)
        points = on_few_axes(table, max_axes)
        second = second_view(
            standardised(table) if not (standardise or unit_rows) else table,
            few=table.shape[1] <= PLAIN_COLUMNS and not unit_rows,
            n_neighbours=N_NEIGHBOURS,
        )
    if unit_rows:
        points, halves = with_unit_rows(points), tuple(map(with_unit_rows, halves))
    shared = _shared(points)
    return Prepared(
        points, row_order, seed, n_columns, *shared, first_equal, half_rows, halves, second
    )


def on_few_axes(table: Floats, max_axes: int) -> Floats:
    """The columns themselves where they are few, otherwise their principal axes."""
    reduced = principal_axes(table, max_axes) if table.shape[1] > PLAIN_COLUMNS else table
    return np.ascontiguousarray(reduced)


def with_unit_rows(points: Floats) -> Floats:
    """Rows of length 1; rows of zeros stay as they are."""
    lengths = np.sqrt((points * points).sum(axis=1, keepdims=True))
    return points / np.where(lengths > 0.0, lengths, 1.0)


def halved(table: Floats, seed: int, max_axes: int) -> tuple[Ints, tuple[Floats, ...]]:
    """Some rows, and their points on random halves of the columns."""
    n, d = table.shape
    rows = np.linspace(0, n - 1, min(n, HALF_ROWS)).astype(np.int64)
    if d < FEWEST_TO_HALVE:
        return rows, ()
    rng = np.random.default_rng([seed, 6])
    table = table[rows]
    splits = [np.array_split(rng.permutation(d), 2) for _ in range(N_SPLITS)]
    return rows, tuple(
        on_few_axes(table[:, np.sort(part)], max_axes) for split in splits for part in split
    )


def _shared(
    points: Floats,
) -> tuple[Floats, Ints, Floats, Floats, tuple[SpanningTree, ...]]:
    """Distances, neighbours with their distances, cores, and spanning trees."""
    n = len(points)
    distances = np.empty((n, n))
    kernels.pairwise(points, distances)
    k = min(N_NEIGHBOURS, n - 1)
    neighbours = np.empty((n, k), dtype=np.int64)
    lengths = np.empty((n, k))
    kernels.nearest(distances, k, neighbours, lengths)
    cores = np.stack([lengths[:, min(m - 2, k - 1)] if m > 1 else np.zeros(n) for m in MIN_SAMPLES])
    trees = tuple(spanning_tree(distances, core) for core in cores)
    return distances, neighbours, lengths, cores, trees


def spanning_tree(distances: Floats, core: Floats) -> SpanningTree:
    """The minimum spanning tree of max(distance, core, core)."""
    n = len(distances)
    edges = np.empty((n - 1, 2), dtype=np.int64)
    lengths = np.empty(n - 1)
    kernels.spanning_tree(distances, core, edges, lengths)
    by_length = np.lexsort((distances[edges[:, 0], edges[:, 1]], lengths))
    return SpanningTree(edges[by_length], lengths[by_length])
