"""PSO-FSW(CSC) compared with code that users would write: the rows "search" of `performance`.

The peers are PySwarms' `GlobalBestPSO` around scikit-learn: a *user* who writes each step as the
documentation shows it, and a *careful user* who finds the neighbours once, before the search, and
gives the swarm to two processes. All sides take the same number of evaluations of the same data.
A search of 900 evaluations would take a peer up to an hour, and its evaluations take similar time,
so runs have the lengths of `PLAN`. weft's preparations are timed, although a longer run would
spread them over more evaluations. Compilation, imports and pools of processes are not timed.
"""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401 - the BLAS of compiled kernels, so that it is limited
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import DBSCAN, AffinityPropagation, AgglomerativeClustering
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from threadpoolctl import threadpool_limits

from bench.harness.timing import seconds
from weft import FeatureSwarm
from weft.backends import CPU
from weft.datasets import make_ellipsoids
from weft.search import clusterers
from weft.search.criteria import make_criterion
from weft.search.objectives import FeatureObjective
from weft.search.particles import WeightParticle

N_FEATURES = 100
EPS = 0.3
SETTINGS: dict[str, dict[str, Any]] = {
    "knn": {"clusterer": "knn"},
    "dbscan": {"clusterer": clusterers.DBSCAN(eps=EPS)},
    "linkage": {"clusterer": "linkage", "n_clusters": 10},
    "affinity": {"clusterer": "affinity"},
}


class Length(NamedTuple):
    """The length of a run, and the number of its repetitions."""

    n_particles: int
    n_generations: int
    rounds: int


PLAN: dict[tuple[str, int], Length] = {
    ("knn", 800): Length(30, 8, 5),
    ("dbscan", 800): Length(30, 8, 5),
    ("linkage", 800): Length(30, 8, 5),
    ("affinity", 800): Length(30, 2, 5),
    ("knn", 3000): Length(30, 2, 5),
    ("dbscan", 3000): Length(30, 2, 5),
    ("linkage", 3000): Length(30, 2, 5),
    ("affinity", 3000): Length(2, 1, 5),
}
# Necessary passes over all distances in single precision in an evaluation: they are written, and
# read for labels and for the silhouette. DBSCAN's labels need two passes; linkage overwrites a
# copy.
PASSES = {"knn": 3, "dbscan": 4, "linkage": 5}


def table(n_rows: int) -> np.ndarray:
    """Return the data of all rows: ten ellipsoids in 100 dimensions."""
    return make_ellipsoids(10, N_FEATURES, cluster_size=n_rows // 10, random_state=1).data


def _labels(name: str, distances: np.ndarray) -> np.ndarray:
    if name == "knn":
        graph = kneighbors_graph(distances, 3, metric="precomputed")
        return connected_components(graph, directed=False)[1]
    if name == "dbscan":
        return DBSCAN(eps=EPS, min_samples=5, metric="precomputed").fit_predict(distances)
    if name == "linkage":
        model = AgglomerativeClustering(10, metric="precomputed", linkage="complete")
        return model.fit_predict(distances)
    model = AffinityPropagation(affinity="precomputed", random_state=0)
    return model.fit_predict(-(distances**2))


def _csc(silhouette: float, neighbours: Any, labels: np.ndarray) -> float:
    distances, indices = neighbours
    closeness = np.minimum(1.0 / np.maximum(distances[:, 1:], 1e-12), 10.0)
    same = labels[indices[:, 1:]] == labels[:, None]
    connected = np.where(same, closeness, -closeness).sum(axis=1).mean()
    size = abs(silhouette * connected)
    return -size if silhouette < 0 or connected < 0 else size


def peer_costs(positions: np.ndarray, X: np.ndarray, name: str, neighbours: Any) -> np.ndarray:
    """The function that a user gives to PySwarms: costs of a swarm, particle by particle."""
    costs = np.empty(len(positions))
    for row, position in enumerate(positions):
        distances = pairwise_distances(X * np.maximum(position, 0.0))
        labels = _labels(name, distances)
        near = neighbours
        if near is None:
            near = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X)
        if 1 < len(np.unique(labels)) < len(X):
            silhouette = silhouette_score(distances, labels, metric="precomputed")
            costs[row] = -_csc(silhouette, near, labels)
        else:
            costs[row] = 0.0
    return costs


def _peer_run(costs: Callable[..., np.ndarray], length: Length, **arguments: Any) -> None:
    from pyswarms.single.global_best import GlobalBestPSO

    np.random.seed(0)  # noqa: NPY002 - PySwarms draws from there; every run is the same
    swarm = GlobalBestPSO(
        n_particles=length.n_particles,
        dimensions=N_FEATURES,
        options={"c1": 1.5, "c2": 1.5, "w": 0.73},
        bounds=(-2 * np.ones(N_FEATURES), 2 * np.ones(N_FEATURES)),
    )
    swarm.optimize(costs, iters=length.n_generations, verbose=False, **arguments)


def _one_thread() -> None:
    threadpool_limits(1)


