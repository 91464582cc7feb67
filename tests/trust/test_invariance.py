"""What should not matter does not: promises, held against measurements on real tables."""

from __future__ import annotations

import numpy as np
import pytest
from checks.invariance import (
    CHANGES,
    PAGE,
    PROMISES,
    REFUSED,
    SAME,
    _read,
    agreement,
    broken_promises,
    change,
    page,
    real_tables,
)


def test_no_measured_promise_is_broken():
    found = _read()
    assert broken_promises(found) == []
    assert set(found) == set(PROMISES)
    for name, tables in found.items():
        measured = set(CHANGES) - REFUSED.get(name, frozenset())
        assert all(set(cells) == measured for cells in tables.values()), name
    assert all(len(tables) >= 4 for tables in found.values())


def test_every_estimator_is_in_the_table(registry):
    assert {name.partition(" ")[0] for name in PROMISES} == set(registry)


def test_a_broken_promise_is_named():
    cells = {"rows": 0.9, "shift": 1.0}
    assert broken_promises({"FeatureSwarm": {"iris": cells}}) == [
        "FeatureSwarm promises 'rows', but iris gives 0.9"
    ]


def test_the_page_shows_what_was_measured():
    assert PAGE.read_text() == page(_read())


@pytest.mark.parametrize(
    "name",
    ["WeightedKMeans", "KernelSubtractive", "LocallyAdaptiveKMeans", "FeatureSimilaritySelector"],
)
def test_promises_hold_on_a_real_table(name):
    wine = next(table for table in real_tables() if table.name == "wine")
    for which in sorted(PROMISES[name]):
        assert agreement(name, which, wine.X) >= SAME, which


def test_a_change_that_matters_is_seen():
    wine = next(table for table in real_tables() if table.name == "wine")
    assert agreement("WeightedKMeans", "units", wine.X) < 0.9


def test_changes_do_what_they_say():
    X = np.arange(12.0).reshape(4, 3)
    for which in CHANGES:
        made = change(which, X)
        assert made.X.shape == (4, 4 if which == "duplicate" else 3)
    rows = change("rows", X)
    np.testing.assert_array_equal(rows.X, X[rows.rows])
    np.testing.assert_array_equal(change("scale", X).X, 1000.0 * X)
    np.testing.assert_array_equal(change("negation", X).X, -X)
    np.testing.assert_array_equal(change("duplicate", X).X[:, 3], X[:, 0])
    units = change("units", X).X[1:] / X[1:]
    np.testing.assert_allclose(units, np.broadcast_to(units[0], units.shape))
    shift = change("shift", X).X - X
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape))
