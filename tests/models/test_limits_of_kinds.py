"""Kinds, archives and checkpoints: whole messages, the last that is allowed, the first refused."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from functools import partial

import numpy as np
import pytest
from tests.refusals import refusal as refused_with

import weft
from weft.models import archive
from weft.models.archive import (
    Refused,
    _array_numbers,
    _read_array,
    check_references,
    draft_of,
    read_archive,
    write_archive,
)
from weft.models.checkpoints import Mismatch, read_checkpoint, write_checkpoint
from weft.models.codec import encode, field_names
from weft.models.files import load_model, read_model, save_model, saveable_classes
from weft.models.kinds import (
    NOTHING,
    Array,
    Choice,
    Fields,
    Flag,
    Integer,
    Lengths,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Record,
    Text,
    Texts,
)
from weft.models.kinds.simple import _check_range

refusal = partial(refused_with, kind=Refused)


def told(kind, value, lengths=None) -> str:
    """Return why a value is refused, "" if it is taken."""
    lengths = lengths or Lengths()
    try:
        kind.check(value, "x", lengths)
        lengths.finish()
    except Refused as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Array(("n", 2)), "an array of float64 with shape (n, 2)"),
        (Array(("*",), ("int8", "int16")), "an array of int8 or int16 with shape (*)"),
        (Texts(("n",)), "an array of text"),
        (Number(), "a finite number"),
        (Number(high=2), "a finite number of at least -inf and at most 2"),
        (Number(low=0, above=True), "a finite number above 0"),
        (Number(1, 2.5), "a finite number of at least 1 and at most 2.5"),
        (Integer(), f"an integer from 0 to {2**53}"),
        (Integer(1, "n"), "an integer from 1 to n"),
        (Flag(), "True or False"),
        (Text(), "text of at most 100000 characters"),
        (Choice("a", None), "one of 'a', None"),
        (NOTHING, "None"),
        (OneOf(NOTHING, Flag()), "None, or True or False"),
        (ListOf(Flag()), "a list of values that are each True or False"),
        (MapOf(Flag()), "a dict with text as keys"),
        (Fields({"a": Flag(), "b": Flag()}), "a dict with the keys a, b"),
        (Record("R", dict, {}), "a R"),
    ],
)
def test_kinds_in_words(kind, words):
    assert kind.words == words
    assert told(kind, {1, 2}) == f"its x is a set, but must be {words}."


def test_lengths_of_symbols():
    lengths = Lengths()
    assert (lengths.bind(3, 3), lengths.bind(3, 4)) == (True, False)
    assert (lengths.bind("*", 3), lengths.bind("*", 4)) == (True, True)
    assert (lengths.bind("n", 3), lengths.bind("n", 4), lengths.bind("n", 3)) == (True, False, True)
    assert (lengths.of("n"), lengths.of("m"), lengths.known) == (3, 0, {"n": 3})


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Array(("n",)), np.ones((2, 1)), "an array of float64 with shape (2, 1), but must be"),
        (Array(("n",), least=3), np.ones(2), "with shape (2,), but must be an array of float64"),
        (Array(("n",), least=2), np.ones(2), ""),
        (Array(("n", "m")), np.asfortranarray(np.ones((2, 2))), "does not have the memory layout"),
        (Array(("n",), nan=True), np.array([np.nan, np.inf]), "holds infinity, where only finite"),
        (Array(("n",), inf=True), np.array([np.nan, np.inf]), "holds NaN, where only numbers"),
        (Array(("n",), nan=True, inf=True), np.array([np.nan, np.inf, -np.inf]), ""),
        (Array(("n",), high=1.0, inf=True), np.array([1.0, np.inf]), ""),
        (Array(("n",), low=0.0, high=1.0), np.array([0.0, 1.5]),
         "its x holds 1.5, but values lie within [0, 1]."),
        (Array(("n",), low=0.0, high=1.0, nan=True), np.array([np.nan, -0.5]),
         "its x holds -0.5, but values lie within [0, 1]."),
        (Number(0.5, 2), 0.5, ""),
        (Number(0.5, 2), 2.0, ""),
        (Number(0.5, 2, above=True), 0.5, "its x is 0.5, but must be a finite number above 0.5"),
        (Number(0.5, 2, above=True), 0.6, ""),
        (Number(), 2**53, ""),
        (Number(), -(2**53), ""),
        (Number(), 2**53 + 1, f"its x is {2**53 + 1}, but must be a finite number."),
        (Number(nan=True), math.inf, "its x is inf, but must be"),
        (Number(inf=True), math.nan, "its x is nan, but must be"),
        (Integer(), -1, "its x is -1, but must be an integer from 0"),
        (Integer(high="n"), 2**53 + 1, "but must be an integer from 0 to n."),
        (Integer(high="n"), 1, "its x is 1, but n is 0."),
        (Integer(high="n"), 0, ""),
        (Text(2), "ab", ""),
        (Text(2), "abc", "its x is 'abc', but must be text of at most 2 characters."),
        (Text(), "\udfff", "its x holds half of a character (a lone surrogate)."),
        (Text(), "\ue000é", ""),
        (Texts(("n",)), np.array([["a"]], object), "has shape (1, 1), which does not match"),
        (ListOf(Flag(), least=1, longest=2), [], "its x has 0 entries, which does not match"),
        (ListOf(Flag(), least=1, longest=2), [1], ""),
        (ListOf(Flag(), least=1, longest=2), (1, 0), ""),
        (ListOf(Flag(), least=1, longest=2), [1, 0, 1], "its x has 3 entries, which does not"),
        (ListOf(Flag()), [2], "its entry in x is 2, but must be True or False."),
        (MapOf(Flag()), {"a": 2}, "its 'a' of x is 2, but must be True or False."),
        (Fields({"a": Flag()}), {}, "its x lacks the entry 'a'."),
        (Fields({"a": Flag()}), {"a": 1, "b": 1}, "its x has an unknown entry 'b'."),
        (OneOf(Number(0, 1), Integer(5, 9)), 3, "its x is 3, but must be a finite number of at"),
        (OneOf(Number(0, 1), Integer(5, 9)), 5, ""),
        (OneOf(NOTHING, ListOf(Flag())), [2], "its entry in x is 2, but must be True or False."),
        (OneOf(ListOf(Flag()), ListOf(Text())), [2], "its x is a list, but must be a list of"),
        (Record("dict", dict, {}, lambda value: "is odd."), {}, "its x is odd."),
        (Record("dict", dict, {}, lambda value: ""), {}, ""),
    ],
)  # fmt: skip
def test_values_that_are_refused(kind, value, words):
    found = told(kind, value)
    assert words in found if words else found == ""


def test_lengths_that_other_data_have():
    lengths = Lengths()
    assert told(Integer(binds="n"), 3, lengths) == ""
    assert told(Integer(binds="n"), 4, lengths) == (
        "its x is 4, which does not match its other data."
    )
    assert told(Integer(high="n"), 3, lengths) == ""
    assert told(ListOf(Flag(), "n"), [1, 0, 1], lengths) == ""
    assert "its x has 2 entries" in told(ListOf(Flag(), "n"), [1, 0], lengths)
    assert told(Array(("*",), ("int64",), low=0, into="n"), np.array([0, 2]), lengths) == ""
    assert told(Array(("*",), ("int64",), low=0, into="n"), np.array([0, 3]), lengths) == (
        "its x holds 3, but values lie within [0, 2]."
    )


def test_ranges():
    _check_range(np.array([0.0, 1.0, np.nan]), "x", 0.0, 1.0)
    _check_range(np.array([np.inf]), "x", 0.0, 1.0)
    assert refusal(_check_range, np.array([1, -np.inf]), "x", 0.0, 1.0) == (
        "its x holds -inf, but values lie within [0, 1]."
    )


# Archives -----------------------------------------------------------------------------------------


def zipped(members, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, data in members:
            file.writestr(name, data)
    return buffer.getvalue()


def summed(members, **changes):
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members}
    return [*members, ("checksums.json", json.dumps({**sums, **changes}).encode())]


def stored(array, version=(1, 0)):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version)
    return buffer.getvalue()


ONE = ("model.json", b'{"a": {"$array": 0}}')
ARRAY = ("arrays/0.npy", stored(np.arange(3.0)))


def test_archives_are_read_as_written(tmp_path):
    path = tmp_path / "m.weft"
    arrays = [np.arange(6.0).reshape(2, 3), np.array(5, dtype=np.int8)]
    write_archive(path, {"a": 1}, arrays, name="c.json")
    assert [each.name for each in tmp_path.iterdir()] == ["m.weft"]
    content, found = read_archive(path.read_bytes(), name="c.json")
    assert content == {"a": 1}
    assert [array.tolist() for array in found] == [[[0, 1, 2], [3, 4, 5]], 5]
    first = path.read_bytes()
    write_archive(path, {"a": 1}, arrays, name="c.json")
    assert path.read_bytes() == first
    with zipfile.ZipFile(path) as file:
        assert file.read("c.json") == b'{\n "a": 1\n}'
        assert file.read("checksums.json").startswith(b'{\n "c.json": "')
        assert [info.date_time for info in file.infolist()] == [(1980, 1, 1, 0, 0, 0)] * 4
    assert draft_of(path) == tmp_path / f".m.weft.{os.getpid()}.tmp"
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_archive(path, {"a": math.nan}, [])
    assert path.read_bytes() == first
    assert refusal(read_archive, first) == (
        "it lacks model.json or checksums.json, or has a member twice."
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped(summed([ONE, ARRAY]), zipfile.ZIP_DEFLATED), "its members are compressed, but"),
        (zipped([ONE, ARRAY]), "it lacks model.json or checksums.json, or has a member twice."),
        (zipped(summed([ARRAY])), "it lacks model.json or checksums.json, or has a member twice."),
        (zipped([*summed([ONE]), ARRAY]), "members were added or removed after it was written."),
        (zipped(summed([ONE], more="x")), "members were added or removed after it was written."),
        (zipped([ONE, ("checksums.json", b"[]")]), "members were added or removed after it was"),
        (zipped(summed([ONE, ARRAY], **{"model.json": "0"})),
         "model.json was changed or damaged after it was written."),
        (zipped(summed([("model.json", b"NaN")])),
         "it holds NaN in a form that weft never writes."),
        (zipped(summed([ONE, ("arrays/0.npy", stored(np.ones(2), (2, 0)))])),
         "an array in it has an unknown version."),
        (zipped(summed([ONE, ("arrays/0.npy", stored(np.ones(2, complex)))])),
         "an array in it does not have the size or type that it declares."),
        (zipped(summed([ONE, ("arrays/0.npy", ARRAY[1] + b"0")])),
         "an array in it does not have the size or type that it declares."),
        (zipped(summed([ONE, ("arrays/0.npy", stored(np.ones(2, ">f8")))])),
         "an array in it has the byte order of another machine."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # archives hold the time of day
)  # fmt: skip
def test_archives_that_are_refused(data, words):
    assert refusal(read_archive, data).startswith(words)


def test_members_that_declare_more_than_the_file_has(monkeypatch):
    data = zipped(summed([ONE, ARRAY]))
    sizes = sum(info.file_size for info in zipfile.ZipFile(io.BytesIO(data)).infolist())
    assert sizes < len(data)
    assert read_archive(data)[1][0].tolist() == [0.0, 1.0, 2.0]
    real = zipfile.ZipFile.infolist

    def infolist(self, more):
        infos = real(self)
        infos[0].file_size += more
        return infos

    monkeypatch.setattr(archive.zipfile.ZipFile, "infolist", lambda self: infolist(self, 10**6))
    assert refusal(read_archive, data) == "its members declare more bytes than the file has."


def test_arrays_of_any_layout():
    for array in (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array([True, False])):
        found = _read_array(stored(array))
        np.testing.assert_array_equal(found, array)
        assert found.flags.c_contiguous
        assert found.flags.writeable


def test_references_to_arrays():
    document = {"a": [{"$array": 1}, {"b": {"$array": 0}}], "c": {"$array": True}, "d": "x"}
    assert sorted(_array_numbers(document)) == [0, 1]
    check_references(document, [np.ones(1)] * 2)
    words = "its JSON does not refer to each of its arrays exactly once."
    for n in (1, 3):
        assert refusal(check_references, document, [np.ones(1)] * n) == words
    assert refusal(check_references, [{"$array": 0}] * 2, [np.ones(1)] * 2) == words


# Checkpoints and models ---------------------------------------------------------------------------

SETTINGS = {"weft": "1", "estimator": "E", "params": {}, "data": {"shape": [2, 3]}}


def test_checkpoints_that_cannot_be_read(tmp_path):
    path = tmp_path / "c"
    read = lambda: read_checkpoint(path, SETTINGS)  # noqa: E731 - called many times below
    assert refusal(read, kind=ValueError) == (
        f"there is no checkpoint {str(path)!r}; fit without resume."
    )
    assert refusal(read_checkpoint, tmp_path, SETTINGS, kind=ValueError) == (
        f"{str(tmp_path)!r} cannot be read: Is a directory."
    )
    path.write_bytes(b"")
    assert refusal(read, kind=Mismatch).startswith(
        "cannot resume from c: it is damaged, or is not a checkpoint ("
    )
    for content, words in (
        ([], "it does not say which format it has."),
        ({"format": True}, "it does not say which format it has."),
        ({"format": 2}, f"it has format 2 and this weft ({weft.__version__}) reads 1; use the"),
        ({"format": 1}, "it is damaged, or is not a checkpoint ('weft')."),
    ):
        write_archive(path, content, [], name="checkpoint.json")
        assert refusal(read, kind=Mismatch).startswith(f"cannot resume from c: {words}")
    write_checkpoint(path, {**SETTINGS, "seeds": [np.ones(1)], "searches": []})
    assert "its seeds are not valid." in refusal(read, kind=Mismatch)
    write_archive(
        path, {"format": 1, **SETTINGS, "seeds": [], "searches": []}, [np.ones(1)],
        name="checkpoint.json",
    )  # fmt: skip
    assert "does not refer to each of its arrays" in refusal(read, kind=Mismatch)


def test_models_that_cannot_be_saved_or_read(tmp_path):
    names = ", ".join(saveable_classes())
    assert "AutoCluster" in names
    assert "choose" not in names
    assert refusal(save_model, 5, tmp_path / "m", kind=ValueError) == (
        f"a int cannot be saved; a model file holds one of {names}."
    )

    class WeightedKMeans(weft.WeightedKMeans):
        pass

    assert "cannot be saved" in refusal(save_model, WeightedKMeans(2), tmp_path / "m",
                                        kind=ValueError)  # fmt: skip
    assert refusal(save_model, weft.WeightedKMeans(2), tmp_path / "m", kind=ValueError) == (
        "this WeightedKMeans is not fitted; call fit before saving it."
    )
    assert refusal(read_model, tmp_path, kind=ValueError) == (
        f"{str(tmp_path)!r} cannot be read: Is a directory."
    )
    path = tmp_path / "m"
    path.write_bytes(b"x")
    assert refusal(load_model, path, kind=ValueError).startswith(
        "m is damaged, or is not a weft model ("
    )
    scaler = weft.RangeScaler().fit(np.array([[1.0, 2.0], [3.0, 5.0]]))
    save_model(scaler, path)
    good, arrays = read_archive(path.read_bytes())

    def refused(**changes):
        content = {key: value for key, value in {**good, **changes}.items() if value is not ...}
        write_archive(path, content, arrays)
        return refusal(load_model, path, kind=ValueError).removeprefix("m cannot be loaded: ")

    none = "model.json does not say which format it has; it is not a weft model."
    for version in (0, True, "1", ...):
        assert refused(format=version) == none
    assert refused(format=2, weft="9.9") == (
        f"it has format 2 and this weft ({weft.__version__}) reads up to 1; install weft 9.9 or "
        "newer."
    )
    assert refused(table=...) == "model.json lacks the entry 'table'."
    assert refused(extra=1) == "model.json has an unknown entry 'extra'."
    assert refused(**{"class": "choose_n_clusters"}) == (
        f"it holds a 'choose_n_clusters'; allowed are {names}."
    )
    assert refused(params=[]) == "its parameters or attributes are not a dict."
    assert refused(attributes=[]) == "its parameters or attributes are not a dict."
    assert refused(params={"zzz": 1}) == (
        "RangeScaler has no parameter 'zzz'; it may come from a newer weft."
    )
    assert refused(weft="x" * 101).startswith("its version of weft is 'xxx")
    write_archive(path, good, arrays)
    held = read_model(path)
    assert (held.table, held.summary, held.weft_version) == (None, None, weft.__version__)
    assert held.model.transform([[2.0, 5.0]]).tolist() == scaler.transform([[2.0, 5.0]]).tolist()


def test_text_among_arrays():
    assert field_names(dict) is None
    with pytest.raises(ValueError, match="x is an array of object"):
        encode(np.array([None], dtype=object), "x", [])
