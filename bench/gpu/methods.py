"""The methods other than FeatureSwarm and StagedSwarm on a GPU: timed calls, and their floors.

Fits are cut to a number of rounds that does not depend on the data: rows are Gaussian noise around
ten loose centres, so no method ends before its last round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from weft.methods.mercer import FeatureCenters
from weft.methods.projected import SwarmSettings

N_FEATURES, N_CLUSTERS = 100, 10
ROUNDS = 20  # of the k-means family
_MEMORY = {"max_memory": "16GiB"}

# The call of each method, by its name in the table.
MODELS: dict[str, Callable[[], Any]] = {
    "weighted k-means": lambda: weft.WeightedKMeans(
        N_CLUSTERS, weight_exponent=3.0, init="random", max_iter=ROUNDS, random_state=0
    ),
    "weighted k-means, p = 1.5": lambda: weft.WeightedKMeans(
        N_CLUSTERS, distance_exponent=1.5, init="random", max_iter=ROUNDS, random_state=0
    ),
    "projected": lambda: weft.ProjectedSwarm(
        N_CLUSTERS,
        n_evaluations=200,
        patience=None,
        swarm=SwarmSettings(max_iter=ROUNDS),
        random_state=0,
    ),
    "projected, weights": lambda: weft.ProjectedSwarm(
        N_CLUSTERS, particle="weights", patience=None, polish=False, random_state=0
    ),
    "kernel swarm": lambda: weft.KernelSwarm(
        "rbf",
        centers=FeatureCenters(polish=False),
        sigma="median",
        patience=None,
        random_state=0,
        **_MEMORY,
    ),
    "kernel k-means": lambda: weft.KernelKMeans(
        N_CLUSTERS, max_iter=ROUNDS, random_state=0, **_MEMORY
    ),
    "subtractive": lambda: weft.KernelSubtractive(N_CLUSTERS, **_MEMORY),
    "dynamic": lambda: weft.DynamicSwarm(n_rounds=2, n_generations=25, random_state=0),
    "genetic": lambda: weft.GeneticClustering(n_generations=50, random_state=0),
    "feature similarity": lambda: weft.FeatureSimilaritySelector(),
    "feature clusters": lambda: weft.FeatureClusterSelector(),
    "auto": lambda: weft.AutoCluster(n_resamples=1, random_state=0),
}
ROWS = {
    "weighted k-means": (1000, 10_000, 100_000),
    "weighted k-means, p = 1.5": (1000, 10_000, 100_000),
    "projected": (1000, 10_000, 100_000),
    "projected, weights": (1000, 10_000, 100_000),
    "kernel swarm": (500, 1000, 3000),
    "kernel k-means": (1000, 3000, 10_000),
    "subtractive": (1000, 3000, 10_000),
    "dynamic": (1000, 10_000, 100_000),
    "genetic": (1000, 10_000, 100_000),
    "feature similarity": (1000,),
    "feature clusters": (1000,),
    "auto": (1000,),
}
# Methods whose work grows with the columns have more of them.
COLUMNS = {"feature similarity": 3000, "feature clusters": 3000, "auto": 300}
CELLS = [{"method": name, "rows": n} for name, sizes in ROWS.items() for n in sizes]


def table(method: str, rows: int) -> np.ndarray:
    """Return the table that a method is timed on."""
    rng = np.random.default_rng(rows)
    columns = COLUMNS.get(method, N_FEATURES)
    centers = rng.normal(size=(N_CLUSTERS, columns))
    return centers[rng.integers(N_CLUSTERS, size=rows)] + rng.normal(size=(rows, columns))


def model(method: str, device: str) -> Any:
    """Return the estimator, on all cores or on the GPU."""
    made = MODELS[method]()
    known = made.get_params()
    return made.set_params(device=device, **({"n_jobs": -1} if "n_jobs" in known else {}))


def floor(method: str, rows: int, fitted: Any, rates: dict[str, float]) -> float | None:
    """Return the seconds of the arithmetic alone; None if most of it is done by other libraries.

    Products count at the rate of the precision they need, passes over pairs of rows at that of
    memory, powers at that of logarithms and exponentials.
    """
    d, K = COLUMNS.get(method, N_FEATURES), N_CLUSTERS
    double, special, memory = rates["double"], rates["special"], rates["bytes"]
    if method.startswith("weighted"):
        passes = 2.0 * rows * d * K * (2 + 2)  # two products to assign, two for means and spreads
        powers = 0.0
        if "p = 1.5" in method:
            # In single precision each power is a logarithm and an exponential: K distances per row,
            # and at least two steps of Newton's method for the centres.
            powers = 2.0 * rows * d * (K + 2) / special
        return 10 * int(fitted.n_iter_) * (passes / double + powers)  # ten starts of similar length
    if method.startswith("projected"):
        one = 2.0 * 2.0 * rows * 2 * d * K / double  # distances, and sums of clusters
        if "weights" in method:
            return 500 * one
        return 200 * 3 * one
    if method == "kernel swarm":
        P, n_generations = 40, int(fitted.n_iter_)
        return P * n_generations * 8.0 * rows**2 / memory  # one pass over all distances
    if method == "kernel k-means":
        steps = int(fitted.history_["n_iter"].sum() + len(fitted.history_["n_iter"]))
        return steps * 2.0 * rows**2 * K / double
    if method == "subtractive":
        return 2.0 * rows**2 * d / double + 4 * 8.0 * rows**2 / memory
    if method == "dynamic":
        return 40 * 50 * 8.0 * rows * 15 / memory
    if method == "genetic":
        return 70 * 50 * 2.0 * rows * d * 8.5 / double  # 8.5 of 15 centres on average
    if method == "feature similarity":
        return 2.0 * rows * float(d) ** 2 / double
    return None
