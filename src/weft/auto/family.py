"""The clusterings that compete. None needs K; each cuts finely, then joins what is one cloud.

==========  =======================================================================================
member      how it cuts
==========  =======================================================================================
long        a Gaussian mixture with one free axis: elongated clusters of any orientation
full        a Gaussian mixture with full covariances, in few dimensions
compact     Ward's tree
graph       k-means on the spectrum of the graph of nearest neighbours
bic         the mixture that BIC prefers, its components joined by a fixed share of neighbours
centres     k-means with 2, 3, ... centres: for clouds that overlap, where no border is empty
==========  =======================================================================================
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix
from sklearn.manifold import spectral_embedding

from weft._base.arrays import Floats, Integers
from weft.auto.joining import join_pieces
from weft.choosing.counting import neighbours_of
from weft.choosing.mixture import (
    FULL_DIMENSIONS,
    START_FACTOR,
    components_of,
    join_components,
    merge_down,
    mixtures,
    principal,
    refine,
)
from weft.kmeans.plain import kmeans

MOST_AXES = 60  # rows are turned to their principal axes; more hold noise alone
MOST_BY_BIC = 25  # every number is fitted; with more, BIC counts short anyway
MOST_CENTRES = 10
CENTRE_STARTS = 5
SPECTRAL_STARTS = 2


class Prepared(NamedTuple):
    """Rows in the metric of their weights, and what several members need of them."""

    rows: Floats  # (n, axes)
    few: Floats  # (n, at most 20 axes) for mixtures
    neighbours: Integers  # (n, 10)
    start: Integers  # a fine k-means partition of `few`
    most: int  # clusters at most


Member = Callable[[Prepared, np.random.Generator], Integers]


def prepare(rows: Floats, most: int, rng: np.random.Generator) -> Prepared:
    """Return the rows on their principal axes, with neighbours and a fine partition."""
    if rows.shape[1] > MOST_AXES:
        centred = rows - rows.mean(axis=0)
        u, s, _ = np.linalg.svd(centred, full_matrices=False)
        rows = u[:, :MOST_AXES] * s[:MOST_AXES]
    rows = np.ascontiguousarray(rows)
    most = max(1, min(most, int(np.sqrt(len(rows)))))
    few = np.ascontiguousarray(principal(rows))
    n_start = int(np.clip(START_FACTOR * most, 1, max(1, len(rows) // 4)))
    start = np.unique(kmeans(few, n_start, 1, rng).labels, return_inverse=True)[1]
    return Prepared(rows, few, neighbours_of(rows)[1], start, most)


def by_mixture(data: Prepared, rng: np.random.Generator, *, full: bool = False) -> Integers:
    """A mixture of as many components as allowed, joined."""
    n, d = data.few.shape
    prior = max(
        float(np.trace(components_of(data.few, data.start).scatters.sum(0)) / (n * d)), 1e-6
    )
    n_free = d - 1 if full else min(1, d - 1)
    strength = d + 2.0 if full else 2.0
    labels = merge_down(data.few, data.start, data.most, n_free, prior, strength)
    products = np.einsum("na,nb->nab", data.few, data.few).reshape(n, d * d)
    features = np.hstack([np.ones((n, 1)), data.few, products])
    labels = refine(features, labels, n_free, prior, strength).labels
    return join_pieces(data.rows, labels, data.neighbours, rng)


def by_full_mixture(data: Prepared, rng: np.random.Generator) -> Integers:
    """As `by_mixture`, with full covariances."""
    return by_mixture(data, rng, full=True)


def by_bic(data: Prepared, rng: np.random.Generator) -> Integers:
    """The mixture with the highest BIC among those of few components."""
    models = mixtures(data.few, data.start, min(data.most, MOST_BY_BIC))
    best = max(models, key=lambda key: models[key].bic)
    return join_components(models[best].labels, data.neighbours)[0]


def by_tree(data: Prepared, rng: np.random.Generator) -> Integers:
    """Ward's tree, cut finely, joined."""
    pieces = fcluster(linkage(data.rows, "ward"), data.most, "maxclust")
    return join_pieces(data.rows, pieces.astype(np.int64), data.neighbours, rng)


def by_graph(data: Prepared, rng: np.random.Generator) -> Integers:
    """k-means on the graph's first eigenvectors, cut finely, joined."""
    n, n_neighbours = data.neighbours.shape
    if data.most < 2:
        return np.zeros(n, dtype=np.int64)
    ends = (np.repeat(np.arange(n), n_neighbours), data.neighbours.ravel())
    graph = csr_matrix((np.ones(n * n_neighbours), ends), shape=(n, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a graph in several parts is what we hope for
        axes = spectral_embedding(
            0.5 * (graph + graph.T),
            n_components=data.most,
            drop_first=False,
            random_state=int(rng.integers(2**31 - 1)),
        )
    pieces = kmeans(np.ascontiguousarray(axes), data.most, SPECTRAL_STARTS, rng).labels
    return join_pieces(data.rows, pieces, data.neighbours, rng)


def by_centres(n_clusters: int) -> Member:
    """k-means with that many centres."""

    def member(data: Prepared, rng: np.random.Generator) -> Integers:
        return kmeans(data.rows, min(n_clusters, len(data.rows)), CENTRE_STARTS, rng).labels

    return member


def separated_members(n_axes: int) -> dict[str, Member]:
    """Return the members that look for empty borders between clusters."""
    members: dict[str, Member] = {"long": by_mixture}
    if n_axes <= FULL_DIMENSIONS:
        members["full"] = by_full_mixture
    return {**members, "compact": by_tree, "graph": by_graph, "bic": by_bic}


def overlapping_members(most: int) -> dict[str, Member]:
    """Return the members that cut clouds which run into each other."""
    return {f"centres-{k}": by_centres(k) for k in range(2, min(most, MOST_CENTRES) + 1)}
