"""What a clustering is worth: sums over blocks of distances, and Gaussian models per cluster.

Labels are 0 … K - 1; a negative label takes the row out of everything. `root` turns a powered
distance into a distance: d = powered^(1/root).
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers


def add_cluster_sums(
    block: Floats, start: int, labels: Integers, root: float, sums: Floats
) -> None:
    """Update `sums` (K, n): the distances of rows start … to all rows, added to their cluster's."""
    for offset, powered in enumerate(block):
        if labels[start + offset] >= 0:
            sums[labels[start + offset]] += powered ** (1.0 / root)


def silhouette_rows(sums: Floats, labels: Integers, counts: Integers, out: Floats) -> None:
    """Fill `out` with (b - a) / max(a, b); 0 for singletons and where max(a, b) = 0."""
    n_clusters = len(counts)
    for i, own in enumerate(labels):
        out[i] = 0.0
        if own < 0 or counts[own] < 2 or n_clusters < 2:
            continue
        a = sums[own, i] / (counts[own] - 1)
        b = min(sums[c, i] / counts[c] for c in range(n_clusters) if c != own)
        if max(a, b) > 0.0:
            out[i] = (b - a) / max(a, b)


def silhouette_block(
    block: Floats, start: int, labels: Integers, counts: Integers, root: float, out: Floats
) -> None:
    """Fill out[start …] as `silhouette_rows` does, row by row."""
    rows = np.arange(start, start + len(block))
    sums = np.stack(
        [(block ** (1.0 / root))[:, labels == c].sum(axis=1) for c in range(len(counts))]
    )
    values = np.empty(len(block))
    silhouette_rows(sums, labels[rows], counts, values)
    out[rows] = values


def nearest_by_label_block(
    block: Floats, start: int, labels: Integers, same: Floats, other: Floats
) -> None:
    """Fill same[start …], other[start …]: powered distance to the nearest row of the own cluster
    and of any other; inf where there is none."""
    for offset, row in enumerate(block):
        i = start + offset
        same[i] = other[i] = np.inf
        if labels[i] < 0:
            continue
        mates = labels == labels[i]
        mates[i] = False
        strangers = (labels >= 0) & (labels != labels[i])
        same[i] = row[mates].min(initial=np.inf)
        other[i] = row[strangers].min(initial=np.inf)


def connectedness_rows(
    indices: Integers, distances: Floats, labels: Integers, cap: float, out: Floats
) -> None:
    """Fill `out` with Σ_k ±min(1/d(i,k), cap): plus for neighbours in the own cluster."""
    with np.errstate(divide="ignore"):
        closeness = np.minimum(1.0 / distances, cap)
    same = labels[indices] == labels[:, np.newaxis]
    signed = np.where(same, closeness, -closeness)
    signed[labels[indices] < 0] = 0.0
    out[:] = np.where(labels < 0, 0.0, signed.sum(axis=1))


def gaussian_scores(
    X: Floats,
    labels: Integers,
    n_clusters: int,
    noise: float,
    floor: Floats,
    own: Floats,
    best_other: Floats,
) -> None:
    """Fill `own` and `best_other` with log P(x|Model) P(Model), eq. 4.2's two terms.

    Each cluster is an axis-parallel Gaussian with mean and deviation (ddof 0) of its rows,
    σ := max(σ + noise, floor), weighted by its share of the rows.
    """
    n_assigned = (labels >= 0).sum()
    scores = np.full((len(X), n_clusters), -np.inf)
    for c in range(n_clusters):
        rows = X[labels == c]
        mean = rows.mean(axis=0)
        sd = np.maximum(rows.std(axis=0) + noise, floor)
        z = (X - mean) / sd
        log_density = -0.5 * (z * z + np.log(2.0 * np.pi)).sum(axis=1) - np.log(sd).sum()
        scores[:, c] = log_density + np.log(len(rows) / n_assigned)
    own[:] = best_other[:] = 0.0
    for i, label in enumerate(labels):
        if label >= 0:
            own[i] = scores[i, label]
            best_other[i] = np.delete(scores[i], label).max(initial=-np.inf)
