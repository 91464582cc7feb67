"""Convert a given table to float64 numbers, or raise an error of one sentence.

scikit-learn's `check_array` reads the containers. This module decides which numbers are allowed, so
that all estimators and functions refuse NaN, infinity and huge numbers with the same message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from weft._base.arrays import Floats
from weft._base.validation import LARGEST

TAKES_NAN = "WeightedKMeans(allow_nan=True)"
# How many numbers are checked at a time: a mask of all would take an eighth of the table's memory.
_BLOCK = 2**22


def read_array(X: Any, *, min_rows: int = 1, allow_nan: bool = False, name: str = "X") -> Floats:
    """Return a table that a function was given as float64 rows in C order, checked."""

    def read() -> Any:
        refuse_masked(X, name)
        return check_array(
            X,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
            input_name=name,
        )

    rows = convert(read, name)
    check_numbers(rows, name=name, allow_nan=allow_nan, columns=getattr(X, "columns", None))
    return rows


def refuse_masked(X: Any, name: str = "X") -> None:
    """Refuse a masked array that hides values: as a plain array it would show them."""
    n_masked = int(np.ma.count_masked(X)) if np.ma.isMaskedArray(X) else 0
    if n_masked:
        raise ValueError(
            f"{name} is a masked array that hides {n_masked} of its values; pass "
            f"{name}.filled(np.nan) for missing values, or drop such rows."
        )


def convert(read: Callable[[], Any], name: str = "X") -> Any:
    """Call `read`; errors of many lines, and unexpected ones, become one sentence."""
    try:
        return read()
    except ValueError as error:
        clearer = _clearer_message(str(error), name)
        if not clearer:
            raise
        raise ValueError(clearer) from None
    except TypeError as error:
        if "argument must be a string" not in str(error):
            raise
        raise TypeError(
            f"{name} holds values that are not numbers ({error}); give an array of numbers or a "
            "DataFrame."
        ) from None
    except OverflowError as error:
        raise ValueError(
            f"{name} holds an integer that is too large for a float64 number (about 1.8e308); "
            "scale that column first, or drop it."
        ) from error


def _clearer_message(message: str, name: str) -> str:
    """Return one sentence in the place of a library's unclear message; "" if it can stay."""
    if message.startswith("Complex data not supported"):  # the whole table follows
        return f"Complex data not supported: pass {name} as real numbers."
    if message.startswith("Expected unique column names"):
        return f"{name} has several columns of the same name; give each its own name."
    if message.startswith("at least one array or dtype is required"):
        return f"{name} has no columns; give at least one."
    if message.startswith("setting an array element with a sequence"):
        return (
            f"{name} is not a table of numbers with rows and columns; give an array or a DataFrame "
            "(of a lazy frame, give the result of collect())."
        )
    if message.startswith("could not convert string to float"):
        return f"{name} holds text ({message}); give a DataFrame, whose text is read as categories."
    return ""


def check_numbers(
    rows: Any,
    *,
    name: str = "X",
    allow_nan: bool = False,
    columns: Sequence[Any] | None = None,
    largest: float = LARGEST,
    gap_remedy: str = f"or use {TAKES_NAN}, which takes gaps",
) -> None:
    """Refuse a table (n, d) with NaN, infinity, or numbers whose squares cannot be summed.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The numbers.
    name : str, default="X"
        Name of the table in the message.
    allow_nan : bool, default=False
        Whether NaN, a missing value, is allowed.
    columns : sequence, default=None
        Names of the columns; without them columns are numbered from 0.
    largest : float
        The largest magnitude that is allowed.
    gap_remedy : str
        Another remedy for NaN, for the message.
    """
    height = max(1, _BLOCK // max(1, rows.shape[1]))
    peak = 0.0
    for start in range(0, len(rows), height):
        magnitudes = np.abs(rows[start : start + height])
        largest_here = float(magnitudes.max(initial=0.0))
        if np.isnan(largest_here):
            if not allow_nan:
                gap = np.isnan(magnitudes).any(axis=0)
                raise ValueError(
                    f"{name} contains NaN (missing values), first in {_column(gap, columns)}; "
                    f"fill the gaps, for example with SimpleImputer, {gap_remedy}."
                )
            largest_here = float(np.nan_to_num(magnitudes, nan=0.0, posinf=np.inf).max(initial=0.0))
        if np.isinf(largest_here):
            infinite = np.isinf(magnitudes).any(axis=0)
            raise ValueError(
                f"{name} contains infinity, first in {_column(infinite, columns)}; replace it by a "
                "number, or drop such rows."
            )
        peak = max(peak, largest_here)
    refuse_huge(peak, name=name, largest=largest)


def read_generator(random_state: Any) -> np.random.Generator:
    """Return the Generator behind `random_state`: None, an int, a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def is_gap(value: Any) -> bool:
    """Return whether a cell is missing: None, NaN, NaT, or the NA of pandas, which cannot be
    compared."""
    unequal = value != value
    return value is None or not isinstance(unequal, (bool, np.bool_)) or bool(unequal)


def refuse_huge(peak: float, *, name: str = "X", largest: float = LARGEST) -> None:
    """Refuse a table whose largest magnitude is `peak` where that is above `largest`."""
    if peak > largest:
        raise ValueError(
            f"{name} holds values up to {peak:.3g}, whose powers cannot be summed; values up to "
            f"{largest:.3g} are allowed: scale the columns first, for example with StandardScaler."
        )


def _column(affected: np.ndarray, columns: Sequence[Any] | None) -> str:
    """Name the first of the affected columns."""
    place = int(affected.argmax())
    if columns is None or len(columns) <= place:
        return f"column {place}"
    name = columns[place]
    return f"column {name}" if isinstance(name, int) else f"column {str(name)!r}"
