"""Methods that the battery is run with: each gets the standardised columns, some are told K.

Settings are those of the library or of the authors; none was tuned on the battery. Methods whose
package is not installed are left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph

MOST_CLUSTERS = 20  # of k-means with the silhouette
MOST_TREE_COLUMNS = 20  # up to which fast_hdbscan builds its tree of Euclidean neighbours


class Rival(NamedTuple):
    """How a method is run: ``run(X, n_clusters, seed) -> labels``; `told` if it uses n_clusters."""

    run: Callable[[np.ndarray, int, int], np.ndarray]
    told: bool
    package: str = "sklearn"


def standardised(X: np.ndarray) -> np.ndarray:
    """Return the columns that vary, in units of their deviation."""
    spread = X.std(axis=0)
    varies = spread > 1e-12 * np.maximum(np.abs(X).max(axis=0), 1e-300)
    return np.ascontiguousarray((X[:, varies] - X[:, varies].mean(axis=0)) / spread[varies])


def kmeans_silhouette(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    """Return k-means with the K of the largest silhouette; it cannot answer "one cluster"."""
    best, best_score = np.zeros(len(X), dtype=int), -np.inf
    for k in range(2, min(MOST_CLUSTERS, len(X) // 2) + 1):
        labels = KMeans(k, n_init=5, random_state=seed).fit_predict(X)
        score = silhouette_score(X, labels) if len(np.unique(labels)) > 1 else -1.0
        if score > best_score:
            best, best_score = labels, score
    return best


def _hdbscan(size: int) -> Callable[[np.ndarray, int, int], np.ndarray]:
    def run(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
        return HDBSCAN(min_cluster_size=min(size, len(X)), copy=True).fit_predict(X)

    return run


def _plscan(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    from fast_hdbscan import PLSCAN

    if X.shape[1] <= MOST_TREE_COLUMNS:
        return np.asarray(PLSCAN().fit(X).labels_)
    # Beyond that it asks for approximate neighbours; exact distances are as good and deterministic.
    graph = csr_matrix(pairwise_distances(X))
    return np.asarray(PLSCAN(metric="precomputed").fit(graph).labels_)


def _spectral(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", n_neighbors=min(10, len(X) - 1), random_state=seed
    )
    return model.fit_predict(X)


def _mixture(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    # A full covariance of more columns than rows per cluster is not defined.
    kind = "full" if X.shape[1] * 4 <= len(X) / n_clusters else "diag"
    model = GaussianMixture(
        n_clusters, covariance_type=kind, n_init=3, reg_covar=1e-4, random_state=seed
    )
    return model.fit_predict(X)


def _kmeans(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)


def _ward(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    return AgglomerativeClustering(n_clusters).fit_predict(X)


def _leiden(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    from sknetwork.clustering import Leiden

    graph = kneighbors_graph(X, min(15, len(X) - 1))
    graph = ((graph + graph.T) > 0).astype(float).tocsr()
    return np.asarray(Leiden(random_state=seed).fit_predict(graph))


def _genie(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    import genieclust

    return np.asarray(genieclust.Genie(n_clusters=n_clusters).fit_predict(X))


def _umap_hdbscan(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    import umap

    flat = umap.UMAP(n_neighbors=min(30, len(X) - 1), min_dist=0.0, random_state=seed)
    return _hdbscan(15)(np.asarray(flat.fit_transform(X)), n_clusters, seed)


RIVALS = {
    "k-means + silhouette": Rival(kmeans_silhouette, told=False),
    "HDBSCAN-15": Rival(_hdbscan(15), told=False),
    "HDBSCAN-5": Rival(_hdbscan(5), told=False),
    "PLSCAN": Rival(_plscan, told=False, package="fast_hdbscan"),
    "Leiden": Rival(_leiden, told=False, package="sknetwork"),
    "UMAP + HDBSCAN": Rival(_umap_hdbscan, told=False, package="umap"),
    "k-means, told K": Rival(_kmeans, told=True),
    "Ward, told K": Rival(_ward, told=True),
    "GMM, told K": Rival(_mixture, told=True),
    "spectral, told K": Rival(_spectral, told=True),
    "Genie, told K": Rival(_genie, told=True, package="genieclust"),
}


def available() -> dict[str, Rival]:
    """Return the rivals whose package is installed."""
    return {
        name: rival
        for name, rival in RIVALS.items()
        if importlib.util.find_spec(rival.package) is not None
    }
