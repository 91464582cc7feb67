"""Numbers that name rows, cases or things: found by the column's name and by its values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import weft
from weft.io import RawTable, prepare_table
from weft.tables.hints import could_be_id, is_case, looks_like_code, looks_like_id

N = 40
X = np.random.default_rng(0).normal(50, 20, size=N).round(2)
# Different in every row, with gaps between them and in no order: nothing counts the rows.
GAPPY = (np.random.default_rng(1).permutation(3 * N)[:N] + 1).tolist()


def decision(values, name):
    """Return the decision about a column, the same for a file and for a data frame."""
    frame = pd.DataFrame({"x": X, "y": X[::-1], name: (list(values) * N)[:N]})
    made = {d.name: d for d in prepare_table(RawTable(frame=frame, name="t.csv")).decisions}[name]
    (own,) = (c for c in weft.TablePreparer().fit(frame).source_columns_ if c.name == name)
    assert (own.kind, own.note) == (made.kind, made.reason)
    return made


@pytest.mark.parametrize(
    "name",
    [
        *("rownames", "row.names", "Row_Name", "row number", "rownum", "identifier", "idno"),
        *("idnum", "idcode", "caseid", "userid", "CustomerID", "schoolid", "hhid", "geoid"),
    ],
)
def test_more_names_of_identifiers(name):
    assert looks_like_id(name)
    assert decision(GAPPY, name).kind == "identifier"
    assert decision([3, 8, 1, 12], name).kind == "identifier"  # in several rows each


@pytest.mark.parametrize("name", ["rownames", "row.names", "Row_Name"])
def test_names_of_rows_need_not_be_whole_numbers(name):
    # R names the rows 1, 1.1, 1.2, ... where a table was put together from several.
    for values in ([n + 0.1 for n in GAPPY], [f"{n}.1" for n in GAPPY]):
        found = decision(values, name)
        assert (found.kind, found.reason) == ("identifier", "names of rows")
    assert decision(["a", "b"], name).kind == "identifier"
    assert decision([f"2024-{n % 12 + 1:02d}-05" for n in range(N)], name).kind == "date"
    frame = pd.DataFrame({"x": X, "y": X[::-1], name: [n + 0.1 for n in GAPPY]})
    assert name in weft.TablePreparer(keep=[name]).fit(frame).get_feature_names_out()


@pytest.mark.parametrize(
    "name", ["partyid", "covid", "paid", "rows", "row", "arrowname", "userids", "row_count"]
)
def test_names_that_only_look_similar(name):
    assert not looks_like_id(name)
    assert decision([3, 8, 1, 12] * 10, name).kind in ("number", "count")


@pytest.mark.parametrize(
    "name",
    [
        *("pid", "SCHID", "docno", "No", "Nr", "s.no", "seqno", "PIDNUM", "Sample Number"),
        *("obs", "Case", "record", "row", "serial", "person", "house_no"),
    ],
)
def test_numbers_that_differ_in_every_row_and_a_name_that_ends_like_an_identifier(name):
    assert could_be_id(name)
    found = decision(GAPPY, name)
    reason = "whole numbers, each once, in a column named like an identifier"
    assert (found.kind, found.reason) == ("identifier", reason)
    assert decision([3, 8, 1, 12], name).kind != "identifier"  # the name alone does not decide
    assert decision([number + 0.5 for number in GAPPY], name).kind != "identifier"


@pytest.mark.parametrize(
    "name", ["paid", "total_paid", "bid", "acid", "amino", "number", "total number", "platinum"]
)
def test_words_that_only_end_like_an_identifier(name):
    assert not could_be_id(name)
    assert decision(GAPPY, name).kind != "identifier"


@pytest.mark.parametrize("name", ["subject", "Subj", "patient", "participant", "respondent"])
def test_numbers_of_people_who_are_measured_several_times(name):
    # 10 people with 4 rows each, as in tables of repeated measures.
    assert is_case(name)
    assert decision(np.repeat(np.arange(1, 11), 4), name).kind == "identifier"
    assert decision(["maths", "music", "sport"], name).kind == "category"
    assert decision([0, 1], name).kind == "yes/no"  # patient or not
    assert decision([1, 2], name).kind == "number"
    assert not is_case(f"{name}s")  # a number of them


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("id", [*range(1, N), "57b"], "identifier"),  # not "numbers in b"
        ("house_no", [*range(100, 100 + N - 2), "12a", "14c"], "identifier"),
        ("postcode", [*range(10001, 10001 + N - 2), "91-348", "91-349"], "identifier"),
        ("dial code", ["1", "44", "49", "1809/1829"], "category"),  # four values, ten rows each
    ],
)
def test_identifiers_and_codes_of_which_some_are_no_numbers(name, values, kind):
    # Refused before, as text among numbers: a name or a code need not be a number.
    assert decision([str(value) for value in values], name).kind == kind


def test_codes_with_letters_before_some_of_the_numbers():
    # Whatever the column is called: 12 of 40 with four different beginnings are no typing errors.
    tickets = [*map(str, range(2000, 2028)), *(f"{a} {n}" for n in range(3) for a in LETTERS)]
    found = decision(tickets, "ticket")
    assert (found.kind, found.reason) == (
        "identifier",
        "a different text in every row",
    )
    repeated = [*tickets[:-2], *tickets[:2]]  # 38 different
    found = decision(repeated, "ticket")
    reason = "38 codes of digits and letters in 40 rows: names, not amounts"
    assert (found.kind, found.reason) == ("identifier", reason)
    few = ["1", "2", "3", "A 1", "B 2", "C 3"]
    assert decision(few, "ticket").kind == "category"


LETTERS = ("PC", "A/5", "C.A.", "SOTON")


@pytest.mark.parametrize(
    "errors",
    [
        ["A 1", "A 2", "A 3"],  # one beginning: it may be a unit or a remark
        ["ca. 1", "about 2", "circa 3"],  # words
        ["A 1", "B 2", "x"],
        ["A 1"],
    ],
)
def test_other_text_among_numbers_is_still_an_error(errors):
    with pytest.raises(ValueError, match="has numbers in column 'c' but text"):
        decision([*map(str, GAPPY[: N - len(errors)]), *errors], "c")


def test_numbers_with_decimals_are_no_codes():
    with pytest.raises(ValueError, match="but text"):
        decision([*(f"{n}.5" for n in GAPPY[:36]), "A 1", "B 2", "C 3", "D 4"], "c")


def test_levels_of_which_some_are_numbers():
    # 13 cards in 40 rows: 3 rows of each, of J, Q, K and A too. Too few rows per level for the
    # usual rule, but four texts that are 30 % of the rows are no typing errors.
    cards = [*map(str, range(2, 11)), "J", "Q", "K", "A"]
    assert decision(cards, "card").kind == "category"
    assert decision(["5", "<5", "5-15k", ">15k", "x"], "c").kind == "category"
    # "<5k" alone would be a number; with the ranges these are levels in their order.
    found = decision(["<5k", "5-15k", "15-25k", ">25k"], "income")
    assert (found.kind, found.reason.partition(": ")[2]) == ("ordered", "<5k, 5-15k, 15-25k, >25k")
    with pytest.raises(ValueError, match="but text"):  # three texts in one row each
        decision([*map(str, GAPPY[:17]), *map(str, GAPPY[:17]), *"123456"[:3], *"JQK"], "card")


@pytest.mark.parametrize("limits", [["<40", ">=40"], ["<= 1500 sf", "> 1500 sf"], ["<50K", ">50K"]])
def test_two_levels_at_a_limit(limits):
    # Each was read as the number 40 (1500, 50) in every row: one value only, left out.
    found = decision(limits, "group")
    assert (found.kind, found.reason) == ("category", "2 values")
    assert decision(["<0.5", *map(str, GAPPY[1:])], "dose").kind == "number"  # a detection limit


@pytest.mark.parametrize("name", ["phone_calls", "mobile_sessions", "tel minutes", "zip_file_size"])
def test_measurements_of_things_that_have_codes(name):
    # They were "codes of places or things": left out.
    assert not looks_like_code(name)
    assert decision(GAPPY, name).kind in ("number", "count")


@pytest.mark.parametrize(
    "name", ["phone_number", "phone no", "ccode", "statecode", "fips", "cntyfips", "price_code"]
)
def test_codes_by_name(name):
    assert looks_like_code(name)
    assert decision([*GAPPY[:38], *GAPPY[:2]], name).kind == "identifier"  # in two rows: codes


@pytest.mark.parametrize(
    ("name", "kind"),
    [("revenue", "amount"), ("gross_us", "amount"), ("visits", "count"), ("v", "identifier")],
)
def test_large_amounts_are_not_names_of_things(name, kind):
    # All have nine digits and differ: only the name shows what they are.
    assert decision([100_000_000 + 1234 * n for n in GAPPY], name).kind == kind
