"""PSO-FSW(CSC) beside what users would write, as ratios in one run.

    python -m bench.speed_swarm [--rows 800 3000] [--only knn dbscan ...] [--rounds 5]

Each line runs 900 evaluations (30 particles, 30 generations, 100 features) in weft on two threads.
The peers are PySwarms' `GlobalBestPSO` around scikit-learn: a *user* who writes each step as the
documentation shows it, and a *careful user* who finds the neighbours once, before the search, and
gives PySwarms two processes. A peer's whole run takes up to an hour, and its evaluations cost much
the same one after the other: so a peer runs one generation (30 evaluations; fewer for affinity
propagation), interleaved with weft's runs, and its median is scaled to 900. Compilation, imports
and pools are outside the clock.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401 - the BLAS of compiled kernels, so that it is limited
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import DBSCAN, AffinityPropagation, AgglomerativeClustering
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from threadpoolctl import threadpool_limits

from weft import FeatureSwarm
from weft.clusterers import make_clusterer
from weft.criteria import make_criterion
from weft.datasets import make_ellipsoids
from weft.objectives import FeatureObjective
from weft.particles import WeightParticle

N_FEATURES, N_PARTICLES, N_GENERATIONS = 100, 30, 30
N_EVALUATIONS = N_PARTICLES * N_GENERATIONS
EPS = 0.3
SETTINGS: dict[str, dict[str, Any]] = {
    "knn": {},
    "dbscan": {"clusterer_params": {"eps": EPS}},
    "linkage": {"n_clusters": 10},
    "affinity": {},
}
FLOORS = {  # user, careful user; at 800 and 3000 rows
    "knn": {800: (24, 8.5), 3000: (30, 12)},
    "dbscan": {800: (24, 8.5), 3000: (20, 7)},
    "linkage": {800: (15, 6.5), 3000: (14, 7)},
    "affinity": {800: (12, 5), 3000: (13, 5)},
}


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
    """What a user gives to PySwarms: costs of a swarm, one particle after the other."""
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


def _peer(
    X: np.ndarray, name: str, *, careful: bool, n_particles: int
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return one generation of PySwarms to time, and what closes its pool."""
    from pyswarms.single.global_best import GlobalBestPSO

    logging.getLogger("pyswarms").setLevel(logging.ERROR)
    neighbours = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X) if careful else None
    swarm = GlobalBestPSO(
        n_particles=n_particles,
        dimensions=X.shape[1],
        options={"c1": 1.5, "c2": 1.5, "w": 0.73},
        bounds=(-2 * np.ones(X.shape[1]), 2 * np.ones(X.shape[1])),
    )
    arguments = {"X": X, "name": name, "neighbours": neighbours}
    if not careful:
        return lambda: swarm.optimize(peer_costs, iters=1, verbose=False, **arguments), lambda: None
    # PySwarms opens a pool in each call of optimize; a long run opens it once. Its map over two
    # halves of the swarm is done here with a pool that is there already.
    import multiprocessing

    pool = multiprocessing.get_context("fork").Pool(2, initializer=_one_thread)
    halves = np.array_split(np.random.default_rng(0).uniform(-2, 2, (n_particles, X.shape[1])), 2)
    tasks = [(half, X, name, neighbours) for half in halves]
    return lambda: pool.starmap(peer_costs, tasks), pool.terminate


def _one_thread() -> None:
    threadpool_limits(1)


