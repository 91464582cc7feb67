"""Gaussian clusters: with full covariances that do not overlap, or round ones among noise.

J. Handl and J. Knowles, "Improvements to the scalability of multiobjective clustering",
CEC 2005: means U(-10, 10) per feature; covariances made positive definite by a dominant diagonal.
Round ones among uniform noise are the synthetic sets of de Amorim's chapter 3.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import Bunch

from weft._base.docstrings import documented
from weft._base.reading import read_generator
from weft._base.validation import check_choice, check_integer, check_real
from weft.datasets._shared import SHARED, column_names, draw_sizes
from weft.parallel.blas import one_blas_thread

FEW_CLUSTERS_SIZES = (50, 500)
MANY_CLUSTERS_SIZES = (10, 100)  # from 20 clusters on
MEAN_RANGE = (-10.0, 10.0)
MAX_REDRAWS = 10_000
BLOCK = 32


@documented(SHARED)
def make_gaussians(
    n_clusters: int,
    n_features: int,
    *,
    cluster_size: int | tuple[int, int] | None = None,
    random_state: Any = None,
) -> Bunch:
    """Draw Gaussian clusters with random full covariances, kept apart by redrawing [1]_.

    A new cluster is drawn again (mean, covariance and points, not its size) while any of its points
    is nearer to a point of an earlier cluster than to the nearest other point of its own.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at least 1.
    n_features : int
        Number of features, at least 1. All of them are relevant.
    cluster_size : int or (int, int), default=None
        Points per cluster, at least 2: one number for all, or a range from which each cluster's
        size is drawn. None means the sizes of [1]_: ``(50, 500)`` for fewer than 20 clusters,
        ``(10, 100)`` for 20 and more.

    Returns
    -------
    Bunch
        ``data`` (n, n_features), rows sorted by cluster; ``target`` (n,), the true cluster of each
        row; ``feature_names``; ``relevant`` (n_features,), all true; ``DESCR``.

    References
    ----------
    .. [1] J. Handl and J. Knowles, "Improvements to the scalability of multiobjective
       clustering", IEEE Congress on Evolutionary Computation, 2005.

    Examples
    --------
    >>> from weft.datasets import make_gaussians
    >>> gaussians = make_gaussians(4, 10, cluster_size=25, random_state=0)
    >>> gaussians.data.shape
    (100, 10)
    """
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    n_features = check_integer("n_features", n_features, low=1)
    rng = read_generator(random_state)
    sizes = draw_sizes(
        cluster_size,
        default=FEW_CLUSTERS_SIZES if n_clusters < 20 else MANY_CLUSTERS_SIZES,
        n_clusters=n_clusters,
        smallest=2,  # a single point has no neighbour in its own cluster
        rng=rng,
    )
    with one_blas_thread():
        data = draw_apart(sizes, n_features, rng)
    return Bunch(
        data=data,
        target=np.repeat(np.arange(n_clusters), sizes),
        feature_names=column_names(n_features),
        relevant=np.ones(n_features, dtype=bool),
        DESCR=(
            f"Handl-Knowles Gaussians: {len(data)} points in {n_clusters} clusters, "
            f"{n_features} features."
        ),
    )


def draw_apart(sizes: np.ndarray, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Return the points of all clusters, each redrawn until it is separate from earlier ones."""
    data = np.empty((0, n_features))
    for cluster, size in enumerate(sizes):
        for _ in range(1 + MAX_REDRAWS):
            points = draw_cluster(int(size), n_features, rng)
            if keeps_apart(points, data):
                break
        else:
            raise ValueError(
                f"cluster {cluster + 1} of n_clusters={len(sizes)} found no free place among "
                f"n_features={n_features} features in {MAX_REDRAWS} redraws; use fewer or "
                "smaller clusters, more features or another random_state."
            )
        data = np.vstack([data, points])
    return data


