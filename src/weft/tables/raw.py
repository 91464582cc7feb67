"""Read a CSV file into a frame of named columns, and find a row's line again for a message.

What each column is for is decided in ``columns.py``; here only what keeps a file from being a
table at all is refused.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weft._base.validation import import_optional

if TYPE_CHECKING:
    import pandas as pd

# pandas' own words for "missing" (NA, NaN, null, None, an empty cell, ...) and UCI's.
_EXTRA_MISSING = ["?"]
_SEPARATORS = (",", ";", "\t")
_LONGEST = 2000  # characters of a message


class InputError(ValueError):
    """A file or an option that cannot be used; the message is one sentence with the remedy.

    What it quotes from a file may have line breaks in it, and no end: both are mended here.
    """

    def __init__(self, text: str) -> None:
        line = " ".join(text.splitlines())
        super().__init__(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")


@dataclass(frozen=True)
class RawTable:
    """A table as it was read, before anything is decided about its columns."""

    frame: pd.DataFrame
    name: str
    path: Path | None = None
    separator: str = ","

    def line(self, row: int) -> int:
        """Line of the file on which data row `row` (from 0) starts; the header is line 1."""
        if self.path is not None:
            # The header is record 0. Quoted line breaks and blank lines make this a search.
            for index, (start, _) in enumerate(_records(self.path, self.separator)):
                if index == row + 1:
                    return start
        return row + 2


def read_csv(path: str | Path) -> RawTable:
    """Read a CSV file whose first line names the columns.

    Parameters
    ----------
    path : str or Path
        A UTF-8 text file, separated by commas, semicolons or tabs (whichever the header has
        most of).

    Returns
    -------
    RawTable
        The frame, with numbers where a whole column could be read as numbers.

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
    pd = import_optional("pandas", "app")
    path = Path(path)
    header: list[str] = []
    separator = ","
    try:
        header, separator, decimal = _read_header(path)
        with warnings.catch_warnings():
            # With index_col=False pandas cuts long rows and only warns; that would lose data.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path,
                sep=separator,
                decimal=decimal,
                header=0,
                names=header,
                index_col=False,
                encoding="utf-8-sig",
                na_values=_EXTRA_MISSING,
                skipinitialspace=True,
                low_memory=False,
                **_exact_floats(pd.__version__, decimal),
            )
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a folder; give the CSV file inside it.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path.name} is not a UTF-8 text file (byte {error.object[error.start]:#04x} at "
            f"position {error.start}); save it as CSV in UTF-8."
        ) from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        raise InputError(_explain_shape(path, separator, len(header), error)) from None
    return RawTable(frame=frame, name=path.name, path=path, separator=separator)


def _exact_floats(pandas_version: str, decimal: str) -> dict[str, str]:
    """Options for reading floats to the last bit, which pandas does by itself from 3.1 on."""
    newer = tuple(int(part) for part in pandas_version.split(".")[:2]) >= (3, 1)
    return {} if newer or decimal != "." else {"float_precision": "round_trip"}


def _read_header(path: Path) -> tuple[list[str], str, str]:
    """Return the column names, the separator and the decimal sign."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = next((line for line in file if line.strip()), "")
        second = next((line for line in file if line.strip()), "")
    empty = f"{path.name} is empty; it needs a line of column names and rows below it."
    if not first:
        raise InputError(empty)
    unquoted = re.sub(r'"[^"]*"', "", first)
    separator = max(_SEPARATORS, key=unquoted.count)  # the first one wins a tie
    # Spreadsheets that separate with ";" do so because their decimals are written with ",".
    comma_decimals = separator == ";" and re.search(r"(^|;)\s*-?\d+,\d+\s*(;|$)", second.rstrip())
    record = next(_records(path, separator), None)
    if record is None:  # a line of quotes around nothing
        raise InputError(empty)
    cells = record[1]
    names = [cell.strip() or f"column {i}" for i, cell in enumerate(cells, start=1)]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        places = [str(i) for i, name in enumerate(names, start=1) if name == repeated[0]]
        others = f" (and {len(repeated) - 1} more such names)" if len(repeated) > 1 else ""
        raise InputError(
            f"{path.name} has {len(places)} columns called {repeated[0]!r} (columns "
            f"{', '.join(places)}){others}; give each column a name of its own."
        )
    return names, separator, "," if comma_decimals else "."


def _records(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (first line, cells) of each record that pandas would read, the header included."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator, skipinitialspace=True)
        start = 1
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield start, cells
            start = reader.line_num + 1


def _explain_shape(path: Path, separator: str, n_columns: int, error: Exception) -> str:
    """Say which record does not fit the header."""
    try:
        for start, cells in _records(path, separator):
            if len(cells) > n_columns:
                return (
                    f"{path.name} has {len(cells)} cells on line {start} but {n_columns} column "
                    "names; mend that line, or quote cells that contain the separator."
                )
    except csv.Error:
        pass
    if "EOF inside string" in str(error):
        return f"{path.name} has a quote that is opened and never closed; mend the file."
    return f"{path.name} cannot be read as CSV ({' '.join(str(error).split())}); mend the file."
