"""Steps of commands with models and files whose answers are known; no fit, no large table."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from weft.cli import fitting, given, saved, shared, tables
from weft.cli.config import _check_place, digest
from weft.cli.explain import _chosen_rows, _text
from weft.columns.source import MixedTable, SourceColumn
from weft.tables.prepare import NewRows

# Settings and results -----------------------------------------------------------------------------


def test_labels_and_features_of_a_result(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(fitting, "write_answer", lambda *arguments: asked.append(arguments[3:]))
    monkeypatch.setattr(fitting, "facets", lambda mixed: SimpleNamespace(values=mixed, names=["n"]))
    table = SimpleNamespace(n_rows=4, rows=np.array([3, 0]), mixed="mixed", plan="plan")
    model = SimpleNamespace(labels_=np.array([1, -1]))
    entries = [
        {"name": "a", "weight": 0.5, "selected": True, "exponent": 2.0},
        {"name": "b", "weight": 0.0, "selected": False, "exponent": 1.0},
    ]
    summary = {"features": entries, "settings": {"seed": 7}}
    fitting._write(tmp_path, table, model, summary, {"seed": 7}, "ab", {"id": list("wxyz")})
    assert (tmp_path / "labels.csv").read_text() == ("row,id,cluster\n1,w,-1\n2,x,\n3,y,\n4,z,1\n")
    assert (tmp_path / "features.csv").read_text() == (
        "name,weight,selected,exponent\na,0.5,true,2.0\nb,0.0,false,1.0\n"
    )
    assert 'sha256 = "ab"' in (tmp_path / "run.toml").read_text()
    assert asked == [("mixed", ["n"], "plan")]
    model._table = "own"
    for entry in entries:
        del entry["exponent"]
    (tmp_path / "labels.csv").unlink()
    fitting._write(tmp_path, table, model, summary, {}, None, {}, all_rows=False)
    assert not (tmp_path / "labels.csv").exists()
    assert (tmp_path / "features.csv").read_text().startswith("name,weight,selected\n")
    assert asked[1] == ("mixed", ["n"], "own")
    assert (tmp_path / "run.toml").read_text().endswith("To repeat this run: weft demo --seed 7\n")


def test_answers_are_written_completely(tmp_path, monkeypatch):
    asked = []

    def marker_columns(values, labels, *, counts, feature_names):
        asked.append((values, counts, feature_names))
        row = dict.fromkeys(fitting.MARKER_FIELDS, 1)
        return SimpleNamespace(rows=lambda: [row, row])

    monkeypatch.setattr(fitting.weft, "marker_columns", marker_columns, raising=False)
    monkeypatch.setattr(fitting, "render", lambda summary: "<p>")
    monkeypatch.setattr(fitting, "save_model", lambda model, path, **more: asked.append(more))
    model = SimpleNamespace(labels_=np.zeros(2), counts=True)
    fitting.write_answer(tmp_path, model, {"a": 1}, "v", ["n"], "plan")
    assert asked == [("v", True, ["n"]), {"table": "plan", "summary": {"a": 1}}]
    ones = ",".join("1" * len(fitting.MARKER_FIELDS))
    assert (tmp_path / "markers.csv").read_text().split("\n")[1:] == [ones, ones, ""]
    assert (tmp_path / "summary.json").read_text() == '{\n  "a": 1\n}\n'
    assert (tmp_path / "report.html").read_text() == "<p>"
    with pytest.raises(ValueError, match="not JSON compliant"):
        fitting.write_answer(tmp_path, model, {"a": float("nan")}, "v", ["n"], None)
    fitting.write_answer(tmp_path, SimpleNamespace(labels_=np.zeros(2)), {}, "v", [], None)
    assert asked[-2] == ("v", False, [])


def test_two_clusters_are_enough_for_an_estimate(monkeypatch):
    found = SimpleNamespace(n_clusters=2, confidence=0.5)
    monkeypatch.setattr(fitting.weft, "choose_n_clusters", lambda X, random_state: found,
                        raising=False)  # fmt: skip
    assert fitting._count({}, {"n_clusters": "auto"}, None) == (
        {"n_clusters": 2},
        ["the estimate is 2 (confidence 0.50); see the evidence with weft choose, or give "
         "--n-clusters."],
    )  # fmt: skip
    found.n_clusters = 1
    settings, (note,) = fitting._count({"n_clusters": 8}, {}, None)
    assert settings == {"n_clusters": 2}
    assert note == (
        "the method needs the number of clusters; the estimate is a single cluster (confidence "
        "0.50), so the two clusters may be meaningless; see the evidence with weft choose."
    )


def test_places_that_a_config_may_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in ("out", "a/../b", str(tmp_path / "x"), "."):
        _check_place("c.toml", "out", value)
    for value in ("..", "/", 5, "a\0b", None):
        assert refusal(_check_place, "c.toml", "out", value) == (
            f"c.toml has out={value!r}, which is outside the current folder; to allow it, give "
            "--out on the command line."
        )


def test_digests_of_several_files(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(name)
    (tmp_path / "both").write_text("a.csvb.csv")
    assert digest(tmp_path / "*.csv") == digest(tmp_path / "both")
    assert digest("-") is None


# Rows to explain ----------------------------------------------------------------------------------

FRAME = pd.DataFrame({"id": ["x", "y", "x"], "n": [1.0, 2.5, 1.0]})


def test_rows_that_are_asked_for():
    assert _chosen_rows(FRAME, "t", [3, 1], None) == [3, 1]
    assert _chosen_rows(FRAME, "t", [], " id = x ") == [1, 3]
    assert _chosen_rows(FRAME, "t", [], "n=1") == [1, 3]
    assert _chosen_rows(FRAME, "t", [], "n=2.5") == [2]
    for number in (0, 4):
        assert refusal(_chosen_rows, FRAME, "t", [number], None) == (
            f"t has no row {number}; its rows are numbered from 1 to 3."
        )
    both = "give the rows to explain with --row N, or with --where COLUMN=VALUE."
    assert refusal(_chosen_rows, FRAME, "t", [1], "id=x") == both
    assert refusal(_chosen_rows, FRAME, "t", [], None) == both
    for where in ("id", "other=x"):
        assert refusal(_chosen_rows, FRAME, "t", [], where) == (
            f"--where {where!r} names no column of t; write COLUMN=VALUE with one of id, n."
        )
    assert refusal(_chosen_rows, FRAME, "t", [], "id=z") == ("no row of t has 'z' in column 'id'.")
    many = pd.DataFrame({"c": ["a"] * 50 + ["b"] * 51})
    assert len(_chosen_rows(many, "t", [], "c=a")) == 50
    assert refusal(_chosen_rows, many, "t", [], "c=b").startswith("51 rows of t have 'b' in column")
    wide = pd.DataFrame(np.zeros((1, 9)), columns=list("abcdefghi"))
    assert "with one of a, b, c, d, e, f, g, h." in refusal(_chosen_rows, wide, "t", [], "z=1")
    assert [_text(cell) for cell in (3.0, 2.5, "a", 7)] == ["3", "2.5", "a", "7"]


# Generated tables and estimates -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "rows", "n_rows"),
    [("gaussians", 60, 60), ("ellipsoids", 3, 6), ("subspaces", 60, 60), ("subspaces", None, 500),
     ("moons", 50, 50)],
)  # fmt: skip
def test_tables_with_known_clusters(tmp_path, kind, rows, n_rows):
    options = {"clusters": 3, "features": 4, "noise": 2, "seed": 5}
    told = tables.generate(kind, out=tmp_path / "t.csv", rows=rows, **options)
    frame = pd.read_csv(tmp_path / "t.csv")
    assert (told["kind"], told["label"], told["n_rows"]) == (kind, "label", len(frame))
    assert abs(len(frame) - n_rows) <= 3
    assert told["n_clusters"] == frame["label"].nunique()
    names = frame.columns.tolist()
    assert names[-1] == "label"
    assert set(told["relevant"]) | set(told["noise"]) == set(names[:-1])
    assert set(told["relevant"]).isdisjoint(told["noise"])
    assert len(told["noise"]) >= 2
    if kind != "subspaces":
        assert len(told["noise"]) == 2
    again = tables.generate(kind, out=tmp_path / "u.csv", rows=rows, **options)
    assert again == told
    assert (tmp_path / "u.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
    plain = tables.generate(kind, out=tmp_path / "u.csv", rows=rows, **{**options, "noise": 0})
    assert len(plain["noise"]) == len(told["noise"]) - 2


def test_rows_of_clusters_of_equal_size(tmp_path, monkeypatch):
    asked = []
    from weft import datasets

    real = datasets.make_gaussians

    def make(*arguments, **options):
        asked.append((arguments, options))
        return real(*arguments, **options)

    monkeypatch.setattr(datasets, "make_gaussians", make)
    for rows in (None, 7, 3, 1):
        tables.generate("gaussians", out=tmp_path / "t.csv", clusters=3, features=2, rows=rows,
                        noise=0, seed=1)  # fmt: skip
    sizes = [options["cluster_size"] for _, options in asked]
    assert sizes == [None, 2, 2, 2]
    assert {arguments for arguments, _ in asked} == {(3, 2)}


def test_estimates_as_text_and_json(tmp_path, monkeypatch, capsys):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    table = [{"method": "gap", "k": 3, "why": "x"}, {"method": "sil", "k": 12, "why": "yy"}]

    class Found(SimpleNamespace):
        def __str__(self):
            return "3 clusters (confidence 0.62)\nand a table"

    found = Found(n_clusters=3, confidence=0.625, table=table)
    asked = []

    def choose(X, **options):
        asked.append((len(X), options))
        return found

    monkeypatch.setattr(tables.weft, "choose_n_clusters", choose, raising=False)
    options = {"max_clusters": 5, "seed": 7, "sheet": None, "query": None}
    tables.choose(tmp_path / "t.csv", **options, as_json=False, scale="range")
    lines = [line.rstrip() for line in capsys.readouterr().out.split("\n")]
    assert lines == [
        "3 clusters (confidence 0.62)", "method   k  why", "gap      3  x", "sil     12  yy", ""
    ]  # fmt: skip
    tables.choose(tmp_path / "t.csv", **options, as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "n_clusters": 3, "confidence": 0.625, "methods": table
    }  # fmt: skip
    assert asked == [(3, {"max_clusters": 5, "random_state": 7})] * 2


# Saved models -------------------------------------------------------------------------------------


class Held:
    """A saved model that puts rows above 2 into cluster 1."""

    def __init__(self, **more):
        self.__dict__.update(more)

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 2.0).astype(int)

    def outlier_score(self, X):
        return np.asarray(X)[:, 0] / 3.0


def predicted(tmp_path, monkeypatch, model, rows, frame, **options):
    """Return what is written, or printed, for a table whose rows `rows` are used."""
    X = np.array([[float(frame["x"][row])] for row in rows]).reshape(-1, 1)
    new = NewRows(X, np.array(rows, dtype=np.int64), len(frame), ["w"])
    held = SimpleNamespace(model=model, table="plan")
    monkeypatch.setattr(saved, "_read_model", lambda path: held)
    monkeypatch.setattr(saved, "read_table", lambda file, **_: SimpleNamespace(frame=frame))
    monkeypatch.setattr(saved, "apply_recipe", lambda raw, plan, missing: new)
    out = tmp_path / "p.csv"
    given_options = {"missing": None, "join": False, "sheet": None, "query": None,
                     "transpose": False, "as_json": False}  # fmt: skip
    saved.predict(Path("m"), Path("t.csv"), out=out, **{**given_options, **options})
    return out.read_text() if out.exists() else ""


def test_new_rows_get_clusters(tmp_path, monkeypatch, capsys):
    frame = pd.DataFrame({"x": [1, 5, 3], "cluster": ["p", "q", None]})
    assert predicted(tmp_path, monkeypatch, Held(), [2, 0], frame) == (
        "row,cluster,outlier_score\n1,0,0.333333\n2,,\n3,1,1.0\n"
    )
    assert capsys.readouterr().err.strip() == "note: w"
    assert predicted(tmp_path, monkeypatch, Held(), [2, 0], frame, join=True) == (
        "x,cluster,cluster_weft,outlier_score\n1,p,0,0.333333\n5,q,,\n3,,1,1.0\n"
    )
    names = Held(feature_names_in_=np.array(["x"]))
    assert predicted(tmp_path, monkeypatch, names, [], frame) == "row,cluster\n1,\n2,\n3,\n"
    (tmp_path / "p.csv").unlink()
    written = predicted(tmp_path, monkeypatch, names, [1], frame, as_json=True)
    assert written == "row,cluster,outlier_score\n1,,\n2,1,1.666667\n3,,\n"
    assert json.loads(capsys.readouterr().out) == {
        "n_rows": 3, "labels": [None, 1, None], "outlier_score": [None, 1.666667, None],
        "warnings": ["w"],
    }  # fmt: skip


def test_models_that_cannot_predict(tmp_path, monkeypatch):
    frame = pd.DataFrame({"x": [1]})
    text = refusal(predicted, tmp_path, monkeypatch, SimpleNamespace(), [0], frame)
    assert text == (
        "a SimpleNamespace cannot assign new rows to clusters; use a method with predict, such as "
        "auto."
    )
    monkeypatch.setattr(saved, "_read_model", lambda path: SimpleNamespace(model=1, table=None))
    options = dict.fromkeys(("missing", "join", "sheet", "query", "transpose", "as_json"))
    for action in (
        lambda: saved.predict(Path("m"), Path("t.csv"), out=Path("o"), **options),
        lambda: saved.load_with_table(Path("m")),
        lambda: saved.report(Path("m"), data=Path("t.csv"), out=None, stability=0),
    ):
        assert refusal(action).startswith("m does not say how its table was read, because weft")
    assert refusal(saved.report, Path("m"), data=None, out=None, stability=1) == (
        "--stability refits the model and needs the rows; give --data FILE."
    )


def test_cells_and_parts_of_new_tables(tmp_path, monkeypatch, capsys):
    found = (["a", "b"], {"cluster": [1, 0], "confidence": [0.5, 1.0]})
    monkeypatch.setattr(saved, "label_cells", lambda model, file: (found[0], dict(found[1])))
    saved._predict_cells(None, Path("c.h5ad"), tmp_path / "o.csv", False)
    assert (tmp_path / "o.csv").read_text() == "cell,cluster,confidence\na,1,0.5\nb,0,1.0\n"
    saved._predict_cells(None, Path("c.h5ad"), tmp_path / "no.csv", True)
    assert json.loads(capsys.readouterr().out) == {
        "n_rows": 2, "labels": [1, 0], "confidence": [0.5, 1.0]
    }  # fmt: skip
    asked = []
    monkeypatch.setattr(saved, "write_labels", lambda *arguments: asked.append(arguments))
    held = SimpleNamespace(model=SimpleNamespace(_fit_anchor_rows=1), table="plan")
    saved._predict_parts(held, ["part"], Path("out"), "median")
    assert asked == [(held.model, "plan", ["part"], Path("out"), "median")]


def test_reports_of_saved_models(tmp_path, monkeypatch):
    held = SimpleNamespace(model="m", table=None, summary={"s": 1})
    monkeypatch.setattr(saved, "_read_model", lambda path: held)
    monkeypatch.setattr(saved, "render", lambda summary: f"page {summary}")
    monkeypatch.setattr(saved, "draw", lambda model, *_, **__: saved.Report(f"drawn {model}", {}))
    file = tmp_path / "m.weft"
    assert saved.report(file, data=None, out=None, stability=0) == tmp_path / "m.html"
    assert (tmp_path / "m.html").read_text() == "page {'s': 1}"
    held.summary = None
    where = saved.report(file, data=None, out=tmp_path / "o.html", stability=0)
    assert where.read_text() == "drawn m"
    assert "cannot be written: No such file" in refusal(
        saved.report, file, data=None, out=tmp_path / "none" / "o.html", stability=0
    )


# Labels of others, consoles -----------------------------------------------------------------------


def test_labels_of_other_programs_by_row(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("row,cluster,x\n2,5,a\n1,,b\n")
    assert given.read_label_file(path, None, 2).tolist() == [None, 5]
    assert given.read_label_file(path, "x", 3).tolist() == ["b", "a", None]
    path.write_text("row,cluster\n3,5\n1,4\n")
    assert refusal(given.read_label_file, path, None, 2) == (
        "l.csv has 3 in column 'row'; rows are counted from 1 to 2."
    )
    path.write_text(",".join("abcdefghi") + "\n" + ",".join("123456789") + "\n")
    assert refusal(given.read_label_file, path, None, 1) == (
        "l.csv has several columns, none called 'cluster'; name one with --labels-column: a, b, c, "
        "d, e, f, g, h."
    )


def test_lines_without_control_characters(capsys):
    shared.say("a\x1b\nb")
    shared.say("c", err=True)
    assert capsys.readouterr() == ("a�\nb\n", "c\n")
    out = shared.console(stderr=True)
    out.print("x\u200by")
    shared.console(quiet=True).print("nothing")
    assert capsys.readouterr() == ("", "x�y\n")
    shared.say_path("File", Path("o.html"))
    assert capsys.readouterr().out == "File: o.html\n"


def test_rows_without_any_value_are_left_out():
    columns = (SourceColumn("a", "number", (0,)), SourceColumn("b", "number", (1,)))
    values = np.array([[np.nan, np.nan], [1.0, np.nan], [np.nan, np.nan], [2.0, 3.0]])
    new = NewRows(np.arange(4.0)[:, None], np.array([0, 2, 5, 7]), 9, ["x"])
    assert saved.without_empty_rows(new) is new  # a table of numbers alone has no gaps here
    left = saved.without_empty_rows(new._replace(mixed=MixedTable(values, columns)))
    assert (left.X.ravel().tolist(), left.rows.tolist(), left.n_rows) == ([1.0, 3.0], [2, 7], 9)
    said = "rows have no value in any column that the model uses; they get no cluster."
    assert left.warnings == ["x", f"2 {said}"]
    one = saved.without_empty_rows(
        new._replace(X=new.X[2:], rows=new.rows[2:], mixed=MixedTable(values[2:], columns))
    )
    assert one.warnings == [
        "x",
        "1 row has no value in any column that the model uses; it gets no cluster.",
    ]
    whole = new._replace(mixed=MixedTable(np.ones((4, 2)), columns))
    assert saved.without_empty_rows(whole) is whole
