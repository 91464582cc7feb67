"""Columns of any DataFrame in one form, before anything is decided about them.

pandas, polars, pyarrow and others are read through narwhals. A column of text becomes codes and its
distinct texts, so that each distinct text is examined only once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.validation import import_optional
from weft.tables.cell_texts import MISSING_TEXTS, number_text, text_of_cell
from weft.tables.dates import day_text
from weft.tables.headers import is_number

_DAY = 86_400_000_000  # microseconds
_COMPLEX = "Complex data not supported; give real numbers."


@dataclass(frozen=True)
class Cells:
    """The cells of one column.

    Attributes
    ----------
    name : str
        The column's name.
    form : str
        "number", "flag", "time" (days since 1970-01-01), "duration" (hours) or "text".
    numbers : ndarray of shape (n,)
        For all forms but text: float64, NaN where missing.
    codes : ndarray of shape (n,)
        For text: the position of the cell in `texts`, -1 where missing.
    texts : list of str
        For text: the distinct cells without the space around them, by their first row.
    is_ordered : bool
        For text: whether the table itself says that `texts` are in order.
    is_coded : bool
        For text: whether the table itself says that numbers are codes of a category.
    """

    name: str
    form: str
    numbers: Floats
    codes: Integers
    texts: list[str]
    is_ordered: bool = False
    is_coded: bool = False

    def __len__(self) -> int:
        return len(self.codes) if self.form == "text" else len(self.numbers)

    @property
    def is_missing(self) -> np.ndarray:
        """Mask of the missing cells."""
        return self.codes < 0 if self.form == "text" else np.isnan(self.numbers)

    def spread(self, values: Sequence[float] | Floats) -> Floats:
        """Return one number per row from one number per distinct text, NaN where missing."""
        table = np.append(np.asarray(values, dtype=np.float64), np.nan)
        return table[self.codes]  # -1 takes the last

    def counts(self) -> Integers:
        """Return how many rows have each distinct text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def text_of(self, row: int) -> str:
        """Return a cell that is not missing as a message shows it."""
        if self.form == "text":
            return self.texts[self.codes[row]]
        number = float(self.numbers[row])
        return day_text(number) if self.form == "time" else number_text(number)

    def take(self, rows: Integers) -> Cells:
        """Return the same column with some of its rows."""
        if self.form != "text":
            return _numeric(self.name, self.form, self.numbers[rows])
        codes = self.codes[rows]
        if self.is_ordered:  # levels keep their places, whether they occur or not
            return _textual(self.name, codes, self.texts, True)
        known = np.flatnonzero(codes >= 0)
        kept, first = np.unique(codes[known], return_index=True)
        kept = kept[np.argsort(first)]
        place = np.full(len(self.texts) + 1, -1)
        place[kept] = np.arange(len(kept))
        texts = [self.texts[k] for k in kept]
        return _textual(self.name, place[codes], texts, False, self.is_coded)


def is_table(X: Any) -> bool:
    """Return whether X is a DataFrame of some library, or a table of Arrow."""
    if isinstance(X, np.ndarray) or hasattr(X, "collect") or not hasattr(X, "columns"):
        return False  # a lazy frame, which has collect, has no rows yet
    return hasattr(X, "dtypes") or hasattr(X, "schema")


def read_cells(X: Any) -> list[Cells]:
    """Return the columns of a DataFrame."""
    refuse_names(X)
    narwhals = import_optional("narwhals", "app")
    frame = narwhals.from_native(X, eager_only=True)
    names = [str(name) for name in frame.columns]
    return [
        _read_series(narwhals, frame.get_column(own), name)
        for own, name in zip(frame.columns, names, strict=True)
    ]


def refuse_names(X: Any) -> None:
    """Refuse a table without columns, or with two of the same name."""
    if hasattr(X, "collect_schema"):  # polars: a lazy frame warns when asked for its columns
        names = X.collect_schema().names()
    else:
        names = X.column_names if hasattr(X, "column_names") else X.columns
    if len(names) == 0:
        raise ValueError("the table has no columns; give at least one.")
    texts = [str(name) for name in names]  # 1 and "1" are one name in messages and models
    if len(set(texts)) < len(texts):
        name = next(name for name, count in Counter(texts).items() if count > 1)
        raise ValueError(f"the table has several columns called {name!r}; give each its own name.")


def _read_series(narwhals: Any, series: Any, name: str) -> Cells:
    dtype = series.dtype
    if dtype.is_numeric():
        return _numeric(name, "number", series.cast(narwhals.Float64).to_numpy())
    if dtype == narwhals.Boolean:
        gaps = series.is_null().to_list()  # None, or NA in nullable columns of pandas
        cells = [
            np.nan if gap else float(cell) for cell, gap in zip(series.to_list(), gaps, strict=True)
        ]
        return _numeric(name, "flag", cells)
    if dtype in (narwhals.Date, narwhals.Datetime):
        return _numeric(name, "time", _days(series))
    if dtype == narwhals.Duration:
        return _numeric(name, "duration", _hours(series))
    is_ordered = dtype == narwhals.Enum
    # Newer versions of narwhals return cat.get_categories() in the order of the rows.
    levels = dtype.categories if is_ordered else ()
    is_category = is_ordered or dtype == narwhals.Categorical
    levels = list(dict.fromkeys(str(level).strip() for level in levels))
    return text_cells(name, series.to_list(), levels, is_category=is_category)


