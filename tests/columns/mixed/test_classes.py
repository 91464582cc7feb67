"""Mixtures of classes: cases solved by hand, gaps, degenerate tables."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft.columns.mixed.classes import PRIOR_LEVELS, fit_classes, joint_likelihood, profile_of
from weft.columns.mixed.gap_patterns import describe_gaps
from weft.columns.source import MixedTable, SourceColumn


def categories(*codes):
    columns = tuple(
        SourceColumn(f"c{j}", "category", (j,), levels=("a", "b", "c")) for j in range(len(codes))
    )
    return MixedTable(np.column_stack(codes).astype(float), columns)


def test_shares_of_levels_by_hand():
    # One class: 6 of 10 rows have "a", so its share is (6 + 2 * 0.6) / (10 + 2) = 0.6.
    table = categories([0] * 6 + [1] * 4)
    classes = fit_classes(profile_of(table), np.zeros(10, dtype=int), 1)
    np.testing.assert_allclose(np.exp(classes.model[3][0]), [0.6, 0.4])
    assert classes.likelihood == pytest.approx(0.6 * np.log(0.6) + 0.4 * np.log(0.4))


def test_shares_are_drawn_to_those_of_the_table():
    # After one round from labels that are sure to 0.9 + 0.1 / 2: the first class has 4.75 of its
    # own rows, all "a", and 0.25 of the others, all "b".
    table = categories([0] * 5 + [1] * 5)
    labels = np.repeat([0, 1], 5)
    classes = fit_classes(profile_of(table), labels, 2, max_rounds=1)
    share = (4.75 + PRIOR_LEVELS * 0.5) / (5.0 + PRIOR_LEVELS)
    np.testing.assert_allclose(np.exp(classes.model[3][0]), [share, 1.0 - share])
    np.testing.assert_array_equal(classes.labels, labels)


def test_a_gap_says_nothing():
    table = categories([0, 0, 1, 1, np.nan] * 4, [0, 0, 1, 1, 0] * 4)
    profile = profile_of(table)
    model = fit_classes(profile, np.array([0, 0, 1, 1, 0] * 4), 2).model
    joint = joint_likelihood(profile, model)
    alone = model[0] + model[3][:, 2]  # the first level of the second category
    np.testing.assert_allclose(joint[4], alone)


def test_classes_of_numbers_and_levels_with_gaps():
    rng = np.random.default_rng(0)
    labels = np.arange(400) % 2
    values = np.column_stack([
        rng.normal(2.5 * labels, 1.0),
        rng.normal(-2.5 * labels, 1.0),
        np.where(rng.random(400) < 0.1, 1 - labels, labels),
    ])  # fmt: skip
    values[rng.random(values.shape) < 0.2] = np.nan
    columns = (
        SourceColumn("x", "number", (0,)),
        SourceColumn("y", "number", (1,)),
        SourceColumn("c", "category", (2,), levels=("a", "b")),
    )
    start = np.where(rng.random(400) < 0.3, 1 - labels, labels)
    found = fit_classes(profile_of(MixedTable(values, columns)), start, 2)
    assert adjusted_rand_score(labels, found.labels) > 0.75


def test_gaps_at_random_get_no_caution():
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 3
    codes = labels.astype(float)
    codes[rng.random(300) < 0.3] = np.nan
    assert describe_gaps(labels, categories(codes, labels)) == ""
    codes[labels == 0] = np.nan
    assert "'c0'" in describe_gaps(labels, categories(codes, labels))
