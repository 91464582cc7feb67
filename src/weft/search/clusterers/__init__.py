"""Clusterers, from distances to labels; `FeatureSwarm` takes them by name."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from weft._base.records import with_fields
from weft._base.validation import check_choice, check_params
from weft._base.warnings import warn_caller
from weft.search.clusterers.affinity import AffinityPropagation
from weft.search.clusterers.base import Clusterer, ExternalClusterer
from weft.search.clusterers.dbscan import DBSCAN
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
    "clusterer_with",
    "make_clusterer",
    "name_of",
]


def make_clusterer(
    clusterer: Any,
    params: Mapping[str, Any] | None = None,
    *,
    n_clusters: int | None,
    seed: int,
) -> Clusterer:
    """Return the clusterer of that name, the object itself, or a wrapper of a scikit-learn one."""
    if not isinstance(clusterer, str):
        if params:
            raise ValueError(
                f"clusterer_params={params!r} needs the name of a clusterer; "
                f"set the parameters on the {type(clusterer).__name__} object itself."
            )
        if isinstance(clusterer, Clusterer):
            if n_clusters is not None:
                _warn_not_used(n_clusters, f"{type(clusterer).__name__} has its own settings")
            return clusterer
        return ExternalClusterer(clusterer, n_clusters=n_clusters, seed=seed)
    check_choice("clusterer", clusterer, CLUSTERERS)
    given = dict(params or {})
    kind = CLUSTERERS[clusterer]
    if "n_clusters" in signature(kind).parameters:
        given.setdefault("n_clusters", n_clusters)
    elif n_clusters is not None:
        _warn_not_used(n_clusters, f"clusterer={clusterer!r} finds the number itself")
    return check_params(f"clusterer {clusterer!r}", given, kind)


def _warn_not_used(n_clusters: int, why: str) -> None:
    warn_caller(
        f"n_clusters={n_clusters} is not used: {why}; use clusterer='linkage' to fix the number."
    )


def clusterer_with(clusterer: Any, settings: Mapping[str, Any] | None) -> Any:
    """Return a clusterer, given by name or as an object, with other settings."""
    if not settings:
        return clusterer
    if not isinstance(clusterer, str):
        return with_fields(clusterer, Clusterer, settings)
    check_choice("clusterer", clusterer, CLUSTERERS)
    return check_params(f"clusterer {clusterer!r}", settings, CLUSTERERS[clusterer])


def name_of(clusterer: Any) -> str:
    """Return the name of a clusterer in the registry; "" for objects of other classes."""
    if isinstance(clusterer, str):
        return clusterer
    return next((name for name, kind in CLUSTERERS.items() if type(clusterer) is kind), "")
