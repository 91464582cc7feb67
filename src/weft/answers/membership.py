"""How likely each row is to belong to each cluster.

    s_k   how far a row is from cluster k, in the metric that was learned
    p_k = (1 − ε) · (s_min / s_k)^γ / Z_γ + ε · (s_min / s_k)^δ / Z_δ        γ > δ > 0

s_k is the distance to the nearest anchor of cluster k (or to its centre): 1 / s^q estimates a
density in q dimensions, so that p is a ratio of densities. One exponent alone cannot be right both
at a border and far inside a cluster. The second, flat term is the probability that a row is wrong
although it looks certain, mostly because the clustering itself is wrong. γ, δ and ε follow from how
sure the clustering is and from the dimension of the rows; their constants were fitted to known
classes of synthetic tables (docs/decisions/0335).

Only ratios of distances count, so the units of the table do not matter. The nearest cluster is
always the most likely one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Integers

N_TOP = 4  # clusters of each row that a sparse membership keeps
# log γ = a + b c + d log q, with c the log odds that the clustering is right and q the dimension;
# log δ = a + d log q; the log odds of ε = a + b c. Fitted by log loss on 92 synthetic tables.
_SHARP = (1.456, 0.217, 0.623)
_FLAT = (-1.188, -0.863)
_DOUBT = (-1.614, -0.607)
# The same for distances to centres, on 50 of these tables.
_CENTER_SHARP = (0.975, 0.167)
_CENTER_FLAT = 0.241
_CENTER_DOUBT = 0.083
_SUREST = 0.98  # higher confidences are cut to this value


class Membership(NamedTuple):
    """The most likely clusters of each row.

    Attributes
    ----------
    clusters : ndarray of shape (n, k)
        Clusters, the most likely first.
    probabilities : ndarray of shape (n, k)
        Their probabilities. With more than k clusters a row's sum is less than 1: the rest
        belongs to clusters that are not listed.
    n_clusters : int
        Total number of clusters.
    """

    clusters: np.ndarray
    probabilities: np.ndarray
    n_clusters: int

    def to_csr(self) -> Any:
        """Return the probabilities as a sparse array of shape (n, n_clusters)."""
        n, k = self.clusters.shape
        rows = np.repeat(np.arange(n), k)
        cells = (self.probabilities.ravel(), (rows, self.clusters.ravel()))
        return sparse.csr_array(cells, shape=(n, self.n_clusters))

    def to_dense(self) -> Floats:
        """Return the probabilities as an array of shape (n, n_clusters)."""
        return self.to_csr().toarray()


class Softness(NamedTuple):
    """How distances become probabilities; see the head of this module."""

    sharp: float  # γ
    flat: float  # δ
    doubt: float  # ε


def softness_of(confidence: float | None, dimension: float) -> Softness:
    """Return how distances of anchors become probabilities.

    Parameters
    ----------
    confidence : float or None
        The probability that the clustering is right; None: unknown, taken as one half.
    dimension : float
        Dimension of the set that the rows lie on.
    """
    sure = 0.5 if confidence is None or np.isnan(confidence) else confidence
    sure = float(np.clip(sure, 1.0 - _SUREST, _SUREST))
    odds, size = np.log(sure / (1.0 - sure)), np.log(max(dimension, 1.0))
    sharp = np.exp(_SHARP[0] + _SHARP[1] * odds + _SHARP[2] * size)
    flat = np.exp(_FLAT[0] + _FLAT[1] * size)
    doubt = 1.0 / (1.0 + np.exp(-(_DOUBT[0] + _DOUBT[1] * odds)))
    return Softness(float(sharp), float(flat), float(doubt))


def center_softness(weights: Floats) -> Softness:
    """Return how distances to centres become probabilities, given weights (K, M) of columns.

    Such a clustering has no confidence, so a constant is used instead. The dimension is
    the number of columns that count: (Σ w)² / Σ w², in the mean over clusters.
    """
    finite = np.where(np.isfinite(weights), weights, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        squares = (finite**2).sum(axis=1)
        usable = (squares > 0.0) & np.isfinite(squares)
        counted = np.where(usable, finite.sum(axis=1) ** 2 / squares, 1.0)
    size = np.log(max(float(counted.mean()), 1.0))
    return Softness(
        float(np.exp(_CENTER_SHARP[0] + _CENTER_SHARP[1] * size)), _CENTER_FLAT, _CENTER_DOUBT
    )


def soften(distances: Floats, softness: Softness, labels: Integers | None = None) -> Floats:
    """Return probabilities (n, K) from distances (n, K); rows sum to 1.

    Parameters
    ----------
    distances : ndarray of shape (n, K)
        Of each row to each cluster, at least 0. Infinite distances count as the largest float64.
    softness : Softness
        How they become probabilities.
    labels : ndarray of shape (n,), default=None
        Clusters that must be the most likely ones, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.answers.membership import Softness, soften
    >>> soften(np.array([[1.0, 2.0]]), Softness(1.0, 1.0, 0.0)).round(3).tolist()
    [[0.667, 0.333]]
    """
    distances = np.minimum(distances, np.finfo(np.float64).max)
    # A row that equals another is not infinitely nearer to it.
    distances = np.maximum(distances, 1e-6 * distances.max(axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(distances / distances.min(axis=1, keepdims=True))
    logs[np.isnan(logs)] = 0.0  # rows at distance 0 from all clusters
    probabilities = (1.0 - softness.doubt) * _shares(logs, softness.sharp)
    probabilities += softness.doubt * _shares(logs, softness.flat)
    return probabilities if labels is None else with_labels_first(probabilities, labels)


def _shares(logs: Floats, power: float) -> Floats:
    shares = np.exp(-power * logs)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def with_labels_first(probabilities: Floats, labels: Integers) -> Floats:
    """Return the nearest probabilities in which each row's label is the most likely cluster.

    If another cluster is more likely than the row's own, both get the mean of their probabilities,
    and the row's own cluster a tiny bit more.
    """
    out = probabilities.copy()
    places = np.flatnonzero(labels >= 0)
    for place in places[out[places].argmax(axis=1) != labels[places]]:
        row, own = out[place], labels[place]
        total, shared = row[own], [int(own)]
        for other in np.argsort(-row, kind="stable"):
            if other == own or row[other] < total / len(shared):
                break
            total += row[other]
            shared.append(int(other))
        row[shared] = total / len(shared) * (1.0 - 1e-9)
        row[own] += 1e-9 * total
    return out


def most_likely(probabilities: Floats, n_top: int = N_TOP) -> Membership:
    """Return the `n_top` most likely clusters of each row."""
    n_clusters = probabilities.shape[1]
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :n_top]
    kept = np.take_along_axis(probabilities, order, axis=1)
    return Membership(order.astype(np.int32), kept.astype(np.float32), n_clusters)
