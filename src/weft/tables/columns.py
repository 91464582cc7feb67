"""Decide what each column of a table is for, and turn the table into numbers.

Every column gets one decision with a reason, so that nothing is left out in silence. The decisions
become a *recipe* (plain JSON types), and the recipe alone makes the numbers: the same code serves
the rows of today and rows that come later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weft._base.validation import import_optional
from weft.tables.raw import InputError, RawTable

if TYPE_CHECKING:
    import pandas as pd

MAX_CATEGORIES = 20
# A run of whole numbers without a gap is a counter only if it is too long to be a coincidence.
MIN_COUNTER = 10
_ID_NAME = re.compile(r"(.*[\s_.-])?(id|index|uuid|guid)|.*[a-z]I[dD]|unnamed: \d+")
_YES_NO = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
_ABSENT = "(missing)"


class ColumnDecision(NamedTuple):
    """What was done with a column, and why."""

    name: str
    kind: str
    kept: bool
    reason: str
    features: tuple[str, ...] = ()


def decide_columns(
    raw: RawTable,
    frame: pd.DataFrame,
    *,
    label: str | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
) -> list[Plan]:
    """One plan per column of `frame`, which is `raw`'s or some of its rows."""
    decider = _Decider(raw=raw, label=label, drop=set(drop), keep=set(keep))
    return [decider.decide(frame[name], str(name)) for name in frame.columns]


def encode(frame: pd.DataFrame, recipe: dict[str, Any]) -> np.ndarray:
    """Turn the columns of `frame` into numbers (n, d), as `recipe` says, before scaling."""
    parts: list[np.ndarray] = []
    for column in recipe["columns"]:
        series = frame[column["name"]]
        if column["kind"] == "numeric":
            numbers = _as_numbers(series)
            parts.append(np.where(np.isnan(numbers), column["fill"], numbers))
        elif column["kind"] == "boolean":
            numbers = _as_yes_no(series)
            parts.append(np.where(np.isnan(numbers), column["fill"], numbers))
        else:
            text = _as_text(series)
            parts += [(text == value).astype(float) for value in column["values"]]
    return np.column_stack(parts) if parts else np.empty((len(frame), 0))


class Plan(NamedTuple):
    """A decision, and the part of the recipe that carries it out."""

    decision: ColumnDecision
    encoder: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Decider:
    """One decision per column; the order of the questions is the order of the lines below."""

    raw: RawTable
    label: str | None
    drop: set[str]
    keep: set[str]

    def decide(self, series: pd.Series, name: str) -> Plan:
        if name == self.label:
            return _left_out(name, "label", "the known answer: compared with, never searched on")
        if name in self.drop:
            return _left_out(name, "dropped", "asked for with --drop")
        present = series.dropna()
        n_absent = len(series) - len(present)
        besides = f" besides {n_absent} missing" if n_absent else ""
        if present.empty:
            return self._refuse(name, "empty", "no value in any row")
        distinct = present.unique()
        if len(distinct) == 1:
            return self._refuse(name, "constant", f"one value only ({distinct[0]}){besides}")
        if present.dtype.kind == "b":
            return _boolean(series, name)
        numbers = _as_numbers(series)
        unread = np.isnan(numbers) & series.notna().to_numpy()
        if not unread.any():
            return self._numeric(series, name, numbers)
        if unread.sum() <= 0.5 * len(present):
            raise InputError(self._explain_text(series, name, unread))
        return self._text(series, name)

    def _numeric(self, series: pd.Series, name: str, numbers: np.ndarray) -> Plan:
        finite = numbers[~np.isnan(numbers)]
        if np.isinf(finite).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0])
            raise InputError(
                f"{self.raw.name} has an infinite value in column {name!r} on line "
                f"{self.raw.line(int(series.index[row]))} ({np.isinf(finite).sum()} in all); mend "
                f"it, or leave the column out with --drop {quoted(name)}."
            )
        whole = bool((finite == np.floor(finite)).all())
        if name not in self.keep and whole and _looks_like_id(name):
            return _left_out(
                name, "identifier", "whole numbers in a column named like an identifier"
            )
        if name not in self.keep and whole and _is_counter(finite):
            span = f"{finite.min():.0f} to {finite.max():.0f}"
            return _left_out(name, "identifier", f"counts the rows ({span}, each once)")
        decision = ColumnDecision(name, "numeric", True, "numbers", (name,))
        return Plan(decision, {"name": name, "kind": "numeric", "fill": float(np.median(finite))})

    def _text(self, series: pd.Series, name: str) -> Plan:
        text = _as_text(series)
        values = list(dict.fromkeys(text[series.notna().to_numpy()]))  # in order of appearance
        n_present = int(series.notna().sum())
        if len(values) == 1:
            return self._refuse(name, "constant", f"one value only ({values[0]})")
        if {value.lower() for value in values} <= _YES_NO.keys():
            return _boolean(series, name)
        if len(values) == n_present:
            if name in self.keep:
                raise InputError(
                    f"column {name!r} holds a different text in every row and cannot be kept; "
                    "nothing in it is shared by the rows of a group."
                )
            return _left_out(name, "identifier", "a different text in every row")
        if name not in self.keep and _looks_like_id(name):
            return _left_out(name, "identifier", "text in a column named like an identifier")
        few = len(values) <= MAX_CATEGORIES and len(values) <= 0.5 * len(series)
        if not few and name not in self.keep:
            return _left_out(
                name, "text", f"{len(values)} different texts in {n_present} rows are too many"
            )
        if series.isna().any():
            values.append(_ABSENT)
        elif len(values) == 2:
            values = values[:1]  # the second would be its mirror
        reason = f"{len(set(values) - {_ABSENT})} values as 0/1 columns"
        if len(values) == 1:
            reason = "two values as one 0/1 column"
        features = tuple(f"{name}={value}" for value in values)
        decision = ColumnDecision(name, "categorical", True, reason, features)
        return Plan(decision, {"name": name, "kind": "categorical", "values": values})

    def _refuse(self, name: str, kind: str, reason: str) -> Plan:
        """A column that cannot be used, whatever was asked for."""
        if name in self.keep:
            raise InputError(f"column {name!r} cannot be kept: {reason}; leave out --keep for it.")
        return _left_out(name, kind, reason)

    def _explain_text(self, series: pd.Series, name: str, unread: np.ndarray) -> str:
        row = int(np.flatnonzero(unread)[0])
        cells = f"{unread.sum()} cells, the first of them" if unread.sum() > 1 else "the cell"
        return (
            f"{self.raw.name} has numbers in column {name!r} but text in {cells} on line "
            f"{self.raw.line(int(series.index[row]))} ({short(series.iloc[row])!r}); mend it, "
            f"empty it to mark it missing, or leave the column out with --drop {quoted(name)}."
        )


