"""Columns of tables of numbers that look like identifiers, and the warning of estimators."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from weft import AutoCluster, WeightedKMeans
from weft.tables.suspected import Suspected, about_identifiers, suspected_identifiers

NAMED = "whole numbers in a column named like an identifier"


def frame(**columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({**columns, "height": rng.normal(size=30), "weight": rng.normal(size=30)})


def test_names_of_identifiers():
    codes = np.random.default_rng(1).integers(1000, 9999, 30)
    assert suspected_identifiers(frame(customer_id=codes)) == [Suspected("customer_id", NAMED)]
    # Where the numbers are no whole numbers, the name alone does not count.
    assert suspected_identifiers(frame(customer_id=codes + 0.5)) == []


def test_a_first_column_that_counts_the_rows():
    counted = "counts the rows (5 to 34, each once)"
    assert suspected_identifiers(frame(n=np.arange(5, 35))) == [Suspected("n", counted)]
    assert suspected_identifiers(frame(n=np.arange(30) % 29)) == []
    # Elsewhere a column of this kind may be a rank.
    last = frame().assign(n=np.arange(5, 35))
    assert suspected_identifiers(last) == []


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries(library):
    made = frame(id=np.arange(7, 37))
    pytest.importorskip(library)
    if library == "polars":
        import polars

        other = polars.from_pandas(made)
    else:
        import pyarrow

        other = pyarrow.Table.from_pandas(made)
    assert [each.name for each in suspected_identifiers(other)] == ["id"]


def test_what_is_not_a_table_in_memory():
    assert suspected_identifiers(np.ones((3, 2))) == []


def test_a_sentence_about_one_and_about_many():
    one, four = [Suspected("a", "why")], [Suspected(name, "why") for name in "abcd"]
    assert about_identifiers(one) == (
        "column 'a' (why) looks like an identifier, but a table of numbers is used as it is; drop "
        "it unless it is a measurement."
    )
    assert about_identifiers(four) == (
        "columns 'a' (why), 'b' (why), 'c' (why) and 1 more look like identifiers, but a table of "
        "numbers is used as it is; drop them unless they are measurements."
    )


@pytest.mark.parametrize("model", [AutoCluster(n_resamples=0), WeightedKMeans(2)])
def test_estimators_warn_and_use_the_column(model):
    table = frame(id=np.arange(100, 130))
    with pytest.warns(UserWarning, match="column 'id' .* looks like an identifier"):
        model.fit(table)
    assert model.feature_names_in_.tolist() == ["id", "height", "weight"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(table[["height", "weight"]])
        model.fit(table.to_numpy())  # an array has no names
