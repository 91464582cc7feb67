"""What each command does without options, and what it hands on with them."""

from __future__ import annotations

import inspect
import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from weft.cli import cluster as cluster_module
from weft.cli import fitting, given, saved, tables
from weft.cli.app import app
from weft.reporting import comparison

NO = inspect.Parameter.empty
FILE = {"file": NO, "sheet": None, "query": None, "as_json": False}
DEFAULTS = {
    "cluster": {
        **FILE, "context": NO, "transpose": False, "label": None, "seed": 0, "scale": "standard",
        "missing": "auto", "drop": None, "keep": None, "stability": 0, "alternative": 1,
        "checkpoint": None, "checkpoint_every": 10, "resume": None, "force": False, "quiet": False,
        "exponents": False,
        **dict.fromkeys(("config", "out", "method", "clusterer", "criterion", "swarm")),
        **dict.fromkeys(("n_clusters", "max_clusters", "param", "generations", "particles")),
        "jobs": None,
    },
    "explain": {**FILE, "model": NO, "row": None, "where": None},
    "compare": {"first": NO, "second": NO, "key": None, "out": None, "as_json": False},
    "predict": {
        **FILE, "model": NO, "out": Path("-"), "missing": None, "join": False, "transpose": False
    },
    "report": {
        "model": NO, "stability": 0,
        **dict.fromkeys(("data", "labels", "labels_column", "label", "out")),
    },
    "generate": {
        "kind": NO, "out": Path("-"), "clusters": 4, "features": 10, "rows": None, "noise": 0,
        "seed": 0, "as_json": False,
    },
    "choose": {
        **FILE, "max_clusters": None, "label": None, "seed": 0, "scale": "standard",
        "missing": "auto", "drop": None, "keep": None,
    },
    "methods": {"name": None, "as_json": False},
    "demo": {"out": Path("weft-demo"), "seed": 0, "force": False},
}  # fmt: skip


def defaults(function):
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


def test_defaults_of_all_commands():
    commands = {command.callback.__name__: command.callback for command in app.registered_commands}
    assert {name: defaults(function) for name, function in commands.items()} == DEFAULTS


def test_defaults_of_a_search():
    found = defaults(fitting.search)
    assert {name: value for name, value in found.items() if value is not NO} == {
        "extra": (), "stability": 0, "alternative": 1, "checkpoint_every": 10, "force": False,
        "as_json": False, "quiet": False,
        **dict.fromkeys(("options", "sha256", "row_names", "identifiers", "relevant", "stream")),
        **dict.fromkeys(("checkpoint", "resume")),
    }  # fmt: skip
    assert defaults(fitting._write)["all_rows"] is True


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def asked(monkeypatch):
    """What commands hand on."""
    calls = []

    def taking(name, answer=None):
        def take(*arguments, **options):
            calls.append((name, arguments, options))
            return answer

        return take

    made = {"n_rows": 5, "n_clusters": 2}
    monkeypatch.setattr(saved, "predict", taking("predict"))
    monkeypatch.setattr(saved, "report", taking("report", Path("r.html")))
    monkeypatch.setattr(given, "report_labels", taking("labels", Path("l.html")))
    monkeypatch.setattr(tables, "generate", taking("generate", made))
    monkeypatch.setattr(tables, "choose", taking("choose"))
    return calls


def test_commands_without_options(asked):
    assert run("predict", "m", "t.csv").output == ""
    assert run("report", "m").output == "HTML report: r.html\n"
    assert run("report", "t.csv", "--labels", "l.csv").output == "HTML report: l.html\n"
    assert run("generate", "moons").output == ""
    assert run("choose", "t.csv").output == ""
    none = dict.fromkeys(("sheet", "query"))
    assert asked == [
        ("predict", (Path("m"), Path("t.csv")),
         {"out": Path("-"), "missing": None, "join": False, "transpose": False, "as_json": False,
          **none}),
        ("report", (Path("m"),), {"data": None, "out": None, "stability": 0}),
        ("labels", (Path("t.csv"), Path("l.csv")), {"column": None, "truth": None, "out": None}),
        ("generate", ("moons",),
         {"out": Path("-"), "clusters": 4, "features": 10, "rows": None, "noise": 0, "seed": 0}),
        ("choose", (Path("t.csv"),),
         {"max_clusters": None, "seed": 0, "as_json": False, "label": None, "scale": "standard",
          "missing": "auto", "drop": (), "keep": (), **none}),
    ]  # fmt: skip


