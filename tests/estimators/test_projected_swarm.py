"""ProjectedSwarm: the contract, the printed method, the default, text, and bad input."""

from __future__ import annotations

import inspect
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import weft
from weft import ProjectedSwarm
from weft.datasets import make_subspace_clusters
from weft.methods.projected import Objective, SwarmSettings
from weft.metrics import accuracy, found_features
from weft.search.callbacks import Checkpoint, TimeLimit

AS_PRINTED = SwarmSettings(init="random", weight_init="uniform", bounds="neglect")
PRINTED = {
    "particle": "weights",
    "objective": Objective(dispersion_floor=0.0),
    "polish": False,
    "standardize": False,
    "patience": None,
    "swarm": AS_PRINTED,
}


@parametrize_with_checks(
    [
        ProjectedSwarm(3, n_evaluations=50),
        ProjectedSwarm(3, n_evaluations=50, **PRINTED),
        ProjectedSwarm(
            3, n_evaluations=50, **PRINTED | {"swarm": replace(AS_PRINTED, bounds="clip")}
        ),
        ProjectedSwarm(3, n_evaluations=50, objective="wkmeans"),
        ProjectedSwarm(3, n_evaluations=50, metric="jaccard"),
        ProjectedSwarm(3, n_evaluations=50, metric="jaccard", particle="weights"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def hard():
    return make_subspace_clusters(
        200, n_features=40, n_clusters=4, mean_range=(0, 10), subspace_ratio=0.2, random_state=0
    )


@pytest.fixture(scope="module")
def documents():
    """Three topics of ten words each, and words that all share; sparse counts."""
    rng = np.random.default_rng(0)
    rows = []
    for topic in range(3):
        for _ in range(30):
            own = rng.poisson(1.0, size=10)
            shared = rng.poisson(0.3, size=30)
            row = np.zeros(60)
            row[10 * topic : 10 * topic + 10] = own
            row[30:] = shared
            rows.append(row)
    return csr_array(np.array(rows)), np.repeat([0, 1, 2], 30)


@pytest.mark.parametrize("standardize", [False, True])
def test_default_finds_clusters_and_their_features(standardize):
    data = make_subspace_clusters(mean_range=(0, 10), random_state=0)
    model = ProjectedSwarm(10, standardize=standardize, random_state=0).fit(data.data)
    assert accuracy(data.target, model.labels_) > 0.95
    found = found_features(
        data.relevant_by_cluster, model.cluster_feature_weights_, data.target, model.labels_
    )
    assert found.precision > 0.9
    assert found.recall > 0.9
    np.testing.assert_allclose(model.cluster_feature_weights_.sum(axis=1), 1.0)
    assert model.feature_weights_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("objective", ["psovw", "lac", "ewkm", "wkmeans"])
@pytest.mark.parametrize("particle", ["clusters", "weights"])
def test_every_objective_and_particle(hard, objective, particle):
    model = ProjectedSwarm(
        4, objective=objective, particle=particle, n_evaluations=60, random_state=0
    ).fit(hard.data)
    assert np.isfinite(model.fitness_)
    assert model.cluster_centers_.shape == (4, 40)
    np.testing.assert_array_equal(model.predict(hard.data), model.labels_)
    assert model.transform(hard.data).shape == (200, 4)
    np.testing.assert_array_equal(model.transform(hard.data).argmin(axis=1), model.labels_)
    if objective == "wkmeans":
        np.testing.assert_allclose(np.ptp(model.cluster_feature_weights_, axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        PRINTED,
        PRINTED | {"swarm": replace(AS_PRINTED, bounds="clip")},
        {"metric": "jaccard"},
        {"metric": "jaccard", **PRINTED},
    ],
)
def test_same_bits_for_any_number_of_threads(hard, settings):
    n_evaluations = 1000 if "swarm" in settings else 100
    first = ProjectedSwarm(4, n_evaluations=n_evaluations, random_state=3, **settings)
    first.fit(hard.data)
    for n_jobs in (2, 3):
        other = clone(first).set_params(n_jobs=n_jobs).fit(hard.data)
        np.testing.assert_array_equal(first.labels_, other.labels_)
        np.testing.assert_array_equal(
            first.cluster_feature_weights_, other.cluster_feature_weights_
        )
        np.testing.assert_array_equal(
            first.history_["best_fitness"], other.history_["best_fitness"]
        )
        assert first.fitness_ == other.fitness_


def test_fitness_is_the_objective_of_what_is_returned(hard):
    for standardize in (False, True):
        model = ProjectedSwarm(
            4, objective=Objective(dispersion_floor=0.0), standardize=standardize, random_state=0
        ).fit(hard.data)
        # eq. 14 with weights of mean 1, straight from the attributes
        factors = (40 * model.cluster_feature_weights_) ** 8
        unit = hard.data.std(axis=0) if standardize else 1.0
        apart = ((hard.data - model.cluster_centers_[model.labels_]) / unit) ** 2
        assert -model.fitness_ == pytest.approx((factors[model.labels_] * apart).sum(), rel=1e-9)


def test_printed_evaluations(hard):
    model = ProjectedSwarm(4, n_evaluations=5000, random_state=0, **PRINTED).fit(hard.data)
    assert model.n_iter_ == 500  # by 10 particles, most of them outside the walls
    best = model.history_["best_fitness"]
    assert len(best) == 500
    assert (np.diff(best) >= 0).all()
    # Of 160 weights some are outside nearly always, and yet the swarm comes back.
    evaluated = np.isfinite(model.history_["mean_fitness"])
    assert evaluated[0]
    assert not evaluated[1]
    assert 0.05 < evaluated[100:].mean() < 0.95
    clipped = ProjectedSwarm(
        4, random_state=0, **PRINTED | {"swarm": replace(AS_PRINTED, bounds="clip")}
    ).fit(hard.data)
    assert clipped.n_iter_ == 50
    assert np.isfinite(clipped.history_["mean_fitness"]).all()


def test_neglected_particles_and_a_checkpoint(hard, tmp_path):
    path = tmp_path / "fit.checkpoint"

    def stop(generation):
        return generation.number == 150

    model = ProjectedSwarm(4, n_evaluations=3000, random_state=0, **PRINTED)
    whole = clone(model).fit(hard.data)
    cut = clone(model).set_params(callbacks=[Checkpoint(path, every=7), stop]).fit(hard.data)
    assert cut.n_iter_ == 150
    again = clone(model).set_params(callbacks=[Checkpoint(path, every=7)])
    again.fit(hard.data, resume=path)
    np.testing.assert_array_equal(again.labels_, whole.labels_)
    assert again.fitness_ == whole.fitness_
    np.testing.assert_array_equal(again.history_["mean_fitness"], whole.history_["mean_fitness"])


def test_printed_method_on_the_printed_kind_of_set():
    # Means in [0, 100]: the swarm as printed gets most of it; on means in [0, 10] it fails.
    easy = make_subspace_clusters(200, n_features=40, n_clusters=4, random_state=1)
    shares = [
        accuracy(
            easy.target,
            ProjectedSwarm(4, n_evaluations=5000, random_state=s, **PRINTED).fit_predict(easy.data),
        )
        for s in range(3)
    ]
    assert np.mean(shares) > 0.8


def test_the_swarm_finds_more_than_its_starts():
    found, started = [], []
    for seed in range(3):
        data = make_subspace_clusters(
            mean_range=(0, 10), subspace_ratio=0.1, random_state=seed
        ).data
        model = ProjectedSwarm(10, n_evaluations=200, random_state=seed).fit(data)
        found.append(model.history_["best_fitness"][-1])
        started.append(model.history_["best_fitness"][0])
    assert (np.array(found) > np.array(started)).all()


def test_polish_never_hurts(hard):
    plain = ProjectedSwarm(4, polish=False, n_evaluations=20, random_state=0).fit(hard.data)
    polished = ProjectedSwarm(4, n_evaluations=20, random_state=0).fit(hard.data)
    assert polished.fitness_ >= plain.fitness_ * (1 + 1e-9)


def test_constant_columns_get_no_weight(hard):
    X = np.c_[np.full(200, 7.0), hard.data, np.zeros(200)]
    model = ProjectedSwarm(4, random_state=0).fit(X)
    assert (model.cluster_feature_weights_[:, [0, -1]] == 0.0).all()
    plain = ProjectedSwarm(4, random_state=0).fit(hard.data)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.cluster_centers_[:, 0], 7.0)


def test_degenerate_tables_are_defined():
    with pytest.warns(match="distinct rows"):
        model = ProjectedSwarm(3, n_evaluations=30, random_state=0).fit(np.ones((8, 2)))
    assert np.isfinite(model.fitness_)
    rows = np.arange(6.0)[:, np.newaxis]
    alone = ProjectedSwarm(6, n_evaluations=30, random_state=0).fit(rows)
    assert len(np.unique(alone.labels_)) == 6
    one = ProjectedSwarm(1, n_evaluations=30, random_state=0).fit(rows)
    assert (one.labels_ == 0).all()
    # a column that is constant inside clusters, not over the table: finite, and no division by 0
    X = np.c_[np.repeat([0.0, 1.0], 10), np.random.default_rng(0).normal(size=20)]
    split = ProjectedSwarm(2, n_evaluations=30, random_state=0).fit(X)
    assert accuracy(np.repeat([0, 1], 10), split.labels_) == 1.0


def test_in_a_pipeline_with_names_and_callbacks(hard):
    table = pd.DataFrame(hard.data, columns=[f"gene {j}" for j in range(40)])
    seen = []
    swarm = ProjectedSwarm(
        4, n_evaluations=30, random_state=0, callbacks=[seen.append, TimeLimit(60)]
    )
    model = make_pipeline(StandardScaler(), swarm).set_output(transform="pandas").fit(table)
    out = model.transform(table)
    assert list(out.columns) == [f"projectedswarm{k}" for k in range(4)]
    assert len(seen) == swarm.n_iter_
    assert swarm.feature_names_in_[0] == "gene 0"


def test_documented_defaults_are_the_defaults():
    text = inspect.getdoc(ProjectedSwarm)
    for name, parameter in inspect.signature(ProjectedSwarm).parameters.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name} : "))
        shown = line.split("default=")[1].strip()
        value = parameter.default
        assert shown == (
            f'"{value}"' if isinstance(value, str) else str(value).replace("0.0001", "1e-4")
        ), name


# -- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("particle", ["clusters", "weights"])
def test_text_finds_topics(documents, particle):
    X, y = documents
    model = ProjectedSwarm(3, metric="jaccard", particle=particle, random_state=0).fit(X)
    assert accuracy(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    similarity = 1.0 - model.transform(X)
    assert model.score(X) == pytest.approx(similarity.max(axis=1).sum())
    assert model.fitness_ == pytest.approx(similarity[np.arange(90), model.labels_].sum())
    assert model.score(X, sample_weight=np.full(90, 2.0)) == pytest.approx(2.0 * model.score(X))
    with pytest.raises(ValueError, match="Negative values"):
        model.score(X, sample_weight=-np.ones(90))


def test_words_that_make_a_cluster(documents):
    X, y = documents
    model = ProjectedSwarm(3, metric="jaccard", random_state=0).fit(X)
    for topic in range(3):
        cluster = model.labels_[y == topic][0]
        top = np.argsort(-model.cluster_feature_weights_[cluster])[:8]
        assert ((top >= 10 * topic) & (top < 10 * topic + 10)).all()


def test_sparse_and_dense_documents_agree(documents):
    X, _ = documents
    sparse = ProjectedSwarm(3, metric="jaccard", n_evaluations=50, random_state=0).fit(X)
    for other in (X.toarray(), csr_matrix(X), X.tocsc(), X.astype(np.float32)):
        model = ProjectedSwarm(3, metric="jaccard", n_evaluations=50, random_state=0).fit(other)
        np.testing.assert_array_equal(sparse.labels_, model.labels_)


def test_duplicate_entries_are_summed_and_the_caller_keeps_his():
    parts = (np.array([1.0, 1.0, 2.0, 1.0]), np.array([0, 0, 0, 1]), np.array([0, 2, 3, 4]))
    X = csr_matrix(parts, shape=(3, 2))
    model = ProjectedSwarm(2, metric="jaccard", n_evaluations=20, random_state=0).fit(X)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2]
    assert X.nnz == 4


def test_memory_stays_near_that_of_the_sparse_rows():
    rng = np.random.default_rng(0)
    words = [f"word{j}" for j in range(4000)]
    share = 1.0 / np.arange(1, 4001)
    texts = [" ".join(rng.choice(words, size=80, p=share / share.sum())) for _ in range(600)]
    X = TfidfVectorizer(min_df=2).fit_transform(texts)
    model = ProjectedSwarm(4, metric="jaccard", n_evaluations=50, random_state=0).fit(X)
    tracemalloc.start()
    clone(model).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    assert peak < 6 * size


def test_sparse_rows_need_the_text_metric(documents):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ProjectedSwarm(3).fit(documents[0])


# -- settings of the swarm ---------------------------------------------------------------------


def test_old_names_go_into_the_settings_of_the_swarm(hard):
    others = {"particle": "weights", "n_evaluations": 50, "random_state": 0}
    with pytest.warns(FutureWarning, match=r"swarm=SwarmSettings\(inertia=\(0.8, 0.5\)\)"):
        old = ProjectedSwarm(4, inertia=(0.8, 0.5), **others).fit(hard.data)
    settings = SwarmSettings(inertia=(0.8, 0.5))
    new = ProjectedSwarm(4, swarm=settings, **others).fit(hard.data)
    assert old.swarm == settings
    assert "inertia" not in old.get_params()
    assert old.fitness_ == new.fitness_
    np.testing.assert_array_equal(old.labels_, new.labels_)
    assert new.fitness_ != ProjectedSwarm(4, **others).fit(hard.data).fitness_
    with pytest.warns(FutureWarning, match="n_steps"):
        old.set_params(n_steps=2, n_particles=5)
    assert clone(old).swarm == SwarmSettings(inertia=(0.8, 0.5), n_steps=2)
    assert old.n_particles == 5


def test_settings_of_the_swarm_are_kept_in_a_file(hard, tmp_path):
    swarm = SwarmSettings(inertia=(0.8, 0.5), max_iter=7)
    model = ProjectedSwarm(4, n_evaluations=20, swarm=swarm, random_state=0).fit(hard.data)
    model.save(tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.swarm == swarm
    np.testing.assert_array_equal(loaded.predict(hard.data), model.labels_)


def test_unknown_names_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'walls'"):
        ProjectedSwarm(4, walls="repair")


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 500}, "lower n_clusters"),
        ({"objective": "kmeans"}, "objective"),
        ({"metric": "cosine"}, "metric"),
        ({"particle": "medoids"}, "particle"),
        ({"n_particles": 0}, "n_particles"),
        ({"n_evaluations": 5}, "n_evaluations"),
        ({"patience": 0}, "patience"),
        ({"weight_exponent": "large"}, "weight_exponent"),
        ({"weight_exponent": 0.5}, "closed-form"),
        ({"weight_exponent": -1.0}, "weight_exponent"),
        ({"swarm": "pso"}, "SwarmSettings"),
        ({"metric": "jaccard", "objective": "lac"}, "jaccard"),
    ],
)
def test_errors_name_the_parameter(hard, settings, word):
    with pytest.raises(ValueError, match=word):
        ProjectedSwarm(**{"n_clusters": 4, **settings}).fit(hard.data)


