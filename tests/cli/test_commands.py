"""The other commands, the formats, configs and methods: from outside."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import weft
from weft.cli.app import app
from weft.cli.config import write_config
from weft.estimators.presets import METHODS, PAPERS, find_method
from weft.io import InputError, read_table, write_table
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.swarms import SWARMS

FAST = ["--generations", "2", "--particles", "6"]
NASTY = ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "🎈", "n" * 300, "מספר \u202eevil"]


def frame_of(names=("a", "b", "c")):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(45, len(names))), columns=list(names))
    frame.iloc[15:30, :2] += 8
    frame.iloc[30:, :2] -= 8
    return frame


@pytest.fixture
def table(here):
    frame = frame_of()
    frame["colour"] = ["red", "blue", "green"] * 15
    frame.to_csv("t.csv", index=False)
    return frame


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def fine(*arguments, **options):
    result = run(*arguments, **options)
    assert result.exit_code == 0, result.output
    return result


def refused(*arguments, **options) -> str:
    result = run(*arguments, **options)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.stderr


# Formats ------------------------------------------------------------------------------------

WRITERS = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "t.parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "t.feather": lambda frame, path: frame.to_feather(path),
    "t.arrow": lambda frame, path: frame.to_feather(path),
    "t.xlsx": lambda frame, path: frame.to_excel(path, index=False, engine="xlsxwriter"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table(here, name):
    frame = frame_of()
    frame["colour"] = ["red", "blue", "green"] * 15
    WRITERS[name](frame, here / name)
    pd.testing.assert_frame_equal(read_table(name).frame, frame, check_dtype=False)


def test_an_arrow_stream_is_read(here):
    import pyarrow as pa

    data = pa.Table.from_pandas(frame_of(), preserve_index=False)
    with pa.OSFile("t.arrow", "wb") as sink, pa.ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data)
    pd.testing.assert_frame_equal(read_table("t.arrow").frame, frame_of())


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow", "t.xlsx"])
def test_standard_input_of_any_kind(here, name):
    WRITERS[name](frame_of(), here / name)
    command = [sys.executable, "-m", "weft", "cluster", "-", "--json", "--out", "o", *FAST]
    done = subprocess.run(command, input=(here / name).read_bytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"]["n_rows"] == 45


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.xlsx", "t.dat"])
def test_a_file_that_is_not_what_it_says_is_refused_in_one_sentence(here, name):
    Path(name).write_bytes(b"not at all " * 20)
    text = refused("cluster", name)
    assert text.startswith("weft: t.")
    assert len(text.strip().splitlines()) == 1


def test_two_columns_of_one_name_are_numbered(here):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"]), "t.parquet")
    raw = read_table("t.parquet")
    assert list(raw.frame.columns) == ["a", "a (2)"]
    assert "several columns are called 'a'" in raw.notes[0]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.parquet", "o.arrow", "o.xlsx"])
def test_what_is_written_is_read_again(here, name):
    write_table(name, {"row": [1, 2], "cluster": [0, -1]})
    assert read_table(name).frame.to_numpy().tolist() == [[1, 0], [2, -1]]
    assert os.listdir() == [name]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.xlsx"])
def test_no_text_in_a_spreadsheet_is_a_formula(here, name):
    write_table(name, {"=1+1": NASTY, "x": [-1.5] * 5})
    if name == "o.xlsx":
        import zipfile

        with zipfile.ZipFile(name) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert read_table(name).frame.iloc[:, 0].tolist() == NASTY
    else:
        text = Path(name).read_text(encoding="utf-8")
        assert "'=cmd" in text
        assert "'=1+1" in text
        assert all(not line.startswith(("=", '"=')) for line in text.splitlines())


def test_text_with_another_separator_is_quoted(here):
    """A spreadsheet that splits at semicolons must not find a formula behind one."""
    write_table("o.csv", {"name": ["x;=cmd|' /C calc'!A0"], "w": [1.0]})
    assert Path("o.csv").read_text() == "name,w\n\"x;=cmd|' /C calc'!A0\",1.0\n"


def test_nasty_names_through_the_whole_command_line(here):
    frame_of(NASTY).to_csv("t.csv", index=False)
    fine("cluster", "t.csv", "--out", "o", *FAST)
    features = Path("o/features.csv").read_text(encoding="utf-8")
    assert "'=cmd" in features
    found = pd.read_csv("o/features.csv")["name"].str.removeprefix("'")
    assert sorted(found) == sorted(NASTY)
    page = Path("o/report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert fine("predict", "o", "t.csv").stdout.startswith("row,cluster")
    assert "\u202e" not in fine("cluster", "t.csv", "--out", "p", *FAST).stdout


# predict, report ----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--method", "ik-means"], ["--method", "kernel-swarm"]])
def test_predict_labels_the_file_as_the_run_did(table, options):
    fast = FAST if "ik-means" not in options else []
    fine("cluster", "t.csv", "--out", "o", *options, *fast)
    result = fine("predict", "o/model.weft", "t.csv")
    written = pd.read_csv(io.StringIO(result.stdout))
    labels = pd.read_csv("o/labels.csv")["cluster"]
    assert written["cluster"].tolist() == labels.tolist()
    if "confidence" in written:  # methods that can tell
        assert written["confidence"].between(0.0, 1.0).all()
    fine("predict", "o", "t.csv", "--out", "p.parquet")
    assert pd.read_parquet("p.parquet")["cluster"].tolist() == labels.tolist()
    told = json.loads(fine("predict", "o", "t.csv", "--json").stdout)
    assert (told["n_rows"], told["labels"], told["warnings"]) == (45, labels.tolist(), [])


def test_predict_says_what_does_not_fit(table):
    fine("cluster", "t.csv", "--out", "o", *FAST)
    table.drop(columns=["b", "colour"]).to_csv("few.csv", index=False)
    assert "lacks columns 'b', 'colour'" in refused("predict", "o", "few.csv")
    odd = table.astype(object)
    odd.loc[3, "a"] = "oops"
    odd.to_csv("odd.csv", index=False)
    assert "'oops' in column 'a' on line 5" in refused("predict", "o", "odd.csv")
    odd.loc[3, "a"] = None
    odd.to_csv("gap.csv", index=False)
    assert "missing values" in refused("predict", "o", "gap.csv", "--missing", "error")
    filled = fine("predict", "o", "gap.csv").stdout.splitlines()
    assert filled[4].startswith("4,")
    assert filled[4].rstrip(",") != "4"
    labels = fine("predict", "o", "gap.csv", "--missing", "drop-rows").stdout.splitlines()
    assert labels[4].rstrip(",") == "4"
    assert "damaged" in refused("predict", "t.csv", "t.csv")
    assert "has no file model.weft" in refused("predict", ".", "t.csv")


def test_predict_keeps_identifiers_and_joins_the_table(table):
    table.insert(0, "customer_id", [f"c{i}" for i in range(45)])
    table.to_csv("t.csv", index=False)
    fine("cluster", "t.csv", "--out", "o", *FAST)
    labels = pd.read_csv("o/labels.csv")["cluster"].tolist()
    plain = pd.read_csv(io.StringIO(fine("predict", "o", "t.csv").stdout))
    soft = ["confidence", "outlier_score"]
    assert plain.columns.tolist() == ["row", "customer_id", "cluster", *soft]
    assert plain["customer_id"].tolist() == table["customer_id"].tolist()
    assert plain["cluster"].tolist() == labels
    fine("predict", "o", "t.csv", "--join", "--out", "joined.csv")
    joined = pd.read_csv("joined.csv")
    pd.testing.assert_frame_equal(joined.drop(columns=["cluster", *soft]), pd.read_csv("t.csv"))
    assert joined["cluster"].tolist() == labels
    # A table that has a column of that name keeps it.
    joined.to_csv("twice.csv", index=False)
    again = pd.read_csv(io.StringIO(fine("predict", "o", "twice.csv", "--join").stdout))
    assert again["cluster"].tolist() == again["cluster_weft"].tolist() == labels


def test_labels_have_the_identifiers_of_the_table(table):
    # Row 4 is left out of the fit but keeps its identifier, whose own value may be missing.
    names = [f"c{i}" for i in range(45)]
    table.insert(0, "customer_id", names)
    table.insert(1, "row", [f"r{i}" for i in range(45)])  # a name that weft uses itself
    table.loc[3, "a"] = None
    table.loc[7, "customer_id"] = None
    table.to_csv("t.csv", index=False)
    fine("cluster", "t.csv", "--out", "o", "--missing", "drop-rows", *FAST)
    labels = pd.read_csv("o/labels.csv")
    assert labels.columns.tolist() == ["row", "customer_id", "row_weft", "cluster"]
    assert labels["row"].tolist() == list(range(1, 46))
    assert labels["row_weft"].tolist() == [f"r{i}" for i in range(45)]
    assert labels["customer_id"].isna().tolist() == [i == 7 for i in range(45)]
    assert labels["customer_id"].dropna().tolist() == names[:7] + names[8:]
    assert labels["cluster"].isna().tolist() == [i == 3 for i in range(45)]


def test_runs_are_compared_by_their_identifiers(table):
    # The second table has the same rows in reverse order; only their identifiers show it.
    table.insert(0, "customer_id", [f"c{i}" for i in range(45)])
    table.to_csv("t.csv", index=False)
    table.iloc[::-1].to_csv("reversed.csv", index=False)
    wanted = ["--method", "wk-means", "--n-clusters", "3", "--seed", "0"]
    fine("cluster", "t.csv", "--out", "first", *wanted)
    fine("cluster", "reversed.csv", "--out", "second", *wanted)
    done = weft.compare("first", "second")
    left = pd.read_csv("first/labels.csv").set_index("customer_id")["cluster"]
    right = pd.read_csv("second/labels.csv").set_index("customer_id")["cluster"]
    assert done.rows == left.index.tolist()
    expected = adjusted_rand_score(left, right.loc[left.index])
    assert done.to_dict()["ari"] == pytest.approx(expected, abs=1e-4)


def test_predict_warns_of_what_the_fit_has_not_seen(table):
    fine("cluster", "t.csv", "--out", "o", *FAST)
    new = table.copy()
    new.loc[0, "colour"] = "turquoise"
    new.loc[1, "a"] = 1e6
    new.to_csv("new.csv", index=False)
    result = fine("predict", "o", "new.csv")
    told = " ".join(result.stderr.split())
    assert "not seen in the fit ('turquoise')" in told
    assert "'a' has 1 values far outside" in told
    warned = json.loads(fine("predict", "o", "new.csv", "--json").stdout)["warnings"]
    assert len(warned) == 2


def test_report_draws_the_kept_summary_and_new_ones(table):
    fine("cluster", "t.csv", "--out", "o", *FAST)
    before = Path("o/report.html").read_text(encoding="utf-8")
    fine("report", "o", "--out", "again.html")
    assert Path("again.html").read_text(encoding="utf-8") == before
    fine("report", "o/model.weft")
    assert Path("o/model.html").exists()
    fine("report", "o", "--data", "t.csv", "--stability", "1", "--out", "new.html")
    assert "repeated 1 time on" in Path("new.html").read_text(encoding="utf-8")
    assert "give --data" in refused("report", "o", "--stability", "1")
    model = weft.load("o/model.weft")
    assert model.report().html == before


# generate, choose, methods ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ellipsoids", "gaussians", "subspaces", "rings", "blobs"])
def test_generate_writes_tables_with_their_truth(here, kind):
    options = ["--rows", 80, "--clusters", 2, "--features", 20, "--seed", 3, "--noise", 2]
    fine("generate", kind, "--out", "g.csv", *options)
    frame = pd.read_csv("g.csv")
    assert frame.columns[-1] == "label"
    assert frame["label"].nunique() >= 2
    first = Path("g.csv").read_bytes()
    assert fine("generate", kind, *options).stdout_bytes == first  # the same through a pipe
    made = json.loads(fine("generate", kind, "--json", "--out", "h.csv", *options).stderr)
    assert len(made["noise"]) == 2 or kind == "subspaces"
    assert {*made["relevant"], *made["noise"], "label"} == set(frame.columns)


def test_generate_refuses_what_it_does_not_know(here):
    assert "choose one of ellipsoids" in refused("generate", "cubes")


def test_choose_counts_three(table):
    told = json.loads(fine("choose", "t.csv", "--json", "--drop", "colour").stdout)
    assert told["n_clusters"] == 3
    assert 0 < told["confidence"] <= 1
    assert "3 clusters" in fine("choose", "t.csv", "--drop", "colour").stdout


def test_the_number_is_chosen_where_a_method_needs_it(table):
    result = fine("cluster", "t.csv", "--method", "ewkm", "--drop", "colour", "--json")
    assert json.loads(result.stdout)["result"]["n_clusters"] == 3
    assert "the estimate is 3 " in result.stderr
    result = fine("cluster", "t.csv", "--n-clusters", "auto", "--clusterer", "linkage", "--force")
    assert "the estimate is " in result.stderr
    assert "neither a number nor" in refused(
        "cluster", "t.csv", "--n-clusters", "x", "--clusterer", "linkage", "--force"
    )


def test_methods_lists_every_estimator_and_its_paper():
    shown = fine("methods").stdout
    told = json.loads(fine("methods", "--json").stdout)
    for method in METHODS:
        assert method.name in shown
    assert [entry["name"] for entry in told] == [method.name for method in METHODS]
    assert all(entry["paper"] in PAPERS.values() for entry in told)
    assert "Minkowski" in fine("methods", "imwk-means").stdout
    assert "did you mean 'ewkm'" in refused("methods", "ewkn")


def test_no_public_estimator_lacks_a_method():
    known = {method.estimator for method in METHODS if method.estimator[0].isupper()}
    preparing = {"RangeScaler", "TablePreparer", "CountNormalizer"}  # they come before a method
    public = {name for name in weft._PUBLIC if name[0].isupper()} - preparing
    assert known == public
    assert len({method.name for method in METHODS}) == len(METHODS)
    assert {method.paper for method in METHODS} == set(PAPERS)


def test_methods_shows_the_call_its_status_and_the_parts_of_a_search():
    shown = fine("methods").stdout
    for option, registry in (
        ("clusterer", CLUSTERERS),
        ("criterion", CRITERIA),
        ("swarm", SWARMS),
    ):
        assert f"--{option} of PSO-FSW: {', '.join(registry)}" in " ".join(shown.split())
    printed = " ".join(fine("methods", "psovw").stdout.split())
    assert "n_evaluations=5000, patience=None, polish=False" in printed
    assert "swarm=SwarmSettings(init='random', weight_init='uniform', bounds='neglect')" in printed
    assert "from weft.methods.projected.settings import SwarmSettings" in printed
    assert "follows the paper exactly" in printed
    assert "weft's own rule" in " ".join(fine("methods", "kernel-mepso").stdout.split())
    assert "--method" not in fine("methods", "k-est-means").stdout


PLAIN = [m for m in METHODS if m.estimator[0].isupper() and not m.answer]


@pytest.mark.parametrize("method", PLAIN, ids=lambda method: method.name)
def test_every_method_runs_as_its_call_says(method, quick, three_groups):
    # As long as a quick search is, not as printed.
    budget = ("n_generations", "n_evaluations", "n_init")
    model = quick(method.estimator, **{k: v for k, v in method.params.items() if k not in budget})
    names = {"weft": weft}
    exec("\n".join(method.imports), names)
    given = eval(f"weft.{method.call}", names).get_params()
    assert {key: given[key] for key in method.params} == method.params
    import warnings

    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        model.fit(three_groups)
    assert find_method(method.title.upper()) == method


@pytest.mark.parametrize("method", ["imwk-means", "projected-swarm", "2-stage", "dcpso", "gcuk"])
def test_methods_from_the_command_line(table, method):
    options = ["--drop", "colour", "--json", "--method", method]
    if method not in ("imwk-means", "projected-swarm"):
        options += FAST
    if method == "projected-swarm":
        options += ["--param", "n_evaluations=20", "--n-clusters", 3]
    summary = json.loads(fine("cluster", "t.csv", *options).stdout)
    assert summary["settings"]["method"] == find_method(method).estimator
    assert summary["result"]["n_clusters"] >= 2


def test_settings_within_a_parameter_are_typed_with_a_dot(table):
    options = ["--drop", "colour", "--json", "--method", "pso-fsw", "--swarm", "standard", *FAST]
    settings = ["clusterer.n_neighbors=4", "swarm.inertia=0.5", "criterion.silhouette=full"]
    typed = [word for setting in settings for word in ("--param", setting)]
    told = json.loads(fine("cluster", "t.csv", *options, *typed).stdout)["settings"]
    assert told["clusterer"] == "KNNGraph(n_neighbors=4)"
    assert told["swarm"] == "StandardPSO(inertia=0.5)"
    assert told["criterion"] == "CSC(silhouette='full')"


def test_old_names_of_parameters_still_work(table):
    options = ["--drop", "colour", "--json", "--method", "pso-fsw", *FAST]
    result = fine("cluster", "t.csv", *options, "--param", "inertia=0.6")
    assert json.loads(result.stdout)["settings"]["swarm"] == "PSO(inertia=0.6)"


def test_options_that_a_method_does_not_have_are_refused(table):
    text = refused("cluster", "t.csv", "--method", "ewkm", "--generations", 3, "--n-clusters", 3)
    assert "--generations is not an option of EWKM" in text
    assert "not a NAME=VALUE of AutoCluster" in refused("cluster", "t.csv", "--param", "colour=1")
    swarm = ["--method", "pso-fsw", "--param"]
    assert "PSO has no setting 'speed'" in refused("cluster", "t.csv", *swarm, "swarm.speed=1")
    assert "is not a NAME=VALUE of PSO-FSW" in refused("cluster", "t.csv", *swarm, "patience.x=1")
    assert "is not a NAME=VALUE of PSO-FSW" in refused("cluster", "t.csv", *swarm, "verbose=1")
    assert "--swarm='ants' is not known" in refused("cluster", "t.csv", "--swarm", "ants")
    assert "needs more than a table" in refused("cluster", "t.csv", "--method", "cop-kmeans")
    assert "did you mean" in refused("cluster", "t.csv", "--method", "psofsw")
    assert not Path("t-weft").exists()


@pytest.mark.parametrize(
    ("method", "setting", "words"),
    [
        ("pso-fsw", "clusterer_params=3", "clusterer_params=3 must be None or a dict of settings."),
        ("pso-fsw", "swarm=3", "--swarm=3 must be"),
        ("kernel-swarm", "kernel.params=3", "params=3 must be a dict of the kernel's parameters."),
        ("auto", "n_jobs=2.5", "n_jobs=2.5 must be None, or an integer"),
    ],
)
def test_a_parameter_of_the_wrong_type_is_one_sentence(table, method, setting, words):
    assert words in refused("cluster", "t.csv", "--method", method, "--param", setting)


@pytest.mark.parametrize("value", ["[" * 100_000, "1" * 5000, "x" * 5000])
def test_long_values_of_parameters_are_cut_in_the_sentence(table, value):
    for option in ("--param", f"n_resamples={value}"), ("--n-clusters", value):
        text = refused("cluster", "t.csv", *option)
        assert "…" in text
        assert len(text) < 1000
    assert len(refused("cluster", "t.csv", "--param", f"{value}=3")) < 1000


def test_a_mistake_in_weft_is_not_blamed_on_the_user(table, monkeypatch):
    # The error of an operator has no sentence for the user: its traceback stays.
    monkeypatch.setattr("weft.cli.fitting._literal", lambda text: text + 1)
    result = run("cluster", "t.csv", "--param", "n_resamples=0")
    assert isinstance(result.exception, TypeError)
    assert result.exit_code == 1


# Configs ------------------------------------------------------------------------------------


def test_a_config_reproduces_a_run(table):
    options = ["--method", "pso-fswe", "--seed", 7, "--drop", "c", "--param", "swarm.inertia=0.6"]
    fine("cluster", "t.csv", "--out", "one", "--scale", "range", *options, *FAST)
    fine("cluster", "--config", "one/run.toml", "--out", "two")
    for name in ("labels.csv", "features.csv", "run.toml"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()
    written = tomllib.loads(Path("one/run.toml").read_text())
    assert written["cluster"]["param"] == ["swarm.inertia=0.6"]
    assert len(written["input"]["sha256"]) == 64
    # What is typed goes before the file.
    told = fine("cluster", "--config", "one/run.toml", "--out", "x", "--seed", "8", "--json")
    assert json.loads(told.stdout)["settings"]["seed"] == 8
    table.iloc[::-1].to_csv("t.csv", index=False)
    assert "has changed since" in fine("cluster", "--config", "one/run.toml", "--out", "y").stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[cluster\n", "is not valid TOML"),
        ("[cluster]\ncolour = 1\n", "'colour', which is not an option"),
        ('[cluster]\nfile = "t.csv"\nseed = {}\n', "a table 'seed'"),
        ('[cluster]\nfile = "t.csv"\nseed = "x"\n', ""),
        ('[cluster]\nfile = "nothing.csv"\n', "no file 'nothing.csv'"),
        ("cluster = 3\n", "a value for 'cluster' where a table is expected."),
        ('input = 3\n[cluster]\nfile = "t.csv"\n', "a value for 'input' where a table"),
        (f"seed = {'1' * 5000}\n", "an integer that is too long; fix the file."),
    ],
)
def test_bad_configs_are_refused(table, text, words):
    Path("c.toml").write_text(text)
    assert words in refused("cluster", "--config", "c.toml")
    assert "no file" in refused("cluster", "--config", "none.toml")


def test_any_text_survives_a_config(tmp_path):
    text = ['a"b\\c\n\t\x7f\x01', *NASTY]
    write_config(tmp_path / "c.toml", {"drop": text, "seed": 3, "force": True}, sha256=None)
    assert tomllib.loads((tmp_path / "c.toml").read_text())["cluster"]["drop"] == text


# Completion, exit codes ---------------------------------------------------------------------


def test_shell_completion_knows_commands_and_methods():
    environment = {**os.environ, "_WEFT_COMPLETE": "complete_bash"}
    for line, words in (
        ("weft ", "predict"),
        ("weft cluster --method imw", "imwk-means"),
        ("weft cluster --clusterer l", "linkage"),
        ("weft cluster --criterion ro", "robust"),
        ("weft cluster --swarm bi", "binary"),
        ("weft generate dish", "dish-shell"),
    ):
        asked = {**environment, "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        done = subprocess.run(
            [str(Path(sys.executable).parent / "weft")], env=asked, capture_output=True, text=True
        )
        assert words in done.stdout
    assert "--install-completion" in fine("--help").stdout


def test_exit_codes_are_documented():
    shown = " ".join(fine("--help").stdout.split())
    assert "130 stopped with Ctrl-C" in shown
    # Once is enough: the help of a command speaks of that command.
    assert "Ctrl-C" not in fine("predict", "--help").stdout


def test_a_fault_in_weft_is_not_blamed_on_the_input(table, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr("weft.io.prepare_table", broken)
    result = run("cluster", "t.csv")
    assert result.exit_code == 1
    assert isinstance(result.exception, RuntimeError)


def test_stability_is_told(table):
    result = fine("cluster", "t.csv", "--method", "ik-means", "--n-clusters", 3, "--stability", 2)
    assert "Repeated 2 times" in result.stdout


def test_stdin_that_is_a_terminal_is_refused(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(InputError, match="nothing is piped in"):
        read_table("-")


def test_a_table_of_genes_in_rows_is_turned_for_the_fit_and_for_new_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1], 12)
    values = rng.normal(size=(24, 30)) + 8.0 * kinds[:, None] * (np.arange(30) < 10)
    samples = pd.DataFrame(values.T, columns=[f"patient {j}" for j in range(24)])
    samples.insert(0, "gene", [f"G{j}" for j in range(30)])
    samples.to_csv("genes.csv", index=False)
    options = ["--method", "wk-means", "--n-clusters", "2", "--transpose"]
    done = CliRunner().invoke(app, ["cluster", "genes.csv", "--out", "out", *options])
    assert done.exit_code == 0, done.output
    again = CliRunner().invoke(app, ["predict", "out", "genes.csv", "--transpose"])
    assert again.exit_code == 0, again.output
    found = pd.read_csv(io.StringIO(again.stdout))["cluster"]
    labels = pd.read_csv("out/labels.csv")
    assert found.tolist() == labels["cluster"].tolist()
    assert labels["sample"].tolist() == [f"patient {j}" for j in range(24)]
    straight = CliRunner().invoke(app, ["predict", "out", "genes.csv"])
    assert straight.exit_code == 2


def test_rules_of_the_report_are_in_the_units_of_the_file(tmp_path, monkeypatch):
    # Two groups at 1,000 and 2,000: a rule has a limit between them, not one of scaled values.
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    values = 1000.0 + 1000.0 * np.repeat([0, 1], 40)[:, None] + 50.0 * rng.normal(size=(80, 4))
    pd.DataFrame(values, columns=list("abcd")).to_csv("t.csv", index=False)
    done = CliRunner().invoke(app, ["cluster", "t.csv", "--out", "out", "--seed", "0"])
    assert done.exit_code == 0, done.output
    clusters = json.loads(Path("out/summary.json").read_text())["clusters"]
    limits = [
        float(condition.split()[-1].replace(",", ""))
        for entry in clusters
        for condition in entry["rule"]["conditions"]
    ]
    assert len(limits) >= 2
    assert all(1200 < limit < 1800 for limit in limits)


def test_predictions_are_printed_and_written(table):
    fine("cluster", "t.csv", "--method", "k-means", "--n-clusters", 3, "--out", "o", "-q")
    told = json.loads(fine("predict", "o", "t.csv", "--json", "--join", "--out", "p.csv").stdout)
    written = pd.read_csv("p.csv")
    assert written["cluster"].tolist() == told["labels"]
    assert list(written)[:4] == ["a", "b", "c", "colour"]  # --join holds for the file


def test_a_report_of_a_table_names_the_rows_of_its_file(here):
    # The third of 45 rows has a gap and is left out: the fourth is the next in the report.
    frame = frame_of()
    frame.loc[2, "a"] = np.nan
    frame.to_csv("t.csv", index=False)
    options = ("--method", "k-means", "--n-clusters", 3, "--missing", "drop-rows", "-q")
    fine("cluster", "t.csv", "--out", "o", *options)
    fine("report", "o", "--data", "t.csv", "--out", "r.html")
    page = Path("r.html").read_text(encoding="utf-8")
    summary = json.loads(page.split('id="summary">')[1].split("</script>")[0])
    assert summary["rows"]["row"] == [1, 2, *range(4, 46)]
    assert (summary["data"]["name"], summary["data"]["n_rows"]) == ("t.csv", 45)
