"""weft: clustering that learns which features matter.

Public names are imported on first use, so that ``import weft`` stays cheap.
"""

import threading
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# public name -> the module that defines it
_PUBLIC = {
    "load": "weft.models.files",
    "report": "weft.reporting.any_clustering",
    "compare": "weft.reporting.comparison",
    "choose_n_clusters": "weft.choosing.n_clusters",
    "choose_exponent": "weft.choosing.exponent",
    "marker_columns": "weft.columns.markers",
    "FeatureSimilaritySelector": "weft.estimators.feature_similarity",
    "FeatureClusterSelector": "weft.estimators.feature_similarity",
    "ConstrainedKMeans": "weft.estimators.constrained_kmeans",
    "EntropyKMeans": "weft.estimators.entropy_kmeans",
    "LocallyAdaptiveKMeans": "weft.estimators.entropy_kmeans",
    "ProjectedSwarm": "weft.estimators.projected_swarm",
    "CountNormalizer": "weft.estimators.count_normalizer",
    "RangeScaler": "weft.estimators.range_scaler",
    "TablePreparer": "weft.estimators.table_preparer",
    "WeightedKMeans": "weft.estimators.weighted_kmeans",
    "AutoCluster": "weft.estimators.auto_cluster",
    "FeatureSwarm": "weft.estimators.feature_swarm",
    "DynamicSwarm": "weft.estimators.dynamic_swarm",
    "GeneticClustering": "weft.estimators.genetic_clustering",
    "KernelKMeans": "weft.estimators.kernel_kmeans",
    "KernelSubtractive": "weft.estimators.kernel_subtractive",
    "KernelSwarm": "weft.estimators.kernel_swarm",
    "StagedSwarm": "weft.estimators.staged_swarm",
}
_SUBMODULES = ("callbacks", "datasets", "io", "metrics", "plot", "sc")

__all__ = [*_PUBLIC, *_SUBMODULES, "__version__"]


# Without a lock, two threads that import names at the same time could each find scikit-learn partly
# imported, and fail.
_importing = threading.RLock()


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC and name not in _SUBMODULES:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    with _importing:
        if name in _PUBLIC:
            value = getattr(import_module(_PUBLIC[name]), name)
        else:
            value = import_module(f"weft.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
