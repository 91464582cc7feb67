"""The interface of clusterers, and any scikit-learn clusterer that takes distances."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from weft._base.labels import number_by_first_row
from weft.backends.spaces import Partitions, Spaces


class Clusterer:
    """A distance-based clusterer; it gets the `Spaces` of some particles, never a particle.

    Subclass it and write `cluster`; the rest has defaults. It runs on every backend as long as it
    uses the operations of the spaces alone, or `Spaces.to_host` for what needs NumPy.
    """

    n_matrices: ClassVar[int] = 0  # number of n × n arrays that it needs
    precision: ClassVar[str] = "float64"  # "float32" if it resolves rounding errors itself
    pair_bytes: ClassVar[int] = 20  # per particle and pair of rows, on a GPU
    on_gpu: ClassVar[bool] = True  # whether it works on the arrays of a GPU
    recordable: ClassVar[bool] = False  # whether its steps on a GPU never wait for the host

    def prepare(self, full: Spaces) -> Self:
        """Return the clusterer with its data-dependent settings computed and its requirements
        checked.

        `full` is the space of one particle with all features at weight 1.
        """
        return self

    def cluster(self, spaces: Spaces) -> Partitions:
        """Cluster the rows once for each particle."""
        raise NotImplementedError


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
