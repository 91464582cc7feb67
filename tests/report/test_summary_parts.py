"""Summaries of models of raw tables, parts of a summary, and what a page is given."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from weft.reporting import html, summary, sureness
from weft.reporting.facts import _kept_share, _searched, dense_rows, read_facts
from weft.reporting.making import plain, settings_of
from weft.reporting.sources import plan_of
from weft.reporting.summary import _cluster_weights, summarize
from weft.reporting.sureness import measure_sureness
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


# The page ----------------------------------------------------------------------------------------


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
