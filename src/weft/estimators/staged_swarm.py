"""StagedSwarm: clusters, features and the number of clusters in one search.

A. Lensen, B. Xue and M. Zhang, "Using Particle Swarm Optimisation and the Silhouette Metric to
Estimate the Number of Clusters, Select Features, and Perform Clustering".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft._base.records import Merge, RecordParameter
from weft.answers.membership import center_softness, soften
from weft.backends import CPU, backend_for
from weft.estimators._declared_swarms import STAGED_SWARM
from weft.estimators._mixins import ColumnsMixin, PredictMixin
from weft.estimators._moved_params import VERBOSE, Moved, MovedParamsMixin
from weft.estimators._search_estimator import SearchEstimator
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.methods.staged.search import StagedSearch, search_stages
from weft.methods.staged.settings import ClusterEstimate, RangeScaling, read_estimate
from weft.parallel.threads import local_threads
from weft.search.swarms.staged import StagedPSO

# Old names of parameters that are now settings of the swarm.
_OF_THE_SWARM = ("inertia", "cognitive", "social", "max_velocity", "initial_velocity")


class StagedSwarm(MovedParamsMixin, ColumnsMixin, SoftAnswersMixin, PredictMixin, SearchEstimator):
    """Finds clusters, the features that separate them, and their number (2- and 3-stage PSO).

    Stage 1 estimates the number of clusters, K_est, by the silhouette over k-means. In stage 2 a
    particle says which features are selected and which rows are medoids; every row belongs to its
    nearest medoid over the selected features. The fitness, between / within on all features × a
    term for few features × a term for K near K_est, is maximised. Stage 3 moves the centroids of
    the clusters of the best medoids. `predict` assigns rows to the nearest prototype, over the
    selected features, or over all features if polished.

    The published form is the default. ``polish="lloyd"`` instead of stage 3 performed better, and
    ``polish="prune"`` better still with many clusters.

    Parameters
    ----------
    stages : {1, 2, 3}, default=2
        1: medoids without an estimate (D-PSO). 2: estimate, then medoids. 3: estimate, medoids,
        then centroids.
    feature_term : {"elliptical", "linear", "none"}, default=None
        "elliptical": √(m² - m'²) / m, which hardly penalises a few more features. "linear": (m -
        m') / m, for m' of m features. None: linear for ``stages=1``, elliptical otherwise, as
        published.
    quality : {"between-within", "calinski-harabasz"}, default="between-within"
        Quality of the clusters. Between / within grows with K; the other form does not.
    polish : {None, "lloyd", "prune"}, default=None
        Instead of stage 3: steps of k-means on all features from the clusters found; ``"prune"``
        also drops centres while the fitness improves.
    n_clusters_estimate : int or ClusterEstimate, default=None
        K_est, if it is known; None runs stage 1. Further settings (repetitions of stage 1, how
        strongly K_est binds): :class:`weft.methods.staged.ClusterEstimate`.
    max_clusters : int, default=None
        Maximum number of clusters; None is ⌊√n⌋, but at least 2.
    scale : bool, default=True
        Scale every column to [0, 1] before the search.
    n_particles, n_generations : int, default=100, 500
        Size of the swarm, and number of generations in each of stages 2 and 3.
    swarm : "standard" or StagedPSO, default="standard"
        Settings of the swarm: inertia, pulls and velocities of
        :class:`weft.search.swarms.staged.StagedPSO`.
    patience : int, default=None
        Stop a stage after this many generations without improvement; None runs them all.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the arithmetic runs. ``"cuda"`` evaluates the whole swarm at once on a GPU (needs
        torch), with the same result as the CPU. ``"auto"`` uses a GPU if there is one and the
        search is large enough.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        1 for selected features, 0 for the others.
    n_clusters_estimate_ : int or None
        K_est; None for ``stages=1``.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster's rows, over all features.
    fitness_ : float
        Fitness of the best particle, before the polish; 0 if there was no valid solution.
    history_ : dict of ndarray
        One entry per generation: stage, generation, best_fitness, mean_fitness, seconds,
        n_features, n_clusters.
    n_iter_ : int
        Generations that were evaluated, stages 2 and 3 together.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import StagedSwarm
    >>> model = StagedSwarm(n_generations=100, random_state=0).fit(load_iris().data)
    >>> model.n_clusters_, int(model.get_support().sum())
    (3, 1)
    """

    _schema = STAGED_SWARM
    _records: ClassVar[Mapping[str, Merge]] = {
        "n_clusters_estimate": RecordParameter(ClusterEstimate, ClusterEstimate),
        "swarm": RecordParameter(StagedPSO, lambda name: StagedPSO()),
    }
    _moved = (
        Moved(("n_estimates", "k_spread"), "n_clusters_estimate", _records["n_clusters_estimate"]),
        Moved(_OF_THE_SWARM, "swarm", _records["swarm"]),
        VERBOSE,
    )

    def __init__(
        self,
        stages=2,
        *,
        feature_term=None,
        quality="between-within",
        polish=None,
        n_clusters_estimate=None,
        max_clusters=None,
        scale=True,
        n_particles=100,
        n_generations=500,
        swarm="standard",
        patience=None,
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.stages = stages
        self.feature_term = feature_term
        self.quality = quality
        self.polish = polish
        self.n_clusters_estimate = n_clusters_estimate
        self.max_clusters = max_clusters
        self.scale = scale
        self.n_particles = n_particles
        self.n_generations = n_generations
        self.swarm = swarm
        self.patience = patience
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def _check_settings(self) -> None:
        if self.stages == 3 and self.polish is not None:
            raise ValueError(
                f"polish={self.polish!r} replaces stage 3; set stages=2, or polish=None."
            )

    def _fit_rows(self, X: Floats, seed: int) -> None:
        self._fit_scaling = RangeScaling.of(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        search = StagedSearch(
            stages=self.stages,
            feature_term=self.feature_term,
            quality=self.quality,
            polish=self.polish,
            estimate=read_estimate(self.n_clusters_estimate),
            max_clusters=self.max_clusters,
            n_particles=self.n_particles,
            swarm=self.swarm if isinstance(self.swarm, StagedPSO) else StagedPSO(),
            backend=backend_for(self.device, "prototypes", rows.size),
            n_threads=local_threads(self.n_jobs),
        )
        partition, estimate, stages = search_stages(rows, search, seed, self._search)
        self.labels_ = partition.labels
        self.n_clusters_ = len(partition.prototypes)
        self.n_clusters_estimate_ = estimate
        self.fitness_ = stages[-1].fitness
        self._keep_history(*stages)
        self._warn_if_one_cluster()
        self.feature_weights_ = np.zeros(X.shape[1])
        self.feature_weights_[partition.selected] = 1.0
        self.cluster_centers_ = np.stack(
            [X[self.labels_ == cluster].mean(axis=0) for cluster in range(self.n_clusters_)]
        )
        self._fit_features = partition.features
        self._fit_prototypes = partition.prototypes

    def _nearest(self, X: Floats) -> Integers:
        operations = CPU.prototypes
        data = operations.load(self._fit_scaling.apply(X), CPU.device)
        return operations.nearest(data, self._fit_features, self._fit_prototypes)

    def _probabilities(self, rows: Floats) -> Floats:
        scaled = self._fit_scaling.apply(rows)[:, self._fit_features]
        softness = center_softness(np.ones((1, scaled.shape[1])))
        return soften(cdist(scaled, self._fit_prototypes), softness, self._nearest(rows))

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.feature_weights_ > 0.0
