"""Scores of answers: the adjusted Rand index with the best fitting reference labelling."""

from __future__ import annotations

import numpy as np

from weft.auto.agreement import rand_index


def each_alone(labels: np.ndarray) -> np.ndarray:
    """Return labels in which every row without a cluster (-1) is its own cluster."""
    labels = np.asarray(labels)
    outlier = labels < 0
    return np.where(outlier, labels.max(initial=-1) + np.cumsum(outlier), labels)


def best_ari(references: np.ndarray, labels: np.ndarray) -> float:
    """Return the best adjusted Rand index over reference labellings.

    Parameters
    ----------
    references : (n,) or (n, n_labellings) true labels; rows with -1 are left out of that labelling
    labels : (n,) the answer; a row with -1 counts as a cluster of its own

    Examples
    --------
    >>> best_ari([[0, 0], [0, 1], [1, 1], [1, -1]], [4, 4, 7, 7])
    1.0
    """
    references = np.asarray(references)
    columns = references[:, None] if references.ndim == 1 else references
    answer = each_alone(labels)
    scored = [column >= 0 for column in columns.T]
    return max(rand_index(c[s], answer[s]) for c, s in zip(columns.T, scored, strict=True))


def number_of_clusters(labels: np.ndarray) -> int:
    """Return the number of clusters; -1 is none."""
    labels = np.asarray(labels)
    return len(np.unique(labels[labels >= 0]))
