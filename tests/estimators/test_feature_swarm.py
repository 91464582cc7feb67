"""`FeatureSwarm` as a user meets it."""

import inspect
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from weft import FeatureSwarm
from weft.datasets import add_noise_features
from weft.estimators import feature_swarm
from weft.metrics import pair_f
from weft.search.clusterers import KNNGraph
from weft.search.swarms import PSO, SWARMS, BinaryPSO

VARIANTS = [
    {},
    {"criterion": "bcr"},
    {"clusterer": "dbscan"},
    {"clusterer": "linkage", "n_clusters": 3},
    {"clusterer": "affinity"},
    {"exponents": True},
    {"swarm": "binary"},
    {"init": "small"},
    {"clusterer": AgglomerativeClustering(3, linkage="average")},
]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, 6, centers=3, cluster_std=1.5, random_state=0)


def test_scikit_learns_contract():
    with warnings.catch_warnings():
        # Tiny tables have no clusters, and the checks set n_clusters: the estimator says both.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "n_clusters=. is not used")
        results = check_estimator(FeatureSwarm(), on_skip=None)
    assert len(results) > 40
    assert all(result["expected_to_fail"] is False for result in results)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_same_seed_same_bits_for_any_number_of_threads(variant, blobs):
    X, _ = blobs
    first, second, third = (
        FeatureSwarm(**variant, n_generations=6, n_jobs=n_jobs, random_state=3).fit(X)
        for n_jobs in (1, 2, 2)
    )
    for other in (second, third):
        np.testing.assert_array_equal(other.labels_, first.labels_)
        np.testing.assert_array_equal(other.feature_weights_, first.feature_weights_)
        assert other.fitness_ == first.fitness_
        np.testing.assert_array_equal(
            other.history_["mean_fitness"], first.history_["mean_fitness"]
        )


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_what_a_fitted_model_says_fits_together(variant, blobs):
    X, y = blobs
    model = FeatureSwarm(**variant, n_generations=6, random_state=0).fit(X)
    assert model.labels_.shape == (90,)
    assert model.n_clusters_ == len(set(model.labels_) - {-1}) >= 2
    assert model.feature_weights_.shape == (6,)
    assert (model.feature_weights_ >= 0).all()
    assert (model.feature_exponents_ is not None) == bool(variant.get("exponents"))
    assert model.n_iter_ == len(model.history_["generation"]) <= 6
    # The search runs in single precision; the winner is scored again in double.
    assert model.history_["best_fitness"][-1] == pytest.approx(model.fitness_, rel=1e-5)
    assert (np.diff(model.history_["best_fitness"]) >= 0).all()
    assert model.history_["n_clusters"][-1] == model.n_clusters_
    assert model.history_["n_features"][-1] == model.get_support().sum()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert pair_f(y, model.labels_) > 0.5
    weighted = model.transform(X)
    np.testing.assert_array_equal(
        weighted, (X * model.feature_weights_)[:, model.get_support(indices=True)]
    )


def test_rows_not_seen(blobs):
    X, _ = blobs
    model = FeatureSwarm(random_state=0).fit(X)
    shifted = X + 1e-9
    np.testing.assert_array_equal(model.predict(shifted), model.labels_)
    far = FeatureSwarm("dbscan", random_state=0).fit(X)
    assert (far.predict(X + 1000.0) == -1).all()


def test_weights_move_off_noise_columns():
    X, y = make_blobs(150, 4, centers=3, cluster_std=0.8, random_state=1)
    noisy = add_noise_features(StandardScaler().fit_transform(X), 8, random_state=0)
    model = FeatureSwarm("linkage", n_clusters=3, init="mixed", random_state=0)
    model.fit(noisy.data)
    share = model.feature_weights_[4:].sum() / model.feature_weights_.sum()
    assert share < 8 / 12
    assert pair_f(y, model.labels_) > 0.9


def test_patience_none_runs_all_generations(blobs):
    X, _ = blobs
    model = FeatureSwarm(patience=None, n_generations=9, n_particles=4, random_state=0).fit(X)
    assert model.n_iter_ == 9


