"""Tables in, models out: decisions about columns, one-sentence errors, files that run no code."""

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
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import FeatureSwarm
from weft.io import (
    InputError,
    RawTable,
    check_folder,
    encode,
    load_model,
    prepare_table,
    read_csv,
    read_model,
    read_table,
    save_model,
    write_folder,
)
from weft.io.folders import write_csv


def table_of(frame: dict | pd.DataFrame, **options):
    return prepare_table(RawTable(frame=pd.DataFrame(frame), name="t.csv"), **options)


def kinds(table) -> dict[str, str]:
    return {decision.name: decision.kind for decision in table.decisions}


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    return {"x": rng.normal(size=24), "y": rng.normal(size=24)}


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes, name: str = "t.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# Reading ------------------------------------------------------------------------------------


def test_plain_file_is_read_exactly(write):
    raw = read_csv(write("a,b\n0.1,1e-300\n0.30000000000000004,2\n"))
    assert raw.frame["a"].tolist() == [0.1, 0.30000000000000004]
    assert raw.frame["b"].tolist() == [1e-300, 2.0]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separator_is_found_from_the_header(write, separator):
    raw = read_csv(write(f"a{separator}b\n1{separator}2\n3{separator}4\n"))
    assert raw.frame.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_comma_inside_a_quoted_name_is_no_separator(write):
    assert list(read_csv(write('"a, b, c";d\n1;2\n3;4\n')).frame.columns) == ["a, b, c", "d"]


def test_spreadsheet_with_decimal_commas(write):
    assert read_csv(write("a;b\n1,5;2\n-2,25;4\n")).frame["a"].tolist() == [1.5, -2.25]


def test_byte_order_mark_and_spaces_do_not_enter_names(write):
    assert list(read_csv(write("\ufeffa , b\n1,2\n3,4\n")).frame.columns) == ["a", "b"]


