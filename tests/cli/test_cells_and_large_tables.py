"""Files of cells, and large tables in parts: each step with a model whose answers are known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import dask
import numpy as np
import pandas as pd
import pytest
import typer
from tests.refusals import refusal

from weft.cli import single_cell, streaming
from weft.tables.parquet_parts import Part

# Files of cells -----------------------------------------------------------------------------------


class Cells:
    def __init__(self, genes=("g", "h", "i")):
        self.var_names, self.obs_names = list(genes), ["a", "b"]
        self.n_obs, self.n_vars = 2, len(self.var_names)

    def __getitem__(self, key):
        assert key[0] == slice(None)
        return Cells(key[1])


@pytest.fixture
def cells(monkeypatch):
    table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    monkeypatch.setattr(single_cell, "read_cells", lambda file: Cells())
    monkeypatch.setattr(
        single_cell.sc, "table_of", lambda adata, *_: (table[:, : adata.n_vars], None)
    )
    monkeypatch.setattr(
        single_cell.sc, "cell_confidences", lambda model, table: np.array([0.12345678, 1.0])
    )
    return table


def model_of_cells(genes=("h", "g")):
    return SimpleNamespace(
        feature_names_in_=np.array(genes), membership=None, labels_=np.array([1, 0]),
        feature_weights_=np.array([0.0, 2.0, 1.0]), predict=lambda table: np.array([1, 0]),
    )  # fmt: skip


def test_names_of_files_of_cells(tmp_path, monkeypatch):
    assert single_cell.is_cells(Path("a.H5AD"))
    assert not single_cell.is_cells(Path("a.csv"))
    file = tmp_path / "c.h5ad"
    library = SimpleNamespace(read_h5ad=lambda path: f"read {path.name}")
    monkeypatch.setitem(sys.modules, "anndata", library)
    assert refusal(single_cell.read_cells, file) == (
        f"there is no file {str(file)!r}; check its name."
    )
    file.write_text("")
    assert single_cell.read_cells(file) == "read c.h5ad"
    for error, words in ((KeyError("a\n b"), "'a\\n b'"), (KeyError(), "KeyError"),
                         (ValueError("x" * 200), "x" * 160)):  # fmt: skip

        def fail(path, error=error):
            raise error

        library.read_h5ad = fail
        assert refusal(single_cell.read_cells, file) == (
            f"c.h5ad cannot be read as h5ad ({words}); fix the file."
        )


def test_clusters_of_new_cells(cells):
    names, columns = single_cell.label_cells(model_of_cells(), Path("c.h5ad"))
    assert names == ["a", "b"]
    assert columns == {"cluster": [1, 0], "confidence": [0.123457, 1.0]}
    for model in (SimpleNamespace(membership=None), SimpleNamespace(feature_names_in_=["g"])):
        assert refusal(single_cell.label_cells, model, Path("c.h5ad")) == (
            "the model was not fitted by weft cluster on a .h5ad file; give a model that was."
        )
    many = model_of_cells(("g", "p", "q", "r", "s"))
    assert refusal(single_cell.label_cells, many, Path("c.h5ad")) == (
        "c.h5ad lacks 4 of the 5 genes of the model ('p', 'q', 'r'); give a file with all of them."
    )


def test_files_of_clustered_cells(cells, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(single_cell, "write_answer", lambda *arguments: asked.append(arguments))
    model, genes = model_of_cells(), ["g", "h", "i"]
    single_cell._write(tmp_path, cells, ["a", "b"], genes, model, {"s": 1})
    assert (tmp_path / "labels.csv").read_text() == (
        "cell,cluster,confidence\na,1,0.123457\nb,0,1.0\n"
    )
    assert (tmp_path / "features.csv").read_text() == (
        "name,weight,selected\nh,2.0,true\ni,1.0,true\ng,0.0,false\n"
    )
    assert asked == [(tmp_path, model, {"s": 1}, cells, genes, None)]
    assert model.feature_names_in_.tolist() == genes


@pytest.mark.parametrize(("signal", "as_json", "quiet"), [(0, False, False), (2, True, False),
                                                         (0, False, True)])  # fmt: skip
def test_cells_are_clustered_step_by_step(
    cells, tmp_path, monkeypatch, capsys, signal, as_json, quiet
):
    model, told = model_of_cells(), {}
    clock = iter([10.0, 11.0, 14.0])
    monkeypatch.setattr(single_cell, "time", SimpleNamespace(perf_counter=lambda: next(clock)))

    def fit_model(table, method, settings, callbacks, resume, *, show_progress):
        told.update(settings=settings, progress=show_progress, resume=resume, name=method.name)
        return model, ["w"], signal

    def summarize(made, rows, **options):
        assert made is model
        told.update(options)
        return {"warnings": ["w", "more"]}

    def write_folder(folder, write, *, force):
        told["force"] = force
        write(tmp_path)

    monkeypatch.setattr(single_cell, "fit_model", fit_model)
    monkeypatch.setattr(single_cell, "summarize", summarize)
    monkeypatch.setattr(single_cell, "write_folder", write_folder)
    monkeypatch.setattr(single_cell, "write_answer", lambda *_: None)
    monkeypatch.setattr(single_cell, "show_result", lambda summary, out: out.print("result"))
    options = {"given": {"random_state": 3}, "extra": ["n_resamples=0"], "force": True}

    def start():
        single_cell.cluster_cells(
            Path("[b]c.h5ad"), Path("o"), **options, as_json=as_json, quiet=quiet
        )

    if signal:
        with pytest.raises(typer.Exit) as ended:
            start()
        assert ended.value.exit_code == 130
    else:
        start()
    assert told == {
        "settings": {"random_state": 3, "n_resamples": 0}, "progress": not quiet, "resume": None,
        "name": "auto", "force": True, "feature_names": ["g", "h", "i"], "row_names": ["a", "b"],
        "seconds": {"read": 1.0, "fit": 3.0},
        "table": {
            "data": {"name": "[b]c.h5ad", "n_columns": 3, "method": "AutoCluster"},
            "warnings": ["w"],
        },
    }  # fmt: skip
    out, err = capsys.readouterr()
    assert [line for line in err.split("\n") if line] == (
        [] if quiet else ["note: w", "note: more"]
    )
    if as_json:
        assert json.loads(out) == {"warnings": ["w", "more"]}
    elif quiet:
        assert out == ""
    else:
        assert out.split("\n")[:2] == ["[b]c.h5ad: 2 cells, 3 genes", "result"]
        assert f"Wrote {', '.join(single_cell.FILES)}" in " ".join(out.split())
        assert "HTML report: o/report.html" in out


# Large tables -------------------------------------------------------------------------------------


def part(number, n_rows):
    return Part(f"p{number}.parquet", (number,), n_rows, ("a",))


def test_which_files_are_read_in_parts(tmp_path, monkeypatch):
    pd.DataFrame({"a": [1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    file = tmp_path / "t.parquet"
    assert [each.n_rows for each in streaming.large_parts(tmp_path)] == [2]
    assert streaming.large_parts(file) == []
    assert streaming.large_parts(tmp_path / "none.csv") == []
    size = streaming.unpacked_bytes([file])
    monkeypatch.setattr(streaming, "STREAM_BYTES", size)
    assert streaming.large_parts(file) == []
    monkeypatch.setattr(streaming, "STREAM_BYTES", size - 1)
    assert len(streaming.large_parts(file)) == 1


def test_the_sample_of_a_large_table(monkeypatch):
    asked = []

    def gather(parts, lengths, places):
        asked.append((parts, lengths, list(places)))
        return pd.DataFrame({"a": [1, 2]})

    monkeypatch.setattr(streaming, "gather", gather)
    monkeypatch.setattr(streaming, "sampled_places", lambda n: range(0, n, 1000))
    parts = [part(0, 1000), part(1, 1500)]
    raw = streaming.read_sample(parts, Path("x/t.parquet"))
    assert asked == [(parts, [1000, 1500], [0, 1000, 2000])]
    assert raw.name == "t.parquet"
    assert raw.notes == ("clusters were searched on 2 of 2,500 rows; all rows get a label.",)


MODEL = SimpleNamespace(
    _fit_anchors=np.zeros(2), _fit_anchor_labels=np.zeros(2, int), feature_weights_=np.ones(1),
    feature_scales_=np.ones(1),
)  # fmt: skip


def test_rare_clusters_are_looked_for_if_the_sample_is_whole(monkeypatch):
    asked = []
    monkeypatch.setattr(streaming, "sampled_places", lambda n: list(range(n)))
    monkeypatch.setattr(streaming.LightModel, "of", lambda model: SimpleNamespace(model=model))
    monkeypatch.setattr(streaming, "on_one_total", lambda model, rows: rows * 2.0)
    monkeypatch.setattr(
        streaming, "look_for_rare",
        lambda model, rows, places, lazy: asked.append((rows.tolist(), places, lazy)),
    )  # fmt: skip
    stream = streaming.Streamed([part(0, 1), part(1, 1)])
    stream.look_again(MODEL, "plan", pd.DataFrame({"a": [1.0]}))
    assert asked == []
    stream.look_again(MODEL, "plan", pd.DataFrame({"a": [1.0, 3.0]}))
    assert [each[:2] for each in asked] == [([[2.0], [6.0]], [0, 1])]


@pytest.fixture
def labelled(monkeypatch):
    """Parts whose rows are labelled by the first row of the part; row 1 of each is left out."""
    read = []

    def apply_recipe(raw, plan, missing=None):
        rows = np.delete(np.arange(len(raw.frame)), 1)[: len(raw.frame)]
        rows = rows if plan != "none" else rows[:0]
        read.append((raw.name, plan, missing))
        return SimpleNamespace(X=np.full((len(rows), 1), 5.0), rows=rows, n_rows=len(raw.frame))

    monkeypatch.setattr(streaming.LightModel, "of", lambda model: SimpleNamespace(model=model))
    monkeypatch.setattr(streaming, "on_one_total", lambda model, rows: rows)
    monkeypatch.setattr(streaming, "apply_recipe", apply_recipe)
    monkeypatch.setattr(
        streaming, "read_part", lambda part: pd.DataFrame({"a": np.zeros(part.n_rows)})
    )
    monkeypatch.setattr(
        streaming, "answers_of_rows",
        lambda model, rows: (np.full(len(rows), 7), np.full(len(rows), 0.5)),
    )  # fmt: skip
    with dask.config.set(scheduler="synchronous"):
        yield read


def test_labels_of_all_parts(labelled, tmp_path):
    parts, folder = [part(0, 3), part(1, 2)], tmp_path / "deep" / "labels"
    made = streaming.write_labels(MODEL, "plan", parts, folder, "median")
    assert made == {"files": 2, "written": 2, "rows": 5}
    assert sorted(labelled) == [(f"p{k}.parquet", "plan", "median") for k in (0, 1)]
    first, second = (pd.read_parquet(folder / f"part-0000{k}.parquet") for k in (0, 1))
    assert first.dtypes.astype(str).tolist() == ["int64", "int32", "float32"]
    assert (first["row"].tolist(), first["cluster"].tolist()) == ([1, 2, 3], [7, -1, 7])
    np.testing.assert_array_equal(first["confidence"], [0.5, np.nan, 0.5])
    assert (second["row"].tolist(), second["cluster"].tolist()) == ([4, 5], [7, -1])
    # What is complete stays; another model, other parts or other options begin again.
    assert streaming.write_labels(MODEL, "plan", parts, folder, "median")["written"] == 0
    assert streaming.write_labels(MODEL, "plan", parts, folder)["written"] == 2
    (folder / "part-00001.parquet").unlink()
    stream = streaming.Streamed(parts)
    assert stream.write(MODEL, "plan", folder.parent) == (
        f"Labels of 5 rows: {folder}, 2 files (1 of them were complete already)"
    )
    other = SimpleNamespace(**{**vars(MODEL), "feature_weights_": np.full(1, 2.0)})
    assert streaming.Streamed(parts).write(other, "plan", folder.parent) == (
        f"Labels of 5 rows: {folder}, 2 files"
    )
    one = streaming.write_labels(other, "none", parts[:1], folder)
    assert one == {"files": 1, "written": 1, "rows": 3}
    assert [path.name for path in sorted(folder.glob("part*"))] == ["part-00000.parquet"]
    assert pd.read_parquet(folder / "part-00000.parquet")["cluster"].tolist() == [-1] * 3


def test_one_process_keeps_the_scheduler_of_dask():
    with dask.config.set(scheduler="threads"), streaming.processes(1):
        assert dask.config.get("scheduler") == "threads"
