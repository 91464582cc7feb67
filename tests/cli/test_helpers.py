"""Helpers of the command line, without a run: settings, options in messages, files, labels."""

from __future__ import annotations

import hashlib
import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import typer

import weft
from weft.cli import fitting, identifiers, saved, shared, streaming
from weft.cli.config import _value, changed_input, digest, read_config, write_config
from weft.cli.given import read_label_file, row_names
from weft.cli.identifiers import cells_by_column, free_name, identifier_columns
from weft.estimators.presets import find_method
from weft.io import InputError
from weft.search.callbacks import Checkpoint, StopOnSignal
from weft.tables.parquet_parts import Part

# Settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("true", True),
        ("True", True),
        ("false", False),
        ("False", False),
        ("none", None),
        ("None", None),
        ("null", None),
        ("[1, 2]", [1, 2]),
        ("mean", "mean"),
        ("", ""),
        ("[" * 5000, "[" * 5000),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_values_are_read_as_what_they_look_like(text, value):
    found = fitting._literal(text)
    assert found == value
    assert type(found) is type(value)


def settings(method, given, extra=()):
    return fitting.make_settings(find_method(method), given, extra, np.zeros((4, 2)))


def test_given_options_overrule_those_of_the_method():
    method = find_method("pso-fsw")
    made, told = settings("pso-fsw", {"n_particles": 7, "random_state": 3}, ["n_generations=4"])
    assert (made["n_particles"], made["n_generations"], made["random_state"]) == (7, 4, 3)
    assert told == []
    others = {key: value for key, value in method.params.items() if not key.startswith("n_")}
    assert {key: made[key] for key in others} == others


@pytest.mark.parametrize(
    ("given", "extra", "words"),
    [
        ({"n_generations": 3}, [], "--generations is not an option of"),
        ({"n_particles": 3}, [], "--particles is not an option of"),
        ({"some_thing": 3}, [], "--some-thing is not an option of"),
        ({}, ["n_clusters"], "is not a NAME=VALUE of"),
        ({}, ["nothing=3"], "is not a NAME=VALUE of"),
        ({}, ["callbacks=3"], "is not a NAME=VALUE of"),
        ({}, ["n_clusters.x=3"], "is not a NAME=VALUE of"),
    ],
)
def test_options_that_a_method_does_not_take(given, extra, words):
    with pytest.raises(ValueError, match=words):
        settings("wk-means", given, extra)
    # A seed and threads mean nothing to some methods, and are not refused.
    made, _ = settings("wk-means", {"n_clusters": 3, "n_jobs": 2, "random_state": 1})
    assert made["n_clusters"] == 3


@pytest.fixture
def chosen(monkeypatch):
    def choose(X, random_state=None):
        return SimpleNamespace(n_clusters=choose.number, confidence=0.625)

    choose.number = 4
    monkeypatch.setattr(weft, "choose_n_clusters", choose)
    return choose


def count(asked, known=3):
    given = {} if asked is None else {"n_clusters": asked}
    return fitting._count({"n_clusters": known}, given, None)


def test_the_number_of_clusters_is_chosen_when_asked_or_needed(chosen):
    assert count("5") == ({"n_clusters": 5}, [])
    assert count(6) == ({"n_clusters": 6}, [])
    made, told = count("auto")
    assert made == {"n_clusters": 4}
    assert told[0].startswith("the estimate is 4 (confidence 0.62); ")
    made, told = count(None)
    assert made == {"n_clusters": 4}
    assert told[0].startswith("the method needs the number of clusters; the estimate is 4")
    # A method that finds the number itself is left alone.
    assert count(None, known=None) == ({}, [])
    chosen.number = 1
    made, told = count("auto")
    assert made == {"n_clusters": 2}
    assert told[0].startswith("the estimate is a single cluster (confidence 0.62), so the two")
    with pytest.raises(ValueError, match="--n-clusters='many' is neither a number nor 'auto'"):
        count("many")


