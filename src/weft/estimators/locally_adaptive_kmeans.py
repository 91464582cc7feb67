"""`LocallyAdaptiveKMeans` (LAC): entropy weights on a cluster's mean dispersions."""

from __future__ import annotations

from typing import Any

from weft.estimators._entropy_family import EntropyFamily


class LocallyAdaptiveKMeans(EntropyFamily):
    """Locally adaptive clustering (LAC): entropy weights on a cluster's mean dispersions.

    Weights are ``w_kv ∝ exp(-X_kv / h)``, X being means over a cluster's rows [1]_: unlike EWKM's
    γ, a good h does not grow with the data.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    h : float or "auto", default="auto"
        The larger, the more even the weights. "auto": the mean variance of a feature.
    init : {"scattered", "k-means++", "random", "anomalous"} or array, default="scattered"
        Start; "scattered" takes rows far from each other, as LAC does.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one with the least criterion is kept.
    max_iter : int, default=300
        Largest number of rounds per start.
    tol : float, default=0.0
        Stop when at most this share of the rows changes cluster.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the rounds run; ``"auto"`` takes a GPU where there is one and the table is large
        enough to pay. Draws, blocks of Dask, batches and `predict` stay on the host.
    n_jobs : int or None, default=None
        Number of threads, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of random starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means.
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weights, each row summing to 1.
    feature_weights_ : ndarray of shape (n_features,)
        Their mean over the rows of the data.
    strength_ : float
        The h used.
    inertia_ : float
        Sum of weighted squared distances, plus h times Σ w log w.
    anomalous_patterns_ : NamedTuple or None
        As in `WeightedKMeans`.
    n_iter_ : int
        Rounds of the start that was kept.

    Notes
    -----
    The printed objective takes means over each cluster, the assignment takes single rows: it need
    not fall at every step.

    References
    ----------
    .. [1] C. Domeniconi et al., "Locally adaptive metrics for clustering high dimensional data",
       Data Mining and Knowledge Discovery 14, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import LocallyAdaptiveKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 0.1, (20, 2)), rng.normal(1, 0.1, (20, 2))]
    >>> model = LocallyAdaptiveKMeans(2).fit(np.c_[X, rng.uniform(size=40)])
    >>> np.bincount(model.labels_)
    array([20, 20])
    """

    _strength_name = "h"
    _averaged = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        h: float | str = "auto",
        init: Any = "scattered",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.h = h
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
