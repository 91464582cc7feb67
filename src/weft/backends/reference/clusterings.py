"""Distances between rows, the clusterings of feature search, and their scores.

========  ======  ==========================================================================
symbol    shape   meaning
========  ======  ==========================================================================
columns   (m, n)  weighted columns, dropped features left out: ``columns[f, i]`` is c_f · x_if
p         (m,)    exponent of each feature; None: 2 for all
S         (n, n)  similarity, minus the squared distance; the preference on the diagonal
R         (n, n)  responsibility: how well k suits i, against the best other candidate
A         (n, n)  availability: how much others support k
========  ======  ==========================================================================

A powered distance is the sum *before* the root. Most functions use only the order of distances, so
distances may be powered or not. Ties go to the row that comes first, and clusters are numbered by
their first row, 0 … K - 1; rows with a negative label are ignored.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row


def powered_distances(columns: Floats, exponents: Floats | None = None) -> Floats:
    """Return Σ_f |x_if - x_jf|^p_f of all rows, (n, n): eq. 5.1 or 6.1 before its root.

    Each pair is summed over the features in their order.
    """
    n_rows = columns.shape[1]
    out = np.zeros((n_rows, n_rows))
    for feature, column in enumerate(columns):
        gap = np.abs(column[np.newaxis, :] - column[:, np.newaxis])
        out += gap * gap if exponents is None else gap ** exponents[feature]
    return out


def nearest_rows(distances: Floats, k: int) -> tuple[Integers, Floats]:
    """Return the k nearest other rows of each row, and their distances, (n, k) each."""
    order = np.argsort(distances, axis=1, kind="stable")
    others = order[order != np.arange(len(order))[:, np.newaxis]].reshape(len(order), -1)
    indices = others[:, :k]
    return indices, np.take_along_axis(distances, indices, axis=1)


def graph_components(indices: Integers) -> Integers:
    """Return the components of the undirected graph of nearest rows (n, k)."""
    n_rows, k = indices.shape
    tails = np.repeat(np.arange(n_rows), k)
    graph = coo_array((np.ones(n_rows * k), (tails, indices.ravel())), shape=(n_rows, n_rows))
    return number_by_first_row(connected_components(graph, directed=False)[1])


def dbscan(distances: Floats, radius: float, min_samples: int) -> tuple[Integers, Mask]:
    """Return labels, -1 for noise, and which rows are core rows.

    A border row joins its nearest core row's cluster.
    """
    near = distances <= radius
    core = near.sum(axis=1) >= min_samples
    parent = np.arange(len(distances))
    for row in np.flatnonzero(core):
        for mate in np.flatnonzero(near[row] & core):
            parent[parent == parent[mate]] = parent[row]
    nearest = np.where(near & core, distances, np.inf).argmin(axis=1)
    reached = np.where(core, np.arange(len(distances)), nearest)
    labels = np.where((near & core).any(axis=1), parent[reached], -1)
    return number_by_first_row(labels), core


def complete_linkage(distances: Floats, n_clusters: int) -> Integers:
    """Return labels; the two clusters with the smallest maximum distance are merged first."""
    distances = distances.copy()
    n_rows = len(distances)
    labels = np.arange(n_rows)  # each row's cluster, named by its first row
    np.fill_diagonal(distances, np.inf)
    for _ in range(n_rows - n_clusters):
        i, j = sorted(divmod(int(distances.argmin()), n_rows))
        farthest = np.maximum(distances[i], distances[j])
        distances[i, :] = distances[:, i] = farthest
        distances[i, i] = np.inf
        distances[j, :] = distances[:, j] = np.inf
        labels[labels == j] = i
    return number_by_first_row(labels)


def affinity_propagation(
    S: Floats, damping: float, max_iter: int, patience: int
) -> tuple[Integers, bool]:
    """Return the exemplar of each row (Frey and Dueck 2007), and whether the messages converged.

    They have converged if the set of exemplars is not empty and has not changed for `patience`
    rounds. Without exemplars all rows have -1.
    """
    n_rows = len(S)
    R, A = np.zeros(S.shape), np.zeros(S.shape)
    rows = np.arange(n_rows)
    last, stood, settled = np.zeros(n_rows, dtype=bool), 0, False
    for _ in range(max_iter):
        candidate = A + S
        first = candidate.argmax(axis=1)
        largest = candidate[rows, first]
        candidate[rows, first] = -np.inf
        rival = np.repeat(largest[:, np.newaxis], n_rows, axis=1)
        rival[rows, first] = candidate.max(axis=1)
        R = damping * R + (1.0 - damping) * (S - rival)
        positive = np.maximum(R, 0.0)
        np.fill_diagonal(positive, R.diagonal())
        support = positive.sum(axis=0)[np.newaxis, :] - positive
        own = support.diagonal().copy()
        support = np.minimum(support, 0.0)
        np.fill_diagonal(support, own)
        A = damping * A + (1.0 - damping) * support
        exemplar = (A.diagonal() + R.diagonal()) > 0.0
        stood = stood + 1 if np.array_equal(exemplar, last) else 1
        last = exemplar
        if stood >= patience and exemplar.any():
            settled = True
            break
    return assign_exemplars(S, last), settled


def assign_exemplars(S: Floats, exemplar: Mask) -> Integers:
    """Return each row's most similar exemplar, after each cluster has chosen its best one."""
    chosen = np.flatnonzero(exemplar)
    if len(chosen) == 0:
        return np.full(len(S), -1)
    for refine in (True, False):
        nearest = chosen[S[:, chosen].argmax(axis=1)]
        nearest[chosen] = chosen
        if refine:
            clusters = (np.flatnonzero(nearest == k) for k in chosen)
            chosen = np.array([own[S[np.ix_(own, own)].sum(axis=0).argmax()] for own in clusters])
    return nearest


