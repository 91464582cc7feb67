"""Kinds of values in a model file: small records, each with its own check.

Lengths are symbols, such as "n_features": a symbol stands for one length in the whole file, and
``"*"`` for any length. A value that does not fit raises `Refused` with the end of a sentence.
"""

from weft.models.kinds.compound import Fields, ListOf, MapOf, OneOf, Record, records_in
from weft.models.kinds.simple import (
    NOTHING,
    Array,
    Choice,
    Flag,
    Integer,
    Kind,
    Lengths,
    Number,
    Text,
    Texts,
    described,
)

__all__ = [
    "NOTHING",
    "Array",
    "Choice",
    "Fields",
    "Flag",
    "Integer",
    "Kind",
    "Lengths",
    "ListOf",
    "MapOf",
    "Number",
    "OneOf",
    "Record",
    "Text",
    "Texts",
    "described",
    "records_in",
]
