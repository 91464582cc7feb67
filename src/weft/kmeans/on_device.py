"""The passes of `weft.kmeans.data` on a GPU: host arrays in, host arrays out, rows stay there.

What comes and goes each round is labels, centres and factors. Rows whose two nearest centres are
equal up to rounding are settled by the CPU's kernels, so ties end as they do there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Labels, Tensor
from weft.backends.cpu.kernels import minkowski
from weft.backends.devices import load_torch, to_device
from weft.backends.gpu.kernels import kmeans as kernels


class Moved(NamedTuple):
    """Rows on a device.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    load : (n,)
    shift, centred, squares : (M,), (n, M) and (n, M), for squared distances without missing
        values: the columns' means, the rows less those, and their squares
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


def move(X: Floats, load: Floats, exponent: float, missing: bool, device: str) -> Moved:
    """Bring rows to a device."""
    rows = to_device(X, device)
    there = Moved(rows, to_device(load, device), exponent, missing)
    if exponent != 2.0 or missing:
        return there._replace(columns=rows.T.contiguous())
    shift = rows.mean(dim=0)
    centred = rows - shift
    return there._replace(shift=shift, centred=centred, squares=centred * centred)


def take(moved: Moved, rows: NDArray[np.int64]) -> Moved:
    """Return some of the rows."""
    at = to_device(rows, moved.X.device)
    part = moved._replace(X=moved.X[at], load=moved.load[at])
    if moved.centred is None:
        return part._replace(columns=part.X.T.contiguous())
    return part._replace(centred=moved.centred[at], squares=moved.squares[at])


def _there(moved: Moved, *arrays: NDArray[Any]) -> list[Tensor]:
    return [to_device(array, moved.X.device) for array in arrays]


def _here(tensor: Tensor) -> NDArray[Any]:
    return np.asarray(tensor.cpu().numpy())


def distances(moved: Moved, centers: Floats, factors: Floats) -> Floats:
    """Return Σ_v f_kv |x_iv - c_kv|^p, (n, K)."""
    c, f = _there(moved, centers, factors)
    return _here(kernels.powered_distances(moved.X, c, f, moved.exponent))


def nearest(moved: Moved, X: Floats, centers: Floats, factors: Floats) -> Labels:
    """Return each row's nearest centre, the first on a tie; `X` has the same rows on the host."""
    c, f = _there(moved, centers, factors)
    if moved.centred is not None:
        found = kernels.nearest_squared(moved.centred, moved.squares, c, f, moved.shift)
    else:
        found = kernels.nearest_centers(moved.X, moved.columns, c, f, moved.exponent)
    labels = _here(found.labels.to(load_torch().int32))
    rows = _here(found.open)
    if len(rows):
        settled = np.empty(len(rows), dtype=np.int32)
        minkowski.nearest_centers(
            X[rows], centers, factors, moved.exponent, settled, np.empty(len(rows))
        )
        labels[rows] = settled
    return labels


def own_distances(moved: Moved, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    own, c, f = _there(moved, labels.astype(np.int64), centers, factors)
    return _here(kernels.own_distances(moved.X, own, c, f, moved.exponent))


def centers_of(moved: Moved, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    """Return each cluster's centre and dispersions, (K, M) each."""
    own, before = _there(moved, labels.astype(np.int64), previous)
    found = kernels.column_centers(moved.X, own, moved.load, moved.exponent, before, moved.missing)
    return _here(found.centers), _here(found.dispersions)
