"""Measures against known classes: by hand, by brute force over pairs, by scikit-learn."""

import itertools
from math import sqrt

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from weft.metrics import accuracy, pair_f, pair_f1, purity
from weft.metrics.external import pair_counts

labellings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(-1, 3), min_size=n, max_size=n),
    )
)


def _count_pairs(y_true, labels):
    """Section 2.2.1.3, word for word; noise shares its cluster with nobody (section 2.7.1)."""
    tp = fp = fn = 0
    for i, j in itertools.combinations(range(len(y_true)), 2):
        same_class = y_true[i] == y_true[j]
        same_cluster = labels[i] == labels[j] != -1
        tp += same_class and same_cluster
        fp += same_cluster and not same_class
        fn += same_class and not same_cluster
    return tp, fp, fn


@given(labellings)
def test_pair_measures_are_their_definition(pair):
    y_true, labels = pair
    tp, fp, fn = _count_pairs(y_true, labels)
    if tp:
        f = sqrt(tp / (tp + fp) * tp / (tp + fn))
        f1 = 2 * tp / (2 * tp + fp + fn)
    else:
        f = f1 = float(fp == fn == 0)
    assert pair_f(y_true, labels) == pytest.approx(f)
    assert pair_f1(y_true, labels) == pytest.approx(f1)


@given(labellings)
def test_all_lie_between_0_and_1_and_ignore_names(pair):
    y_true, labels = pair
    renamed = [-1 if label == -1 else 10 - label for label in labels]
    for measure in (pair_f, pair_f1, purity, accuracy):
        value = measure(y_true, labels)
        assert 0.0 <= value <= 1.0
        assert measure(y_true, renamed) == pytest.approx(value)


@given(labellings)
def test_accuracy_is_the_best_one_to_one_mapping(pair):
    y_true, labels = pair
    clusters = sorted(set(labels) - {-1})
    classes = sorted(set(y_true))
    padded = classes + [None] * len(clusters)
    best = max(
        sum(
            dict(zip(clusters, chosen, strict=True)).get(label, "noise") == truth
            for truth, label in zip(y_true, labels, strict=True)
        )
        for chosen in set(itertools.permutations(padded, len(clusters)))
    )
    assert accuracy(y_true, labels) == pytest.approx(best / len(y_true))
    assert accuracy(y_true, labels, mapping="greedy") <= accuracy(y_true, labels) + 1e-12


def test_greedy_mapping_takes_the_largest_cell_first():
    # Table: cluster 0 holds 5 of class 0 and 4 of class 1, cluster 1 holds 4 of class 0.
    # Greedy: 0→0 (5), then 1→1 (0). Optimal: 0→1 (4) and 1→0 (4).
    y_true = [0] * 5 + [1] * 4 + [0] * 4
    labels = [0] * 9 + [1] * 4
    assert accuracy(y_true, labels, mapping="greedy") == pytest.approx(5 / 13)
    assert accuracy(y_true, labels) == pytest.approx(8 / 13)


def test_noise_adds_false_negatives_only():
    # Classes {0,1,2}, {3}; rows 1 and 2 noise: no false positive, 3 pairs missed, none found.
    assert pair_f([0, 0, 0, 1], [0, -1, -1, 1]) == 0.0
    # Rows 0 and 1 together, 2 noise: TP 1, FP 0, FN 2 -> sqrt(1 · 1/3).
    assert pair_f([0, 0, 0, 1], [0, 0, -1, 1]) == pytest.approx(sqrt(1 / 3))


def test_pair_f_agrees_with_scikit_learn_without_noise():
    rng = np.random.default_rng(0)
    y_true, labels = rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    assert pair_f(y_true, labels) == pytest.approx(
        sklearn.metrics.fowlkes_mallows_score(y_true, labels), rel=1e-12
    )


def test_purity_by_hand():
    # Clusters {0,0,1} and {1}: 2/3 and 1.
    assert purity([0, 0, 1, 1], [0, 0, 0, 1]) == pytest.approx(5 / 6)
    assert purity([0, 0, 1, 1], [0, 0, 0, 1], average="row") == pytest.approx(3 / 4)
    assert purity([0, 1], [-1, -1]) == 0.0


def test_text_labels_are_fine_and_lengths_must_agree():
    assert accuracy(["a", "a", "b"], [1, 1, 0]) == 1.0
    with pytest.raises(ValueError, match="equal length"):
        pair_f([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="empty"):
        pair_f([], [])
    with pytest.raises(ValueError, match=r"hungarian.*optimal"):
        accuracy([0, 1], [0, 1], mapping="hungarian")


def test_pairs_are_counted_exactly_whatever_their_number():
    counts = pair_counts([0, 0, 0, 1, 1], [0, 0, 1, 1, -1])
    # Together: (0, 1). In one cluster only: (2, 3). In one class only: (0, 2), (1, 2), (3, 4).
    assert counts == (1, 1, 3)


def test_shapes_and_empty_vectors_are_refused():
    for y_true, labels in [([[0, 1]], [[0, 1]]), ([0, 1], [[0, 1]]), ([0], [0, 1])]:
        with pytest.raises(ValueError, match="vectors of equal length"):
            accuracy(y_true, labels)
    assert accuracy([3], [9]) == 1.0
    assert pair_f([3], [9]) == 1.0  # no pair to find, none claimed
    assert pair_f1([3, 3], [0, 1]) == 0.0
    with pytest.raises(ValueError, match=r"average='all'"):
        purity([0], [0], average="all")
