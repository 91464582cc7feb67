"""Number of clusters by a Gaussian mixture; components that overlap are joined.

C. Fraley and A. E. Raftery, "Model-based clustering, discriminant analysis, and density
estimation", JASA 2002: a merge tree gives the starts, EM refines each, BIC compares them.
C. Hennig, "Methods for merging Gaussian mixture components", ADAC 2010: a cluster that is not
Gaussian takes several components, which have to be joined again. Here two components are joined
if a good part of the smaller one's nearest neighbours lie in the other.

========  =============  ======================================================================
symbol    shape          meaning
========  =============  ======================================================================
n, d      ()             rows, principal components kept
K         ()             components
q         ()             free axes of a covariance; the other d - q axes share one variance
F         (n, 1+d+d²)    1, x and the products x_a x_b: a log density is one row of F times θ
R         (n, K)         share of each row that belongs to each component
========  =============  ======================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.metrics.on_spaces import edges_between

MOST_DIMENSIONS = 20
FULL_DIMENSIONS = 15  # with more, a covariance has more parameters than a cluster has rows
START_FACTOR = 2  # the merge tree starts from this many times the largest number of clusters
PAIRS_PER_COMPONENT = 6  # merges are tried for components with near means only
EM_STEPS = 20
EM_TOLERANCE = 1e-4  # EM stops when the mean log likelihood per row improves by less
JOINED = 0.25  # share of the smaller component's neighbours in the other that joins the two


class Model(NamedTuple):
    """A mixture that EM has refined."""

    labels: Integers
    bic: float  # log likelihood - ½ (free numbers) ln n: higher is better


class Components(NamedTuple):
    """Sizes (K,), means (K, d) and scatters (K, d, d) of a hard partition."""

    sizes: Floats
    means: Floats
    scatters: Floats


def principal(rows: Floats) -> Floats:
    """Return the rows on their first principal axes, centred, with mean variance 1."""
    centred = rows - rows.mean(axis=0)
    if centred.shape[1] > MOST_DIMENSIONS:
        u, s, _ = np.linalg.svd(centred, full_matrices=False)
        keep = s > s[0] * 1e-7 if s[0] > 0.0 else np.arange(len(s)) == 0
        keep[MOST_DIMENSIONS:] = False
        centred = u[:, keep] * s[keep]
    else:
        varying = np.ptp(centred, axis=0) > 0.0
        centred = centred[:, varying] if varying.any() else centred[:, :1]
    scale = np.sqrt(centred.var(axis=0).mean())
    return centred / scale if scale > 0.0 else centred


def mixtures(rows: Floats, start: Integers, most: int) -> dict[tuple[int, int], Model]:
    """Return a refined mixture for every number of components up to `most` and every shape.

    Keys are (number of components, q). `start` is a fine partition to merge from.
    """
    n, d = rows.shape
    spread = components_of(rows, start)
    prior = max(float(np.trace(spread.scatters.sum(axis=0)) / (n * d)), 1e-6)
    shapes = [1] if d > FULL_DIMENSIONS else sorted({min(1, d - 1), d - 1})
    products = np.einsum("na,nb->nab", rows, rows).reshape(n, d * d)
    features = np.hstack([np.ones((n, 1)), rows, products])
    models: dict[tuple[int, int], Model] = {}
    for q in shapes:
        # Σ = (scatter + ν prior I) / (rows + ν): a component of few rows stays regular.
        strength = d + 2.0 if q == d - 1 else 2.0
        labels = merge_down(rows, start, most, q, prior, strength)
        while True:
            model = refine(features, labels, q, prior, strength)
            labels = np.unique(model.labels, return_inverse=True)[1]
            number = int(labels.max()) + 1
            models.setdefault((number, q), Model(labels, model.bic))
            if number == 1:
                break
            labels = merge_down(rows, labels, number - 1, q, prior, strength)
    return models


def components_of(rows: Floats, labels: Integers) -> Components:
    """Return sizes, means and scatters of the clusters 0 … K-1."""
    n_clusters, d = int(labels.max()) + 1, rows.shape[1]
    sizes = np.bincount(labels, minlength=n_clusters).astype(float)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes[:-1]).astype(np.int64))
    means = np.zeros((n_clusters, d))
    scatters = np.empty((n_clusters, d, d))
    for k, own in enumerate(members):
        means[k] = rows[own].mean(axis=0)
        away = rows[own] - means[k]
        scatters[k] = away.T @ away
    return Components(sizes, means, scatters)


def log_determinants(covariances: Floats, q: int) -> Floats:
    """Return ln |Σ| of each covariance once all but its q widest axes share one variance."""
    axes = np.linalg.eigvalsh(covariances)
    d = axes.shape[-1]
    shared = axes[..., : d - q].mean(axis=-1)
    return np.log(axes[..., d - q :]).sum(axis=-1) + (d - q) * np.log(shared)


def merge_down(
    rows: Floats, labels: Integers, most: int, q: int, prior: float, strength: float
) -> Integers:
    """Join components until `most` are left, each time the two whose union costs least.

    The cost is that of the classification likelihood. Only components with near means are tried,
    and the cost of a pair is computed once: a merge changes only pairs of the merged component.
    """
    labels = np.unique(labels, return_inverse=True)[1]
    n, d = rows.shape
    sizes, means, scatters = (part.copy() for part in components_of(rows, labels))
    floor = strength * prior * np.eye(d)

    def cost(size: Floats, scatter: Floats) -> Floats:
        covariance = (scatter + floor) / (size + strength)[:, None, None]
        return 0.5 * size * log_determinants(covariance, q) - size * np.log(size / n)

    def union(first: Integers, second: Integers) -> tuple[Floats, Floats]:
        shift = means[first] - means[second]
        pull = sizes[first] * sizes[second] / (sizes[first] + sizes[second])
        spread = pull[:, None, None] * shift[:, :, None] * shift[:, None, :]
        return sizes[first] + sizes[second], scatters[first] + scatters[second] + spread

    alone = cost(sizes, scatters)
    n_pieces = len(sizes)
    known = np.full((n_pieces, n_pieces), np.nan)
    living = np.arange(n_pieces)
    while len(living) > most:
        above, below = np.triu_indices(len(living), 1)
        first, second = living[above], living[below]
        apart = ((means[first] - means[second]) ** 2).sum(axis=1)
        near = np.argsort(apart, kind="stable")[: PAIRS_PER_COMPONENT * len(living)]
        first, second = first[near], second[near]
        new = np.isnan(known[first, second])
        if new.any():
            i, j = first[new], second[new]
            known[i, j] = cost(*union(i, j)) - alone[i] - alone[j]
        best = int(known[first, second].argmin())
        keep, gone = first[best : best + 1], second[best : best + 1]
        size, scatter = union(keep, gone)
        means[keep] = (sizes[keep, None] * means[keep] + sizes[gone, None] * means[gone]) / size
        sizes[keep], scatters[keep] = size, scatter
        alone[keep] = cost(size, scatter)
        known[keep, :], known[:, keep] = np.nan, np.nan
        labels[labels == gone[0]] = keep[0]
        living = living[living != gone[0]]
    return np.unique(labels, return_inverse=True)[1]


def refine(features: Floats, labels: Integers, q: int, prior: float, strength: float) -> Model:
    """Run EM from a hard partition."""
    n, n_terms = features.shape
    d = (int(np.sqrt(4 * n_terms - 3)) - 1) // 2  # 1 + d + d² terms
    n_components = int(labels.max()) + 1
    parts = np.zeros((n, n_components))
    parts[np.arange(n), labels] = 1.0
    before = -np.inf
    for _ in range(EM_STEPS):
        theta = parameters(parts.T @ features, n, d, q, prior, strength)
        densities = features @ theta
        highest = densities.max(axis=1, keepdims=True)
        np.exp(densities - highest, out=parts)
        total = parts.sum(axis=1, keepdims=True)
        likelihood = float((highest + np.log(total)).sum())
        parts /= total
        if likelihood - before < EM_TOLERANCE * n:
            break
        before = likelihood
    shape = d * (d + 1) / 2 if q == d - 1 else q * (2 * d - q + 1) / 2 + 1
    free = n_components * (d + shape) + n_components - 1
    return Model(parts.argmax(axis=1), likelihood - 0.5 * free * np.log(n))


def parameters(moments: Floats, n: int, d: int, q: int, prior: float, strength: float) -> Floats:
    """Return θ (1 + d + d², K): the log of share × density of each component, linear in F."""
    sizes = np.maximum(moments[:, 0], 1e-10)
    means = moments[:, 1 : 1 + d] / sizes[:, None]
    squares = moments[:, 1 + d :].reshape(-1, d, d)
    scatters = squares - sizes[:, None, None] * means[:, :, None] * means[:, None, :]
    scatters = (scatters + strength * prior * np.eye(d)) / (sizes + strength)[:, None, None]
    axes, turns = np.linalg.eigh(scatters)
    axes = np.maximum(axes, 1e-12)
    axes[:, : d - q] = axes[:, : d - q].mean(axis=1, keepdims=True)
    precisions = np.einsum("kav,kv,kbv->kab", turns, 1.0 / axes, turns)
    pulled = np.einsum("kab,kb->ka", precisions, means)
    constant = (
        np.log(sizes / n)
        - 0.5 * np.log(axes).sum(axis=1)
        - 0.5 * d * np.log(2.0 * np.pi)
        - 0.5 * (pulled * means).sum(axis=1)
    )
    return np.hstack([constant[:, None], pulled, -0.5 * precisions.reshape(-1, d * d)]).T


def join_components(labels: Integers, neighbours: Integers) -> tuple[Integers, float]:
    """Join components as long as more than `JOINED` of the smaller one's edges cross over.

    Returns the labels, and the largest share of a cluster's edges that still leads to another.
    """
    while True:
        labels = np.unique(labels, return_inverse=True)[1]
        edges = edges_between(labels, neighbours)
        volume = edges.sum(axis=1)
        crossing = edges / np.minimum(volume[:, None], volume[None, :])
        np.fill_diagonal(crossing, 0.0)
        i, j = np.unravel_index(crossing.argmax(), crossing.shape)
        if crossing[i, j] <= JOINED:  # always true for a single cluster
            return labels, float(crossing[i, j])
        labels = np.where(labels == max(i, j), min(i, j), labels)
