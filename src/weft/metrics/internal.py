"""How good a clustering is by the data alone: the measures of O'Neill 2017, sections 2.2 and 4.4.

Each has two forms: on a `Space` (what the search calls) and on a table or a distance matrix (the
public one). Every partition has a finite value; what the formulas leave open is decided in
docs/decisions/0002-degenerate-partitions.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from weft._validation import check_choice, check_integer, check_real
from weft.kernels.cpu import neighbours as neighbour_kernels
from weft.kernels.cpu import scores as score_kernels
from weft.spaces import Buffers, MatrixSpace, Solution, Space

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Neighbours(NamedTuple):
    """The nearest rows of each row, nearest first."""

    indices: Integers  # (n, k)
    distances: Floats  # (n, k)


def nearest_neighbours(space: Space, n_neighbors: int) -> Neighbours:
    """Return the `n_neighbors` nearest rows of each row (fewer if there are not so many)."""
    k = min(n_neighbors, space.n_rows - 1)
    indices = np.empty((space.n_rows, k), dtype=np.int64)
    powered = np.empty((space.n_rows, k))
    if k > 0:
        for start, block in space.blocks():
            neighbour_kernels.nearest_in_block(block, start, True, indices, powered)
    return Neighbours(indices, space.to_distances(powered))


def silhouette_samples_of(space: Space, labels: Integers) -> Floats:
    """Return the silhouette of each row; 0 for rows without a label."""
    counts = np.bincount(labels[labels >= 0])
    out = np.empty(space.n_rows)
    for start, block in space.blocks():
        score_kernels.silhouette_block(block, start, labels, counts, space.root, out)
    return out


def silhouette_of(space: Space, labels: Integers) -> float:
    """Return the mean silhouette of the labelled rows."""
    return _mean_of_labelled(silhouette_samples_of(space, labels), labels)


def connectedness_of(neighbours: Neighbours, labels: Integers, cap: float) -> float:
    """Return the mean connectedness of the labelled rows."""
    out = np.empty(len(labels))
    score_kernels.connectedness_rows(*neighbours, labels, cap, out)
    return _mean_of_labelled(out, labels)


def sparsity_and_separation_of(space: Space, labels: Integers) -> tuple[float, float]:
    """Return both, since one pass over the distances gives both."""
    same, other = np.empty(space.n_rows), np.empty(space.n_rows)
    for start, block in space.blocks():
        score_kernels.nearest_by_label_block(block, start, labels, same, other)
    widest, nearest = [], []
    for cluster in range(int(labels.max(initial=-1)) + 1):
        rows = labels == cluster
        widest.append(same[rows].max())
        nearest.append(other[rows].min())
    # A cluster of one row has no nearest mate, a single cluster no neighbour: both count 0.
    powered = np.array([widest, nearest]).reshape(2, -1)
    values = space.to_distances(np.where(np.isfinite(powered), powered, 0.0))
    if values.shape[1] == 0:
        return 0.0, 0.0
    return float(values[0].mean()), float(values[1].mean())


def combine_csc(silhouette: float, connectedness: float) -> float:
    """Multiply the two, negative as soon as one of them is (section 4.4.2)."""
    size = abs(silhouette * connectedness)
    return -size if silhouette < 0.0 or connectedness < 0.0 else size


def gaussian_terms(X: Floats, labels: Integers, noise: float) -> tuple[Floats, Floats]:
    """Return log P(x|Model)P(Model) of each row's own cluster and of the best other one."""
    spread = X.std(axis=0)
    # Without artificial noise a constant column would divide by zero.
    floor = 1e-12 * np.where(spread > 0.0, spread, 1.0)
    own, best_other = np.empty(len(X)), np.empty(len(X))
    n_clusters = int(labels.max(initial=-1)) + 1
    score_kernels.gaussian_scores(X, labels, n_clusters, noise, floor, own, best_other)
    return own, best_other


def bcr_of(X: Floats, labels: Integers, noise: float) -> float:
    """Return the Bayes clustering ratio, eq. 4.2; 0 where there are not two clusters."""
    if labels.max(initial=-1) < 1:
        return 0.0
    own, best_other = gaussian_terms(X, labels, noise)
    return float((own - best_other).sum())


def bic_of(X: Floats, labels: Integers, noise: float) -> float:
    """Return ln L - ½ k ln n with a mean, a deviation per feature, and a share per cluster."""
    n_clusters = int(labels.max(initial=-1)) + 1
    n_rows = int((labels >= 0).sum())
    if n_rows == 0:
        return 0.0
    own, _ = gaussian_terms(X, labels, noise)
    n_parameters = n_clusters * 2 * X.shape[1] + n_clusters - 1
    return float(own.sum() - 0.5 * n_parameters * np.log(n_rows))


def dense_labels(labels: ArrayLike, *, noise: str = "exclude") -> Integers:
    """Renumber labels 0 … K-1; -1 stays (``"exclude"``) or becomes a cluster (``"cluster"``)."""
    given = np.asarray(labels)
    if noise == "cluster":
        return np.unique(given, return_inverse=True)[1].astype(np.int64)
    out = np.full(len(given), -1, dtype=np.int64)
    assigned = given != -1
    out[assigned] = np.unique(given[assigned], return_inverse=True)[1]
    return out


def _mean_of_labelled(values: Floats, labels: Integers) -> float:
    labelled = labels >= 0
    return float(values[labelled].mean()) if labelled.any() else 0.0


