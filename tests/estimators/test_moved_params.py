"""Parameters that moved into records: old names warn, do the same, and are read from old files."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.callbacks import Patience, Progress
from weft.estimators._moved_params import read_records
from weft.kmeans.anomalous import AnomalousStart
from weft.methods.mercer import FeatureCenters, Kernel
from weft.methods.projected import Objective, SwarmSettings
from weft.methods.staged import ClusterEstimate
from weft.search.clusterers import DBSCAN, CompleteLinkage, KNNGraph
from weft.search.criteria import BCR, CSC
from weft.search.swarms import PSO, BinaryPSO
from weft.search.swarms.mepso import MEPSO
from weft.search.swarms.staged import StagedPSO

LIMIT = 15
CLASSES = [name for name in weft._PUBLIC if name[0].isupper()]
# Class, what used to be written, what is written now.
MOVES = [
    ("ProjectedSwarm", {"strength": 2.0}, {"objective": Objective(strength=2.0)}),
    (
        "ProjectedSwarm",
        {"objective": "lac", "strength": 2.0, "dispersion_floor": 0.0},
        {"objective": Objective("lac", 2.0, 0.0)},
    ),
    (
        "ProjectedSwarm",
        {"init": "random", "weight_init": "uniform", "bounds": "repair", "n_steps": 1},
        {"swarm": SwarmSettings("random", "uniform", "repair", n_steps=1)},
    ),
    ("ProjectedSwarm", {"max_iter": 300}, {"swarm": "clpso"}),  # the default anyway
    ("KernelSwarm", {"min_size": 0.1, "polish": False}, {"centers": FeatureCenters(0.1, 1, False)}),
    ("KernelSwarm", {"refine_steps": 2}, {"centers": FeatureCenters(refine_steps=2)}),
    ("KernelSwarm", {"centers": "input", "polish": False}, {"centers": "input"}),
    (
        "KernelSwarm",
        {"kernel": "polynomial", "kernel_params": {"degree": 2}},
        {"kernel": Kernel("polynomial", {"degree": 2})},
    ),
    ("KernelKMeans", {"kernel_params": {"gamma": 0.5}}, {"kernel": Kernel("rbf", {"gamma": 0.5})}),
    ("KernelSubtractive", {"kernel": "linear", "kernel_params": None}, {"kernel": "linear"}),
    (
        "KernelSwarm",
        {"swarm": "pso", "inertia": 0.5},
        {"swarm": MEPSO(0.5, 2.0, 2.0, elitist=False)},
    ),
    ("StagedSwarm", {"n_estimates": 3}, {"n_clusters_estimate": ClusterEstimate(n_estimates=3)}),
    (
        "StagedSwarm",
        {"n_clusters_estimate": 4, "k_spread": 3.0},
        {"n_clusters_estimate": ClusterEstimate(4, k_spread=3.0)},
    ),
    ("StagedSwarm", {"initial_velocity": 0.0}, {"swarm": StagedPSO(initial_velocity=0.0)}),
    ("WeightedKMeans", {"min_cluster_size": 5}, {"init": AnomalousStart(5)}),
    ("WeightedKMeans", {"pattern_offset": 0.5}, {"init": AnomalousStart(pattern_offset=0.5)}),
    ("WeightedKMeans", {"init": "random", "min_cluster_size": 5}, {"init": "random"}),
    ("ConstrainedKMeans", {"min_cluster_size": 5}, {"init": AnomalousStart(5)}),
    ("FeatureSwarm", {"clusterer_params": {"n_neighbors": 5}}, {"clusterer": KNNGraph(5)}),
    (
        "FeatureSwarm",
        {"clusterer": "dbscan", "clusterer_params": {"eps": 0.5}},
        {"clusterer": DBSCAN(0.5)},
    ),
    (
        "FeatureSwarm",
        {"criterion": "bcr", "criterion_params": {"outliers": "exclude"}},
        {"criterion": BCR("exclude")},
    ),
    ("FeatureSwarm", {"criterion_params": None}, {"criterion": "csc"}),
    ("FeatureSwarm", {"encoding": "binary"}, {"swarm": "binary"}),
    ("FeatureSwarm", {"encoding": "weights"}, {"swarm": "pso"}),
    (
        "FeatureSwarm",
        {"encoding": "binary", "max_velocity": 0.5},
        {"swarm": BinaryPSO(max_velocity=3.0)},
    ),
    ("FeatureSwarm", {"swarm": "standard", "inertia": 0.5}, {}),
]


@pytest.mark.parametrize("name", CLASSES)
def test_no_constructor_has_more_parameters_than_a_reader_takes_in(name):
    assert len(getattr(weft, name)().get_params()) <= LIMIT


@pytest.mark.parametrize(("name", "old", "new"), MOVES)
def test_old_names_mean_the_same_and_say_what_to_write(name, old, new):
    kind = getattr(weft, name)
    with pytest.warns(FutureWarning, match=f"of {name} moved into .*; pass ") as caught:
        model = kind(**old)
    assert caught[0].filename == __file__
    given = model.get_params()
    assert set(given) == set(kind().get_params())
    for parameter, value in new.items():
        assert given[parameter] == value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clone(model).get_params() == given
    by_old_names = {key: value for key, value in old.items() if key in kind._old_names()}
    others = {key: value for key, value in old.items() if key not in by_old_names}
    with pytest.warns(FutureWarning):
        assert kind(**others).set_params(**by_old_names).get_params() == given


@pytest.mark.parametrize(("name", "old", "new"), MOVES)
def test_parameters_of_older_files_are_read(name, old, new):
    kind = getattr(weft, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = kind._upgraded_params(dict(old))
    model = kind(**read)
    for parameter, value in new.items():
        assert getattr(model, parameter) == value


def test_settings_at_their_defaults_leave_the_short_form():
    old = {"strength": "auto", "dispersion_floor": 1e-4, "init": "k-means++", "verbose": 0}
    assert weft.ProjectedSwarm._upgraded_params(old) == {"objective": "psovw", "swarm": "clpso"}


def test_a_name_keeps_its_own_settings():
    with pytest.warns(FutureWarning):
        model = weft.FeatureSwarm(swarm="standard", inertia=0.5)
    assert model.swarm.social == pytest.approx(1.49618)  # not PSO's 1.5


def test_a_subclass_may_use_an_old_name_anew():
    class Mine(weft.ProjectedSwarm):
        def __init__(self, n_clusters=8, *, strength="high", random_state=None):
            super().__init__(n_clusters, random_state=random_state)
            self.strength = strength

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Mine(strength="low")
    assert (model.strength, model.objective) == ("low", "psovw")


def test_verbose_is_a_callback():
    patience = Patience(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is a short form, not an old name
        model = weft.StagedSwarm(verbose=1, callbacks=[patience])
        assert model.callbacks[0] is patience
        assert isinstance(model.callbacks[1], Progress)
        assert len(model.set_params(verbose=2).callbacks) == 2
        assert model.set_params(verbose=0).callbacks == [patience]


@pytest.mark.parametrize(
    "name",
    [
        *("AutoCluster", "FeatureSwarm", "StagedSwarm", "KernelSwarm", "ProjectedSwarm"),
        *("DynamicSwarm", "GeneticClustering"),
    ],
)
def test_every_search_knows_verbose(name):
    kind = getattr(weft, name)
    assert isinstance(kind(verbose=True).callbacks[0], Progress)
    assert not kind(verbose=False).callbacks
    assert isinstance(clone(kind(verbose=True)).callbacks[0], Progress)


def test_a_bar_is_shown_while_the_search_runs_and_closed_after(three_groups, monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "open", lambda self, title=None: seen.append(title))
    monkeypatch.setattr(Progress, "__call__", lambda self, generation: seen.append("generation"))
    monkeypatch.setattr(Progress, "close", lambda self: seen.append("closed"))
    weft.StagedSwarm(
        3,
        n_clusters_estimate=3,
        n_particles=6,
        n_generations=2,
        callbacks=[Progress()],
        random_state=0,
    ).fit(three_groups)
    stage = ["generation", "generation", "closed"]
    assert seen == ["stage 2", *stage, "stage 3", *stage]


def test_binary_pso_searches_bits(three_groups):
    settings = {"n_particles": 6, "n_generations": 3, "random_state": 0}
    model = weft.FeatureSwarm(swarm=BinaryPSO(), **settings).fit(three_groups)
    assert set(model.feature_weights_) <= {0.0, 1.0}
    with pytest.warns(FutureWarning):
        old = weft.FeatureSwarm(encoding="binary", **settings).fit(three_groups)
    np.testing.assert_array_equal(old.history_["mean_fitness"], model.history_["mean_fitness"])
    with pytest.raises(ValueError, match="encoding='binary' goes with PSO"):
        weft.FeatureSwarm(swarm="standard", encoding="binary")


def test_an_object_that_fixes_the_number_says_so(three_groups):
    settings = {"n_particles": 4, "n_generations": 1, "random_state": 0}
    model = weft.FeatureSwarm(CompleteLinkage(4), n_clusters=3, **settings)
    with pytest.warns(UserWarning, match="n_clusters=3 is not used: CompleteLinkage has its own"):
        assert model.fit(three_groups).n_clusters_ == 4


RECORDS = [
    ("FeatureSwarm", {"clusterer": DBSCAN(2.0, 3), "criterion": CSC(n_neighbors=3)}),
    ("FeatureSwarm", {"clusterer": CompleteLinkage(3), "swarm": PSO(inertia=0.6)}),
    ("ProjectedSwarm", {"objective": Objective("lac", 2.0), "swarm": SwarmSettings(n_steps=1)}),
    ("KernelSwarm", {"kernel": Kernel("linear"), "centers": FeatureCenters(polish=False)}),
    ("KernelKMeans", {"kernel": Kernel("polynomial", {"degree": 2})}),
    ("StagedSwarm", {"n_clusters_estimate": ClusterEstimate(3, k_spread=2.0)}),
    ("WeightedKMeans", {"init": AnomalousStart(3, 0.1)}),
]


@pytest.mark.parametrize(("name", "records"), RECORDS)
def test_records_are_kept_in_model_files(name, records, quick, three_groups, tmp_path):
    if name == "FeatureSwarm":
        records = {"n_clusters": None, **records}
    model = quick(name, **records).fit(three_groups)
    model.save(tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    for parameter, value in records.items():
        assert getattr(loaded, parameter) == value
    np.testing.assert_array_equal(loaded.predict(three_groups), model.predict(three_groups))


WRONG = [
    (Objective, {"name": "kmeans"}, "objective='kmeans' is not known"),
    (Objective, {"strength": 0.0}, "strength=0.0 must be"),
    (Objective, {"strength": "high"}, "strength='high' is not known"),
    (Objective, {"dispersion_floor": -1.0}, "dispersion_floor=-1.0 must be"),
    (SwarmSettings, {"init": "best"}, "init='best' is not known"),
    (SwarmSettings, {"weight_init": "zero"}, "weight_init='zero' is not known"),
    (SwarmSettings, {"bounds": "wrap"}, "bounds='wrap' is not known"),
    (SwarmSettings, {"inertia": 0.9}, "inertia=0.9 must be two numbers"),
    (SwarmSettings, {"acceleration": -1.0}, "acceleration=-1.0 must be"),
    (SwarmSettings, {"n_steps": 0}, "n_steps=0 must be"),
    (SwarmSettings, {"max_iter": 0}, "max_iter=0 must be"),
    (Kernel, {"name": "gauss"}, "kernel='gauss' is not known"),
    (FeatureCenters, {"min_size": 0.6}, "min_size=0.6 must be"),
    (FeatureCenters, {"refine_steps": -1}, "refine_steps=-1 must be"),
    (ClusterEstimate, {"n_clusters": 0}, "n_clusters_estimate=0 must be"),
    (ClusterEstimate, {"n_estimates": 0}, "n_estimates=0 must be"),
    (ClusterEstimate, {"k_spread": 0.0}, "k_spread=0.0 must be"),
    (AnomalousStart, {"min_cluster_size": -1}, "min_cluster_size=-1 must be"),
    (AnomalousStart, {"pattern_offset": -1}, "pattern_offset=-1 must be"),
    (FeatureCenters, {"polish": "yes"}, "polish='yes' is not known"),
    (MEPSO, {"bounds": (1.0, 0.0)}, r"bounds\[1\]=0.0 must be"),
    (MEPSO, {"elitist": "no"}, "elitist='no' is not known"),
    (MEPSO, {"n_generations": 0}, "n_generations=0 must be"),
    (MEPSO, {"initial_velocity": -1.0}, "initial_velocity=-1.0 must be"),
]


@pytest.mark.parametrize(("kind", "settings", "sentence"), WRONG)
def test_records_check_their_settings(kind, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        kind(**settings)


def test_tables_of_settings_become_records():
    given = {"clusterer": {"name": "dbscan", "eps": 0.5}, "swarm": {"inertia": 0.6}, "patience": 3}
    assert read_records(weft.FeatureSwarm, given) == {
        "clusterer": DBSCAN(0.5),
        "swarm": PSO(inertia=0.6),
        "patience": 3,
    }
    assert read_records(weft.FeatureSwarm, {"criterion": {"name": "bcr"}}) == {"criterion": "bcr"}
    with pytest.raises(ValueError, match="PSO has no setting 'speed'; it takes: inertia"):
        read_records(weft.FeatureSwarm, {"swarm": {"speed": 1.0}})
