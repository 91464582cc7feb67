"""The schema of feature search: what FeatureSwarm learns, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.estimators._declared import (
    FITNESS,
    MATRIX,
    SAMPLED,
    SEARCH,
    STEPS,
    declare,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
    settings_record,
)
from weft.models.kinds import NOTHING, Choice, Integer, Kind, Number, OneOf
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.particles import INITS
from weft.search.swarms import SWARMS


def _by_name_or_record(registry: Mapping[str, Any]) -> Kind:
    """A name of the registry, or an object of one of its classes; others cannot be saved."""
    return OneOf(Choice(*registry), *map(settings_record, registry.values()))


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
