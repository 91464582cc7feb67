"""AutoCluster on whole tables: noise columns, no clusters, grids, large tables, the same bits."""

import os
import signal
from importlib import import_module

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from weft import AutoCluster, FeatureSwarm
from weft.datasets import add_noise_features, make_ellipsoids
from weft.metrics import accuracy
from weft.search.callbacks import Checkpoint, StopOnSignal
from weft.search.runs import SearchInterrupted

examining = import_module("weft.auto.examining")


@pytest.fixture(scope="module")
def wine():
    noisy = add_noise_features(load_wine(), 13, random_state=0)
    return noisy, AutoCluster(random_state=0).fit(noisy.data)


def test_wine_with_noise(wine):
    noisy, model = wine
    assert model.n_clusters_ == 3
    assert accuracy(noisy.target, model.labels_) >= 0.9
    support = model.get_support()
    assert support[:13].sum() >= 9
    assert support[13:].sum() <= 1
    assert "3 clusters" in model.verdict_


def test_what_is_said_of_certainty(wine):
    noisy, model = wine
    low, high = model.feature_weight_intervals_
    assert (low <= high).all()
    assert ((model.feature_stability_ >= 0) & (model.feature_stability_ <= 1)).all()
    assert model.feature_stability_[:13].mean() > 0.8 > 0.2 > model.feature_stability_[13:].mean()
    assert model.cluster_stability_.shape == (3,)
    assert model.cluster_feature_weights_.sum(axis=1) == pytest.approx(np.ones(3))
    assert not model.cluster_feature_weights_[:, ~model.get_support()].any()
    assert 0.0 <= model.confidence_ <= 1.0
    assert model.evidence_["for"]
    best = model.alternatives_[0]
    assert len(best["labels"]) == len(noisy.data)
    assert adjusted_rand_score(best["labels"], model.labels_) == 1.0
    qualities = [other["quality"] for other in model.alternatives_]
    assert qualities == sorted(qualities, reverse=True)
    for first, one in enumerate(model.alternatives_):
        for other in model.alternatives_[first + 1 :]:
            assert adjusted_rand_score(one["labels"], other["labels"]) < 0.9


@pytest.mark.parametrize("seed", range(4))
def test_order_of_rows_and_columns_does_not_matter(wine, seed):
    noisy, model = wine
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(178), rng.permutation(26)
    other = AutoCluster(random_state=0).fit(noisy.data[np.ix_(rows, columns)])
    assert adjusted_rand_score(model.labels_[rows], other.labels_) == 1.0
    np.testing.assert_array_equal(other.feature_weights_, model.feature_weights_[columns])
    assert other.confidence_ == model.confidence_
    assert other.stability_ == model.stability_


def test_another_seed_gives_the_same_clusters(wine):
    noisy, model = wine
    other = AutoCluster(random_state=5).fit(noisy.data)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    np.testing.assert_array_equal(other.feature_weights_, model.feature_weights_)


def test_units_do_not_matter(wine):
    noisy, model = wine
    scales = 10.0 ** np.random.default_rng(0).integers(-3, 4, noisy.data.shape[1])
    other = AutoCluster(random_state=0).fit(noisy.data * scales + 5.0)
    assert adjusted_rand_score(model.labels_, other.labels_) > 0.99
    assert (model.get_support() == other.get_support()).all()


def test_same_bits_for_any_number_of_threads(wine):
    noisy, model = wine
    other = AutoCluster(random_state=0, n_jobs=2).fit(noisy.data)
    assert (model.labels_ == other.labels_).all()
    assert (model.feature_weights_ == other.feature_weights_).all()


@pytest.mark.parametrize("kind", ["uniform", "gaussian", "blob"])
def test_no_clusters_in_noise(kind):
    rng = np.random.default_rng(3)
    rows = rng.uniform(size=(200, 10)) if kind == "uniform" else rng.normal(size=(200, 10))
    if kind == "blob":
        rows = rows @ rng.normal(size=(10, 10))
    model = AutoCluster(random_state=0).fit(rows)
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    assert not model.get_support().any()
    assert model.verdict_.startswith("No clusters found")
    assert model.predict(rows[:3]).tolist() == [0, 0, 0]
    assert model.transform(rows).shape == (200, 0)


