"""Mixtures from many classes down to few: losses by hand, and optima that k-means misses."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft.columns.mixed.classes import LEAST_VARIANCE, Profile, fit_classes, profile_of
from weft.columns.mixed.dependent import dependents_of, fit_dependent
from weft.columns.mixed.descent import descend, merge_closest, merging_losses, pack_labels
from weft.columns.mixed.priors import (
    log_prior_of_covariances,
    log_prior_of_levels,
    log_prior_of_variances,
)
from weft.columns.source import MixedTable, SourceColumn


def profile(numbers, codes=None, n_levels=2):
    numbers = np.asarray(numbers, dtype=float)
    levels = np.empty((len(numbers), 0)) if codes is None else np.eye(n_levels)[codes]
    return Profile(
        numbers, numbers**2, np.ones_like(numbers), levels, np.zeros(levels.shape[1], dtype=int)
    )


@pytest.mark.parametrize("dependent", [False, True])
def test_what_merging_two_numbers_costs_by_hand(dependent):
    # Means 0 and 4, W = 4 · 1; n_a n_b / (n_a + n_b) = 1; n/2 = 2.
    rows = profile([[-1.0], [1.0], [3.0], [5.0]])
    within = 4.0 + (4.0 * LEAST_VARIANCE if dependent else 0.0)
    losses = merging_losses(rows.numbers, rows, np.array([0, 0, 1, 1]), dependent=dependent)
    assert losses[0, 1] == pytest.approx(2.0 * np.log(1.0 + 16.0 / within))
    assert losses[0, 0] == pytest.approx(0.0)


def test_what_merging_levels_costs_by_hand():
    # Levels "aa" and "ab", together "aaab": 0 + 2 log 1/2 - (3 log 3/4 + log 1/4).
    rows = profile(np.empty((4, 0)), [0, 0, 0, 1])
    losses = merging_losses(rows.numbers, rows, np.array([0, 0, 1, 1]), dependent=True)
    expected = 2.0 * np.log(0.5) - 3.0 * np.log(0.75) - np.log(0.25)
    assert losses[0, 1] == pytest.approx(expected)


def test_a_covariance_decides_which_classes_are_alike():
    # Rows lie along (1, 1). Class 1 is far from class 0 along that line, class 2 is near it
    # across the line: with a covariance 0 and 1 are alike, without one 0 and 2 are.
    line = np.linspace(-3.0, 3.0, 60)
    along = np.column_stack([line, line])
    noise = np.random.default_rng(0).normal(0.0, 0.1, (180, 2))
    numbers = np.vstack([along, along + 2.0, along + np.array([0.6, -0.6])]) + noise
    labels = np.repeat([0, 1, 2], 60)
    rows = profile(numbers)
    merged = merge_closest(numbers, rows, labels, dependent=True)
    np.testing.assert_array_equal(merged, np.repeat([0, 0, 1], 60))
    merged = merge_closest(numbers, rows, labels, dependent=False)
    np.testing.assert_array_equal(merged, np.repeat([0, 1, 0], 60))


def test_descent_fits_every_number_and_passes_over_classes_that_are_empty():
    seen = []

    class Fit:
        def __init__(self, labels):
            self.labels = labels

    def fit(labels, count):
        seen.append((count, int(labels.max()) + 1))
        # The fit with four classes loses one of them.
        return Fit(np.minimum(labels, 2) if count == 4 else labels)

    def merge(labels):
        return pack_labels(np.maximum(labels - 1, 0))

    fits = descend(np.array([0, 2, 5, 7, 9]), range(5, 1, -1), fit, merge)
    assert sorted(fits) == [2, 3, 4, 5]
    assert seen == [(5, 5), (4, 4), (3, 3), (2, 2)]


def animals(seed=0, n=400):
    """Two species; size, which depends on the sex, moves all measures more than the species."""
    rng = np.random.default_rng(seed)
    labels, sex = rng.integers(0, 2, (2, n))
    size = rng.standard_normal(n) + 2.0 * sex
    numbers = [size + 1.2 * sign * labels + 0.3 * rng.standard_normal(n) for sign in (1, -1, 0)]
    columns = [SourceColumn(f"x{j}", "number", (j,)) for j in range(3)]
    columns.append(SourceColumn("sex", "category", (3,), levels=("f", "m")))
    return MixedTable(np.column_stack([*numbers, sex]).astype(float), tuple(columns)), labels


def test_the_descent_leaves_an_optimum_that_a_category_leads_to():
    table, labels = animals()
    rows = dependents_of(table)
    direct = fit_dependent(rows, table.values[:, 3].astype(int), 2)
    assert adjusted_rand_score(labels, direct.labels) < 0.1
    start = np.digitize(table.values[:, 0], np.quantile(table.values[:, 0], [0.2, 0.4, 0.6, 0.8]))
    fits = descend(
        start,
        range(5, 1, -1),
        lambda own, count: fit_dependent(rows, own, count),
        lambda own: merge_closest(rows.numbers, rows.profile, own, dependent=True),
    )
    assert adjusted_rand_score(labels, fits[2].labels) > 0.9
    assert fits[2].objective > direct.objective


def test_priors_by_hand():
    # Variances 1 and 3 of classes with as many rows: S = 2; ratios 2 and 2/3.
    expected = -0.5 * 10.0 * ((2.0 - np.log(2.0) - 1.0) + (2.0 / 3.0 - np.log(2.0 / 3.0) - 1.0))
    sizes = np.array([20.0, 20.0])
    variances = np.array([[1.0], [3.0]])
    assert log_prior_of_variances(variances, sizes, 10.0) == pytest.approx(expected)
    covariances = variances[:, :, np.newaxis]
    assert log_prior_of_covariances(covariances, sizes, 10.0) == pytest.approx(expected)
    # Prior counts 1 and 1, shares .5 and .5 in one class, .8 and .2 in the other.
    theta = np.array([[0.5, 0.5], [0.8, 0.2]])
    expected = 2.0 * np.log(0.5) + np.log(0.8) + np.log(0.2)
    assert log_prior_of_levels(np.log(theta), np.ones(2)) == pytest.approx(expected)


def test_a_class_of_equal_rows_is_likelier_and_not_better():
    rng = np.random.default_rng(3)
    labels = np.arange(300) % 2
    numbers = rng.normal(1.5 * labels[:, None], 1.0, (300, 4))
    numbers[:12] = numbers[0]  # a spike
    columns = tuple(SourceColumn(f"x{j}", "number", (j,)) for j in range(4))
    rows = profile_of(MixedTable(numbers, columns))
    spike = fit_classes(rows, (np.arange(300) < 12).astype(int), 2)
    honest = fit_classes(rows, labels, 2)
    assert spike.likelihood - honest.likelihood > spike.objective - honest.objective
    assert honest.objective > spike.objective