def test_callbacks_of_methods_that_search_and_of_others(tmp_path):
    search = SimpleNamespace(searches=True, title="S")
    plain = SimpleNamespace(searches=False, title="P")
    [stop] = fitting.make_callbacks(search, None, 10, None)
    assert isinstance(stop, StopOnSignal)
    [kept] = fitting.make_callbacks(search, tmp_path / "c", 7, None)
    assert isinstance(kept, Checkpoint)
    assert kept.every == 7
    assert fitting.make_callbacks(plain, None, 10, None) == []
    with pytest.raises(ValueError, match="--checkpoint is not an option of P"):
        fitting.make_callbacks(plain, tmp_path, 10, None)
    with pytest.raises(ValueError, match="--resume is not an option of P"):
        fitting.make_callbacks(plain, None, 10, tmp_path)


def test_results_may_not_overwrite_their_own_table(tmp_path):
    own = tmp_path / "labels.csv"
    own.write_text("a\n1\n")
    with pytest.raises(ValueError, match="would be overwritten by the results"):
        fitting.refuse_own_input(own, tmp_path)
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    fitting.refuse_own_input(other, tmp_path)
    fitting.refuse_own_input(Path("-"), tmp_path)
    fitting.refuse_own_input(own, tmp_path / "elsewhere")


def test_warnings_of_a_fit_are_told_once(monkeypatch):
    class Model:
        def __init__(self, **given):
            self.given = given

        def get_params(self, deep=True):
            return {"callbacks": None}

        def fit(self, X, **options):
            import warnings

            warnings.warn("set n_clusters", UserWarning, stacklevel=1)
            warnings.warn("set n_clusters", UserWarning, stacklevel=1)
            self.options = options

    monkeypatch.setattr(weft, "Model", Model, raising=False)
    method = SimpleNamespace(estimator="Model")
    model, told, signal = fitting.fit_model(
        None, method, {"a": 1}, ["c"], None, show_progress=False
    )
    assert model.given == {"a": 1, "callbacks": ["c"]}
    assert model.options == {}
    assert told == ["set --n-clusters"]
    assert signal == 0
    model, _, _ = fitting.fit_model(None, method, {}, [], Path("r"), show_progress=True)
    assert model.options == {"resume": Path("r")}


# Messages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("set n_clusters\n  and n_particles", "set --n-clusters and --particles"),
        ("raise n_generations or max_clusters", "raise --generations or --max-clusters"),
        ("lower min_samples", "add rows, or take another --clusterer"),
        ("fit(X, resume='a b')", "the same command and --resume a b"),
        ("clusterer='x' is unknown", "--clusterer='x' is unknown"),
        ("my_clusterer=1", "my_clusterer=1"),
        ("fit without resume", "leave out --resume"),
    ],
)
def test_messages_name_options(text, told):
    assert shared.in_options(text) == told


def test_only_sentences_of_weft_are_blamed_on_the_input():
    def ours():
        weft.WeightedKMeans(n_clusters="x").fit(np.zeros((3, 2)))

    def of_an_operator():
        return 1 + "x"

    for function, answer in ((ours, True), (of_an_operator, False)):
        with pytest.raises(TypeError) as raised:
            function()
        assert shared._is_ours(raised.value) is answer
    assert shared._is_ours(TypeError("never raised")) is False


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("set n_clusters"), 2, "weft: set --n-clusters"),
        (MemoryError(), 2, "weft: MemoryError"),
        (KeyboardInterrupt(), 130, "weft: stopped; nothing was written."),
    ],
)
def test_errors_become_a_sentence_and_a_code(error, code, words, capsys, monkeypatch):
    monkeypatch.setattr(shared, "ignore_ctrl_c", lambda: None)
    with pytest.raises(typer.Exit) as ended, shared.one_sentence():
        raise error
    assert ended.value.exit_code == code
    assert capsys.readouterr().err.strip() == words


def test_a_fault_of_weft_is_not_hidden():
    with pytest.raises(TypeError), shared.one_sentence():
        "x" + 1  # noqa: B018 - the operator raises
    with pytest.raises(BrokenPipeError), shared.one_sentence():
        raise BrokenPipeError


def test_answers_by_their_number():
    model = SimpleNamespace(alternatives_=[0, 1, 2], with_alternative=lambda number: number)
    assert shared.take_answer(model, 1) is model
    assert shared.take_answer(model, 3) == 3
    for number in (0, 4):
        with pytest.raises(ValueError, match="this model has 3 answers, numbered from 1"):
            shared.take_answer(model, number)
    with pytest.raises(ValueError, match="has one answer"):
        shared.take_answer(SimpleNamespace(), 2)


