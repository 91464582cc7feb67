"""Table 9 and the relevant features: by hand, by definition, by adversaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.metrics import entropy, found_features, fscore, select_features


def brute(y, labels):
    """Table 9 as printed, with loops; k is the number of classes."""
    n, classes, clusters = len(y), np.unique(y), np.unique(labels)
    f = e = 0.0
    for r in classes:
        best = 0.0
        for i in clusters:
            both = np.sum((y == r) & (labels == i))
            recall, precision = both / np.sum(y == r), both / np.sum(labels == i)
            if both:
                best = max(best, 2 * recall * precision / (recall + precision))
        f += np.sum(y == r) / n * best
    for i in clusters:
        inside = [np.mean(y[labels == i] == r) for r in classes]
        e -= np.sum(labels == i) / n * sum(p * np.log(p) for p in inside if p > 0)
    return f, e / np.log(len(classes)) if len(classes) > 1 else 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_table_9_is_the_definition(pairs):
    y, labels = np.array(pairs).T
    f, e = brute(y, labels)
    assert fscore(y, labels) == pytest.approx(f)
    assert entropy(y, labels) == pytest.approx(e, abs=1e-12)


def test_extremes():
    y = ["a", "a", "b", "b"]
    assert fscore(y, [3, 3, 8, 8]) == 1.0
    assert entropy(y, [3, 3, 8, 8]) == 0.0
    assert entropy(y, [0, 1, 0, 1]) == pytest.approx(1.0)
    assert entropy([1, 1, 1], [0, 1, 2]) == 0.0
    assert fscore(y, [-1, -1, -1, -1]) == 0.0
    # class a is split, class b whole: (F of 1 and 1/2, which is 2/3, + 1) / 2
    assert fscore(y, [0, 1, 2, 2]) == pytest.approx(5 / 6)


def test_split_by_hand():
    # sorted 1, 2, 8, 9: the cut between 2 and 8 has 2·2·7² = 196, the others 3·6.33².., less
    np.testing.assert_array_equal(
        select_features([[8.0, 1.0, 9.0, 2.0]]), [[True, False, True, False]]
    )
    # one feature has it all, as in EWKM with a small γ
    np.testing.assert_array_equal(select_features([[0.0, 1.0, 0.0]]), [[False, True, False]])
    assert not select_features(np.full((2, 5), 0.2)).any()
    np.testing.assert_array_equal(
        select_features([[1.0, 2.0, 6.0]], rule="mean"), [[False, False, True]]
    )


def test_perfect_recovery_whatever_the_names():
    relevant = np.eye(3, 9, dtype=bool) | np.eye(3, 9, 4, dtype=bool)
    y = np.repeat(["x", "y", "z"], 4)
    labels = np.repeat([2, 0, 1], 4)
    weights = np.where(relevant[[1, 2, 0]], 0.4, 0.02)
    assert found_features(relevant, weights, y, labels) == (1.0, 1.0, 1.0)
    assert found_features(relevant, weights > 0.1, y, labels) == (1.0, 1.0, 1.0)


def test_missing_clusters_count_as_missed():
    relevant = np.array([[True, False], [False, True]])
    found = found_features(relevant, np.array([[True, False]]), [0, 0, 1], [0, 0, 0])
    assert found.precision == 1.0
    assert found.recall == 0.5
    none = found_features(relevant, np.zeros((2, 2), dtype=bool), [0, 1], [0, 1])
    assert none == (0.0, 0.0, 0.0)


def test_classes_and_labels_of_found_features_belong_to_the_same_rows():
    for y_true, labels in (([0, 1, 1], [0, 1]), ([0, 1], [0, 1, 1]), ([], [])):
        with pytest.raises(ValueError, match="one class and one label per row"):
            found_features(np.eye(2), np.eye(2), y_true, labels)


def test_errors():
    with pytest.raises(ValueError, match="rule"):
        select_features([[1.0, 2.0]], rule="best")
    with pytest.raises(ValueError, match="at least 0"):
        select_features([[1.0, -2.0]])
    with pytest.raises(ValueError, match="same table"):
        found_features(np.ones((2, 3)), np.ones((2, 4)), [0, 1], [0, 1])
    with pytest.raises(ValueError, match="one row for each"):
        found_features(np.ones((1, 3)), np.ones((2, 3)), [0, 1], [0, 1])


def test_rows_in_no_cluster():
    # Class a has 2 rows, b 3; the cluster {a, a, b} and {b}, and one b in none.
    y, labels = ["a", "a", "b", "b", "b"], [0, 0, 0, 1, -1]
    # F of a: 2·2/(2+3); of b: the best of 2·1/(3+3) and 2·1/(3+1).
    assert fscore(y, labels) == pytest.approx((2 * 4 / 5 + 3 * 1 / 2) / 5)
    # Of the four rows in clusters three are in a mix of 2/3 and 1/3.
    mix = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3)) / np.log(2)
    assert entropy(y, labels) == pytest.approx(3 * mix / 4)
    assert entropy(y, [-1] * 5) == 0.0


def test_the_best_cut_by_brute_force():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 9):
        for _ in range(20):
            weights = rng.random(n)
            ordered = np.sort(weights)
            cuts = [
                c * (n - c) * (ordered[c:].mean() - ordered[:c].mean()) ** 2 for c in range(1, n)
            ]
            edge = ordered[int(np.argmax(cuts))]
            np.testing.assert_array_equal(select_features([weights])[0], weights > edge)
    assert not select_features([[0.3], [0.7]]).any()  # one feature: nothing to cut
    np.testing.assert_array_equal(select_features([[0.0, 1.0], [1.0, 1.0]]), [[0, 1], [0, 0]])
    np.testing.assert_array_equal(select_features([[1.0, 1.0], [3.0, 1.0]], rule="mean")[1], [1, 0])
    assert select_features(np.empty((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[1.0, np.nan]], [[1.0, np.inf]], [[1.0, -1e-9]]])
def test_weights_that_are_none(bad):
    with pytest.raises(ValueError, match="at least 0"):
        select_features(bad)


def test_found_features_by_hand():
    # Cluster 1 stands for class 0 (2 of its 3 rows), cluster 0 for class 1; cluster 2, with one
    # row of class 1, for nobody: what it chose does not count.
    relevant = [[True, True, False, False], [False, False, True, False]]
    chosen = np.array([[0, 0, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    y, labels = [0, 0, 0, 1, 1, 1, 1], [1, 1, -1, 0, 0, 1, 2]
    found = found_features(relevant, chosen, y, labels)
    # Chosen 3 (2 + 1), relevant 3, right 2.
    assert found == pytest.approx((2 / 3, 2 / 3, 2 * 2 / 6))
    nothing = found_features(np.zeros((2, 4), bool), chosen, y, labels)
    assert nothing == (0.0, 0.0, 0.0)
    neither = found_features(np.zeros((2, 4), bool), np.zeros((3, 4), bool), y, labels)
    assert neither == (0.0, 0.0, 0.0)
    by_mean = found_features(relevant, chosen * 0.9 + 0.1, y, labels, rule="mean")
    assert by_mean == found


def test_every_class_and_cluster_needs_a_row():
    relevant, weights = np.ones((2, 3), bool), np.eye(2, 3)
    for y, labels in [([0, 1, 2], [0, 1, 1]), ([0, 1, 1], [0, 1, 2])]:
        with pytest.raises(ValueError, match="one row for each"):
            found_features(relevant, weights, y, labels)
    assert found_features(relevant, weights, [0, 1, 1], [0, 1, 1]).recall == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="same table"):
        found_features([True, False], weights, [0, 1], [0, 1])
    with pytest.raises(ValueError, match="same table"):
        found_features(relevant, np.array([True, False, True]), [0, 1], [0, 1])


@pytest.mark.parametrize("rule", ["split", "mean"])
def test_equal_weights_select_nothing(rule):
    found = select_features([[0.25] * 4, [0.0] * 4, [1.0, 2.0, 3.0, 2.0]], rule=rule)
    assert not found[:2].any()
    assert found[2].tolist() == [False, rule == "split", True, rule == "split"]
