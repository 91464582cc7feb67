"""MWK-Means at β = 1 beside a second implementation: what the choice of a median decides."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris, load_wine

from weft import RangeScaler, WeightedKMeans


def lower_median(rows, axis):
    return np.sort(rows, axis=axis)[(len(rows) - 1) // 2]


def mwk_at_one(X, centers, median):
    """Return the labels: weighted city-block distances, medians, all weight on the least D."""
    n_clusters, n_features = centers.shape
    weights = np.full(centers.shape, 1.0 / n_features)
    labels = np.full(len(X), -1)
    for _ in range(100):
        placed = (weights * np.abs(X[:, None] - centers)).sum(axis=2).argmin(axis=1)
        if (placed == labels).all():
            break
        labels = placed
        centers = np.array([median(X[labels == k], axis=0) for k in range(n_clusters)])
        spread = [np.abs(X[labels == k] - centers[k]).sum(axis=0) for k in range(n_clusters)]
        weights = np.eye(n_features)[np.argmin(spread, axis=1)]
    return labels


def test_labels_at_one_depend_on_the_median_of_an_even_number_of_rows():
    same = {"middle": 0, "lower": 0}
    n_runs = 0
    for found in (load_iris(), load_wine()):
        X = RangeScaler().fit_transform(found.data)
        for seed in range(12):
            start = X[np.random.default_rng(seed).choice(len(X), 3, replace=False)]
            labels = WeightedKMeans(3, distance_exponent=1.0, init=start).fit(X).labels_
            n_runs += 1
            for name, median in (("middle", np.median), ("lower", lower_median)):
                same[name] += int((mwk_at_one(X, start, median) == labels).all())
    # weft takes the mean of the two middle values; every value between them minimises the sum.
    assert same["middle"] == n_runs
    assert same["lower"] < n_runs