def filled_rows(columns: Sequence[Cells]) -> Integers:
    """Return the rows in which some column has a value; all rows if none has any."""
    if not columns:
        return np.empty(0, dtype=np.int64)
    empty = columns[0].is_missing.copy()
    for column in columns[1:]:
        empty &= column.is_missing
    return np.flatnonzero(~empty | empty.all())


def number_cells(name: str, numbers: Any) -> Cells:
    """Return a column of an array of numbers, or of true and false."""
    values = np.asarray(numbers)
    if values.dtype.kind == "c":
        raise ValueError(_COMPLEX)
    return _numeric(name, "flag" if values.dtype.kind == "b" else "number", values)


def text_cells(
    name: str, cells: Sequence[Any], levels: Sequence[str] = (), *, is_category: bool = False
) -> Cells:
    """Return a column of anything as text; `levels` are in order where the table has said so.

    A column of objects that are all numbers, or all true and false, is not text, unless the table
    says that the numbers are categories.
    """
    pandas = import_optional("pandas", "app")
    objects = np.fromiter(cells, dtype=object, count=len(cells))
    try:
        raw, distinct = pandas.factorize(objects)
    except TypeError:  # lists and dicts
        objects = np.array([None if cell is None else str(cell) for cell in cells], dtype=object)
        raw, distinct = pandas.factorize(objects)
    kinds = {type(cell) for cell in distinct}
    if any(issubclass(kind, (complex, np.complexfloating)) for kind in kinds):
        raise ValueError(_COMPLEX)
    if kinds and kinds <= {bool, np.bool_}:
        return _numeric(name, "flag", _spread(raw, [float(cell) for cell in distinct]))
    is_coded = bool(kinds) and all(issubclass(kind, (int, float, np.number)) for kind in kinds)
    if is_coded and not is_category:
        return _numeric(name, "number", _spread(raw, [_as_float(cell) for cell in distinct]))
    if is_coded:
        levels = [number_text(float(level)) if is_number(level) else level for level in levels]
    texts = [number_text(_as_float(cell)) if is_coded else text_of_cell(cell) for cell in distinct]
    place: dict[str, int] = {level: position for position, level in enumerate(levels)}
    for text in texts:
        if text not in MISSING_TEXTS:
            place.setdefault(text, len(place))
    table = np.array([*(place.get(text, -1) for text in texts), -1], dtype=np.int64)
    return _textual(name, table[raw], list(place), bool(levels), is_coded)


def _as_float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:  # an integer beyond the largest float
        return float("inf") if cell > 0 else float("-inf")


def _spread(codes: Any, values: list[float]) -> Floats:
    return np.array([*values, np.nan])[codes]


def _days(series: Any) -> Floats:
    """Return days since 1970; moments with a zone are taken in UTC."""
    moments = np.asarray(series.to_numpy())
    if moments.dtype.kind != "M":
        moments = np.array([_plain_time(cell) for cell in series.to_list()], dtype="datetime64[us]")
    moments = moments.astype("datetime64[us]")
    days = moments.astype(np.int64) / _DAY
    return np.where(np.isnat(moments), np.nan, days)


def _hours(series: Any) -> Floats:
    """Return lengths of time in hours."""
    lengths = np.asarray(series.to_numpy()).astype("timedelta64[us]")
    hours = lengths.astype(np.int64) / (_DAY / 24.0)
    return np.where(np.isnat(lengths), np.nan, hours)


def _plain_time(cell: Any) -> Any:
    """Return a date or a moment in UTC without its zone, which NumPy does not take."""
    if getattr(cell, "tzinfo", None) is None:
        return cell
    return cell.astimezone(UTC).replace(tzinfo=None)


def _numeric(name: str, form: str, numbers: Any) -> Cells:
    values = np.asarray(numbers, dtype=np.float64)
    return Cells(name, form, values, np.empty(0, dtype=np.int64), [])


def _textual(
    name: str, codes: Any, texts: list[str], is_ordered: bool, is_coded: bool = False
) -> Cells:
    places = np.asarray(codes, dtype=np.int64)
    return Cells(name, "text", np.empty(0), places, texts, is_ordered, is_coded)


def is_raw(X: Any, *, allow_nan: bool = False) -> bool:
    """Return whether X is a table that holds anything other than numbers."""
    if not is_table(X) or type(X).__module__.startswith("dask"):
        return False
    refuse_names(X)
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