def _careful_run(X: np.ndarray, name: str, length: Length, pool: Any) -> None:
    # PySwarms with n_processes does the same, but opens its pool inside of every run.
    neighbours = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X)

    def costs(positions: np.ndarray) -> np.ndarray:
        halves = np.array_split(positions, 2)
        return np.concatenate(pool.starmap(peer_costs, [(h, X, name, neighbours) for h in halves]))

    _peer_run(costs, length)


def our_run(X: np.ndarray, name: str, length: Length, n_jobs: int = 2) -> FeatureSwarm:
    """Return weft's search."""
    return FeatureSwarm(
        n_particles=length.n_particles,
        n_generations=length.n_generations,
        patience=None,
        n_jobs=n_jobs,
        random_state=0,
        **SETTINGS[name],
    ).fit(X)


def search(name: str, n_rows: int, length: Length | None = None) -> dict[str, Any]:
    """Time one clusterer at one size, all sides in turns."""
    logging.getLogger("pyswarms").setLevel(logging.ERROR)
    X = table(n_rows)
    length = length or PLAN[name, n_rows]
    short = length._replace(n_particles=2, n_generations=1)
    context = multiprocessing.get_context("fork")
    with context.Pool(2, initializer=_one_thread) as pool:
        sides: list[Callable[[np.ndarray, Length], Any]] = [
            lambda data, long: our_run(data, name, long),
            lambda data, long: _peer_run(peer_costs, long, X=data, name=name, neighbours=None),
            lambda data, long: _careful_run(data, name, long, pool),
        ]
        for side in sides:
            side(X[::3], short)  # work that is done once is done now
        times = [
            [seconds(partial(side, X, length)) for side in sides] for _ in range(length.rounds)
        ]
    ours, user, careful = np.median(times, axis=0)
    first, second = our_run(X, name, length), our_run(X, name, length, n_jobs=1)
    same_bits = first.fitness_ == second.fitness_ and all(
        np.array_equal(getattr(first, key), getattr(second, key))
        for key in ("feature_weights_", "labels_")
    )
    n_evaluations = length.n_particles * length.n_generations
    found = {
        "evaluations": n_evaluations,
        "rounds": length.rounds,
        "weft": float(ours),
        "user": float(user),
        "careful": float(careful),
        "same_bits": bool(same_bits),
    }
    if name in PASSES:
        limits = machine_limits()
        floor = n_evaluations * least_seconds(n_rows, N_FEATURES / 2, PASSES[name], limits) / 2
        found["roofline"] = float(floor / ours)
    return found


def machine_limits(rounds: int = 9) -> dict[str, float]:
    """Measure one thread's sgemm rate and copy bandwidth."""
    with threadpool_limits(1, "blas"):
        square = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
        source = np.ones(2**24, dtype=np.float32)
        target = np.empty_like(source)
        product = [seconds(lambda: square @ square) for _ in range(rounds)]
        copy = [seconds(lambda: np.copyto(target, source)) for _ in range(rounds)]
    return {
        "flops": float(2 * 1024**3 / np.median(product)),
        "bandwidth": float(2 * source.nbytes / np.median(copy)),
    }


def least_seconds(n_rows: int, n_kept: float, n_passes: int, limits: dict[str, float]) -> float:
    """Return the seconds of an evaluation at the machine's limits, on one thread.

    Half of a full product, since distances are symmetric, and the passes.
    """
    product = n_rows**2 * n_kept / limits["flops"]
    return product + n_passes * 4 * n_rows**2 / limits["bandwidth"]


def objective_of(X: np.ndarray, name: str = "knn") -> FeatureObjective:
    """Return weft's objective, on one thread."""
    return FeatureObjective(
        X,
        WeightParticle(X.shape[1]),
        clusterers.make_clusterer(
            SETTINGS[name]["clusterer"], n_clusters=SETTINGS[name].get("n_clusters"), seed=0
        ),
        make_criterion("csc", None),
        backend=CPU,
        max_memory=2**30,
        n_jobs=1,
    )


def roofline(n_rows: int, rounds: int = 25) -> dict[str, Any]:
    """The kNN-graph evaluation on one thread compared with the limits of the machine."""
    objective = objective_of(table(n_rows))
    rng = np.random.default_rng(0)
    kept, taken = [], []
    with threadpool_limits(1, "blas"):
        limits = machine_limits()
        objective(rng.uniform(-2, 2, (8, N_FEATURES)))
        for _ in range(rounds):
            # New particles each time: the result of an earlier one is stored.
            positions = rng.uniform(-2, 2, (8, N_FEATURES))
            kept.append((positions > 0).sum(axis=1).mean())
            taken.append(seconds(partial(objective, positions)) / len(positions))
        after = machine_limits()
    best = {key: (limits[key] + after[key]) / 2 for key in limits}
    floor = least_seconds(n_rows, float(np.mean(kept)), PASSES["knn"], best)
    return {
        "evaluation": float(np.median(taken)),
        "floor": floor,
        "share": float(floor / np.median(taken)),
        **best,
    }
