"""Read what `weft.compare` accepts: fitted models, labels, model files, folders, tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from weft._base.arrays import Integers
from weft._base.reading import convert, is_gap
from weft.answers.comparing import Side
from weft.models.files import load_model
from weft.tables.errors import InputError

_LABEL_COLUMNS = ("cluster", "label", "labels")
_LEFT_OUT = -2  # rows that a run did not cluster at all


def read_result(given: Any, title: str) -> Side:
    """Return a result of any accepted kind as labels, weights and names."""
    if isinstance(given, (str, Path)):
        return _read_path(Path(given))
    if hasattr(given, "labels_"):
        return _of_model(given, title)
    labels = convert(lambda: np.asarray(given), "labels")
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(
            f"labels of shape {labels.shape} cannot be compared; give a fitted model, one label "
            "for each row, or a path."
        )
    return Side(title, as_numbers(labels.tolist()))


def distinct_titles(first: Side, second: Side, a: Any, b: Any) -> tuple[Side, Side]:
    """Return both results; files of the same name, such as labels.csv, are called by their paths.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.answers.comparing import Side
    >>> from weft.reporting.compared_files import distinct_titles
    >>> side = Side("labels.csv", np.array([0, 1]))
    >>> [each.title for each in distinct_titles(side, side, "old/labels.csv", "new/labels.csv")]
    ['old/labels.csv', 'new/labels.csv']
    """
    if first.title != second.title:
        return first, second
    return first._replace(title=str(a)), second._replace(title=str(b))


def _of_model(model: Any, title: str) -> Side:
    labels = np.asarray(model.labels_, dtype=np.int64)
    names = getattr(model, "cluster_names_", {})
    return Side(title, labels, _weights(model), dict(names))


def _weights(model: Any) -> dict[str, float]:
    columns = getattr(model, "source_columns_", None)
    if columns is not None:
        used = [column.is_used for column in columns]
        named = [column.name for column in columns]
        values = np.asarray(model.source_weights_)
        return {name: float(v) for name, v, u in zip(named, values, used, strict=True) if u}
    if not hasattr(model, "feature_weights_"):
        return {}
    values = np.asarray(model.feature_weights_)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(values))])
    return {str(name): float(value) for name, value in zip(names, values, strict=True)}


def _read_path(path: Path) -> Side:
    if path.is_dir():
        if not (path / "labels.csv").exists():
            raise InputError(
                f"the folder {str(path)!r} holds no labels.csv; give the folder of a run, a model "
                "file or a table with labels."
            )
        read = _read_table(path / "labels.csv", path.name)
        if (path / "model.weft").exists():
            model = load_model(os.fspath(path / "model.weft"))
            side = _of_model(model, path.name)
            read = read._replace(weights=side.weights, names=side.names)
        return read
    if path.suffix == ".weft":
        return _of_model(load_model(path), path.name)
    return _read_table(path, path.name)


def _read_table(path: Path, title: str) -> Side:
    from weft.tables.formats import read_table

    frame = read_table(path).frame
    columns = [str(name) for name in frame.columns]
    chosen = next((c for c in _LABEL_COLUMNS if c in columns), columns[-1])
    cells = {name: frame.iloc[:, place].tolist() for place, name in enumerate(columns)}
    labels = as_numbers(cells.pop(chosen))
    return Side(title, labels, keys=cells)


def as_numbers(cells: list[Any]) -> Integers:
    """Return labels as numbers: whole numbers stay, text is numbered in order, gaps are left out.

    Examples
    --------
    >>> from weft.reporting.compared_files import as_numbers
    >>> as_numbers(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    missing = [is_gap(cell) or cell == "" for cell in cells]
    try:
        numbers = [0 if gap else float(cell) for cell, gap in zip(cells, missing, strict=True)]
        whole = all(number.is_integer() and abs(number) < 2**53 for number in map(float, numbers))
    except (TypeError, ValueError, OverflowError):
        whole = False
    if whole:
        labels = np.array(numbers, dtype=np.float64).astype(np.int64)
        labels[labels < 0] = -1
    else:
        texts = ["" if gap else str(cell) for cell, gap in zip(cells, missing, strict=True)]
        known = {text: n for n, text in enumerate(sorted(set(texts) - {""}))}
        labels = np.array([known.get(text, _LEFT_OUT) for text in texts], dtype=np.int64)
    labels[np.array(missing, dtype=bool)] = _LEFT_OUT
    return labels


def align(first: Side, second: Side, key: str | None) -> tuple[Side, Side, list[Any]]:
    """Return both results over the rows that they share, and the names of these rows."""
    common = key if key is not None else _common_key(first, second)
    if common is None:
        if len(first.labels) != len(second.labels):
            raise InputError(
                f"{first.title} has {len(first.labels)} rows and {second.title} has "
                f"{len(second.labels)}, and no column identifies the rows; compare clusterings "
                "of the same rows, or tables with a key column."
            )
        places = (np.arange(len(first.labels)),) * 2
        rows = list(range(1, len(first.labels) + 1))
    else:
        places, rows = _shared_rows(first, second, common)
    both = (first.labels[places[0]] != _LEFT_OUT) & (second.labels[places[1]] != _LEFT_OUT)
    if not both.any():
        raise InputError(f"{first.title} and {second.title} have no row in common.")
    kept = [
        result.labels[place][both] for result, place in zip((first, second), places, strict=True)
    ]
    named = [row for row, is_kept in zip(rows, both, strict=True) if is_kept]
    return first._replace(labels=kept[0]), second._replace(labels=kept[1]), named


def _common_key(first: Side, second: Side) -> str | None:
    """Return a column that both tables have, with a different value in every row."""
    shared = [name for name in first.keys if name in second.keys and name != "row"]
    for name in shared:
        if all(len(set(_texts(each, name))) == len(each.labels) for each in (first, second)):
            return name
    return None


def _shared_rows(
    first: Side, second: Side, key: str
) -> tuple[tuple[Integers, Integers], list[Any]]:
    for result in (first, second):
        if key not in result.keys:
            raise InputError(f"{result.title} has no column {key!r} to match rows by.")
        if len(set(_texts(result, key))) < len(result.labels):
            raise InputError(f"column {key!r} of {result.title} names some rows twice.")
    place = {text: number for number, text in enumerate(_texts(second, key))}
    left = [number for number, text in enumerate(_texts(first, key)) if text in place]
    right = [place[text] for text in _texts(first, key) if text in place]
    rows = [first.keys[key][number] for number in left]
    return (np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)), rows


def _texts(side: Side, key: str) -> list[str]:
    """Return the keys of the rows as text: 1.0, in a column with gaps, is the same as 1."""
    keys = side.keys[key]
    return [str(int(k)) if isinstance(k, float) and k.is_integer() else str(k) for k in keys]
