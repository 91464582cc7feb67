"""Summaries of models of raw tables, parts of a summary, styles in the terminal, limits."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from weft.reporting import any_clustering, certainty, drawn, html, summary, sureness, told
from weft.reporting.any_clustering import _labels_of, _last, _named, _params, _read
from weft.reporting.facts import _kept_share, _searched, dense_rows, read_facts
from weft.reporting.making import plain, settings_of
from weft.reporting.sources import plan_of
from weft.reporting.summary import _cluster_weights, summarize
from weft.reporting.sureness import measure_sureness
from weft.reporting.terminal import _clusters, _features, _traits, _with_notes
from weft.tables.cells import read_cells
from weft.tables.plan import learn

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0],
        "hue": ["red", "red", "blue", "green", "green", "blue"],
        "id": list("uvwxyz"),
    }
)
PLAN, MADE = learn(read_cells(FRAME), table="X", place=str, scale="none")


class Raw:
    """A model that was fitted on the raw table: coordinates size, hue=red, hue=blue, hue=green."""

    def __init__(self, **more):
        self._table = PLAN
        self.labels_ = np.array([0, 0, 0, 1, 1, 1])
        self.feature_weights_ = np.array([2.0, 1.0, 0.0, 4.0])
        self.cluster_names_, self.rules_ = {0: "small", 1: "large"}, []
        self.__dict__.update(more)

    def get_params(self, deep=True):
        return {}


def test_a_model_of_a_raw_table():
    found = summarize(Raw(), FRAME)
    assert [(c["name"], c["kind"], c["kept"]) for c in found["columns"]] == [
        ("size", "number", True), ("hue", "category", True), ("id", "identifier", False)
    ]  # fmt: skip
    assert found["columns"][2] == {
        "name": "id", "kind": "identifier", "kept": False,
        "reason": "a different text in every row", "unit": "",
    }  # fmt: skip
    assert found["data"] == {
        "name": "data", "n_rows": 6, "n_rows_used": 6, "n_columns": 3, "n_features": 2
    }  # fmt: skip
    # Each hue is in a third of the rows, so their variances are equal: (1 + 0 + 4) / 3.
    assert [(f["name"], f["kind"], f["unit"]) for f in found["features"]] == [
        ("size", "number", ""), ("hue", "category", "")
    ]  # fmt: skip
    assert [f["weight"] for f in found["features"]] == pytest.approx([2.0, 5 / 3])
    assert [c["title"] for c in found["clusters"]] == ["small", "large"]
    assert [c["name"] for c in found["distributions"]["columns"]] == ["size", "hue"]
    assert found["map"]["features"] == ["size", "hue: red"]
    # The rows may be given by coordinate and by source column as well.
    same = summarize(Raw(), MADE.X, mixed=MADE.table)
    assert same == found
    # Other names, units or plans are not those of the fit: names of clusters are found again.
    for options in (
        {"feature_names": list("abcd")},
        {"values": MADE.X},
    ):
        given = summarize(Raw(), MADE.X, mixed=MADE.table, **options)
        assert given["clusters"][0]["title"] != "small"
    other = learn(read_cells(FRAME), table="X", place=str, scale="none")[0]
    assert summarize(Raw(), FRAME, plan=other)["clusters"][0]["title"] != "small"
    assert plan_of(Raw()) is PLAN
    assert plan_of(Raw(_table="x")) is None


def test_rows_without_the_columns_of_the_table():
    found = summarize(Raw(), MADE.X)
    assert found["map"]["features"] == ["x3", "x0", "x1"]


def test_stability_is_measured_on_request(monkeypatch):
    asked = []

    def measure_stability(model, X, facts, *, told, owner, n_repeats):
        asked.append((told.names, None if owner is None else owner.tolist(), n_repeats))
        return {"n": n_repeats}

    monkeypatch.setattr(summary, "measure_stability", measure_stability)
    assert summarize(Raw(), FRAME, stability=2)["stability"] == {"n": 2}
    assert asked == [(["size", "hue"], [0, 1, 1, 1], 2)]
    assert summarize(Raw(_table=None), MADE.X, stability=1)["stability"] == {"n": 1}
    assert asked[1][1:] == (None, 1)
    assert summarize(Raw(), FRAME, stability=2, refitted={"r": 1})["stability"] == {"r": 1}
    assert summarize(Raw(), stability=2)["stability"] is None
    assert summarize(Raw(), FRAME)["stability"] is None
    assert len(asked) == 2
    for wrong in (-1, 1.5):
        with pytest.raises((ValueError, TypeError), match="stability="):
            summarize(Raw(), FRAME, stability=wrong)


def test_what_was_done_with_the_table():
    table = {"data": {"name": "t.csv", "label": "kind", "n_columns": 9}, "columns": [{"a": 1}],
             "warnings": ["w"]}  # fmt: skip
    found = summarize(Raw(), FRAME, table=table, label=np.array([0, 0, 0, 1, 1, 1]))
    assert (found["data"]["name"], found["data"]["n_columns"]) == ("t.csv", 9)
    assert found["columns"] == [{"a": 1}]
    assert found["scores"]["label"] == "kind"
    assert found["warnings"][0] == "w"


def test_values_in_other_units():
    found = summarize(Raw(_table=None), MADE.X, values=MADE.X * 10.0)
    assert found["clusters"][0]["traits"][0]["mean"] == pytest.approx(20.0)
    assert found["map"]["values"][0][1] == 10.0


def test_shares_of_small_weights():
    facts = read_facts(
        Raw(
            feature_weights_=np.array([0.25, 0.125, 0.125, 0.0]),
            cluster_feature_weights_=np.array([[0.25, 0.25, 0.0, 0.0], [0.0] * 4]),
        )
    )
    assert [f["share"] for f in summary._features(facts, None, None)] == [0.5, 0.25, 0.25, 0.0]
    shares = _cluster_weights(facts)["shares"]
    assert shares.tolist() == [[0.5, 0.5, 0.0, 0.0], [0.0] * 4]


def test_forty_weights_of_clusters():
    own = np.zeros((2, 50))
    own[0], own[1, 7] = np.arange(50.0), 99.0
    facts = SimpleNamespace(
        cluster_weights=own, weights=np.arange(50.0)[::-1], names=[f"c{j}" for j in range(50)]
    )
    found = _cluster_weights(facts)
    # The largest share in any cluster decides; those shown are in the order of the weights.
    assert found["features"] == ["c7", *(f"c{j}" for j in range(11, 50))]
    assert found["n_features"] == 50
    np.testing.assert_allclose(found["shares"][:, 0], [7 / own[0].sum(), 1.0])


# Facts --------------------------------------------------------------------------------------------


def test_repeats_and_samples_of_a_model():
    share = np.array([0.5])
    assert _kept_share(SimpleNamespace(feature_stability_=share)) is share
    assert _kept_share(SimpleNamespace(feature_stability_=share, n_resamples=2)) is share
    assert _kept_share(SimpleNamespace(feature_stability_=share, n_resamples=0)) is None
    assert _kept_share(SimpleNamespace()) is None
    searched = [_searched(SimpleNamespace(n_samples_search_=n), 10) for n in (9, 10, 11, None)]
    assert searched == [9, None, None, None]
    assert _searched(SimpleNamespace(), 10) is None


def test_two_columns_of_a_huge_sparse_table(monkeypatch):
    from scipy import sparse

    monkeypatch.setattr("weft.reporting.facts._LARGEST", 1)
    facts = read_facts(
        SimpleNamespace(
            labels_=np.zeros(3, int), feature_weights_=np.array([0.0, 3.0, 1.0]),
            get_params=lambda deep: {},
        )
    )  # fmt: skip
    rows, columns = dense_rows(sparse.eye_array(3, format="csr"), facts)
    assert (rows.tolist(), columns.tolist()) == ([[0, 0], [1, 0], [0, 1]], [1, 2])


def test_plain_values():
    given = {
        "a": np.float64(np.nan), 1: (np.int8(3), [None, True]), "c": np.array([[1.5, np.inf]]),
        "d": len,
    }  # fmt: skip
    assert plain(given) == {"a": None, "1": [3, [None, True]], "c": [[1.5, None]], "d": "len"}
    assert settings_of({"a": 1, "random_state": np.int64(3), "callbacks": []}) == {
        "a": 1, "seed": 3
    }  # fmt: skip
    assert settings_of({"random_state": np.random.default_rng(0)}) == {"seed": None}


@pytest.mark.parametrize(
    ("products", "most"), [(30_000, 300), (30_100, 301), (150_000, 1500), (160_000, 1500), (1, 300)]
)
def test_how_many_rows_are_compared_with(monkeypatch, products, most):
    asked = []

    def sample(labels, n):
        asked.append(n)
        return np.arange(len(labels))

    monkeypatch.setattr(sureness, "sample", sample)
    monkeypatch.setattr(sureness, "N_PRODUCTS", products)
    measure_sureness(np.arange(100.0).reshape(50, 2), np.arange(50) % 2)
    assert asked == [most]


# Clusterings of other programs --------------------------------------------------------------------


def test_what_is_read_of_a_table():
    numbers = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]})
    rows, table, plan, names = _read(numbers[["a"]], None)
    assert (rows.tolist(), table, plan, names) == ([[1.0], [2.0]], None, None, ["a"])
    assert _read(numbers[["a"]], ["z"])[3] == ["z"]
    rows, table, plan, names = _read(FRAME, None)
    assert (len(rows), names) == (6, [])
    assert plan.names[0] == "size"
    assert table.values.shape[0] == 6
    with pytest.raises(ValueError, match="X has no column that can be described"):
        _read(pd.DataFrame({"a": ["x", "x"], "b": ["y", "y"]}), None)


def test_models_pipelines_and_names():
    class Step:
        def __init__(self, **more):
            self.__dict__.update(more)

        def get_params(self, deep=True):
            return {"deep": deep}

    last = Step(labels_=[1, 2])
    pipeline = Step(steps=[("a", SimpleNamespace()), ("b", Step()), ("c", last)])
    assert (_last(pipeline), _last(last)) == (last, last)
    assert _labels_of(pipeline, None) == [1, 2]
    assert _labels_of(Step(predict=lambda X: X), "X") == "X"
    with pytest.raises(ValueError, match="a Step has no labels_ and no predict; fit it, or give"):
        _labels_of(Step(), None)
    assert _params(last) == {"deep": False}
    assert _params(pipeline) == {"deep": False, "pipeline": "SimpleNamespace → Step → Step"}
    assert _params(SimpleNamespace()) == {}
    assert (_named(None), _named(["a", "b"]), _named({2.0: 5})) == (
        *(None, {0: "a", 1: "b"}, {2: "5"}),
    )


def test_refits_of_clusterings(monkeypatch):
    from weft.reporting import refits

    asked, answer = [], {"n": 1}

    def measure_refits(model, rows, labels, *, n_repeats, max_seconds):
        asked.append((n_repeats, max_seconds))
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(refits, "measure_refits", measure_refits)
    model = SimpleNamespace(fit_predict=None)
    assert any_clustering._refit(model, [[1.0]], [0], None) == ({"n": 1}, [])
    assert any_clustering._refit(model, [[1.0]], [0], 5) == ({"n": 1}, [])
    assert asked == [(3, 20.0), (5, None)]
    for other, n in ((None, None), (model, 0), (SimpleNamespace(), 3)):
        assert any_clustering._refit(other, [[1.0]], [0], n) == (None, [])
    answer = ValueError(f" {'x' * 200}\nmore")
    assert any_clustering._refit(model, [[1.0]], [0], 2) == (
        None,
        ["Stability was not measured: SimpleNamespace cannot be refitted to part of the rows "
         f"({'x' * 150})."],
    )  # fmt: skip
    answer = None
    found, (note,) = any_clustering._refit(model, [[1.0]], [0], None)
    assert found is None
    assert note.startswith(
        "Stability was not measured: refits of SimpleNamespace would take more than 20 seconds of "
        "processor time. Give stability=3 to"
    )


# Text ---------------------------------------------------------------------------------------------


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


def test_what_a_page_is_given(monkeypatch):
    asked = {}

    def get_template(name):
        assert name == "page.html.j2"
        return SimpleNamespace(render=lambda **given: asked.update(given) or "page")

    monkeypatch.setattr(html, "_templates", lambda: SimpleNamespace(get_template=get_template))
    monkeypatch.setattr(html, "N_TABLE", 2)
    found = summarize(Raw(labels_=np.array([-1, 0, 1, 1, -1, -1])), FRAME)
    assert html.render(found) == "page"
    assert [c["label"] for c in asked["clusters"]] == [1, 0, -1]
    assert asked["top_share"] == max(f["share"] for f in found["features"]) < 1.0
    assert (asked["n_left_out"], asked["n_shown"], asked["s"]) == (0, 15, found)
    assert sorted(asked["drawn_columns"]) == ["hue", "size"]
    assert asked["sure_by_label"].keys() == {0, 1}
    assert found["result"]["n_unassigned"] == 3
    script = str(asked["script"])
    assert asked["policy"] == f"'sha256-{html._digest(script)}'"
    more = {**found, "features": found["features"] + [{"share": 0.0}] * 3}
    html.render(more)
    assert (len(asked["features"]), asked["n_left_out"]) == (2, 3)
    html.render({**found, "features": [{"share": 0}], "distributions": None})
    assert (asked["top_share"], asked["drawn_columns"]) == (1.0, [])
    html.render({**found, "features": []})
    assert asked["top_share"] == 1.0


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