def test_values_too_large_to_square():
    with pytest.raises(ValueError, match="StandardScaler"):
        ProjectedSwarm(2).fit(np.array([[1e150, 1.0], [2.0, 3.0], [4.0, 5.0]]))


# -- real data ---------------------------------------------------------------------------------


@pytest.mark.skipif("WEFT_DATA" not in os.environ, reason="WEFT_DATA is not set")
def test_breast_cancer():
    table = np.genfromtxt(
        Path(os.environ["WEFT_DATA"]) / "breast_cancer_wdbc.csv",
        delimiter=",",
        skip_header=1,
        dtype=str,
    )
    X = StandardScaler().fit_transform(table[:, :-1].astype(float))
    model = ProjectedSwarm(2, n_evaluations=100, random_state=0).fit(X)
    assert accuracy(table[:, -1], model.labels_) > 0.92


def test_units_of_columns_do_not_matter(hard):
    units = 2.0 ** np.random.default_rng(0).integers(-20, 20, hard.data.shape[1])
    plain = ProjectedSwarm(4, n_evaluations=60, random_state=0).fit(hard.data)
    scaled = ProjectedSwarm(4, n_evaluations=60, random_state=0).fit(hard.data * units)
    np.testing.assert_array_equal(scaled.labels_, plain.labels_)
    np.testing.assert_allclose(scaled.cluster_centers_, plain.cluster_centers_ * units)
    np.testing.assert_allclose(
        scaled.cluster_feature_weights_, plain.cluster_feature_weights_, rtol=1e-6, atol=1e-12
    )
    np.testing.assert_array_equal(scaled.predict(hard.data * units), plain.labels_)
    np.testing.assert_allclose(scaled.transform(hard.data * units), plain.transform(hard.data))


def test_nothing_is_left_of_a_fit_with_the_other_metric_or_on_blocks(tmp_path):
    dask_array = pytest.importorskip("dask.array")
    X = np.abs(np.random.default_rng(0).normal(size=(60, 3)))
    X[30:] += 5.0
    alone = {
        metric: set(vars(ProjectedSwarm(2, n_evaluations=20, metric=metric).fit(X)))
        for metric in ("euclidean", "jaccard")
    }
    model = ProjectedSwarm(2, n_evaluations=20).fit(dask_array.from_array(X, chunks=20))
    assert model.n_samples_search_ == 60
    for metric in ("euclidean", "jaccard", "euclidean"):
        assert set(vars(model.set_params(metric=metric).fit(X))) == alone[metric]
        model.save(tmp_path / "model.weft")
        np.testing.assert_array_equal(weft.load(tmp_path / "model.weft").predict(X), model.labels_)
