"""TablePreparer: any table in, numbers and records out, and back."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline

import weft
from weft import TablePreparer
from weft.io import InputError

N = 40


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(10, 3, N),
            "price": [f"${x:,.2f}" for x in rng.lognormal(7, 1, N)],
            "share": [f"{x:.1f}%" for x in rng.uniform(0, 100, N)],
            "colour": rng.choice(["red", "green", "blue"], N),
            "ok": rng.choice(["yes", "no"], N),
            "level": rng.choice(["low", "medium", "high"], N),
            "day": pd.date_range("2020-01-03", periods=N, freq="31D"),
            "hour": rng.integers(0, 24, N),
            "code": [f"c{i}" for i in range(N)],
            "same": 1,
        }
    )
    frame.loc[3, ["size", "colour", "level"]] = None
    frame.loc[5, "day"] = pd.NaT
    return frame


def test_kinds_and_units_are_said(table):
    columns = TablePreparer().fit(table).source_columns_
    assert {column.name: column.kind for column in columns} == {
        "size": "number",
        "price": "amount",
        "share": "share",
        "colour": "category",
        "ok": "yes/no",
        "level": "ordered",
        "day": "date",
        "hour": "cyclic",
        "code": "identifier",
        "same": "constant",
    }
    assert [column.unit for column in columns[:3]] == ["", "$", "%"]
    assert all(column.note for column in columns)
    assert columns[5].levels == ("low", "medium", "high")


def test_columns_by_hand():
    frame = pd.DataFrame(
        {"price": ["$1,910.50", "$20.00", None], "kind": ["b", "a", "b"], "ok": ["no", "yes", "no"]}
    )
    made = TablePreparer(output="columns", keep=["kind"]).fit_transform(frame)
    # Levels are numbered by their first row: b is 0.
    np.testing.assert_array_equal(made, [[1910.5, 0, 0], [20, 1, 1], [np.nan, 0, 0]])


def test_every_source_column_counts_once(table):
    preparer = TablePreparer()
    whole = table.drop(index=[3, 5])
    X = preparer.fit_transform(whole)
    assert X.shape == (N - 2, len(preparer.get_feature_names_out()))
    total = np.bincount(preparer.plan_.owner, X.var(axis=0))
    np.testing.assert_allclose(total, 1.0, rtol=1e-9)


@pytest.mark.parametrize("output", ["coordinates", "columns"])
@pytest.mark.parametrize("scale", ["standard", "range", "none"])
def test_back_to_words_and_units(table, output, scale):
    whole = table.drop(index=[3, 5]).reset_index(drop=True)
    preparer = TablePreparer(output, scale=scale)
    back = preparer.inverse_transform(preparer.fit_transform(whole))
    used = [column.name for column in preparer.source_columns_ if column.is_used]
    assert list(back.columns) == used
    for name in ("colour", "ok", "level"):
        assert back[name].tolist() == whole[name].tolist()
    np.testing.assert_allclose(back["size"], whole["size"])
    np.testing.assert_allclose(back["hour"], whole["hour"], atol=1e-9)
    prices = [float(text[1:].replace(",", "")) for text in whole["price"]]
    np.testing.assert_allclose(back["price"], prices)
    pd.testing.assert_series_equal(
        back["day"].astype("datetime64[s]"), whole["day"].astype("datetime64[s]")
    )


def test_libraries_agree(table):
    preparer = TablePreparer("columns")
    expected = preparer.fit_transform(table)
    other = pl.from_pandas(table)
    np.testing.assert_array_equal(preparer.transform(other), expected)
    np.testing.assert_array_equal(TablePreparer("columns").fit_transform(other), expected)
    arrow = other.to_arrow()
    np.testing.assert_array_equal(TablePreparer("columns").fit_transform(arrow), expected)


def test_saved_and_loaded(table, tmp_path):
    for options in ({}, {"scale": "range"}, {"output": "columns"}, {"missing": "median"}):
        preparer = TablePreparer(**options).fit(table)
        preparer.save(tmp_path / "p.weft")
        back = weft.load(tmp_path / "p.weft")
        np.testing.assert_array_equal(back.transform(table), preparer.transform(table))
        assert back.source_columns_ == preparer.source_columns_


def test_in_a_pipeline_with_names(table):
    pipe = make_pipeline(TablePreparer(), KMeans(3, n_init=1, random_state=0)).fit(table)
    assert pipe.predict(table).shape == (N,)
    named = TablePreparer().set_output(transform="pandas").fit_transform(table)
    assert list(named.columns) == list(TablePreparer().fit(table).get_feature_names_out())
    assert "day (age)" in named.columns


def test_what_the_fit_has_not_seen_is_warned_of(table):
    preparer = TablePreparer().fit(table)
    new = table.copy()
    new.loc[0, "colour"] = "turquoise"
    new.loc[1, "size"] = 1e9
    new.loc[2, "day"] = pd.Timestamp("2099-01-01")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        X = preparer.transform(new)
    told = " ".join(str(entry.message) for entry in caught)
    assert "'turquoise'" in told
    assert "'size' has 1 values far outside" in told
    assert "2099-01-01" in told
    assert np.isfinite(X).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": ["nope"]}, "keep names 'nope'"),
        ({"drop": ["nope"]}, "drop names 'nope'"),
        ({"output": "matrix"}, "output='matrix'"),
        ({"missing": "drop-rows"}, "missing='drop-rows'"),
        ({"missing": "error"}, "missing values in columns 'size'"),
        ({"keep": ["same"]}, "cannot be kept"),
    ],
)
def test_bad_settings_are_one_sentence(table, options, words):
    with pytest.raises(ValueError, match=words) as error:
        TablePreparer(**options).fit(table)
    assert "--" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_value_is_never_a_level(table):
    for missing in ("auto", "median"):
        preparer = TablePreparer("columns", missing=missing).fit(table)
        levels = [column.levels for column in preparer.source_columns_ if column.levels]
        assert all("missing" not in str(level).lower() for level in levels)
        gaps = np.isnan(preparer.transform(table))
        assert gaps.any() == (missing == "auto")


cells = st.one_of(
    st.none(),
    st.floats(-1e9, 1e9),
    st.integers(-(10**6), 10**6),
    st.booleans(),
    st.text(max_size=8),
    st.datetimes(),
)


@settings(max_examples=60)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=12))
def test_any_table_is_read_or_refused_in_one_sentence(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"], dtype=object)
    preparer = TablePreparer()
    try:
        X = preparer.fit_transform(frame)
    except InputError:  # which is one sentence by construction
        return
    assert np.isfinite(X).all()
    np.testing.assert_allclose(preparer.transform(frame), X)
    assert len(preparer.inverse_transform(X)) == len(frame)