def test_commands_with_options(asked):
    run("predict", "m", "t.csv", "--join", "--transpose", "--json", "--out", "o.csv")
    run("report", "m", "--data", "d.csv", "--stability", 2, "--out", "o.html")
    run("choose", "t.csv", "--drop", "a", "--drop", "b", "--keep", "c", "--max-clusters", 7)
    told = run("generate", "moons", "--out", "o.csv", "--rows", 9, "--noise", 3)
    assert told.stdout == "o.csv: 5 rows, 2 clusters in 'label'\n"
    told = run("generate", "moons", "--out", "o.csv", "--json")
    assert (told.stdout, told.stderr) == ("", '{"n_rows": 5, "n_clusters": 2}\n')
    options = [call[2] for call in asked]
    assert (options[0]["join"], options[0]["transpose"], options[0]["as_json"]) == (True,) * 3
    assert options[1] == {"data": Path("d.csv"), "out": Path("o.html"), "stability": 2}
    assert (options[2]["drop"], options[2]["keep"], options[2]["max_clusters"]) == (
        *(["a", "b"], ["c"], 7),
    )
    assert (options[3]["rows"], options[3]["noise"]) == (9, 3)


def test_the_command_without_arguments_shows_its_help():
    told = run()
    assert "Usage" in told.output
    assert "Commands" in told.output
    assert app.pretty_exceptions_enable is False
    version = run("--version")
    assert (version.exit_code, version.output) == (0, f"weft {weft.__version__}\n")


def test_comparisons_are_printed_or_saved(monkeypatch):
    saved_pages = []

    class Done(SimpleNamespace):
        def __str__(self):
            return "text"

    done = Done(to_dict=lambda: {"a": 1}, save=saved_pages.append)
    monkeypatch.setattr(comparison, "compare", lambda first, second, key: done)
    assert run("compare", "a", "b").output == "text\n"
    assert saved_pages == []
    assert run("compare", "a", "b", "--out", "o.html").output == "text\n\nHTML page: o.html\n"
    assert run("compare", "a", "b", "--json").output == '{\n  "a": 1\n}\n'
    assert saved_pages == [Path("o.html")]


# weft cluster -------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"n{i},{a:.3f},{b:.3f}" for i, (a, b) in enumerate(rng.normal(size=(20, 2)))]
    Path("t.csv").write_text("id,a,b\n" + "\n".join(rows) + "\n")
    return Path("t.csv")


@pytest.fixture
def searched(monkeypatch):
    calls = []

    def search(table, method, given, folder, **options):
        calls.append((table, method.name, given, folder.name, options))

    monkeypatch.setattr(fitting, "search", search)
    clock = iter(np.arange(100.0))
    own_time = SimpleNamespace(perf_counter=lambda: float(next(clock)))
    monkeypatch.setattr(cluster_module, "time", own_time)
    return calls


def test_a_table_is_prepared_for_the_search(table, searched):
    done = run("cluster", table)
    assert done.exit_code == 0, done.output
    ((ready, method, options_given, folder, options),) = searched
    assert (method, options_given, folder) == ("auto", {"random_state": 0}, "t-weft")
    assert ready.X.shape == (20, 2)
    kept = options.pop("options")
    # Depending on the version of typer, options that may be repeated are None or empty.
    assert {name: None if value == () else value for name, value in kept.items()} == {
        "file": "t.csv", "method": "auto", "seed": 0, "scale": "standard", "missing": "auto",
        "stability": 0, "alternative": 1, "exponents": False, "transpose": False,
        **dict.fromkeys(("clusterer", "criterion", "swarm", "n_clusters", "max_clusters", "param")),
        **dict.fromkeys(("label", "generations", "particles", "jobs", "drop", "keep", "sheet")),
        "query": None,
    }  # fmt: skip
    assert len(options.pop("sha256")) == 64
    assert options.pop("identifiers") == {"id": [f"n{i}" for i in range(20)]}
    assert options.pop("row_names") == [f"n{i}" for i in range(20)]
    assert options == {
        "extra": (), "stream": None, "read_seconds": 1.0, "stability": 0, "alternative": 1,
        "checkpoint": None, "checkpoint_every": 10, "resume": None, "force": False,
        "as_json": False, "quiet": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "method", "settings"),
    [
        (("--n-clusters", 3), "auto", {"n_clusters": "3"}),
        (("--clusterer", "k-means"), "pso-fsw", {"clusterer": "k-means"}),
        (("--exponents",), "pso-fsw", {"exponents": True}),
        (("--generations", 0), "pso-fsw", {"n_generations": 0}),
        (("--particles", 5), "pso-fsw", {"n_particles": 5}),
        (("--max-clusters", 5, "--jobs", 2), "auto", {"max_clusters": 5, "n_jobs": 2}),
        (("--method", "k-means", "--n-clusters", 3), "k-means", {"n_clusters": "3"}),
    ],
)
def test_options_choose_the_method(table, searched, arguments, method, settings):
    done = run("cluster", table, *arguments, "--seed", 7)
    assert done.exit_code == 0, done.output
    assert searched[0][1:3] == (method, {**settings, "random_state": 7})


def test_other_processes_compile_only_for_the_default_method(table, searched, monkeypatch):
    from weft.auto import compiling

    begun = []
    monkeypatch.setattr(compiling, "compiled_beside", lambda: nullcontext(begun.append(1)))
    run("cluster", table, "--method", "k-means", "--n-clusters", 3)
    assert begun == []
    run("cluster", table)
    assert begun == [1]


