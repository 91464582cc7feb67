"""What clusterers, criteria and swarms declare: defaults, limits, memory, and where they run."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.cluster

from weft.backends.spaces import INFEASIBLE, Solution
from weft.search import checkpointing
from weft.search.callbacks import Checkpoint, History, Patience, StopOnSignal
from weft.search.clusterers import (
    CLUSTERERS,
    DBSCAN,
    Clusterer,
    CompleteLinkage,
    KNNGraph,
    clusterer_with,
    make_clusterer,
    name_of,
)
from weft.search.criteria import (
    CRITERIA,
    CSC,
    Criterion,
    Silhouette,
    criterion_with,
    make_criterion,
)
from weft.search.criteria.base import FunctionCriterion
from weft.search.objectives import _key
from weft.search.swarms import PSO, SWARMS, BinaryPSO, StandardPSO, make_swarm
from weft.search.swarms.staged import StagedPSO


def defaults(kind):
    return {
        each.name: each.default
        for each in dataclasses.fields(kind)
        if each.init and each.default is not dataclasses.MISSING
    }


@pytest.mark.parametrize(
    ("name", "settings", "needs"),
    [
        # matrices, precision, bytes of a pair, works on a GPU, can be recorded there
        ("knn", {"n_neighbors": 3}, (0, "float32", 0, True, True)),
        ("dbscan", {"eps": None, "min_samples": 5}, (0, "float32", 1, True, False)),
        ("linkage", {"n_clusters": None}, (2, "float32", 20, True, False)),
        (
            "affinity",
            {"damping": 0.5, "preference": None, "max_iter": 200, "convergence_iter": 15},
            (6, "float32", 20, True, False),
        ),
    ],
)
def test_clusterers(name, settings, needs):
    kind = CLUSTERERS[name]
    assert defaults(kind) == settings
    made = make_clusterer(name, None, n_clusters=2 if name == "linkage" else None, seed=0)
    found = (made.n_matrices, made.precision, made.pair_bytes, made.on_gpu, made.recordable)
    assert found == needs
    assert name_of(name) == name_of(made) == name


class Own(Clusterer):
    """A clusterer of a user."""


class OwnCriterion(Criterion):
    """A criterion of a user."""


def test_what_a_users_own_parts_are_taken_to_need():
    own = Own()
    assert (own.n_matrices, own.precision, own.pair_bytes) == (0, "float64", 20)
    assert (own.on_gpu, own.recordable) == (True, False)
    assert own.prepare(None) is own
    assert name_of(own) == ""
    with pytest.raises(NotImplementedError):
        own.cluster(None)
    other = OwnCriterion()
    assert (other.labels_only, other.n_matrices, other.number_bytes) == (False, 0, 0)
    assert (other.on_gpu, other.needs_screening, other.recordable) == (True, False, False)
    assert other.prepare(None) is other
    with pytest.raises(NotImplementedError):
        other.score(None, None)


USUAL = {"outliers": "cluster"}


@pytest.mark.parametrize(
    ("name", "settings", "needs"),
    [
        # labels decide alone, matrices, bytes of a number, screening, can be recorded on a GPU
        (
            "csc",
            {"silhouette": "weighted", "connectedness": "full", "n_neighbors": 5, "cap": 10.0},
            (False, 0, 0, False, True),
        ),
        ("bcr", {"artificial_noise": 0.1}, (True, 0, 32, False, False)),
        ("bic", {"artificial_noise": 0.1}, (True, 0, 32, False, False)),
        ("silhouette", {"features": "weighted"}, (False, 0, 0, False, True)),
        (
            "connectedness",
            {"features": "full", "n_neighbors": 5, "cap": 10.0},
            (False, 0, 0, False, True),
        ),
        ("sparsity", {"features": "weighted"}, (False, 0, 0, False, False)),
        ("separation", {"features": "weighted"}, (False, 0, 0, False, False)),
        ("robust", {"n_neighbors": 10}, (True, 0, 0, True, False)),
    ],
)
def test_criteria(name, settings, needs):
    assert defaults(CRITERIA[name]) == USUAL | settings
    made = make_criterion(name)
    found = (made.labels_only, made.n_matrices, made.number_bytes, made.needs_screening)
    assert (*found, made.recordable) == needs
    assert made.on_gpu
    assert type(made) is CRITERIA[name]


def test_a_gpu_records_what_needs_no_space_of_all_features():
    assert not CSC(silhouette="full").recordable
    assert not Silhouette(features="full").recordable


SPACES = SimpleNamespace(
    n_rows=6,
    likely_neighbours=lambda k: f"guess of {k}",
    neighbours=lambda k: f"{k} neighbours",
    table=lambda: np.arange(6.0)[:, np.newaxis],
)


@pytest.mark.parametrize("kind", [KNNGraph, CRITERIA["connectedness"], CSC, CRITERIA["robust"]])
def test_what_is_prepared_is_no_setting(kind):
    made = kind()
    prepared = made.prepare(SPACES)
    assert prepared is not made
    assert prepared == made
    assert repr(prepared) == repr(made)
    assert hash(prepared) == hash(made)
    for each in dataclasses.fields(kind):
        if not each.init:
            assert each.name not in repr(prepared)
            with pytest.raises(TypeError, match="unexpected keyword"):
                kind(**{each.name: None})


def test_neighbours_of_a_graph():
    assert KNNGraph(2).prepare(SPACES).guess == "guess of 3"
    assert KNNGraph(5).prepare(SPACES).n_neighbors == 5
    with pytest.raises(ValueError, match="n_neighbors=6 needs more than 6 samples, got 6"):
        KNNGraph(6).prepare(SPACES)
    with pytest.raises(ValueError, match="n_neighbors=0"):
        KNNGraph(0)
    connected = CRITERIA["connectedness"](n_neighbors=4)
    assert connected.prepare(SPACES).neighbours == "4 neighbours"
    weighted = CRITERIA["connectedness"](features="weighted")
    assert weighted.prepare(SPACES) is weighted
    assert CRITERIA["robust"](n_neighbors=9).prepare(SPACES).graph.shape == (6, 5)


def test_linkage_needs_a_number_of_clusters():
    assert CompleteLinkage(2).prepare(SPACES).n_clusters == 2
    assert CompleteLinkage(6).prepare(SPACES).n_clusters == 6
    with pytest.raises(ValueError, match="n_clusters=7 is more than the 6 samples"):
        CompleteLinkage(7).prepare(SPACES)
    with pytest.raises(ValueError, match="n_clusters=1"):
        CompleteLinkage(1)
    with pytest.raises(ValueError, match="pass n_clusters=K"):
        CompleteLinkage()


def test_rows_in_any_cluster_of_an_object_are_anchors():
    class Given(sklearn.cluster.DBSCAN):
        def fit_predict(self, X):
            return np.array([5, -1, 3, 5])

    spaces = SimpleNamespace(distances=lambda: np.zeros((1, 4, 4)))
    found = make_clusterer(Given(), None, n_clusters=None, seed=0).cluster(spaces)
    assert found.labels.tolist() == [[0, -1, 1, 0]]
    assert found.anchors.tolist() == [[True, False, True, True]]


# Other settings --------------------------------------------------------------------------------


def test_a_clusterer_with_other_settings():
    assert clusterer_with("knn", None) == "knn"
    assert clusterer_with("knn", {"n_neighbors": 4}) == KNNGraph(4)
    given = DBSCAN(eps=0.5)
    assert clusterer_with(given, {}) is given
    assert clusterer_with(given, {"min_samples": 7}) == DBSCAN(0.5, 7)
    with pytest.raises(ValueError, match="'ward' is not known"):
        clusterer_with("ward", {"n_clusters": 3})
    assert name_of(sklearn.cluster.OPTICS()) == ""


def test_a_number_of_clusters_that_is_not_used():
    assert make_clusterer("linkage", None, n_clusters=4, seed=0) == CompleteLinkage(4)
    own = {"n_clusters": 3}
    assert make_clusterer("linkage", own, n_clusters=4, seed=0) == CompleteLinkage(3)
    assert own == {"n_clusters": 3}
    with pytest.warns(UserWarning, match="n_clusters=4 is not used: clusterer='knn' finds"):
        make_clusterer("knn", None, n_clusters=4, seed=0)
    given = KNNGraph(4)
    with pytest.warns(UserWarning, match="KNNGraph has its own settings"):
        assert make_clusterer(given, None, n_clusters=4, seed=0) is given
    assert make_clusterer(given, None, n_clusters=None, seed=0) is given
    with pytest.raises(ValueError, match="needs the name of a clusterer"):
        make_clusterer(given, {"n_neighbors": 3}, n_clusters=None, seed=0)


def test_a_criterion_with_other_settings():
    assert criterion_with("csc", None) == "csc"
    assert criterion_with("csc", {"cap": 3.0}) == CSC(cap=3.0)
    given = CSC(n_neighbors=2)
    assert criterion_with(given, {}) is given
    assert criterion_with(given, {"cap": 3.0}) == CSC(n_neighbors=2, cap=3.0)
    assert make_criterion(given) is given
    with pytest.raises(ValueError, match="needs the name of a criterion"):
        make_criterion(given, {"cap": 3.0})


def test_functions_as_criteria():
    made = make_criterion(max)  # a compiled function has no signature
    assert isinstance(made, FunctionCriterion)
    with pytest.raises(TypeError, match="two arguments"):
        make_criterion(lambda X: 0.0)
    # Each particle's own columns; a single cluster is not given to the function.
    spaces = SimpleNamespace(
        to_host=lambda labels: labels, selected_columns=lambda particle: 10.0 * particle
    )
    labels = np.array([[0, 1, 1], [0, 0, 0], [-1, 0, -1], [2, 0, 1], [-1, 1, 0]])
    scores = FunctionCriterion(lambda columns, own: columns + own.max()).score(spaces, labels)
    assert scores.tolist() == [1.0, INFEASIBLE, INFEASIBLE, 32.0, 41.0]


# Swarms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (PSO, (0.73, 1.5, 1.5, 1.0, 2.0)),
        (BinaryPSO, (0.73, 1.5, 1.5, 6.0, 2.0)),
        (StandardPSO, (0.729844, 1.49618, 1.49618, 6.0, 0.0)),
        (StagedPSO, (0.729844, 1.49618, 1.49618, 6.0, None)),
    ],
)
def test_swarms(kind, settings):
    assert dataclasses.astuple(kind()) == settings


def test_swarms_by_name_or_as_objects():
    for name, kind in SWARMS.items():
        assert make_swarm(name) == kind()
    given = PSO(inertia=0.5)
    assert make_swarm(given) is given
    for wrong in (PSO, 3, object()):
        with pytest.raises(TypeError, match="neither a known name nor a swarm"):
            make_swarm(wrong)
    with pytest.raises(ValueError, match="'bees' is not known"):
        make_swarm("bees")


def test_bits_move_six_times_as_fast():
    found = BinaryPSO.of(PSO(0.1, 0.2, 0.3, 0.5, 0.7))
    assert found == BinaryPSO(0.1, 0.2, 0.3, 3.0, 0.7)
    assert BinaryPSO.moves_bits
    assert not getattr(PSO, "moves_bits", False)


@pytest.mark.parametrize(
    ("given", "stage", "polished", "first"),
    [
        (None, 2, False, 5.0),
        (None, 3, False, 5.0),
        (None, 2, True, 0.0),
        (None, 3, True, 0.0),
        (0.5, 2, False, 0.5),
        (0.5, 2, True, 0.5),
        (0.5, 3, False, 5.0),  # all particles of stage 3 start at one position
        (0.5, 3, True, 0.0),
        (0.0, 2, False, 0.0),
    ],
)
def test_first_velocities_of_a_stage(given, stage, polished, first):
    swarm = StagedPSO(0.1, 0.2, 0.3, 5.0, given).at_stage(stage, polished=polished)
    assert swarm == StandardPSO(0.1, 0.2, 0.3, 5.0, first)


def test_settings_of_a_staged_swarm_are_checked_at_once():
    for wrong in ({"inertia": np.nan}, {"max_velocity": -1.0}, {"initial_velocity": -1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            StagedPSO(**wrong)


# Callbacks and keys ------------------------------------------------------------------------------


def test_what_callbacks_declare(tmp_path):
    assert Patience.settled
    assert not hasattr(History, "settled")
    assert StopOnSignal.on_signals
    assert Checkpoint.on_signals
    made = Checkpoint(tmp_path / "run")
    assert made.every == 10
    assert [number for number in range(1, 31) if made.due(number)] == [10, 20, 30]
    assert Checkpoint("run", every=1).due(7)
    with pytest.raises(ValueError, match="every=0"):
        Checkpoint("run", every=0)
    assert made(None) is None
    assert StopOnSignal()(None) is None


@pytest.mark.parametrize(
    ("error", "lives"), [(None, True), (ProcessLookupError, False), (PermissionError, True)]
)
def test_which_processes_are_running(error, lives, monkeypatch):
    asked = []

    def kill(process, signal):
        asked.append((process, signal))
        if error is not None:
            raise error

    monkeypatch.setattr(checkpointing.os, "kill", kill)
    assert checkpointing._lives(77) is lives
    assert asked == [(77, 0)]  # signal 0 only asks


def test_solutions_have_different_keys():
    weights = np.array([1.0, 2.0])
    keys = {
        _key(Solution(weights)),
        _key(Solution(weights, np.full(2, 2.0))),
        _key(Solution(weights, np.array([2.0, 1.0]))),
        _key(Solution(weights[::-1].copy())),
    }
    assert len(keys) == 4
    assert _key(Solution(weights.copy())) in keys
