"""Which columns separate a cluster from the other rows, and how many would do so by chance.

Each column is compared by its ranks, one cluster against all other rows (Wilcoxon's rank sum). With
the ranks of a column centred and of length 1 in a, the sum over a cluster of m of n rows has mean 0
and variance m (n - m) / (n (n - 1)) over all permutations of the labels, whatever the column's
margin: z is that sum divided by its standard deviation, and its distribution by chance is the same
for all columns. So the pooled z of all columns under permuted labels show how many columns reach a
level by chance.

=========  ===========  =====================================================================
symbol     shape        meaning
=========  ===========  =====================================================================
A          (n, d)       centred ranks of each column, of length 1; 0 where it is constant
z          (K, d)       rank sums of each cluster in units of their standard deviation
q          (K, d)       least false discovery rate at which a column is called a marker
=========  ===========  =====================================================================

J. D. Storey, R. Tibshirani, "Statistical significance for genomewide studies", PNAS 2003, with
every column counted as null, which is conservative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.ranks import unit_ranks
from weft.columns.profile import profile

TILE_CELLS = 4_000_000  # rows × columns that are made dense and ranked at once
MOST_CELLS = 40_000_000  # rows × columns that are compared; beyond, a sample of the rows
FEWEST_SAMPLED, MOST_SAMPLED = 2_000, 20_000
FEWEST_OF_A_CLUSTER = 100  # rows that a cluster keeps in a sample
DRAWN = 1_000_000  # values of z under permuted labels, about, for each cluster
MOST_DRAWS, FEWEST_DRAWS = 200, 20
MOST_KEPT = 50_000_000  # values of z under permuted labels that are held
ROUNDING = 1e-6  # relative difference below which two values of z are the same


class Comparison(NamedTuple):
    """Each cluster (K) against the other rows in each column (d)."""

    labels: Integers  # (K,) the clusters
    sizes: Integers  # (K,)
    effects: Floats  # (K, d) difference of the means over the pooled deviation
    means: Floats  # (K, d)
    rest_means: Floats  # (K, d)
    z: Floats  # (K, d)
    q: Floats  # (K, d) 1 if a column cannot be tested


def compare_clusters(X: Any, labels: Integers, rng: np.random.Generator) -> Comparison:
    """Compare each cluster with all other rows; rows with label -1 are left out.

    `X` (n, d) is dense or sparse in columns (CSC); it is made dense some columns at a time.
    """
    rows = np.flatnonzero(labels >= 0)
    if len(rows) < len(labels):
        X, labels = X[rows], labels[rows]
    chosen = sampled_rows(labels, X.shape[1], rng)
    if len(chosen) < len(labels):
        X, labels = X[chosen], labels[chosen]
    n, d = X.shape
    clusters, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    n_draws = int(np.clip(DRAWN // max(d, 1), FEWEST_DRAWS, MOST_DRAWS))
    n_draws = max(2, min(n_draws, MOST_KEPT // max(d * len(clusters), 1)))
    drawn = rng.permuted(np.tile(place, (n_draws, 1)), axis=1)
    members = _members(np.vstack([place, drawn]), len(clusters))
    spread = sizes * (n - sizes) / (n * max(n - 1.0, 1.0))
    deviation = np.where(
        spread > 0.0, np.sqrt(spread), np.inf
    )  # a cluster of all rows cannot be compared with other rows
    shape = (len(clusters), d)
    found = [np.empty(shape) for _ in range(3)]
    z = np.empty(shape)
    chance = np.empty((n_draws, len(clusters), d), dtype=np.float32)
    for columns, tile in _tiles(X):
        told = profile(tile, place)
        for kept, part in zip(found, (told.effects, told.means, told.rest_means), strict=True):
            kept[:, columns] = part
        sums = (members @ unit_ranks(tile)).reshape(n_draws + 1, len(clusters), -1)
        sums /= deviation[:, np.newaxis]
        z[:, columns] = sums[0]
        chance[:, :, columns] = sums[1:]
    usable = (sizes >= 2) & (sizes <= n - 2)
    q = np.ones(shape)
    for k in np.flatnonzero(usable):
        q[k] = false_discovery_rates(np.abs(z[k]), np.abs(chance[:, k]).ravel(), n_draws)
    effects, means, rest_means = found
    return Comparison(
        clusters.astype(np.int64), sizes.astype(np.int64), effects, means, rest_means, z, q
    )


def sampled_rows(labels: Integers, n_columns: int, rng: np.random.Generator) -> Integers:
    """Return the rows to compare: all, or in a large table a sample with rows of each cluster."""
    most = int(np.clip(MOST_CELLS // max(n_columns, 1), FEWEST_SAMPLED, MOST_SAMPLED))
    if len(labels) <= most:
        return np.arange(len(labels))
    chosen = []
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        size = max(min(FEWEST_OF_A_CLUSTER, len(own)), int(most * len(own) / len(labels)))
        chosen.append(rng.choice(own, size, replace=False))
    return np.sort(np.concatenate(chosen))


def false_discovery_rates(real: Floats, chance: Floats, n_draws: int) -> Floats:
    """Return the false discovery rate at each real value, if all at least as large are accepted.

    The rate of a level is the number of values by chance at that level, per draw, over the number
    of real ones; one is added to the number by chance, so that few draws never give a rate of 0.
    In few rows, or columns of few values, many permuted labels give the value of the real ones:
    rounding must not decide whether they reach it.
    """
    order = np.argsort(-real, kind="stable")
    levels = real[order]
    reached = levels * (1.0 - ROUNDING)
    by_chance = len(chance) - np.searchsorted(np.sort(chance), reached, side="left")
    n_real = np.searchsorted(-levels, -reached, side="right")  # ties count together
    rates = np.minimum((by_chance + 1.0) / n_draws / n_real, 1.0)
    # A larger value is never less significant than a smaller one.
    rates = np.minimum.accumulate(rates[::-1])[::-1]
    out = np.empty(len(real))
    out[order] = rates
    return out


def _members(labels: Integers, n_clusters: int) -> sparse.csr_array:
    """Return which rows belong to each cluster, (draws · K, n), one 1 per row and draw."""
    n_draws, n = labels.shape
    rows = (np.arange(n_draws)[:, np.newaxis] * n_clusters + labels).ravel()
    columns = np.tile(np.arange(n), n_draws)
    return sparse.csr_array(
        (np.ones(labels.size), (rows, columns)), shape=(n_draws * n_clusters, n)
    )


def _tiles(X: Any) -> Iterator[tuple[slice, Floats]]:
    """Yield columns of X, dense, in parts of bounded size."""
    width = max(1, TILE_CELLS // max(X.shape[0], 1))
    for first in range(0, X.shape[1], width):
        columns = slice(first, min(first + width, X.shape[1]))
        part = X[:, columns]
        yield columns, part.toarray() if sparse.issparse(part) else part
