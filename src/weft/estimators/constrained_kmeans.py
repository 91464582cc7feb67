"""K-means with pairs of rows that must, or must not, share a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from weft._base.records import Merge
from weft._base.validation import check_choice, check_integer
from weft.estimators._centers import CenterClusterer
from weft.estimators._declared import FITNESS, declare
from weft.estimators._declared_centers import CENTERS, INIT, METRIC, PATTERNS, START
from weft.estimators._moved_params import Moved, MovedParamsMixin
from weft.estimators.weighted_kmeans import read_rule
from weft.kmeans.anomalous import read_anomalous
from weft.kmeans.constraints import (
    GROUP_DISTANCES,
    ConstrainedAssignment,
    ConstrainedMembership,
    make_groups,
    read_pairs,
)
from weft.models.kinds import Choice, Number, OneOf


class ConstrainedKMeans(MovedParamsMixin, CenterClusterer):
    """K-means that satisfies must-link and cannot-link pairs.

    ``init="random"`` gives COP-KMeans [1]_, ``init="anomalous"`` constrained intelligent K-Means
    [2]_; feature weights and a Minkowski metric may be added.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters. None: as many as there are anomalous patterns of at least two rows, or
        the ``min_cluster_size`` of an `AnomalousStart`; needs ``init="anomalous"``, whose patterns
        satisfy the constraints.
    weight_exponent : float or "same", default="same"
        The power β of the weights; "same" takes p.
    weights : {"cluster", "global", None}, default=None
        Feature weights, as in `WeightedKMeans`.
    n_init : int or "auto", default="auto"
        Number of starts. Starts that cannot satisfy the constraints are left out.
    group_distance : {"sum", "first"}, default="sum"
        How the cluster of rows tied by must-links is chosen. "sum": the cluster with the smallest
        sum of distances over them. "first": the cluster nearest to their first row, as COP-KMeans
        was published; the result then depends on the order of the rows.
    max_retries : int, default=100
        How often an assignment that cannot satisfy the constraints is repeated in another order.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; the constraints hold. (`predict` does not use constraints.)

    References
    ----------
    .. [1] K. Wagstaff, C. Cardie, S. Rogers, S. Schroedl, "Constrained k-means clustering with
       background knowledge", ICML 2001.
    .. [2] R. C. de Amorim, "Constrained Intelligent K-Means: Improving Results with Limited
       Previous Knowledge", ADVCOMP 2008; algorithm 4.2 of the thesis of 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import ConstrainedKMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    >>> model = ConstrainedKMeans(2).fit(X, must_link=[(2, 3)], cannot_link=[(0, 2)])
    >>> bool(model.labels_[2] == model.labels_[3]), bool(model.labels_[0] == model.labels_[2])
    (True, False)
    """

    _records: ClassVar[Mapping[str, Merge]] = {"init": START}
    _moved = (Moved(("min_cluster_size",), "init", START),)
    _schema = declare(
        {**CENTERS, **METRIC, "inertia_": FITNESS, "anomalous_patterns_": PATTERNS},
        weight_exponent=OneOf(Choice("same"), Number(low=1.0)),
        weights=Choice("cluster", "global", None),
        init=INIT,
        group_distance=Choice(*GROUP_DISTANCES),
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distance_exponent: float = 2.0,
        weight_exponent: float | str = "same",
        weights: str | None = None,
        init: Any = "anomalous",
        n_init: int | str = "auto",
        dispersion_offset: float | str = "mean",
        group_distance: str = "sum",
        max_retries: int = 100,
        max_iter: int = 300,
        tol: float = 0.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_exponent = distance_exponent
        self.weight_exponent = weight_exponent
        self.weights = weights
        self.init = init
        self.n_init = n_init
        self.dispersion_offset = dispersion_offset
        self.group_distance = group_distance
        self.max_retries = max_retries
        self.max_iter = max_iter
        self.tol = tol
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None
    ) -> ConstrainedKMeans:
        """Cluster the rows of `X` under constraints.

        Parameters
        ----------
        must_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers that share a cluster.
        cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers that do not share a cluster.
        """
        table = self._read_fit(X, None)
        n_rows, n_features = table[0].shape
        groups = make_groups(
            read_pairs("must_link", must_link, n_rows),
            read_pairs("cannot_link", cannot_link, n_rows),
            n_rows,
        )
        retries = check_integer("max_retries", self.max_retries, low=0)
        by = check_choice("group_distance", self.group_distance, GROUP_DISTANCES)
        settings = self._read_settings(n_features, n_rows)
        make_rule = read_rule(
            weights=self.weights,
            distance_exponent=settings.exponent,
            weight_exponent=self.weight_exponent,
            dispersion_offset=self.dispersion_offset,
            pattern_offset=read_anomalous(self.init).pattern_offset,
        )
        self._alternate(
            table,
            settings,
            make_rule,
            self._generator(),
            make_assign=lambda: ConstrainedAssignment(groups, retries, by),
            membership=ConstrainedMembership(groups, by),
        )
        return self

    def fit_predict(self, X: Any, y: Any = None, **constraints: Any) -> np.ndarray:
        """Cluster the rows of `X` and return their clusters.

        Parameters
        ----------
        **constraints : array-like
            ``must_link`` and ``cannot_link``, as in `fit`.
        """
        return self.fit(X, y, **constraints).labels_