def test_column_without_a_name_gets_one(write):
    assert list(read_csv(write(",b\n1,2\n3,4\n")).frame.columns) == ["column 1", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("\n  \n", "empty"),
        ("a,b,a\n1,2,3\n", "2 columns called 'a' (columns 1, 3)"),
        ("a,b\n1,2\n3,4,5\n", "3 cells on line 3 but 2 column names"),
        ("a,b\n1,2,3\n3,4,5\n", "3 cells on line 2 but 2 column names"),
        ('a,b\n1,"2\n3,4\n', "never closed"),
        ("gr\xf6\xdfe,b\n1,2\n".encode("latin-1"), "not a UTF-8 text file"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(write, text, words):
    with pytest.raises(InputError) as error:
        read_csv(write(text))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        read_csv(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_csv(tmp_path)


def test_lines_are_counted_as_an_editor_does(write):
    # Row 0 is on line 2; row 1 starts on line 4, after a blank line; it holds a line break, so
    # that row 2 starts on line 6.
    raw = read_csv(write('a,b\n1,x\n\n2,"y\nz"\n3,w\n'))
    assert [raw.line(row) for row in range(3)] == [2, 4, 6]


# Decisions ----------------------------------------------------------------------------------


def test_every_column_gets_a_decision(numbers):
    table = table_of(
        {
            **numbers,
            "customer_id": np.arange(24) * 7,
            "row": np.arange(1, 25),
            "name": [f"n{i}" for i in range(24)],
            "same": 5,
            "void": np.nan,
            "flag": [True, False] * 12,
            "answer": ["yes", "no"] * 12,
            "colour": ["red", "green", "blue"] * 8,
            "sex": ["f", "m"] * 12,
            "note": [f"text {i % 22}" for i in range(24)],
            "label": [0, 1] * 12,
            "unwanted": numbers["x"],
        },
        label="label",
        drop=["unwanted"],
    )
    assert kinds(table) == {
        "x": "numeric",
        "y": "numeric",
        "customer_id": "identifier",
        "row": "identifier",
        "name": "identifier",
        "same": "constant",
        "void": "empty",
        "flag": "boolean",
        "answer": "boolean",
        "colour": "categorical",
        "sex": "categorical",
        "note": "text",
        "label": "label",
        "unwanted": "dropped",
    }
    assert table.feature_names == [
        *("x", "y", "flag", "answer"),
        *("colour=red", "colour=green", "colour=blue", "sex=f"),
    ]
    assert all(decision.reason for decision in table.decisions)
    warned = " ".join(table.warnings)
    assert all(repr(name) in warned for name in ("customer_id", "row", "name", "note"))


def test_dummies_by_hand(numbers):
    table = table_of(
        {"x": numbers["x"][:4], "colour": ["red", "blue", "red", "blue"]}, scale="none"
    )
    assert table.values[:, 1].tolist() == [1, 0, 1, 0]  # colour=red; blue is its mirror


def test_keep_overrules_a_guess(numbers):
    table = table_of({**numbers, "row": np.arange(24)}, keep=["row"])
    assert kinds(table)["row"] == "numeric"
    with pytest.raises(InputError, match="different text in every row"):
        table_of({**numbers, "name": [f"n{i}" for i in range(24)]}, keep=["name"])
    with pytest.raises(InputError, match="cannot be kept: one value only"):
        table_of({**numbers, "same": 5}, keep=["same"])


def test_a_shuffled_counter_is_a_counter_and_a_measurement_is_not(numbers):
    shuffled = np.random.default_rng(0).permutation(24) + 100
    measured = shuffled.copy()
    measured[0] = measured[1]
    table = table_of({**numbers, "a": shuffled, "b": measured})
    assert (kinds(table)["a"], kinds(table)["b"]) == ("identifier", "numeric")


def test_a_name_that_only_contains_id_is_no_identifier(numbers):
    whole = np.arange(24) % 5
    table = table_of({**numbers, "acid": whole, "idle": whole, "PassengerId": whole})
    assert kinds(table)["acid"] == kinds(table)["idle"] == "numeric"
    assert kinds(table)["PassengerId"] == "identifier"


def test_text_in_a_numeric_column_names_column_line_and_cell(write):
    rows = [f"{i * 1.5},{i * i}" for i in range(20)]
    rows[6] = "9.0,about 36"
    with pytest.raises(InputError) as error:
        prepare_table(read_csv(write("a,b\n" + "\n".join(rows))))
    assert "'b'" in str(error.value)
    assert "line 8" in str(error.value)
    assert "'about 36'" in str(error.value)
    assert "--drop b" in str(error.value)


def test_infinity_names_column_and_line(write):
    with pytest.raises(InputError, match=r"column 'b' on line 3 .*--drop b"):
        prepare_table(read_csv(write("a,b\n1,2\n3,-inf\n5,6\n")))


@pytest.mark.parametrize("cell", ["", "NA", "nan", "?", "null", "  "])
def test_missing_values_by_default_stop_with_the_ways_on(write, cell):
    with pytest.raises(InputError) as error:
        prepare_table(read_csv(write(f"a,b,c\n1,2,3\n3,{cell},1\n5,6,{cell}\n7,9,2\n")))
    text = str(error.value)
    assert "'b' (1), 'c' (1), the first in 'b' on line 3" in text
    assert "drop-rows (leaves out 2 of 4 rows)" in text
    assert "--missing median" in text


def test_missing_values_dropped_or_filled():
    frame = {"a": [1.0, 2.0, np.nan, 4.0, 9.0], "b": [5.0, 1.0, 2.0, 3.0, 4.0]}
    dropped = table_of(frame, missing="drop-rows", scale="none")
    assert dropped.rows.tolist() == [0, 1, 3, 4]
    assert dropped.values[:, 0].tolist() == [1, 2, 4, 9]
    filled = table_of(frame, missing="median", scale="none")
    assert filled.values[:, 0].tolist() == [1, 2, 3, 4, 9]  # the median of 1, 2, 4, 9 is 3
    assert "1 missing values in 1 columns" in filled.warnings[0]


def test_missing_text_becomes_a_value_of_its_own():
    frame = {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0], "c": ["u", "v", None, "u", "v", None]}
    table = table_of(frame, missing="median", scale="none")
    assert table.feature_names == ["a", "c=u", "c=v", "c=(missing)"]
    assert table.values[:, 3].tolist() == [0, 0, 1, 0, 0, 1]


def test_a_column_that_turns_constant_with_the_dropped_rows_is_left_out():
    frame = {"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 1.0, np.nan, 2.0], "c": [7.0, 7.0, 8.0, 7.0]}
    assert kinds(table_of(frame, missing="drop-rows"))["c"] == "constant"


def test_a_missing_value_in_a_column_left_out_is_nobodys_business():
    frame = {"a": [1.0, 2.0, 4.0], "b": [5.0, 1.0, 2.0], "c": [1.0, np.nan, 2.0], "y": [0, None, 1]}
    table = table_of(frame, drop=["c"], label="y")
    assert table.label.tolist() == [0, -1, 1]
    assert len(table.rows) == 3


def test_a_column_that_sounds_like_the_answer_is_pointed_out(numbers):
    table = table_of({**numbers, "class": [0, 1, 2] * 8})
    assert "--label class" in " ".join(table.warnings)
    assert not table_of({**numbers, "class": [0, 1, 2] * 8}, label="class").warnings


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        ({"a": [1, 2, 3]}, {}, "one column"),
        ({"a": [1], "b": [2]}, {}, "one row"),
        ({"a": [], "b": []}, {}, "no rows"),
        ({"a": [1, 1], "b": [2, 2]}, {}, "every column of t.csv holds one value only"),
        ({"a": [1, 2], "b": [2, 2]}, {}, "only 'a' to cluster on"),
        ({"a": [1, 2], "b": [2, 3]}, {"label": "c"}, "no column 'c' (asked for with --label)"),
        ({"age": [1, 2], "b": [2, 3]}, {"drop": ["Age"]}, "did you mean 'age'?"),
        ({"a": [1, 2], "b": [2, 3]}, {"label": "a", "drop": ["a"]}, "asked for twice"),
        ({"a": [1, 2], "b": [2, 3], "y": [None, None]}, {"label": "y"}, "is empty"),
        ({"a": [1e308, -1e308], "b": [2, 3]}, {}, "too large"),
        ({"a": [1, 2], "b": [2, 3]}, {"scale": "log"}, "choose one of"),
    ],
)
def test_tables_that_cannot_be_clustered(frame, options, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are checked below
        table_of(frame, **options)
    assert words in str(error.value)


def test_scales_by_hand():
    # mean 3, population deviation sqrt(((-2)² + 0 + 2²) / 3) = sqrt(8 / 3); range 4
    frame = {"a": [1.0, 3.0, 5.0], "b": [0.0, 1.0, 1.0]}
    root = np.sqrt(8 / 3)
    np.testing.assert_allclose(table_of(frame).X[:, 0], [-2 / root, 0, 2 / root])
    np.testing.assert_array_equal(table_of(frame, scale="range").X[:, 0], [0, 0.5, 1])
    np.testing.assert_array_equal(table_of(frame, scale="none").X[:, 0], [1, 3, 5])
    for scale in ("standard", "range", "none"):  # 0/1 columns stay
        np.testing.assert_array_equal(table_of(frame, scale=scale).X[:, 1], [0, 1, 1])


def test_the_recipe_alone_makes_the_numbers_again(numbers):
    frame = pd.DataFrame({**numbers, "c": ["u", "v", "w"] * 8, "ok": ["yes", "no"] * 12})
    table = table_of(frame)
    recipe = json.loads(json.dumps(table.recipe))
    np.testing.assert_array_equal(encode(frame, recipe), table.values)
    new = pd.DataFrame({"x": ["7"], "y": [None], "c": ["never seen"], "ok": ["Yes"]})
    row = encode(new, recipe)[0]
    assert row.tolist() == [7, np.median(numbers["y"]), 0, 0, 0, 1]


cells = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**25), 10**25),
    st.text(max_size=5),
    st.booleans(),
    st.none(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=0, max_size=8), st.data())
