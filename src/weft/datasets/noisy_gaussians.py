"""Spherical Gaussians among uniform noise: the synthetic sets of de Amorim's chapter 3.4."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from weft._base.docstrings import documented
from weft._base.validation import check_choice, check_integer, check_real
from weft.datasets._shared import SHARED, column_names, stream

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
    rng = stream(random_state)
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
