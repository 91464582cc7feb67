"""iKFS, iK-Means with feature similarity: de Amorim 2011, algorithm 5.2. It has no parameters.

The features are the rows that iK-Means clusters. The anomalous patterns are those of
`weft.kmeans.seeding` under plain squared distances, computed by products instead of passes. With
x' = x - reference, x is nearer to a centre c than to the reference point exactly if
2 x'·c' > c'·c'. The reference point stays, so the order of the rows by their distance from it is
fixed, and one product gives the first round of many patterns. With thousands of unrelated features
(each is its own pattern) this takes seconds instead of minutes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from weft._base.arrays import Floats, Integers, Mask
from weft.backends import CPU, Backend
from weft.kmeans.alternation import Start, alternate
from weft.kmeans.data import make_data
from weft.kmeans.seeding import PATTERN_STEPS
from weft.kmeans.weights import Unweighted, uniform
from weft.parallel.threads import one_range

SEEDS = 256  # patterns whose first round is one product
PICKS = ("spread", "largest")
MAX_ROUNDS = 100


class Patterns(NamedTuple):
    """Centres (K, n) and sizes (K,) of the anomalous patterns, in the order found."""

    centers: Floats
    sizes: Integers


class FeatureClusters(NamedTuple):
    """The selected features, and the clusters they come from."""

    support: Mask
    labels: Integers  # (M,)
    n_taken: Integers  # (K,), eq. 5.3


def feature_patterns(columns: Floats, backend: Backend = CPU) -> Patterns:
    """Remove one anomalous pattern after another from the features (M, n), also single features."""
    reference = columns.mean(axis=0)
    away = columns - reference
    squared = np.einsum("mn,mn->m", away, away)
    order = np.argsort(-squared, kind="stable")
    features = backend.columns.load_features(away, backend.device)
    left = np.ones(len(columns), dtype=bool)
    centers: list[Floats] = []
    sizes: list[int] = []
    at = 0
    while at < len(order):
        seeds = order[at : at + 8 * SEEDS]
        seeds = seeds[left[seeds]][:SEEDS]
        if len(seeds) == 0:
            at += 8 * SEEDS
            continue
        products = backend.columns.inner_products(features, seeds)
        for slot, seed in enumerate(seeds):
            if not left[seed]:
                continue
            if squared[seed] <= 0.0:  # all remaining rows equal the reference point
                members = left.copy()
            else:
                members = left & (2.0 * products[slot] > squared[seed])
                members[seed] = True
                if members.sum() > 1:
                    members = _settle(away, left, members)
            centers.append(columns[members].mean(axis=0))
            sizes.append(int(members.sum()))
            left &= ~members
        at = int(np.flatnonzero(order == seeds[-1])[0]) + 1
    return Patterns(np.array(centers), np.array(sizes))


def _settle(away: Floats, left: Mask, members: Mask) -> Mask:
    """Move the centre of the pattern until its members no longer change."""
    rest = np.flatnonzero(left)
    among = away[rest]
    inside = members[rest]
    for _ in range(PATTERN_STEPS):
        center = among[inside].mean(axis=0)
        nearer = 2.0 * (among @ center) > center @ center
        if not nearer.any() or (nearer == inside).all():
            break
        inside = nearer
    out = np.zeros_like(left)
    out[rest[inside]] = True
    return out


def ikfs(columns: Floats, *, pick: str = "spread", backend: Backend = CPU) -> FeatureClusters:
    """Select among the range-scaled features `columns` (M, n)."""
    patterns = feature_patterns(columns, backend)
    n_clusters = len(patterns.sizes)
    # Step 2: all patterns start the second stage, the threshold being zero.
    labels = _k_means(columns, patterns.centers, backend)
    # eq. 5.3: f_k = ⌈|S_k| K / M⌉, in integers, to avoid rounding errors
    n_taken = -(-patterns.sizes * n_clusters // len(columns))
    support = np.zeros(len(columns), dtype=bool)
    for k in range(n_clusters):
        mates = np.flatnonzero(labels == k)
        if len(mates):
            chosen = _pick(columns[mates], int(min(n_taken[k], len(mates))), pick)
            support[mates[chosen]] = True
    return FeatureClusters(support, labels, n_taken)


def _k_means(columns: Floats, centers: Floats, backend: Backend) -> Integers:
    """Return labels of plain k-means from given centres."""
    if not backend.on_gpu:  # scikit-learn is faster with many features and few rows
        model = KMeans(len(centers), init=centers, n_init=1, max_iter=MAX_ROUNDS, tol=0.0)
        return model.fit(columns).labels_.astype(np.int64)
    active = np.ones(columns.shape[1], dtype=bool)
    data = make_data(columns, np.ones(len(columns)), 2.0, one_range, backend=backend)
    start = Start(centers, uniform(active, len(centers)))
    outcome = alternate(data, start, Unweighted(active), max_iter=MAX_ROUNDS)
    return outcome.labels.astype(np.int64)


def _pick(columns: Floats, count: int, pick: str) -> Integers:
    """Step 3: return which `count` of a cluster's features represent it."""
    if count == len(columns):
        return np.arange(count)
    to_center = _compression(columns.mean(axis=0)[np.newaxis], columns)
    if pick == "largest":  # step 3 as written, with the centroid as the other feature
        return np.argsort(-to_center, kind="stable")[:count]
    # First the feature nearest to the centroid, then repeatedly the one that is least similar to
    # those already chosen.
    chosen = [int(to_center.argmin())]
    lost = _compression(columns[chosen], columns)
    while len(chosen) < count:
        lost[chosen] = -1.0
        chosen.append(int(lost.argmax()))
        lost = np.minimum(lost, _compression(columns[chosen[-1:]], columns))
    return np.array(chosen)


def _compression(one: Floats, columns: Floats) -> Floats:
    one = one - one.mean(axis=1, keepdims=True)
    ((_, tile),) = CPU.columns.compression_tiles(one, columns)
    return tile[0]
