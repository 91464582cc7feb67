"""The schema of feature search: what FeatureSwarm learns, and its parameters."""

from __future__ import annotations

from dataclasses import fields

from weft.estimators._declared import (
    FITNESS,
    MATRIX,
    POSITIVE,
    SAMPLED,
    SEARCH,
    SETTINGS,
    STEPS,
    declare,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
)
from weft.models.kinds import NOTHING, Choice, Integer, Number, OneOf, Record
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.particles import INITS
from weft.search.swarms import PSO, SWARMS

_SWARM_FIELDS = {field.name: Number(low=0.0) for field in fields(PSO)}
# A name, or the settings of a swarm that weft knows; other objects cannot be saved.
SWARM = OneOf(
    Choice(*SWARMS),
    *(
        Record(kind.__name__, kind, {**_SWARM_FIELDS, "max_velocity": POSITIVE})
        for kind in SWARMS.values()
    ),
)
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
    clusterer=Choice(*CLUSTERERS),
    criterion=Choice(*CRITERIA),
    swarm=SWARM,
    encoding=Choice("weights", "binary"),
    clusterer_params=SETTINGS,
    criterion_params=SETTINGS,
    init=OneOf(Choice(*INITS), MATRIX),
)
