"""Passes of the k-means family over rows on a device; only labels, centres and factors are copied.

Rows whose two nearest centres are equal up to rounding are left open, so that the CPU decides them
and ties have the same result. Sums over blocks of rows, and the keys that order rows, are not
implemented here.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Labels, Tensor
from weft.backends.devices import is_fused, to_device
from weft.backends.gpu.kernels import kmeans as kernels
from weft.backends.gpu.rounds import DeviceRounds
from weft.backends.rounds import PlainRounds, Rounds
from weft.parallel.threads import Runner


class Rows(NamedTuple):
    """Rows on a device.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    load : (n,)
    shift, centred, squares : (M,), (n, M) and (n, M), for squared distances without missing values:
        the columns' means, the rows minus those, and their squares
    columns : (M, n), X transposed, for the others
    """

    X: Tensor
    load: Tensor
    exponent: float
    missing: bool
    shift: Tensor = None
    centred: Tensor = None
    squares: Tensor = None
    columns: Tensor = None

    def to_device(self, *arrays: Floats | Integers) -> list[Tensor]:
        """Copy arrays to the device of the rows."""
        return [to_device(array, self.X.device) for array in arrays]


def load(
    X: Floats, loads: Floats, exponent: float, missing: bool, run: Runner, device: str
) -> Rows:
    tensor = to_device(X, device)
    rows = Rows(tensor, to_device(loads, device), exponent, missing)
    if exponent != 2.0 or missing:
        return rows._replace(columns=tensor.T.contiguous())
    shift = tensor.mean(dim=0)
    centred = tensor - shift
    return rows._replace(shift=shift, centred=centred, squares=centred * centred)


def take(rows: Rows, which: Integers, X: Floats) -> Rows:
    (index,) = rows.to_device(which)
    part = rows._replace(X=rows.X[index], load=rows.load[index])
    if rows.centred is None:
        return part._replace(columns=part.X.T.contiguous())
    return part._replace(centred=rows.centred[index], squares=rows.squares[index])


def begin(rows: Rows) -> Rounds:
    usual = rows.exponent > 1.0 and not rows.missing
    if usual and is_fused(rows.X.device):
        return DeviceRounds(sys.modules[__name__], rows)
    return PlainRounds(sys.modules[__name__], rows)


def _to_host(*tensors: Tensor) -> tuple[Floats, ...]:
    return tuple(np.asarray(tensor.cpu().numpy()) for tensor in tensors)


def distances(rows: Rows, centers: Floats, factors: Floats) -> Floats:
    c, f = rows.to_device(centers, factors)
    return _to_host(kernels.powered_distances(rows.X, c, f, rows.exponent))[0]


def nearest(rows: Rows, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
    c, f = rows.to_device(centers, factors)
    if rows.centred is not None:
        answer = kernels.nearest_squared(rows.centred, rows.squares, c, f, rows.shift)
    else:
        answer = kernels.nearest_centers(rows.X, rows.columns, c, f, rows.exponent)
    labels = answer.labels.to(torch.int32).cpu().numpy()
    return np.asarray(labels), np.asarray(answer.open.cpu().numpy())


def own_distances(rows: Rows, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    own, c, f = rows.to_device(labels.astype(np.int64), centers, factors)
    return _to_host(kernels.own_distances(rows.X, own, c, f, rows.exponent))[0]


def centers_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    own, before = rows.to_device(labels.astype(np.int64), previous)
    answer = kernels.column_centers(rows.X, own, rows.load, rows.exponent, before, rows.missing)
    centers, spread = _to_host(*answer)
    return centers, spread


def center_of(rows: Rows, which: Integers, guess: Floats) -> tuple[Floats, Floats]:
    (index,) = rows.to_device(which)
    part = rows._replace(X=rows.X[index], load=rows.load[index])
    centers, spread = centers_of(part, np.zeros(len(which), dtype=np.int32), guess[None])
    return centers[0], spread[0]
