"""What the recipe of a table may be when a model file is read; see `prepare.apply_recipe`."""

from __future__ import annotations

from typing import Any

from weft.models.archive import Refused
from weft.models.kinds import Choice, Fields, Kind, Lengths, ListOf, Number, OneOf, Text

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


RECIPE = Recipe()
