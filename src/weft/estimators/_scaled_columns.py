"""How `RangeScaler` scales one column, and the schema of its learned attributes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft.estimators._declared import POSITIVE, SCALAR, VECTOR, declare, floats
from weft.models.kinds import NOTHING, Choice, Flag, Integer, ListOf, OneOf, Record, Text, Texts
from weft.models.schema import Added


class ScaledColumn(NamedTuple):
    """How one column is scaled: a number by mean and half range, a category by its dummies."""

    categories: tuple[Any, ...] | None
    mean: np.ndarray
    half_range: float


def _shares_fit(column: ScaledColumn) -> str:
    """Return the problem of a column of a model file, or "": categories need a mean each."""
    wanted = 1 if column.categories is None else len(column.categories)
    return "" if len(column.mean) == wanted else f"has {len(column.mean)} means, not {wanted}."


def _categories_fit(params: Any, learned: Any) -> str:
    """Return the problem if the columns of a model file do not match its categories, or ""."""
    known = [column.categories is not None for column in learned["columns_"]]
    return "" if known == learned["_is_category"] else "its columns and categories disagree."


RANGE_SCALER = declare(
    {
        "columns_": ListOf(
            Record(
                "_Column",
                ScaledColumn,
                {
                    "categories": OneOf(NOTHING, ListOf(SCALAR)),
                    "mean": floats("*", least=0),
                    "half_range": POSITIVE,
                },
                _shares_fit,
            ),
            "n_features",
        ),
        "_is_category": ListOf(Flag(), "n_features"),
        "_fit_place": Added(OneOf(NOTHING, Text(200)), lambda learned: None),
    },
    rules=(_categories_fit,),
    categorical=OneOf(Choice("auto"), ListOf(OneOf(Text(), Integer())), Texts(("*",)), VECTOR),
)


def is_numeric(column: np.ndarray) -> bool:
    """Return whether a column holds numbers."""
    return column.dtype.kind in "fiu"


def _missing(column: np.ndarray) -> np.ndarray:
    """Say where a column of objects is None, NaN or NA (the last does not equal itself either)."""
    return np.array([x is None or str(x) == "<NA>" or x != x for x in column], dtype=bool)


def learn_number(column: np.ndarray) -> ScaledColumn:
    """Learn mean and half range of a column of numbers; NaN is missing."""
    seen = column[~np.isnan(column)]
    if len(seen) == 0:
        return ScaledColumn(None, np.array([0.0]), 1.0)
    low, high = float(seen.min()), float(seen.max())
    half = 0.5 * high - 0.5 * low  # halves first: the range itself may overflow
    mean = seen.mean() if low < high else low  # the mean of equal values is rounded
    return ScaledColumn(None, np.array([mean]), half if half > 0.0 else 1.0)


def learn_category(column: np.ndarray) -> ScaledColumn:
    """Learn the categories of a column of objects, and each one's share."""
    seen = column[~_missing(column)]
    try:
        categories = tuple(sorted(set(seen)))
    except TypeError:  # values of several types
        categories = tuple(sorted(set(seen), key=lambda value: (type(value).__name__, str(value))))
    shares = np.array([(seen == category).mean() for category in categories])
    return ScaledColumn(categories, shares, 1.0)


def scale(rule: ScaledColumn, column: np.ndarray) -> np.ndarray:
    """Return a scaled column of numbers, or the centred dummies of categories."""
    if rule.categories is None:
        return ((column - rule.mean[0]) / rule.half_range)[:, None]  # eq. 3.13
    missing = _missing(column)
    seen = column[~missing]  # pandas' NA is neither equal to a category nor different from it
    out = np.full((len(column), len(rule.categories)), np.nan)
    for place, category in enumerate(rule.categories):
        out[~missing, place] = (seen == category) - rule.mean[place]
    return out