def test_callbacks_see_every_generation_and_may_stop(blobs):
    X, _ = blobs
    seen = []
    model = FeatureSwarm(
        callbacks=[lambda generation: seen.append(generation.number) or generation.number == 2],
        random_state=0,
    ).fit(X)
    assert seen == [1, 2]
    assert model.n_iter_ == 2


def test_names_and_containers():
    frame = load_iris(as_frame=True).data
    model = make_pipeline(
        StandardScaler(), FeatureSwarm("linkage", n_clusters=3, random_state=0)
    ).set_output(transform="pandas")
    out = model.fit_transform(frame)
    kept = model[-1].get_support()
    assert list(out.columns) == list(frame.columns[kept])
    assert list(model.get_feature_names_out()) == list(frame.columns[kept])


def test_float32_fortran_order_and_read_only_give_the_same_answer(blobs):
    X = blobs[0].astype(np.float32)
    expected = FeatureSwarm(n_generations=4, random_state=0).fit(X.astype(np.float64))
    read_only = np.asfortranarray(X, dtype=np.float64)
    read_only.setflags(write=False)
    for table in (X, read_only):
        model = clone(expected).fit(table)
        np.testing.assert_array_equal(model.feature_weights_, expected.feature_weights_)


def test_rows_that_cannot_be_split_are_said_so():
    X = np.ones((20, 3))
    with pytest.warns(ConvergenceWarning, match="no particle split the rows"):
        model = FeatureSwarm(random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert model.fitness_ == -np.inf
    np.testing.assert_array_equal(model.labels_, 0)
    np.testing.assert_array_equal(model.feature_weights_, 1.0)
    np.testing.assert_array_equal(model.predict(X), 0)


def test_n_clusters_that_is_not_used_is_said_so(blobs):
    with pytest.warns(UserWarning, match="n_clusters=5 is not used"):
        FeatureSwarm(n_clusters=5, n_generations=1, random_state=0).fit(blobs[0])


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"clusterer": "kmeans"}, ValueError, "clusterer='kmeans' is not known; choose one of"),
        ({"criterion": "dunn"}, ValueError, "criterion='dunn' is not known; choose one of"),
        ({"swarm": "binary", "exponents": True}, ValueError, "exponents=True needs"),
        ({"clusterer": "linkage"}, ValueError, "pass n_clusters=K"),
        ({"clusterer": "linkage", "n_clusters": 91}, ValueError, "more than the 90 samples"),
        ({"clusterer": KNNGraph(90)}, ValueError, "needs more than 90 samples"),
        ({"n_particles": 0}, ValueError, "n_particles=0 must be at least 1"),
        ({"n_generations": 2.5}, TypeError, "n_generations=2.5 must be an integer"),
        ({"patience": 0}, ValueError, "patience=0 must be at least 1"),
        ({"swarm": "ants"}, ValueError, "swarm='ants' is not known; choose one of 'pso'"),
        (
            {"swarm": 3},
            TypeError,
            "or an object with start, ask and tell",
        ),
        ({"max_memory": "lots"}, ValueError, "'lots' is not an amount of memory"),
        ({"clusterer": "affinity", "max_memory": 1000}, ValueError, "raise max_memory"),
        ({"device": "tpu"}, ValueError, "device='tpu' is not known"),
        ({"init": "best"}, ValueError, "init='best' is not known"),
    ],
)
def test_wrong_settings_get_one_sentence(settings, error, sentence, blobs):
    with pytest.raises(error, match=re.escape(sentence)):
        FeatureSwarm(**settings).fit(blobs[0])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"inertia": -1}, "inertia=-1 must be a finite number at least 0"),
        ({"max_velocity": 0}, "max_velocity=0 must be a finite number above 0"),
    ],
)
def test_settings_of_the_swarm_are_checked(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        PSO(**settings)
    with pytest.raises(ValueError, match=sentence):
        FeatureSwarm(**settings)


def test_settings_of_the_swarm_by_their_old_names(blobs):
    old = {"inertia": 0.5, "cognitive": 1.0, "social": 2.0, "max_velocity": 0.5}
    quick = {"n_particles": 6, "n_generations": 3, "random_state": 0}
    with pytest.warns(FutureWarning, match="inertia, cognitive, social, max_velocity of Feat") as w:
        model = FeatureSwarm(**old, **quick)
    assert w[0].filename == __file__
    assert model.swarm == PSO(**old)
    assert clone(model).swarm == model.swarm
    assert "inertia" not in model.get_params()
    with pytest.warns(FutureWarning, match=r"pass swarm=PSO\(inertia=0.5, .*social=3.0"):
        model.set_params(social=3.0, n_generations=2)
    assert (model.swarm.social, model.swarm.inertia, model.n_generations) == (3.0, 0.5, 2)
    expected = FeatureSwarm(swarm=model.swarm, **quick).set_params(n_generations=2).fit(blobs[0])
    np.testing.assert_array_equal(model.fit(blobs[0]).feature_weights_, expected.feature_weights_)
    with pytest.raises(TypeError, match="unexpected keyword argument 'inertai'"):
        FeatureSwarm(inertai=0.5)
    with pytest.raises(TypeError, match="settings of PSO, not of Drift; set them on that object"):
        FeatureSwarm(swarm=Drift(), inertia=0.5)


class Drift:
    """A swarm of another kind."""

    def start(self, positions, rng):
        return None

    ask = tell = start


def test_binary_search_takes_the_settings_of_pso(blobs):
    quick = {"n_particles": 6, "n_generations": 3, "random_state": 0}
    pso = PSO(inertia=0.5, max_velocity=0.5)
    with pytest.warns(FutureWarning, match="encoding of FeatureSwarm moved into swarm"):
        from_pso = FeatureSwarm(swarm=pso, encoding="binary", **quick).fit(blobs[0])
    bits = BinaryPSO(inertia=0.5, max_velocity=3.0)
    expected = FeatureSwarm(swarm=bits, **quick).fit(blobs[0])
    np.testing.assert_array_equal(from_pso.feature_weights_, expected.feature_weights_)
    assert set(from_pso.feature_weights_) <= {0.0, 1.0}


def test_every_swarm_of_the_registry_searches(blobs):
    for name in SWARMS:
        model = FeatureSwarm(swarm=name, n_particles=6, n_generations=4, random_state=0)
        assert np.isfinite(model.fit(blobs[0]).fitness_), name


def test_values_whose_squares_overflow_are_refused(blobs):
    with pytest.raises(ValueError, match="scale the columns first"):
        FeatureSwarm().fit(blobs[0] * 1e200)


def test_documented_defaults_are_the_real_ones():
    text = inspect.getdoc(FeatureSwarm)
    parameters = inspect.signature(FeatureSwarm).parameters
    for names, default in re.findall(r"^([\w, ]+) : .*?default=(\S+)$", text, re.M):
        for name in names.split(", "):
            assert repr(parameters[name].default) == default.replace('"', "'"), name
    documented = set(re.findall(r"^(\w+)(?:, \w+)? : ", text, re.M))
    missing = set(parameters) - documented - {"social"}
    assert not missing


def test_a_second_clustering_is_planned_for_its_own_size(monkeypatch):
    given = []

    class Clustering:
        def __init__(self, X, particle, clusterer, **options):
            given.append((particle.n_features, options))

        def cluster(self, solution):
            return SimpleNamespace(labels=["labels of", solution])

    monkeypatch.setattr(feature_swarm, "FeatureClustering", Clustering)
    monkeypatch.setattr(FeatureSwarm, "_solution", lambda self: "solution")
    monkeypatch.setattr(FeatureSwarm, "_backend", lambda self, size, X=None: size)
    model = FeatureSwarm(max_memory="2GiB", n_jobs=3)
    assert model._cluster_again(np.ones((6, 4)), 0) == ["labels of", "solution"]
    # Six rows are compared with six rows in four columns.
    assert given == [(4, {"backend": 6 * 6 * 4, "max_memory": 2 * 2**30, "n_jobs": 3})]


def test_the_work_of_an_evaluation_decides_where_it_runs():
    class Recorded(FeatureSwarm):
        def _backend(self, size, X=None):
            sizes.append(int(size))
            return super()._backend(size, X)

    sizes = []
    X = np.random.default_rng(0).normal(size=(30, 4))
    Recorded(n_particles=3, n_generations=1, random_state=0).fit(X)
    assert sizes == [30 * 30 * 4]  # all pairs of rows in each column
