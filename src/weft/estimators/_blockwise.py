"""Fits without all rows in memory: blocks of Dask, and batches of a stream."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from weft._base.warnings import warn_caller
from weft.estimators._blocks import LazyTable, lengths_of, map_rows, read_lazy, split
from weft.estimators._guard import GuardMixin
from weft.kmeans.blocks import block_data
from weft.kmeans.chunked import BlockFit, Table, fit_blocks, whole_center
from weft.kmeans.data import Centers, distances, nearest
from weft.kmeans.fitting import Settings, some_varying
from weft.kmeans.streams import Stream, advance, begin, dispersions
from weft.kmeans.weights import Rule

Mask = np.ndarray


class BlockwiseMixin(GuardMixin):
    """`fit` for Dask's tables and `partial_fit`, for the k-means family.

    Subclasses are `CenterClusterer`s and define their rule: see `_make_rule`.
    """

    def _make_rule(
        self, settings: Settings, active: Mask, whole: Centers, load: float, table: Table | None
    ) -> Rule:
        """Return the rule, given the centre and dispersions of all rows and the sum of loads."""
        raise NotImplementedError

    def _fit_lazy(self: Any, X: Any, sample_weight: Any) -> None:
        """`fit` on a Dask array or dataframe."""
        allow_nan = bool(getattr(self, "allow_nan", False))
        lazy = read_lazy(self, X, sample_weight, allow_nan=allow_nan)
        settings = self._read_settings(self.n_features_in_, lazy.n_rows)
        refuse_medians(settings.exponent, "a Dask table")
        active = some_varying(lazy.survey.low, lazy.survey.high)
        table = Table.of(lazy.blocks, lazy.survey, settings.exponent)
        whole, load = whole_center(table, active)
        rule = self._make_rule(settings, active, whole, load, table)
        fit = fit_blocks(table, active, settings, rule, whole.centers, self._generator())
        self.anomalous_patterns_ = fit.patterns
        self._keep_lazy(fit, lazy, table)

    def _keep_lazy(self: Any, fit: BlockFit, lazy: LazyTable, table: Table) -> None:
        self._keep_outcome(fit.outcome, fit.factors, table.exponent, fit.mass)
        task = partial(rows_to_labels, fit.outcome.centers, fit.factors, table.exponent)
        self.labels_ = map_rows(lazy.blocks.rows, lazy.survey.lengths, task, np.int32)
        sums = fit.sums
        self._stream = Stream(
            *(lazy.survey.low, lazy.survey.high, table.units),
            *(sums.mass, sums.sizes, sums.seen, sums.total, sums.curve),
        )

    def partial_fit(self: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Update the model with a batch of rows.

        The first batch is fitted as a whole. Later batches are assigned to the current centres, and
        move centres and weights in proportion to their share of all rows so far; no row is used
        twice. After `fit` on a Dask table, a stream continues from there; after any other `fit` it
        restarts. ``labels_`` are those of the last batch; the first needs as many rows as there are
        clusters.
        """
        before: Stream | None = getattr(self, "_stream", None)
        if before is None:
            return self._begin_stream(X, sample_weight)
        rows, counting, mass = self._read_fit(X, sample_weight, reset=False)
        exponent = self._exponent
        used = rows if counting.all() else rows[counting]
        after, centers, labels = advance(
            before, used, mass, self.cluster_centers_, self._factors, exponent
        )
        if not counting.all():  # rows without mass too, by the same centres
            labels = rows_to_labels(self.cluster_centers_, self._factors, exponent, rows)
        self._keep_stream(after, centers)
        self.labels_ = labels
        if hasattr(self, "anomalous_patterns_"):
            self.anomalous_patterns_ = None  # their labels belong to rows of earlier batches
        return self

    def _begin_stream(self: Any, X: Any, sample_weight: Any) -> Any:
        refuse_medians(getattr(self, "distance_exponent", 2.0), "a stream")
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.fit(X, **given)
        if hasattr(self, "_stream"):  # a Dask table
            return self
        rows, counting, mass = self._read_fit(X, sample_weight, reset=False)
        used = rows if counting.all() else rows[counting]
        stream = begin(
            len(self.cluster_centers_), np.fmin.reduce(used, axis=0), np.fmax.reduce(used, axis=0)
        )
        fitted = (self.cluster_centers_, self._factors)
        self._stream = advance(stream, used, mass, *fitted, self._exponent).stream
        return self

    def _keep_stream(self: Any, stream: Stream, centers: np.ndarray) -> None:
        exponent = self._exponent
        active = some_varying(stream.low, stream.high)
        spread = dispersions(stream, exponent)
        self.cluster_centers_ = centers
        rule = self._stream_rule(active, stream)
        weights = rule.weights(spread, stream.sizes)
        self._stream = stream
        self.cluster_feature_weights_ = weights
        self._factors = rule.factors(weights)
        self.feature_weights_ = stream.mass @ weights / stream.mass.sum()
        costs = np.nansum(self._factors * spread, axis=1)
        self._keep_worth(rule.total(costs, stream.sizes, weights))

    def _keep_worth(self: Any, criterion: float) -> None:
        self.inertia_ = criterion

    def _stream_rule(self, active: Mask, stream: Stream) -> Rule:
        """Return the rule for the rows of a stream so far."""
        raise NotImplementedError


def refuse_medians(exponent: float, what: str) -> None:
    """Refuse p = 1: its centres are medians, which cannot be computed from sums over rows."""
    if exponent == 1.0:
        raise ValueError(
            f"distance_exponent=1 needs medians, for which {what} would have to be held in memory; "
            "use 1.1 or more, or an array."
        )


def warn_of_empty_clusters(mass: np.ndarray) -> None:
    """Warn if some clusters have no rows, given the mass of each."""
    n_filled = int((mass > 0).sum())
    if n_filled < len(mass):
        warn_caller(
            f"{n_filled} of {len(mass)} clusters have rows: the data may have fewer distinct rows "
            "than clusters; lower n_clusters.",
            ConvergenceWarning,
        )


def rows_to_labels(
    centers: np.ndarray, factors: np.ndarray, exponent: float, rows: np.ndarray
) -> np.ndarray:
    """Return the nearest cluster of each row."""
    return nearest(block_data(rows, np.ones(len(rows)), exponent), centers, factors)


def rows_to_distances(
    centers: np.ndarray, factors: np.ndarray, exponent: float, rows: np.ndarray
) -> np.ndarray:
    """Return the distance of each row to each centre."""
    data = block_data(rows, np.ones(len(rows)), exponent)
    return (distances(data, centers, factors) * data.load[:, None]) ** (1.0 / exponent)


def predict_lazy(model: Any, X: Any) -> Any:
    """Return labels of a Dask table as a Dask array."""
    task = partial(rows_to_labels, model.cluster_centers_, model._factors, model._exponent)
    return map_rows(split(model, X, reset=False), lengths_of(X), task, np.int32)


def transform_lazy(model: Any, X: Any) -> Any:
    """Return distances to the centres of a Dask table as a Dask array."""
    task = partial(rows_to_distances, model.cluster_centers_, model._factors, model._exponent)
    width = len(model.cluster_centers_)
    return map_rows(split(model, X, reset=False), lengths_of(X), task, np.float64, width)
