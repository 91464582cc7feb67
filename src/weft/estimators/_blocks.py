"""Tables of Dask: read block by block, labelled block by block."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _check_feature_names, _check_n_features

from weft._base.reading import refuse_huge
from weft._base.validation import import_optional, largest_for
from weft.kmeans.blocks import Blocks, Survey, add_surveys, survey


class LazyTable(NamedTuple):
    """Blocks of rows, and the result of one pass over them."""

    blocks: Blocks
    survey: Survey

    @property
    def n_rows(self) -> int:
        return sum(self.survey.lengths)


def is_dask(X: Any) -> bool:
    """Return whether `X` is a Dask collection, without importing Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def read_lazy(
    estimator: Any,
    X: Any,
    sample_weight: Any = None,
    *,
    allow_nan: bool = False,
) -> LazyTable:
    """Check a Dask array or dataframe in one pass over it."""
    blocks = split(estimator, X, reset=True)
    mass = None if sample_weight is None else _split_mass(X, sample_weight)
    if mass is not None and len(mass) != len(blocks):
        raise ValueError(
            f"sample_weight has {len(mass)} chunks where X has {len(blocks)}; rechunk it like X."
        )
    table = Blocks(blocks, mass, int(estimator.n_features_in_))
    seen = table.fold(survey, add_surveys, None, idle=True)
    if sum(seen.lengths) == 0:
        raise ValueError("X has no rows; give some.")
    if seen.infinite or (seen.missing and not allow_nan):
        what = "infinity" if seen.infinite else "NaN"
        raise ValueError(f"X contains {what}; drop or fill such values first.")
    if seen.blank:
        raise ValueError("a row has no observed value; drop rows that are all NaN.")
    if seen.negative or not seen.mass > 0.0:
        raise ValueError("sample_weight must not be negative, nor zero for every row.")
    if (seen.seen <= 0.0).any():
        column = int((seen.seen <= 0.0).argmax())
        raise ValueError(f"column {column} has no observed value; drop columns that are all NaN.")
    # After the checks above: columns without values or mass leave the extremes at infinity.
    peak = np.fmax(np.abs(seen.low), np.abs(seen.high)).max(initial=0.0)
    refuse_huge(float(peak), largest=largest_for(float(getattr(estimator, "distance_exponent", 2))))
    return LazyTable(table, seen)


def split(estimator: Any, X: Any, *, reset: bool) -> list[Any]:
    """Return one task of Dask per block of rows; check names and number of the columns."""
    if hasattr(X, "columns"):
        _check_feature_names(estimator, X._meta, reset=reset)
        _check_n_features(estimator, X._meta, reset=reset)
        return list(X.to_delayed())
    if getattr(X, "ndim", None) != 2:
        raise ValueError(
            f"X is a {type(X).__name__}; give a Dask dataframe or array of two dimensions."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X holds {X.dtype}, which are not real numbers; convert it first.")
    _check_feature_names(estimator, np.empty((1, X.shape[1])), reset=reset)
    _check_n_features(estimator, np.empty((1, X.shape[1])), reset=reset)
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def _split_mass(X: Any, sample_weight: Any) -> list[Any]:
    if hasattr(sample_weight, "to_delayed"):
        return list(np.ravel(np.asarray(sample_weight.to_delayed(), dtype=object)))
    array = np.asarray(sample_weight, dtype=np.float64)
    if hasattr(X, "columns") or array.shape != (X.shape[0],):
        raise ValueError(
            f"sample_weight has shape {array.shape}; give one number per row of X, as a Dask array "
            "with the chunks of X."
        )
    edges = np.concatenate([[0], np.cumsum(X.chunks[0])])
    return [array[a:b] for a, b in pairwise(edges)]


def lengths_of(X: Any) -> list[int]:
    """Return how many rows each block has; unknown ones are counted in a pass."""
    if hasattr(X, "columns"):
        return [int(length) for length in X.map_partitions(len).compute()]
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    return [int(length) for length in X.chunks[0]]


def map_rows(
    blocks: list[Any],
    lengths: list[int],
    function: Callable[[np.ndarray], np.ndarray],
    dtype: Any,
    width: int | None = None,
) -> Any:
    """Return a Dask array of the results of `function` on the rows of each block."""
    dask = import_optional("dask", "scale")
    call = dask.delayed(_on_rows, pure=False)
    shared = dask.delayed(function)
    tail = () if width is None else (width,)
    return joined([call(shared, block) for block in blocks], lengths, dtype, tail)


def joined(tasks: list[Any], lengths: list[int], dtype: Any, tail: tuple[int, ...] = ()) -> Any:
    """Return the results of tasks, each of (length, ...) rows, as one Dask array."""
    array = import_optional("dask.array", "scale")
    parts = [
        array.from_delayed(task, shape=(length, *tail), dtype=dtype)
        for task, length in zip(tasks, lengths, strict=True)
    ]
    return array.concatenate(parts, axis=0)


def _on_rows(function: Callable[[np.ndarray], np.ndarray], rows: Any) -> np.ndarray:
    return function(np.ascontiguousarray(np.asarray(rows), dtype=np.float64))
