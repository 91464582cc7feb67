"""The schema of feature search: what FeatureSwarm learns, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from weft.estimators._declared import (
    COUNT,
    FITNESS,
    MATRIX,
    POSITIVE,
    SAMPLED,
    SCALAR,
    SEARCH,
    STEPS,
    declare,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
)
from weft.models.kinds import NOTHING, Choice, Integer, Kind, Number, OneOf, Record
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.criteria.base import FEATURES, OUTLIERS
from weft.search.particles import INITS
from weft.search.swarms import SWARMS

_PULL = Number(low=0.0)
_SIDE = Choice(*FEATURES)
# Settings of clusterers, criteria and swarms by their names.
_SETTINGS: dict[str, Kind] = {
    **dict.fromkeys(("n_neighbors", "min_samples", "max_iter", "convergence_iter"), COUNT),
    "n_clusters": COUNT,
    "eps": OneOf(NOTHING, POSITIVE),
    "damping": Number(low=0.5, high=1.0),
    "preference": OneOf(NOTHING, Number()),
    "outliers": Choice(*OUTLIERS),
    **dict.fromkeys(("features", "silhouette", "connectedness"), _SIDE),
    **dict.fromkeys(("cap", "max_velocity"), POSITIVE),
    "artificial_noise": _PULL,
    **dict.fromkeys(("inertia", "cognitive", "social", "initial_velocity"), _PULL),
}


def _by_name_or_record(registry: Mapping[str, Any]) -> Kind:
    """A name of the registry, or an object of one of its classes; others cannot be saved."""
    records = [
        Record(
            kind.__name__,
            kind,
            {field.name: _SETTINGS.get(field.name, SCALAR) for field in fields(kind) if field.init},
        )
        for kind in registry.values()
    ]
    return OneOf(Choice(*registry), *records)


FEATURE_SWARM = declare(
    {
        "labels_": positions("n_samples", "n_clusters", low=-1),
        "n_clusters_": Integer(high="n_samples", binds="n_clusters"),
        "feature_weights_": floats("n_features", low=0.0),
        "feature_exponents_": OneOf(NOTHING, floats("n_features", low=1.0, high=3.0)),
        "fitness_": FITNESS,
        "history_": history(*SEARCH, "n_features", "n_clusters"),
        "n_iter_": STEPS,
        **SAMPLED,
        "_fit_anchors": rows("n_anchors", least=0),
        "_fit_anchor_labels": positions("n_anchors", "n_clusters", low=-1, least=0),
        "_fit_radius": Number(low=0.0, high=1e150, inf=True),
    },
    rules=(radius_has_powers,),
    clusterer=_by_name_or_record(CLUSTERERS),
    criterion=_by_name_or_record(CRITERIA),
    swarm=_by_name_or_record(SWARMS),
    init=OneOf(Choice(*INITS), MATRIX),
)
