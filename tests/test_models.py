"""Model files: every estimator, old files, damage, malice. Nothing crashes, nothing is run."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import hashlib
import io
import json
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator

import weft
from weft.io import read_model, save_model
from weft.models.files import FORMAT_VERSION, UPGRADES, saveable_classes

GOLDEN = Path(__file__).parent / "golden"


def same(a, b) -> bool:
    """Equal to the last bit, types included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        if a.dtype.kind == "O":
            return a.tolist() == b.tolist()
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if dataclasses.is_dataclass(a):
        return same(vars(a), vars(b))
    return bool(a == b) or (a != a and b != b)


def same_model(a, b) -> bool:
    return type(a) is type(b) and same(vars(a), vars(b))


def test_the_registry_is_the_public_face():
    estimators = {
        name
        for name in weft._PUBLIC
        if isinstance(getattr(weft, name), type) and issubclass(getattr(weft, name), BaseEstimator)
    }
    assert set(saveable_classes()) == estimators
    assert len(estimators) >= 7


def test_every_estimator_comes_back_to_the_last_bit(any_name, fitted, three_groups, tmp_path):
    model = fitted(any_name)
    save_model(model, tmp_path / "m.weft")
    back = weft.load(tmp_path / "m.weft")
    assert same_model(back, model)
    for method in ("predict", "transform"):
        if hasattr(model, method):
            new = three_groups + 0.1
            assert same(getattr(back, method)(new), getattr(model, method)(new))


def test_every_estimator_can_save_itself(any_name, fitted, tmp_path):
    model = fitted(any_name)
    model.save(tmp_path / "m.weft")
    assert same_model(weft.load(tmp_path / "m.weft"), model)


def test_output_format_is_kept_and_metadata_requests_are_not_in_the_way(fitted, tmp_path):
    model = fitted("WeightedKMeans").set_output(transform="pandas")
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=True)
    save_model(model, tmp_path / "m.weft")
    back = weft.load(tmp_path / "m.weft")
    assert type(back.transform(np.ones((2, 4)))).__name__ == "DataFrame"


# Old files ----------------------------------------------------------------------------------


def golden_files() -> list[Path]:
    return sorted(GOLDEN.glob("*.weft"))


def test_there_is_a_golden_file_for_every_clusterer():
    known = {path.stem.split("-")[0] for path in golden_files()}
    missing = {n for n in saveable_classes() if hasattr(getattr(weft, n), "fit_predict")} - known
    assert not missing, f"make them with: python tests/golden/make.py ({missing})"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_a_file_written_by_an_older_weft_still_answers(path):
    """The labels of ten rows, written down when the file was made."""
    expected = json.loads(path.with_suffix(".json").read_text())
    model = weft.load(path)
    found = model.predict(np.array(expected["rows"]))
    assert found.tolist() == expected["labels"]
    assert read_model(path).weft_version == expected["weft"]


def test_an_older_format_is_upgraded_and_a_missing_parameter_gets_its_default(
    fitted, tmp_path, monkeypatch
):
    path = tmp_path / "m.weft"
    save_model(fitted("WeightedKMeans"), path)

    def age(content):
        del content["params"]["tol"]  # as if it had not been there yet
        content["attributes"]["old_labels_"] = content["attributes"].pop("labels_")

    rewrite(path, age)
    monkeypatch.setattr("weft.models.files.FORMAT_VERSION", FORMAT_VERSION + 1)

    def upgrade(content):
        content["attributes"]["labels_"] = content["attributes"].pop("old_labels_")
        return content

    monkeypatch.setitem(UPGRADES, FORMAT_VERSION, upgrade)
    back = weft.load(path)
    assert back.tol == 0.0
    assert len(back.labels_) == 60


# Damage -------------------------------------------------------------------------------------


