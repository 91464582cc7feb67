"""Columns compared with each other: dependence for the screening, compression for selectors.

The notation of dependence is that of `weft.columns.screening`; λ2 is eq. 5.2 of de Amorim 2011. The
M × M matrix of features is never in memory: a tile compares a few features with the others, in one
matrix product and one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Labels, Mask, Singles
from weft.backends.cpu.kernels import compression as kernels
from weft.backends.cpu.kernels.dependence import sum_of_squares

COMPRESSION_TILE = 256
DEPENDENCE_TILE = 500  # columns compared at once


class Contrasts(NamedTuple):
    """Contrasts (n, d · width) of d columns, and how many of each column's are free (d,)."""

    values: Singles
    width: int
    freedom: Floats


def load_contrasts(values: Singles, width: int, freedom: Floats, device: str) -> Contrasts:
    return Contrasts(values, width, freedom)


def dependence(
    contrasts: Contrasts, references: Integers, rows: Integers, n_partners: int
) -> tuple[Floats, Floats]:
    n_columns = len(contrasts.freedom)
    overall, nearest = np.empty(n_columns), np.empty(n_columns)
    partners = contrasts.values[:, _contrasts_of(references, contrasts.width)]
    for first in range(0, n_columns, DEPENDENCE_TILE):
        columns = np.arange(first, min(first + DEPENDENCE_TILE, n_columns))
        span = slice(first * contrasts.width, (columns[-1] + 1) * contrasts.width)
        own = contrasts.values[:, span][rows]
        z = _scores(contrasts, own, columns, partners, references)
        same = columns[:, np.newaxis] == references[np.newaxis, :]
        overall[columns] = np.where(same, 0.0, z).sum(axis=1) / np.sqrt(
            np.maximum((~same).sum(axis=1), 1)
        )
        z[same] = -np.inf
        nearest[columns] = np.partition(z, -n_partners, axis=1)[:, -n_partners:].mean(axis=1)
    return overall, nearest


def scores(contrasts: Contrasts, columns: Integers, others: Integers) -> Floats:
    first, second = (
        contrasts.values[:, _contrasts_of(each, contrasts.width)] for each in (columns, others)
    )
    return _scores(contrasts, first, columns, second, others)


def _contrasts_of(columns: Integers, width: int) -> Integers:
    return (columns[:, np.newaxis] * width + np.arange(width)).ravel()


def _scores(
    contrasts: Contrasts, first: Singles, columns: Integers, second: Singles, others: Integers
) -> Floats:
    """Return z (columns, others) by Wilson and Hilferty's cube root, from their contrasts."""
    width = contrasts.width
    products = first.T @ second
    squares = np.empty((len(columns), len(others)))
    sum_of_squares(products, width, squares)
    free = contrasts.freedom[columns][:, np.newaxis] * contrasts.freedom[others][np.newaxis, :]
    free = np.maximum(free, 1.0)
    spread_of_root = 2.0 / (9.0 * free)
    root = np.cbrt(len(first) * squares / free)
    z: Floats = (root - (1.0 - spread_of_root)) / np.sqrt(spread_of_root)
    return z


def load_features(columns: Floats, device: str) -> Floats:
    return columns


def take_features(features: Floats, which: Integers) -> Floats:
    return features[which]


def inner_products(features: Floats, which: Integers) -> Floats:
    return features[which] @ features.T


def compression_tiles(features: Floats, others: Floats) -> Iterator[tuple[int, Floats]]:
    n = features.shape[1]
    variances, other_variances = _variances(features), _variances(others)
    transposed = others.T
    for start in range(0, len(features), COMPRESSION_TILE):
        stop = min(start + COMPRESSION_TILE, len(features))
        tile = features[start:stop] @ transposed
        tile /= n
        kernels.compression_tile(tile, variances[start:stop], other_variances, tile)
        yield start, tile


def _variances(columns: Floats) -> Floats:
    """Return the variance (over n) of each centred row."""
    return np.einsum("mn,mn->m", columns, columns) / columns.shape[1]


def kth_alive(indices: Labels, values: Floats, alive: Mask, k: int) -> Floats:
    out = np.empty(len(indices))
    kernels.kth_alive(indices, values, alive, k, out)
    return out


def count_alive_within(indices: Labels, values: Floats, alive: Mask, limit: float) -> Integers:
    out = np.empty(len(indices), dtype=np.int64)
    kernels.alive_within(indices, values, alive, limit, out)
    return out
