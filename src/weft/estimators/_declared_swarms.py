"""Schemas of FeatureSwarm, StagedSwarm, KernelSwarm, and shared parts of kernel methods."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from weft.estimators._declared import (
    COUNT,
    FITNESS,
    MATRIX,
    SAMPLED,
    SCALING,
    SEARCH,
    SMALLEST,
    STEPS,
    counts_clusters,
    declare,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
    settings_record,
)
from weft.methods.mercer.settings import CENTERS, KERNELS, FeatureCenters, InputCenters, Kernel
from weft.methods.mercer.spaces import KernelSpace, Walk, WalkSpace
from weft.methods.staged.objectives import FEATURE_TERMS, QUALITIES
from weft.methods.staged.search import POLISHES
from weft.methods.staged.settings import ClusterEstimate, RangeScaling
from weft.models.kinds import NOTHING, Choice, Fields, Flag, Integer, Kind, Number, OneOf, Record
from weft.models.schema import Added, Attribute
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.particles import INITS
from weft.search.swarms import SWARMS
from weft.search.swarms.mepso import MEPSO, TABLE_2
from weft.search.swarms.staged import StagedPSO


def _kernel_takes(space: KernelSpace) -> str:
    """Return which parameter the kernel of a space does not have."""
    taken = signature(PAIRWISE_KERNEL_FUNCTIONS[space.kernel]).parameters
    unknown = sorted(set(space.params) - set(taken))
    return f"has a parameter {unknown[0]!r} that its kernel does not take." if unknown else ""


KERNEL = OneOf(Choice(*KERNELS), settings_record(Kernel))
_ROWS = floats("n_searched", "n_features")
_GRAM = floats("n_searched", "n_searched")
# What scikit-learn allows; squares of a width must stay within the range of float64.
WIDTH = Number(low=1e-150, high=1e150)
SPACE = OneOf(
    Record(
        "KernelSpace",
        KernelSpace,
        {
            "X": _ROWS,
            "gram": _GRAM,
            "coordinates": floats("n_searched", "*", least=0),
            "kernel": Choice(*sorted(PAIRWISE_KERNEL_FUNCTIONS)),
            "params": Fields(
                {},
                {
                    "gamma": OneOf(NOTHING, Number(low=0.0)),
                    "degree": Number(low=1.0),
                    "coef0": Number(),
                    "dense_output": Flag(),
                },
            ),
        },
        _kernel_takes,
    ),
    Record(
        "WalkSpace",
        WalkSpace,
        {
            "X": _ROWS,
            "gram": _GRAM,
            "coordinates": floats("n_searched", "n_directions", least=0),
            "walk": Record(
                "Walk",
                Walk,
                {
                    "X": _ROWS,
                    "scales": floats("n_searched", low=SMALLEST),
                    "values": floats("n_directions", low=0.0, high=1.0, least=0),
                    "vectors": floats("n_searched", "n_directions", least=0),
                },
            ),
            "sigma": WIDTH,
        },
    ),
)
# What every kernel method learns.
KERNEL_CLUSTERS: dict[str, Attribute] = {
    "labels_": positions("n_samples", "n_clusters"),
    "n_clusters_": Integer(low=1, binds="n_clusters"),
    "fitness_": FITNESS,
    "sigma_": OneOf(NOTHING, WIDTH),
    "n_iter_": STEPS,
    "_fit_scaling": SCALING,
}
# A search on a sample: `predict` needs the labels of its rows.
SEARCHED_ROWS: dict[str, Attribute] = {
    **SAMPLED,
    "n_samples_search_": Added(
        Integer(low=1, high="n_samples", binds="n_searched"),
        lambda learned: len(learned["labels_"]),
    ),
    "_fit_labels": Added(positions("n_searched", "n_clusters"), lambda learned: learned["labels_"]),
}


_RANGE_SCALING = {
    **dict.fromkeys(("low", "mean"), floats("n_features")),
    "span": floats("n_features", low=SMALLEST),
}

STAGED_SWARM = declare(
    {
        "labels_": positions("n_samples", "n_clusters"),
        "n_clusters_": Integer(low=1, binds="n_clusters"),
        "n_clusters_estimate_": OneOf(NOTHING, COUNT),
        "feature_weights_": floats("n_features", low=0.0, high=1.0),
        "cluster_centers_": floats("n_clusters", "n_features"),
        "fitness_": FITNESS,
        "history_": history("stage", *SEARCH, "n_features", "n_clusters"),
        "n_iter_": STEPS,
        "_fit_features": positions("n_selected", "n_features"),
        "_fit_prototypes": floats("n_clusters", "n_selected"),
        "_fit_scaling": Record("_Scaling", RangeScaling, _RANGE_SCALING),
    },
    stages=Choice(1, 2, 3),
    feature_term=Choice(None, *FEATURE_TERMS),
    quality=Choice(*QUALITIES),
    polish=Choice(None, *POLISHES),
    n_clusters_estimate=OneOf(NOTHING, COUNT, settings_record(ClusterEstimate)),
    swarm=OneOf(Choice("standard"), settings_record(StagedPSO)),
)
KERNEL_SWARM = declare(
    {
        **KERNEL_CLUSTERS,
        **SEARCHED_ROWS,
        "history_": history(*SEARCH, "n_clusters"),
        "n_evaluations_": Integer(low=1),
        "_fit_reference": OneOf(floats("n_clusters", "n_features"), SPACE),
    },
    rules=(counts_clusters,),
    kernel=KERNEL,
    centers=OneOf(Choice(*CENTERS), settings_record(FeatureCenters), settings_record(InputCenters)),
    sigma=OneOf(Choice("median", "stability"), WIDTH),
    swarm=OneOf(Choice(*TABLE_2), settings_record(MEPSO)),
)


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
