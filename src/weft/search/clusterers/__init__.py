"""Distances in, labels out. A clusterer sees a `Space`, never a particle."""

from __future__ import annotations

import warnings
from typing import Any

from weft._base.validation import check_choice, check_params
from weft.search.clusterers.affinity import AffinityPropagation
from weft.search.clusterers.base import Clusterer, Clustering
from weft.search.clusterers.dbscan import DBSCAN
from weft.search.clusterers.external import ExternalClusterer
from weft.search.clusterers.knn_graph import KNNGraph
from weft.search.clusterers.linkage import CompleteLinkage

CLUSTERERS = {
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
    "Clustering",
    "CompleteLinkage",
    "KNNGraph",
    "make_clusterer",
]


def make_clusterer(
    clusterer: Any, params: dict[str, Any] | None, *, n_clusters: int | None, seed: int
) -> Clusterer:
    """Return the clusterer of that name, or one around a scikit-learn object."""
    if not isinstance(clusterer, str):
        if params:
            raise ValueError(
                f"clusterer_params={params!r} goes with a clusterer's name; "
                f"set the parameters on the {type(clusterer).__name__} object itself."
            )
        return ExternalClusterer(clusterer, n_clusters=n_clusters, seed=seed)
    check_choice("clusterer", clusterer, CLUSTERERS)
    given = dict(params or {})
    if clusterer == "linkage":
        given.setdefault("n_clusters", n_clusters)
    elif n_clusters is not None:
        warnings.warn(
            f"n_clusters={n_clusters} is not used: clusterer={clusterer!r} finds the number "
            "itself; use clusterer='linkage' to fix it.",
            UserWarning,
            stacklevel=3,
        )
    return check_params(f"clusterer {clusterer!r}", given, CLUSTERERS[clusterer])
