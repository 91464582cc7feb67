"""EWKM and LAC: k-means whose feature weights are kept apart from 0 by their entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft._base.validation import check_choice, check_integer, check_real
from weft.estimators._blocks import is_dask
from weft.estimators._blockwise import BlockwiseMixin
from weft.estimators._centers import CenterClusterer, spread_patterns
from weft.estimators._declared import FITNESS, POSITIVE, declare
from weft.estimators._declared_centers import CENTERS, INIT, METRIC, PATTERNS, STREAM
from weft.kmeans.chunked import Table
from weft.kmeans.data import Centers, Data, center_of
from weft.kmeans.fitting import Settings, fit_family, read_settings
from weft.kmeans.streams import Stream
from weft.kmeans.weights import EntropyWeights, Rule
from weft.models.kinds import Choice, OneOf


class _EntropyFamily(BlockwiseMixin, CenterClusterer):
    """The fit that EWKM and LAC share."""

    _schema = declare(
        {
            **CENTERS,
            **METRIC,
            "inertia_": FITNESS,
            "strength_": POSITIVE,
            "anomalous_patterns_": PATTERNS,
            "_stream": STREAM,
        },
        gamma=OneOf(Choice("auto"), POSITIVE),
        h=OneOf(Choice("auto"), POSITIVE),
        init=INIT,
    )

    # The parameter that says how much the entropy counts; whether dispersions are means.
    _strength_name: str
    _averaged: bool

    def _fit(self, X: Any, sample_weight: Any) -> None:
        if is_dask(X):
            self._fit_lazy(X, sample_weight)
            return
        rows, counting, mass = self._read_fit(X, sample_weight)
        settings = self._read_settings(rows.shape[1], int(counting.sum()))
        strength = self._read_strength()
        n_clusters = int(self.n_clusters)

        def make_rule(data: Data, active: NDArray[np.bool_]) -> Rule:
            self.strength_ = strength or typical_dispersion(
                data, active, n_clusters, self._averaged
            )
            return EntropyWeights(active, self.strength_, self._averaged)

        used = rows if counting.all() else rows[counting]
        fit = fit_family(used, mass, settings, make_rule, self._generator())
        self._keep(fit, rows, counting, mass, settings.exponent)
        self.anomalous_patterns_ = spread_patterns(fit.patterns, counting)

    def _read_settings(self, n_features: int, n_rows: int) -> Settings:
        return read_settings(
            n_features,
            n_rows,
            n_clusters=check_integer("n_clusters", self.n_clusters, low=1),
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            n_jobs=self.n_jobs,
            device=self._device(n_rows, n_features),
        )

    def _read_strength(self) -> float | None:
        """Return the strength that was given; None where it comes from the data."""
        strength = getattr(self, self._strength_name)
        if isinstance(strength, str):
            check_choice(self._strength_name, strength, ("auto",))
            return None
        return check_real(self._strength_name, strength, low=0.0, open_low=True)

    def _make_rule(
        self,
        settings: Settings,
        active: NDArray[np.bool_],
        whole: Centers,
        load: float,
        table: Table | None,
    ) -> Rule:
        share = typical_share(whole.dispersions[active], load, self.n_clusters, self._averaged)
        self.strength_ = self._read_strength() or share
        return EntropyWeights(active, self.strength_, self._averaged)

    def _stream_rule(self, active: NDArray[np.bool_], stream: Stream) -> Rule:
        if self._read_strength() is None and not self._averaged:
            # EWKM compares sums over rows with its strength: it grows as they do.
            self.strength_ *= float(stream.mass.sum() / self._stream.mass.sum())
        return EntropyWeights(active, self.strength_, self._averaged)


def typical_dispersion(
    data: Data, active: NDArray[np.bool_], n_clusters: int, averaged: bool
) -> float:
    """Return the mean dispersion of a feature, were the table cut into clusters at random."""
    every = np.arange(len(data.X))
    total = center_of(data, every, np.zeros(data.X.shape[1])).dispersions[active]
    return typical_share(total, float(data.load.sum()), n_clusters, averaged)


def typical_share(dispersions: Floats, load: float, n_clusters: int, averaged: bool) -> float:
    """Return a random cluster's share of the table's dispersions, given its sum of loads."""
    share = dispersions.mean() / (load if averaged else n_clusters)
    return float(share) if share > 0.0 else 1.0


class EntropyKMeans(_EntropyFamily):
    """Entropy-weighted k-means (EWKM): feature weights per cluster, none of them ever 0.

    Minimises ``Σ_k [Σ_{i in S_k} Σ_v w_kv (x_iv - c_kv)² + γ Σ_v w_kv log w_kv]`` [1]_, with
    weights ``w_kv ∝ exp(-D_kv / γ)``, D being sums over a cluster's rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    gamma : float or "auto", default="auto"
        How much the entropy counts: the larger, the more even the weights. It is compared with
        sums over rows, so a good value grows with the data. "auto": the mean dispersion of a
        feature divided by the number of clusters.
    init : {"k-means++", "random", "scattered", "anomalous"} or array, default="k-means++"
        Start, as in `WeightedKMeans`.
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
        The γ used.
    inertia_ : float
        The criterion, entropy included.
    anomalous_patterns_ : NamedTuple or None
        As in `WeightedKMeans`.
    n_iter_ : int
        Rounds of the start that was kept.

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> EntropyKMeans:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; a Dask array or dataframe is read block by block, as in `WeightedKMeans`.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        EntropyKMeans
            The fitted estimator.
        """
        self._fit(X, sample_weight)
        return self


class LocallyAdaptiveKMeans(_EntropyFamily):
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LocallyAdaptiveKMeans:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; a Dask array or dataframe is read block by block, as in `WeightedKMeans`.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        LocallyAdaptiveKMeans
            The fitted estimator.
        """
        self._fit(X, sample_weight)
        return self