def _left_out(name: str, kind: str, reason: str) -> Plan:
    return Plan(ColumnDecision(name, kind, False, reason))


def _boolean(series: pd.Series, name: str) -> Plan:
    numbers = _as_yes_no(series)
    fill = float(np.nanmedian(numbers) >= 0.5)
    decision = ColumnDecision(name, "boolean", True, "yes/no as 1/0", (name,))
    return Plan(decision, {"name": name, "kind": "boolean", "fill": fill})


def _as_numbers(series: pd.Series) -> np.ndarray:
    """Float64 with NaN where a cell is missing or no number."""
    pd = import_optional("pandas", "app")
    return pd.to_numeric(series, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _as_text(series: pd.Series) -> np.ndarray:
    cells = zip(series, series.isna(), strict=True)
    return np.array(
        [_ABSENT if absent else str(cell).strip() for cell, absent in cells], dtype=object
    )


def _as_yes_no(series: pd.Series) -> np.ndarray:
    return np.array([_YES_NO.get(cell.lower(), math.nan) for cell in _as_text(series)])


def _looks_like_id(name: str) -> bool:
    return _ID_NAME.fullmatch(name) is not None or _ID_NAME.fullmatch(name.lower()) is not None


def _is_counter(numbers: np.ndarray) -> bool:
    n = len(numbers)
    low, high = float(numbers.min()), float(numbers.max())
    return n >= MIN_COUNTER and high - low == n - 1 and len(np.unique(numbers)) == n


def missing_cells(frame: pd.DataFrame, plans: Iterable[Plan]) -> dict[str, np.ndarray]:
    """Mask of missing cells of each column that is used and has any."""
    masks = {plan.decision.name: None for plan in plans if plan.decision.kept}
    found = {name: frame[name].isna().to_numpy() for name in masks}
    return {name: mask for name, mask in found.items() if mask.any()}


def unread_cells(raw: RawTable, frame: pd.DataFrame, recipe: dict[str, Any]) -> None:
    """Refuse text or infinity in a column that held numbers when the recipe was made."""
    for column in recipe["columns"]:
        if column["kind"] == "categorical":
            continue
        series = frame[column["name"]]
        numbers = _as_numbers(series) if column["kind"] == "numeric" else _as_yes_no(series)
        bad = (np.isnan(numbers) & series.notna().to_numpy()) | np.isinf(numbers)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{raw.name} has {short(series.iloc[row])!r} in column {column['name']!r} on line "
                f"{raw.line(row)}, where the model was fitted on {column['kind']} values; mend it, "
                "or empty it to mark it missing."
            )


def short(value: Any, length: int = 40) -> str:
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def quoted(name: str) -> str:
    """`name` as it can be typed after an option."""
    return name if re.fullmatch(r"[\w.=+/-]+", name) else f"'{name}'"
