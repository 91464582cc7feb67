"""Parts of a search compared with other libraries: distances, silhouette, one clustering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist
from sklearn.cluster import DBSCAN, AffinityPropagation, AgglomerativeClustering
from sklearn.metrics import silhouette_score
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

from bench.harness.timing import interleaved
from bench.speed.swarm import EPS, objective_of, table
from weft.backends.cpu.features import MAX_TOGETHER
from weft.backends.cpu.kernels import swarm_powers
from weft.backends.spaces import Solution
from weft.datasets import make_ellipsoids
from weft.metrics import silhouette


def powered(n_rows: int, rounds: int) -> dict[str, Any]:
    """PSO-FSWE's distances compared with NumPy's ``abs() ** p`` sum, one thread each.

    Both sides compute as many particles as a search evaluates together.
    """
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(100, n_rows))
    exponents = rng.uniform(1, 3, (MAX_TOGETHER, 100))
    kept, weights = np.arange(100), np.ones(100)
    out = np.empty((MAX_TOGETHER, n_rows, n_rows), dtype=np.float32)

    def ours(n_particles: int) -> None:
        terms = [swarm_powers.Terms.of(kept, weights, each) for each in exponents[:n_particles]]
        halves = swarm_powers.halves_of(columns)
        joined = swarm_powers.Terms.joined(terms)
        swarm_powers.powered_matrices(halves, *joined, out[:n_particles])

    def peer() -> None:
        for each in exponents:
            total = np.zeros((n_rows, n_rows))
            for column, exponent in zip(columns, each, strict=True):
                total += np.abs(column[:, None] - column[None, :]) ** exponent

    with threadpool_limits(1):
        together, alone, theirs = interleaved(
            [lambda: ours(MAX_TOGETHER), lambda: ours(1), peer], rounds
        )
    return {
        "weft": together,
        "peers": {"NumPy": theirs},
        "rounds": rounds,
        "particles": MAX_TOGETHER,
        "alone": theirs / MAX_TOGETHER / alone,
    }


def silhouette_row(n_rows: int, rounds: int) -> dict[str, Any]:
    """The silhouette of a table compared with scikit-learn's, two threads each."""
    data = make_ellipsoids(10, 100, cluster_size=n_rows // 10, random_state=0)
    X, labels = data.data, data.target
    ours, theirs = interleaved(
        [lambda: silhouette(X, labels, n_jobs=2), lambda: silhouette_score(X, labels)], rounds
    )
    same = silhouette(X, labels, n_jobs=1) == silhouette(X, labels, n_jobs=2)
    peers = {"scikit-learn": theirs}
    return {"weft": ours, "peers": peers, "rounds": rounds, "same_bits": bool(same)}


def one_clustering(name: str, n_rows: int, rounds: int) -> dict[str, Any]:
    """Labels from a table, once: weft on one thread, the libraries with their defaults."""
    X = table(n_rows)
    objective = objective_of(X, name)
    solution = Solution(np.ones(X.shape[1]))
    peers: dict[str, Callable[[], Any]] = {}
    if name == "knn":
        peers["scikit-learn, SciPy"] = lambda: connected_components(
            kneighbors_graph(X, 3), directed=False
        )
    elif name == "dbscan":
        peers["scikit-learn"] = lambda: DBSCAN(eps=EPS, min_samples=5).fit(X)
    elif name == "affinity":
        peers["scikit-learn"] = lambda: AffinityPropagation(random_state=0).fit(X)
    else:
        import fastcluster

        peers["scikit-learn"] = lambda: AgglomerativeClustering(10, linkage="complete").fit(X)
        peers["SciPy"] = lambda: hierarchy.linkage(pdist(X), "complete")
        peers["fastcluster"] = lambda: fastcluster.linkage(pdist(X), "complete")
    ours, *theirs = interleaved([lambda: objective.cluster(solution), *peers.values()], rounds)
    return {"weft": ours, "peers": dict(zip(peers, theirs, strict=True)), "rounds": rounds}
