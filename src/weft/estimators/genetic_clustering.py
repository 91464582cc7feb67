"""GeneticClustering: clusters and their number, by a genetic algorithm (GCUK).

S. Bandyopadhyay and U. Maulik, "Genetic clustering for automatic evolution of clusters and
application to image classification", Pattern Recognition 35, 2002.
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats
from weft._base.memory import check_swarm
from weft._base.scaling import standard_scaling
from weft._base.validation import check_integer
from weft.backends import backend_for
from weft.estimators._declared import SCALED_CENTERS, SEARCH, SHARE, declare, history
from weft.estimators._moved_params import VERBOSE, MovedParamsMixin
from weft.estimators._search_estimator import ScaledCentersMixin, SearchEstimator
from weft.methods.centroids.objectives import StringObjective
from weft.parallel.threads import local_threads
from weft.search.swarms.ga import GA


class GeneticClustering(MovedParamsMixin, ScaledCentersMixin, SearchEstimator):
    """Clusters and their number by a genetic algorithm on strings of centres (GCUK).

    A string has room for `max_clusters` centres, some of them empty; rows belong to the
    nearest centre, centres move to the means of their rows, and strings with a low Davies–Bouldin
    index have more offspring.

    Parameters
    ----------
    max_clusters : int, default=15
        Number of places in a string; the minimum number of clusters is 2.
    n_particles : int, default=70
        Size of the population.
    n_generations : int, default=714
        Number of generations (50,000 evaluations, as published).
    crossover, mutation : float, default=0.85, 0.005
        Probability that two strings swap their ends, and that a number changes.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the population is evaluated; ``"auto"`` uses a GPU if there is one and the table is
        large enough. Random draws and `predict` run on the CPU.

    Attributes
    ----------
    fitness_ : float
        1 / Davies–Bouldin index.

    Examples
    --------
    >>> from weft import GeneticClustering
    >>> from weft.datasets import make_shapes
    >>> blobs = make_shapes("blobs", n_samples=200, random_state=0)
    >>> GeneticClustering(n_generations=100, random_state=0).fit(blobs.data).n_clusters_
    4
    """

    _moved = (VERBOSE,)
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

    def _fit_rows(self, X: Floats, seed: int) -> None:
        rng = np.random.default_rng(seed)
        # More places than rows would only repeat them.
        max_clusters = min(check_integer("max_clusters", self.max_clusters, low=2), len(X))
        swarm = GA(max_clusters, X.shape[1], float(self.crossover), float(self.mutation))
        n_strings = check_integer("n_particles", self.n_particles, low=2)
        check_swarm(n_strings, max_clusters * (1 + X.shape[1]))
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        objective = StringObjective(
            rows,
            max_clusters,
            n_threads=local_threads(self.n_jobs),
            backend=backend_for(self.device, "centroids", rows.size * max_clusters),
        )
        best = self._search(objective, swarm, objective.initial(rng, n_strings), rng)
        self._keep_centers(X, rows, objective.centers_of(best.position))
        self._warn_if_one_cluster(searcher="string")
        self.fitness_ = best.fitness
        self._keep_history(best)
