"""What a fitted AutoCluster holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft._base.validation import LARGEST
from weft.answers.membership import Membership
from weft.auto.projection import Projection
from weft.estimators._declared import POSITIVE, SHARE, SMALLEST, declare, floats, positions
from weft.models.kinds import (
    NOTHING,
    Array,
    Fields,
    Flag,
    Integer,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Record,
    Text,
)
from weft.models.schema import Added, Optional


def _same_shapes(member: Membership) -> str:
    """Return an error if clusters and probabilities do not match."""
    same = member.clusters.shape == member.probabilities.shape
    return "" if same else "has clusters and probabilities of different shapes."


_REASONS = Fields({"for": ListOf(Text(100)), "against": ListOf(Text(100))})
_PROJECTION = Record(
    "Projection",
    Projection,
    {
        "columns": positions("n_anchor_columns", "n_features"),
        "means": floats("n_anchor_columns", low=-LARGEST, high=LARGEST),
        "axes": floats("n_anchor_columns", "n_axes", low=-LARGEST, high=LARGEST),
        "unit_rows": Flag(),
    },
)


def anchors_have_the_columns(params: Mapping[str, Any], learned: Mapping[str, Any]) -> str:
    """A rule: without a projection, anchors have all columns; with one, `transform` has them."""
    width, projection = learned["_fit_anchors"].shape[1], learned["_fit_projection"]
    if projection is None and width != learned["n_features_in_"]:
        return f"its '_fit_anchors' have {width} columns, but no '_fit_projection'."
    if params["counts"] != (learned["_fit_total"] is not None):
        return "its '_fit_total' does not fit its parameter 'counts'."
    return ""


AUTO_CLUSTER = declare(
    {
        "labels_": positions("n_samples", "n_clusters", low=-1),
        "n_clusters_": Integer(low=1, binds="n_clusters"),
        "confidence_": Added(OneOf(NOTHING, SHARE), lambda learned: None),
        "evidence_": Added(
            _REASONS,
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
                    "labels": positions("*", "n_samples", low=-1),
                    "method": Text(100),
                },
                {"stability": Number(nan=True)},
            )
        ),
        "candidates_": Added(
            ListOf(
                Fields(
                    {
                        "quality": Number(nan=True),
                        **dict.fromkeys(("n_clusters", "n_candidates"), Integer()),
                        "method": Text(100),
                        "reasons": _REASONS,
                        "measures": MapOf(Number(nan=True)),
                        "labels": positions("*", "n_samples", low=-1),
                    },
                    {"behind": Text()},
                )
            ),
            lambda learned: [],
        ),
        # Rows of the table with all columns, or, if it is sparse, with the columns of the axes.
        "_fit_anchors": floats("n_anchors", "n_anchor_columns", low=-LARGEST, high=LARGEST),
        "_fit_projection": Added(OneOf(NOTHING, _PROJECTION), lambda learned: None),
        "_fit_total": Added(OneOf(NOTHING, POSITIVE), lambda learned: None),
        "_fit_anchor_rows": Optional(positions("n_anchors", "n_samples")),
        # Of tables with more rows than anchors; otherwise they can be computed again.
        "_fit_membership": Optional(
            Record(
                "Membership",
                Membership,
                {
                    "clusters": Array(("n_samples", "*"), ("int32",), low=0, into="n_clusters"),
                    "probabilities": Array(("n_samples", "*"), ("float32",), low=0.0, high=1.0),
                    "n_clusters": Integer(low=1, binds="n_clusters"),
                },
                _same_shapes,
            )
        ),
        "_fit_outlier_scores": Optional(floats("n_samples", low=0.0, high=1.0)),
        "_fit_source_values": Optional(floats("n_anchors", "*", nan=True)),
        "_fit_anchor_labels": positions("n_anchors", "n_clusters", low=-1),
    },
    rules=(anchors_have_the_columns,),
    counts=Flag(),
    min_clusters=OneOf(NOTHING, Integer(low=2, high=2**31 - 1)),
    min_cluster_size=Integer(low=1, high=2**31 - 1),
    outliers=Flag(),
    false_keep_rate=Number(low=1e-9, high=1.0),  # lower rates would need too many shadows
    time_limit=OneOf(NOTHING, POSITIVE),
)
