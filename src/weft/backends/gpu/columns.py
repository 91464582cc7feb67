"""Columns compared with each other on a device: see `weft.backends.cpu.columns`.

Lists of neighbours are short, so they are handled on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Singles, Tensor
from weft.backends.devices import to_device

_AT_ONCE = 2**26  # products that one step holds
_TILE = 256  # features whose compression is computed at once


class Contrasts(NamedTuple):
    """Contrasts (n, d · width) of d columns, and the degrees of freedom of each column (d,)."""

    values: Tensor
    width: int
    freedom: Tensor


def load_bins(bins: Integers, n_bins: int, device: str) -> Contrasts:
    numbers = torch.arange(n_bins, device=device, dtype=torch.int8)
    values = (to_device(bins, device)[:, :, None] == numbers).to(torch.float32)
    share = values.mean(dim=0)
    values -= share
    values /= (share.clamp(min=1e-12) * len(bins)).sqrt()
    freedom = to_device(bins.max(axis=0).astype(float), device)
    return Contrasts(values.reshape(len(bins), -1), n_bins, freedom)


def load_ranks(ranks: Singles, freedom: Floats, device: str) -> Contrasts:
    return Contrasts(to_device(ranks, device), 1, to_device(freedom, device))


def dependence(
    contrasts: Contrasts, references: Integers, rows: Integers, n_partners: int
) -> tuple[Floats, Floats]:
    values, width, freedom = contrasts
    others = to_device(references, values.device)
    partners = values[:, _contrasts_of(others, width)]
    ours = values[to_device(rows, values.device)].T
    overall, nearest = [], []
    step = max(_AT_ONCE // (partners.shape[1] * width), 1)
    for first in range(0, len(freedom), step):
        columns = torch.arange(first, min(first + step, len(freedom)), device=values.device)
        own = ours[first * width : (first + len(columns)) * width]
        z = _scores(contrasts, own, columns, partners, others)
        same = columns[:, None] == others
        number = (~same).sum(dim=1).clamp(min=1).to(torch.float64)
        overall.append(torch.where(same, 0.0, z).sum(dim=1) / number.sqrt())
        z = torch.where(same, -torch.inf, z)
        nearest.append(z.topk(n_partners, dim=1).values.mean(dim=1))
    return torch.cat(overall).cpu().numpy(), torch.cat(nearest).cpu().numpy()


def scores(contrasts: Contrasts, columns: Integers, others: Integers) -> Floats:
    values, width, _ = contrasts
    ours, theirs = to_device(columns, values.device), to_device(others, values.device)
    own, partners = (values[:, _contrasts_of(each, width)] for each in (ours, theirs))
    return np.asarray(_scores(contrasts, own.T, ours, partners, theirs).cpu().numpy())


def _contrasts_of(columns: Tensor, width: int) -> Tensor:
    offsets = torch.arange(width, device=columns.device)
    return (columns[:, None] * width + offsets).ravel()


def _scores(
    contrasts: Contrasts, own: Tensor, columns: Tensor, partners: Tensor, others: Tensor
) -> Tensor:
    """Return z (columns, others) by Wilson and Hilferty's cube root; `own` is transposed."""
    width = contrasts.width
    squares = (own @ partners).to(torch.float64).square_()
    squares = squares.reshape(len(columns), width, len(others), width).sum(dim=(1, 3))
    free = (contrasts.freedom[columns][:, None] * contrasts.freedom[others]).clamp(min=1.0)
    spread = 2.0 / (9.0 * free)
    root = (len(partners) * squares / free).pow(1.0 / 3.0)
    return (root - (1.0 - spread)) / spread.sqrt()


def load_features(columns: Floats, device: str) -> Tensor:
    return to_device(columns, device)


def take_features(features: Tensor, which: Integers) -> Tensor:
    return features[to_device(which, features.device)]


def inner_products(features: Tensor, which: Integers) -> Floats:
    return np.asarray((take_features(features, which) @ features.T).cpu().numpy())


def compression_tiles(features: Tensor, others: Tensor) -> Iterator[tuple[int, Floats]]:
    n = features.shape[1]
    variances, other_variances = ((each * each).sum(dim=1) / n for each in (features, others))
    for start in range(0, len(features), _TILE):
        stop = min(start + _TILE, len(features))
        tile = (features[start:stop] @ others.T).div_(n)
        lost = _compression(tile, variances[start:stop], other_variances)
        yield start, np.asarray(lost.cpu().numpy())


def _compression(covariances: Tensor, variances: Tensor, others: Tensor) -> Tensor:
    """Return λ2 (eq. 5.2) from the covariances of a tile, (t, M)."""
    a, b = variances[:, None], others[None, :]
    squared = covariances * covariances
    largest = 0.5 * ((a + b) + ((a - b) ** 2 + 4.0 * squared).sqrt())
    determinant = a * b - squared
    positive = (determinant > 0.0) & (largest > 0.0)
    return torch.where(positive, determinant / largest, 0.0)