# Files of settings ------------------------------------------------------------------------------


def test_values_of_a_config():
    assert _value(True) == "true"
    assert _value(3) == "3"
    assert _value(0.5) == "0.5"
    assert _value(["a", 1]) == '["a", 1]'
    assert _value("é\x7f\n") == '"é\\u007f\\n"'


def test_options_that_were_given_are_written_and_read(tmp_path):
    path = tmp_path / "run.toml"
    write_config(path, {"method": "auto", "drop": [], "seed": 3, "label": None}, sha256="ab")
    lines = path.read_text().splitlines()
    assert lines[1:] == ["[cluster]", 'method = "auto"', "seed = 3", "", "[input]", 'sha256 = "ab"']
    assert lines[0].endswith("To repeat this run: weft cluster --config run.toml")
    assert read_config(path, ["method", "seed"]) == {"method": "auto", "seed": 3}
    with pytest.raises(InputError, match="'seed', which is not an option"):
        read_config(path, ["method"])
    write_config(path, {}, sha256=None, command="weft demo")
    assert path.read_text().splitlines()[0].endswith("To repeat this run: weft demo")
    assert len(path.read_text().splitlines()) == 1


def test_a_changed_input_is_noticed(tmp_path):
    table, config = tmp_path / "t.csv", tmp_path / "run.toml"
    table.write_bytes(b"x" * 3_000_000)
    assert digest(table) == hashlib.sha256(b"x" * 3_000_000).hexdigest()
    assert digest("-") is None
    write_config(config, {"seed": 1}, sha256=digest(table))
    assert changed_input(config, table) is False
    table.write_bytes(b"y")
    assert changed_input(config, table) is True
    write_config(config, {"seed": 1}, sha256=None)
    assert changed_input(config, table) is False


# Labels of another program ----------------------------------------------------------------------


def labels_of(tmp_path, text, column=None, n_rows=3):
    path = tmp_path / "l.csv"
    path.write_text(text)
    return list(read_label_file(path, column, n_rows))


def test_labels_in_order_and_by_row(tmp_path):
    assert labels_of(tmp_path, "name,cluster\na,1\nb,2\nc,1\n") == [1, 2, 1]
    assert labels_of(tmp_path, "mine\n1\n2\n3\n") == [1, 2, 3]
    assert labels_of(tmp_path, "a,segment\n1,x\n2,\n3,y\n") == ["x", None, "y"]
    assert labels_of(tmp_path, "a,b\n1,x\n2,z\n3,y\n", "b") == ["x", "z", "y"]
    assert labels_of(tmp_path, "row,cluster\n3,5\n1,4\n") == [4, None, 5]
    # Whole numbers stay whole beside gaps.
    found = labels_of(tmp_path, "a,cluster\n1,1\n2,\n3,2\n")
    assert found == [1, None, 2]
    assert type(found[0]) is int


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("a,b\n1,2\n3,4\n5,6\n", None, "several columns, none called 'cluster'"),
        ("a,b\n1,2\n3,4\n5,6\n", "c", "no column 'c'"),
        ("cluster,x\n1,1\n2,2\n", None, "has 2 labels but the table has 3 rows"),
        ("row,cluster\n0,1\n1,2\n", None, "has 0 in column 'row'; rows are counted from 1 to 3"),
        ("row,cluster\n4,1\n1,2\n", None, "has 4 in column 'row'"),
        ("row,cluster\n1.5,1\n1,2\n", None, "has 1.5 in column 'row'"),
    ],
)
def test_labels_that_do_not_fit(tmp_path, text, column, words):
    with pytest.raises(InputError, match=words):
        labels_of(tmp_path, text, column)


def test_names_of_rows_are_those_of_the_first_identifier():
    frame = pd.DataFrame({"x": [1, 2, 3], "id": ["a", np.nan, "c"]})
    kinds = {"x": "number", "id": "identifier"}
    decisions = [SimpleNamespace(name=name, kind=kind) for name, kind in kinds.items()]
    table = SimpleNamespace(decisions=decisions, rows=[2, 1])
    assert row_names(frame, table) == ["c", ""]
    assert row_names(frame, SimpleNamespace(decisions=decisions[:1], rows=[0])) is None


