"""Partitions and weights of a whole swarm over one table, written like the definitions.

========  ==========  ==============================================================
symbol    shape       meaning
========  ==========  ==============================================================
X         (n, M)      the table minus its column means
f         (P, K, M)   factors of the squared differences
z         (P, K, M)   centres
D         (P, K, M)   sums of squares around the centres
========  ==========  ==============================================================

The backend holds the partitions while they are improved: `hold` stores labels (P, n), `fetch`
returns them, and `live` selects the partitions of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from weft._base.arrays import Floats, Integers, Labels, Mask
from weft.parallel.threads import Runner

Csr = tuple[Floats, Any, Any]  # data, indices, indptr of n sparse rows


class Summary(NamedTuple):
    """Input of the closed-form steps of P partitions."""

    sizes: Floats  # (P, K)
    centers: Floats  # (P, K, M)
    spread: Floats  # (P, K, M), D


def load(X: Floats, n_clusters: int, run: Runner, device: str) -> tuple[Floats, int]:
    """Return the table ready for a swarm of partitions into this many clusters."""
    return X, n_clusters


def hold(table: tuple[Floats, int], labels: Labels) -> Labels:
    """Return partitions that `reassign` may change."""
    return labels.copy()


def fetch(partitions: Labels) -> Labels:
    """Return the partitions as labels (P, n)."""
    return partitions


def summarise(table: tuple[Floats, int], partitions: Labels, live: Integers) -> Summary:
    """Return sizes, centres and dispersions of the clusters of some partitions (eq. 17)."""
    X, n_clusters = table
    sizes = np.empty((len(live), n_clusters))
    centers, spread = np.empty((2, len(live), n_clusters, X.shape[1]))
    for particle, labels in enumerate(partitions[live]):
        for cluster in range(n_clusters):
            members = X[labels == cluster]
            sizes[particle, cluster] = len(members)
            center = members.sum(axis=0) / max(len(members), 1)
            centers[particle, cluster] = center
            spread[particle, cluster] = ((members - center) ** 2).sum(axis=0)
    return Summary(sizes, centers, spread)


def summary_of(totals: Floats, sizes: Floats) -> Summary:
    """Return the summary of sums (P, K, 2M) of squares and values over each cluster's rows."""
    squares, sums = np.split(totals, 2, axis=2)
    centers = sums / np.maximum(sizes, 1.0)[..., np.newaxis]
    return Summary(sizes, centers, np.maximum(squares - centers * sums, 0.0))


def assign(
    table: tuple[Floats, int], factors: Floats, centers: Floats, dead: Mask, exact: bool
) -> tuple[Labels, Floats]:
    """Return each row's nearest active centre for each particle, and Σ_j f (x - z)², (P, n).

    A backend may give the distances up to a factor per particle, and in single precision unless
    `exact`.
    """
    gaps = (table[0][:, np.newaxis, np.newaxis] - centers) ** 2  # (n, P, K, M)
    distances = (gaps * factors).sum(axis=3)
    distances[:, dead] = np.inf
    return distances.argmin(axis=2).T.astype(np.int32), distances.min(axis=2).T


def reassign(
    table: tuple[Floats, int],
    partitions: Labels,
    live: Integers,
    factors: Floats,
    centers: Floats,
    dead: Mask,
    exact: bool,
) -> Mask:
    """Assign the rows of some partitions to their nearest centres; return which partitions changed.

    A cluster without rows gets the row with the largest cost, see `refill`.
    """
    labels, cost = assign(table, factors, centers, dead, exact)
    return put_refilled(partitions, live, labels, cost, table[1])


def put_refilled(
    partitions: Labels, live: Integers, labels: Labels, cost: Floats, n_clusters: int
) -> Mask:
    """Refill empty clusters, store the labels in some partitions, and return which changed."""
    for own, own_cost in zip(labels, cost, strict=True):
        refill(own, own_cost, n_clusters)
    changed: Mask = (labels != partitions[live]).any(axis=1)
    partitions[live[changed]] = labels[changed]
    return changed


def refill(labels: Labels, cost: Floats, n_clusters: int) -> None:
    """Give each empty cluster the row with the largest cost that is not alone in its own.

    Rows with cost 0 stay: with fewer distinct rows than clusters some remain empty.
    """
    counts = np.bincount(labels, minlength=n_clusters)
    for cluster in np.flatnonzero(counts == 0):
        cost = np.where(counts[labels] > 1, cost, 0.0)
        row = int(cost.argmax())
        if cost[row] <= 0.0:
            return
        counts[labels[row]] -= 1
        counts[cluster] += 1
        labels[row] = cluster


def squared_distances(table: tuple[Floats, int], rows: Integers) -> Floats:
    """Return squared distances of some rows to all rows, in the form that `draw_next` takes."""
    X = table[0]
    return np.array([((X - X[row]) ** 2).sum(axis=1) for row in rows])


def distances_from_products(norms: Floats, rows: Integers, products: Floats) -> Floats:
    """Return squared distances of `rows` to all rows from their inner products; not below 0."""
    out = norms[rows, np.newaxis] + norms - 2.0 * products
    np.maximum(out, 0.0, out=out)
    out[np.arange(len(rows)), rows] = 0.0
    return out


def draw_next(
    nearest: Floats, draws: Floats, distances_to: Callable[[Integers], Floats]
) -> tuple[Integers, Floats]:
    """Return the next row of each particle's k-means++ start (P,), and the new distances.

    `nearest` (P, n) are squared distances to the nearest row drawn before; `draws` (P, trials)
    are uniform in [0, 1). A row is drawn with probability proportional to its squared distance. Of
    the trials, the one with the smallest sum of distances is chosen.
    """
    n_particles, n_rows = nearest.shape
    particles = np.arange(n_particles)
    reach = np.cumsum(nearest, axis=1)
    aims = draws * reach[:, -1:]
    candidates = np.empty(draws.shape, dtype=np.int64)
    for p in particles:
        candidates[p] = np.searchsorted(reach[p], aims[p], side="right")
    candidates = np.minimum(candidates, n_rows - 1)  # all distances 0, or rounding at the end
    offered = distances_to(candidates.ravel()).reshape(*draws.shape, n_rows)
    np.minimum(offered, nearest[:, np.newaxis], out=offered)
    best = offered.sum(axis=2).argmin(axis=1)
    return candidates[particles, best], offered[particles, best]


def sparse_products(csr: Csr, columns: Floats) -> Floats:
    """Return the inner products of sparse rows and `columns` (M, K), (n, K)."""
    return csr_array(csr, shape=(len(csr[2]) - 1, len(columns))) @ columns


def sparse_totals(csr: Csr, labels: Labels, n_clusters: int, n_features: int) -> Floats:
    """Return the sums of the sparse rows of each cluster, (K, M); `labels` is (n,)."""
    rows = csr_array(csr, shape=(len(labels), n_features))
    return np.stack([rows[np.flatnonzero(labels == k)].sum(axis=0) for k in range(n_clusters)])
