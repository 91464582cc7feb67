"""Traits, columns, notes and headlines of a summary as text."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from weft.reporting import certainty, drawn, told
from weft.reporting.facts import read_facts
from weft.reporting.terminal import _clusters, _features, _traits, _with_notes


def trait(direction):
    return {"feature": "a", "direction": direction, "mean": 2.0, "rest_mean": 1.0, "binary": False}


def test_styles_of_traits():
    (up,), (down,) = _traits([trait("higher")]), _traits([trait("lower")])
    assert [(span.start, span.end, span.style) for span in up.spans] == [
        (0, 2, "green"), (3, 21, "dim")
    ]  # fmt: skip
    assert down.spans[0].style == "magenta"
    (nothing,) = _traits([])
    assert (nothing.plain, nothing.style) == ("no single selected feature", "dim")


def test_columns_of_tables_in_the_terminal():
    clusters = [{"label": 0, "size": 1, "share": 1.0, "traits": [trait("higher")] * 2}]
    table = _clusters({"clusters": clusters}, room=46)
    assert [(c.header, c.no_wrap, c.justify) for c in table.columns] == [
        ("cluster", True, "left"), ("rows", False, "right"), ("share", False, "right"),
        ("how it differs", False, "left"),
    ]  # fmt: skip
    assert (table.pad_edge, table.box, table.title_style) == (False, None, "bold")
    features = [{"name": "a", "weight": 2.0, "share": 0.0, "selected": True}]
    table = _features({"features": features})
    assert [(c.header, c.no_wrap, c.justify, c.max_width) for c in table.columns] == [
        ("feature", True, "left", 44), ("weight", False, "right", None),
        ("share", False, "right", None), ("", True, "left", None),
    ]  # fmt: skip
    assert (table.pad_edge, table.box) == (False, None)
    assert table.columns[0].overflow == "ellipsis"


def test_notes_of_columns_are_shared():
    def entry(name, kind, reason):
        return {"name": name, "kind": kind, "reason": reason}

    entries = [
        entry("a", "number", "numbers"), entry("b", "number", "in kg"), entry("c", "yes/no", "x"),
        entry("d", "number", "in kg"), entry("e", "category", "y"), entry("f", "date", "days"),
    ]  # fmt: skip
    assert _with_notes(entries) == ["a", "c", "e", "b, d (in kg)", "f (days)"]
    assert _with_notes(entries[1:2]) == ["b (in kg)"]


def headline(shares, n_selected=4, n=4):
    return told.headline(
        {
            "result": {"n_clusters": 2, "n_selected": n_selected, "has_weights": True},
            "data": {"n_features": n},
            "features": [{"share": share} for share in shares],
        }
    )


def test_half_of_the_weight():
    # The first column has half, 40 % of four columns are 1.6; of five columns two are not more.
    assert headline((0.5, 0.25, 0.15, 0.1)) == "2 clusters; half of the weight is on 1 of 4 columns"
    assert headline((0.45, 0.25, 0.2, 0.1)) == "2 clusters; all 4 columns weigh about the same"
    five = (0.3, 0.3, 0.2, 0.1, 0.1)
    assert headline(five, 5, 5) == "2 clusters; half of the weight is on 2 of 5 columns"
    assert headline(five, 4, 5) == "2 clusters from 4 of 5 columns"


def test_digits_of_large_and_small_means():
    def both(first, second):
        return told.both_means({"mean": first, "rest_mean": second, "binary": False})

    assert both(12345678.0, 1.23456) == ("1.23e+07", "1.23")
    assert both(0.000123456, None) == ("0.000123", "–")
    assert both(None, None) == ("–", "–")
    assert both(0.001, 0.0) == ("0.00100", "0.00000")
    assert told.number(1234567.0) == "1234567"
    assert told.number(12345678.0) == "1.235e+07"
    assert told.number(0.5, digits=1) == "0.5"


def test_short_vectors_have_a_cosine():
    assert certainty._cosine(np.array([0.5, 0.0]), np.array([0.5, 0.0])) == 1.0


def test_small_effects_decide_too():
    # Weights 1 and 1.5, effects 0.9 and 0.5: 0.9 and 0.75.
    facts = SimpleNamespace(
        names=["a", "b"], weights=np.array([1.0, 1.5]), selected=np.array([True, True])
    )
    against = SimpleNamespace(effects=np.array([[0.9, -0.5], [0.1, 0.2]]), labels=[0, 1])
    assert drawn._by_importance(facts, against, np.arange(2)).tolist() == [0, 1]


def test_thirty_columns_that_refits_kept():
    class Same:
        labels_ = np.array([0, 1] * 10)
        feature_weights_ = np.arange(31.0)

        def get_params(self, deep=True):
            return {}

        def fit(self, X):
            self.labels_ = np.array([0, 1] * 8)
            return self

        def __sklearn_clone__(self):
            return Same()

        def set_params(self, **params):
            assert params == {}

    model = Same()
    found = certainty.measure_stability(model, np.zeros((20, 31)), read_facts(model), n_repeats=1)
    assert list(found["kept"]) == [f"x{j}" for j in range(30, 0, -1)]
