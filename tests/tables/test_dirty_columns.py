"""Columns as exports and people write them: what they are read as, and the numbers themselves.

Each was once read as something else without a word, or refused without need.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft.io import RawTable, apply_recipe, prepare_table

N = 30
X = np.random.default_rng(0).normal(50, 20, size=N).round(2)


def raw(values, name="c", **more) -> RawTable:
    cells = (list(values) * N)[:N]
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
