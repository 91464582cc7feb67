"""Which DataFrames are raw tables: those that hold something else than numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.validation import import_optional
from weft.tables.cells import is_table


def is_raw(X: Any, *, allow_nan: bool = False) -> bool:
    """Return whether X is a table that holds something else than numbers."""
    if not is_table(X) or type(X).__module__.startswith("dask"):
        return False
    if _is_plain_frame(X):
        return not allow_nan and bool(np.isnan(X.to_numpy(dtype=np.float64)).any())
    narwhals = import_optional("narwhals", "app")
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, narwhals.DataFrame):
        return False
    for name in frame.columns:
        series = frame.get_column(name)
        dtype = series.dtype
        if dtype.is_numeric() or dtype == narwhals.Boolean:
            gaps = series.is_null().any() or (dtype.is_float() and bool(series.is_nan().any()))
            if gaps and not allow_nan:
                return True
        elif not (dtype == narwhals.Object and _all_numbers(series.to_list())):
            return True
    return False


def _is_plain_frame(X: Any) -> bool:
    """Return whether X is a pandas table of NumPy's own numbers, which needs no narwhals."""
    types = getattr(X, "dtypes", ())
    return hasattr(X, "iloc") and all(
        isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in types
    )


def _all_numbers(cells: list[Any]) -> bool:
    return all(isinstance(cell, (int, float, np.number)) and cell == cell for cell in cells)
