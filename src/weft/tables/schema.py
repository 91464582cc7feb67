"""What a model file may hold about a table: a plan, or the recipe of a file from weft 0.1.0."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.columns.mixed.blocks import Block
from weft.columns.mixed.embedding import Embedding
from weft.columns.mixed.filling import Directions
from weft.columns.source import KINDS, MixedTable
from weft.models.archive import Refused
from weft.models.kinds import (
    NOTHING,
    Array,
    Choice,
    Fields,
    Flag,
    Integer,
    Kind,
    Lengths,
    ListOf,
    Number,
    OneOf,
    Record,
    Text,
)
from weft.tables.dates import CYCLES, DATE_FORMS
from weft.tables.numbers import NumberFormat
from weft.tables.plan import MISSING, TablePlan
from weft.tables.points import PlainPoints
from weft.tables.reading import CLOCKS, DURATION, Reading

# The recipe of weft 0.1.0 ---------------------------------------------------------------------

_COLUMN = OneOf(
    Fields({"name": Text(), "kind": Choice("numeric", "boolean"), "fill": Number()}),
    Fields({"name": Text(), "kind": Choice("categorical"), "values": ListOf(Text())}),
)
_NONZERO = OneOf(Number(low=0.0, above=True), Number(high=-5e-324))
_SCALE = Fields(
    {
        "method": Choice("standard", "range", "none"),
        "center": ListOf(Number(), "n_features"),
        "scale": ListOf(_NONZERO, "n_features"),
    }
)


class Recipe(Kind):
    """The recipe that turns the columns of a table into the features of a model."""

    whole = Fields(
        {
            "columns": ListOf(_COLUMN),
            "missing": Choice("error", "drop-rows", "median"),
            "scale": _SCALE,
        }
    )

    @property
    def words(self) -> str:
        return self.whole.words

    def takes(self, value: Any) -> bool:
        return self.whole.takes(value)

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        self.whole.inspect(value, what, lengths)
        n_made = sum(len(column.get("values", [0])) for column in value["columns"])
        if n_made != lengths.of("n_features"):
            raise Refused(
                f"its {what} makes {n_made} features, but the model was fitted on "
                f"{lengths.of('n_features')}."
            )


# The plan -------------------------------------------------------------------------------------

_FORMAT = Record(
    "NumberFormat",
    NumberFormat,
    {
        "thousands": Choice("", ",", ".", " ", "'", "_"),
        "decimal": Choice(".", ","),
        "unit": Text(20),
        **dict.fromkeys(("is_money", "is_ambiguous"), Flag()),
    },
)


def _reading_fits(reading: Reading) -> str:
    """Return the problem of a reading, or "", by its source column."""
    try:
        reading.source(0)
    except ValueError as error:
        return f"makes no source column ({error})"
    if reading.kind == "date" and (reading.form not in DATE_FORMS or not reading.parts):
        return "is a date without a form."
    if reading.kind == "date" and any(part not in ("age", *CYCLES) for part in reading.parts):
        return "is a date with unknown parts."
    if reading.kind == "cyclic" and reading.form not in CLOCKS:
        return "is cyclic without a form."
    if reading.levels is not None and not reading.levels:
        return "has no level."
    return ""


_READING = Record(
    "Reading",
    Reading,
    {
        "name": Text(),
        "kind": Choice(*KINDS),
        "note": Text(),
        "unit": Text(20),
        "levels": OneOf(NOTHING, ListOf(Text())),
        "numbers": _FORMAT,
        "form": Choice("", *DATE_FORMS, *CLOCKS, DURATION),
        "parts": ListOf(Text(40), longest=8),
        "periods": ListOf(Number(low=0.0, high=1e6), longest=8),
        "origin": Number(low=-1e9, high=1e9),
        "curve": Choice("none", "log"),
        "curve_scale": Number(low=0.0, above=True, high=1e300),
        **dict.fromkeys(("low", "high"), Number(inf=True)),
    },
    _reading_fits,
)


def _block_fits(block: Block) -> str:
    """Return the problem of a block, or "": its number of values must fit its measure."""
    rows, width = block.points.shape
    if block.measure == "number" and (rows, width) != (1, 4):
        return "does not have the four numbers of a number."
    if block.measure == "number" and block.points[0, 1] == 0.0:
        return "divides by 0."
    if block.measure == "cyclic" and ((rows, width) != (1, 3) or block.period <= 0.0):
        return "does not have what a circle needs."
    if block.measure == "ordered" and width != 1:
        return "has more than one coordinate for an order."
    return ""


_BLOCK = Record(
    "Block",
    Block,
    {
        **dict.fromkeys(("position", "source"), Integer(high=10**6)),
        "measure": Choice("number", "ordered", "category", "cyclic"),
        "period": Number(low=0.0, high=1e6),
        "points": Array(("*", "*"), nan=True),
        "share": Number(low=0.0, above=True, high=1000.0),
    },
    _block_fits,
)


def _plan_fits(plan: TablePlan) -> str:
    """Return the problem between parts of a plan, or "": positions, numbers of coordinates."""
    columns = plan.columns
    width = sum(len(column.positions) for column in columns)
    if len({reading.name for reading in plan.readings}) != len(plan.readings):
        return "reads a column twice."
    if len(plan.fills) != width:
        return f"fills {len(plan.fills)} columns, but makes {width}."
    used = MixedTable(np.empty((0, width)), columns).used
    if isinstance(plan.points, Embedding):
        for block in plan.points.blocks:
            if block.source >= len(used) or block.position not in used[block.source].positions:
                return "has a block for a column that it does not make."
        if sorted(block.position for block in plan.points.blocks) != list(range(width)):
            return "does not have one block for each column that it makes."
    elif len(plan.points.fills) != width:
        return "does not fill as many columns as it makes."
    if len(plan.names) != len(plan.spread):
        return f"makes {len(plan.names)} coordinates, but has {len(plan.spread)} variances."
    return ""


def plan_kind(coordinates: str) -> Record:
    """Return the kind of a plan; `coordinates` is the symbol for how many it makes."""
    directions = Record(
        "Directions",
        Directions,
        {
            "axes": Array((coordinates, "n_directions"), least=0),
            "shrinkage": Array(("n_directions",), low=0.0, high=1.0, least=0),
        },
    )
    embedding = Record("Embedding", Embedding, {"blocks": ListOf(_BLOCK), "directions": directions})
    plain = Record(
        "PlainPoints",
        PlainPoints,
        {
            "fills": Array(("n_matrix",), least=0),
            "center": Array((coordinates,), least=0),
            "scale": Array((coordinates,), low=5e-324, least=0),
        },
    )
    return Record(
        "TablePlan",
        TablePlan,
        {
            "readings": ListOf(_READING),
            "missing": Choice(*MISSING),
            "points": OneOf(embedding, plain),
            "fills": Array(("n_matrix",), least=0),
            "spread": Array((coordinates,), low=0.0, least=0),
        },
        _plan_fits,
    )


RECIPE = OneOf(plan_kind("n_features"), Recipe())
