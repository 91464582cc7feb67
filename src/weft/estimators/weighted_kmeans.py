"""Weighted k-means under a Minkowski metric: one class for the whole family of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Integers
from weft._base.records import Merge
from weft.choosing.exponent import choose_exponent
from weft.estimators._blocks import is_dask
from weft.estimators._blockwise import BlockwiseMixin
from weft.estimators._centers import CenterClusterer, counted
from weft.estimators._declared import FITNESS, MATRIX, VECTOR, declare
from weft.estimators._declared_centers import CENTERS, INIT, METRIC, PATTERNS, START, STREAM
from weft.estimators._moved_params import Moved, MovedParamsMixin
from weft.kmeans.anomalous import read_anomalous
from weft.kmeans.chunked import Table
from weft.kmeans.data import Centers, Data
from weft.kmeans.fitting import Settings
from weft.kmeans.sampling import Sample, draw_sample
from weft.kmeans.streams import Stream
from weft.kmeans.weights import PowerWeights, Rule, Unweighted
from weft.models.kinds import Choice, ListOf, Number, OneOf
from weft.tables.plan import TablePlan


class WeightedKMeans(MovedParamsMixin, BlockwiseMixin, CenterClusterer):
    """K-means that learns a weight per cluster and feature, under a Minkowski metric.

    Minimises ``Σ_k Σ_{i in S_k} Σ_v w_kv^β |x_iv - c_kv|^p`` over clusters, centres and weights in
    turn [1]_. The methods of the family:

    ============  ===================================================================
    K-Means       ``WeightedKMeans(k, weights=None, init="random", n_init=1)``
    WK-Means      ``WeightedKMeans(k, distance_exponent=2, weight_exponent=b,``
                  ``init="random", init_weights="random", n_init=1)``
    MWK-Means     ``WeightedKMeans(k, distance_exponent=b, init="random",``
                  ``init_weights="random", n_init=1)``
    iK-Means      ``WeightedKMeans(k, weights=None)``
    iWK-Means     ``WeightedKMeans(k, distance_exponent=2, weight_exponent=b)``
    iMWK-Means    ``WeightedKMeans(k, distance_exponent=b)``
    ============  ===================================================================

    ``weights="global"`` with ``distance_exponent=2`` is Huang's W-k-means.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters. None: the number of anomalous patterns of at least two rows (or of
        ``min_cluster_size`` rows, set in `AnomalousStart`); needs a start from such patterns.
    weight_exponent : float, "same" or "auto", default="same"
        The power β of the weights, at least 1; "same" uses p, so that weights are factors that
        rescale the features. At 1 each cluster keeps a single feature. "auto" tries 1.0, 1.1, …,
        5.0 (42 fits) and takes the value whose clusters explain most of each single feature; see
        :func:`weft.choose_exponent` for the evidence and for other ways.
    weights : {"cluster", "global", None}, default="cluster"
        Weights for each cluster, one set for all, or none.
    init_weights : {"auto", "uniform", "random"} or array, default="auto"
        Weights to start from. "auto": those of the anomalous patterns if the start uses them, equal
        weights otherwise. "random" is what the thesis does for WK- and MWK-Means.
    allow_nan : bool, default=False
        Accept missing values (NaN): distances use the observed features, times M / number observed.

    Attributes
    ----------
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weights, each row summing to 1; equal rows unless ``weights="cluster"``.
    weight_exponent_ : float
        The power of the weights that was used.

    See Also
    --------
    EntropyKMeans : Weights kept above 0 by an entropy term.
    ConstrainedKMeans : Pairs of rows that must, or must not, share a cluster.
    RangeScaler : The scaling that the thesis uses.

    Notes
    -----
    A feature that is constant in the whole table gets weight 0. An empty cluster takes the row with
    the largest cost.

    In a raw table (a DataFrame with categories, dates or missing values), the coordinates of one
    source column share a weight; ``source_weights_`` has one weight for each column of the table.

    References
    ----------
    .. [1] R. C. de Amorim, "Learning feature weights for K-Means clustering using the
       Minkowski metric", PhD thesis, Birkbeck, University of London, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import WeightedKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 0.1, (20, 2)), rng.normal(1, 0.1, (20, 2))]
    >>> X = np.c_[X, rng.uniform(size=40)]  # the third feature is noise
    >>> model = WeightedKMeans(2, distance_exponent=1.5).fit(X)
    >>> np.bincount(model.labels_)
    array([20, 20])
    >>> bool(model.feature_weights_[2] < 0.2)
    True
    """

    _records: ClassVar[Mapping[str, Merge]] = {"init": START}
    _moved = (Moved(("min_cluster_size", "pattern_offset"), "init", START),)
    _schema = declare(
        {
            **CENTERS,
            **METRIC,
            "inertia_": FITNESS,
            "weight_exponent_": Number(low=1.0),
            "anomalous_patterns_": PATTERNS,
            "_stream": STREAM,
        },
        weight_exponent=OneOf(Choice("same", "auto"), Number(low=1.0)),
        weights=Choice("cluster", "global", None),
        init=INIT,
        init_weights=OneOf(Choice("auto", "uniform", "random"), MATRIX, ListOf(Number()), VECTOR),
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distance_exponent: float = 2.0,
        weight_exponent: float | str = "same",
        weights: str | None = "cluster",
        init: Any = "anomalous",
        init_weights: Any = "auto",
        n_init: int | str = "auto",
        dispersion_offset: float | str = "mean",
        allow_nan: bool = False,
        max_iter: int = 300,
        tol: float = 0.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_exponent = distance_exponent
        self.weight_exponent = weight_exponent
        self.weights = weights
        self.init = init
        self.init_weights = init_weights
        self.n_init = n_init
        self.dispersion_offset = dispersion_offset
        self.allow_nan = allow_nan
        self.max_iter = max_iter
        self.tol = tol
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> WeightedKMeans:
        """Cluster the rows of `X`.

        A row with weight 2 counts like two equal rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, best scaled (see `RangeScaler`). A Dask array or dataframe is read block by block
            in each round. The starts are compared on a weighted sample, and ``labels_`` is a Dask
            array.
        """
        if is_dask(X):
            self._fit_lazy(X, sample_weight)
            return self
        rows, counting, mass = self._read_fit(X, sample_weight)
        settings = self._read_settings(rows.shape[1], int(counting.sum()))
        generator = self._generator()
        used = counted(rows, counting)
        self.weight_exponent_ = self._weight_exponent(settings.exponent, used, mass, generator)
        rule = self._read_rule(settings.exponent)
        self._alternate((rows, counting, mass), settings, rule, generator)
        return self

    def _weight_exponent(
        self, exponent: float, rows: np.ndarray, mass: np.ndarray, rng: np.random.Generator
    ) -> float:
        """Return the power of the weights; if it is "auto", it is chosen on `rows`."""
        if not isinstance(self.weight_exponent, str):
            return float(self.weight_exponent)
        if self.weight_exponent == "same" or self.weights is None:
            return float(exponent)
        choice = choose_exponent(self, rows, sample_weight=mass, random_state=rng)
        return float(choice.exponent)

    def _read_rule(self, exponent: float) -> Any:
        return read_rule(
            weights=self.weights,
            distance_exponent=exponent,
            weight_exponent=self.weight_exponent_,
            dispersion_offset=self.dispersion_offset,
            pattern_offset=read_anomalous(self.init).pattern_offset,
            groups=self._groups(),
        )

    def _groups(self) -> Integers | None:
        """Return the source column of each coordinate of a raw table: they share a weight."""
        plan = vars(self).get("_table")
        return plan.owner if isinstance(plan, TablePlan) else None

    def _make_rule(
        self,
        settings: Settings,
        active: NDArray[np.bool_],
        whole: Centers,
        load: float,
        table: Table | None,
    ) -> Rule:
        if self.weight_exponent == "auto" and table is not None:
            rng = self._generator()
            sample = draw_sample(
                table.blocks,
                whole.centers,
                active,
                exponent=table.exponent,
                total_mass=table.survey.mass,
                seed=int(rng.integers(2**63)),
            )
        else:
            rng, sample = self._generator(), Sample(np.empty((0, 0)), np.empty(0))
        self.weight_exponent_ = self._weight_exponent(settings.exponent, *sample, rng)
        return self._read_rule(settings.exponent)(None, active)

    def _stream_rule(self, active: NDArray[np.bool_], stream: Stream) -> Rule:
        return self._read_rule(self._exponent)(None, active)


def read_rule(
    *,
    weights: Any,
    distance_exponent: float,
    weight_exponent: Any,
    dispersion_offset: Any,
    pattern_offset: Any,
    groups: Integers | None = None,
) -> Any:
    """Return a function that makes the rule of the weights for a table.

    Features with the same number in `groups` share a weight.
    """
    beta = float(distance_exponent if weight_exponent == "same" else weight_exponent)
    offset = dispersion_offset if dispersion_offset == "mean" else float(dispersion_offset)

    def make_rule(data: Data | None, active: NDArray[np.bool_]) -> Rule:
        if weights is None:
            return Unweighted(active)
        per_cluster = weights == "cluster"
        return PowerWeights(active, beta, offset, float(pattern_offset), per_cluster, groups)

    return make_rule
