"""GeneticClustering: how many clusters there are, by a genetic algorithm (GCUK).

S. Bandyopadhyay and U. Maulik, "Genetic clustering for automatic evolution of clusters and
application to image classification", Pattern Recognition 35, 2002.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from weft._base.arrays import Floats
from weft._base.scaling import check_size, standard_scaling
from weft._base.validation import check_integer, check_real
from weft.backends.devices import to_host
from weft.estimators._declared import SCALED_CENTERS, SEARCH, SHARE, declare, history
from weft.estimators._devices import choose_device
from weft.estimators._mixins import ReportMixin
from weft.estimators._scaled_centers import ScaledCentersMixin
from weft.methods.centroids.objectives import StringObjective
from weft.parallel.threads import local_threads
from weft.search.callbacks import History, Patience
from weft.search.optimize import optimize
from weft.search.reached import bind_all
from weft.search.runs import running
from weft.search.swarms.ga import GA


class GeneticClustering(ScaledCentersMixin, ReportMixin, ClusterMixin, BaseEstimator):
    """Clusters and their number by a genetic algorithm on strings of centres (GCUK).

    A string has a place for each of `max_clusters` centres, some of them empty; rows belong to the
    nearest centre, centres move to the means of their rows, and strings with a low Davies–Bouldin
    index have more offspring.

    Parameters
    ----------
    max_clusters : int, default=15
        Places in a string; the least number of clusters is 2.
    n_particles : int, default=70
        Size of the population.
    n_generations : int, default=714
        How often it is evaluated (50,000 evaluations, as printed).
    crossover, mutation : float, default=0.85, 0.005
        Chance that two strings swap their ends, and that a number changes.
    scale : bool, default=True
        Standardise columns first.
    patience : int, default=None
        Stop after so many generations without a better best; None runs them all.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the population is evaluated; ``"auto"`` takes a GPU where there is one and the table
        is large enough to pay. Draws and `predict` stay on the host.
    n_jobs : int, default=None
        Threads over strings. The result does not depend on it.
    callbacks : list of callable, default=None
        Called after each generation; see :mod:`weft.callbacks`.
    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row.
    n_clusters_ : int
        Number of clusters.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster's rows.
    fitness_ : float
        1 / Davies–Bouldin index.
    history_ : dict of ndarray
        One entry per generation: generation, best_fitness, mean_fitness, seconds, n_clusters.
    n_iter_ : int
        Generations that were evaluated.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

    Examples
    --------
    >>> from weft import GeneticClustering
    >>> from weft.datasets import make_shapes
    >>> blobs = make_shapes("blobs", n_samples=200, random_state=0)
    >>> GeneticClustering(n_generations=100, random_state=0).fit(blobs.data).n_clusters_
    4
    """

    _schema = declare(
        {**SCALED_CENTERS, "history_": history(*SEARCH, "n_clusters")},
        crossover=SHARE,
        mutation=SHARE,
    )

    def __init__(
        self,
        max_clusters=15,
        *,
        n_particles=70,
        n_generations=714,
        crossover=0.85,
        mutation=0.005,
        scale=True,
        patience=None,
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.max_clusters = max_clusters
        self.n_particles = n_particles
        self.n_generations = n_generations
        self.crossover = crossover
        self.mutation = mutation
        self.scale = scale
        self.patience = patience
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def fit(self, X, y=None, *, resume=None):
        """Breed strings of centres.

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
        X = validate_data(self, to_host(X), dtype=np.float64, order="C", ensure_min_samples=2)
        check_size(X, 0, 1)
        with running(self, X, resume) as run:
            self._search(X, np.random.default_rng(run.seed(self.random_state)))
        return self

    def _make_objective(self, rows: Floats, most: int) -> StringObjective:
        device = choose_device(self.device, "centroids", rows.size * most)
        if device == "cpu":
            return StringObjective(rows, most, n_threads=local_threads(self.n_jobs))
        from weft.methods.mercer.on_device import DeviceStringObjective

        return DeviceStringObjective(rows, most, device=device)

    def _search(self, X: Floats, rng: np.random.Generator) -> None:
        most = check_integer("max_clusters", self.max_clusters, low=2)
        swarm = GA(
            most,
            X.shape[1],
            check_real("crossover", self.crossover, low=0.0, high=1.0),
            check_real("mutation", self.mutation, low=0.0, high=1.0),
        )
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        objective = self._make_objective(self._fit_scaling.apply(X), most)
        history = History()
        calls: list[Any] = [history, *bind_all(self.callbacks, objective.labels_of)]
        if self.patience is not None:
            calls.append(Patience(self.patience))
        with objective:
            best = optimize(
                objective,
                swarm,
                objective.initial(rng, check_integer("n_particles", self.n_particles, low=2)),
                n_generations=check_integer("n_generations", self.n_generations, low=1),
                rng=rng,
                callbacks=calls,
            )
        values = best.position[most:].reshape(most, -1)[best.position[:most] > 0.5]
        self._keep_centers(X, objective.rows, values, "string")
        self.fitness_ = best.fitness
        self.history_ = history.as_arrays()
        self.n_iter_ = best.n_generations
