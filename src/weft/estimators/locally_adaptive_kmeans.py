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
    h : float or "auto", default="auto"
        The larger, the more even the weights. "auto": the mean variance of a feature.

    Attributes
    ----------
    strength_ : float
        The h used.
    inertia_ : float
        Sum of weighted squared distances, plus h times Σ w log w.

    Notes
    -----
    The published objective uses means over each cluster, but the assignment uses single rows, so
    the objective need not fall at every step.

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
