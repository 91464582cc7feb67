"""WeightedKMeans: scikit-learn's contract, the six family members, the thesis's rows, pitfalls."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from weft import EntropyKMeans, LocallyAdaptiveKMeans, RangeScaler, WeightedKMeans
from weft.datasets import make_noisy_gaussians
from weft.kmeans.anomalous import AnomalousStart
from weft.metrics import accuracy

BENCH = Path(__file__).parents[2] / "bench"


@parametrize_with_checks(
    [
        WeightedKMeans(),
        WeightedKMeans(2, init="random"),
        WeightedKMeans(2, init="k-means++", distance_exponent=1.4, n_jobs=2),
        WeightedKMeans(2, init="scattered", weights="global"),
        WeightedKMeans(2, weights=None, allow_nan=True),
        EntropyKMeans(),
        LocallyAdaptiveKMeans(),
    ]
)
def test_sklearn_contract(estimator, check):
    with warnings.catch_warnings():
        # The checks fit tiny tables in few rounds: the estimator says so.
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def blobs(n=120, n_noise=3, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    signal = rng.normal(scale=0.3, size=(n, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[truth]
    return np.c_[signal, rng.uniform(0, 2.5, size=(n, n_noise))], truth


def naive(X, centers, weights, p, beta, offset, rounds=100):
    """Algorithms 3.1 / 3.3 as printed, one row at a time."""
    labels = None
    for _ in range(rounds):
        distance = [
            [(w**beta * np.abs(x - c) ** p).sum() for c, w in zip(centers, weights, strict=True)]
            for x in X
        ]
        found = np.argmin(distance, axis=1)
        if labels is not None and (found == labels).all():
            return labels, centers, weights
        labels = found
        new = []
        for k in range(len(centers)):
            rows = X[labels == k]
            if p == 2:
                new.append(rows.mean(axis=0))
            elif p == 1:
                new.append(np.median(rows, axis=0))
            else:  # bisection on eq. 3.11
                low, high = rows.min(axis=0), rows.max(axis=0)
                for _ in range(80):
                    mid = 0.5 * (low + high)
                    away = mid - rows
                    up = (np.sign(away) * np.abs(away) ** (p - 1)).sum(axis=0) < 0
                    low, high = np.where(up, mid, low), np.where(up, high, mid)
                new.append(0.5 * (low + high))
        centers = np.array(new)
        if beta:
            spread = np.array(
                [
                    (np.abs(X[labels == k] - centers[k]) ** p).sum(axis=0)
                    for k in range(len(centers))
                ]
            )
            spread = spread + (spread.mean() if offset == "mean" else offset)
            weights = np.array(
                [[1 / ((d / row) ** (1 / (beta - 1))).sum() for d in row] for row in spread]
            )
    raise AssertionError("did not converge")


@pytest.mark.parametrize(
    ("call", "p", "beta"),
    [
        ({"weights": None}, 2.0, 0),
        ({"distance_exponent": 2.0, "weight_exponent": 1.6}, 2.0, 1.6),
        ({"distance_exponent": 1.6}, 1.6, 1.6),
        ({"distance_exponent": 3.0}, 3.0, 3.0),
    ],
    ids=["K", "WK", "MWK-1.6", "MWK-3"],
)
@pytest.mark.parametrize("offset", ["mean", 0.5])
def test_members_are_what_the_thesis_defines(call, p, beta, offset):
    X, _ = blobs()
    start = X[[5, 30, 61]]
    model = WeightedKMeans(3, init=start, dispersion_offset=offset, **call).fit(X)
    labels, centers, weights = naive(
        X, start, np.full((3, 5), 1.0 if beta == 0 else 0.2), p, beta, offset
    )
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.cluster_centers_, centers, atol=1e-9)
    if beta:
        np.testing.assert_allclose(model.cluster_feature_weights_, weights, rtol=1e-7)


@pytest.mark.parametrize(
    ("call", "random"),
    [
        ({"weights": None}, {"init": "random"}),
        ({"weight_exponent": 1.6}, {"init": "random", "init_weights": "random"}),
        ({"distance_exponent": 1.6}, {"init": "random", "init_weights": "random"}),
    ],
    ids=["K / iK", "WK / iWK", "MWK / iMWK"],
)
def test_all_six_members_run_and_differ_only_in_their_start(call, random):
    X, truth = blobs()
    for start in ({}, {**random, "random_state": 0}):
        model = WeightedKMeans(3, **call, **start).fit(X)
        assert accuracy(truth, model.labels_) > 0.9
        assert (model.anomalous_patterns_ is None) == bool(start)


def test_without_weights_it_is_scikit_learns_k_means():
    X, _ = blobs(n=300)
    start = X[:4]
    ours = WeightedKMeans(4, weights=None, init=start).fit(X)
    theirs = KMeans(4, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)


def test_inertia_is_criterion_3_6():
    X, _ = blobs()
    model = WeightedKMeans(3, distance_exponent=1.4).fit(X)
    w, c = model.cluster_feature_weights_, model.cluster_centers_
    by_hand = sum(
        (w[k] ** 1.4 * np.abs(x - c[k]) ** 1.4).sum() for x, k in zip(X, model.labels_, strict=True)
    )
    assert model.inertia_ == pytest.approx(by_hand, rel=1e-12)
    assert model.score(X) == pytest.approx(-by_hand, rel=1e-12)
    nearest = model.transform(X).min(axis=1)
    assert (nearest**1.4).sum() == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("p", [1.0, 1.3, 2.0, 4.0])
@pytest.mark.parametrize("init", ["anomalous", "random", "k-means++"])
def test_same_bits_for_any_number_of_threads(p, init):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4)) + 2.0 * rng.integers(3, size=(5000, 1))
    models = [
        WeightedKMeans(
            3, distance_exponent=p, init=init, n_init=2, random_state=0, n_jobs=n, max_iter=5
        ).fit(X)
        for n in (1, 2, 5)
    ]
    for other in models[1:]:
        for name in ("labels_", "cluster_centers_", "cluster_feature_weights_"):
            np.testing.assert_array_equal(getattr(models[0], name), getattr(other, name))
        assert models[0].inertia_ == other.inertia_
        np.testing.assert_array_equal(models[0].transform(X), other.transform(X))


def test_predict_gives_the_labels_of_the_fit():
    X, _ = blobs()
    for call in ({}, {"max_iter": 1}, {"tol": 0.5}, {"init": "random", "random_state": 1}):
        model = WeightedKMeans(3, distance_exponent=1.5, **call).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_number_of_clusters_from_the_patterns():
    X, truth = blobs(n_noise=0)
    model = WeightedKMeans(weights=None, init=AnomalousStart(min_cluster_size=10)).fit(X)
    assert len(model.cluster_centers_) == (model.anomalous_patterns_.sizes >= 10).sum()
    assert accuracy(truth, model.labels_) > 0.9


def test_noise_gets_less_weight():
    X, truth = blobs(n=300)
    for weights in ("cluster", "global"):
        model = WeightedKMeans(3, weights=weights, weight_exponent=1.5).fit(X)
        assert accuracy(truth, model.labels_) > 0.95
        assert model.feature_weights_[:2].min() > 2.0 * model.feature_weights_[2:].max()
        assert model.feature_weights_.sum() == pytest.approx(1.0)


def test_global_weights_are_one_set():
    X, _ = blobs()
    model = WeightedKMeans(3, weights="global", weight_exponent=2.0, dispersion_offset=0).fit(X)
    w = model.cluster_feature_weights_
    np.testing.assert_array_equal(w, np.tile(w[0], (3, 1)))
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=0)
    np.testing.assert_allclose(w[0], (1 / spread) / (1 / spread).sum(), rtol=1e-9)  # eq. 3.3


def test_beta_of_one_keeps_one_feature_per_cluster():
    X, _ = blobs()
    model = WeightedKMeans(3, distance_exponent=2.0, weight_exponent=1.0).fit(X)
    np.testing.assert_array_equal(np.sort(model.cluster_feature_weights_, axis=1)[:, -1], 1.0)
    np.testing.assert_array_equal(model.cluster_feature_weights_.sum(axis=1), 1.0)


@pytest.mark.parametrize("beta", [1.0, 1.0001, 1.01, 2.0])
@pytest.mark.parametrize("offset", ["mean", 0])
def test_a_constant_column_changes_nothing(beta, offset):
    X, _ = blobs()
    call = {"weight_exponent": beta, "dispersion_offset": offset}
    plain = WeightedKMeans(3, **call).fit(X)
    padded = WeightedKMeans(3, **call).fit(np.c_[np.full(len(X), 7.0), X])
    np.testing.assert_array_equal(plain.labels_, padded.labels_)
    np.testing.assert_array_equal(padded.cluster_feature_weights_[:, 0], 0.0)
    np.testing.assert_allclose(
        plain.cluster_feature_weights_, padded.cluster_feature_weights_[:, 1:], atol=1e-9
    )


def test_degenerate_tables():
    # All rows the same; a single row; a single column; two distinct rows and three clusters.
    for X, k in [(np.ones((5, 3)), 1), (np.ones((1, 2)), 1), (np.arange(6.0)[:, None], 2)]:
        for p in (1.0, 1.4, 2.0):
            model = WeightedKMeans(k, distance_exponent=p).fit(X)
            assert np.isfinite(model.cluster_centers_).all()
            np.testing.assert_allclose(model.cluster_feature_weights_.sum(axis=1), 1.0)
    two = np.repeat([[0.0, 1.0], [1.0, 0.0]], 4, axis=0)
    for init in ("anomalous", "random", "k-means++", "scattered"):
        with pytest.warns(ConvergenceWarning, match="2 of 3 clusters"):
            model = WeightedKMeans(3, init=init, random_state=0).fit(two)
        assert model.inertia_ == 0.0
        assert len(set(model.labels_)) == 2


def test_rows_of_weight_zero_do_not_count():
    X, _ = blobs()
    far = np.full((3, X.shape[1]), 1e3)
    mass = np.r_[np.ones(len(X)), np.zeros(3)]
    plain = WeightedKMeans(3, distance_exponent=1.5).fit(X)
    with_far = WeightedKMeans(3, distance_exponent=1.5).fit(np.r_[X, far], sample_weight=mass)
    np.testing.assert_array_equal(plain.cluster_centers_, with_far.cluster_centers_)
    np.testing.assert_array_equal(plain.labels_, with_far.labels_[: len(X)])
    np.testing.assert_array_equal(with_far.anomalous_patterns_.labels[len(X) :], -1)


@pytest.mark.parametrize("init", ["anomalous", "random", "k-means++", "scattered"])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_a_row_of_weight_two_is_the_row_twice(p, init):
    X, _ = blobs(n=60)
    mass = np.random.default_rng(0).integers(0, 4, len(X))
    call = {"distance_exponent": p, "weight_exponent": 1.5, "init": init, "random_state": 3}
    weighted = WeightedKMeans(3, **call).fit(X, sample_weight=mass)
    order = np.random.default_rng(1).permutation(mass.sum())
    repeated = WeightedKMeans(3, **call).fit(np.repeat(X, mass, axis=0)[order])
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-7)
    np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, rtol=1e-7)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-9)


# Missing values


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_missing_values_by_hand(p):
    # One cluster, rows (0, 0), (2, NaN), (4, 6). Centre: feature 0 from three values, the
    # second row's distance counted twice (one of two features seen); feature 1 from 0 and 6.
    X = np.array([[0.0, 0.0], [2.0, np.nan], [4.0, 6.0]])
    model = WeightedKMeans(1, distance_exponent=p, weights=None, allow_nan=True).fit(X)
    if p > 1.0:
        np.testing.assert_allclose(model.cluster_centers_, [[2.0, 3.0]], atol=1e-9)
    far = model.transform(np.array([[5.0, np.nan]]))[0, 0]
    assert far == pytest.approx((2.0 * 3.0**p) ** (1 / p), rel=1e-9)


def test_missing_values_need_asking_for():
    X, _ = blobs()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        WeightedKMeans(3).fit(X)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
def test_missing_values_leave_the_clusters_standing(p):
    X, truth = blobs(n=300)
    holes = np.random.default_rng(1).random(X.shape) < 0.1
    holes[:, 4] = False  # no row without any value
    model = WeightedKMeans(3, distance_exponent=p, weight_exponent=1.5, allow_nan=True)
    model.fit(np.where(holes, np.nan, X))
    # Rows that have both of the features that tell.
    known = ~holes[:, :2].any(axis=1)
    assert accuracy(truth[known], model.labels_[known]) > 0.9
    np.testing.assert_array_equal(model.predict(np.where(holes, np.nan, X)), model.labels_)
    # With nothing missing, the option changes nothing.
    plain = WeightedKMeans(3, distance_exponent=p, weight_exponent=1.5).fit(X)
    same = clone(model).fit(X)
    np.testing.assert_array_equal(plain.labels_, same.labels_)


@pytest.mark.parametrize("init", ["anomalous", "random", "k-means++", "scattered"])
def test_missing_values_without_offset_still_descend(init):
    X, _ = blobs(n=200)
    X[np.random.default_rng(2).random(X.shape) < 0.15] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    call = {"weight_exponent": 2.0, "dispersion_offset": 0, "allow_nan": True, "init": init}
    costs = [
        WeightedKMeans(3, **call, n_init=1, random_state=0, max_iter=n).fit(X).inertia_
        for n in range(1, 12)
    ]
    assert (np.diff(costs) <= 1e-9 * costs[0]).all()


def test_rows_and_columns_without_any_value_are_refused():
    X, _ = blobs()
    X[3] = np.nan
    with pytest.raises(ValueError, match="row 3 has no observed value"):
        WeightedKMeans(3, allow_nan=True).fit(X)
    X, _ = blobs()
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has no observed value"):
        WeightedKMeans(3, allow_nan=True).fit(X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 500}, "lower n_clusters"),
        ({"distance_exponent": 0.5}, "distance_exponent=0.5"),
        ({"weight_exponent": 0.9}, "weight_exponent=0.9"),
        ({"weight_exponent": "other"}, "choose one of 'same'"),
        ({"weights": "local"}, "weights='local'"),
        ({"init": "best"}, "init='best'"),
        ({"init": "random"}, "init='random' needs the number of clusters; give n_clusters, or use"),
        ({"init": np.zeros((2, 3))}, "init has shape"),
        ({"n_clusters": 3, "init": np.zeros((2, 5))}, "init has 2 centres"),
        ({"init_weights": np.zeros(3)}, "init_weights has shape"),
        ({"dispersion_offset": -1.0}, "dispersion_offset=-1.0"),
        ({"tol": 2.0}, "tol=2.0"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_wrong_parameters_are_named(call, message):
    X, _ = blobs()
    with pytest.raises(ValueError, match=message):
        WeightedKMeans(**call).fit(X)


# The thesis


@pytest.mark.parametrize(("model", "n_clusters"), [("viii", 5), ("ix", 12)])
def test_noise_holds(model, n_clusters):
    scores = {"iMWK": [], "iWK": [], "K": []}
    for seed in range(5):
        noisy = make_noisy_gaussians(model, random_state=seed)
        X = RangeScaler().fit_transform(noisy.data)
        for name, call in [
            ("iMWK", {"distance_exponent": 1.5}),
            ("iWK", {"weight_exponent": 1.5}),
            ("K", {"weights": None, "init": "random", "n_init": 1, "random_state": seed}),
        ]:
            labels = WeightedKMeans(n_clusters, **call).fit(X).labels_
            scores[name].append(accuracy(noisy.target, labels))
    assert np.mean(scores["iMWK"]) > np.mean(scores["iWK"]) > np.mean(scores["K"])