def test_any_table_gives_finite_numbers_or_one_sentence(tmp_path_factory, rows, data):
    path = tmp_path_factory.mktemp("any") / "any.csv"
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        csv.writer(file).writerows([["a", "b", "c"], *rows])
    missing = data.draw(st.sampled_from(["error", "drop-rows", "median"]))
    try:
        table = prepare_table(read_csv(path), missing=missing)
    except InputError:
        return
    assert np.isfinite(table.X).all()
    assert table.X.shape == (len(table.rows), len(table.feature_names))


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


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "m.weft"
    save_model(model, path, table={"columns": [], "odd": (1, float("inf"))})
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
        {"encoding": "binary"},
        {"clusterer": "linkage", "n_clusters": 3},
        {"clusterer": "dbscan", "clusterer_params": {"eps": 2.0, "min_samples": 3}},
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
    save_model(model, saved, table={"columns": [], "odd": (1, float("inf"))})
    assert saved.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["m.weft"]


def test_the_table_recipe_travels_with_the_model(saved):
    held = read_model(saved)
    assert held.table == {"columns": [], "odd": (1, float("inf"))}
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


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('code was run')",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_json(format=99), "format 99"),
        (change_json(format="1"), "which format"),
        (change_json(**{"class": "Popen"}), "'Popen'"),
        (change_json(**{"class": ["FeatureSwarm"]}), "known are "),
        (change_json(params={"colour": 1}), "no parameter 'colour'"),
        (change_json(attributes={"__class__": 1}), "'__class__'"),
        (change_json(attributes={"fit": 1}), "'fit'"),
        (change_json(attributes={"labels_": {"$array": 999}}), "'$array' in a form"),
        (change_json(attributes={"x_": {"$record": "Popen", "fields": {}}}), "'Popen'"),
        (change_json(attributes={"x_": {"$new": 1}}), "'$new' in a form"),
        (change_json(attributes={}), "how many features"),
        (change_json(summary=[1]), "its summary"),
        (change_json(attributes=[1, 2]), "damaged"),
        (lambda members: members.update({"model.json": b"[" * 100_000}), "damaged"),
        (lambda members: members.update({"model.json": b"\xff\xfe"}), "damaged"),
        (lambda members: members.update({"model.json": b"[]"}), "no weft model"),
        (lambda members: members.update({"arrays/77.npy": b"x"}), "damaged"),
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
    with pytest.raises(ValueError, match="damaged or no weft model"):
        load_model(tmp_path / "text")


