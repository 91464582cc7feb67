"""Read a text table into a frame of named columns, and find a row's line again for a message.

What each column is for is decided in ``recognition.py``; here only files that are not tables are
refused.
"""

from __future__ import annotations

import collections
import csv
import itertools
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.footers import (
    LOOK_BACK,
    as_numbers,
    count_footnotes,
    ends_in_one_cell,
    without_empty_end,
    without_footnotes,
    without_totals,
)
from weft.tables.headers import LOOK_AT, Header, find_header, with_corner
from weft.tables.text_columns import about_words, find_text_columns
from weft.tables.text_form import (
    PLAIN_TEXT,
    TextForm,
    find_text_form,
    open_text,
    records,
    skip_records,
)

if TYPE_CHECKING:
    import pandas as pd

# pandas' own words for "missing" (NA, NaN, null, None, an empty cell, ...) and UCI's.
_EXTRA_MISSING = ["?"]
_NAMES = {"utf-8": "", "utf-8-sig": "", "cp1252": "cp1252 (Western European)"}


@dataclass(frozen=True)
class RawTable:
    """A table as it was read, before anything is decided about its columns.

    Attributes
    ----------
    frame : DataFrame
        The rows.
    name : str
        What it is called in messages.
    path : Path, optional
        The text file, in which the line of a row can be looked up.
    form : TextForm
        How the text file holds the table.
    n_above : int
        Records of the text file before the first row.
    notes : tuple of str
        What was decided in reading.
    left_out : tuple of int
        Records below the names, from 0, that are not rows because they repeat the names.
    lines : tuple of int
        The line of each row, from 1, where blank rows are between them (workbooks).
    """

    frame: pd.DataFrame
    name: str
    path: Path | None = None
    form: TextForm = PLAIN_TEXT
    n_above: int = 1
    notes: tuple[str, ...] = ()
    left_out: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()

    def line(self, row: int) -> int:
        """Line of the file on which data row `row` (from 0) starts, counted from 1."""
        if self.lines:
            return self.lines[row]
        for gone in self.left_out:
            row += gone <= row
        if self.path is not None and self.path.is_file():
            # Quoted line breaks, comments and blank lines make this a search.
            with open_text(self.path, self.form) as file:
                for index, (start, _) in enumerate(records(file, self.form.separator)):
                    if index == row + self.n_above:
                        return start
        return row + 1 + self.n_above

    def place(self, row: int) -> str:
        """Return the position of a row in words."""
        return f"line {self.line(row)}"


