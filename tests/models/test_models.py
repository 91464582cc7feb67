"""Model files: every estimator, old files, damage, malice. Nothing crashes, nothing is run."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from checks.forgery import honest_files, run_class
from checks.forging import packed, read_members
from sklearn import config_context
from sklearn.base import BaseEstimator

import weft
from weft.estimators.presets import METHODS
from weft.io import read_model, save_model
from weft.models.files import FORMAT_VERSION, UPGRADES, saveable_classes
from weft.models.kinds import Lengths

GOLDEN = Path(__file__).parents[1] / "golden"
RECIPE = {
    "columns": [{"name": name, "kind": "numeric", "fill": 0.0} for name in "abcd"],
    "missing": "error",
    "scale": {"method": "none", "center": [0.0] * 4, "scale": [1.0] * 4},
}


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
    """Compare what was learned; a loaded model has the recipe of its table besides."""
    own, other = ({k: v for k, v in vars(model).items() if k != "_table"} for model in (a, b))
    return type(a) is type(b) and same(own, other)


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
    members = read_members(path.read_bytes())
    content = json.loads(members["model.json"])
    change(content)
    members["model.json"] = json.dumps(content).encode()
    path.write_bytes(packed(members))


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
        save_model(model, tmp_path / name, table=RECIPE)
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


def changed(path: Path, **arrays) -> None:
    """Put other values, given by attribute, into the arrays of a model file."""
    members = read_members(path.read_bytes())
    attributes = json.loads(members["model.json"])["attributes"]
    for name, change in arrays.items():
        member = f"arrays/{attributes[name]['$array']}.npy"
        buffer = io.BytesIO()
        np.save(buffer, change(np.load(io.BytesIO(members[member]))))
        members[member] = buffer.getvalue()
    path.write_bytes(packed(members))


def set_first(value):
    def change(array):
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "attribute", "change", "words"),
    [
        ("KernelSwarm", "_fit_labels", set_first(10**9), "'_fit_labels' holds 1e+09"),
        ("KernelSwarm", "_fit_labels", set_first(-1), "'_fit_labels' holds -1"),
        ("KernelSwarm", "_fit_labels", lambda a: a[:-1], "shape (59,)"),
        ("KernelSwarm", "_fit_labels", lambda a: a.astype(">i8"), "byte order"),
        ("KernelSwarm", "_fit_labels", lambda a: a.astype(float), "array of float64"),
        ("KernelKMeans", "labels_", set_first(3), "'labels_' holds 3"),
        ("FeatureSwarm", "_fit_anchor_labels", set_first(-2), "holds -2"),
        ("FeatureSwarm", "feature_weights_", set_first(np.nan), "holds NaN"),
        ("FeatureSwarm", "feature_weights_", set_first(-1.0), "holds -1"),
        ("FeatureSwarm", "_fit_anchors", lambda a: a[:, :3], "shape (60, 3)"),
        ("FeatureSwarm", "_fit_anchors", lambda a: a.astype("f4"), "float32"),
        ("StagedSwarm", "_fit_features", set_first(-1), "'_fit_features' holds -1"),
        ("StagedSwarm", "_fit_features", set_first(4), "'_fit_features' holds 4"),
        ("KernelSubtractive", "center_indices_", set_first(60), "holds 60"),
        ("WeightedKMeans", "cluster_centers_", set_first(np.inf), "holds infinity"),
        ("WeightedKMeans", "_factors", lambda a: a[:2], "shape (2, 4)"),
        ("AutoCluster", "feature_scales_", set_first(0.0), "holds 0"),
        ("FeatureClusterSelector", "support_", lambda a: a[:3], "shape (3,)"),
    ],
)
def test_a_forged_array_is_refused(fitted, tmp_path, name, attribute, change, words):
    path = tmp_path / "forged.weft"
    save_model(fitted(name), path)
    changed(path, **{attribute: change})
    back, text = load(path)
    assert back is None
    assert words in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("WeightedKMeans", {"n_jobs": 10**12}, "parameter 'n_jobs' is 1000000000000"),
        ("WeightedKMeans", {"n_jobs": 0}, "parameter 'n_jobs' is 0"),
        ("WeightedKMeans", {"device": "tpu"}, "'cpu', 'cuda', 'auto'"),
        ("WeightedKMeans", {"max_iter": -1}, "parameter 'max_iter' is -1"),
        ("WeightedKMeans", {"init": [[1, "x"]]}, "parameter 'init'"),
        ("WeightedKMeans", {"n_clusters": {"$float": "nan"}}, "parameter 'n_clusters' is nan"),
        ("FeatureSwarm", {"clusterer": "os.system"}, "parameter 'clusterer' is 'os.system'"),
        ("FeatureSwarm", {"clusterer_params": {"eps": {"a": []}}}, "has no parameter 'eps'"),
        ("KernelSwarm", {"kernel_params": [1, 2]}, "must be None or a dict"),
        ("KernelSwarm", {"max_memory": "9" * 400 + "GiB"}, "'max_memory'"),
        ("KernelSwarm", {"n_particles": 10**400}, "a very large integer"),
        ("ProjectedSwarm", {"metric": "jaccard"}, "metric='euclidean'"),
        ("RangeScaler", {"categorical": "os"}, "'categorical' is 'os'"),
    ],
)
def test_a_forged_parameter_is_refused(fitted, tmp_path, name, params, words):
    path = tmp_path / "forged.weft"
    save_model(fitted(name), path)
    rewrite(path, lambda content: content["params"].update(params))
    back, text = load(path)
    assert back is None
    assert words in text
    assert "\n" not in text
    assert len(text) < 600


def test_what_a_class_does_not_declare_cannot_be_saved(fitted, tmp_path):
    model = fitted("WeightedKMeans")
    model.notes_ = 1
    with pytest.raises(
        ValueError, match=r"WeightedKMeans cannot be saved: .* 'notes_' is not decl"
    ):
        save_model(model, tmp_path / "m.weft")
    model = fitted("WeightedKMeans")
    del model.inertia_
    with pytest.raises(ValueError, match="it lacks the attribute 'inertia_'"):
        save_model(model, tmp_path / "m.weft")
    model = fitted("WeightedKMeans")
    model.labels_ = model.labels_ + 1
    with pytest.raises(ValueError, match="'labels_' holds 3"):
        save_model(model, tmp_path / "m.weft")
    assert list(tmp_path.iterdir()) == []


def test_every_parameter_is_declared(any_name):
    """With a kind of its own; the defaults fit it."""
    kind = getattr(weft, any_name)
    lengths = Lengths()
    for name, value in kind().get_params(deep=False).items():
        kind._schema.params[name].check(value, name, lengths)


def test_every_parameter_of_every_preset_is_allowed():
    for method in METHODS:
        if not method.estimator[0].isupper():
            continue  # a function has no file
        schema = getattr(weft, method.estimator)._schema
        for name, value in method.params.items():
            schema.params[name].check(value, name, Lengths())


def test_forged_files_end_in_a_sentence_or_an_answer(any_name, tmp_path):
    """30 files of each class; ``make forgery`` judges 2,000."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, data in enumerate(honest_files(any_name)):
            (tmp_path / f"{any_name}-{number}.weft").write_bytes(data)
    verdict = run_class(any_name, tmp_path, 30, seed=1)
    assert verdict.counts["bad"] == 0, "\n".join(verdict.told)
    assert verdict.counts["refused"] >= 10
    assert verdict.counts["fine"] + verdict.counts["refused later"] >= 1
    assert verdict.counts.total() == 30


def test_a_crash_and_a_hang_are_seen(fitted, tmp_path, monkeypatch):
    """The judge itself: a worker that dies, or waits too long, is a bad file."""
    save_model(fitted("RangeScaler"), tmp_path / "RangeScaler-0.weft")
    monkeypatch.setattr("checks.forgery.STALLED", 5.0)
    endless = "[0 for _ in iter(int, 1)]"
    for code, word in (("os.abort()", "-6"), (endless, "hang"), ("time.sleep(99)", "hang")):
        script = (
            "import os, time, checks.forgery as f; judge = f.judge; f.SECONDS = 0.5\n"
            f"f.judge = lambda path, draw: judge(path, draw=False) if draw else {code}\n"
            "f.main()"
        )
        monkeypatch.setattr("checks.forgery.WORKER", ("-c", script))
        verdict = run_class("RangeScaler", tmp_path, 1, seed=0)
        assert verdict.counts["bad"] == 1
        assert word in verdict.told[0]
