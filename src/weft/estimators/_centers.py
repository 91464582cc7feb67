"""Prediction for new rows, shared by all clusterers with centres."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from weft._base.arrays import Floats, Mask
from weft._base.reading import convert, read_generator, refuse_huge
from weft._base.validation import largest_for
from weft.answers.membership import center_softness, soften
from weft.backends import Backend, backend_for
from weft.backends.devices import to_host
from weft.estimators._blocks import is_dask
from weft.estimators._blockwise import predict_lazy, transform_lazy, warn_of_empty_clusters
from weft.estimators._declared_centers import FAMILY
from weft.estimators._mixins import ReportMixin
from weft.estimators._reading import read_table
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.kmeans.alternation import Outcome
from weft.kmeans.anomalous import AnomalousStart, read_anomalous
from weft.kmeans.data import distances, make_data, mass_of, nearest, own_distances
from weft.kmeans.fitting import MakeRule, Settings, fit_family, read_settings
from weft.parallel.threads import one_range, thread_runner

# Costs are products of weights and powers of distances.
_LARGEST_MASS = 1e15
# Parameters of the alternation, by the names that they have in every constructor.
_SETTINGS = (
    *("n_clusters", "distance_exponent", "init_weights", "n_init", "max_iter", "tol", "n_jobs"),
)


class CenterClusterer(
    SoftAnswersMixin,
    ReportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Prediction and distances for clusterers with ``cluster_centers_``.

    Subclasses set ``_exponent``, ``_factors`` (K, M) and the public attributes in `fit`.
    """

    _paragraphs = FAMILY
    # k-means cuts along directions: see docs/decisions/0230.
    _balance = "directions"
    _exponent: float
    _factors: np.ndarray
    cluster_centers_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = bool(getattr(self, "allow_nan", False))
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """Return the nearest cluster of each row, an index into ``cluster_centers_``.

        For a Dask array or dataframe, the labels are a lazy Dask array.
        """
        check_is_fitted(self)
        return predict_lazy(self, X) if is_dask(X) else self._look_up(X, None)[0]

    def transform(self, X: Any) -> np.ndarray:
        """Return the weighted Minkowski distance of each row to each centre.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            ``(Σ_v f_kv |x_v - c_kv|^p) ** (1 / p)``, where f is the factor that the weights give in
            a distance; if values are missing, the sum over the observed features times M / number
            observed.
        """
        check_is_fitted(self)
        return transform_lazy(self, X) if is_dask(X) else self._distances_of(self._read(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the sum of powered distances of rows to their nearest centres.

        Returns
        -------
        float
            Larger is better.
        """
        check_is_fitted(self)
        return -self._look_up(X, sample_weight)[1]

    def _soft_rows(self, X: Any) -> Any:
        return self._read(X)

    def _n_soft_clusters(self) -> int:
        return len(self.cluster_centers_)

    def _probabilities(self, rows: Any) -> np.ndarray:
        weights = getattr(self, "_factors", None)
        softness = center_softness(self.cluster_feature_weights_ if weights is None else weights)
        return soften(self._distances_of(rows), softness, self._labels_of(rows))

    def _labels_of(self, rows: Any) -> np.ndarray:
        """Return the nearest centre of each row."""
        with thread_runner(getattr(self, "n_jobs", None)) as run:
            data = make_data(rows, np.ones(len(rows)), self._exponent, run)
            return nearest(data, self.cluster_centers_, self._factors)

    def _distances_of(self, rows: Any) -> np.ndarray:
        """Return the distance of each row to each centre, (n, K)."""
        with thread_runner(getattr(self, "n_jobs", None)) as run:
            data = make_data(rows, np.ones(len(rows)), self._exponent, run)
            powered = distances(data, self.cluster_centers_, self._factors)
        powered *= data.load[:, None]
        return powered ** (1.0 / self._exponent)

    def _look_up(self, X: Any, sample_weight: Any) -> tuple[np.ndarray, float]:
        """Return the nearest centre of each row, and the sum of all costs."""
        rows = self._read(X)
        mass = read_mass(sample_weight, rows)
        with thread_runner(getattr(self, "n_jobs", None)) as run:
            data = make_data(rows, mass, self._exponent, run)
            labels = nearest(data, self.cluster_centers_, self._factors)
            best = own_distances(data, labels, self.cluster_centers_, self._factors)
        return labels, float((data.load * best).sum())

    def _read(self, X: Any, *, reset: bool = False) -> np.ndarray:
        allow_nan = bool(getattr(self, "allow_nan", False))
        rows = read_table(
            self, X, reset=reset, allow_nan=allow_nan, largest=largest_for(self._power())
        )
        if allow_nan:
            blank = np.isnan(rows).all(axis=1)
            if blank.any():
                raise ValueError(
                    f"row {int(blank.argmax())} has no observed value; drop rows that are all NaN."
                )
        return rows

    def _power(self) -> float:
        """Return the largest power that numbers of a table are raised to."""
        return float(getattr(self, "distance_exponent", 2.0))

    def _read_fit(
        self, X: Any, sample_weight: Any, *, reset: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all rows, which of them count, and the mass of those."""
        if reset:
            self.__dict__.pop("_stream", None)  # earlier batches are forgotten
        rows = self._read(X, reset=reset)
        mass = read_mass(sample_weight, rows)
        counting = mass > 0.0
        if not counting.any():
            raise ValueError("sample_weight is zero for every row; give some rows a weight.")
        if getattr(self, "allow_nan", False):
            blank = np.isnan(rows[counting]).all(axis=0)
            if blank.any():
                raise ValueError(
                    f"column {int(blank.argmax())} has no observed value; "
                    "drop columns that are all NaN."
                )
        return rows, counting, mass[counting]

    def _backend(self: Any, n_rows: int, n_features: int) -> Backend:
        """Return the backend for a fit of a table of this size."""
        plain = getattr(self, "distance_exponent", 2.0) == 2.0
        work = "kmeans" if plain else "kmeans-powers"
        return backend_for(self.device, work, n_rows * n_features)

    def _generator(self: Any) -> np.random.Generator:
        return read_generator(self.random_state)

    def _read_settings(self: Any, n_features: int, n_rows: int) -> Settings:
        """Check the parameters of the alternation, those that this estimator has."""
        given = {name: getattr(self, name) for name in _SETTINGS if hasattr(self, name)}
        patterns = isinstance(self.init, AnomalousStart)
        given["init"] = "anomalous" if patterns else self.init
        given["min_cluster_size"] = read_anomalous(self.init).min_cluster_size
        return read_settings(n_features, n_rows, backend=self._backend(n_rows, n_features), **given)

    def _alternate(
        self,
        table: tuple[np.ndarray, np.ndarray, np.ndarray],
        settings: Settings,
        make_rule: MakeRule,
        rng: np.random.Generator,
        **options: Any,
    ) -> None:
        """Fit the table that `_read_fit` returned, and set the attributes that the family shares.

        `options` are those of `fit_family`.
        """
        rows, counting, mass = table
        fit = fit_family(counted(rows, counting), mass, settings, make_rule, rng, **options)
        outcome, patterns = fit.outcome, fit.patterns
        self.labels_ = outcome.labels
        if not counting.all():
            self.labels_ = np.empty(len(rows), dtype=np.int32)
            self.labels_[counting] = outcome.labels
            idle = rows[~counting]
            data = make_data(idle, np.ones(len(idle)), settings.exponent, one_range)
            self.labels_[~counting] = nearest(data, outcome.centers, fit.factors)
            if patterns is not None:  # rows that do not count are in none
                labels = np.full(len(rows), -1, dtype=np.int32)
                labels[counting] = patterns.labels
                patterns = patterns._replace(labels=labels)
        self.anomalous_patterns_ = patterns
        sizes = mass_of(outcome.labels, mass, len(outcome.centers))
        self._keep_outcome(outcome, fit.factors, settings.exponent, sizes)

    def _keep_outcome(
        self, outcome: Outcome, factors: Floats, exponent: float, mass: Floats
    ) -> None:
        """Set centres and weights, given the mass of each cluster."""
        self._exponent = exponent
        self._factors = factors
        self.cluster_centers_ = outcome.centers
        self.cluster_feature_weights_ = outcome.weights
        self.inertia_ = outcome.criterion
        self.n_iter_ = outcome.n_iter
        self._n_features_out = len(outcome.centers)
        self.feature_weights_ = mass @ outcome.weights / mass.sum()
        warn_of_empty_clusters(mass)


def read_mass(sample_weight: Any, rows: Floats) -> Floats:
    """Return how much each row counts, checked."""
    mass = convert(
        lambda: _check_sample_weight(
            to_host(sample_weight), rows, dtype=np.float64, ensure_non_negative=True
        ),
        "sample_weight",
    )
    refuse_huge(float(mass.max(initial=0.0)), name="sample_weight", largest=_LARGEST_MASS)
    return mass


def counted(rows: Floats, counting: Mask) -> Floats:
    """Return the rows that count; the table itself where all do."""
    return rows if counting.all() else rows[counting]