def test_ellipsoids_among_noise():
    clusters = make_ellipsoids(4, 20, random_state=1)
    noisy = add_noise_features(clusters, ratio=2.0, random_state=1)
    model = AutoCluster(n_resamples=2, random_state=0).fit(noisy.data)
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(noisy.target, model.labels_) > 0.9
    assert model.get_support()[:20].mean() >= 0.95
    assert model.get_support()[20:].sum() <= 1


def test_more_rows_than_are_clustered():
    X, y = make_blobs(6000, 5, centers=4, cluster_std=1.0, random_state=3)
    model = AutoCluster(n_resamples=1, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert (model.predict(X) == model.labels_).all()


def test_a_number_of_clusters_that_is_given():
    X, _ = make_blobs(200, 5, centers=4, random_state=0)
    for number in (2, 3, 6, 30):
        model = AutoCluster(number, n_resamples=0).fit(X)
        assert model.n_clusters_ == number
        assert len(np.unique(model.labels_)) == number
    # Noise has no clusters; whoever asks for two gets two.
    noise = np.random.default_rng(0).normal(size=(100, 3))
    assert AutoCluster(n_resamples=0).fit(noise).n_clusters_ == 1
    assert AutoCluster(2, n_resamples=0).fit(noise).n_clusters_ == 2
    assert AutoCluster(min_clusters=2, n_resamples=0).fit(noise).n_clusters_ >= 2


def test_small_clusters_can_be_refused():
    X, _ = make_blobs([100, 100, 4], 2, cluster_std=0.3, random_state=1)
    model = AutoCluster(min_cluster_size=20, n_resamples=0).fit(X)
    assert np.bincount(model.labels_).min() >= 20


def test_outliers_are_left_out_on_request():
    X, _ = make_blobs(300, 2, centers=[[0, 0], [10, 0]], cluster_std=0.4, random_state=0)
    far = np.array([[5.0, 30.0], [-30.0, 5.0], [40.0, -20.0]])
    X = np.vstack([X, far])
    plain = AutoCluster(n_resamples=0).fit(X)
    assert plain.labels_.min() == 0
    model = AutoCluster(outliers=True, n_resamples=0).fit(X)
    assert model.labels_.min() in (-1, 0)
    assert adjusted_rand_score(model.labels_[:300], plain.labels_[:300]) > 0.9


def test_a_rare_cluster_far_away_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4))
    X[:30] += 6.0
    model = AutoCluster(n_resamples=0).fit(X)
    rare = np.zeros(5000, dtype=int)
    rare[:30] = 1
    assert adjusted_rand_score(rare, model.labels_) > 0.8


