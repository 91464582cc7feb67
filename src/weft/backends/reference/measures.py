"""Measures of a clustering, from one matrix of distances or from a Gaussian model per cluster.

Labels are 0 … K - 1; rows with a negative label are ignored.
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers


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
