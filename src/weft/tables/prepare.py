"""Turn a table into numbers: decisions about columns, missing values, scaling, warnings."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weft._base.validation import check_choice, import_optional
from weft.tables.columns import (
    ColumnDecision,
    decide_columns,
    encode,
    missing_cells,
    quoted,
    short,
    unread_cells,
)
from weft.tables.raw import InputError, RawTable

SCALES = ("standard", "range", "none")
MISSING = ("error", "drop-rows", "median")
_LABEL_NAMES = {"label", "labels", "class", "target", "y", "cluster", "species", "diagnosis"}


@dataclass(frozen=True)
class Table:
    """Numbers ready for clustering, and how they came to be."""

    X: np.ndarray  # (n_used, n_features), scaled
    values: np.ndarray  # the same before scaling, for people to read
    feature_names: list[str]
    rows: np.ndarray  # (n_used,) which rows of the file, from 0
    n_rows: int  # rows in the file
    decisions: list[ColumnDecision]
    recipe: dict[str, Any]
    label: np.ndarray | None = None  # (n_used,) class numbers, -1 where the label is missing
    label_name: str | None = None
    name: str = "table"
    warnings: list[str] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """The part of a summary that is about the table."""
        return {
            "data": {
                "name": self.name,
                "n_rows": self.n_rows,
                "n_rows_used": len(self.rows),
                "n_columns": len(self.decisions),
                "n_features": len(self.feature_names),
                "scale": self.recipe["scale"]["method"],
                "missing": self.recipe["missing"],
                "label": self.label_name,
            },
            "columns": [
                {**decision._asdict(), "features": list(decision.features)}
                for decision in self.decisions
            ],
            "warnings": list(self.warnings),
        }


def prepare_table(
    raw: RawTable,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
    scale: str = "standard",
) -> Table:
    """Decide about every column and return numbers.

    Parameters
    ----------
    raw : RawTable
        From :func:`weft.io.read_csv`, or made around a frame.
    label : str, optional
        Column with the known answer; it never becomes a feature.
    drop, keep : sequence of str
        Columns to leave out, and columns to use although they look like identifiers or text.
    missing : {"error", "drop-rows", "median"}
        What to do about missing values in the columns that are used. "median" fills numbers with
        their column's median and gives text a value of its own.
    scale : {"standard", "range", "none"}
        Mean 0 and standard deviation 1, or 0 to 1, or untouched. Features that hold only 0 and 1
        stay as they are: dividing by a small deviation would let rare values rule the distances.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> from weft.io import RawTable, prepare_table
    >>> colours = ["red", "red", "blue", "blue"]
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 6.0, 7.0], "colour": colours})
    >>> table = prepare_table(RawTable(frame=frame, name="example"))
    >>> table.feature_names
    ['size', 'colour=red']
    """
    check_choice("missing", missing, MISSING)
    check_choice("scale", scale, SCALES)
    _check_names(raw, label=label, drop=drop, keep=keep)
    frame = raw.frame.reset_index(drop=True)  # from here on the index is the row's number
    if frame.shape[1] == 1:
        raise InputError(
            f"{raw.name} has one column ({frame.columns[0]!r}); weft weighs columns against each "
            "other and needs at least two."
        )
    if len(frame) < 2:
        count = "no rows below its header" if len(frame) == 0 else "one row"
        raise InputError(f"{raw.name} has {count}; clustering needs at least two.")

    decide = partial(decide_columns, raw, label=label, drop=drop, keep=keep)
    plans = decide(frame)
    absent = missing_cells(frame, plans)
    rows = np.arange(len(frame))
    if absent and missing == "error":
        raise InputError(_explain_missing(raw, absent))
    if absent and missing == "drop-rows":
        gone = np.logical_or.reduce(list(absent.values()))
        if (~gone).sum() < 2:
            raise InputError(
                f"{raw.name} has {(~gone).sum()} rows without missing values; leave columns out "
                "with --drop, or use --missing median."
            )
        rows = rows[~gone]
        plans = decide(frame.iloc[rows])  # a column may be constant now
    used = frame.iloc[rows]

    recipe: dict[str, Any] = {
        "columns": [plan.encoder for plan in plans if plan.encoder is not None],
        "missing": missing,
    }
    values = encode(used, recipe)
    names = [name for plan in plans for name in plan.decision.features]
    decisions = [plan.decision for plan in plans]
    _check_features(raw, names, decisions)
    recipe["scale"] = _fit_scale(values, names, scale)
    codes = None
    if label is not None:
        pd = import_optional("pandas", "app")
        codes = pd.factorize(used[label])[0]
        if (codes < 0).all():
            raise InputError(f"the label column {label!r} is empty; leave --label out.")
    warnings = _warnings(raw, decisions, absent, rows, missing=missing, label=label)
    return Table(
        X=_apply_scale(values, recipe["scale"]),
        values=values,
        feature_names=names,
        rows=rows,
        n_rows=len(frame),
        decisions=decisions,
        recipe=recipe,
        label=codes,
        label_name=label,
        name=raw.name,
        warnings=warnings,
    )


class NewRows(NamedTuple):
    """Rows that came later, as numbers."""

    X: np.ndarray  # (n_used, n_features), scaled
    values: np.ndarray  # the same before scaling
    rows: np.ndarray  # (n_used,) which rows of the file, from 0
    n_rows: int


def apply_recipe(raw: RawTable, recipe: dict[str, Any], *, missing: str | None = None) -> NewRows:
    """Turn rows that came later into the numbers that a model was fitted on.

    `missing` is what to do about missing values, by default what the recipe says; ``"median"``
    fills in what the rows of the fit had.
    """
    missing = check_choice("missing", missing or recipe["missing"], MISSING)
    wanted = [column["name"] for column in recipe["columns"]]
    absent = [name for name in wanted if name not in raw.frame.columns]
    if absent:
        listed = ", ".join(repr(name) for name in absent[:5])
        more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
        raise InputError(
            f"{raw.name} lacks column{'s' if len(absent) > 1 else ''} {listed}{more}, which the "
            "model was fitted on; give a table with the same columns."
        )
    if len(raw.frame) == 0:
        raise InputError(f"{raw.name} has no rows below its header.")
    frame = raw.frame[wanted].reset_index(drop=True)
    unread_cells(raw, frame, recipe)
    masks = {name: frame[name].isna().to_numpy() for name in wanted}
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    rows = np.arange(len(frame))
    if masks and missing == "error":
        raise InputError(_explain_missing(raw, masks))
    if masks and missing == "drop-rows":
        rows = rows[~np.logical_or.reduce(list(masks.values()))]
    values = encode(frame.iloc[rows], recipe)
    return NewRows(_apply_scale(values, recipe["scale"]), values, rows, len(frame))


def _explain_missing(raw: RawTable, absent: dict[str, np.ndarray]) -> str:
    rows = np.logical_or.reduce(list(absent.values()))
    first = min(absent, key=lambda name: int(np.argmax(absent[name])))
    line = raw.line(int(np.argmax(absent[first])))
    counted = [f"{name!r} ({mask.sum()})" for name, mask in absent.items()]
    listed = ", ".join(counted[:6]) + (f" and {len(counted) - 6} more" if len(counted) > 6 else "")
    plural = "s" if len(absent) > 1 else ""
    return (
        f"{raw.name} has missing values in column{plural} {listed}, the first in {first!r} on line "
        f"{line}; go on with --missing drop-rows (leaves out {rows.sum()} of {len(rows)} rows), "
        f"--missing median (fills them in), or --drop COLUMN."
    )


def _check_names(
    raw: RawTable, *, label: str | None, drop: Sequence[str], keep: Sequence[str]
) -> None:
    names = [str(name) for name in raw.frame.columns]
    asked = [("--label", label)] if label is not None else []
    asked += [("--drop", name) for name in drop] + [("--keep", name) for name in keep]
    for option, name in asked:
        if name not in names:
            lowered = {known.lower(): known for known in names}
            close = difflib.get_close_matches(str(name).lower(), lowered, n=1)
            listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
            hint = f"did you mean {lowered[close[0]]!r}?" if close else f"it has: {listed}."
            raise InputError(f"{raw.name} has no column {name!r} (asked for with {option}); {hint}")
    for name in {*drop} & {*keep, label} | {*keep} & {label}:
        raise InputError(
            f"column {name!r} is asked for twice; name it in one of --label, --drop and --keep."
        )


def _check_features(raw: RawTable, names: list[str], decisions: list[ColumnDecision]) -> None:
    repeated = (
        {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else {}
    )
    if repeated:
        raise InputError(
            f"{raw.name} would give two features called {sorted(repeated)[0]!r}; rename the column."
        )
    if len(names) >= 2:
        return
    open_to_use = [d for d in decisions if d.kind not in ("label", "dropped")]
    if open_to_use and all(d.kind == "constant" for d in open_to_use):
        raise InputError(
            f"every column of {raw.name} holds one value only; there is nothing to cluster."
        )
    why = "; ".join(f"{d.name}: {d.reason}" for d in decisions if not d.kept)
    can = f"only {names[0]!r}" if names else "no column"
    raise InputError(
        f"{raw.name} has {can} to cluster on, and at least two are needed ({short(why, 400)})."
    )


def _fit_scale(values: np.ndarray, names: list[str], method: str) -> dict[str, Any]:
    n_features = values.shape[1]
    center, scale = np.zeros(n_features), np.ones(n_features)
    binary = ((values == 0) | (values == 1)).all(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        if method == "standard":
            center, scale = values.mean(axis=0), values.std(axis=0)
        elif method == "range":
            center, scale = values.min(axis=0), np.ptp(values, axis=0)
    center[binary], scale[binary] = 0.0, 1.0
    broken = ~np.isfinite(center) | ~np.isfinite(scale) | (scale == 0)
    if broken.any():
        name = names[int(np.argmax(broken))]
        raise InputError(
            f"column {name!r} spans values too large or too close together to scale; rescale it, "
            f"or leave it out with --drop {quoted(name)}."
        )
    return {"method": method, "center": center.tolist(), "scale": scale.tolist()}


def _apply_scale(values: np.ndarray, scale: dict[str, Any]) -> np.ndarray:
    return (values - np.array(scale["center"])) / np.array(scale["scale"])


def _warnings(
    raw: RawTable,
    decisions: list[ColumnDecision],
    absent: dict[str, np.ndarray],
    rows: np.ndarray,
    *,
    missing: str,
    label: str | None,
) -> list[str]:
    found = []
    for kind, remedy in (
        ("identifier", "if it measures something, keep it with --keep"),
        ("text", "to use it as 0/1 columns all the same, give --keep"),
        ("empty", "nothing to use there"),
    ):
        columns = [d for d in decisions if d.kind == kind]
        found += [f"{d.name!r} was left out: {d.reason}; {remedy}." for d in columns[:5]]
        if len(columns) > 5:
            names = ", ".join(repr(d.name) for d in columns[5:])
            found.append(f"left out for the same reason ({kind}): {short(names, 300)}.")
    if absent and missing == "drop-rows":
        found.append(f"{len(raw.frame) - len(rows)} rows with missing values were left out.")
    if absent and missing == "median":
        cells = sum(int(mask.sum()) for mask in absent.values())
        found.append(f"{cells} missing values in {len(absent)} columns were filled in.")
    if label is None:
        for d in decisions:
            if d.kept and d.name.lower() in _LABEL_NAMES:
                found.append(
                    f"{d.name!r} sounds like the known answer but was searched on like any other "
                    f"column; if it is the answer, give --label {quoted(d.name)}."
                )
    if all(_is_number(str(name)) for name in raw.frame.columns):
        found.append("the first line holds only numbers and was read as the column names.")
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
