"""Folders and models out: nothing half-written, and files that run no code."""

from __future__ import annotations

import csv
import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import weft
from weft import FeatureSwarm
from weft.io import (
    InputError,
    check_folder,
    load_model,
    read_model,
    save_model,
    write_folder,
)
from weft.search.clusterers import DBSCAN
from weft.search.criteria import CSC
from weft.tables.folders import write_csv

# Folders ------------------------------------------------------------------------------------


def test_a_failed_write_leaves_nothing(tmp_path):
    def write(draft: Path) -> None:
        (draft / "half").write_text("x")
        raise RuntimeError("in the middle")

    for folder in (tmp_path / "new", tmp_path):
        with pytest.raises(RuntimeError):
            write_folder(folder, write)
    assert list(tmp_path.iterdir()) == []


def test_other_files_in_the_folder_are_kept(tmp_path):
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "a").write_text("old")
    write_folder(tmp_path, lambda draft: (draft / "a").write_text("new") and None)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "mine": "precious",
        "a": "new",
    }


def test_folder_is_checked_before_the_work(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="--force"):
        check_folder(tmp_path)
    assert check_folder(tmp_path, force=True) == tmp_path
    with pytest.raises(InputError, match="is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        check_folder(tmp_path / "file" / "below")
    assert check_folder(tmp_path / "new" / "deep") == tmp_path / "new" / "deep"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file"]


def test_no_cell_of_a_csv_starts_a_formula(tmp_path):
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\tx", "fine"]
    write_csv(tmp_path / "f.csv", ["name", "weight"], [[name, -1.5] for name in names])
    with (tmp_path / "f.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert [row[0] for row in rows] == [*("'" + name for name in names[:-1]), "fine"]
    assert all(row[1] == "-1.5" for row in rows)  # numbers stay numbers


# Models -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 4)), columns=["a", "=b", "<c>", "ü🎈"])
    frame.iloc[20:, :2] += 6
    return frame


@pytest.fixture(scope="module")
def model(data):
    return FeatureSwarm(n_particles=6, n_generations=3, random_state=0).fit(data)


RECIPE = {
    "columns": [
        {"name": "a", "kind": "numeric", "fill": 0.5},
        {"name": "=b", "kind": "boolean", "fill": 1.0},
        {"name": "<c>", "kind": "categorical", "values": ["x", "(missing)"]},
    ],
    "missing": "median",
    "scale": {"method": "standard", "center": [0.0] * 4, "scale": [1.0, 2.0, 1.0, 0.5]},
}


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "m.weft"
    save_model(model, path, table=RECIPE)
    return path


def same(a, b) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"exponents": True},
        {"swarm": "binary"},
        {"clusterer": "linkage", "n_clusters": 3},
        {"clusterer": DBSCAN(eps=2.0, min_samples=3), "criterion": CSC(n_neighbors=3)},
        {"clusterer": "affinity"},
        {"init": np.linspace(-1, 1, 24).reshape(6, 4)},
    ],
)
def test_a_model_comes_back_whole(data, tmp_path, options):
    model = FeatureSwarm(n_particles=6, n_generations=2, random_state=3, **options).fit(data)
    save_model(model, tmp_path / "m.weft")
    back = load_model(tmp_path / "m.weft")
    assert type(back) is FeatureSwarm
    assert same(back.get_params(), model.get_params())
    fitted = {k: v for k, v in vars(model).items() if k not in model.get_params()}
    assert same({key: vars(back)[key] for key in fitted}, fitted)
    new = data + 0.1
    np.testing.assert_array_equal(back.predict(new), model.predict(new))
    np.testing.assert_array_equal(back.transform(new), model.transform(new))
    assert back.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()


def test_a_model_without_names_comes_back(tmp_path):
    X = np.random.default_rng(1).normal(size=(20, 3))
    save_model(FeatureSwarm(n_generations=1, random_state=0).fit(X), tmp_path / "m")
    assert load_model(tmp_path / "m").predict(X).shape == (20,)


def test_same_model_same_bytes_and_no_draft_left(model, saved, tmp_path):
    first = saved.read_bytes()
    save_model(model, saved, table=RECIPE)
    assert saved.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["m.weft"]


def test_the_table_recipe_travels_with_the_model(saved):
    held = read_model(saved)
    assert held.table == RECIPE
    assert held.weft_version == weft.__version__


