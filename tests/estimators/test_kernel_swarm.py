"""KernelSwarm and the rivals: scikit-learn's contract, what is promised, whole runs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import weft
from weft import DynamicSwarm, GeneticClustering, KernelKMeans, KernelSubtractive, KernelSwarm
from weft.datasets import make_shapes
from weft.methods.mercer import FeatureCenters, InputCenters, Kernel
from weft.metrics import accuracy
from weft.search.reached import Reached
from weft.search.swarms.mepso import MEPSO

PRINTED = {"kernel": "rbf", "centers": "input", "sigma": 1.1, "patience": None}


@parametrize_with_checks(
    [KernelSwarm(), GeneticClustering(), DynamicSwarm(), KernelKMeans(), KernelSubtractive()]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("shape", ["rings", "moons", "dish-shell", "blobs", "ellipses"])
def test_the_defaults_find_shapes_and_their_number(shape):
    found = make_shapes(shape, n_samples=240, random_state=0)
    model = KernelSwarm(random_state=0).fit(found.data)
    assert model.n_clusters_ == found.target.max() + 1
    assert accuracy(found.target, model.labels_) > 0.97
    assert (model.predict(found.data) == model.labels_).mean() > 0.99
    # New rows of the same shape go where they belong.
    fresh = make_shapes(shape, n_samples=120, random_state=9)
    assert accuracy(fresh.target, model.predict(fresh.data)) > 0.95


MODELS = [
    KernelSwarm(sigma=16.0, n_generations=8),
    KernelSwarm("rbf", sigma="median", n_generations=8),
    KernelSwarm(**PRINTED, n_generations=8),
    KernelSwarm(**PRINTED, swarm="pso", n_generations=8),
    GeneticClustering(n_generations=8),
    DynamicSwarm(n_rounds=2, n_generations=6),
    KernelKMeans(3, n_init=5),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_no_bit_depends_on_the_threads(model):
    X = make_shapes("rectangles", n_samples=100, random_state=0).data
    results = [
        model.set_params(n_jobs=n, random_state=1).fit(X) and vars(model).copy() for n in (1, 2, 3)
    ]
    for other in results[1:]:
        assert (other["labels_"] == results[0]["labels_"]).all()
        assert other["fitness_"] == results[0]["fitness_"]


@pytest.mark.parametrize("model", [*MODELS, KernelSubtractive(5)], ids=str)
def test_predict_repeats_fit_on_separate_blobs(model):
    X = make_shapes("blobs", n_samples=80, noise=0.2, random_state=0).data
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    assert (model.fit_predict(X) == model.predict(X)).mean() > 0.95


@pytest.mark.parametrize(
    "model",
    [
        KernelSwarm(n_generations=3),
        KernelSwarm(**PRINTED),
        GeneticClustering(n_generations=3),
        DynamicSwarm(n_rounds=1, n_generations=3),
    ],
    ids=str,
)
def test_equal_rows_are_one_cluster(model):
    with pytest.warns(ConvergenceWarning, match="all rows are in one"):
        model.set_params(n_generations=3, random_state=0).fit(np.ones((10, 2)))
    assert model.n_clusters_ == 1
    assert model.predict([[1.0, 1.0]]).tolist() == [0]


def test_the_printed_form_has_straight_borders():
    # Two centres cut the plane by a line: no line gets 3/4 of concentric rings right.
    rings = make_shapes("rings", n_samples=200, random_state=0)
    model = KernelSwarm(**PRINTED, max_clusters=2, n_generations=60, random_state=0)
    assert accuracy(rings.target, model.fit_predict(rings.data)) < 0.75


def test_kernel_kmeans_separates_rings_when_k_is_given():
    rings = make_shapes("rings", n_samples=300, random_state=0)
    model = KernelKMeans(2, sigma=0.6, n_init=20, random_state=0).fit(rings.data)
    assert accuracy(rings.target, model.labels_) == 1.0
    assert model.inertia_ == pytest.approx(model.history_["inertia"].min())


@pytest.mark.parametrize(
    "model",
    [GeneticClustering(n_generations=150), DynamicSwarm(n_rounds=5), KernelSubtractive(4)],
    ids=str,
)
def test_the_rivals_find_blobs(model):
    blobs = make_shapes("blobs", n_samples=200, random_state=1)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    assert accuracy(blobs.target, model.fit_predict(blobs.data)) > 0.97
    assert model.n_clusters_ == 4


def test_twins_and_constant_columns():
    X = np.repeat(np.array([[0.0, 5.0], [1.0, 5.0], [9.0, 5.0]]), 12, axis=0)
    model = KernelSwarm(n_generations=10, random_state=0).fit(X)
    assert 2 <= model.n_clusters_ <= 3
    for start in (0, 12, 24):
        assert len(set(model.labels_[start : start + 12])) == 1


def test_the_least_size_is_kept():
    X = make_shapes("moons", n_samples=150, random_state=0).data
    model = KernelSwarm(
        "rbf", sigma=0.3, centers=FeatureCenters(min_size=0.1), n_generations=20, random_state=0
    ).fit(X)
    assert np.bincount(model.labels_).min() >= 15
    assert model.sigma_ == 0.3
    assert KernelSwarm("linear", n_generations=2, random_state=0).fit(X).sigma_ is None


def test_evaluations_are_counted_over_all_widths():
    blobs = make_shapes("blobs", n_samples=80, random_state=0)
    reached = Reached(blobs.target, threshold=0.9)
    model = KernelSwarm(callbacks=[reached], n_generations=5, patience=None, random_state=0)
    model.fit(blobs.data)
    assert model.n_evaluations_ == 40 * 5 * 8
    assert model.n_iter_ == 5
    assert 40 <= reached.n_evaluations <= model.n_evaluations_


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelSwarm("gauss"), "kernel='gauss' is not known"),
        (KernelSwarm(sigma="wide"), "sigma='wide' is not known"),
        (KernelSwarm(sigma=0.0), "sigma=0.0 must be"),
        (KernelSwarm(centers="input"), "needs kernel='rbf'"),
        (KernelSwarm("rbf", centers="input"), "give sigma as a number"),
        (KernelSwarm(swarm="bees"), "swarm='bees' is not known"),
        (KernelSwarm(max_memory="1KB"), "fit a sample of the rows"),
        (GeneticClustering(mutation=2.0), "mutation=2.0 must be"),
        (DynamicSwarm(initial_share=-1.0), "initial_share=-1.0 must be"),
        (KernelKMeans(99), "n_clusters=99 must be between 1 and 20"),
        (KernelSubtractive(3, alpha=0.0), "alpha=0.0 must be"),
    ],
)
def test_errors_say_what_to_do(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(np.random.default_rng(0).normal(size=(20, 3)))


def test_settings_of_the_swarm_are_checked():
    with pytest.raises(ValueError, match="first and last"):
        MEPSO(cognitive=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match=r"social=-1.0 must be"):
        MEPSO(social=-1.0)
    with pytest.raises(ValueError, match="first and last"):
        KernelSwarm(cognitive=(1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("old", "record"),
    [
        ({"inertia": 0.6, "cognitive": 1.5}, MEPSO(0.6, (1.5, 1.5))),
        ({"swarm": "pso", "social": (2.4, 0.35)}, MEPSO(0.75, 2.0, (2.4, 0.35), elitist=False)),
        ({"inertia": None, "max_velocity": 0.5}, MEPSO(max_velocity=0.5)),
    ],
)
def test_old_names_of_the_swarms_settings_keep_working(old, record, tmp_path):
    X = make_shapes("rectangles", n_samples=100, random_state=0).data
    quick = {"sigma": 16.0, "n_particles": 8, "n_generations": 5, "random_state": 1}
    with pytest.warns(FutureWarning, match="moved into swarm; pass swarm=MEPSO"):
        model = KernelSwarm(**quick, **old)
    assert model.swarm == record
    expected = KernelSwarm(swarm=record, **quick).fit(X)
    found = clone(model).fit(X)
    assert found.fitness_ == expected.fitness_
    assert (found.labels_ == expected.labels_).all()
    found.save(tmp_path / "kernel.weft")
    assert weft.load(tmp_path / "kernel.weft").swarm == record


def test_names_of_swarms_are_the_settings_of_table_2():
    X = make_shapes("blobs", n_samples=80, random_state=0).data
    quick = {"sigma": 16.0, "n_particles": 8, "n_generations": 5, "random_state": 1}
    for name, record in (("mepso", MEPSO()), ("pso", MEPSO(0.75, 2.0, 2.0, elitist=False))):
        one = KernelSwarm(swarm=name, **quick).fit(X)
        two = KernelSwarm(swarm=record, **quick).fit(X)
        assert (one.history_["mean_fitness"] == two.history_["mean_fitness"]).all()


@pytest.mark.parametrize(("steps", "n_iter"), [(0, 1), (1, 1), (2, 2), (7, 7)])
def test_the_best_of_several_starts_is_kept(steps, n_iter, monkeypatch):
    given = []

    def kernel_kmeans(gram, starts, max_iter, n_threads):
        given.append((gram, [len(set(start.tolist())) for start in starts], max_iter, n_threads))
        labels = np.array([[0, 0, 0, 0], [2, 0, 2, 0], [0, 1, 0, 1]])
        return labels, np.array([3, steps, 9]), np.array([5.0, 4.0, 6.0])

    backend = SimpleNamespace(mercer=SimpleNamespace(kernel_kmeans=kernel_kmeans))
    monkeypatch.setattr(KernelKMeans, "_make_space", lambda *_: (backend, "gram"))
    model = KernelKMeans(3, n_init=3, max_iter=9, n_jobs=1)
    model._fit_rows(np.ones((4, 2)), 0)
    assert given == [("gram", [3, 3, 3], 9, 1)]
    assert model.labels_.tolist() == [0, 1, 0, 1]
    assert (model.n_clusters_, model.inertia_, model.fitness_) == (2, 4.0, -4.0)
    assert model.n_iter_ == n_iter
    history = {name: values.tolist() for name, values in model.history_.items()}
    assert history == {"start": [0, 1, 2], "inertia": [5.0, 4.0, 6.0], "n_iter": [3, steps, 9]}


def test_a_round_starts_after_the_evaluations_of_those_before(three_groups):
    class Recorded(DynamicSwarm):
        def _search(self, *args, n_evaluations_before, columns, **kwargs):
            starts.append((columns["round"], n_evaluations_before))
            return super()._search(
                *args, n_evaluations_before=n_evaluations_before, columns=columns, **kwargs
            )

    starts = []
    Recorded(n_rounds=3, n_particles=5, n_generations=2, random_state=0).fit(three_groups)
    assert starts == [(0, 0), (1, 10), (2, 20)]


@pytest.mark.parametrize("repairs", ["decoded", "printed"])
def test_gamma_of_a_gaussian_kernel_is_its_width(repairs):
    # exp(-γ r²) = exp(-r² / 2σ²) for γ = 1 / 2σ², so γ = 0.125 is σ = 2, whatever sigma says.
    rows = make_shapes("blobs", n_samples=60, random_state=0).data
    settings = {"n_particles": 5, "n_generations": 3, "random_state": 0}
    given = Kernel("rbf", {"gamma": 0.125})
    for centers in (InputCenters(repairs), "feature-space"):
        by_width = KernelSwarm("rbf", centers=centers, sigma=2.0, **settings).fit(rows)
        for sigma in ("stability", "median", 7.0):
            model = KernelSwarm(given, centers=centers, sigma=sigma, **settings).fit(rows)
            assert model.sigma_ == 2.0
            assert model.n_evaluations_ == 15
            assert model.fitness_ == by_width.fitness_
    for kind in (KernelKMeans(3, random_state=0), KernelSubtractive(3)):
        model = kind.set_params(kernel=given).fit(rows)
        assert model.sigma_ == 2.0
        assert model.fitness_ == kind.set_params(kernel="rbf", sigma=2.0).fit(rows).fitness_
    with pytest.raises(ValueError, match=r"gamma=0\.0"):
        KernelKMeans(3, kernel=Kernel("rbf", {"gamma": 0.0})).fit(rows)