def test_max_clusters_and_time_limit():
    X, _ = make_blobs(200, 5, centers=4, random_state=0)
    assert AutoCluster(max_clusters=2, random_state=0).fit(X).n_clusters_ <= 2
    hurried = AutoCluster(time_limit=1e-6, random_state=0).fit(X)
    assert hurried.labels_.shape == (200,)
    assert "time limit" in hurried.verdict_


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"false_keep_rate": 0.0}, "false_keep_rate"),
        ({"false_keep_rate": 2.0}, "false_keep_rate"),
        ({"max_clusters": 1}, "max_clusters"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 21}, "n_clusters=21 needs as many samples"),
        ({"min_clusters": 5, "max_clusters": 3}, "min_clusters=5 is above max_clusters=3"),
        ({"min_cluster_size": 0}, "min_cluster_size"),
        ({"outliers": "yes"}, "outliers"),
        ({"n_resamples": -1}, "n_resamples"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_bad_settings(setting, text):
    with pytest.raises((ValueError, TypeError), match=text):
        AutoCluster(**setting).fit(np.random.default_rng(0).normal(size=(20, 3)))


def test_the_swarm_starts_from_screened_columns_and_keeps_k():
    clusters = make_ellipsoids(6, 20, random_state=2)
    noisy = add_noise_features(clusters, ratio=1.0, random_state=2)
    settings = {"n_generations": 6, "n_particles": 8, "random_state": 0}
    plain = FeatureSwarm(**settings).fit(noisy.data)
    robust = FeatureSwarm(criterion="robust", init="screened", **settings).fit(noisy.data)
    assert abs(robust.n_clusters_ - 6) < abs(plain.n_clusters_ - 6)
    assert adjusted_rand_score(noisy.target, robust.labels_) > 0.7
    noise = robust.feature_weights_[20:].sum() / robust.feature_weights_.sum()
    assert noise < plain.feature_weights_[20:].sum() / plain.feature_weights_.sum()


# Stopped and taken up again -------------------------------------------------------------------


class Press:
    """Sends a signal, so often, when it is called for the n-th time."""

    def __init__(self, at=1, times=1, which=signal.SIGINT):
        self.left, self.times, self.which = at, times, which

    def __call__(self, *_):
        self.left -= 1
        if self.left == 0:
            for _ in range(self.times):
                os.kill(os.getpid(), self.which)


def press_while_screening(monkeypatch, press):
    """The first look at the columns ends with a signal."""
    screen = examining.screen

    def screen_and_press(*given, **options):
        found = screen(*given, **options)
        press()
        return found

    monkeypatch.setattr(examining, "screen", screen_and_press)


@pytest.fixture(scope="module")
def plain():
    X, _ = make_blobs(120, 4, centers=3, cluster_std=0.6, random_state=1)
    X = np.c_[X, np.random.default_rng(0).normal(size=(120, 4))]
    return X, AutoCluster(random_state=0).fit(X)


def same(a, b):
    for name in ("labels_", "feature_weights_", "feature_weight_intervals_", "cluster_stability_"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert (a.verdict_, a.stability_, len(a.alternatives_)) == (
        b.verdict_,
        b.stability_,
        len(b.alternatives_),
    )


@pytest.mark.parametrize(
    ("which", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")]
)
def test_the_first_signal_leaves_repeats_out(plain, monkeypatch, tmp_path, which, name):
    X, whole = plain
    before = signal.getsignal(which)
    press_while_screening(monkeypatch, Press(which=which))
    model = AutoCluster(random_state=0, callbacks=[Checkpoint(tmp_path / "c")])
    with pytest.warns(SearchInterrupted, match=rf"by {name}; the model is fitted.*resume="):
        model.fit(X)
    assert signal.getsignal(which) == before
    assert f"Repeats were left out because of {name}." in model.verdict_
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert (model.predict(X) == model.labels_).all()
    monkeypatch.undo()
    same(AutoCluster(random_state=0).fit(X, resume=tmp_path / "c"), whole)


def test_a_signal_within_the_repeats_ends_them_there(plain, tmp_path):
    X, whole = plain
    seen = []
    callbacks = [lambda g: seen.append(g.number), Press(at=2), Checkpoint(tmp_path / "c")]
    with pytest.warns(SearchInterrupted, match="in generation 2 of"):
        AutoCluster(random_state=0, callbacks=callbacks).fit(X)
    assert seen == [1, 2]
    seen.clear()
    same(AutoCluster(random_state=0, callbacks=callbacks[:1]).fit(X, resume=tmp_path / "c"), whole)
    assert seen == [3, 4]  # the repeats go on where they were stopped


def test_a_stop_before_the_repeats_loses_none_of_them(plain, monkeypatch, tmp_path):
    X, whole = plain
    path = tmp_path / "c"
    with pytest.warns(SearchInterrupted):
        AutoCluster(random_state=0, callbacks=[Press(at=2), Checkpoint(path)]).fit(X)
    press_while_screening(monkeypatch, Press())
    with pytest.warns(SearchInterrupted):
        AutoCluster(random_state=0, callbacks=[Checkpoint(path)]).fit(X, resume=path)
    monkeypatch.undo()
    seen = []
    model = AutoCluster(random_state=0, callbacks=[lambda g: seen.append(g.number)])
    same(model.fit(X, resume=path), whole)
    assert seen == [3, 4]


def test_without_anybody_who_listens_ctrl_c_is_what_it_always_is(plain, monkeypatch):
    X, _ = plain
    press_while_screening(monkeypatch, Press())
    with pytest.raises(KeyboardInterrupt):
        AutoCluster(random_state=0).fit(X)


def test_a_second_ctrl_c_ends_at_once(plain, monkeypatch):
    X, _ = plain
    press_while_screening(monkeypatch, Press(times=2))
    model = AutoCluster(random_state=0, callbacks=[StopOnSignal()])
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert not hasattr(model, "labels_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
