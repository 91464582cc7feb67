"""Six ways to count clusters. Each returns its answer, how clear it is, and its curve.

==============  =====================================================  ========================
method          reads the number from                                  is weak where
==============  =====================================================  ========================
silhouette      the highest mean silhouette over k-means, the median   clusters are long or
                of 30 runs (Lensen, Xue and Zhang, section 3.1)        differ much in width
patterns        anomalous patterns that are not tiny (iK-Means,        clusters lie near the
                de Amorim's algorithm 2.6)                             centre of the data
gap             k-means against uniform data (Tibshirani, Walther,     clusters nest, or are
                Hastie 2001)                                           long
prediction      k-means of one half predicting the other               sizes differ much
                (Tibshirani, Walther 2005)
eigengap        the spectrum of the graph of nearest neighbours        few features: a wide
                (von Luxburg 2007)                                     cluster looks like many
mixture         Gaussian mixtures by BIC, components joined where      n is small for d; heavy
                neighbours cross over                                  tails
==============  =====================================================  ========================
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from weft._base.arrays import Floats, Integers
from weft.choosing.mixture import JOINED, START_FACTOR, join_components, mixtures, principal
from weft.choosing.results import Curve
from weft.kmeans.plain import kmeans, plain_patterns, sample
from weft.methods.staged.estimate import estimate_n_clusters

SILHOUETTE_ROWS = 800
SILHOUETTE_RUNS = 30
KMEANS_ROWS = 1000
REFERENCES = 10
SPLITS = 8
LEAST_STRENGTH = 0.8  # Tibshirani and Walther: 0.8 to 0.9
LEAST_PATTERN = 0.02  # smaller patterns (as a share of the rows) do not count as clusters
NEIGHBOURS = 10
GRAPH_ROWS = 4000
CLEAR_GAP = 0.03  # an eigengap of full strength; eigenvalues lie in [0, 2]
MIXTURE_ROWS = 4000


def by_silhouette(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The median over 30 runs of the k with the highest silhouette."""
    part = sample(rows, SILHOUETTE_ROWS, rng)
    most = min(most, len(part) - 1)
    estimate = estimate_n_clusters(part, n_estimates=SILHOUETTE_RUNS, max_clusters=most, rng=rng)
    return Curve(
        estimate.n_clusters,
        float((estimate.votes == estimate.n_clusters).mean()),
        np.arange(2, 2 + estimate.silhouettes.shape[1]),
        np.median(estimate.silhouettes, axis=0),
        "median silhouette over k-means; the highest",
    )


