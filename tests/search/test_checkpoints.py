"""A fit that is interrupted and taken up again, and every file that is no checkpoint of it."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import signal
import threading
import warnings
import zipfile
from inspect import signature

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weft
from weft.io import save_model
from weft.models.archive import read_archive, write_archive
from weft.models.checkpoints import DOCUMENT, Mismatch
from weft.search.callbacks import Checkpoint, History, StopOnSignal, TimeLimit
from weft.search.criteria import CSC
from weft.search.identity import describe, fingerprint
from weft.search.runs import SearchInterrupted, running
from weft.search.swarms import PSO, BinaryPSO

LONG = {"n_generations": 8, "n_evaluations": 48, "n_resamples": 8, "patience": None}
# Forms whose states differ from those of the default.
FORMS = [
    ("FeatureSwarm", {"swarm": "binary"}),
    ("FeatureSwarm", {"exponents": True, "patience": 2, "n_generations": 30}),
    ("ProjectedSwarm", {"particle": "weights", "polish": False}),
    ("ProjectedSwarm", {"particle": "weights", "objective": "wkmeans"}),
    ("StagedSwarm", {"stages": 3}),
    ("KernelSwarm", {"centers": "input", "kernel": "rbf", "sigma": 1.1}),
    ("DynamicSwarm", {"n_rounds": 3}),
]


def searching(any_name: str) -> bool:
    return "resume" in signature(getattr(weft, any_name).fit).parameters


SEARCHES = sorted(name for name in weft._PUBLIC if name[0].isupper() and searching(name))


class PowerCut(Exception):
    pass


class CutAfter:
    """The machine stops in the generation after so many."""

    def __init__(self, n_generations):
        self.left = n_generations

    def __call__(self, generation):
        self.left -= 1
        if self.left < 0:
            raise PowerCut


def make(quick, name, options, *callbacks):
    known = quick(name).get_params()
    settings = {key: value for key, value in {**LONG, **options}.items() if key in known}
    return quick(name, **settings, callbacks=list(callbacks))


def facts(model) -> dict:
    """Everything a fit found, but for the time it took."""
    kept = {key: value for key, value in vars(model).items() if key not in model.get_params()}
    history = kept.get("history_", {})
    kept["history_"] = {k: v for k, v in history.items() if k != "seconds"}
    records = {k: dataclasses.asdict(v) for k, v in kept.items() if dataclasses.is_dataclass(v)}
    return {**kept, **records}


def assert_same(a, b) -> None:
    assert a.keys() == b.keys()
    for key in a:
        np.testing.assert_equal(a[key], b[key], err_msg=key)


def cut_and_resume(model_of, X, path, *, after, every=2):
    with pytest.raises(PowerCut):
        model_of(Checkpoint(path, every=every), CutAfter(after)).fit(X)
    return model_of().fit(X, resume=path)


# Three generations find little, and say so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in SEARCHES), *FORMS])
def test_a_resumed_fit_has_the_bits_of_one_that_ran_through(
    name, options, quick, three_groups, tmp_path
):
    def model_of(*callbacks):
        return make(quick, name, options, *callbacks)

    counted = History()
    whole = model_of(counted).fit(three_groups)
    n_iter = getattr(whole, "n_iter_", len(counted.rows))
    for after in sorted({2, 3, min(7, n_iter - 1), n_iter - 1}):
        path = tmp_path / f"{after}.checkpoint"
        if after <= 2 and n_iter <= 3:
            continue
        assert_same(facts(cut_and_resume(model_of, three_groups, path, after=after)), facts(whole))
    # A checkpoint of a fit that came to its end gives that end.
    path = tmp_path / "end.checkpoint"
    model_of(Checkpoint(path, every=100)).fit(three_groups)
    assert_same(facts(model_of(CutAfter(0)).fit(three_groups, resume=path)), facts(whole))


def test_whatever_has_callbacks_can_be_resumed(any_name):
    if "callbacks" in getattr(weft, any_name)().get_params():
        assert searching(any_name)


def test_sparse_rows(quick, tmp_path):
    X = sparse.random_array((40, 30), density=0.3, rng=np.random.default_rng(0)).tocsr()

    def model_of(*callbacks):
        return make(quick, "ProjectedSwarm", {"metric": "jaccard"}, *callbacks)

    whole = model_of().fit(X)
    back = cut_and_resume(model_of, X, tmp_path / "c", after=3)
    assert_same(facts(back), facts(whole))
    other = X.copy()
    other.data[0] += 1
    with pytest.raises(Mismatch, match="other data"):
        model_of().fit(other, resume=tmp_path / "c")


def test_interrupted_again_and_again(quick, three_groups, tmp_path):
    whole = make(quick, "StagedSwarm", {"stages": 3}).fit(three_groups)
    path, resume, n_cuts = tmp_path / "c", None, 0
    while True:
        callbacks = [Checkpoint(path, every=1), CutAfter(2)]
        model = make(quick, "StagedSwarm", {"stages": 3}, *callbacks)
        try:
            model.fit(three_groups, resume=resume)
            break
        except PowerCut:
            resume, n_cuts = path, n_cuts + 1
    assert n_cuts == 7
    assert_same(facts(model), facts(whole))


def test_threads_and_layout_may_change_on_the_way(quick, three_groups, tmp_path):
    def model_of(*callbacks, **options):
        return make(quick, "FeatureSwarm", options, *callbacks)

    cut_and_resume(model_of, three_groups, tmp_path / "c", after=3)
    whole = model_of().fit(three_groups)
    model = model_of(n_jobs=2, max_memory="2MiB")
    again = model.fit(np.asfortranarray(three_groups), resume=tmp_path / "c")
    assert_same(facts(again), facts(whole))


@pytest.mark.parametrize("seed", [None, np.random.RandomState])
def test_a_seed_that_nobody_wrote_down_is_in_the_file(seed, quick, three_groups, tmp_path):
    path = tmp_path / "c"
    fresh = seed or (lambda _: None)

    def model_of(*callbacks, number=0):
        return make(quick, "FeatureSwarm", {"random_state": fresh(number)}, *callbacks)

    whole = model_of(Checkpoint(path, every=3)).fit(three_groups)
    # The last write is the end; one from the middle, of the same seed:
    cut = model_of(Checkpoint(path, every=3), CutAfter(4), number=0)
    if seed is None:
        whole = model_of().fit(three_groups, resume=path)  # the end, in its own bits
        assert whole.n_iter_ == 8
        return
    with pytest.raises(PowerCut):
        cut.fit(three_groups)
    assert_same(facts(model_of(number=99).fit(three_groups, resume=path)), facts(whole))


def test_callbacks_of_the_person_go_on_where_they_were(quick, three_groups, tmp_path):
    path, first, second = tmp_path / "c", History(), History()
    with pytest.raises(PowerCut):
        make(quick, "FeatureSwarm", {}, first, Checkpoint(path, every=2), CutAfter(5)).fit(
            three_groups
        )
    make(quick, "FeatureSwarm", {}, second).fit(three_groups, resume=path)
    assert [row["generation"] for row in second.rows] == list(range(1, 9))
    assert second.rows[:4] == first.rows[:4]  # seconds too: time that was spent is spent


def test_time_already_spent_counts(quick, three_groups, tmp_path):
    path = tmp_path / "c"
    model = make(quick, "FeatureSwarm", {}, Checkpoint(path, every=1), CutAfter(3))
    with pytest.raises(PowerCut):
        model.fit(three_groups)
    content, arrays = read_archive(path.read_bytes(), name=DOCUMENT)
    content["searches"][0]["seconds"] = 1000.0
    write_archive(path, content, arrays, name=DOCUMENT)
    limited = make(quick, "FeatureSwarm", {}, TimeLimit(1000.0)).fit(three_groups, resume=path)
    assert limited.n_iter_ == 4


def test_an_end_that_a_callback_chose_is_chosen_again(quick, three_groups, tmp_path):
    """Stage 2 ended by a callback, power cut before stage 3 was written down."""

    class EndStage:
        def __init__(self, cut):
            self.stages, self.cut = 0, cut

        def __call__(self, generation):
            self.stages += generation.number == 1
            if self.stages == 2 and self.cut:
                raise PowerCut
            return generation.number == 4 and self.stages == 1

    whole = make(quick, "StagedSwarm", {"stages": 3}, EndStage(False)).fit(three_groups)
    path = tmp_path / "c"
    with pytest.raises(PowerCut):
        make(quick, "StagedSwarm", {"stages": 3}, Checkpoint(path, every=2), EndStage(True)).fit(
            three_groups
        )

    class EndFirst:
        """As `EndStage`, which has no state that a checkpoint would keep."""

        def __call__(self, generation):
            return (
                generation.number == 4
                and "n_features" in generation.evaluation.details
                and (generation.positions.shape[1] == 4 + 60 + 1)
            )

    again = make(quick, "StagedSwarm", {"stages": 3}, EndFirst()).fit(three_groups, resume=path)
    assert_same(facts(again), facts(whole))


class Meta(BaseEstimator):
    """Fits others within its own fit."""

    def __init__(self, quick=None, callbacks=None, random_state=None):
        self.quick = quick
        self.callbacks = callbacks
        self.random_state = random_state

    def fit(self, X, y=None, *, resume=None):
        with running(self, X, resume):
            self.models_ = [
                make(self.quick, name, {"random_state": None}, *(self.callbacks or [])).fit(X)
                for name in ("FeatureSwarm", "GeneticClustering")
            ]
        return self


def test_fits_within_a_fit_are_part_of_it(quick, three_groups, tmp_path):
    path = tmp_path / "c"
    callbacks = [Checkpoint(path, every=2), CutAfter(13)]  # 8 of the first, 5 of the second
    with pytest.raises(PowerCut):
        Meta(quick, callbacks).fit(three_groups)
    first = Meta(quick, [CutAfter(4)]).fit(three_groups, resume=path)
    second = Meta(quick, [CutAfter(4)]).fit(three_groups, resume=path)
    for one, two in zip(first.models_, second.models_, strict=True):
        assert one.n_iter_ == 8
        assert_same(facts(one), facts(two))
    with (
        pytest.raises(ValueError, match="not to an estimator"),
        running(first, three_groups),
    ):
        first.fit(three_groups, resume=path)


def test_fits_within_an_objective_are_not(quick, three_groups, tmp_path):
    """A criterion that fits a swarm of its own, which has a checkpoint of its own."""

    def criterion(X, labels):
        inner = quick("GeneticClustering", callbacks=[Checkpoint(tmp_path / "inner")])
        return inner.fit(three_groups).fitness_ + len(set(labels.tolist())) + X.std()

    def model_of(*callbacks):
        return make(quick, "FeatureSwarm", {"criterion": criterion, "n_generations": 3}, *callbacks)

    with warnings.catch_warnings():
        # Three generations find little, and say so.
        warnings.simplefilter("ignore")
        whole = model_of().fit(three_groups)
        back = cut_and_resume(model_of, three_groups, tmp_path / "outer", after=2, every=1)
    assert_same(facts(back), facts(whole))


def test_resume_in_pipelines_and_with_routing(quick, three_groups, tmp_path):
    path = tmp_path / "c"
    model = make(quick, "FeatureSwarm", {}, Checkpoint(path))
    steps = make_pipeline(StandardScaler(), model).fit(three_groups)
    labels = steps.fit(three_groups, featureswarm__resume=path)[-1].labels_
    X = StandardScaler().fit_transform(three_groups)
    assert (model.fit_predict(X, resume=path) == labels).all()
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(resume=True)
        assert (steps.fit(three_groups, resume=path)[-1].labels_ == labels).all()


# What is refused ----------------------------------------------------------------------------


@pytest.fixture
def written(quick, three_groups, tmp_path):
    path = tmp_path / "run.checkpoint"
    with pytest.raises(PowerCut):
        make(quick, "FeatureSwarm", {}, Checkpoint(path, every=1), CutAfter(3)).fit(three_groups)
    return path


def refusal(model, X, path) -> str:
    before = vars(model).copy()
    with pytest.raises(ValueError, match=r"cannot resume from run\.checkpoint: ") as caught:
        model.fit(X, resume=path)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    assert not hasattr(model, "labels_")
    assert vars(model).keys() - before.keys() <= {"n_features_in_", "feature_names_in_"}
    return text


def test_other_data_are_refused(quick, three_groups, written):
    model = make(quick, "FeatureSwarm", {})
    assert "60 × 4 in the checkpoint, 59 × 4 in this fit" in refusal(
        model, three_groups[1:], written
    )
    one_bit = three_groups.copy()
    one_bit[-1, -1] = np.nextafter(one_bit[-1, -1], np.inf)
    assert "both are 60 × 4, but the values differ" in refusal(model, one_bit, written)


OTHERS = {
    "n_particles": 7,
    "n_generations": 9,
    "random_state": 1,
    "criterion": CSC(n_neighbors=4),
    "clusterer": "knn",
    "n_clusters": 2,
    "swarm": PSO(inertia=np.nextafter(0.73, 1)),
    "init": np.zeros((6, 4)),
    "patience": 8,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_settings_are_refused_by_name(name, quick, three_groups, written):
    text = refusal(make(quick, "FeatureSwarm", {name: OTHERS[name]}), three_groups, written)
    assert f"it was written with {name}=" in text


def test_another_estimator_or_version_is_refused(quick, three_groups, written, monkeypatch):
    text = refusal(make(quick, "GeneticClustering", {}), three_groups, written)
    assert "written by FeatureSwarm, not GeneticClustering" in text
    monkeypatch.setattr(weft, "__version__", "9.9")
    text = refusal(make(quick, "FeatureSwarm", {}), three_groups, written)
    assert "this is weft 9.9" in text


def test_parameters_are_described_by_what_they_mean():
    from sklearn.cluster import DBSCAN

    assert describe(np.float64(0.5)) == describe(0.5)
    assert describe((1, 2)) == describe([1, 2])
    assert describe(DBSCAN(eps=1.0)) != describe(DBSCAN(eps=2.0))
    assert describe(DBSCAN(eps=1.0)) == describe(DBSCAN(eps=1.0))
    assert describe(PSO(inertia=0.5)) != describe(PSO())
    assert describe(PSO(inertia=0.5)) == describe(PSO(inertia=0.5)) != describe(BinaryPSO(0.5))
    assert describe(np.zeros(3)) != describe(np.zeros(4))
    assert describe(describe).endswith("describe")
    assert describe(np.random.RandomState(0)).endswith("RandomState")


def test_the_fingerprint_reads_any_layout_and_all_of_it():
    X = np.random.default_rng(0).normal(size=(1000, 7))
    assert fingerprint(X) == fingerprint(np.asfortranarray(X)) == fingerprint(X[::-1][::-1])
    assert fingerprint(X) != fingerprint(X.astype(np.float32))
    assert fingerprint(X) != fingerprint(X.reshape(7, 1000))
    wide = np.zeros((3, 3_000_000))
    wide[2, -1] = 1.0
    assert fingerprint(wide) != fingerprint(np.zeros_like(wide))
    sides = sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(3)[::-1])
    assert fingerprint(sides[0]) != fingerprint(sides[1])


def test_what_is_no_checkpoint_is_refused(quick, fitted, three_groups, tmp_path, written):
    model = make(quick, "FeatureSwarm", {})
    path = tmp_path / "run.checkpoint"
    content = written.read_bytes()
    for data in (b"", b"text", content[:-30], content[:200]):
        path.write_bytes(data)
        assert "damaged" in refusal(model, three_groups, path)
    save_model(fitted("FeatureSwarm"), path)
    assert "lacks checkpoint.json" in refusal(model, three_groups, path)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"lacks model\.json"):
        weft.load(path)
    with pytest.raises(ValueError, match="there is no checkpoint"):
        model.fit(three_groups, resume=tmp_path / "none")
    with pytest.raises(ValueError, match="cannot be read"):
        model.fit(three_groups, resume=tmp_path)


def test_no_accident_goes_unseen(quick, three_groups, written):
    """Any byte changed: refused, or, where it has no meaning, the same fit."""
    whole = facts(make(quick, "FeatureSwarm", {}).fit(three_groups))
    content, rng = written.read_bytes(), np.random.default_rng(0)
    n_refused = 0
    for _ in range(150):
        data = bytearray(content)
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        written.write_bytes(bytes(data))
        try:
            assert_same(
                facts(make(quick, "FeatureSwarm", {}).fit(three_groups, resume=written)), whole
            )
        except Mismatch:
            n_refused += 1
    assert n_refused > 130


def forge(path, change):
    """Change what the file says and sum again, as somebody who means harm would."""
    content, arrays = read_archive(path.read_bytes(), name=DOCUMENT)
    change(content, arrays)
    write_archive(path, content, arrays, name=DOCUMENT)


@pytest.mark.parametrize(
    "change",
    [
        lambda c, a: c.update(format=2),
        lambda c, a: c.update(format="1"),
        lambda c, a: c.pop("seeds"),
        lambda c, a: c.update(seeds=[-1]),
        lambda c, a: c.update(seeds={"$pairs": []}),
        lambda c, a: c["searches"][0].update(number="3"),
        lambda c, a: c["searches"][0].update(number=0),
        lambda c, a: c["searches"][0].update(seconds={"$float": "nan"}),
        lambda c, a: c["searches"][0].update(extra=1),
        lambda c, a: c["searches"][0].update(callbacks=[["History", 3]]),
        lambda c, a: c["searches"][0].update(callbacks=[["History", {}]]),
        lambda c, a: c["searches"][0].update(rng={}),
        lambda c, a: c["searches"][0]["rng"].update(bit_generator="MT19937"),
        lambda c, a: c["searches"][0]["rng"].update(state="x"),
        lambda c, a: c["searches"][0]["state"].update(best_fitness=3),
        lambda c, a: c["searches"][0]["state"].pop("velocities"),
        lambda c, a: c["searches"][0]["state"].update(velocities=None),
        lambda c, a: c["searches"].append(c["searches"][0]),
        lambda c, a: a[0].__setitem__((0, 0), np.nan),
        lambda c, a: a[0].__setitem__((0, 0), np.inf),
        lambda c, a: a.__setitem__(0, a[0][:, :-1].copy()),
        lambda c, a: a.__setitem__(0, a[0].astype(np.float32)),
    ],
)
def test_a_forged_file_is_refused(change, quick, three_groups, written):
    forge(written, change)
    assert refusal(make(quick, "FeatureSwarm", {}), three_groups, written)


@pytest.mark.parametrize("label", [7.0, -2.0, 0.5, 1e300])
def test_forged_partitions_do_not_reach_compiled_code(label, quick, three_groups, tmp_path):
    path = tmp_path / "run.checkpoint"
    with pytest.raises(PowerCut):
        make(quick, "ProjectedSwarm", {}, Checkpoint(path, every=1), CutAfter(3)).fit(three_groups)
    forge(path, lambda c, a: a[0].__setitem__((0, 0), label))
    text = refusal(make(quick, "ProjectedSwarm", {}), three_groups, path)
    assert "positions that are not possible" in text


# Writing ------------------------------------------------------------------------------------


def test_the_file_is_plain_data(written):
    with zipfile.ZipFile(written) as archive:
        names = archive.namelist()
        content = json.loads(archive.read(DOCUMENT))
    assert names[0] == DOCUMENT
    assert all(name == DOCUMENT or name.endswith((".npy", "checksums.json")) for name in names)
    assert content["estimator"] == "FeatureSwarm"
    assert content["searches"][0]["number"] == 3


def test_a_full_disk_does_not_end_the_search(quick, three_groups, tmp_path, monkeypatch):
    path, force = tmp_path / "c", os.fsync
    sizes = []

    def fill(handle):
        if path.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        force(handle)

    monkeypatch.setattr(os, "fsync", fill)
    model = make(
        quick, "FeatureSwarm", {}, Checkpoint(path, every=2), lambda g: sizes.append(path.exists())
    )
    with pytest.warns(UserWarning, match=r"No space left.*the last one is kept"):
        model.fit(three_groups)
    assert os.listdir(tmp_path) == ["c"]
    monkeypatch.undo()
    whole = make(quick, "FeatureSwarm", {}).fit(three_groups)
    assert_same(facts(model), facts(whole))
    again = make(quick, "FeatureSwarm", {}).fit(three_groups, resume=path)
    assert_same(facts(again), facts(whole))


def test_a_path_that_cannot_be_written_is_said_before_the_work(quick, three_groups, tmp_path):
    for path in (tmp_path / "none" / "c", tmp_path):
        with pytest.raises(ValueError, match="give Checkpoint"):
            make(quick, "FeatureSwarm", {}, Checkpoint(path), CutAfter(0)).fit(three_groups)
    with pytest.raises(ValueError, match="every=0"):
        Checkpoint(tmp_path / "c", every=0)


def test_what_a_dead_process_left_is_cleared_away(quick, three_groups, tmp_path):
    (tmp_path / ".c.999999999.tmp").touch()
    (tmp_path / f".c.{os.getppid()}.tmp").touch()
    (tmp_path / ".c.x.tmp").touch()
    make(quick, "FeatureSwarm", {}, Checkpoint(tmp_path / "c")).fit(three_groups)
    left = {".c.x.tmp", f".c.{os.getppid()}.tmp", "c"}
    assert set(os.listdir(tmp_path)) == left


# Signals ------------------------------------------------------------------------------------


class SendAt:
    def __init__(self, *numbers, which=signal.SIGINT):
        self.numbers, self.which = list(numbers), which

    def __call__(self, generation):
        while generation.number in self.numbers:
            self.numbers.remove(generation.number)
            os.kill(os.getpid(), self.which)


@pytest.mark.parametrize(
    ("which", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")]
)
def test_the_first_signal_ends_with_the_best_so_far(which, name, quick, three_groups, tmp_path):
    path, before = tmp_path / "c", [signal.getsignal(each) for each in (signal.SIGINT, which)]
    model = make(quick, "FeatureSwarm", {}, SendAt(3, which=which), Checkpoint(path, every=100))
    with pytest.warns(SearchInterrupted, match=f"in generation 3 of 8 by {name}.*resume=") as seen:
        model.fit(three_groups)
    assert seen[0].filename == __file__
    assert model.n_iter_ == 3
    assert model.predict(three_groups).shape == (60,)
    assert [signal.getsignal(each) for each in (signal.SIGINT, which)] == before
    again = make(quick, "FeatureSwarm", {}).fit(three_groups, resume=path)
    assert_same(facts(again), facts(make(quick, "FeatureSwarm", {}).fit(three_groups)))


def test_a_second_ctrl_c_ends_at_once(quick, three_groups, tmp_path):
    model = make(quick, "FeatureSwarm", {}, SendAt(2, 2), Checkpoint(tmp_path / "c", every=1))
    with pytest.raises(KeyboardInterrupt):
        model.fit(three_groups)
    again = make(quick, "FeatureSwarm", {}).fit(three_groups, resume=tmp_path / "c")
    assert again.n_iter_ == 8
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_later_searches_of_a_stopped_fit_are_short_and_not_written(quick, three_groups, tmp_path):
    path = tmp_path / "c"
    model = make(quick, "StagedSwarm", {"stages": 3}, SendAt(3), Checkpoint(path, every=1))
    with pytest.warns(SearchInterrupted, match="in generation 3 of 8"):
        model.fit(three_groups)
    assert model.history_["stage"].tolist() == [2, 2, 2, 3]
    again = make(quick, "StagedSwarm", {"stages": 3}).fit(three_groups, resume=path)
    assert_same(facts(again), facts(make(quick, "StagedSwarm", {"stages": 3}).fit(three_groups)))


def test_without_a_checkpoint_it_says_so(quick, three_groups):
    with pytest.warns(SearchInterrupted, match=r"A callback Checkpoint\(path\) would"):
        model = make(quick, "FeatureSwarm", {}, SendAt(2), StopOnSignal()).fit(three_groups)
    assert model.n_iter_ == 2
    with pytest.raises(KeyboardInterrupt):  # nobody asked for anything else
        make(quick, "FeatureSwarm", {}, SendAt(2)).fit(three_groups)


def test_a_signal_after_the_search_is_not_swallowed(quick, three_groups, monkeypatch):
    keep = weft.FeatureSwarm._keep_history

    def keep_and_press(self, *given):
        keep(self, *given)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(weft.FeatureSwarm, "_keep_history", keep_and_press)
    model = make(quick, "FeatureSwarm", {}, StopOnSignal())
    with pytest.raises(KeyboardInterrupt):
        model.fit(three_groups)
    assert model.n_iter_ == 8  # all the same it is whole


def test_handlers_of_the_program_and_other_threads_are_left_alone(quick, three_groups):
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("program"))
    try:
        model = make(quick, "FeatureSwarm", {}, SendAt(2), StopOnSignal()).fit(three_groups)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["program"]
    assert model.n_iter_ == 8
    found = []

    def work():
        model = make(quick, "FeatureSwarm", {}, StopOnSignal())
        found.append(model.fit(three_groups).n_iter_)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [8]