# Results of a saved model -----------------------------------------------------------------------


def test_cells_of_the_table_beside_labels():
    frame = pd.DataFrame({"n": [1.0, np.nan, 2.5], "t": ["a", None, "c"]})
    assert cells_by_column(frame) == {"n": [1, None, 2.5], "t": ["a", None, "c"]}
    assert type(identifiers._plain(3.0)) is int
    assert identifiers._plain(3.5) == 3.5
    assert identifiers._plain(True) is True
    assert free_name("cluster", {"a": 1}) == "cluster"
    assert free_name("cluster", {"cluster": 1, "cluster_weft": 2}) == "cluster_weft_weft"
    assert identifier_columns(frame, None) == {}
    columns = {"c": [None, None, None]}
    saved._fill(columns, [2, 0], "c", [5, 6])
    assert columns == {"c": [6, None, 5]}


def test_certainty_is_what_the_model_can_say():
    probabilities = np.array([[0.75], [0.5]])
    model = SimpleNamespace(
        membership=lambda X, n_top: SimpleNamespace(probabilities=probabilities / n_top),
        outlier_score=lambda X: [0.1, 0.2],
    )
    found = saved._certainty(model, None)
    assert found["confidence"].tolist() == [0.75, 0.5]
    assert found["outlier_score"].tolist() == [0.1, 0.2]
    assert saved._certainty(SimpleNamespace(), None) == {}


def test_places_of_models(tmp_path):
    assert saved._model_path(tmp_path) == tmp_path / "model.weft"
    assert saved._model_path(tmp_path / "m.weft") == tmp_path / "m.weft"
    with pytest.raises(InputError, match=r"has no file model\.weft"):
        saved._read_model(tmp_path)


def test_parts_are_for_the_default_method_and_a_folder():
    parts = [Part("p", (0,), 5, ("a",))]
    held = SimpleNamespace(model=SimpleNamespace(), table=None)
    with pytest.raises(InputError, match="needs the whole table in memory"):
        saved._predict_parts(held, parts, Path("out"), None)
    held.model._fit_anchor_rows = np.zeros(1)
    for out in ("-", "labels.csv"):
        with pytest.raises(InputError, match="are written to a folder"):
            saved._predict_parts(held, parts, Path(out), None)
    streaming.refuse_other_methods("auto", "x")


def test_small_files_and_pipes_are_not_read_in_parts(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2]}).to_parquet(path)
    assert streaming.large_parts(Path("-")) == []
    assert streaming.large_parts(path) == []
    assert len(streaming.large_parts(tmp_path)) == 1


def test_processes_are_started_for_more_than_one_job(monkeypatch):
    import dask

    with streaming.processes(None), streaming.processes(1):
        assert dask.config.get("scheduler") == "synchronous"
    started = []
    fake = SimpleNamespace(
        LocalCluster=lambda **options: started.append(options) or nullcontext("cluster"),
        Client=lambda cluster: nullcontext(),
    )
    optional = streaming.import_optional
    monkeypatch.setattr(
        streaming,
        "import_optional",
        lambda name, extra: fake if name == "dask.distributed" else optional(name, extra),
    )
    for given, count in ((3, 3), (-1, None)):
        with streaming.processes(given):
            assert started.pop()["n_workers"] == count


def test_a_json_answer_is_strict(capsys):
    shared.print_json({"a": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        shared.print_json({"a": float("nan")})


def test_seeds_and_threads_are_checked_before_anything_else():
    def start(**given):
        fitting.search(None, None, {"random_state": 0, **given}, Path("x"), read_seconds=0.0)

    for seed in (-1, 2**32, 2**32 + 1):
        with pytest.raises(ValueError, match="--seed"):
            start(random_state=seed)
    for seed in (0, 2**32 - 1):  # the seed is allowed, the threads are not
        with pytest.raises(ValueError, match="--jobs=0 is not allowed"):
            start(random_state=seed, n_jobs=0)
