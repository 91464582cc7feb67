"""Columns compared with each other: dependence for the screening, compression for selectors.

The notation of dependence is that of `weft.columns.screening`; λ2 is eq. 5.2 of de Amorim 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Labels, Mask, Singles


class Contrasts(NamedTuple):
    """Contrasts (n, d, width) of d columns, and how many of each column's are free (d,)."""

    values: Floats
    freedom: Floats


def load_bins(bins: Integers, n_bins: int, device: str) -> Contrasts:
    """Return contrasts of the bins (n, d) of d columns, each numbered from 0, ready to be compared.

    With the share s of the rows in a bin, its contrast is (1 in the bin, else 0, minus s) /
    √(n s). Then Σ (observed - expected)² / expected over the table of counts of two columns is n
    times the sum of the squared products of their contrasts.
    """
    values = (bins[:, :, np.newaxis] == np.arange(n_bins)).astype(np.float64)
    share = values.mean(axis=0)
    values -= share
    values /= np.sqrt(np.where(share > 0.0, share, 1.0) * len(bins))
    return Contrasts(values, bins.max(axis=0).astype(float))


def load_ranks(ranks: Singles, freedom: Floats, device: str) -> Contrasts:
    """Return centred ranks (n, d) of length 1 ready to be compared, by their correlation."""
    return Contrasts(ranks[:, :, np.newaxis].astype(np.float64), freedom)


def dependence(
    contrasts: Contrasts, references: Integers, rows: Integers, n_partners: int
) -> tuple[Floats, Floats]:
    """Return how much each column depends on all references and on its nearest few, (d,) each.

    The rows of the columns are in the order of `rows`, those of the references unchanged. "Over
    all" is Σ z / √count, "nearest" the mean of the `n_partners` largest z; a column is not compared
    with itself.
    """
    overall, nearest = [], []
    for column, own in enumerate(np.moveaxis(contrasts.values[rows], 1, 0)):
        others = references[references != column]
        z = np.array([_score(contrasts, own, column, other) for other in others])
        overall.append(z.sum() / np.sqrt(max(len(others), 1)))
        largest = np.sort(z)[-n_partners:]
        nearest.append(largest.mean() if len(others) >= n_partners else -np.inf)
    return np.array(overall), np.array(nearest)


def scores(contrasts: Contrasts, columns: Integers, others: Integers) -> Floats:
    """Return χ² of every two columns as a standard normal score z, (columns, others)."""
    return np.array(
        [
            [_score(contrasts, contrasts.values[:, column], column, other) for other in others]
            for column in columns
        ]
    )


def _score(contrasts: Contrasts, own: Floats, column: int, other: int) -> float:
    """Return z = (∛(χ² / f) - (1 - s)) / √s, s = 2 / (9 f): Wilson and Hilferty's cube root."""
    products = own.T @ contrasts.values[:, other]
    free = max(contrasts.freedom[column] * contrasts.freedom[other], 1.0)
    spread = 2.0 / (9.0 * free)
    root = np.cbrt(len(own) * (products**2).sum() / free)
    return float((root - (1.0 - spread)) / np.sqrt(spread))


def load_features(columns: Floats, device: str) -> Floats:
    """Return centred features (M, n) ready to be compared."""
    return columns


def take_features(features: Floats, which: Integers) -> Floats:
    """Return some of the features."""
    return features[which]


def inner_products(features: Floats, which: Integers) -> Floats:
    """Return the inner products of some features with all, (len(which), M)."""
    return np.einsum("an,bn->ab", features[which], features)


def compression_tiles(features: Floats, others: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield (first feature, λ2 of some features with all others), tile by tile."""
    tile = np.einsum("an,bn->ab", features, others) / features.shape[1]
    yield 0, _compression(tile, (features**2).mean(axis=1), (others**2).mean(axis=1))


def _compression(covariances: Floats, variances: Floats, others: Floats) -> Floats:
    """Return λ2 (eq. 5.2), the least eigenvalue of [[a_i, c_ij], [c_ij, b_j]].

    2 λ2 = (a + b) - √((a + b)² - 4 a b (1 - ρ²)) = (a + b) - √((a - b)² + 4 c²). The form with
    the determinant, λ2 = (a b - c²) / λ1, does not subtract two nearly equal numbers twice.
    """
    a, b = variances[:, np.newaxis], others[np.newaxis, :]
    largest = 0.5 * ((a + b) + np.sqrt((a - b) ** 2 + 4.0 * covariances**2))
    determinant = np.maximum(a * b - covariances**2, 0.0)
    return np.where(largest > 0.0, determinant / np.where(largest > 0.0, largest, 1.0), 0.0)


def kth_alive(indices: Labels, values: Floats, alive: Mask, k: int) -> Floats:
    """Return the k-th value of each row whose index is alive, (m,); NaN if there are fewer."""
    left = [own[alive[near]] for near, own in zip(indices, values, strict=True)]
    return np.array([own[k - 1] if len(own) >= k else np.nan for own in left])


def count_alive_within(indices: Labels, values: Floats, alive: Mask, limit: float) -> Integers:
    """Return how many entries of each row are alive and at most `limit`, (m,)."""
    return (alive[indices] & (values <= limit)).sum(axis=1)
