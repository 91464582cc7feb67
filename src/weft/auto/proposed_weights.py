"""Weights that a swarm proposes, from the screened columns on."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from weft._base.arrays import Floats, Integers
from weft.backends import backend_for
from weft.columns.screening import columns_that_matter
from weft.kmeans.plain import sample
from weft.search.callbacks import Patience
from weft.search.clusterers import KNNGraph
from weft.search.criteria import Robust
from weft.search.feature_search import FeatureSearch, search_features
from weft.search.optimize import optimize
from weft.search.particles import WeightParticle
from weft.search.swarms import PSO

MOST_ROWS = 500
N_PARTICLES = 16
N_GENERATIONS = 12
PATIENCE = 5
LEAST_WEIGHT = 0.2


def propose_weights(
    rows: Floats,
    labels: Integers,
    seed: int,
    *,
    device: str = "cpu",
    callbacks: list[Any] | None = None,
) -> Floats:
    """Return weights of the columns under which the graph of neighbours falls into clusters."""
    part = sample(rows, MOST_ROWS, np.random.default_rng([seed, 5]))
    search_seed = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
    search = FeatureSearch(
        WeightParticle(part.shape[1]),
        KNNGraph(),
        Robust(),
        PSO(),
        backend_for(device, "features-knn", len(part) * part.size),
        n_particles=N_PARTICLES,
        init="screened",
    )
    move = partial(
        _move, n_generations=N_GENERATIONS, callbacks=[Patience(PATIENCE), *(callbacks or [])]
    )
    screened = columns_that_matter(part, search_seed)
    proposed = search_features(part, search, search_seed, move, screened=screened)
    # Which columns matter was settled by their shadows; the swarm says how much. Where no particle
    # split the rows, all weights are alike.
    weights = proposed.solution.weights
    return np.maximum(weights / max(float(weights.max()), 1e-12), LEAST_WEIGHT)


def _move(
    objective: Any, swarm: Any, positions: Floats, rng: np.random.Generator, **options: Any
) -> Any:
    with objective:
        return optimize(objective, swarm, positions, rng=rng, **options)
