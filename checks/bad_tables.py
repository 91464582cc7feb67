"""Bad tables of many kinds, for tests of how estimators refuse them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

Rng = np.random.Generator


def good_table() -> np.ndarray:
    """Return 24 rows in three groups, with four columns."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(24, 4)) + 4.0 * np.repeat([[0.0], [1.0], [2.0]], 8, axis=0) + 9.0


def bad_table(kind: str, seed: int) -> Any:
    """Return a table of a kind in `KINDS`."""
    return KINDS[kind](np.random.default_rng(seed))


class _Liar:
    """An object that looks like an array but cannot be converted to one."""

    shape = (24, 4)
    dtype = np.dtype(float)
    ndim = 2

    def __len__(self) -> int:
        return 24

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise ValueError("no array after all")


def _with(rng: Rng, values: Any, share: float | None = None) -> np.ndarray:
    """Return a good table with some cells replaced by `values`."""
    X = good_table()
    n_cells = int(rng.integers(1, 6)) if share is None else int(share * X.size)
    places = rng.choice(X.size, n_cells, replace=False)
    X.flat[places] = rng.choice(np.atleast_1d(values), n_cells)
    return X


def _objects(rng: Rng, value: Any) -> np.ndarray:
    X = good_table().astype(object)
    X[int(rng.integers(24)), int(rng.integers(4))] = value
    return X


def _column(rng: Rng, value: float) -> np.ndarray:
    X = good_table()
    X[:, int(rng.integers(4))] = value
    return X


def _frame(rng: Rng, column: Any) -> pd.DataFrame:
    return pd.DataFrame(good_table(), columns=list("abcd")).assign(e=column)


def _scaled(rng: Rng, low: float, high: float) -> np.ndarray:
    """Return a good table whose columns have magnitudes of 10^low to 10^high."""
    return good_table() * 10.0 ** rng.uniform(low, high, 4)


