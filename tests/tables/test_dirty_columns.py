"""Columns as exports and people write them: what they are read as, and the numbers themselves.

Each was once read as something else without a word, or refused without need.
"""

from __future__ import annotations

from datetime import datetime, time

import numpy as np
import pandas as pd
import pytest

from weft.io import InputError, RawTable, apply_recipe, prepare_table

N = 30
X = np.random.default_rng(0).normal(50, 20, size=N).round(2)


def raw(values, name="c", **more) -> RawTable:
    cells = values if isinstance(values, pd.Categorical) else (list(values) * N)[:N]
    return RawTable(frame=pd.DataFrame({"x": X, name: cells, **more}), name="t.csv")


def prepared(values, name="c", **more):
    """Return the decision about a column, its values in the table, and all warnings."""
    table = prepare_table(raw(values, name, **more))
    decision = next(d for d in table.decisions if d.name == name)
    column = next((c for c in table.mixed.used if c.name == name), None)
    own = None if column is None else table.mixed.values[:, column.positions[0]]
    return decision, own, table


def test_spellings_of_yes_and_no_in_one_column():
    decision, own, table = prepared(["Yes", "N", "Y", "false", "TRUE", "No"])
    assert (decision.kind, decision.reason) == (
        "yes/no",
        "N or Yes, 6 spellings taken together",
    )
    np.testing.assert_array_equal(own, [1.0, 0.0] * (N // 2))
    assert not table.warnings
    assert not apply_recipe(raw(["ja", "off"]), table.plan).warnings


def test_abbreviations_that_could_both_be_a_no_are_a_category():
    decision, own, _ = prepared(["F", "N"])
    assert decision.kind == "category"
    assert set(own) == {0.0, 1.0}


@pytest.mark.parametrize("fitted", [["yes", "no"], [True, False], [1, 0]])
@pytest.mark.parametrize("new", [["yes", "no"], [True, False], [1, 0], ["1", "0"]])
def test_new_rows_may_spell_yes_and_no_in_another_way(fitted, new):
    _, own, table = prepared(fitted)
    applied = apply_recipe(raw(new), table.plan)
    assert not applied.warnings
    np.testing.assert_array_equal(applied.X, table.X)
    np.testing.assert_array_equal(own, [1.0, 0.0] * (N // 2))


def dots(number: float, decimals: int = 2) -> str:
    """Return a number as in Germany and Brazil."""
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


MONEY = np.random.default_rng(1).lognormal(7.0, 1.5, size=N).round(2)


@pytest.mark.parametrize(
    ("write", "signed"),
    [
        (lambda m: f"$({m:,.2f})", -1),
        (lambda m: f"$ ({m:,.2f})", -1),
        (lambda m: f"({m:,.2f}) $", -1),
        (lambda m: f"{dots(m)}- EUR", -1),
        (lambda m: f"{dots(m)}-", -1),
        (lambda m: f"AED {m:,.2f}", 1),
        (lambda m: f"Rp {dots(m)}", 1),
        (lambda m: f"CA${m:,.2f}", 1),
        (lambda m: f"${m:,.2f} USD", 1),
        (lambda m: f"￥{m:,.2f}", 1),
        (lambda m: f"{m:,.2f}円", 1),
        (lambda m: f"Rs. {m:,.2f}/-", 1),
    ],
)
def test_amounts_as_programs_and_countries_write_them(write, signed):
    amounts = [write(m) for m in MONEY]
    decision, own, table = prepared(amounts)
    expected = signed * MONEY
    assert decision.kind in ("amount", "number")
    column = next(c for c in table.mixed.used if c.name == "c")
    np.testing.assert_allclose(column.in_units(own), expected)


def test_the_zero_of_the_accounting_style():
    decision, own, _ = prepared(["$ 5.00", "$ (7.00)", "$ -"])
    np.testing.assert_array_equal(own[:3], [5.0, -7.0, 0.0])
    assert decision.reason == "money in $, cells such as '$ -' taken as 0"


@pytest.mark.parametrize(("given", "other"), [("%", ""), ("kg", " lb")])
def test_cells_in_another_unit_are_refused(given, other):
    """A "35" among percentages would be 100 times too large."""
    values = [f"{x} {given}" if i % 3 else f"{x}{other}" for i, x in enumerate(X)]
    with pytest.raises(InputError) as error:
        prepared(values)
    assert "but another unit or none in 10 cells, the first of them on line 2" in str(error.value)
    shares = prepared(["0", "20 %", "35 %", "40 %"])[1]
    np.testing.assert_array_equal(shares[:4], [0.0, 0.2, 0.35, 0.4])


def test_days_of_zeros_are_missing():
    for zeros, form in (("00.00.0000", "%d.%m.%Y"), ("0000-00-00", "%Y-%m-%d")):
        days = pd.date_range("2023-03-01", periods=N, freq="17D").strftime(form)
        decision, own, _ = prepared([zeros if i % 4 == 0 else day for i, day in enumerate(days)])
        assert decision.kind == "date"
        assert np.isnan(own).sum() == 8


def test_a_number_with_a_power_has_no_thousands():
    texts = [f"{m:.3E}".replace(".", ",") for m in MONEY]
    decision, own, table = prepared(texts)
    column = next(c for c in table.mixed.used if c.name == "c")
    np.testing.assert_allclose(column.in_units(own), [float(f"{m:.3E}") for m in MONEY])
    assert decision.reason.startswith("decimals by ','")


def test_other_columns_settle_what_a_point_means():
    texts = ["1.234 kg", "5.678 kg", "12.500 kg"]
    own = prepared(texts, other=[dots(x) for x in X])[1]
    np.testing.assert_array_equal(own[:3], [1234.0, 5678.0, 12500.0])
    own = prepared(texts, other=[f"{x * 100:,.2f}" for x in X])[1]
    np.testing.assert_array_equal(own[:3], [1.234, 5.678, 12.5])


def test_short_numbers_beside_groups_show_that_points_are_thousands():
    decision, own, _ = prepared(["950 kg", "1.234 kg", "12.500 kg", "7.100 kg", "80 kg"])
    np.testing.assert_array_equal(own[:5], [950.0, 1234.0, 12500.0, 7100.0, 80.0])
    assert "'.' could be a decimal sign too" in decision.reason


DAYS = pd.date_range("2023-03-01", periods=N, freq="17D")
GERMAN = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September"),
    *("Oktober", "November", "Dezember"),
)
FRENCH = (
    *("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct."),
    *("nov.", "déc."),
)
SPANISH = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre"),
    *("octubre", "noviembre", "diciembre"),
)


def age_of(own):
    return (own - own[-1]).round(6)


@pytest.mark.parametrize(
    "write",
    [
        lambda d: f"{d.day}. {GERMAN[d.month - 1]} {d.year}",
        lambda d: f"{d.day:02d}-{GERMAN[d.month - 1][:3]}-{d:%y}",
        lambda d: f"{d.day} {FRENCH[d.month - 1]} {d.year}",
        lambda d: f"{d.day} de {SPANISH[d.month - 1]} de {d.year}",
        lambda d: f"{d.year}年{d.month}月{d.day}日",
        lambda d: f"{d.day}. {d.month}. {d.year}",
        lambda d: f"{d:%d.%m.%Y}, 00:00 Uhr",
        lambda d: f"{d:%G}-W{d:%V}-{d:%u}",
    ],
)
def test_dates_of_many_countries(write):
    decision, own, _ = prepared([write(day) for day in DAYS])
    assert decision.kind == "date"
    np.testing.assert_array_equal(age_of(own), (DAYS[-1] - DAYS).days)


def test_months_before_years():
    decision, own, _ = prepared([f"{day:%m/%Y}" for day in DAYS])
    assert decision.reason.startswith("dates (month/year)")
    first = DAYS.to_period("M").start_time
    np.testing.assert_array_equal(age_of(own), (first[-1] - first).days)


def test_other_columns_settle_the_order_of_days_and_months():
    early = [f"{1 + i % 12:02d}/{1 + i * 5 % 12:02d}/2023" for i in range(N)]
    late = [f"{13 + i % 15:02d}/{1 + i % 9:02d}/2024" for i in range(N)]
    decision, own, _ = prepared(early, other=late)
    assert decision.reason.startswith("dates (day/month/year) as age")
    expected = pd.to_datetime(pd.Series(early), format="%d/%m/%Y")
    np.testing.assert_array_equal(age_of(own), (expected.iloc[-1] - expected).dt.days)
    # Columns that differ settle nothing.
    american = [f"{1 + i % 9:02d}/{13 + i % 15:02d}/2024" for i in range(N)]
    decision, _, _ = prepared(early, other=late, another=american)
    assert decision.reason.startswith("dates (month/day/year), though the day could come first")


@pytest.mark.parametrize(
    "write", [lambda d: d, lambda d: d.isoformat()[:10]], ids=["dates", "their texts"]
)
@pytest.mark.parametrize("year", [9999, 1])
def test_a_day_that_stands_for_no_day_is_refused(write, year):
    """It would make all other days alike."""
    far = datetime(year, 12, 31)
    days = [write(far) if i % 7 == 0 else write(d) for i, d in enumerate(DAYS.to_pydatetime())]
    values = days if isinstance(days[0], str) else np.array(days, dtype="datetime64[us]")
    with pytest.raises(InputError) as error:
        prepared(values)
    words = "but a year far outside 1700 to 2200 in 5 cells, the first of them on line 2"
    assert words in str(error.value)
    assert f"('{year:04d}-12-31')" in str(error.value)


def test_new_rows_with_a_day_that_stands_for_no_day():
    _, _, table = prepared(DAYS)
    far = np.array([datetime(9999, 12, 31)] * N, dtype="datetime64[us]")
    with pytest.raises(InputError, match="has '9999-12-31' in column 'c'"):
        apply_recipe(raw(far), table.plan)
    old = np.array([datetime(1492, 10, 12)] * 15 + [datetime(1500, 1, 1)] * 15)
    assert prepared(old)[0].kind == "date"


@pytest.mark.parametrize("other", ["cafe\u0301", "café\u200b", "\ufeffCafé"])
def test_texts_that_look_the_same_are_one_level(other):
    decision, own, _ = prepared(["café", other, "tea"])
    assert decision.kind == "category"
    np.testing.assert_array_equal(own[:3], [0.0, 0.0, 1.0])


@pytest.mark.parametrize("write", ["{}\u200b", "\ufeff{}", "\u202a{}\u202c", '="{}"'])
def test_numbers_with_signs_around_them_that_no_one_sees(write):
    decision, own, _ = prepared([write.format(x) for x in X])
    assert decision.kind == "number"
    np.testing.assert_array_equal(own, X)


def test_codes_that_an_export_protects_from_excel():
    codes = [f'="{37 * i:05d}"' for i in range(N)]
    decision, _, _ = prepared(codes, y=X[::-1])
    assert decision.reason == "codes of 5 digits, some starting with 0: names, not amounts"


@pytest.mark.parametrize("dtype", [int, float])
def test_numbers_that_the_table_calls_categories(dtype):
    codes = np.array([3, 1, 2] * (N // 3), dtype=dtype)
    decision, own, table = prepared(pd.Categorical(codes))
    assert (decision.kind, decision.reason) == ("category", "3 values")
    np.testing.assert_array_equal(own[:3], [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(apply_recipe(raw(codes), table.plan).X, table.X)
    texts = [str(int(code)) for code in codes]
    np.testing.assert_array_equal(apply_recipe(raw(texts), table.plan).X, table.X)
    many = pd.Categorical(np.arange(N))
    assert prepared(many, y=X[::-1])[0].reason == "a different text in every row"


def test_numbers_that_the_table_has_put_in_order():
    codes = pd.Categorical([3.0, 1.0, 2.0] * 10, categories=[3.0, 1.0, 2.0], ordered=True)
    frame = pd.DataFrame({"x": X, "c": codes})
    table = prepare_table(RawTable(frame=frame, name="t.csv"))
    assert table.decisions[1].kind == "ordered"
    assert table.plan.readings[1].levels == ("3", "1", "2")
    np.testing.assert_array_equal(apply_recipe(raw([3, 1, 2]), table.plan).X, table.X)


def test_typed_times_of_day_may_have_fractions_of_seconds():
    times = [time(i % 24, i, 10, 500) for i in range(N)]
    decision, own, _ = prepared(times)
    assert decision.kind == "cyclic"
    np.testing.assert_allclose(own, [i % 24 + i / 60 + 10 / 3600 for i in range(N)])


def test_years_with_two_digits_form_one_range():
    """By themselves, 40 to 69 would be 2040 to 2069."""
    births = pd.date_range("1940-03-01", periods=N, freq="613D")
    texts = [f"{day:%d.%m.%y}" for day in births]
    decision, own, table = prepared(texts)
    assert "before 1988-" in decision.reason
    np.testing.assert_array_equal(age_of(own), (births[-1] - births).days)
    some = apply_recipe(raw(texts[:1], y=X), table.plan)
    np.testing.assert_array_equal(some.X[0], table.X[0])
    # A new year belongs to the century next to the range, and one with four digits to its own.
    for text, year in (("01.01.35", 1935), ("01.01.2035", 2035), ("01.01.95", 1995)):
        made = apply_recipe(raw([text]), table.plan)
        ages = made.mixed.values[0, table.mixed.used[1].positions[0]]
        assert ages == (births[-1] - pd.Timestamp(year, 1, 1)).days


@pytest.mark.parametrize(
    ("start", "years"),
    [("1995-03-01", 29), ("2030-03-01", 15), ("1970-03-01", 60), ("2051-03-01", 10)],
)
def test_years_with_two_digits_stay_where_they_are_one_range(start, years):
    days = pd.date_range(start, periods=N, freq=f"{years * 12}D")
    own = prepared([f"{day:%d.%m.%y}" for day in days])[1]
    np.testing.assert_array_equal(age_of(own), (days[-1] - days).days)


def test_a_dash_between_a_number_and_a_word_is_no_minus():
    decision, _, _ = prepared([f"{1 + i % 5} - stars" for i in range(N)])
    assert decision.kind == "category"


def test_decimal_commas_of_another_column_do_not_turn_thousands_into_decimals():
    """Answers such as "1,3" to a question with several answers look like decimals too."""
    amounts = [f"${m:,.0f}" for m in MONEY]
    decision, own, table = prepared(amounts, other=["1,2", "1,3", "2"] * 10)
    column = next(c for c in table.mixed.used if c.name == "c")
    np.testing.assert_allclose(column.in_units(own), MONEY.round())
    assert "',' could be a decimal sign too" in decision.reason
    own = prepared(["1,234 kg", "2,345 kg"], other=["1,2", "1,3", "2"] * 10)[1]
    np.testing.assert_array_equal(own[:2], [1.234, 2.345])
