"""Distances in, labels out: the clusterers that `FeatureSwarm` takes, by name."""

from __future__ import annotations

from inspect import signature
from typing import Any

from weft._base.validation import check_choice, check_params
from weft._base.warnings import warn_caller
from weft.search.clusterers.affinity import AffinityPropagation
from weft.search.clusterers.base import Clusterer
from weft.search.clusterers.dbscan import DBSCAN
from weft.search.clusterers.external import ExternalClusterer
from weft.search.clusterers.knn_graph import KNNGraph
from weft.search.clusterers.linkage import CompleteLinkage

CLUSTERERS: dict[str, type[Clusterer]] = {
    "knn": KNNGraph,
    "dbscan": DBSCAN,
    "linkage": CompleteLinkage,
    "affinity": AffinityPropagation,
}

__all__ = [
    "CLUSTERERS",
    "DBSCAN",
    "AffinityPropagation",
    "Clusterer",
    "CompleteLinkage",
    "KNNGraph",
    "make_clusterer",
]


def make_clusterer(
    clusterer: Any, params: dict[str, Any] | None, *, n_clusters: int | None, seed: int
) -> Clusterer:
    """Return the clusterer of that name, the object itself, or one around scikit-learn's."""
    if not isinstance(clusterer, str):
        if params:
            raise ValueError(
                f"clusterer_params={params!r} goes with a clusterer's name; "
                f"set the parameters on the {type(clusterer).__name__} object itself."
            )
        if isinstance(clusterer, Clusterer):
            return clusterer
        return ExternalClusterer(clusterer, n_clusters=n_clusters, seed=seed)
    check_choice("clusterer", clusterer, CLUSTERERS)
    given = dict(params or {})
    kind = CLUSTERERS[clusterer]
    if "n_clusters" in signature(kind).parameters:
        given.setdefault("n_clusters", n_clusters)
    elif n_clusters is not None:
        warn_caller(
            f"n_clusters={n_clusters} is not used: clusterer={clusterer!r} finds the number "
            "itself; use clusterer='linkage' to fix it."
        )
    return check_params(f"clusterer_params of clusterer {clusterer!r}", given, kind)