def _ours(X: np.ndarray, name: str, n_jobs: int = 2) -> FeatureSwarm:
    return FeatureSwarm(
        name,
        n_particles=N_PARTICLES,
        n_generations=N_GENERATIONS,
        patience=None,
        n_jobs=n_jobs,
        random_state=0,
        **SETTINGS[name],
    ).fit(X)


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def row(name: str, n_rows: int, rounds: int) -> dict[str, Any]:
    """Time one clusterer at one size, sides interleaved."""
    X = make_ellipsoids(10, N_FEATURES, cluster_size=n_rows // 10, random_state=1).data
    sample = N_PARTICLES if name != "affinity" else (4 if n_rows > 1000 else 10)
    first, second = _ours(X, name), _ours(X, name, n_jobs=1)
    same_bits = first.fitness_ == second.fitness_ and np.array_equal(
        first.feature_weights_, second.feature_weights_
    )
    user, _ = _peer(X, name, careful=False, n_particles=sample)
    careful, close = _peer(X, name, careful=True, n_particles=sample)
    user(), careful()
    times = np.array(
        [
            (_seconds(lambda: _ours(X, name)), _seconds(user), _seconds(careful))
            for _ in range(rounds)
        ]
    )
    close()
    ours, user_s, careful_s = np.median(times, axis=0)
    scale = N_EVALUATIONS / sample
    return {
        "clusterer": name,
        "rows": n_rows,
        "weft": float(ours),
        "user": float(user_s * scale),
        "careful": float(careful_s * scale),
        "peer_evaluations": sample,
        "same_bits": bool(same_bits),
    }


def roofline(n_rows: int, rounds: int) -> dict[str, float]:
    """The kNN-graph evaluation on one thread beside what the machine could do at best.

    The floor is half of a full product (distances are symmetric) at the measured sgemm rate, and
    three passes over the matrix (written, read for neighbours, read for the silhouette) at the
    measured copy bandwidth.
    """
    X = make_ellipsoids(10, N_FEATURES, cluster_size=n_rows // 10, random_state=1).data
    objective = FeatureObjective(
        X,
        WeightParticle(N_FEATURES),
        make_clusterer("knn", None, n_clusters=None, seed=0),
        make_criterion("csc", None),
        max_memory=2**30,
        n_jobs=1,
    )
    positions = np.random.default_rng(0).uniform(-2, 2, (8, N_FEATURES))
    kept = (positions > 0).sum(axis=1).mean()
    with threadpool_limits(1, "blas"):
        square = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
        source = np.ones(2**24, dtype=np.float32)
        target = np.empty_like(source)
        objective(positions)
        evaluation, product, copy = [], [], []
        for _ in range(rounds):
            evaluation.append(_seconds(lambda: objective(positions)) / len(positions))
            product.append(_seconds(lambda: square @ square))
            copy.append(_seconds(lambda: np.copyto(target, source)))
    flops = 2 * 1024**3 / np.median(product)
    bandwidth = 2 * source.nbytes / np.median(copy)
    floor = n_rows**2 * kept / flops + 3 * 4 * n_rows**2 / bandwidth
    return {
        "rows": n_rows,
        "evaluation": float(np.median(evaluation)),
        "floor": float(floor),
        "share": float(floor / np.median(evaluation)),
        "sgemm_gflops": float(flops / 1e9),
        "copy_gbytes": float(bandwidth / 1e9),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[800, 3000])
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON lines")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[dict[str, Any]] = []
    print(
        "| clusterer | rows | weft s | user s | ratio (floor) | careful s | ratio (floor) | bits |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for n_rows in arguments.rows:
        for name in arguments.only:
            r = row(name, n_rows, arguments.rounds)
            found.append(r)
            floors = FLOORS[name].get(n_rows, ("-", "-"))
            print(
                f"| {name} | {n_rows} | {r['weft']:.2f} | {r['user']:.1f} "
                f"| {r['user'] / r['weft']:.1f}× ({floors[0]}) | {r['careful']:.1f} "
                f"| {r['careful'] / r['weft']:.1f}× ({floors[1]}) "
                f"| {'same' if r['same_bits'] else 'DIFFER'} |",
                flush=True,
            )
    for n_rows in arguments.rows:
        r = roofline(n_rows, arguments.rounds * 5)
        found.append(r)
        print(
            f"kNN evaluation at {n_rows} rows: {1e3 * r['evaluation']:.2f} ms, floor "
            f"{1e3 * r['floor']:.2f} ms, {r['share']:.0%} of the roofline "
            f"(sgemm {r['sgemm_gflops']:.0f} GFLOP/s, copy {r['copy_gbytes']:.1f} GB/s)"
        )
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(entry) + "\n" for entry in found))


if __name__ == "__main__":
    main()
