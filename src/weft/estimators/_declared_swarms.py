"""The schemas of StagedSwarm and KernelSwarm: what they learn, and their parameters."""

from __future__ import annotations

from weft.estimators._declared import (
    COUNT,
    FITNESS,
    SEARCH,
    SMALLEST,
    STEPS,
    counts_clusters,
    declare,
    floats,
    history,
    positions,
    settings_record,
)
from weft.estimators._declared_spaces import (
    KERNEL,
    KERNEL_CLUSTERS,
    SEARCHED_ROWS,
    SPACE,
    WIDTH,
)
from weft.methods.mercer.settings import CENTERS, FeatureCenters, InputCenters
from weft.methods.staged.objectives import FEATURE_TERMS, QUALITIES
from weft.methods.staged.polish import POLISHES
from weft.methods.staged.scaling import RangeScaling
from weft.methods.staged.settings import ClusterEstimate
from weft.models.kinds import NOTHING, Choice, Integer, OneOf, Record
from weft.search.swarms.mepso import MEPSO, TABLE_2
from weft.search.swarms.staged import StagedPSO

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
    rules=(counts_clusters("_fit_labels"),),
    kernel=KERNEL,
    centers=OneOf(Choice(*CENTERS), settings_record(FeatureCenters), settings_record(InputCenters)),
    sigma=OneOf(Choice("median", "stability"), WIDTH),
    swarm=OneOf(Choice(*TABLE_2), settings_record(MEPSO)),
)