def read_csv(path: str | Path, *, name: str | None = None) -> RawTable:
    """Read a text table whose columns have names.

    Parameters
    ----------
    path : str or Path
        A text file in UTF-8, UTF-16 or cp1252, separated by commas, semicolons, tabs or bars
        (whichever the header has most of). Lines that start with ``#`` are comments; titles above
        the names and a line of totals at the end are left out; names that occur twice are numbered.
    name : str, optional
        What to call it in messages; the file's name by default.

    Returns
    -------
    RawTable
        The frame, with numbers where a whole column could be read as numbers; ``notes`` says what
        was decided.

    Raises
    ------
    InputError
        When the file is not a table; the message is one sentence.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from weft.io import read_csv
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = file.write_text("height,colour\\n1.5,red\\n2.5,blue\\n")
    >>> read_csv(file).frame.shape
    (2, 2)
    """
    path = Path(path)
    called = name or path.name
    try:
        return _read(path, called)
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}; check the path.") from None
    except IsADirectoryError:
        raise InputError(
            f"{str(path)!r} is a folder; give a file in it, or several by a pattern such as "
            f"'{path.name}/*.csv'."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{called} starts as {error.encoding} but cannot be read as such (position "
            f"{error.start}); save it as CSV in UTF-8."
        ) from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None


def _read(path: Path, called: str) -> RawTable:
    pd = import_optional("pandas", "app")
    form = find_text_form(path, called)
    with open_text(path, form) as file:
        head = _first_records(file, form, called)
    if not head:
        raise InputError(f"{called} is empty; it needs a line of column names and rows below it.")
    head, corner = with_corner(head, form.separator)
    header = find_header(head)
    n_above = header.n_above + header.n_lines
    as_text = find_text_columns(path, form, header, n_above)
    kept_text = as_text.codes | as_text.groups
    # Where digits are in groups, the other columns are needed as text too, to show the signs.
    decimal = "." if as_text.groups else form.decimal
    try:
        with open_text(path, form) as file, warnings.catch_warnings():
            # With index_col=False pandas cuts long rows and only warns; that would lose data.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            skip_records(file, form.separator, n_above)
            frame = pd.read_csv(
                file,
                sep=form.separator,
                decimal=decimal,
                header=None,
                names=header.names,
                index_col=False,
                dtype=dict.fromkeys(kept_text, str),
                na_values=_EXTRA_MISSING,
                skipinitialspace=True,
                low_memory=False,
                **_exact_floats(pd.__version__, decimal),
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        raise InputError(_explain_shape(path, form, header, called, error)) from None
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame({column: [] for column in header.names}, dtype=object)
    notes = [*corner, *header.notes]
    if _NAMES.get(form.encoding, form.encoding):
        notes.insert(0, f"the text was read as {_NAMES.get(form.encoding, form.encoding)}.")
    if form.has_comments:
        notes.append("lines that start with '#' were taken for comments.")
    frame = without_empty_end(frame)
    if ends_in_one_cell(frame):
        count = count_footnotes(_last_records(path, form), len(header.names))
        frame, told = without_footnotes(frame, count, kept_text)
        notes += told
    frame, repeated = without_names(frame, kept_text)
    if repeated:
        lines = (
            "a line that repeats" if len(repeated) == 1 else f"{len(repeated)} lines that repeat"
        )
        notes.append(
            f"{lines} the column names {'was' if len(repeated) == 1 else 'were'} left out."
        )
    frame, told = without_totals(frame, kept_text)
    notes += [*told, *about_words(frame, as_text.words)]
    return RawTable(frame, called, path, form, n_above, tuple(notes), repeated)


def without_names(
    frame: pd.DataFrame, as_text: Collection[str] = ()
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Return the frame without rows that repeat the names, and which rows those were.

    Columns of `as_text` stay text.
    """
    pd = import_optional("pandas", "app")
    repeats = np.ones(len(frame), dtype=bool)
    for name in frame.columns:
        if pd.api.types.is_numeric_dtype(frame[name]) or not repeats.any():
            return frame, ()
        cells = frame[name].to_numpy(dtype=object)
        repeats &= np.fromiter((cell == name for cell in cells), dtype=bool, count=len(cells))
    if not repeats.any() or repeats.all():
        return frame, ()
    kept = frame[~repeats].reset_index(drop=True)
    kept = kept.apply(lambda column: column if column.name in as_text else as_numbers(column))
    return kept, tuple(np.flatnonzero(repeats).tolist())


def _last_records(path: Path, form: TextForm) -> list[list[str]]:
    """Return the last records of a file, blank ones too."""
    with open_text(path, form) as file:
        reader = csv.reader(file, delimiter=form.separator, skipinitialspace=True)
        try:
            return list(collections.deque(reader, maxlen=LOOK_BACK))
        except csv.Error:
            return []


def _exact_floats(pandas_version: str, decimal: str) -> dict[str, str]:
    """Options for reading floats to the last bit, which pandas does by itself from 3.1 on."""
    newer = tuple(int(part) for part in pandas_version.split(".")[:2]) >= (3, 1)
    return {} if newer or decimal != "." else {"float_precision": "round_trip"}


def _first_records(file: TextIO, form: TextForm, called: str) -> list[list[str]]:
    try:
        return [cells for _, cells in itertools.islice(records(file, form.separator), LOOK_AT)]
    except csv.Error as error:
        raise InputError(f"{called} cannot be read as CSV ({error}); fix the file.") from None


def _explain_shape(
    path: Path, form: TextForm, header: Header, called: str, error: Exception
) -> str:
    """Return which record does not fit the header."""
    n_columns = len(header.names)
    try:
        with open_text(path, form) as file:
            for index, (start, cells) in enumerate(records(file, form.separator)):
                if index > header.n_above and len(cells) > n_columns:
                    return (
                        f"{called} has {len(cells)} cells on line {start} but {n_columns} column "
                        "names; fix that line, or quote cells that contain the separator."
                    )
    except csv.Error:
        pass
    if "EOF inside string" in str(error):
        return f"{called} has a quote that is opened and never closed; fix the file."
    return f"{called} cannot be read as CSV ({' '.join(str(error).split())}); fix the file."
