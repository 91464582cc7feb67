"""The orientation of a table: samples in rows, or genes."""

from __future__ import annotations

import re
from dataclasses import replace

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.headers import number_names
from weft.tables.raw import RawTable

# Accessions (Ensembl, RefSeq, Entrez with a mark, Affymetrix probes), and symbols such as TP53.
GENE = re.compile(
    r"(ENS[A-Z]*[GT]\d{6,}(\.\d+)?|[NX][MR]_\d+(\.\d+)?|\d+(_[a-z])*_at|"
    r"[A-Z][A-Z0-9]{1,9}(-[A-Z0-9]{1,6}|\.\d+)?|[A-Z][a-z0-9]{1,9}\d[a-z0-9]*)"
)
GENE_SHARE = 0.9  # of the names that have to look like genes
LOOK_AT = 1000  # rows
FEWEST_ROWS = 100
ROWS_PER_COLUMN = 3  # there are far more genes than samples


def orientation_note(raw: RawTable) -> str:
    """Return a note if rows look like genes and columns like samples; else an empty text."""
    frame = raw.frame
    if len(frame) < FEWEST_ROWS or frame.shape[1] < 3:
        return ""
    if len(frame) < ROWS_PER_COLUMN * frame.shape[1]:
        return ""
    names = frame.iloc[:LOOK_AT, 0]
    if names.isna().any() or not names.map(lambda cell: isinstance(cell, str)).all():
        return ""
    if not frame.iloc[:, 0].is_unique:
        return ""
    numbers = import_optional("pandas", "app").to_numeric
    some = frame.iloc[:50, 1:6]
    if any(numbers(some[column], errors="coerce").isna().mean() > 0.5 for column in some):
        return ""
    alike = names.map(lambda cell: GENE.fullmatch(cell.strip()) is not None).mean()
    if alike < GENE_SHARE:
        return ""
    return (
        f"rows look like genes ({names.iloc[0]!r}, {names.iloc[1]!r}, …) and columns like samples: "
        "the clusters are of genes; give --transpose to cluster the samples."
    )


def transposed(raw: RawTable) -> RawTable:
    """Return the table with rows and columns exchanged; the first column has the new names."""
    pandas = import_optional("pandas", "app")
    frame = raw.frame
    if frame.shape[1] < 2:
        raise InputError(f"{raw.name} has one column; there is nothing to transpose.")
    names, notes = number_names([str(name).strip() for name in frame.iloc[:, 0]])
    turned = frame.iloc[:, 1:].T
    turned = turned.set_axis(names, axis=1).reset_index(names="sample")
    turned = turned.infer_objects()
    for column in turned.columns[1:]:
        if turned[column].dtype == object:
            converted = pandas.to_numeric(turned[column], errors="coerce")
            if not converted.isna().any():
                turned[column] = converted
    told = f"rows and columns were exchanged: {len(turned)} samples, {len(names)} columns."
    return replace(raw, frame=turned, path=None, lines=(), notes=(*raw.notes, *notes, told))
