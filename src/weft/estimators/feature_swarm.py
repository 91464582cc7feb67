"""`FeatureSwarm`: wraps a distance-based clusterer and learns its feature weights by swarm.

O'Neill 2017, "PSO for simultaneous feature selection and weighting in high dimensional
clustering", chapters 4 to 6.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.arrays import Floats
from weft._base.labels import numbers_by_first_row
from weft._base.validation import (
    check_choice,
    check_integer,
    check_magnitude,
    check_real,
    parse_memory,
)
from weft.backends.cpu.spaces import Solution
from weft.backends.devices import device_rows, is_on_gpu, to_host
from weft.columns.screening import columns_that_matter
from weft.estimators._declared import (
    FITNESS,
    MATRIX,
    SAMPLED,
    SEARCH,
    SETTINGS,
    STEPS,
    declare,
    floats,
    history,
    positions,
    radius_has_powers,
    rows,
)
from weft.estimators._devices import choose_device
from weft.estimators._mixins import KeptFeaturesMixin, ReportMixin
from weft.models.kinds import NOTHING, Choice, Integer, Number, OneOf
from weft.parallel.workers import threads_per_process
from weft.search.callbacks import History, Patience, Progress
from weft.search.clusterers import CLUSTERERS, make_clusterer
from weft.search.criteria import CRITERIA, Criterion, Robust, make_criterion
from weft.search.labelling import nearest_rows_of, representative_rows
from weft.search.objectives import FeatureObjective
from weft.search.optimize import optimize
from weft.search.particles import (
    INITS,
    Particle,
    SelectionParticle,
    WeightExponentParticle,
    WeightParticle,
)
from weft.search.runs import running
from weft.search.swarms.binary import BinaryPSO
from weft.search.swarms.pso import PSO

if TYPE_CHECKING:
    from weft.search.device_objectives import DeviceObjective


class FeatureSwarm(ReportMixin, KeptFeaturesMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Clustering that learns which features matter, by particle swarm (PSO-FSW, PSO-FSWE).

    A particle holds one number per feature: the feature's weight, or, at 0 and below, the word
    that it is dropped. The rows are clustered in the metric that the weights define, the
    clustering is scored, and the swarm moves towards the weights that scored best.

    Columns are taken as they come: put a scaler in front if they are in different units.

    Parameters
    ----------
    clusterer : {"knn", "dbscan", "linkage", "affinity"} or object, default="knn"
        What clusters the rows: components of the graph of 3 nearest neighbours, DBSCAN, complete
        linkage (needs `n_clusters`), affinity propagation, or any scikit-learn clusterer that
        takes precomputed distances.
    criterion : {"csc", "bcr", "silhouette", "connectedness", "sparsity", "separation", "bic", \
"robust"} or callable, default="csc"
        What is maximised. ``"robust"``, which is ours, judges all labels on one graph of
        neighbours, that of the columns which matter (see ``init="screened"``): two halves cannot
        win where more clusters are apart. A callable gets the weighted, selected columns and the
        labels.
    exponents : bool, default=False
        Learn an exponent per feature as well, within [1, 3] (PSO-FSWE).
    encoding : {"weights", "binary"}, default="weights"
        Weights, or plain selection by binary PSO.
    n_clusters : int, default=None
        For ``clusterer="linkage"``, or for an object that has such a parameter; the others find
        the number themselves and say that they do.
    clusterer_params : dict, default=None
        ``"knn"``: n_neighbors; ``"dbscan"``: eps (None: taken from the data), min_samples;
        ``"affinity"``: damping, preference, max_iter, convergence_iter.
    criterion_params : dict, default=None
        ``"csc"``: silhouette and connectedness, each ``"weighted"`` or ``"full"``, n_neighbors,
        cap; ``"bcr"`` and ``"bic"``: artificial_noise; ``"robust"``: n_neighbors; all: outliers
        (``"cluster"`` or ``"exclude"``), what rows in no cluster count as.
    n_particles : int, default=30
        Size of the swarm.
    n_generations : int, default=30
        How often the swarm is evaluated, at most.
    patience : int, default=5
        Stop after so many generations without a better best; None runs all generations.
    inertia : float, default=0.73
        How much of its velocity a particle keeps.
    cognitive, social : float, default=1.5
        Pull of the particle's own best position and of the swarm's.
    max_velocity : float, default=1.0
        Largest step in a dimension. With ``encoding="binary"`` the clamp on a bit's logit is six
        times this.
    init : {"uniform", "small", "mixed", "screened"} or array of shape \
(n_particles, n_dimensions), default="uniform"
        First positions: uniform in [-2, 2] as in the paper; a random tenth of the features, as
        forward search would start; two thirds of the swarm like that and the rest from large
        subsets; around the columns that depend on each other more than permuted copies do, as
        `AutoCluster` finds them; or given.
    max_samples : int or None, default=None
        Search on no more rows than this: a sample of that size, drawn by density, from which the
        other rows get the label of their nearest neighbour in the learned metric. For tables of
        more than about 10,000 rows, whose pairwise distances take too long. None: all rows.
    max_memory : int or str, default="1GiB"
        What distance matrices may take; beyond it distances are made again in blocks.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the arithmetic runs. ``"cuda"`` evaluates the whole swarm at once on a GPU (needs
        torch) and takes torch tensors and CuPy arrays that lie there; the same seed walks the same
        path. ``"auto"`` takes a GPU if there is one and the search is large enough.
    n_jobs : int, default=None
        Threads over particles. The result does not depend on it.
    callbacks : list of callable, default=None
        Called after each generation; see :mod:`weft.callbacks`.
    verbose : int, default=0
        1 shows a progress bar.
    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row; -1 for rows in none.
    n_clusters_ : int
        Number of clusters.
    feature_weights_ : ndarray of shape (n_features,)
        Weight of each feature; 0 where it was dropped.
    feature_exponents_ : ndarray of shape (n_features,) or None
        Exponent of each feature, with ``exponents=True``.
    fitness_ : float
        Value of the criterion, in double precision; -inf if no particle found two clusters.
    history_ : dict of ndarray
        One entry per generation: generation, best_fitness, mean_fitness, seconds, n_features,
        n_clusters.
    n_iter_ : int
        Generations that were evaluated.
    n_samples_search_ : int
        Rows that the search ran on.
    sample_agreement_ : float or None
        With `max_samples`: a second sample, clustered with the same weights, compared with the
        answer on its rows (adjusted Rand index: 1 the same groups, 0 no more alike than chance).
        Low values say that the answer depends on the draw; None where there was none.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import StandardScaler
    >>> from weft import FeatureSwarm
    >>> X = StandardScaler().fit_transform(load_iris().data)
    >>> model = FeatureSwarm("linkage", n_clusters=3, random_state=0).fit(X)
    >>> model.n_clusters_
    3
    >>> model.transform(X).shape[1] == len(model.get_feature_names_out())
    True
    """

    _schema = declare(
        {
            "labels_": positions("n_samples", "n_clusters", low=-1),
            "n_clusters_": Integer(high="n_samples", binds="n_clusters"),
            "feature_weights_": floats("n_features", low=0.0),
            "feature_exponents_": OneOf(NOTHING, floats("n_features", low=1.0, high=3.0)),
            "fitness_": FITNESS,
            "history_": history(*SEARCH, "n_features", "n_clusters"),
            "n_iter_": STEPS,
            **SAMPLED,
            "_fit_anchors": rows("n_anchors", least=0),
            "_fit_anchor_labels": positions("n_anchors", "n_clusters", low=-1, least=0),
            "_fit_radius": Number(low=0.0, high=1e150, inf=True),
        },
        rules=(radius_has_powers,),
        clusterer=Choice(*CLUSTERERS),
        criterion=Choice(*CRITERIA),
        encoding=Choice("weights", "binary"),
        clusterer_params=SETTINGS,
        criterion_params=SETTINGS,
        init=OneOf(Choice(*INITS), MATRIX),
    )

    def __init__(
        self,
        clusterer="knn",
        *,
        criterion="csc",
        exponents=False,
        encoding="weights",
        n_clusters=None,
        clusterer_params=None,
        criterion_params=None,
        n_particles=30,
        n_generations=30,
        patience=5,
        inertia=0.73,
        cognitive=1.5,
        social=1.5,
        max_velocity=1.0,
        init="uniform",
        max_samples=None,
        max_memory="1GiB",
        device="cpu",
        n_jobs=None,
        callbacks=None,
        verbose=0,
        random_state=None,
    ):
        self.clusterer = clusterer
        self.criterion = criterion
        self.exponents = exponents
        self.encoding = encoding
        self.n_clusters = n_clusters
        self.clusterer_params = clusterer_params
        self.criterion_params = criterion_params
        self.n_particles = n_particles
        self.n_generations = n_generations
        self.patience = patience
        self.inertia = inertia
        self.cognitive = cognitive
        self.social = social
        self.max_velocity = max_velocity
        self.init = init
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X, y=None, *, resume=None):
        """Search for the weights and cluster the rows with the best ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.
        y : ignored
            There for scikit-learn's sake.
        resume : str or Path, default=None
            A checkpoint of this fit, to go on from; see :class:`weft.callbacks.Checkpoint`.

        Returns
        -------
        self
            The fitted estimator.
        """
        work = f"features-{self.clusterer}" if isinstance(self.clusterer, str) else ""
        if is_on_gpu(X):
            device = choose_device(self.device, work, np.inf)
            if device == "cpu":
                raise ValueError(
                    "X lies in GPU memory, but the search runs on the CPU; pass device='cuda', or "
                    "move X to the host first."
                )
            validate_data(self, X, skip_check_array=True)
            X = device_rows(X)
        else:
            X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
            check_magnitude(X)
            device = choose_device(self.device, work, len(X) * X.size)
        with running(self, X, resume) as run:
            self._search(X, run.seed(self.random_state), device)
        return self

    def _search(self, X: Any, seed: int, device: str) -> None:
        most = len(X)
        if self.max_samples is not None:
            most = min(most, check_integer("max_samples", self.max_samples, low=2))
        table = X
        if most < len(table):
            table = to_host(table)
            X = self._draw(table, most, seed, 1)
        self._search_rows(X, seed, device)
        self.n_samples_search_, self.sample_agreement_ = most, None
        if most < len(table):
            self._label_rest(table)
            self.sample_agreement_ = self._agreement(table, most, seed, device)

    def _draw(self, X: Floats, size: int, seed: int, number: int) -> Floats:
        """Return the rows of the search's sample (1), or of the one to compare it with (2)."""
        rng = np.random.default_rng([seed, number])
        n_threads = threads_per_process(self.n_jobs)
        return X[representative_rows(X, size, rng, n_threads=n_threads)]

    def _label_rest(self: Any, X: Floats) -> None:
        """Label all rows by those of the sample, and number the clusters by their first row."""
        labels = self._nearest_labels(X)
        numbers = numbers_by_first_row(labels, self.n_clusters_)
        self.labels_ = np.where(labels >= 0, numbers[labels], -1)
        self._fit_anchor_labels = numbers[self._fit_anchor_labels]

    def _agreement(self, X: Floats, size: int, seed: int, device: str) -> float:
        other = self._draw(X, size, seed, 2)
        particle = self._make_particle(X.shape[1])
        criterion = make_criterion(self.criterion, self.criterion_params)  # is not asked
        objective = self._make_objective(other, particle, criterion, seed, device)
        solution = Solution(self.feature_weights_, self.feature_exponents_)
        again = objective.cluster(solution).labels
        return float(adjusted_rand_score(self._nearest_labels(other), again))

    def _search_rows(self, X: Any, seed: int, device: str) -> None:
        rng = np.random.default_rng(seed)
        swarm = self._make_swarm()
        particle = self._make_particle(X.shape[1])
        criterion = make_criterion(self.criterion, self.criterion_params)
        from_screened = isinstance(self.init, str) and self.init == "screened"
        screened = None
        if from_screened or isinstance(criterion, Robust):
            rows = to_host(X)
            screened = columns_that_matter(rows, seed)
            if isinstance(criterion, Robust):
                criterion = criterion.on(rows[:, screened] if screened.any() else rows)
        objective = self._make_objective(X, particle, criterion, seed, device)
        n_particles = check_integer("n_particles", self.n_particles, low=1)
        n_generations = check_integer("n_generations", self.n_generations, low=1)
        history = History()
        callbacks = self._make_callbacks(history)
        with objective:
            best = optimize(
                objective,
                swarm,
                particle.initial(rng, n_particles, self.init, screened),
                n_generations=n_generations,
                rng=rng,
                callbacks=callbacks,
            )
        self._keep(objective, particle.decode(best.position), best.fitness)
        self.history_ = history.as_arrays()
        self.n_iter_ = best.n_generations

    def _make_objective(
        self, X: Any, particle: Particle, criterion: Criterion, seed: int, device: str
    ) -> FeatureObjective | DeviceObjective:
        clusterer = make_clusterer(
            self.clusterer, self.clusterer_params, n_clusters=self.n_clusters, seed=seed
        )
        memory = parse_memory("max_memory", self.max_memory)
        if device == "cpu":
            return FeatureObjective(
                X, particle, clusterer, criterion, max_memory=memory, n_jobs=self.n_jobs
            )
        from weft.search.device_objectives import DeviceObjective

        return DeviceObjective(X, particle, clusterer, criterion, max_memory=memory, device=device)

    def _make_swarm(self) -> PSO:
        check_choice("encoding", self.encoding, ("weights", "binary"))
        settings = {
            "inertia": check_real("inertia", self.inertia, low=0.0),
            "cognitive": check_real("cognitive", self.cognitive, low=0.0),
            "social": check_real("social", self.social, low=0.0),
        }
        clamp = check_real("max_velocity", self.max_velocity, low=0.0, open_low=True)
        if self.encoding == "binary":
            return BinaryPSO(max_velocity=6.0 * clamp, **settings)
        return PSO(max_velocity=clamp, **settings)

    def _make_particle(self, n_features: int) -> Particle:
        if self.encoding == "binary":
            if self.exponents:
                raise ValueError(
                    "exponents=True needs encoding='weights': a bit has no room for an exponent; "
                    "set one of the two back."
                )
            return SelectionParticle(n_features)
        return WeightExponentParticle(n_features) if self.exponents else WeightParticle(n_features)

    def _make_callbacks(self, history: History) -> list[Any]:
        callbacks: list[Any] = [history]
        if self.patience is not None:
            callbacks.append(Patience(self.patience))
        if self.verbose:
            bar = Progress()
            bar.open()
            callbacks.append(bar)
        return callbacks + list(self.callbacks or [])

    def _keep(
        self, objective: FeatureObjective | DeviceObjective, solution: Solution, fitness: float
    ) -> None:
        if not np.isfinite(fitness):
            warnings.warn(
                "no particle split the rows into two or more clusters; the rows are clustered "
                "with all features at weight 1 instead. Try another clusterer or its parameters.",
                ConvergenceWarning,
                stacklevel=6,
            )
            n_features = len(solution.weights)
            exponents = None if solution.exponents is None else np.full(n_features, 2.0)
            solution = Solution(np.ones(n_features), exponents)
        clustering = objective.cluster(solution)
        self.labels_ = clustering.labels
        self.n_clusters_ = int(clustering.labels.max()) + 1
        self.feature_weights_ = solution.weights
        self.feature_exponents_ = solution.exponents
        self.fitness_ = objective.score(solution, clustering) if np.isfinite(fitness) else fitness
        self._fit_anchors = objective.rows(clustering.anchors)
        self._fit_anchor_labels = clustering.labels[clustering.anchors]
        self._fit_radius = clustering.radius

    def predict(self, X):
        """Label rows: the cluster of the nearest row (core row, exemplar) seen in fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters; -1 for rows in none (DBSCAN: farther than eps from every core row).
        """
        check_is_fitted(self)
        X = validate_data(self, to_host(X), dtype=np.float64, reset=False)
        return self._nearest_labels(X)

    def _nearest_labels(self, X: Floats) -> NDArray[np.int64]:
        if len(self._fit_anchors) == 0:
            return np.full(len(X), -1, dtype=np.int64)
        solution = Solution(self.feature_weights_, self.feature_exponents_)
        n_threads = threads_per_process(self.n_jobs)
        nearest = nearest_rows_of(X, self._fit_anchors, solution, n_threads=n_threads)
        labels = self._fit_anchor_labels[nearest.indices]
        root = 2.0 if solution.exponents is None else solution.exponents[self.get_support()].mean()
        # The same comparison as in the clusterer: powered distances on both sides.
        labels[nearest.powered > self._fit_radius**root] = -1
        return labels

    def transform(self, X):
        """Return the selected columns, each times its weight.

        Euclidean distances between the returned rows are the distances that the search learned
        (with ``exponents=True``: before the exponents).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_selected)
            Weighted, selected columns.
        """
        check_is_fitted(self)
        X = validate_data(self, to_host(X), dtype=np.float64, reset=False)
        support = self.get_support()
        return X[:, support] * self.feature_weights_[support]