def test_files_of_cells_have_their_own_function(table, monkeypatch):
    from weft.cli import single_cell

    asked = []
    monkeypatch.setattr(
        single_cell, "cluster_cells",
        lambda file, folder, **options: asked.append((file.name, folder.name, options)),
    )  # fmt: skip
    done = run("cluster", "c.h5ad", "--max-clusters", 5, "--seed", 3, "--param", "a=1", "--quiet")
    assert done.exit_code == 0, done.output
    run("cluster", "c.h5ad", "--n-clusters", 4, "--jobs", 2, "--out", "o", "--force", "--json")
    assert [(name, folder) for name, folder, _ in asked] == [("c.h5ad", "c-weft"), ("c.h5ad", "o")]
    first, second = (options for *_, options in asked)
    assert {**first, "extra": list(first["extra"])} == {
        "given": {"max_clusters": 5, "random_state": 3}, "extra": ["a=1"], "force": False,
        "as_json": False, "quiet": True,
    }  # fmt: skip
    assert second["given"] == {"n_clusters": "4", "n_jobs": 2, "random_state": 0}
    assert (second["force"], second["as_json"], second["quiet"]) == (True, True, False)
    refused = run("cluster", "c.h5ad", "--method", "k-means")
    assert refused.exit_code == 2
    assert "does not take .h5ad files; leave out --method." in refused.stderr


@pytest.mark.parametrize(("signal", "as_json"), [(0, False), (2, True)])
def test_a_search_step_by_step(table, monkeypatch, signal, as_json):
    told = {}
    model = SimpleNamespace(labels_=np.arange(20))

    def fit_model(X, method, settings, callbacks, resume, *, show_progress):
        told.update(columns=list(X), settings=settings, progress=show_progress)
        return model, ["warned"], signal

    def summarize(made, X, **options):
        told.update({key: options[key] for key in ("seconds", "stability", "row_names")})
        told["row_numbers"] = options["row_numbers"].tolist()
        told["table"] = options["table"]["warnings"]
        told["method"] = options["table"]["data"]["method"]
        return {"warnings": ["kept", "more"], "result": {}}

    clock = iter(np.arange(0.0, 100.0, 1.5))
    monkeypatch.setattr(fitting, "time", SimpleNamespace(perf_counter=lambda: float(next(clock))))
    monkeypatch.setattr(fitting, "fit_model", fit_model)
    monkeypatch.setattr(fitting, "summarize", summarize)
    monkeypatch.setattr(fitting, "write_folder", lambda folder, write, *, force: None)
    monkeypatch.setattr(fitting, "show_columns", lambda described, out: out.print("columns"))
    monkeypatch.setattr(fitting, "show_result", lambda summary, out: out.print("result"))
    as_asked = ["--json"] if as_json else []
    done = run("cluster", table, "--stability", 2, "--out", "[b]o", *as_asked)
    assert done.exit_code == (130 if signal else 0), done.output
    assert told["seconds"]["fit"] == 1.5
    assert told["stability"] == (0 if signal else 2)
    assert told["row_numbers"] == list(range(1, 21))
    assert (told["method"], told["progress"], told["columns"]) == ("AutoCluster", True, ["a", "b"])
    assert told["table"][-1] == "warned"
    lines = (done.stderr if as_json else done.stdout).split("\n")
    assert [line for line in lines if line in ("columns", "result")] == ["columns", "result"]
    text = " ".join(" ".join(lines).split())
    assert f"Wrote {', '.join(fitting.FILES)}" in text
    assert f"HTML report: {table.resolve().parent}/[b]o/report.html" in text
    assert "note: more" in done.stderr
    assert "note: kept" not in done.stderr
    if as_json:
        assert json.loads(done.stdout) == {"warnings": ["kept", "more"], "result": {}}


def test_a_changed_table_is_pointed_out(table, searched):
    Path("run.toml").write_text('[cluster]\nseed = 3\n[input]\nsha256 = "x"\n')
    done = run("cluster", table, "--config", "run.toml")
    assert done.exit_code == 0, done.output
    assert searched[0][0].warnings[-1] == (
        "t.csv has changed since run.toml was written: the answer may differ."
    )
    assert searched[0][2] == {"random_state": 3}
    run("cluster", table)
    assert not any("has changed" in text for text in searched[1][0].warnings)


def test_tables_of_genes_are_transposed_on_request(table, searched):
    lines = [f"GENE{i},{i % 7},{i % 5},{i % 3}" for i in range(120)]
    Path("g.csv").write_text("gene,s1,s2,s3\n" + "\n".join(lines) + "\n")
    run("cluster", "g.csv")
    run("cluster", "g.csv", "--transpose")
    assert [made[0].n_rows for made in searched] == [120, 3]
    notes = [sum("rows look like genes" in text for text in made[0].warnings) for made in searched]
    assert notes == [1, 0]
    assert any("rows and columns were exchanged" in text for text in searched[1][0].warnings)
