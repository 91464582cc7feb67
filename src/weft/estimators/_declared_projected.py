"""The schema of `ProjectedSwarm`."""

from __future__ import annotations

from weft.estimators._declared import (
    COUNT,
    FITNESS,
    SEARCH,
    declare,
    floats,
    history,
    settings_record,
)
from weft.estimators._declared_centers import CENTERS, STREAM
from weft.methods.projected.criteria import OBJECTIVES
from weft.methods.projected.settings import METRICS, PARTICLES, Objective, SwarmSettings
from weft.models.kinds import NOTHING, Choice, Flag, Number, OneOf
from weft.models.schema import Only, Optional

PROJECTED_SWARM = declare(
    {
        **CENTERS,
        "_exponent": Only(Choice(2.0), "metric", "euclidean"),
        # The square of a column's deviation may be 0 in float64.
        "_factors": Only(
            floats("n_clusters", "n_features", low=0.0, inf=True), "metric", "euclidean"
        ),
        "_weights": Only(
            OneOf(NOTHING, floats("n_clusters", "n_features", low=0.0)), "metric", "jaccard"
        ),
        "fitness_": FITNESS,
        "history_": history(*SEARCH, "n_clusters"),
        "n_samples_search_": Optional(COUNT),
        "_stream": STREAM,
    },
    objective=OneOf(Choice(*OBJECTIVES), settings_record(Objective)),
    metric=Choice(*METRICS),
    particle=Choice(*PARTICLES),
    weight_exponent=OneOf(Choice("auto"), Number(low=0.0)),
    polish=Flag(),
    swarm=OneOf(Choice("clpso"), settings_record(SwarmSettings)),
)
