"""Parts of the schemas of the k-means family: centres, anomalous patterns, streams."""

from __future__ import annotations

from weft.estimators._declared import (
    MATRIX,
    SMALLEST,
    STEPS,
    floats,
    positions,
    settings_record,
)
from weft.kmeans.anomalous import AnomalousStart
from weft.kmeans.fitting import INITS
from weft.kmeans.seeding import AnomalousPatterns
from weft.kmeans.streams import Stream
from weft.models.kinds import NOTHING, Choice, Integer, Number, OneOf, Record
from weft.models.schema import Attribute, Optional

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
