"""The fit that EWKM and LAC share: an entropy term keeps feature weights above 0."""

from __future__ import annotations

from typing import Any

from weft._base.arrays import Mask
from weft._base.validation import check_choice, check_integer, check_real
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
        if isinstance(strength, str):
            check_choice(self._strength_name, strength, ("auto",))
            return None
        return check_real(self._strength_name, strength, low=0.0, open_low=True)

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
