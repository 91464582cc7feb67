"""A table of the command line as numbers: selected columns, messages, warnings, the label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.validation import check_choice, import_optional
from weft.columns.mixed.embedding import Embedding
from weft.columns.source import MixedTable
from weft.tables.cells import Cells, filled_rows, read_cells
from weft.tables.decisions import ColumnDecision, check_features, check_names, check_size
from weft.tables.errors import InputError
from weft.tables.plan import MISSING, TablePlan, learn
from weft.tables.points import SCALES, place_rows
from weft.tables.raw import RawTable
from weft.tables.recipes import encode, refuse_unread
from weft.tables.table_notes import about_table

PREPARED = "weft"


@dataclass(frozen=True)
class Prepared:
    """The source of a frame of coordinates: estimators find it in ``frame.attrs[PREPARED]``.

    The frame's index has rows of `mixed`, also if only some of the rows were selected.
    """

    plan: TablePlan
    mixed: MixedTable

    def __deepcopy__(self, _: dict[int, Any]) -> Prepared:
        """Return itself, because pandas copies ``attrs`` with every view of a frame."""
        return self


@dataclass(frozen=True)
class Table:
    """Numbers ready for clustering, and how they were made."""

    X: Floats  # (n_used, n_coordinates)
    mixed: MixedTable  # the same rows by source column, in the units of the file
    plan: TablePlan
    rows: Integers  # (n_used,) which rows of the file, from 0
    n_rows: int  # rows in the file
    decisions: list[ColumnDecision]
    scale: str = "standard"
    label: np.ndarray | None = None  # (n_used,) class numbers, -1 where the label is missing
    label_name: str | None = None
    name: str = "table"
    warnings: list[str] = field(default_factory=list)

    @property
    def feature_names(self) -> list[str]:
        """Names of the coordinates."""
        return self.plan.names

    @property
    def countable(self) -> Any:
        """What `choose_n_clusters` takes: the mixed table if the mixed metric is used, else X."""
        return self.mixed if isinstance(self.plan.points, Embedding) else self.X

    def frame(self, plan: TablePlan | None = None) -> Any:
        """The rows as a data frame of coordinates, by the table's plan or another of its rows.

        If columns are of several kinds, the frame also holds its source columns.
        """
        pandas = import_optional("pandas", "app")
        plan = self.plan if plan is None else plan
        X = self.X if plan is self.plan else place_rows(plan.points, self.mixed)
        made = pandas.DataFrame(X, columns=plan.names)
        if isinstance(plan.points, Embedding):
            made.attrs[PREPARED] = Prepared(plan, self.mixed)
        return made

    def describe(self) -> dict[str, Any]:
        """The part of a summary that is about the table."""
        return {
            "data": {
                "name": self.name,
                "n_rows": self.n_rows,
                "n_rows_used": len(self.rows),
                "n_columns": len(self.decisions),
                "n_features": len(self.mixed.used),
                "scale": self.scale,
                "missing": self.plan.missing,
                "label": self.label_name,
            },
            "columns": [decision._asdict() for decision in self.decisions],
            "warnings": list(self.warnings),
        }


def prepare_table(
    raw: RawTable,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "auto",
    scale: str = "standard",
) -> Table:
    """Decide about every column and return numbers.

    Parameters
    ----------
    raw : RawTable
        From :func:`weft.io.read_table`, or made around a frame.
    label : str, optional
        Column with the known answer; it never becomes a feature.
    drop, keep : sequence of str
        Columns to leave out, and columns to use although they look like identifiers or text.
    missing : {"auto", "error", "drop-rows", "median"} What to do about missing values in the
        columns that are used. "auto" fills a gap from the other columns of its row (the mixed
        metric), "median" by the column's median or most frequent level. A missing value is never a
        level of its own.
    scale : {"standard", "range", "none"}
        "standard": numbers with mean 0 and standard deviation 1; a table that has other kinds of
        columns, or gaps, gets the points of the mixed metric, in which each column counts once.
        "range": 0 to 1, "none": untouched, both with one 0/1 column per level of a category.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> from weft.io import RawTable, prepare_table
    >>> prices = ["$1,910.50", "$20.00", "$6,000.00", "$7.25"]
    >>> frame = pd.DataFrame({"price": prices, "colour": ["red", "red", "blue", "blue"]})
    >>> table = prepare_table(RawTable(frame=frame, name="example"))
    >>> [(decision.name, decision.kind, decision.unit) for decision in table.decisions]
    [('price', 'amount', '$'), ('colour', 'category', '')]
    """
    check_choice("missing", missing, MISSING)
    check_choice("scale", scale, SCALES)
    check_names(raw, label=label, drop=drop, keep=keep)
    cells = read_cells(raw.frame)
    check_size(raw)
    searched = [column for column in cells if column.name != label and column.name not in drop]
    filled = filled_rows(cells)
    if len(filled) < len(raw.frame):
        searched = [column.take(filled) for column in searched]
    plan, made = learn(
        searched,
        table=raw.name,
        place=lambda row: raw.place(int(filled[row])),
        keep=keep,
        missing=missing,
        scale=scale,
    )
    rows = filled[made.rows]
    decisions = _decisions(cells, plan, label, drop)
    check_features(raw, made.table, decisions)
    codes = None
    if label is not None:
        pd = import_optional("pandas", "app")
        codes = pd.factorize(raw.frame[label].to_numpy(dtype=object)[rows])[0]
        if (codes < 0).all():
            raise InputError(f"the label column {label!r} is empty; leave --label out.")
    return Table(
        X=made.X,
        mixed=made.table,
        plan=plan,
        rows=rows,
        n_rows=len(raw.frame),
        decisions=decisions,
        scale=scale,
        label=codes,
        label_name=label,
        name=raw.name,
        warnings=[*raw.notes, *about_table(raw, searched, plan, decisions, made, label)],
    )


class NewRows(NamedTuple):
    """New rows, as numbers."""

    X: Floats  # (n_used, n_features)
    rows: Integers  # (n_used,) which rows of the file, from 0
    n_rows: int
    warnings: list[str]
    mixed: MixedTable | None = None


def apply_recipe(
    raw: RawTable, recipe: TablePlan | dict[str, Any], *, missing: str | None = None
) -> NewRows:
    """Turn new rows into the numbers that a model was fitted on.

    `missing` is what to do about missing values, by default what was done in the fit; ``"median"``
    fills in what the rows of the fit had.
    """
    if missing is not None:
        check_choice("missing", missing, MISSING)
    if isinstance(recipe, TablePlan):
        done = recipe.apply(read_cells(raw.frame), table=raw.name, place=raw.place, missing=missing)
        return NewRows(done.X, done.rows, done.n_rows, [*raw.notes, *done.warnings], done.table)
    wanted = [column["name"] for column in recipe["columns"]]
    absent = [name for name in wanted if name not in raw.frame.columns]
    if absent:
        raise InputError(
            f"{raw.name} lacks column {absent[0]!r}, which the model was fitted on; give a table "
            "with the same columns."
        )
    frame = raw.frame[wanted].reset_index(drop=True)
    refuse_unread(raw, frame, recipe)
    gaps = frame.isna().any(axis=1).to_numpy()
    rows = np.arange(len(frame))
    wish = missing or recipe["missing"]
    if gaps.any() and wish == "error":
        raise InputError(
            f"{raw.name} has missing values, the first on line {raw.line(int(np.argmax(gaps)))}; "
            "go on with --missing drop-rows or --missing median."
        )
    if wish == "drop-rows":
        rows = rows[~gaps]
    return NewRows(encode(frame.iloc[rows], recipe), rows, len(frame), list(raw.notes))


def _decisions(
    cells: Sequence[Cells], plan: TablePlan, label: str | None, drop: Sequence[str]
) -> list[ColumnDecision]:
    read = {column.name: column for column in plan.columns}
    made = []
    for column in cells:
        if column.name == label:
            reason = "the known answer: compared with the clusters, not used to find them"
            made.append(ColumnDecision(column.name, "label", False, reason))
        elif column.name in drop:
            made.append(ColumnDecision(column.name, "dropped", False, "asked for with --drop"))
        else:
            own = read[column.name]
            made.append(ColumnDecision(own.name, own.kind, own.is_used, own.note, own.unit))
    return made
