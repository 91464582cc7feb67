"""How far a column tells the clusters apart, by cases whose answer is known."""

import numpy as np
import pytest

from weft.columns.weights import association, subspace_weights


def test_a_column_that_tells_all_and_one_that_tells_nothing():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 200)
    rows = np.c_[labels * 10.0 + rng.normal(size=400), rng.normal(size=400)]
    weights = association(rows, labels)
    assert weights[0] == 1.0
    assert weights[1] < 0.2


def test_v_by_hand():
    # Two levels that equal the labels: χ² = n, V = 1 before the correction, and after it, since
    # share and largest share are corrected alike: (1 - 1/(n-1)) / (2 - 1/(n-1) - 1) = 1. The other
    # column splits each cluster in half: χ² = 0.
    labels = np.repeat([0, 1], 20)
    rows = np.c_[labels, np.tile([0, 1], 20)].astype(float)
    assert association(rows, labels) == pytest.approx([1.0, 0.01])


def test_a_ring_around_a_ball_is_seen_though_the_means_agree():
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, 300)
    ring = 5.0 * np.c_[np.cos(angle), np.sin(angle)]
    ball = rng.normal(size=(300, 2)) * 0.5
    noise = rng.normal(size=(600, 1))
    rows = np.hstack([np.vstack([ring, ball]), noise])
    weights = association(rows, np.repeat([0, 1], 300))
    assert weights[:2].min() > 0.9
    assert weights[2] < 0.2


def test_tighter_columns_of_a_cluster_weigh_more():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2))
    labels = np.repeat([0, 1], 100)
    rows[:100, 0] *= 0.01
    weights = subspace_weights(rows, labels)
    assert weights.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert weights[0, 0] > 0.8
