"""Recipes in model files of weft 0.1.0: how they convert a table to numbers.

Such a recipe is a dict: numbers and yes/no with a fill for gaps, one 0/1 column per level of a
category, and a scale. Tables that are read today get a `weft.tables.plan.TablePlan`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._base.arrays import Floats
from weft._base.validation import import_optional
from weft.tables.errors import InputError, short
from weft.tables.raw import RawTable

if TYPE_CHECKING:
    import pandas as pd

_YES_NO = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
_ABSENT = "(missing)"


def encode(frame: pd.DataFrame, recipe: dict[str, Any]) -> Floats:
    """Turn the columns of `frame` into numbers (n, d), as `recipe` says, scaled."""
    parts: list[np.ndarray] = []
    for column in recipe["columns"]:
        series = frame[column["name"]]
        if column["kind"] == "categorical":
            text = _as_text(series)
            parts += [(text == value).astype(float) for value in column["values"]]
        else:
            numbers = _numbers(series, column["kind"])
            parts.append(np.where(np.isnan(numbers), column["fill"], numbers))
    values = np.column_stack(parts) if parts else np.empty((len(frame), 0))
    scale = recipe["scale"]
    return (values - np.array(scale["center"])) / np.array(scale["scale"])


def refuse_unread(raw: RawTable, frame: pd.DataFrame, recipe: dict[str, Any]) -> None:
    """Refuse text or infinity in a column that held numbers when the recipe was made."""
    for column in recipe["columns"]:
        if column["kind"] == "categorical":
            continue
        series = frame[column["name"]]
        numbers = _numbers(series, column["kind"])
        bad = (np.isnan(numbers) & series.notna().to_numpy()) | np.isinf(numbers)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{raw.name} has {short(series.iloc[row])!r} in column {column['name']!r} on line "
                f"{raw.line(row)}, where the model was fitted on {column['kind']} values; fix it, "
                "or empty it to mark it missing."
            )


def _numbers(series: pd.Series, kind: str) -> Floats:
    if kind == "boolean":
        return np.array([_YES_NO.get(cell.lower(), math.nan) for cell in _as_text(series)])
    pd = import_optional("pandas", "app")
    return pd.to_numeric(series, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _as_text(series: pd.Series) -> np.ndarray:
    cells = zip(series, series.isna(), strict=True)
    return np.array(
        [_ABSENT if absent else str(cell).strip() for cell, absent in cells], dtype=object
    )
