"""Decide what a column is: number, money, date, category, identifier, and so on.

Every column gets one decision with a reason, so that no column is left out silently. The order of
the questions is the order of the functions below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from weft._base.arrays import Floats
from weft.columns.source import NUMERIC_KINDS
from weft.tables.blanks import BLANKS
from weft.tables.cell_texts import number_text
from weft.tables.cells import Cells
from weft.tables.dates import CYCLES, find_form, find_number_form
from weft.tables.errors import InputError, quoted
from weft.tables.headers import is_number
from weft.tables.hints import (
    by_size,
    cycle_by_name,
    is_code_text,
    looks_like,
    looks_like_code,
    looks_like_id,
)
from weft.tables.level_codes import fold
from weft.tables.looks import (
    are_day_numbers,
    are_levels,
    are_limits,
    are_names,
    cycles_in,
    few_levels,
    first_cell,
    identifier_reason,
    is_prose,
    is_whole,
    one_value,
    reads_date,
    some_of,
)
from weft.tables.number_notes import about_missing_code, about_texts
from weft.tables.numbers import PLAIN_NUMBERS, find_format
from weft.tables.reading import Reading, read_column
from weft.tables.readings_by_kind import (
    category_reading,
    circle_reading,
    clock_reading,
    code_reading,
    duration_reading,
    number_reading,
    ordered_reading,
    scale_reading,
    yes_no_reading,
    yes_no_words,
)
from weft.tables.scales import ordered_scale
from weft.tables.unread import explain_unread

FEWEST_DAYS = 5


@dataclass(frozen=True)
class Recogniser:
    """Decides about the columns of one table.

    Attributes
    ----------
    table : str
        What the table is called in messages.
    place : callable
        From a row (from 0) to words for it: "line 7".
    signs : tuple of str or None
        Thousands and decimal sign that some column of the table settles.
    date_order : str
        "month/day/year" or "day/month/year" if some column settles it.
    """

    table: str
    place: Callable[[int], str]
    signs: tuple[str, str] | None = None
    date_order: str = ""

    def recognise(self, cells: Cells, *, keep: bool = False) -> Reading:
        """Return how a column is to be read; `keep` uses it even if it looks useless."""
        missing = cells.is_missing
        if missing.all():
            return self._refuse(cells.name, "no value in any row", keep)
        if cells.form == "text":
            reading = self._text(cells, keep)
        elif cells.form == "flag":
            reading = yes_no_reading(cells.name, ("no", "yes"))
        elif cells.form == "time":
            reading = self._date(cells, "", False)
        elif cells.form == "duration":
            reading = duration_reading(cells.name)
        else:
            reading = self._number(cells, keep)
        return self._checked(reading, cells, keep)

    def _checked(self, reading: Reading, cells: Cells, keep: bool) -> Reading:
        """Return the reading with the range that occurred; a column with one value is not used."""
        if reading.width == 0:
            return reading
        values, unread = read_column(reading, cells)
        if unread.any() and reading.levels is None:
            form = reading.form if reading.kind == "date" else ""
            raise InputError(self._explain_text(cells, unread, form))
        seen = np.unique(values[~np.isnan(values)])
        if len(seen) < 2:
            besides = int(np.isnan(values).sum())
            more = f" besides {besides} missing" if besides else ""
            return self._refuse(cells.name, f"one value only ({first_cell(cells)}){more}", keep)
        if reading.kind in NUMERIC_KINDS:
            reading = about_missing_code(reading, values)
        return replace(reading, low=float(seen[0]), high=float(seen[-1]))

    # Columns of numbers ---------------------------------------------------------------------

    def _number(self, cells: Cells, keep: bool) -> Reading:
        name, numbers = cells.name, cells.numbers
        finite = numbers[~np.isnan(numbers)]
        if np.isinf(finite).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0])
            raise InputError(
                f"{self.table} has an infinite value in column {name!r} on {self.place(row)} "
                f"({int(np.isinf(finite).sum())} in all); fix it, or leave the column out with "
                f"--drop {quoted(name)}."
            )
        found = self._by_name_and_range(cells, finite, keep)
        return found or number_reading(name, finite, is_whole(finite), PLAIN_NUMBERS)

    def _by_name_and_range(self, cells: Cells, finite: Floats, keep: bool) -> Reading | None:
        """Return the reading of plain numbers that are no amounts: names, days, parts of a circle.

        `finite` has one number per row that is not missing.
        """
        name, whole = cells.name, is_whole(finite)
        form = find_number_form(finite) if looks_like("date", name) else ""
        if form and len(np.unique(finite)) >= FEWEST_DAYS:
            return self._date(cells, form, False)
        if not keep:
            reason = identifier_reason(name, finite)
            if reason:
                return Reading(name, "identifier", reason)
            if whole and looks_like_code(name):
                seen = np.unique(finite)
                return code_reading(name, [number_text(number) for number in seen], len(finite))
        if whole and are_day_numbers(finite):
            return self._date(cells, "yearmonthday", False)
        cycle = cycle_by_name(name, finite)
        if cycle is not None and not keep:
            return circle_reading(name, *cycle)
        return None

    # Columns of text ------------------------------------------------------------------------

    def _text(self, cells: Cells, keep: bool) -> Reading:
        name, texts, counts = cells.name, cells.texts, cells.counts()
        if cells.is_ordered:
            return ordered_reading(name, tuple(texts), "in the order that the table itself gives")
        folded = list(dict.fromkeys(fold(text) for text, n in zip(texts, counts, strict=True) if n))
        if cells.is_coded:
            return self._words(cells, folded, keep)
        yes_or_no = yes_no_words(name, texts, folded)
        if yes_or_no is not None:
            return yes_or_no
        meant = [text for text in texts if text.lower() not in BLANKS]
        if not keep:
            reason = is_code_text(meant) if meant else ""
            if reason and not few_levels(len(folded), int(counts.sum())):
                return Reading(name, "identifier", reason)
            if reason:
                return category_reading(name, texts, counts, note=reason)
            if meant and looks_like_code(name) and all(map(str.isdecimal, meant)):
                n_of = dict(zip(texts, counts, strict=True))
                n_meant = sum(n_of[text] for text in meant)
                return code_reading(name, sorted(meant, key=by_size), int(n_meant))
        special = self._number_text(cells, meant, keep) or self._time_text(cells, meant)
        if special is not None:
            return special
        scale = ordered_scale(folded)
        in_words = not any(sign.isdigit() for sign in "".join(folded))
        # If there are as many ranges as rows, they are measurements or places, not levels.
        if scale is not None and (in_words or few_levels(len(folded), int(counts.sum()))):
            return scale_reading(name, texts, scale)
        return self._words(cells, folded, keep)

    def _number_text(self, cells: Cells, meant: list[str], keep: bool) -> Reading | None:
        """Return the reading of numbers written as text; None for other text."""
        counts = cells.counts()
        named = not keep and are_names(cells.name, meant)
        if not meant or named or are_limits(meant, int(counts.sum())):
            return None
        chosen = find_format(some_of(meant), hint=self.signs)
        numbers = np.array(chosen.read_all(cells.texts))
        is_meant = np.array([text.lower() not in BLANKS for text in cells.texts])
        n_meant = int(counts[is_meant].sum())
        bad = is_meant & np.isnan(numbers)
        n_bad = int(counts[bad].sum())
        if n_bad > 0.5 * n_meant:
            return None
        if n_bad:
            if are_levels(cells.texts, counts, is_meant, bad):
                return None  # levels such as "1", "2", "3+", not a typing error
            if clock_reading(cells.name, meant) is not None:
                return None  # "45 min" and "2 h"
            raise InputError(self._explain_text(cells, cells.spread(bad) > 0.0))
        finite = numbers[is_meant]
        whole = is_whole(finite)
        of_rows = np.repeat(finite, counts[is_meant])
        # Plain numbers in a column of text mean the same as in a column of numbers.
        if all(map(is_number, meant)) and finite.tolist() == [float(text) for text in meant]:
            found = self._by_name_and_range(cells, of_rows, keep)
            if found is not None:
                return found
        if not keep and not chosen.unit:
            reason = identifier_reason(cells.name, of_rows)
            if reason:
                return Reading(cells.name, "identifier", reason)
        words = about_texts(chosen, meant)
        blanks = sorted(text for text in cells.texts if text.lower() in BLANKS)
        if blanks:
            words += f"{', ' if words else ''}{blanks[0]!r} taken for missing"
        return number_reading(cells.name, finite, whole, chosen, words)

    def _time_text(self, cells: Cells, meant: list[str]) -> Reading | None:
        """Return the reading of dates, times of day and names of days; None for other text."""
        if not meant:
            return None
        sample = some_of(meant)
        form, count = find_form(sample, hint=self.date_order)
        if count == len(sample):
            return self._date(cells, form.form, form.is_ambiguous)
        if 0.5 * len(sample) < count and count >= 3:
            texts = {text for text in meant if not reads_date(text, form.form)}
            unread = np.array([text in texts for text in cells.texts])
            raise InputError(self._explain_text(cells, cells.spread(unread) > 0.0, form.form))
        return clock_reading(cells.name, meant)

    def _date(self, cells: Cells, form: str, ambiguous: bool) -> Reading:
        reading = Reading(cells.name, "date", form=form or "year-month-day", parts=("age",))
        days = read_column(reading, cells).values
        known = np.unique(days[~np.isnan(days)])
        if len(known) == 0:
            return self._refuse(cells.name, "no value in any row", False)
        parts = ("age", *cycles_in(known, form))
        note = f"dates ({form})" if form else "dates"
        if ambiguous:
            note += ", though the day could come first"
        note += f" as age in days before {np.datetime64(int(known[-1]), 'D')}"
        if len(parts) > 1:
            note += f" and {' and '.join(parts[1:])}"
        return replace(
            reading,
            note=note,
            unit="days",
            parts=parts,
            periods=(0.0, *(CYCLES[part] for part in parts[1:])),
            origin=float(known[-1]),
        )

    def _words(self, cells: Cells, folded: list[str], keep: bool) -> Reading:
        name, counts = cells.name, cells.counts()
        n = int(counts.sum())
        if len(folded) == 1:
            return self._refuse(name, one_value(cells), keep)
        if len(folded) == n:
            if keep:
                raise InputError(
                    f"column {name!r} holds a different text in every row and cannot be kept; "
                    "nothing in it is shared by the rows of a group."
                )
            return Reading(name, "identifier", "a different text in every row")
        if not keep and looks_like_id(name):
            return Reading(name, "identifier", "text in a column named like an identifier")
        if not keep and not few_levels(len(folded), n) and are_names(name, cells.texts):
            reason = f"{len(folded)} codes of digits and letters in {n} rows: names, not amounts"
            return Reading(name, "identifier", reason)
        if not keep and (not few_levels(len(folded), n) or is_prose(folded, n)):
            return Reading(
                name, "text", f"{len(folded)} distinct values in {n} rows: looks like free text"
            )
        return category_reading(name, cells.texts, counts)

    # Messages -------------------------------------------------------------------------------

    def _refuse(self, name: str, reason: str, keep: bool) -> Reading:
        """Return the reading of a column that cannot be used; refuse it if it must be kept."""
        if keep:
            raise InputError(f"column {name!r} cannot be kept: {reason}; leave out --keep for it.")
        return Reading(name, "constant", reason)

    def _explain_text(self, cells: Cells, unread: np.ndarray, form: str = "") -> str:
        return explain_unread(self.table, self.place, cells, unread, form)
