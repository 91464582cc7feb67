"""`EntropyKMeans` (EWKM): an entropy term keeps all feature weights above 0."""

from __future__ import annotations

from typing import Any

from weft.estimators._entropy_family import EntropyFamily


class EntropyKMeans(EntropyFamily):
    """Entropy-weighted k-means (EWKM): feature weights per cluster, all above 0.

    Minimises ``Σ_k [Σ_{i in S_k} Σ_v w_kv (x_iv - c_kv)² + γ Σ_v w_kv log w_kv]`` [1]_, with
    weights ``w_kv ∝ exp(-D_kv / γ)``, D being sums over a cluster's rows.

    Parameters
    ----------
    gamma : float or "auto", default="auto"
        Strength of the entropy term: the larger, the more even the weights. It is compared with
        sums over rows, so a good value grows with the number of rows. "auto": the mean dispersion
        of a feature divided by the number of clusters.

    Attributes
    ----------
    strength_ : float
        The γ used.
    inertia_ : float
        The criterion, entropy included.

    References
    ----------
    .. [1] L. Jing, M. Ng, J. Huang, "An entropy weighting k-means algorithm for subspace
       clustering of high-dimensional sparse data", IEEE TKDE 19, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import EntropyKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 0.1, (20, 2)), rng.normal(1, 0.1, (20, 2))]
    >>> X = np.c_[X, rng.uniform(size=40)]
    >>> model = EntropyKMeans(2, random_state=0).fit(X)
    >>> np.bincount(model.labels_)
    array([20, 20])
    """

    _strength_name = "gamma"
    _averaged = False

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: float | str = "auto",
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
