"""Columns compared with each other: dependence for the screening, compression for selectors.

The notation of dependence is that of `weft.columns.screening`; λ2 is eq. 5.2 of de Amorim 2011.
Bins are compared by counting bits (`kernels.dependence`), without a matrix product. The M × M
matrix of features is never in memory: a tile compares a few features with the others, in one matrix
product and one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft._base.arrays import Floats, Integers, Labels, Mask, Singles
from weft.backends.cpu.kernels import compression as kernels
from weft.backends.cpu.kernels.dependence import (
    WORDS_AT_ONCE,
    squared_contrasts,
    sum_and_nearest,
)

COMPRESSION_TILE = 256
DEPENDENCE_TILE = 500  # columns compared at once


class Bins(NamedTuple):
    """Bins of columns: the bin of each value, and for each bin a mask with a bit per row."""

    bins: Integers  # (d, n): the values of a column lie side by side
    masks: npt.NDArray[np.uint32]  # (d, bins, words)
    sizes: npt.NDArray[np.int32]  # (d, bins)
    freedom: Floats  # (d,)


class Ranks(NamedTuple):
    """Centred ranks (n, d) of length 1, and whether each column varies, 1 or 0, (d,)."""

    values: Singles
    freedom: Floats


def load_bins(bins: Integers, n_bins: int, device: str) -> Bins:
    bins = np.ascontiguousarray(bins.T)
    sizes = np.stack([(bins == number).sum(axis=1) for number in range(n_bins)], axis=1)
    freedom = bins.max(axis=1).astype(float)
    return Bins(bins, _masks_of(bins, n_bins), sizes.astype(np.int32), freedom)


def load_ranks(ranks: Singles, freedom: Floats, device: str) -> Ranks:
    return Ranks(ranks, freedom)


def _masks_of(bins: Integers, n_bins: int) -> npt.NDArray[np.uint32]:
    """Return a mask (d, n_bins, words) of the rows of each bin of each column."""
    d, n = bins.shape
    bits_at_once = 32 * WORDS_AT_ONCE
    inside = np.zeros((d, n_bins, -(-n // bits_at_once) * bits_at_once), dtype=bool)
    numbers = np.arange(n_bins, dtype=bins.dtype)[:, np.newaxis]
    np.equal(bins[:, np.newaxis], numbers, out=inside[:, :, :n])
    return np.packbits(inside, axis=2).view(np.uint32)


def dependence(
    contrasts: Bins | Ranks, references: Integers, rows: Integers, n_partners: int
) -> tuple[Floats, Floats]:
    n_columns = len(contrasts.freedom)
    overall, nearest = np.empty(n_columns), np.empty(n_columns)
    # To put the columns' rows in an order is to put the references' rows in the inverse order.
    partners = _partners(contrasts, references, np.argsort(rows))
    for first in range(0, n_columns, DEPENDENCE_TILE):
        columns = np.arange(first, min(first + DEPENDENCE_TILE, n_columns))
        z = _scores(contrasts, columns, partners, references)
        sum_and_nearest(z, first, references, n_partners, overall[first:], nearest[first:])
    return overall, nearest


def scores(contrasts: Bins | Ranks, columns: Integers, others: Integers) -> Floats:
    partners = _partners(contrasts, others, slice(None))
    return _scores(contrasts, columns, partners, others)


def _partners(contrasts: Bins | Ranks, references: Integers, rows: Any) -> Any:
    """Return the references, with their rows in an order, as `_scores` reads them."""
    if isinstance(contrasts, Ranks):
        return contrasts.values[:, references][rows]
    masks = _masks_of(contrasts.bins[references][:, rows], contrasts.sizes.shape[1])
    return np.ascontiguousarray(masks.transpose(1, 2, 0))


def _scores(contrasts: Bins | Ranks, columns: Integers, partners: Any, others: Integers) -> Floats:
    """Return z (columns, others) by Wilson and Hilferty's cube root."""
    if isinstance(contrasts, Ranks):
        n_rows = len(contrasts.values)
        z = (contrasts.values[:, columns].T @ partners).astype(np.float64)
        z *= z
    else:
        n_rows = contrasts.bins.shape[1]
        z = np.empty((len(columns), len(others)))
        masks, sizes = contrasts.masks[columns], contrasts.sizes
        other_sizes = np.ascontiguousarray(sizes[others].T)
        squared_contrasts(masks, sizes[columns], partners, other_sizes, float(n_rows), z)
    free = contrasts.freedom[columns][:, np.newaxis] * contrasts.freedom[others][np.newaxis, :]
    np.maximum(free, 1.0, out=free)
    z *= n_rows
    z /= free
    np.cbrt(z, out=z)
    spread_of_root = 2.0 / (9.0 * free)
    z -= 1.0 - spread_of_root
    z /= np.sqrt(spread_of_root, out=spread_of_root)
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
