"""StagedSwarm: scikit-learn's contract, what is promised, and one whole run."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import weft
from weft import StagedSwarm
from weft.methods.staged import ClusterEstimate
from weft.methods.staged.objectives import Partition, Terms
from weft.methods.staged.search import polished
from weft.metrics import pair_f1
from weft.search.swarms.staged import StagedPSO


@parametrize_with_checks([StagedSwarm()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def blobs_with_noise(seed=0):
    """Four blobs in three columns, and five columns that know nothing of them."""
    rng = np.random.default_rng(seed)
    centers = 3.0 * np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
    X, y = make_blobs(200, centers=centers, cluster_std=0.3, random_state=seed)
    return np.hstack([X, rng.uniform(0.0, 3.0, (200, 5))]), y


FAST = StagedPSO(initial_velocity=6.0)
TWICE, THREE = ClusterEstimate(n_estimates=2), ClusterEstimate(n_estimates=3)


def first_velocities(model):
    """Fit and return the velocities that each stage starts with."""
    seen = []

    def look(generation):
        if generation.number == 1:
            seen.append(generation.state.velocities.copy())

    X, _ = blobs_with_noise()
    settings = {"n_particles": 30, "n_generations": 2, "n_clusters_estimate": 3}
    model.set_params(callbacks=[look], random_state=0, **settings).fit(X)
    return seen


def test_particles_start_in_motion():
    # Section 3.3: random velocities, within the clamp; in both stages.
    for velocities in first_velocities(StagedSwarm(3)):
        assert 5.5 < np.abs(velocities).max() <= 6.0
        assert abs(velocities.mean()) < 0.5
    (velocities,) = first_velocities(StagedSwarm(2, swarm=StagedPSO(max_velocity=0.5)))
    assert 0.45 < np.abs(velocities).max() <= 0.5
    (velocities,) = first_velocities(StagedSwarm(1, swarm=StagedPSO(initial_velocity=50.0)))
    assert np.abs(velocities).max() == 6.0


def test_particles_start_at_rest_where_asked():
    (velocities,) = first_velocities(StagedSwarm(swarm=StagedPSO(initial_velocity=0.0)))
    assert (velocities == 0.0).all()
    (velocities,) = first_velocities(StagedSwarm(polish="lloyd"))
    assert (velocities == 0.0).all()
    (velocities,) = first_velocities(StagedSwarm(polish="prune", swarm=FAST))
    assert np.abs(velocities).max() > 5.5
    # Stage 3 starts with all particles in one place: at rest it could not move.
    second, third = first_velocities(StagedSwarm(3, swarm=StagedPSO(initial_velocity=0.0)))
    assert (second == 0.0).all()
    assert np.abs(third).max() > 5.5


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_no_bit_depends_on_the_threads(stages, n_jobs):
    X, _ = blobs_with_noise()
    settings = {
        "n_particles": 20,
        "n_generations": 15,
        "n_clusters_estimate": THREE,
        "random_state": 3,
    }
    one = StagedSwarm(stages, n_jobs=1, **settings).fit(X)
    more = StagedSwarm(stages, n_jobs=n_jobs, **settings).fit(X)
    assert (one.labels_ == more.labels_).all()
    assert one.fitness_ == more.fitness_
    assert (one.history_["best_fitness"] == more.history_["best_fitness"]).all()


@pytest.mark.parametrize(
    "settings",
    [{"stages": 1}, {"stages": 2}, {"stages": 3}, {"polish": "lloyd"}, {"polish": "prune"}],
)
def test_predict_repeats_fit(settings):
    X, _ = blobs_with_noise()
    model = StagedSwarm(
        **settings, n_particles=20, n_generations=15, n_clusters_estimate=THREE, random_state=0
    )
    assert (model.fit_predict(X) == model.predict(X)).all()
    assert model.n_clusters_ == len(np.unique(model.labels_)) == len(model.cluster_centers_)


def test_finds_blobs_among_noise_columns():
    X, y = blobs_with_noise()
    model = StagedSwarm(polish="lloyd", n_clusters_estimate=4, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert pair_f1(y, model.labels_) > 0.99
    assert set(model.get_support(indices=True)) <= {0, 1, 2}
    assert model.transform(X).shape == (200, model.get_support().sum())
    assert set(model.feature_weights_) <= {0.0, 1.0}


def test_iris_as_printed():
    # Table 2: one feature, 3 clusters, purity .949, F .906 for the 2-stage elliptical form.
    X, y = load_iris(return_X_y=True)
    model = StagedSwarm(random_state=0).fit(X)
    assert model.n_clusters_estimate_ == 2
    assert model.n_clusters_ == 3
    assert model.get_support().sum() == 1
    assert pair_f1(y, model.labels_) > 0.85


def test_stage_3_does_not_fall_below_stage_2():
    X, _ = blobs_with_noise()
    settings = {
        "n_particles": 20,
        "n_generations": 20,
        "n_clusters_estimate": THREE,
        "random_state": 1,
    }
    two, three = StagedSwarm(2, **settings).fit(X), StagedSwarm(3, **settings).fit(X)
    assert three.fitness_ >= two.fitness_
    assert three.history_["stage"].tolist() == [2] * 20 + [3] * 20
    assert three.n_iter_ == 40


def test_scale_does_not_matter_when_columns_are_scaled():
    X, _ = blobs_with_noise()
    settings = {
        "n_particles": 20,
        "n_generations": 10,
        "n_clusters_estimate": THREE,
        "random_state": 1,
    }
    factors = 2.0 ** np.arange(-4, 4)  # powers of 2 scale without rounding
    plain = StagedSwarm(**settings).fit(X).labels_
    assert (StagedSwarm(**settings).fit(X * factors).labels_ == plain).all()
    assert StagedSwarm(scale=False, **settings).fit(X).n_clusters_ >= 2


def test_equal_rows_are_one_cluster():
    with pytest.warns(ConvergenceWarning, match="no particle split"):
        model = StagedSwarm(n_particles=5, n_generations=3, random_state=0).fit(np.ones((8, 3)))
    assert model.n_clusters_ == 1
    assert (model.labels_ == 0).all()
    assert model.fitness_ == 0.0


def test_duplicates_and_constant_columns():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(3, size=(12, 3)) * 1.0, 5, axis=0)
    X[:, 1] = 7.0
    model = StagedSwarm(n_particles=20, n_generations=10, random_state=0).fit(X)
    assert 2 <= model.n_clusters_ <= 7
    # Equal rows are at equal distances from every medoid: never apart.
    for i in range(0, 60, 5):
        assert len(set(model.labels_[i : i + 5])) == 1


def test_max_clusters_is_kept():
    X, _ = blobs_with_noise()
    model = StagedSwarm(
        max_clusters=3, n_clusters_estimate=9, n_particles=30, n_generations=20, random_state=0
    ).fit(X)
    assert model.n_clusters_ <= 3


def test_patience_and_callbacks_stop():
    X, _ = blobs_with_noise()
    settings = {"n_particles": 10, "n_clusters_estimate": TWICE, "random_state": 0}
    model = StagedSwarm(callbacks=[lambda generation: generation.number == 4], **settings).fit(X)
    assert model.n_iter_ == 4
    assert StagedSwarm(patience=2, **settings).fit(X).n_iter_ < 500


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stages": 4}, "stages=4 is not known"),
        ({"feature_term": "square"}, "feature_term='square' is not known"),
        ({"quality": "dunn"}, "quality='dunn' is not known"),
        ({"stages": 3, "polish": "lloyd"}, "replaces stage 3"),
        ({"n_particles": 0}, "n_particles=0 must be at least 1"),
        ({"max_clusters": 1}, "max_clusters=1 must be at least 2"),
        ({"swarm": "pso"}, "swarm='pso' is not known; choose one of 'standard'"),
        ({"n_clusters_estimate": 0}, "n_clusters_estimate=0 must be at least 1"),
    ],
)
def test_errors_say_what_to_do(settings, message):
    with pytest.raises(ValueError, match=message):
        StagedSwarm(**settings).fit(np.random.default_rng(0).normal(size=(20, 3)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"initial_velocity": -1.0}, "initial_velocity=-1.0 must be a finite number at least 0"),
        ({"inertia": -0.1}, "inertia=-0.1 must be"),
        ({"max_velocity": 0.0}, "max_velocity=0.0 must be"),
    ],
)
def test_settings_of_the_swarm_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        StagedPSO(**settings)
    with pytest.raises(ValueError, match=message):
        StagedSwarm(**settings)


def test_old_names_of_the_swarms_settings_keep_working():
    X, _ = blobs_with_noise()
    quick = {"n_particles": 10, "n_generations": 5, "n_clusters_estimate": TWICE, "random_state": 0}
    old = {"inertia": 0.6, "social": 1.2, "max_velocity": 3.0}
    with pytest.warns(FutureWarning, match="moved into swarm; pass swarm=StagedPSO") as caught:
        model = StagedSwarm(**quick, **old)
    assert caught[0].filename == __file__
    assert model.swarm == StagedPSO(**old)
    assert "inertia" not in model.get_params()
    expected = StagedSwarm(swarm=StagedPSO(**old), **quick).fit(X)
    found = clone(model).fit(X)
    assert found.fitness_ == expected.fitness_
    assert (found.history_["mean_fitness"] == expected.history_["mean_fitness"]).all()
    with pytest.warns(FutureWarning):
        model.set_params(inertia=0.9, quality="calinski-harabasz")
    assert model.swarm == StagedPSO(**{**old, "inertia": 0.9})
    assert model.quality == "calinski-harabasz"
    with pytest.raises(TypeError, match="unexpected keyword argument 'momentum'"):
        StagedSwarm(momentum=1.0)


def test_settings_of_the_swarm_are_kept_in_model_files(tmp_path):
    X, _ = blobs_with_noise()
    quick = {"n_particles": 10, "n_generations": 3, "n_clusters_estimate": TWICE, "random_state": 0}
    model = StagedSwarm(swarm=StagedPSO(inertia=0.5), **quick).fit(X)
    model.save(tmp_path / "staged.weft")
    loaded = weft.load(tmp_path / "staged.weft")
    assert loaded.swarm == StagedPSO(inertia=0.5)
    assert (loaded.predict(X) == model.labels_).all()


def test_prune_drops_a_centre_that_lloyd_cannot():
    # Two far groups on a line, the first with two centres: Lloyd stays there. K_est = 2: the term
    # for K is exp(-1/(2·(4/3)²)) = 0.755 at K = 3 and 1 at K = 2. Between / within falls from about
    # 2500/.05 to 2500/.08 by merging: dropping would lose, so K_est = 1 with a narrow spread: the
    # terms are exp(-2²·9/2) = 1.5e-8 and exp(-9/2) = 0.011, and dropping wins.
    groups = [np.arange(10) * 0.1, 100 + np.arange(10) * 0.1]
    rows = np.concatenate(groups)
    rows = np.ascontiguousarray((rows - rows.mean())[:, np.newaxis])
    found = Partition(np.repeat([0, 1, 2], [5, 5, 10]), np.array([0]), rows[[2, 7, 15]].copy())
    total = float((rows**2).sum() / 20)
    wide = Terms(20, 1, total, 5, k_estimate=3.0)
    narrow = Terms(20, 1, total, 5, k_estimate=1.0, k_spread=3.0)
    truth = np.repeat([0, 1], 10)
    assert (polished(found, rows, narrow, "lloyd").labels == found.labels).all()
    assert (polished(found, rows, wide, "prune").labels == found.labels).all()
    assert (polished(found, rows, narrow, "prune").labels == truth).all()
