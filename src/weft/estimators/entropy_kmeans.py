"""`EntropyKMeans` (EWKM), `LocallyAdaptiveKMeans` (LAC): an entropy term keeps weights above 0."""

from __future__ import annotations

from typing import Any

from weft._base.arrays import Mask
from weft._base.validation import check_integer
from weft.estimators._blocks import is_dask
from weft.estimators._blockwise import BlockwiseMixin
from weft.estimators._centers import CenterClusterer
from weft.estimators._declared import FITNESS, POSITIVE, declare
from weft.estimators._declared_centers import CENTERS, INIT, METRIC, PATTERNS, STREAM
from weft.kmeans.chunked import Table
from weft.kmeans.data import Centers, Data
from weft.kmeans.fitting import Settings
from weft.kmeans.streams import Stream
from weft.kmeans.weights import EntropyWeights, Rule, typical_dispersion, typical_share
from weft.models.kinds import Choice, OneOf


class EntropyFamily(BlockwiseMixin, CenterClusterer):
    """Base of `EntropyKMeans` and `LocallyAdaptiveKMeans`."""

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
    n_clusters: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of `X`; a Dask table is read block by block, as in `WeightedKMeans`."""
        if is_dask(X):
            self._fit_lazy(X, sample_weight)
            return self
        table = self._read_fit(X, sample_weight)
        settings = self._read_settings(table[0].shape[1], int(table[1].sum()))
        strength = self._read_strength()
        n_clusters = int(self.n_clusters)

        def make_rule(data: Data, active: Mask) -> Rule:
            self.strength_ = strength or typical_dispersion(
                data, active, n_clusters, self._averaged
            )
            return EntropyWeights(active, self.strength_, self._averaged)

        self._alternate(table, settings, make_rule, self._generator())
        return self

    def _read_settings(self, n_features: int, n_rows: int) -> Settings:
        check_integer("n_clusters", self.n_clusters, low=1)
        return super()._read_settings(n_features, n_rows)

    def _read_strength(self) -> float | None:
        """Return the strength that was given; None where it comes from the data."""
        strength = getattr(self, self._strength_name)
        return None if isinstance(strength, str) else float(strength)

    def _make_rule(
        self, settings: Settings, active: Mask, whole: Centers, load: float, table: Table | None
    ) -> Rule:
        share = typical_share(whole.dispersions[active], load, self.n_clusters, self._averaged)
        self.strength_ = self._read_strength() or share
        return EntropyWeights(active, self.strength_, self._averaged)

    def _stream_rule(self, active: Mask, stream: Stream) -> Rule:
        if self._read_strength() is None and not self._averaged:
            # EWKM compares sums over rows with its strength: it grows as they do.
            self.strength_ *= float(stream.mass.sum() / self._stream.mass.sum())
        return EntropyWeights(active, self.strength_, self._averaged)


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
        ``Σ_k Σ_v (w_kv X_kv + h w_kv log w_kv)``.

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