KINDS: dict[str, Callable[[Rng], Any]] = {
    # Numbers
    "NaN in cells": lambda rng: _with(rng, np.nan),
    "NaN in many cells": lambda rng: _with(rng, np.nan, 0.4),
    "NaN column": lambda rng: _column(rng, np.nan),
    "NaN row": lambda rng: np.vstack([good_table(), np.full((1, 4), np.nan)]),
    "all NaN": lambda rng: np.full((24, 4), np.nan),
    "infinity": lambda rng: _with(rng, [np.inf, -np.inf]),
    "NaN and infinity": lambda rng: _with(rng, [np.nan, np.inf]),
    "largest floats": lambda rng: _with(rng, [1.7e308, -1.7e308]),
    "huge cells": lambda rng: _with(rng, 10.0 ** rng.uniform(140, 308, 4)),
    "huge columns": lambda rng: _scaled(rng, 140, 307),
    "near the bound": lambda rng: _scaled(rng, 143, 144),
    "shifted far": lambda rng: good_table() + 10.0 ** rng.uniform(12, 300),
    "tiny columns": lambda rng: _scaled(rng, -320, -140),
    "tiny and huge": lambda rng: good_table() * np.array([1e-300, 1e-100, 1e100, 1e140]),
    "denormals": lambda rng: rng.integers(0, 9, (24, 4)) * 5e-324,
    "mixed magnitudes": lambda rng: _scaled(rng, -100, 100),
    "signed zeros": lambda rng: np.where(rng.random((24, 4)) < 0.5, -0.0, 0.0),
    # Shapes and repetition
    "no rows": lambda rng: np.empty((0, 4)),
    "no columns": lambda rng: np.empty((24, 0)),
    "one row": lambda rng: good_table()[:1],
    "two rows": lambda rng: good_table()[:2],
    "one column": lambda rng: good_table()[:, :1],
    "wide": lambda rng: rng.normal(size=(5, 60)),
    "one dimension": lambda rng: good_table()[:, 0],
    "three dimensions": lambda rng: np.ones((3, 3, 3)),
    "no dimension": lambda rng: np.array(3.0),
    "all equal": lambda rng: np.full((24, 4), rng.normal()),
    "two places": lambda rng: np.repeat(good_table()[[0, 9]], 12, axis=0),
    "constant columns": lambda rng: _column(rng, 7.0),
    "equal except for rounding": lambda rng: 0.1 + rng.integers(0, 2, (24, 4)) * 2.0**-56,
    "other number of columns": lambda rng: good_table()[:, : int(rng.integers(1, 4))],
    # Types
    "huge integer": lambda rng: _objects(rng, 10 ** int(rng.integers(309, 5000))),
    "negative huge integer": lambda rng: _objects(rng, -(10**400)),
    "None": lambda rng: _objects(rng, None),
    "text": lambda rng: _objects(rng, "three"),
    "number as text": lambda rng: good_table().astype(str),
    "bytes": lambda rng: np.full((24, 4), b"1"),
    "dates": lambda rng: np.full((24, 4), datetime(2020, 1, 1)),
    "datetime64": lambda rng: np.full((24, 4), np.datetime64("2020-01-01")),
    "time differences": lambda rng: np.full((24, 4), np.timedelta64(3, "s")),
    "complex": lambda rng: good_table() + 1j,
    "booleans": lambda rng: rng.random((24, 4)) < 0.5,
    "int64 ends": lambda rng: rng.choice([2**63 - 1, -(2**63), 0], (24, 4)),
    "uint64 ends": lambda rng: rng.choice(np.array([0, 2**64 - 1], dtype=np.uint64), (24, 4)),
    "float16 overflow": lambda rng: (good_table() * 1e5).astype(np.float16),
    "long double": lambda rng: good_table().astype(np.longdouble) * np.longdouble("1e4000"),
    "decimals": lambda rng: _objects(rng, Decimal("1e500")),
    "decimal NaN": lambda rng: _objects(rng, Decimal("NaN")),
    "fractions": lambda rng: _objects(rng, Fraction(10**400, 3)),
    "lists in cells": lambda rng: _objects(rng, [1, 2]),
    "arrays in cells": lambda rng: _objects(rng, np.ones(2)),
    "dicts in cells": lambda rng: _objects(rng, {}),
    "structured": lambda rng: np.zeros(24, dtype=[("a", float), ("b", "U3")]),
    "masked": lambda rng: np.ma.masked_greater(good_table(), 12.0),
    "matrix": lambda rng: np.asmatrix(good_table()),
    # Containers
    "nothing": lambda rng: None,
    "a number": lambda rng: 3.0,
    "a text": lambda rng: "table.csv",
    "a dict": lambda rng: {"a": [1, 2], "b": [3, 4]},
    "a set": lambda rng: {1.0, 2.0},
    "a generator": lambda rng: (row for row in good_table()),
    "ragged lists": lambda rng: [[1.0, 2.0], [3.0]],
    "empty lists": lambda rng: [[], []],
    "an empty list": lambda rng: [],
    "lists of texts": lambda rng: [["a", "b"], ["c", "d"]],
    "liar": lambda rng: _Liar(),
    "memory view": lambda rng: memoryview(good_table()),
    "sparse": lambda rng: sparse.csr_array(good_table()),
    "sparse with NaN": lambda rng: sparse.csr_array(_with(rng, np.nan)),
    "sparse with huge": lambda rng: sparse.csr_array(_with(rng, 1e300)),
    "sparse empty": lambda rng: sparse.csr_array((24, 4)),
    "series": lambda rng: pd.Series(good_table()[:, 0]),
    "frame with texts": lambda rng: _frame(rng, rng.choice(["x", "y"], 24)),
    "frame with dates": lambda rng: _frame(rng, datetime(2020, 1, 1)),
    "frame with durations": lambda rng: _frame(rng, timedelta(days=3)),
    "frame with categories": lambda rng: _frame(rng, pd.Categorical(rng.choice(["x", "y"], 24))),
    "frame with missing": lambda rng: _frame(rng, pd.array([1, None] * 12, dtype="Int64")),
    "frame with objects": lambda rng: _frame(rng, [10**400] * 24),
    "frame with one name twice": lambda rng: pd.DataFrame(good_table(), columns=list("aabc")),
    "frame with names of two types": lambda rng: pd.DataFrame(
        good_table(), columns=["a", 1, "b", 2]
    ),
    "empty frame": lambda rng: pd.DataFrame(),
    "frame without rows": lambda rng: pd.DataFrame(columns=list("abcd")),
    "polars with null": lambda rng: pl.DataFrame({"a": [1.0, None] * 12, "b": [2.0] * 24}),
    "polars with texts": lambda rng: pl.DataFrame({"a": ["x"] * 24, "b": [2.0] * 24}),
}
