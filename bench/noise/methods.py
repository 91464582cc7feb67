"""Every method of the noise bench by its name: its call, and what it is told.

Rivals that need the number of clusters are told the true one. All get the same standardised
columns. Settings are those that their authors recommend or that the library has by default; none
was tuned on the sets of the bench.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

import weft
from bench.noise.ablation import WITHOUT, fit_without
from bench.noise.filters import bumps, laplacian_score, threshold
from bench.noise.sparse_kmeans import sparse_kmeans
from weft import EntropyKMeans, FeatureSwarm, ProjectedSwarm, StagedSwarm, WeightedKMeans

# FeatureSwarm computes all pairs of rows about 900 times, which would take minutes per set with
# many rows. It is fitted to at most this many random rows, and predicts the others.
MOST_PAIRS_ROWS = 600


class Answer(NamedTuple):
    """Labels (n,), -1 for rows in no cluster, and the mask of kept features, if there is one."""

    labels: np.ndarray
    kept: np.ndarray | None = None


class Task(NamedTuple):
    """Input of a method: the columns, the true K, the number of real columns, a seed."""

    X: np.ndarray
    k: int
    n_real: int
    seed: int


class Method(NamedTuple):
    """How a method is run, what it is told, and what kind of method it is."""

    run: Callable[[Task], Answer]
    told: str
    slow: bool = False
    ours: bool = False
    ablation: bool = False


def _kmeans(task: Task) -> Answer:
    model = KMeans(task.k, n_init=10, random_state=task.seed)
    return Answer(model.fit(task.X).labels_)


def _mixture(task: Task) -> Answer:
    model = GaussianMixture(task.k, reg_covar=1e-3, random_state=task.seed)
    return Answer(model.fit_predict(task.X))


def _spectral(task: Task) -> Answer:
    model = SpectralClustering(
        task.k, affinity="nearest_neighbors", n_neighbors=10, random_state=task.seed
    )
    return Answer(model.fit(task.X).labels_)


def _sparse(task: Task) -> Answer:
    found = sparse_kmeans(task.X, task.k, seed=task.seed)
    return Answer(found.labels, found.weights > 0)


def _laplacian(task: Task) -> Answer:
    order = np.argsort(laplacian_score(task.X), kind="stable")
    kept = np.zeros(task.X.shape[1], dtype=bool)
    kept[order[: task.n_real]] = True
    return Answer(_kmeans(task._replace(X=task.X[:, kept])).labels, kept)


def _bumps(task: Task) -> Answer:
    beyond = threshold(len(task.X))
    kept = np.array([bumps(column) > beyond for column in task.X.T])
    if not kept.any():
        kept[:] = True
    return Answer(_kmeans(task._replace(X=task.X[:, kept])).labels, kept)


def _hdbscan(task: Task) -> Answer:
    return Answer(HDBSCAN(copy=True).fit_predict(task.X))


def _umap(task: Task) -> Answer:
    from umap import UMAP

    # As in umap-learn's page on clustering: large neighbourhoods, small `min_dist`.
    reducer = UMAP(n_neighbors=30, min_dist=0.0, random_state=task.seed, n_jobs=1)
    flat = reducer.fit_transform(task.X)
    return Answer(HDBSCAN(min_cluster_size=10, copy=True).fit_predict(flat))


def _swarm(task: Task, **settings: Any) -> Answer:
    model = FeatureSwarm("knn", random_state=task.seed, **settings)  # 3 neighbours
    return _fit_rows(model, task)


def _fit_rows(model: Any, task: Task) -> Answer:
    n = len(task.X)
    if n <= MOST_PAIRS_ROWS:
        labels = model.fit(task.X).labels_
    else:
        rows = np.random.default_rng(task.seed).choice(n, MOST_PAIRS_ROWS, replace=False)
        labels = np.empty(n, dtype=np.intp)
        labels[rows] = model.fit(task.X[rows]).labels_
        others = np.setdiff1d(np.arange(n), rows)
        labels[others] = model.predict(task.X[others])
    return Answer(labels, model.get_support())


def _weighted(task: Task) -> Answer:
    return Answer(WeightedKMeans(task.k, random_state=task.seed).fit(task.X).labels_)


def _entropy(task: Task) -> Answer:
    return Answer(EntropyKMeans(task.k, random_state=task.seed).fit(task.X).labels_)


def _projected(task: Task) -> Answer:
    return Answer(ProjectedSwarm(task.k, random_state=task.seed).fit(task.X).labels_)


def _staged(task: Task) -> Answer:
    model = StagedSwarm(n_clusters_estimate=task.k, random_state=task.seed).fit(task.X)
    return Answer(model.labels_, model.get_support())


def _auto(task: Task) -> Answer:
    model = weft.AutoCluster(random_state=task.seed, n_jobs=1).fit(task.X)
    return Answer(model.labels_, model.get_support())


def _without(part: str) -> Method:
    def run(task: Task) -> Answer:
        model = fit_without(part, task.X, task.seed)
        return Answer(model.labels_, model.get_support())

    return Method(run, "", ours=True, ablation=True)


ALL: dict[str, Method] = {
    "AutoCluster": Method(_auto, "", ours=True),
    "k-means": Method(_kmeans, "K"),
    "GMM": Method(_mixture, "K"),
    "spectral": Method(_spectral, "K"),
    "sparse k-means": Method(_sparse, "K"),
    "Laplacian score + k-means": Method(_laplacian, "K, d"),
    "bumps + k-means": Method(_bumps, "K"),
    "HDBSCAN": Method(_hdbscan, ""),
    "UMAP + HDBSCAN": Method(_umap, ""),
    "WeightedKMeans": Method(_weighted, "K", ours=True),
    "EntropyKMeans": Method(_entropy, "K", ours=True),
    "ProjectedSwarm": Method(_projected, "K", slow=True, ours=True),
    "StagedSwarm": Method(_staged, "K", slow=True, ours=True),
    "FeatureSwarm": Method(_swarm, "", slow=True, ours=True),
    **{part: _without(part) for part in WITHOUT},
}


def available() -> dict[str, Method]:
    """Return the methods whose package is installed."""
    there = importlib.util.find_spec("umap") is not None
    return {name: method for name, method in ALL.items() if there or name != "UMAP + HDBSCAN"}
