"""Weights that a swarm proposes, from the screened columns on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from weft._base.arrays import Floats, Integers
from weft.kmeans.plain import sample

MOST_ROWS = 500
N_PARTICLES = 16
N_GENERATIONS = 12
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
    from weft.estimators.feature_swarm import FeatureSwarm

    part = sample(rows, MOST_ROWS, np.random.default_rng([seed, 5]))
    swarm = FeatureSwarm(
        "knn",
        criterion="robust",
        init="screened",
        n_particles=N_PARTICLES,
        n_generations=N_GENERATIONS,
        device=device,
        random_state=seed,
        callbacks=callbacks,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # then all weights are alike
        found = swarm.fit(part).feature_weights_
    # Which columns matter was settled by their shadows; the swarm says how much.
    weights: Floats = np.maximum(found / max(float(found.max()), 1e-12), LEAST_WEIGHT)
    return weights
