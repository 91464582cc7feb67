"""The mixture behind the count: its EM against scikit-learn's density, its merges, its joins."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import multivariate_normal

from weft.choosing.mixture import (
    JOINED,
    components_of,
    join_components,
    log_determinants,
    merge_down,
    mixtures,
    parameters,
    principal,
    refine,
)


def _features(rows):
    n, d = rows.shape
    products = np.einsum("na,nb->nab", rows, rows).reshape(n, d * d)
    return np.hstack([np.ones((n, 1)), rows, products])


def test_densities_are_gaussian():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 3))
    parts = rng.dirichlet([1, 1], size=50)
    features = _features(rows)
    theta = parameters(parts.T @ features, 50, 3, 2, prior=0.5, strength=4.0)
    for k in range(2):
        weight = parts[:, k].sum()
        mean = parts[:, k] @ rows / weight
        away = rows - mean
        covariance = ((parts[:, k, None] * away).T @ away + 4.0 * 0.5 * np.eye(3)) / (weight + 4.0)
        axes, turns = np.linalg.eigh(covariance)
        axes[:1] = axes[:1].mean()
        expected = np.log(weight / 50) + multivariate_normal(
            mean, turns @ np.diag(axes) @ turns.T
        ).logpdf(rows)
        np.testing.assert_allclose((features @ theta)[:, k], expected, rtol=1e-9)


def test_shared_axes_by_hand():
    # Variances 1, 3 and 8, one free axis: ln 8 + 2 ln 2, the others sharing their mean 2.
    assert log_determinants(np.diag([1.0, 8.0, 3.0]), 1) == pytest.approx(np.log(8) + 2 * np.log(2))
    assert log_determinants(np.diag([1.0, 8.0, 3.0]), 2) == pytest.approx(np.log(24))


def test_the_nearest_components_merge():
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.normal(m, 0.1, (20, 2)) for m in (0.0, 0.2, 5.0)])
    labels = merge_down(rows, np.repeat([0, 1, 2], 20), 2, 1, 0.01, 4.0)
    assert len(set(labels[:40])) == 1
    assert labels[40] not in labels[:40]
    sizes = components_of(rows, np.unique(labels, return_inverse=True)[1]).sizes
    assert sorted(sizes) == [20, 40]


def test_bic_prefers_the_truth():
    rng = np.random.default_rng(2)
    rows = principal(np.vstack([rng.normal(m, 1.0, (60, 2)) for m in (0.0, 8.0)]))
    features = _features(rows)
    two = refine(features, np.repeat([0, 1], 60), 1, 0.1, 4.0)
    one = refine(features, np.zeros(120, dtype=int), 1, 0.1, 4.0)
    four = refine(features, np.arange(120) // 30, 1, 0.1, 4.0)
    assert two.bic > one.bic
    assert two.bic > four.bic


@pytest.mark.parametrize(
    ("q", "n_components", "free"),
    [
        # d = 3. A full covariance has 6 free numbers, with the mean 9; each component but the
        # last has a share. With one free axis: its direction 2, its variance 1, the shared
        # variance 1, so 4.
        (2, 1, 9),
        (2, 2, 19),
        (1, 1, 7),
        (1, 3, 23),
        (0, 1, 4),  # a sphere: the mean and one variance
    ],
)
def test_bic_counts_the_free_numbers(q, n_components, free):
    rng = np.random.default_rng(5)
    rows = np.vstack([rng.normal(9.0 * k, 1.0, (20, 3)) for k in range(n_components)])
    n = len(rows)
    labels = np.repeat(np.arange(n_components), 20)
    features = _features(rows)
    found = refine(features, labels, q, 0.1, 4.0)
    assert found.labels.tolist() == labels.tolist()
    # The components lie so far apart that EM leaves the parts as they are.
    theta = parameters(np.eye(n_components)[labels].T @ features, n, 3, q, 0.1, 4.0)
    likelihood = np.logaddexp.reduce(features @ theta, axis=1).sum()
    assert found.bic == pytest.approx(likelihood - 0.5 * free * np.log(n), abs=1e-6)


def test_joining_by_hand():
    # A chain of 4 rows, each with both its neighbours but the ends with one twice. Components
    # {0, 1} and {2, 3}: 8 edges either way, one pair crosses (1-2 and 2-1): 2 of 8 in each = 0.25,
    # which is not more than the limit.
    neighbours = np.array([[1, 1], [0, 2], [1, 3], [2, 2]])
    labels, crossing = join_components(np.array([0, 0, 1, 1]), neighbours)
    assert crossing == pytest.approx(0.25)
    assert crossing <= JOINED
    assert labels.tolist() == [0, 0, 1, 1]
    # With both neighbours on the other side everything crosses, and one cluster is left.
    labels, crossing = join_components(np.array([0, 1, 0, 1]), neighbours)
    assert labels.tolist() == [0, 0, 0, 0]
    assert crossing == 0.0


def test_principal_keeps_distances_of_narrow_tables():
    rows = np.random.default_rng(3).normal(size=(30, 5))
    reduced = principal(np.column_stack([rows, np.ones(30)]))
    assert reduced.shape == (30, 5)
    assert reduced.var(axis=0).mean() == pytest.approx(1.0)
    assert principal(np.random.default_rng(4).normal(size=(30, 90))).shape == (30, 20)
    assert principal(np.ones((6, 3))).shape == (6, 1)


@pytest.mark.parametrize("n_columns", [4, 20, 21, 60])
def test_principal_keeps_the_form_of_a_table(n_columns):
    # Four directions, in columns far from 0 and much narrower than 1: distances between rows keep
    # their ratios, means are 0, and the mean variance is 1.
    rng = np.random.default_rng(5)
    turn = rng.normal(size=(4, n_columns))
    rows = 1e-3 * rng.normal(size=(12, 4)) @ turn + 7.0
    found = principal(rows)
    assert found.shape == (12, n_columns if n_columns <= 20 else 4)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-9)
    assert found.var(axis=0).mean() == pytest.approx(1.0)
    ratios = pdist(found) / pdist(rows)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)


def test_principal_of_equal_rows_is_one_column_of_zeros():
    for n_columns in (3, 30):
        np.testing.assert_array_equal(principal(np.full((6, n_columns), 2.0)), np.zeros((6, 1)))


@pytest.mark.parametrize(
    ("d", "shapes"), [(1, {0}), (2, {1}), (3, {1, 2}), (15, {1, 14}), (16, {1})]
)
def test_one_component_is_one_gaussian(d, shapes):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(40, d)) * np.linspace(1.0, 2.0, d)
    rows -= rows.mean(axis=0)
    start = np.arange(40) % 4
    found = mixtures(rows, start, 3)
    assert {q for _, q in found} == shapes
    assert max(number for number, _ in found) <= 3
    # The prior is the mean variance within the pieces of the start.
    within = sum(((rows[start == k] - rows[start == k].mean(axis=0)) ** 2).sum() for k in range(4))
    prior = within / (40 * d)
    for q in shapes:
        strength = d + 2.0 if q == d - 1 else 2.0
        covariance = (rows.T @ rows + strength * prior * np.eye(d)) / (40 + strength)
        axes, turns = np.linalg.eigh(covariance)
        axes[: d - q] = axes[: d - q].mean()
        density = multivariate_normal(np.zeros(d), turns @ np.diag(axes) @ turns.T)
        # Free numbers: the mean; all of a covariance, or q axes of d − 1, … dimensions, their
        # variances, and the one that the others share.
        free = d + (d * (d + 1) / 2 if q == d - 1 else sum(d - i for i in range(q)) + 1)
        expected = density.logpdf(rows).sum() - 0.5 * free * np.log(40)
        assert found[1, q].bic == pytest.approx(expected)
        assert found[1, q].labels.tolist() == [0] * 40


def test_mixtures_of_groups_far_apart_find_them():
    rng = np.random.default_rng(4)
    truth = np.repeat([0, 1, 2], 30)
    rows = rng.normal(size=(90, 2)) + 20.0 * np.eye(3)[truth][:, :2]
    found = mixtures(rows, np.arange(90) // 15, 5)
    assert {number for number, _ in found} >= {1, 2, 3}
    best = max(found, key=lambda key: found[key].bic)
    assert best[0] == 3
    labels = found[best].labels
    assert len({(int(a), int(b)) for a, b in zip(labels, truth, strict=True)}) == 3
    # Two components have twice the free numbers of one, and a share.
    assert all(found[key].labels.max() + 1 == key[0] for key in found)


@pytest.mark.parametrize(("share", "n_kept"), [(1.2e-7, 2), (0.8e-7, 1), (0.0, 1)])
def test_axes_that_are_rounding_errors_are_left_out(share, n_kept):
    # Two directions in 21 columns, the second with `share` of the first one's deviation.
    axes = np.linalg.qr(np.random.default_rng(6).normal(size=(30, 2)))[0]
    axes = np.linalg.qr(axes - axes.mean(axis=0))[0]
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(21, 2)))[0]
    found = principal((axes * [1.0, share]) @ turn.T)
    assert found.shape == (30, n_kept)
    ratio = np.abs(found[:, 0] @ axes[:, 0]) / np.linalg.norm(found[:, 0])
    assert ratio == pytest.approx(1.0)


def test_a_column_without_spread_has_that_of_the_prior():
    # Every row is a piece of the start, so nothing is within, and the prior is 1e-6. Column 1 is
    # constant: its variance is that of the prior, 4 prior / (9 + 4), the other's nearly 60 / 13.
    rows = np.column_stack([np.arange(9.0) - 4.0, np.zeros(9)])
    found = mixtures(rows, np.arange(9), 1)
    variances = np.array([60.0 + 4e-6, 4e-6]) / 13.0
    expected = multivariate_normal(np.zeros(2), np.diag(variances)).logpdf(rows).sum()
    assert found[1, 1].bic == pytest.approx(expected - 0.5 * 5 * np.log(9), rel=1e-9)


def test_recorded_mixtures():
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(48, 3)) * [1.0, 0.5, 0.2]
    rows[24:] += [1.5, 0.5, 1.0]
    found = mixtures(rows, np.arange(48) // 4, 4)
    labels = {key: "".join(map(str, model.labels)) for key, model in found.items()}
    assert labels == {
        (4, 1): "000010100000000000000200133333333333332121333323",
        (3, 1): "000000000000000000000100022222222222221010222212",
        (2, 1): "000010000000000000000100011111111111111110111111",
        (1, 1): "0" * 48,
        (4, 2): "000000000000000000000300111111111212123111111112",
        (3, 2): "000000000000000000000200111111111212122111111112",
        (2, 2): "000000000000000000000100111111111111111111111111",
        (1, 2): "0" * 48,
    }
    expected = [-187.6652715, -175.8244955, -166.2922082, -165.2829049]
    expected += [-199.6295099, -180.5675748, -169.2824357, -167.1256276]
    np.testing.assert_allclose([model.bic for model in found.values()], expected, rtol=1e-8)
