"""Any scikit-learn clusterer that takes precomputed distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from weft._base.labels import number_by_first_row
from weft.backends.spaces import Partitions, Spaces
from weft.search.clusterers.base import Clusterer


class ExternalClusterer(Clusterer):
    """Fits a copy of the given object to the distance matrix of each particle."""

    n_matrices = 2
    on_gpu = False

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
            # Every particle, and every run with the same seed, gets the same random numbers.
            settings["random_state"] = seed
        self.estimator = clone(estimator).set_params(**settings)

    def cluster(self, spaces: Spaces) -> Partitions:
        raw = clone(self.estimator).fit_predict(spaces.distances()[0])
        labels = number_by_first_row(np.asarray(raw, dtype=np.int64))[np.newaxis]
        return Partitions(labels, anchors=labels >= 0)