def break_ties(S: Floats) -> Floats:
    """Return `S` with each entry moved by a few rounding steps, given by a hash of its position.

    Otherwise equal rows would choose each other as exemplars and never converge. A hash instead of
    random draws makes the result a function of the distances alone.
    """
    i, j = np.indices(S.shape, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = i * np.uint64(0x9E3779B97F4A7C15) + j * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    unit = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
    step, least = (2.0**-17, 1e-37) if S.itemsize == 4 else (2.0**-46, 1e-300)
    return S + ((step * S.astype(np.float64) - least) * unit).astype(S.dtype)


def silhouette_rows(distances: Floats, labels: Integers) -> Floats:
    """Return (b - a) / max(a, b) of each row; 0 for singletons and where max(a, b) = 0."""
    out = np.zeros(len(labels))
    counts = np.bincount(labels[labels >= 0])
    for i, own in enumerate(labels):
        if own < 0 or counts[own] < 2 or len(counts) < 2:
            continue
        sums = np.array([distances[i, labels == c].sum() for c in range(len(counts))])
        a = sums[own] / (counts[own] - 1)
        b = np.delete(sums / counts, own).min()
        if max(a, b) > 0.0:
            out[i] = (b - a) / max(a, b)
    return out


def nearest_by_label(distances: Floats, labels: Integers) -> tuple[Floats, Floats]:
    """Return the distance to the nearest row of the own cluster, and to that of any other.

    inf where there is none.
    """
    labelled = (labels >= 0) & (labels >= 0)[:, np.newaxis]
    mates = labels == labels[:, np.newaxis]
    others = labelled & ~mates
    mates = labelled & mates & ~np.eye(len(labels), dtype=bool)
    same, other = (np.where(each, distances, np.inf).min(axis=1) for each in (mates, others))
    return same, other


def connectedness_rows(
    indices: Integers, distances: Floats, labels: Integers, cap: float
) -> Floats:
    """Return Σ_k ±min(1/d(i,k), cap) of each row: plus for neighbours in the own cluster."""
    with np.errstate(divide="ignore"):
        closeness = np.minimum(1.0 / distances, cap)
    same = labels[indices] == labels[:, np.newaxis]
    signed = np.where(same, closeness, -closeness)
    signed[labels[indices] < 0] = 0.0
    return np.where(labels < 0, 0.0, signed.sum(axis=1))


def gaussian_scores(
    X: Floats, labels: Integers, noise: float, floor: Floats
) -> tuple[Floats, Floats]:
    """Return log P(x|Model) P(Model) of the own cluster and of the best other one: eq. 4.2.

    Each cluster is an axis-parallel Gaussian with mean and deviation (ddof 0) of its rows,
    σ := max(σ + noise, floor), weighted by its share of the rows.
    """
    labelled = labels >= 0
    scores = np.full((len(X), labels.max(initial=-1) + 1), -np.inf)
    for c in range(scores.shape[1]):
        rows = X[labels == c]
        sd = np.maximum(rows.std(axis=0) + noise, floor)
        z = (X - rows.mean(axis=0)) / sd
        log_density = -0.5 * (z * z + np.log(2.0 * np.pi)).sum(axis=1) - np.log(sd).sum()
        scores[:, c] = log_density + np.log(len(rows) / labelled.sum())
    own, best_other = np.zeros((2, len(X)))
    for i in np.flatnonzero(labelled):
        own[i] = scores[i, labels[i]]
        best_other[i] = np.delete(scores[i], labels[i]).max(initial=-np.inf)
    return own, best_other
