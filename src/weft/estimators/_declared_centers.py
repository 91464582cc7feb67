"""Docstrings and schemas that the k-means family shares, and the schema of `ProjectedSwarm`."""

from __future__ import annotations

from weft._base.docstrings import Entry
from weft._base.records import RecordParameter
from weft.estimators._declared import (
    COUNT,
    FITNESS,
    MATRIX,
    SEARCH,
    SMALLEST,
    STEPS,
    declare,
    floats,
    history,
    positions,
    settings_record,
)
from weft.kmeans.anomalous import AnomalousStart
from weft.kmeans.fitting import INITS
from weft.kmeans.seeding import AnomalousPatterns
from weft.kmeans.streams import Stream
from weft.methods.projected.criteria import OBJECTIVES
from weft.methods.projected.settings import METRICS, PARTICLES, Objective, SwarmSettings
from weft.models.kinds import NOTHING, Choice, Flag, Integer, Number, OneOf, Record
from weft.models.schema import Attribute, Only, Optional

FAMILY = {
    "init": Entry(
        '{"anomalous", "k-means++", "random", "scattered"}, AnomalousStart or array',
        "Start: the largest anomalous patterns (deterministic; with other settings: "
        ":class:`weft.kmeans.anomalous.AnomalousStart`); rows drawn by distance, or by weight "
        "alone; rows far apart (deterministic); or centres (n_clusters, n_features).",
    ),
    "n_init": Entry(
        'int or "auto"',
        'Number of starts, of which the one with the least criterion is kept. "auto": 10 for '
        '"random" and "k-means++", 1 otherwise.',
    ),
    "distance_exponent": Entry(
        "float",
        "The power p of the distance, at least 1. The centre is the median at 1, the mean at 2.",
    ),
    "dispersion_offset": Entry(
        'float or "mean"',
        'Added to each dispersion before weights are computed: "mean" is the mean of all of them. '
        "With 0 the criterion falls at every step.",
    ),
    "max_iter": Entry("int", "Largest number of rounds per start."),
    "tol": Entry(
        "float",
        "Stop when at most this share of the rows changes cluster. 0: when none does.",
    ),
    "device": Entry(
        '{"cpu", "cuda", "auto"}',
        'Where the rounds run; ``"auto"`` uses a GPU if there is one and the table is large '
        "enough. Random draws, blocks of Dask, batches, groups under constraints and `predict` "
        "run on the CPU.",
    ),
    "random_state": Entry("int, RandomState instance or None", "Seed of random starts."),
    "labels_": Entry("ndarray of shape (n_samples,)", "Cluster of each row."),
    "cluster_centers_": Entry("ndarray of shape (n_clusters, n_features)", "Minkowski centres."),
    "cluster_feature_weights_": Entry(
        "ndarray of shape (n_clusters, n_features)", "Weights, each row summing to 1."
    ),
    "feature_weights_": Entry(
        "ndarray of shape (n_features,)", "Their mean over the rows of the data."
    ),
    "inertia_": Entry("float", "The criterion."),
    "anomalous_patterns_": Entry(
        "NamedTuple or None",
        "``centers``, ``weights``, ``sizes``, ``labels`` of the patterns, in the order found; with "
        "`n_clusters` given, the search stops once no larger pattern can follow. None for other "
        "starts.",
    ),
    "n_iter_": Entry("int", "Rounds of the start that was kept."),
}


# Starts other than anomalous patterns do not have these settings.
START = RecordParameter(
    AnomalousStart,
    lambda name: AnomalousStart(),
    lambda init: not (isinstance(init, str) and init == "anomalous"),
)


# Starts of the family: by name, or centres.
INIT = OneOf(Choice(*INITS), MATRIX, settings_record(AnomalousStart))
PATTERNS = OneOf(
    NOTHING,
    Record(
        "AnomalousPatterns",
        AnomalousPatterns,
        {
            "centers": floats("n_patterns", "n_features", least=0),
            "weights": floats("n_patterns", "n_features", low=0.0, least=0),
            "sizes": floats("n_patterns", low=0.0, least=0),
            "labels": positions("*", "n_patterns", low=-1),
        },
    ),
)
STREAM = Optional(
    Record(
        "Stream",
        Stream,
        {
            **dict.fromkeys(("low", "high"), floats("n_features", nan=True)),
            "units": floats("n_features", low=SMALLEST),
            **dict.fromkeys(("mass", "sizes"), floats("n_clusters", low=0.0)),
            "seen": floats("n_clusters", "n_features", low=0.0),
            # Below p = 2 the curvature at a centre is infinite.
            **dict.fromkeys(
                ("total", "curve"), floats("n_clusters", "n_features", low=0.0, nan=True, inf=True)
            ),
        },
    )
)


# What clusterers with centres and weights per cluster learn.
CENTERS: dict[str, Attribute] = {
    "labels_": positions("n_samples", "n_clusters"),
    "cluster_centers_": floats("n_clusters", "n_features"),
    "cluster_feature_weights_": floats("n_clusters", "n_features", low=0.0),
    "feature_weights_": floats("n_features", low=0.0),
    "n_iter_": STEPS,
    "_n_features_out": Integer(low=1, binds="n_clusters"),
}
# The distance to the centres.
METRIC: dict[str, Attribute] = {
    "_exponent": Number(low=1.0, whole=False),  # compiled code is made for floats
    "_factors": floats("n_clusters", "n_features", low=0.0),
}


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