def draw_cluster(size: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Return the points of one Gaussian with a random mean and covariance."""
    mean = rng.uniform(*MEAN_RANGE, size=n_features)
    factor = np.linalg.cholesky(draw_covariance(n_features, rng))
    return mean + rng.standard_normal((size, n_features)) @ factor.T


def draw_covariance(n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Return a covariance (d, d), positive definite because its diagonal dominates each row."""
    upper = np.triu(rng.choice((-1.0, 1.0), size=(n_features, n_features)), k=1)
    upper *= rng.uniform(size=upper.shape) ** 2  # off the diagonal: ±U²
    covariance = upper + upper.T
    # 1 - U lies in (0, 1]: the surplus over the row's sum is never zero.
    surplus = (1.0 - rng.uniform(size=n_features)) ** 2 * (20.0 * np.sqrt(n_features))
    covariance[np.diag_indices(n_features)] = np.abs(covariance).sum(axis=1) + surplus
    return covariance


def keeps_apart(points: np.ndarray, earlier: np.ndarray) -> bool:
    """Whether each of `points` has its nearest neighbour among `points`, not among `earlier`."""
    if len(earlier) == 0:
        return True
    # An overlap mostly shows in the first few rows, so short blocks save most of the work of a
    # redraw.
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        own = cdist(block, points)
        own[np.arange(len(block)), np.arange(start, start + len(block))] = np.inf  # not itself
        if (cdist(block, earlier).min(axis=1) < own.min(axis=1)).any():
            return False
    return True


# n_samples, n_features, n_clusters, n_noise: the sets (vii)-(x), with the noise of tables 3.17-3.20
MODELS = {
    "vii": (500, 6, 5, 2),
    "viii": (500, 15, 5, 10),
    "ix": (1000, 25, 12, 25),
    "x": (1000, 50, 12, 25),
}


@documented(SHARED)
def make_noisy_gaussians(
    model: str = "viii",
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    n_clusters: int | None = None,
    n_noise: int | None = None,
    variance: float = 1.0,
    random_state: Any = None,
) -> Bunch:
    """Draw spherical Gaussian clusters and add columns of uniform noise [1]_.

    Cluster centres are drawn from N(0, 1) in each feature, clusters have equal probability, and
    noise is uniform between the smallest and the largest value of the data.

    Parameters
    ----------
    model : {"vii", "viii", "ix", "x"}, default="viii"
        Which of the thesis's models gives the numbers that are not given.
    n_samples : int, default=None
        Rows; None: the thesis's number for the model.
    n_features : int, default=None
        Features that matter; None: the model's.
    n_clusters : int, default=None
        Clusters; None: the model's.
    n_noise : int, default=None
        Columns of noise; None: the model's.
    variance : float, default=1.0
        Variance of a cluster in each feature. The thesis prints 0.1, but the accuracies it prints
        follow from about 1.0.

    Returns
    -------
    Bunch
        ``data`` (n, n_features + n_noise); ``target`` (n,); ``feature_names``; ``relevant``, false
        for columns of noise; ``DESCR``.

    References
    ----------
    .. [1] R. C. de Amorim, "Learning feature weights for K-Means clustering using the
       Minkowski metric", PhD thesis, Birkbeck, University of London, 2011.

    Examples
    --------
    >>> from weft.datasets import make_noisy_gaussians
    >>> noisy = make_noisy_gaussians("viii", random_state=0)
    >>> noisy.data.shape, int(noisy.relevant.sum())
    ((500, 25), 15)
    """
    check_choice("model", model, MODELS)
    rows, features, clusters, noise = MODELS[model]
    rows = check_integer("n_samples", rows if n_samples is None else n_samples, low=1)
    features = check_integer("n_features", features if n_features is None else n_features, low=1)
    clusters = check_integer("n_clusters", clusters if n_clusters is None else n_clusters, low=1)
    noise = check_integer("n_noise", noise if n_noise is None else n_noise, low=0)
    variance = check_real("variance", variance, low=0.0)
    rng = read_generator(random_state)
    centers = rng.standard_normal((clusters, features))
    target = rng.integers(clusters, size=rows)
    data = centers[target] + np.sqrt(variance) * rng.standard_normal((rows, features))
    extra = rng.uniform(data.min(), data.max(), size=(rows, noise))
    return Bunch(
        data=np.hstack([data, extra]),
        target=target,
        feature_names=column_names(features + noise),
        relevant=np.arange(features + noise) < features,
        DESCR=(
            f"De Amorim's Gaussians: {rows} points in {clusters} clusters of variance "
            f"{variance:g}, {features} features and {noise} columns of uniform noise."
        ),
    )