def _prepare(
    X: ArrayLike, labels: ArrayLike, metric: str, noise: str
) -> tuple[Space, Floats, Integers]:
    check_choice("metric", metric, ("euclidean", "precomputed"))
    check_choice("noise", noise, ("cluster", "exclude"))
    data = check_array(X, dtype=np.float64)
    if len(np.asarray(labels)) != len(data):
        raise ValueError(
            f"labels has {len(np.asarray(labels))} entries for {len(data)} rows; pass one per row."
        )
    if metric == "precomputed":
        if data.shape[0] != data.shape[1]:
            raise ValueError(
                f"metric='precomputed' needs a square matrix of distances, got shape {data.shape}; "
                "pass metric='euclidean' for a table."
            )
        space: Space = MatrixSpace(data)
    else:
        columns = np.ascontiguousarray(data.T)
        solution = Solution(np.ones(data.shape[1]))
        space = Space.of(columns, solution, Buffers(len(data), hold_matrix=False))
    return space, data, dense_labels(labels, noise=noise)


def silhouette(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", noise: str = "exclude"
) -> float:
    """Mean silhouette: (b - a) / max(a, b) of each row, in [-1, 1]; higher is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        A table, or distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Clusters; -1 for rows in none.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        What `X` holds.
    noise : {"exclude", "cluster"}, default="exclude"
        Whether rows labelled -1 are left out or make up a cluster.

    Returns
    -------
    float
        0 where there are not two clusters.

    Examples
    --------
    >>> from weft.metrics import silhouette
    >>> silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])  # (10.5-1)/10.5, (9.5-1)/9.5
    0.899749373433584
    """
    space, _, dense = _prepare(X, labels, metric, noise)
    return silhouette_of(space, dense)


def connectedness(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 5,
    cap: float = 10.0,
    metric: str = "euclidean",
    noise: str = "exclude",
) -> float:
    """Mean over rows of Σ ±min(1/d, cap) over the nearest rows: plus inside the own cluster.

    Parameters are those of :func:`silhouette`, and

    n_neighbors : int, default=5
        How many nearest rows count.
    cap : float, default=10.0
        What a row at distance 0 counts.

    Examples
    --------
    >>> from weft.metrics import connectedness
    >>> connectedness([[0.0], [1.0], [3.0]], [0, 0, 1], n_neighbors=1)  # (1 + 1 - 1/2) / 3
    0.5
    """
    check_integer("n_neighbors", n_neighbors, low=1)
    check_real("cap", cap, low=0.0, open_low=True)
    space, _, dense = _prepare(X, labels, metric, noise)
    return connectedness_of(nearest_neighbours(space, n_neighbors), dense, cap)


def sparsity(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", noise: str = "exclude"
) -> float:
    """Mean over clusters of the widest gap between a row and its nearest mate; lower is better.

    Parameters are those of :func:`silhouette`.

    Examples
    --------
    >>> from weft.metrics import sparsity
    >>> sparsity([[0.0], [1.0], [3.0], [9.0]], [0, 0, 0, 1])  # (2 + 0) / 2
    1.0
    """
    space, _, dense = _prepare(X, labels, metric, noise)
    return sparsity_and_separation_of(space, dense)[0]


def separation(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", noise: str = "exclude"
) -> float:
    """Mean over clusters of the distance to the nearest row of another cluster.

    Parameters are those of :func:`silhouette`.

    Examples
    --------
    >>> from weft.metrics import separation
    >>> separation([[0.0], [1.0], [3.0], [9.0]], [0, 0, 1, 1])  # 2 from both sides
    2.0
    """
    space, _, dense = _prepare(X, labels, metric, noise)
    return sparsity_and_separation_of(space, dense)[1]


def csc(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 5,
    cap: float = 10.0,
    metric: str = "euclidean",
    noise: str = "exclude",
) -> float:
    """Silhouette times connectedness, negative as soon as one of them is.

    Parameters are those of :func:`connectedness`. Here both parts see the same distances; the
    search can take each on the weighted or on the full features (``criterion_params``).

    Examples
    --------
    >>> from weft.metrics import csc
    >>> csc([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1], n_neighbors=1)
    0.899749373433584
    """
    check_integer("n_neighbors", n_neighbors, low=1)
    check_real("cap", cap, low=0.0, open_low=True)
    space, _, dense = _prepare(X, labels, metric, noise)
    connected = connectedness_of(nearest_neighbours(space, n_neighbors), dense, cap)
    return combine_csc(silhouette_of(space, dense), connected)


def bcr(
    X: ArrayLike, labels: ArrayLike, *, artificial_noise: float = 0.1, noise: str = "exclude"
) -> float:
    """Bayes clustering ratio (eq. 4.2): how much better rows fit their own cluster than any other.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        A table; each cluster is taken as an axis-parallel Gaussian.
    labels : array-like of shape (n_samples,)
        Clusters; -1 for rows in none.
    artificial_noise : float, default=0.1
        Added to every deviation, so that tiny clusters cannot win by being tiny.
    noise : {"exclude", "cluster"}, default="exclude"
        Whether rows labelled -1 are left out or make up a cluster.

    Examples
    --------
    >>> from weft.metrics import bcr
    >>> round(bcr([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 3)
    165.289
    """
    check_real("artificial_noise", artificial_noise, low=0.0)
    _, data, dense = _prepare(X, labels, "euclidean", noise)
    return bcr_of(data, dense, artificial_noise)


def bic(
    X: ArrayLike, labels: ArrayLike, *, artificial_noise: float = 0.0, noise: str = "exclude"
) -> float:
    """Bayesian information criterion, ln L - ½ k ln n, of one axis-parallel Gaussian per cluster.

    Parameters are those of :func:`bcr`.

    Examples
    --------
    >>> from weft.metrics import bic
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> bic(X, [0, 0, 1, 1]) > bic(X, [0, 1, 0, 1])
    True
    """
    check_real("artificial_noise", artificial_noise, low=0.0)
    _, data, dense = _prepare(X, labels, "euclidean", noise)
    return bic_of(data, dense, artificial_noise)
