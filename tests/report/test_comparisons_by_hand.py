"""Two results side by side: what is read, which rows are matched, the whole text and page."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

import weft
from weft.answers.comparing import Side
from weft.columns.source import SourceColumn
from weft.reporting.compared_files import _common_key, _weights, align, read_result

FIRST = SimpleNamespace(
    labels_=np.array([0, 0, 0, 1, 1, -1]),
    feature_weights_=np.array([0.5, 0.5, 0.0]),
    cluster_names_={0: "<low>", 1: "high"},
)
SECOND = SimpleNamespace(
    labels_=np.array([1, 1, 0, 0, 2, -1]),
    feature_weights_=np.array([0.75, 0.25, 0.0]),
    cluster_names_={1: "top"},
)


def side(labels, **keys):
    return Side("t", np.array(labels), keys=keys)


# Text and page ------------------------------------------------------------------------------------


def test_the_whole_text():
    # Rows 1 and 2 stay together, row 4 as well; rows 3 and 5 leave the matching cluster.
    assert str(weft.compare(FIRST, SECOND)).split("\n") == [
        "the first: 2 clusters; the second: 3 clusters; 6 rows.",
        "Adjusted Rand index 0.189, adjusted mutual information 0.217 (1: the same clusters, "
        "about 0: chance).",
        "2 rows moved to another cluster (33%).",
        "",
        "  0 → 1: 2 rows in both, of 3 and of 2 (overlap 67%), top",
        "  1 → 0: 1 row in both, of 2 and of 2 (overlap 33%), high",
        "  cluster 2 of the second has no matching cluster",
        "",
        "Weights that changed (share of all weight):",
        "  x0: 50.0% → 75.0%",
        "  x1: 50.0% → 25.0%",
    ]
    turned = str(weft.compare(SECOND, FIRST)).split("\n")
    assert turned[4:7] == [
        "  0 → 1: 1 row in both, of 2 and of 2 (overlap 33%), high",
        "  1 → 0: 2 rows in both, of 2 and of 3 (overlap 67%), <low>",
        "  cluster 2 of the first has no matching cluster",
    ]


def test_short_texts():
    assert str(weft.compare([0, 0], [0, 1])).split("\n")[:3] == [
        "the first: 1 cluster; the second: 2 clusters; 2 rows.",
        "Adjusted Rand index 0.000, adjusted mutual information 0.000 (1: the same clusters, "
        "about 0: chance).",
        "1 row moved to another cluster (50%).",
    ]
    near = SimpleNamespace(labels_=FIRST.labels_, feature_weights_=np.array([0.504, 0.496, 0.0]))
    assert str(weft.compare(FIRST, near)).endswith(
        "\n\nNo column's share of all weight changed by 0.5 percentage points or more."
    )
    just = SimpleNamespace(labels_=FIRST.labels_, feature_weights_=np.array([0.5625, 0.4375, 0.0]))
    assert str(weft.compare(FIRST, just)).endswith("x0: 50.0% → 56.2%\n  x1: 50.0% → 43.8%")


def named(**weights):
    return SimpleNamespace(
        labels_=np.arange(20) % 14,
        feature_weights_=np.array(list(weights.values())),
        feature_names_in_=np.array(list(weights)),
    )


def test_columns_of_one_result_only():
    text = str(weft.compare(named(a=1.0, b=1.0), named(b=1.0, c=1.0)))
    assert "  a: 50.0% → not there\n" in text
    assert text.endswith("  c: not there → 50.0%")
    # Twelve clusters and twelve columns are listed.
    many = {f"c{j}": 1.0 for j in range(15)}
    lines = str(weft.compare(named(**many), named(z=1.0, **many))).split("\n")
    assert sum(" in both" in line for line in lines) == 12
    text = str(weft.compare(named(**many), named(**{f"d{j}": 1.0 for j in range(15)})))
    assert sum("not there" in line for line in text.split("\n")) == 12


def row(*cells):
    made = [
        f"<td{' class=n' if isinstance(cell, int) else ''}><bdi>{cell}</bdi></td>" for cell in cells
    ]
    return f"<tr>{''.join(made)}</tr>"


def head(*titles):
    return "".join(f'<th scope="col">{title}</th>' for title in titles)


def test_the_whole_page():
    done = weft.compare(FIRST, SECOND)
    body = done._repr_html_().removeprefix('<div class="weft-comparison">').removesuffix("</div>")
    above, _, rest = body.partition("<svg")
    lines = str(done).split("\n")[:3]
    assert above == "".join(f"<p>{line}</p>" for line in lines)
    assert rest.partition("</svg>")[2] == (
        "<h2>Clusters that belong together</h2><table><thead><tr>"
        + head("in the first", "in the second", "rows", "rows", "rows in both", "overlap")
        + "</tr></thead><tbody>"
        + row("cluster 0", "cluster 1", 3, 2, 2, "67%")
        + row("cluster 1", "cluster 0", 2, 2, 1, "33%")
        + row("none", "cluster 2", 0, 1, 0, "0%")
        + "</tbody></table><h2>Share of the weight of each column</h2><table><thead><tr>"
        + head("column", "in the first", "in the second", "change")
        + "</tr></thead><tbody>"
        + row("x0", "50.0%", "75.0%", "+25.0%")
        + row("x1", "50.0%", "25.0%", "-25.0%")
        + row("x2", "0.0%", "0.0%", "0.0%")
        + "</tbody></table><details><summary>Rows that moved</summary><p>3, 5</p></details>"
    )
    assert body in done.html
    assert "<title>the first and the second</title>" in done.html
    assert "Rows that moved" not in weft.compare([0, 1], [1, 0])._repr_html_()


def test_forty_columns_are_on_the_page():
    many = {f"c{j}": 1.0 + j for j in range(41)}
    page = weft.compare(named(**many), named(**many))._repr_html_()
    assert page.count("<td><bdi>c") == 40 + 2 * 14  # columns, and clusters on both sides


def test_plain_types_for_json():
    made = weft.compare(FIRST, SECOND).to_dict()
    assert made["moved"] == [3, 5]
    assert made["matches"][0] == {
        "first": 0, "second": 1, "n_first": 3, "n_second": 2, "n_both": 2, "overlap": 2 / 3
    }  # fmt: skip
    first, second = side([0, 1], id=["a", "b"]), side([1, 1], id=["b", "a"])
    done = weft.reporting.comparison.Comparison(*align(first, second, "id"))
    assert done.to_dict()["moved"] in (["a"], ["b"])


# What is read -------------------------------------------------------------------------------------


def test_labels_and_models():
    given = read_result([3, 1, -5], "a")
    assert (given.title, given.labels.tolist(), dict(given.weights)) == ("a", [3, 1, -1], {})
    for wrong in ([[0, 1]], [], 5):
        with pytest.raises(ValueError, match="cannot be compared; give a fitted model, one label"):
            read_result(wrong, "a")
    assert read_result([7], "a").labels.tolist() == [7]
    model = read_result(FIRST, "b")
    assert (dict(model.weights), dict(model.names)) == (
        *({"x0": 0.5, "x1": 0.5, "x2": 0.0}, {0: "<low>", 1: "high"}),
    )
    assert _weights(SimpleNamespace()) == {}
    assert _weights(named(a=1.0, b=2.0)) == {"a": 1.0, "b": 2.0}
    columns = (SourceColumn("x", "number", (0,)), SourceColumn("gone", "constant", ()))
    raw = SimpleNamespace(source_columns_=columns, source_weights_=np.array([0.5, 0.0]))
    assert _weights(raw) == {"x": 0.5}


def test_tables_and_folders(tmp_path):
    frame = pd.DataFrame({"id": ["a", "b"], "cluster": [1, 0], "x": [5.5, 6.5]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = read_result(tmp_path / "t.csv", "ignored")
    assert (found.title, found.labels.tolist()) == ("t.csv", [1, 0])
    assert dict(found.keys) == {"id": ["a", "b"], "x": [5.5, 6.5]}
    # The last column, where none is called cluster, label or labels.
    frame.rename(columns={"cluster": "c"}).to_csv(tmp_path / "u.csv", index=False)
    assert list(read_result(str(tmp_path / "u.csv"), "").keys) == ["id", "c"]
    frame.rename(columns={"cluster": "label"}).to_csv(tmp_path / "v.csv", index=False)
    assert list(read_result(tmp_path / "v.csv", "").keys) == ["id", "x"]
    assert refusal(read_result, tmp_path, "") == (
        f"the folder {str(tmp_path)!r} holds no labels.csv; give the folder of a run, a model file "
        "or a table with labels."
    )
    run = tmp_path / "run"
    run.mkdir()
    frame.to_csv(run / "labels.csv", index=False)
    found = read_result(run, "")
    assert (found.title, found.labels.tolist(), dict(found.weights)) == ("run", [1, 0], {})
    X = np.repeat([[0.0, 1.0], [5.0, 1.5]], 10, axis=0) + np.arange(20)[:, None] / 50
    model = weft.WeightedKMeans(2, random_state=0).fit(X)
    from weft.io import save_model

    save_model(model, run / "model.weft")
    found = read_result(run, "")
    assert found.labels.tolist() == [1, 0]
    assert list(found.weights) == ["x0", "x1"]
    found = read_result(run / "model.weft", "")
    assert (found.title, found.labels.tolist()) == ("model.weft", model.labels_.tolist())


def test_files_of_the_same_name_are_called_by_their_paths(tmp_path):
    paths = [tmp_path / folder / "labels.csv" for folder in ("old", "new")]
    for path in paths:
        path.parent.mkdir()
        pd.DataFrame({"cluster": [0, 1]}).to_csv(path, index=False)
    done = weft.compare(*paths)
    assert [done.first.title, done.second.title] == [str(path) for path in paths]
    other = paths[1].rename(tmp_path / "other.csv")
    done = weft.compare(paths[0], other)
    assert [done.first.title, done.second.title] == ["labels.csv", "other.csv"]


# Rows that both have ------------------------------------------------------------------------------


def test_rows_without_a_key():
    first, second, rows = align(side([0, 1, -2, 1]), side([5, -2, 5, 6]), None)
    # Rows that a run left out are not compared.
    assert (first.labels.tolist(), second.labels.tolist(), rows) == ([0, 1], [5, 6], [1, 4])
    assert refusal(align, side([0, 1]), side([0, 1, 1]), None) == (
        "t has 2 rows and t has 3, and no column identifies the rows; compare clusterings of the "
        "same rows, or tables with a key column."
    )
    assert refusal(align, side([-2, 1]), side([0, -2]), None) == "t and t have no row in common."


def test_rows_by_a_key():
    first = side([0, 1, 2], row=[1, 2, 3], sex=["f", "m", "f"], id=["a", "b", "c"])
    second = side([5, 6, 7, 8], row=[1, 2, 3, 4], sex=["f", "m", "x", "y"], id=["c", "d", "a", "e"])
    # Row numbers do not identify rows; the values of sex repeat in the first table.
    assert _common_key(first, second) == "id"
    for key in (None, "id"):
        left, right, rows = align(first, second, key)
        assert (left.labels.tolist(), right.labels.tolist(), rows) == ([0, 2], [7, 5], ["a", "c"])
    by_row = align(first, second, "row")
    assert (by_row[1].labels.tolist(), by_row[2]) == ([5, 6, 7], [1, 2, 3])
    assert refusal(align, first, second, "name") == "t has no column 'name' to match rows by."
    assert refusal(align, first, second, "sex") == "column 'sex' of t names some rows twice."
    assert refusal(align, side([0], id=["x"]), side([1, 0], id=["y", "z"]), None) == (
        "t and t have no row in common."
    )
    assert _common_key(side([0], a=[1]), side([0], b=[1])) is None
    # A row that the second run left out stands at another place of the first.
    left_out = align(side([0, 1, 2], id=list("abc")), side([-2, 4, 5], id=list("cab")), "id")
    assert (left_out[0].labels.tolist(), left_out[2]) == ([0, 1], ["a", "b"])
    left_out = align(side([0, 1, -2], id=list("abc")), side([3, 4, 5], id=list("cab")), "id")
    assert (left_out[1].labels.tolist(), left_out[2]) == ([4, 5], ["a", "b"])
    # Numbers and texts of a key are the same name.
    mixed = align(side([0, 1], id=[1, 2]), side([3, 4], id=["2", "1"]), None)
    assert mixed[1].labels.tolist() == [4, 3]


def test_keys_of_a_column_with_gaps_are_the_same_keys():
    # A gap turns the whole numbers of a column into 1.0, 2.0, ...
    first, second = side([0, 1, 1], id=[1, 2, 3]), side([1, 0, 0], id=[3.0, 1.0, float("nan")])
    one, two, rows = align(first, second, "id")
    assert (one.labels.tolist(), two.labels.tolist(), rows) == ([0, 1], [0, 1], [1, 3])
    assert _common_key(first, second) == "id"