def test_objects_that_only_matter_in_fit_are_dropped(data, tmp_path):
    model = FeatureSwarm(
        n_generations=1, callbacks=[lambda generation: None], random_state=np.random.RandomState(0)
    ).fit(data)
    save_model(model, tmp_path / "m")
    back = load_model(tmp_path / "m")
    assert back.callbacks is None
    assert back.random_state is None


def test_what_cannot_be_saved_says_so_and_leaves_the_old_file(data, saved, tmp_path):
    before = saved.read_bytes()
    model = FeatureSwarm(n_generations=1, criterion=lambda X, labels: 1.0, random_state=0).fit(data)
    with pytest.raises(ValueError, match="parameter 'criterion' is a function"):
        save_model(model, saved)
    with pytest.raises(ValueError, match="not fitted"):
        save_model(FeatureSwarm(), saved)
    with pytest.raises(ValueError, match="a dict cannot be saved"):
        save_model({}, saved)
    assert saved.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def rewrite(path: Path, change, *, resum: bool = True, compress: int = zipfile.ZIP_STORED) -> Path:
    """Change members of a model file, with checksums that fit again."""
    import hashlib

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    old = members.pop("checksums.json")
    change(members)
    members["checksums.json"] = old
    if resum:
        del members["checksums.json"]
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
        members["checksums.json"] = json.dumps(sums).encode()
    with zipfile.ZipFile(path, "w", compress) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def change_json(**changes):
    def change(members):
        content = json.loads(members["model.json"])
        content.update(changes)
        members["model.json"] = json.dumps(content).encode()

    return change


def with_array(content: bytes):
    def change(members):
        members["arrays/0.npy"] = content

    return change


def npy(array, **options) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def one_array_more(members):
    members[f"arrays/{len(members) - 1}.npy"] = npy(np.zeros(3))


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('code was run')",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_json(format=99), "format 99"),
        (change_json(format="1"), "which format"),
        (change_json(**{"class": "Popen"}), "'Popen'"),
        (change_json(**{"class": ["FeatureSwarm"]}), "allowed are "),
        (change_json(params={"colour": 1}), "no parameter 'colour'"),
        (change_json(attributes={"__class__": 1}), "'__class__'"),
        (change_json(attributes={"fit": 1}), "'fit'"),
        (change_json(attributes={"labels_": {"$array": 999}}), "'$array' in a form"),
        (change_json(attributes={"x_": {"$record": "Popen", "fields": {}}}), "'Popen'"),
        (change_json(attributes={"x_": {"$new": 1}}), "'$new' in a form"),
        (change_json(attributes={}), "lacks the attribute 'n_features_in_'"),
        (change_json(summary=[1]), "its summary"),
        (change_json(summary={"schema": 2}), "its summary lacks"),
        (change_json(table={"columns": []}), "its table recipe lacks"),
        (change_json(table={**RECIPE, "columns": []}), "makes 0 features"),
        (change_json(attributes=[1, 2]), "not a dict"),
        (change_json(colour=1), "unknown entry 'colour'"),
        (lambda members: members.update({"model.json": b"[" * 100_000}), "damaged"),
        (lambda members: members.update({"model.json": b"\xff\xfe"}), "damaged"),
        (lambda members: members.update({"model.json": b"[]"}), "not a weft model"),
        (lambda members: members.update({"arrays/77.npy": b"x"}), "damaged"),
        (one_array_more, "exactly once"),
        (lambda members: members.pop("model.json"), "lacks model.json"),
        (with_array(npy(np.array([Bomb()], dtype=object), allow_pickle=True)), "size or type"),
        (with_array(pickle.dumps(Bomb())), "damaged"),
        (with_array(npy(np.zeros(3)).replace(b"(3,)", b"(9,)")), "size or type"),
        (with_array(npy(np.zeros(3))[:-1]), "size or type"),
        (with_array(npy(np.zeros(3, dtype=[("a", "f8")]))), "size or type"),
    ],
)
def test_files_made_to_harm_are_refused_in_one_sentence(saved, change, words):
    rewrite(saved, change)
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are checked below
        load_model(saved)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


def test_changed_content_is_noticed(saved):
    rewrite(saved, change_json(weft="9"), resum=False)
    with pytest.raises(ValueError, match=r"model.json was changed or damaged"):
        load_model(saved)


def test_a_compressed_file_is_refused(saved):
    rewrite(saved, lambda members: None, compress=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="compressed"):
        load_model(saved)


def test_no_file_and_other_files(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        load_model(tmp_path / "nothing.weft")
    with pytest.raises(ValueError, match="cannot be read"):
        load_model(tmp_path)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="is damaged, or is not a weft model"):
        load_model(tmp_path / "text")
