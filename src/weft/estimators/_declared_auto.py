"""What a fitted AutoCluster holds."""

from __future__ import annotations

from weft.estimators._declared import POSITIVE, SHARE, SMALLEST, declare, floats, positions, rows
from weft.models.kinds import NOTHING, Fields, Flag, Integer, ListOf, Number, OneOf, Text
from weft.models.schema import Added

AUTO_CLUSTER = declare(
    {
        "labels_": positions("n_samples", "n_clusters", low=-1),
        "n_clusters_": Integer(low=1, binds="n_clusters"),
        "confidence_": Added(OneOf(NOTHING, SHARE), lambda learned: None),
        "evidence_": Added(
            Fields({"for": ListOf(Text(100)), "against": ListOf(Text(100))}),
            lambda learned: {"for": [], "against": []},
        ),
        "feature_weights_": floats("n_features", low=0.0),
        "feature_scales_": floats("n_features", low=SMALLEST),
        "feature_stability_": floats("n_features", low=0.0, high=1.0),
        "feature_weight_intervals_": floats(2, "n_features", low=0.0),
        "cluster_feature_weights_": floats("n_clusters", "n_features", low=0.0),
        "cluster_stability_": floats("n_clusters", nan=True),
        "stability_": Number(nan=True),
        "fitness_": Added(OneOf(NOTHING, Number(nan=True)), lambda learned: None),
        "feature_exponents_": Added(NOTHING, lambda learned: None),
        "method_": Text(100),
        "verdict_": Text(),
        "alternatives_": ListOf(
            Fields(
                {
                    "quality": Number(nan=True),
                    **dict.fromkeys(("n_features", "n_clusters"), Integer()),
                    "features": positions("*", "n_features", least=0),
                    "labels": positions("n_samples", "n_samples", low=-1),
                    "method": Text(100),
                },
                {"stability": Number(nan=True)},
            )
        ),
        "_fit_anchors": rows("n_anchors"),
        "_fit_anchor_labels": positions("n_anchors", "n_clusters", low=-1),
    },
    min_clusters=OneOf(NOTHING, Integer(low=2, high=2**31 - 1)),
    min_cluster_size=Integer(low=1, high=2**31 - 1),
    outliers=Flag(),
    false_keep_rate=Number(low=1e-9, high=1.0),
    time_limit=OneOf(NOTHING, POSITIVE),
)