# Bombs and places -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "xlsx"])
def test_a_bomb_is_refused_before_it_is_unpacked(kind, tmp_path, monkeypatch):
    """Limits lowered, not the machine's memory filled: 4 MB of zeros in a few kilobytes."""
    monkeypatch.setattr("weft.io.formats._BOMB_SIZE", 2**20)
    path = tmp_path / f"zeros.{kind}"
    frame = pd.DataFrame(np.zeros((2**18, 2)), columns=["a", "b"])
    if kind == "parquet":
        frame.to_parquet(path, compression="zstd")
    elif kind == "xlsx":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", b"0" * 2**22)
    else:
        frame.to_feather(path, compression="zstd")
    assert path.stat().st_size < 2**22 / 200
    with pytest.raises(InputError, match="would unpack to"):
        read_table(path)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_text_that_is_no_text_is_refused(kind, tmp_path):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    wrong = pa.array([b"fine", b"\xff\xfe", b"fine"]).view(pa.string())
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": wrong})
    if kind == "parquet":
        pa.parquet.write_table(table, tmp_path / "t.parquet")
    else:
        pa.feather.write_feather(table, tmp_path / "t.feather")
    with pytest.raises(InputError, match="cannot be read as"):
        read_table(tmp_path / f"t.{kind}")


def test_a_table_that_packs_well_is_no_bomb(tmp_path):
    frame = pd.DataFrame(np.zeros((2**18, 2)), columns=["a", "b"])
    frame.to_parquet(tmp_path / "zeros.parquet", compression="zstd")
    frame.to_feather(tmp_path / "zeros.feather", compression="zstd")
    for name in ("zeros.parquet", "zeros.feather"):
        assert read_table(tmp_path / name).frame.equals(frame)


@pytest.mark.parametrize(
    "line",
    [
        'out = "/etc/weft"',
        'out = "../up"',
        'out = "below/../../up"',
        'out = "link/here"',
        'checkpoint = "/tmp/x"',
        'checkpoint = "../x"',
        "out = 3",
        "force = true",
    ],
)
def test_a_config_cannot_write_outside_or_overwrite(line, tmp_path, monkeypatch):
    from weft.commands.config import read_config

    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "run.toml").write_text(f"[cluster]\n{line}\n")
    with pytest.raises(InputError, match=r"not below this folder|type --force"):
        read_config("run.toml", ["out", "checkpoint", "force"])


def test_a_config_may_name_a_place_below(tmp_path, monkeypatch):
    from weft.commands.config import read_config

    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text('out = "deep/er"\nforce = false\n')
    assert read_config("run.toml", ["out", "force"]) == {"out": "deep/er", "force": False}


def test_a_refusal_is_one_line_whatever_it_quotes(tmp_path):
    text = str(InputError("a\nb\r\nc\u2028d" + "x" * 5000))
    assert text.startswith("a b c d")
    assert len(text.splitlines()) == 1
    assert len(text) < 2100
    (tmp_path / "quotes.csv").write_bytes(b'""\n""\n')
    with pytest.raises(InputError, match="is empty"):
        read_csv(tmp_path / "quotes.csv")


def test_toml_nested_too_deep_is_a_sentence(tmp_path):
    from weft.commands.config import read_config

    (tmp_path / "deep.toml").write_text("drop = " + "[" * 100_000)
    with pytest.raises(InputError, match="nested too deep"):
        read_config(tmp_path / "deep.toml", ["drop"])
