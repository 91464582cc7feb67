"""The internal measures on the `Spaces` of any backend, as the search calls them.

Formulas and conventions are those of the public functions in :mod:`weft.metrics.internal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weft._base.arrays import Floats, Integers
from weft.backends.spaces import Array, Spaces


def combine_csc(silhouette: Any, connectedness: Any) -> Any:
    """Multiply the two; the result is negative if at least one is (section 4.4.2)."""
    negative = (silhouette < 0.0) | (connectedness < 0.0)
    return abs(silhouette * connectedness) * (1.0 - 2.0 * negative)


def bcr_of(spaces: Spaces, labels: Array, noise: float) -> Array:
    """Return the Bayes clustering ratio (P,), eq. 4.2; 0 where there are not two clusters."""
    own, best_other = spaces.gaussian_scores(labels, noise)
    ratio = (own - best_other).sum(axis=1)
    return spaces.xp.where(spaces.count_clusters(labels) < 2.0, 0.0, ratio)


def bic_of(spaces: Spaces, labels: Array, noise: float) -> Array:
    """Return ln L - ½ k ln n (P,) with a mean, a deviation per feature, a share per cluster."""
    xp = spaces.xp
    own, _ = spaces.gaussian_scores(labels, noise)
    n_clusters, n_rows = spaces.count_clusters(labels), spaces.count_labelled(labels)
    n_parameters = n_clusters * 2 * spaces.n_columns + n_clusters - 1
    value = own.sum(axis=1) - 0.5 * n_parameters * xp.log(xp.clip(n_rows, 1.0, None))
    return xp.where(n_rows == 0.0, 0.0, value)


def dense_labels(labels: ArrayLike, *, noise: str = "exclude") -> Integers:
    """Renumber labels 0 … K-1; -1 stays (``"exclude"``) or becomes a cluster (``"cluster"``)."""
    given = np.asarray(labels)
    if noise == "cluster":
        return np.unique(given, return_inverse=True)[1].astype(np.int64)
    out = np.full(len(given), -1, dtype=np.int64)
    assigned = given != -1
    out[assigned] = np.unique(given[assigned], return_inverse=True)[1]
    return out


def edges_between(labels: Integers, neighbours: Integers) -> Floats:
    """Return the edges between each two clusters (K, K), symmetric; each counts from both ends."""
    n_clusters = int(labels.max()) + 1
    source = np.repeat(labels, neighbours.shape[1])
    flat = source * n_clusters + labels[neighbours].ravel()
    edges = np.bincount(flat, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    return (edges + edges.T).astype(np.float64)


def modularity_of(labels: Integers, neighbours: Integers) -> float:
    """Return the share of edges inside clusters, minus the share expected by chance.

    Newman and Girvan 2004. One cluster has 0; two halves at most 1/2, K equal clusters at most
    1 - 1/K. So two clusters cannot win if more clusters are well separated.
    """
    edges = edges_between(labels, neighbours)
    total = edges.sum()
    return float(np.trace(edges) / total - ((edges.sum(axis=1) / total) ** 2).sum())
