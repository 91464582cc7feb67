"""Any scikit-learn clusterer that takes precomputed distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from weft._base.labels import number_by_first_row
from weft.backends.cpu.spaces import Space
from weft.search.clusterers.base import Clustering


class ExternalClusterer:
    """Hands each particle's distance matrix to a fresh copy of the given object."""

    n_matrices = 2
    precision = "float64"

    def __init__(self, estimator: Any, *, n_clusters: int | None, seed: int) -> None:
        name = type(estimator).__name__
        if not hasattr(estimator, "get_params") or not hasattr(estimator, "fit_predict"):
            raise TypeError(
                f"clusterer={name} is neither a known name nor a scikit-learn clusterer; pass a "
                "name or an object with get_params and fit_predict."
            )
        params = estimator.get_params(deep=False)
        key = next((key for key in ("metric", "affinity") if key in params), None)
        if key is None:
            raise TypeError(
                f"clusterer={name} has no 'metric' parameter, so it cannot take the distances that "
                "the search learns; pass a clusterer with metric='precomputed'."
            )
        settings: dict[str, Any] = {key: "precomputed"}
        if n_clusters is not None and "n_clusters" in params:
            settings["n_clusters"] = n_clusters
        if params.get("random_state", 0) is None:
            # Every particle gets the same draws, and so does every run with the same seed.
            settings["random_state"] = seed
        self.estimator = clone(estimator).set_params(**settings)

    def prepare(self, full: Space) -> ExternalClusterer:
        return self

    def cluster(self, space: Space) -> Clustering:
        distances = space.to_distances(space.matrix())
        labels = np.asarray(clone(self.estimator).fit_predict(distances), dtype=np.int64)
        return Clustering(number_by_first_row(labels), np.flatnonzero(labels >= 0))