def rewrite(path: Path, change) -> None:
    """Change ``model.json`` and sum again, as somebody who means harm would."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    del members["checksums.json"]
    content = json.loads(members["model.json"])
    change(content)
    members["model.json"] = json.dumps(content).encode()
    path.write_bytes(packed(members))


def packed(members: dict[str, bytes]) -> bytes:
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**members, "checksums.json": json.dumps(sums).encode()}.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """One accident: a bit, a cut, an insertion, noise, a swap, a repetition, zeros."""
    data = bytearray(content)
    place = int(rng.integers(len(data)))
    length = int(rng.integers(1, 40))
    match int(rng.integers(7)):
        case 0:
            data[place] ^= 1 << int(rng.integers(8))
        case 1:
            del data[place:]
        case 2:
            data[place:place] = rng.bytes(length)
        case 3:
            data[place : place + length] = rng.bytes(len(data[place : place + length]))
        case 4:
            other = int(rng.integers(len(data)))
            data[place], data[other] = data[other], data[place]
        case 5:
            data[place:place] = data[place : place + 1000]
        case 6:
            data[place : place + length] = bytes(len(data[place : place + length]))
    return bytes(data)


def forbidden(*_args, **_kwargs):
    raise SystemExit("code from a file was run")


def load(path: Path):
    """The model and no text, or no model and the sentence that refuses it; code may not run."""
    runners = ("pickle.load", "pickle.loads", "builtins.eval", "os.system")
    with contextlib.ExitStack() as stack:
        for name in runners:
            stack.enter_context(mock.patch(name, forbidden))
        try:
            return weft.load(path), ""
        except ValueError as error:
            return None, str(error)


def test_a_thousand_accidents(fitted, tmp_path):
    """The same model, or one sentence that names the file."""
    rng = np.random.default_rng(0)
    names = ("FeatureSwarm", "WeightedKMeans", "StagedSwarm", "KernelSwarm", "RangeScaler")
    originals = []
    for name in names:
        model = fitted(name)
        save_model(model, tmp_path / name, table={"columns": []})
        originals.append((model, (tmp_path / name).read_bytes()))
    path = tmp_path / "damaged.weft"
    n_refused = 0
    for number in range(1000):
        model, content = originals[number % len(originals)]
        path.write_bytes(damage(content, rng))
        back, text = load(path)
        if back is None:
            n_refused += 1
            assert "\n" not in text
            assert "damaged.weft" in text
            assert len(text) < 600
        else:
            assert same_model(back, model)
    assert n_refused > 900


ODD = (
    *(None, True, -1, 0, 2**70, 0.5, "", "labels_", [], [[]], {}, {"a": 1}, [1, [2]]),
    *({"$array": 0}, {"$array": -1}, {"$array": 3}, {"$array": "0"}, {"$float": "inf"}),
    *({"$float": "__import__('os')"}, {"$tuple": []}, {"$pairs": [[[], 1]]}, {"$sparse": []}),
    *({"$record": "AnomalousPatterns", "fields": {}}, {"$record": "os", "fields": {}}),
    *({"$texts": ["a"], "shape": [2]}, {"$texts": [1], "shape": [-1, 10**9]}),
)


def places(content, path=()):
    """Every place in a JSON document."""
    yield path
    if not isinstance(content, (dict, list)):
        return
    inner = content if isinstance(content, dict) else dict(enumerate(content))
    for key, value in inner.items():
        yield from places(value, (*path, key))


def test_a_thousand_forgeries(fitted, tmp_path):
    """Values exchanged, sums made to fit: refused, or a model whose answers may be wrong but come
    without a crash."""
    rng = np.random.default_rng(1)
    X = np.ones((5, 4))
    for name in ("FeatureSwarm", "WeightedKMeans", "StagedSwarm", "KernelSwarm", "DynamicSwarm"):
        save_model(fitted(name), tmp_path / "m.weft")
        with zipfile.ZipFile(tmp_path / "m.weft") as archive:
            members = {key: archive.read(key) for key in archive.namelist()}
        del members["checksums.json"]
        original = json.loads(members["model.json"])
        spots = [spot for spot in places(original) if spot]
        for _ in range(200):
            content = copy.deepcopy(original)
            *above, last = spots[int(rng.integers(len(spots)))]
            inner = content
            for key in above:
                inner = inner[key]
            if rng.random() < 0.15:
                del inner[last]
            elif rng.random() < 0.15 and isinstance(last, str):
                inner["__class__" if rng.random() < 0.5 else last + "x"] = inner.pop(last)
            else:
                inner[last] = copy.deepcopy(ODD[int(rng.integers(len(ODD)))])
            forged = {**members, "model.json": json.dumps(content).encode()}
            (tmp_path / "forged.weft").write_bytes(packed(forged))
            back, text = load(tmp_path / "forged.weft")
            if back is None:
                assert "forged.weft" in text
                assert "\n" not in text
                continue
            assert type(back) is getattr(weft, name)
            # Wrong answers and Python errors are what a forger gets; a crash would end the tests.
            with np.errstate(all="ignore"), contextlib.suppress(Exception):
                back.predict(X)