def by_patterns(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The number of anomalous patterns with at least 2 % of the rows."""
    sizes = np.sort(plain_patterns(rows).sizes)[::-1]
    least = max(2.0, LEAST_PATTERN * len(rows))
    number = int(np.clip((sizes >= least).sum(), 1, most))
    shown = sizes[:most]
    # Clear if the last pattern that counts and the first that does not are far apart in size.
    following = sizes[number] if number < len(sizes) else 0.0
    strength = 1.0 - following / sizes[number - 1]
    return Curve(
        number,
        float(strength),
        np.arange(1, len(shown) + 1),
        shown / len(rows),
        f"size of the k-th largest anomalous pattern; at least {LEAST_PATTERN:.0%}",
    )


def by_gap(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The smallest k whose gap is at least the next gap minus one standard error."""
    part = sample(rows, KMEANS_ROWS, rng)
    numbers = np.arange(1, min(most + 1, len(part) - 1) + 1)
    observed = _log_within(part, numbers, rng)
    # References are uniform in the box along the principal axes.
    centred = part - part.mean(axis=0)
    turned, scale, axes = np.linalg.svd(centred, full_matrices=False)
    turned = turned * scale
    low, high = turned.min(axis=0), turned.max(axis=0)
    expected = np.stack(
        [
            _log_within(rng.uniform(low, high, turned.shape) @ axes, numbers, rng)
            for _ in range(REFERENCES)
        ]
    )
    gap = expected.mean(axis=0) - observed
    error = expected.std(axis=0) * np.sqrt(1.0 + 1.0 / REFERENCES)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    at = int(enough[0]) if len(enough) else len(numbers) - 1
    margin = 0.0 if at + 1 >= len(gap) else (gap[at] - gap[at + 1]) / max(error[at + 1], 1e-12)
    return Curve(
        int(min(numbers[at], most)),
        float(np.clip(0.5 + 0.25 * margin, 0.0, 1.0)) if len(enough) else 0.0,
        numbers,
        gap,
        "gap to uniform data; the first that the next one does not clearly exceed",
    )


def _log_within(rows: Floats, numbers: Integers, rng: np.random.Generator) -> Floats:
    within = np.array([kmeans(rows, int(k), 1, rng).within for k in numbers])
    return np.log(np.maximum(within, 1e-300))


def by_prediction(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The largest k at which one half predicts the clusters of the other (strength 0.8)."""
    part = sample(rows, 2 * KMEANS_ROWS, rng)
    half = len(part) // 2
    numbers = np.arange(1, min(most, half) + 1)
    strengths = np.ones((SPLITS, len(numbers)))
    for split in range(SPLITS):
        order = rng.permutation(len(part))
        test = np.ascontiguousarray(part[order[:half]])
        train = np.ascontiguousarray(part[order[half : 2 * half]])
        for slot, k in enumerate(numbers[1:], 1):
            clustered = kmeans(test, int(k), 2, rng)
            predicted = cdist(test, kmeans(train, int(k), 2, rng).centers).argmin(axis=1)
            strengths[split, slot] = prediction_strength(clustered.labels, predicted)
    mean = strengths.mean(axis=0)
    error = strengths.std(axis=0) / np.sqrt(SPLITS)
    at = int(np.flatnonzero(mean + error >= LEAST_STRENGTH)[-1])
    following = mean[at + 1 :].max(initial=0.0)
    return Curve(
        int(numbers[at]),
        float(np.clip(mean[at] - following, 0.0, 1.0)) if at else 0.0,
        numbers,
        mean,
        f"prediction strength; the largest k with at least {LEAST_STRENGTH}",
    )


def prediction_strength(found: Integers, told: Integers) -> float:
    """Return the smallest share, over clusters, of pairs of rows that `told` puts together."""
    weakest = 1.0
    for cluster in np.unique(found):
        mates = told[found == cluster]
        n_pairs = len(mates) * (len(mates) - 1)
        counts = np.bincount(mates)
        together = float((counts * (counts - 1)).sum())
        weakest = min(weakest, together / n_pairs if n_pairs else 0.0)
    return weakest


def by_eigengap(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The widest gap among the least eigenvalues of the kNN graph's normalised Laplacian."""
    part = sample(rows, GRAPH_ROWS, rng)
    values = laplacian_spectrum(part, min(most + 1, len(part) - 1))
    gaps = np.diff(values)
    number = int(gaps.argmax()) + 1
    # In few dimensions all gaps are small and similar, so the widest means little.
    widest, second = np.sort(gaps)[-1], np.sort(gaps)[-2] if len(gaps) > 1 else 0.0
    clear = (widest - second) / widest if widest > 0.0 else 0.0
    return Curve(
        number,
        float(clear * min(1.0, widest / CLEAR_GAP)),
        np.arange(1, len(gaps) + 1),
        gaps,
        "gap after the k-th eigenvalue; the widest",
    )


def neighbours_of(rows: Floats) -> tuple[Floats, Integers]:
    """Return distances and indices of the nearest other rows."""
    n_neighbours = min(NEIGHBOURS, len(rows) - 1)
    return NearestNeighbors(n_neighbors=n_neighbours, n_jobs=1).fit(rows).kneighbors()


def laplacian_spectrum(rows: Floats, n_values: int) -> Floats:
    """Return the least eigenvalues of I - D^-½ W D^-½, W the self-tuned graph of neighbours."""
    n = len(rows)
    distances, indices = neighbours_of(rows)
    source = np.repeat(np.arange(n), indices.shape[1])
    target = indices.ravel()
    width = distances[:, -1]
    product = width[source] * width[target]
    squared = distances.ravel() ** 2
    # Equal rows have width 0; their similarity is the largest possible.
    ratio = np.divide(squared, product, out=np.zeros_like(squared), where=product > 0.0)
    graph = csr_matrix((np.exp(-np.minimum(ratio, 700.0)), (source, target)), shape=(n, n))
    graph = graph.maximum(graph.T)
    root = 1.0 / np.sqrt(np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1e-300))
    similar = diags(root) @ graph @ diags(root)
    if n_values >= n // 2 or n <= 200:
        largest = np.linalg.eigvalsh(similar.toarray())[::-1][:n_values]
    else:
        start = 0.5 + np.arange(n) % 7  # fixed, so that the same rows give the same bits
        largest = eigsh(similar, k=n_values, which="LA", v0=start, return_eigenvectors=False)
    return np.maximum(1.0 - np.sort(largest)[::-1], 0.0)


def by_mixture(rows: Floats, most: int, rng: np.random.Generator) -> Curve:
    """The number of clusters of the best Gaussian mixture after joining overlapping components."""
    part = sample(rows, MIXTURE_ROWS, rng)
    reduced = np.ascontiguousarray(principal(part))
    n_start = int(np.clip(START_FACTOR * most, 1, max(1, len(part) // 4)))
    start = np.unique(kmeans(reduced, n_start, 1, rng).labels, return_inverse=True)[1]
    models = mixtures(reduced, start, most)
    best = max(models, key=lambda key: models[key].bic)
    joined, crossing = join_components(models[best].labels, neighbours_of(part)[1])
    # Parts of a skewed cluster still touch each other, and few rows show shapes poorly.
    strength = (1.0 - crossing / JOINED) * min(1.0, len(part) / (10.0 * reduced.shape[1]))
    numbers = np.array(sorted({key[0] for key in models}))
    scores = np.array([max(m.bic for key, m in models.items() if key[0] == k) for k in numbers])
    number = int(joined.max()) + 1
    return Curve(
        number,
        strength,
        numbers,
        scores,
        f"BIC of the mixture; the highest ({best[0]}); components that overlap are joined",
    )
