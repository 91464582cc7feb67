"""The mixture behind the count: its EM against scikit-learn's density, its merges, its joins."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from weft.choosing.mixture import (
    JOINED,
    components_of,
    join_components,
    log_determinants,
    merge_down,
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
