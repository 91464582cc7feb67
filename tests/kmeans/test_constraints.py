"""Constraints: contradictions named, dead ends explained, everything else held."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import ConstrainedKMeans, WeightedKMeans
from weft.kmeans.constraints import make_groups, read_pairs


def pairs(*given):
    return np.array(given, dtype=np.int64).reshape(-1, 2)


def test_groups_by_hand():
    # 0-1-2 are tied, 3-4 are tied, 5 is alone; 0 and 3 exclude each other, so do 4 and 5.
    groups = make_groups(pairs((0, 1), (1, 2), (3, 4)), pairs((0, 3), (4, 5)), 6)
    assert groups.total == 3
    np.testing.assert_array_equal(groups.of_row, [0, 0, 0, 1, 1, 2])
    assert groups.foes == {0: [1], 1: [0, 2], 2: [1]}


def test_a_contradiction_is_named_with_its_chain():
    with pytest.raises(ValueError, match=r"cannot_link \(4, 0\).*4 - 2 - 1 - 0"):
        make_groups(pairs((0, 1), (2, 1), (2, 4), (3, 3)), pairs((3, 4), (4, 0)), 5)
    with pytest.raises(ValueError, match="has the same row twice"):
        make_groups(pairs(), pairs((1, 1)), 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([(0, 9)], "names row 9"),
        ([(-1, 0)], "names row -1"),
        ([(0, 1, 2)], "pairs of row numbers"),
        ([(0.5, 1.0)], "pairs of row numbers"),
    ],
)
def test_bad_pairs_are_refused(value, message):
    with pytest.raises(ValueError, match=message):
        read_pairs("must_link", value, 5)


def test_a_dead_end_says_which_constraint():
    X = np.arange(6.0)[:, None]
    triangle = [(0, 1), (1, 2), (0, 2)]  # three rows apart from each other need three clusters
    with pytest.raises(ValueError, match=r"n_clusters=2.*raise n_clusters"):
        ConstrainedKMeans(2).fit(X, cannot_link=triangle)
    labels = ConstrainedKMeans(3).fit_predict(X, cannot_link=triangle)
    assert len(set(labels[:3])) == 3


def test_an_order_that_fails_is_tried_in_another():
    # A path 0-2, 2-3, 3-1 with two clusters at 0 and 10. In the order of the rows, 0 and 1 both
    # go to the cluster at 0, 2 to the other, and 3 (against 2 and 1) finds none; 3 first: it works.
    X = np.array([[0.0], [0.1], [0.2], [0.3], [10.0]])
    links = [(0, 2), (2, 3), (3, 1)]
    model = ConstrainedKMeans(2, init=np.array([[0.0], [10.0]]), max_retries=5)
    labels = model.fit_predict(X, cannot_link=links)
    assert all(labels[i] != labels[j] for i, j in links)
    with pytest.raises(ValueError, match="0 retries"):
        ConstrainedKMeans(2, init=np.array([[0.0], [10.0]]), max_retries=0).fit(
            X, cannot_link=links
        )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), init=st.sampled_from(["anomalous", "random"]))
def test_pairs_from_a_true_partition_are_held(seed, init):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=30)
    X = rng.normal(size=(30, 2)) + 2.0 * truth[:, None]
    chosen = rng.integers(30, size=(15, 2))
    chosen = chosen[chosen[:, 0] != chosen[:, 1]]
    same = truth[chosen[:, 0]] == truth[chosen[:, 1]]
    model = ConstrainedKMeans(3, init=init, random_state=seed)
    labels = model.fit(X, must_link=chosen[same], cannot_link=chosen[~same]).labels_
    assert (labels[chosen[same, 0]] == labels[chosen[same, 1]]).all()
    assert (labels[chosen[~same, 0]] != labels[chosen[~same, 1]]).all()


@pytest.mark.parametrize("init", ["anomalous", "random"])
def test_without_constraints_it_is_k_means(init):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3)) + 3.0 * rng.integers(3, size=(80, 1))
    free = WeightedKMeans(3, weights=None, init=init, random_state=0).fit(X)
    bound = ConstrainedKMeans(3, init=init, random_state=0).fit(X)
    np.testing.assert_array_equal(free.labels_, bound.labels_)
    assert bound.inertia_ == pytest.approx(free.inertia_, rel=1e-12)


def test_patterns_heed_the_constraints():
    # 9 and 10 make a pattern (see the patterns solved by hand); tied to 10, row 2 goes with it.
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    tied = ConstrainedKMeans(2).fit(X, must_link=[(2, 4)]).anomalous_patterns_
    assert tied.labels[2] == tied.labels[4]
    apart = ConstrainedKMeans(2).fit(X, cannot_link=[(3, 4)]).anomalous_patterns_
    assert apart.labels[3] != apart.labels[4]


def test_contradictions_are_refused_before_any_work():
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match="0 - 1 - 2"):
        ConstrainedKMeans(2, max_iter=1).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
