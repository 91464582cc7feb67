"""DynamicSwarm: clusters and their number, by binary PSO and k-means (DCPSO).

M. Omran, A. Salman and A. P. Engelbrecht, "Dynamic clustering using particle swarm optimization
with application in unsupervised image classification", 2005.
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
from weft.estimators._search_estimator import ScaledCentersMixin, SearchEstimator, SearchResult
from weft.methods.centroids.objectives import SubsetObjective
from weft.models.kinds import Number
from weft.parallel.threads import local_threads
from weft.search.swarms.binary import BinaryPSO

LLOYD_STEPS = 100


class DynamicSwarm(MovedParamsMixin, ScaledCentersMixin, SearchEstimator):
    """Clusters and their number by binary PSO over a pool of centres, and k-means (DCPSO).

    A pool of `max_clusters` rows is drawn; the bits of a particle say which of them are centres.
    The best subset is refined by k-means, the rest of the pool redrawn, and the swarm starts again,
    `n_rounds` times. Turi's index, intra / inter with a penalty for few clusters, is minimised.

    Parameters
    ----------
    max_clusters : int, default=15
        Size of the pool; the minimum number of clusters is 2.
    n_rounds, n_generations : int, default=25, 50
        How often the pool is drawn, and the number of generations for each (50,000 evaluations
        together, as published).
    inertia, cognitive, social : float, default=0.75, 1.494, 1.494
        Settings of the binary swarm.
    max_velocity : float, default=6.0
        Clamp on a bit's logit.
    initial_share : float, default=0.8
        Probability that a bit is set at the start (P_ini of the paper).
    penalty : float, default=25.0
        The constant c of the factor c·N(2, 1) + 1, which keeps solutions with two or three clusters
        from always winning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the swarm is evaluated and k-means runs; ``"auto"`` uses a GPU if there is one and the
        table is large enough. Random draws and `predict` run on the CPU.
    callbacks : list of callable, default=None
        Called after each generation; a callback that returns true ends the round.

    Attributes
    ----------
    fitness_ : float
        1 / Turi's index of the best centres, after k-means.
    history_ : dict of ndarray
        One entry per generation: round, generation, best_fitness, mean_fitness, seconds,
        n_clusters.
    n_iter_ : int
        Generations that were evaluated, all rounds together.

    Examples
    --------
    >>> from weft import DynamicSwarm
    >>> from weft.datasets import make_shapes
    >>> blobs = make_shapes("blobs", n_samples=200, random_state=0)
    >>> DynamicSwarm(n_rounds=5, random_state=0).fit(blobs.data).n_clusters_
    4
    """

    _moved = (VERBOSE,)
    _schema = declare(
        {**SCALED_CENTERS, "history_": history("round", *SEARCH, "n_clusters")},
        initial_share=SHARE,
        penalty=Number(low=0.0),
    )

    def __init__(
        self,
        max_clusters=15,
        *,
        n_particles=40,
        n_rounds=25,
        n_generations=50,
        inertia=0.75,
        cognitive=1.494,
        social=1.494,
        max_velocity=6.0,
        initial_share=0.8,
        penalty=25.0,
        scale=True,
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.max_clusters = max_clusters
        self.n_particles = n_particles
        self.n_rounds = n_rounds
        self.n_generations = n_generations
        self.inertia = inertia
        self.cognitive = cognitive
        self.social = social
        self.max_velocity = max_velocity
        self.initial_share = initial_share
        self.penalty = penalty
        self.scale = scale
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def _fit_rows(self, X: Floats, seed: int) -> None:
        rng = np.random.default_rng(seed)
        # A pool larger than the number of rows would only repeat rows.
        pool_size = min(check_integer("max_clusters", self.max_clusters, low=2), len(X))
        check_swarm(self.n_particles, pool_size)
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        objective = SubsetObjective(
            rows,
            rows[:0],
            penalty=float(self.penalty),
            n_threads=local_threads(self.n_jobs),
            backend=backend_for(self.device, "centroids", rows.size * pool_size),
        )
        swarm = BinaryPSO(
            inertia=float(self.inertia),
            cognitive=float(self.cognitive),
            social=float(self.social),
            max_velocity=float(self.max_velocity),
        )
        kept, best_centers, best_fitness = rows[:0], rows[:1], -np.inf
        rounds: list[SearchResult] = []
        for number in range(self.n_rounds):
            fresh = rows[rng.integers(len(rows), size=pool_size - len(kept))]
            objective = objective.with_pool(np.vstack([kept, fresh]))
            best = self._search(
                objective,
                swarm,
                objective.initial(rng, self.n_particles, self.initial_share),
                rng,
                n_evaluations_before=number * self.n_particles * self.n_generations,
                columns={"round": number},
            )
            rounds.append(best)
            centers, fitness = _settled(objective, best)
            if fitness > best_fitness:
                best_centers, best_fitness = centers, fitness
            kept = best_centers if best_fitness > 0.0 else rows[:0]
        self._keep_centers(X, rows, best_centers)
        self._warn_if_one_cluster()
        self.fitness_ = best_fitness
        self._keep_history(*rounds)


def _settled(objective: SubsetObjective, best: SearchResult) -> tuple[Floats, float]:
    """Return the best subset of the pool after k-means, and its fitness."""
    if best.fitness <= 0.0:
        return objective.rows[:1], 0.0
    centers = objective.settle(objective.pool[best.position > 0.5], LLOYD_STEPS)
    refined = objective.with_pool(centers)
    return centers, float(refined(np.ones((1, len(centers)))).fitness[0])
