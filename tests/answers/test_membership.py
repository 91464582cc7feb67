"""Soft answers: probabilities from distances, and how unusual rows are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from weft.answers import outlyingness
from weft.answers.membership import (
    N_TOP,
    Membership,
    Softness,
    center_softness,
    most_likely,
    soften,
    softness_of,
    with_labels_first,
)
from weft.answers.outlyingness import (
    Reach,
    _dimension,
    _factors,
    around_middle,
    blocks_of_rows,
    cluster_distances,
    measure_reach,
    outlier_scores,
    scores_of_block,
    squared_distances,
)

PLAIN = Softness(1.0, 1.0, 0.0)


def test_probabilities_are_ratios_of_distances():
    # 1/1 : 1/2 : 1/4 is 4 : 2 : 1.
    found = soften(np.array([[1.0, 2.0, 4.0]]), PLAIN)
    np.testing.assert_allclose(found, [[4 / 7, 2 / 7, 1 / 7]])
    # Half of it with the square: 16 : 4 : 1 of 21.
    mixed = soften(np.array([[1.0, 2.0, 4.0]]), Softness(2.0, 1.0, 0.5))
    np.testing.assert_allclose(mixed, [[(4 / 7 + 16 / 21) / 2, (2 / 7 + 4 / 21) / 2, 2 / 21]])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_units_do_not_matter(scale):
    distances = np.random.default_rng(0).random((20, 4))
    np.testing.assert_allclose(
        soften(scale * distances, softness_of(0.8, 3.0)), soften(distances, softness_of(0.8, 3.0))
    )


def test_rows_at_distance_0_are_defined():
    found = soften(np.array([[0.0, 1.0], [0.0, 0.0]]), PLAIN)
    assert found[0, 0] > 0.999
    np.testing.assert_allclose(found[1], [0.5, 0.5])


def test_infinite_distances_and_weights_are_defined():
    # Forged model files hold such numbers. No distance counts as less than 10⁻⁶ of the largest:
    # 1 : 10⁻⁶ where one is infinite, halves where both are.
    found = soften(np.array([[1.0, np.inf], [np.inf, np.inf]]), PLAIN)
    np.testing.assert_allclose(found, [[1e6 / (1e6 + 1), 1 / (1e6 + 1)], [0.5, 0.5]])
    # The squares of such weights overflow: they count as one column, as zero weights do.
    assert center_softness(np.full((2, 3), 1e308)) == center_softness(np.zeros((2, 3)))


def test_the_label_becomes_the_most_likely_cluster():
    given = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.4, 0.35, 0.25]])
    labels = np.array([0, 1, -1, 2])
    found = with_labels_first(given, labels)
    np.testing.assert_allclose(found[[0, 2]], given[[0, 2]])
    np.testing.assert_allclose(found[1], [0.4, 0.4, 0.2], atol=1e-6)
    np.testing.assert_allclose(found[3], [1 / 3, 1 / 3, 1 / 3], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found[:2].argmax(axis=1).tolist() == [0, 1]
    assert found[3].argmax() == 2


def test_the_least_change_that_puts_a_label_first():
    rng = np.random.default_rng(1)
    given = rng.dirichlet(np.ones(5), size=200)
    labels = rng.integers(5, size=200)
    found = with_labels_first(given, labels)
    np.testing.assert_array_equal(found.argmax(axis=1), labels)
    # No other point that has the label first is nearer: tried by brute force over pooled sets.
    for row, label, near in zip(given[:40], labels, found, strict=False):
        order = np.argsort(-row)
        candidates = []
        for size in range(6):
            pooled = [*[k for k in order if k != label][:size], label]
            other = row.copy()
            other[pooled] = row[pooled].mean()
            if other[label] >= other.max() - 1e-12:
                candidates.append(((other - row) ** 2).sum())
        assert ((near - row) ** 2).sum() <= min(candidates) + 1e-6


def test_surer_clusterings_have_sharper_probabilities():
    weak, strong = softness_of(0.2, 4.0), softness_of(0.9, 4.0)
    assert strong.sharp > weak.sharp
    assert strong.doubt < weak.doubt
    assert softness_of(None, 4.0) == softness_of(0.5, 4.0) == softness_of(float("nan"), 4.0)
    assert softness_of(1.0, 4.0) == softness_of(0.98, 4.0)


def test_sparse_memberships():
    member = most_likely(np.array([[0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]), 2)
    assert member.clusters.tolist() == [[1, 2], [2, 0]]
    np.testing.assert_allclose(member.to_dense(), [[0.0, 0.6, 0.3], [0.2, 0.0, 0.6]], rtol=1e-6)
    assert member.to_csr().shape == (2, 3)
    assert Membership._fields == ("clusters", "probabilities", "n_clusters")


def test_distances_to_clusters_by_definition():
    rng = np.random.default_rng(2)
    anchors, points = rng.random((30, 3)), rng.random((10, 3))
    labels = rng.integers(-1, 4, size=30)
    found = cluster_distances(points, anchors, labels, 4)
    for k in range(4):
        expected = np.linalg.norm(points[:, None] - anchors[labels == k], axis=2).min(axis=1)
        np.testing.assert_allclose(found[:, k], expected)


def test_a_row_does_not_vouch_for_itself():
    anchors = np.array([[0.0], [1.0], [10.0], [10.0]])
    found = cluster_distances(anchors, anchors, np.array([0, 0, 1, 1]), 2)
    np.testing.assert_allclose(found, [[1.0, 10.0], [1.0, 9.0], [9.0, 0.0], [9.0, 0.0]])
    # The only row of a cluster is as far from it as from the nearest other cluster.
    alone = cluster_distances(anchors[:3], anchors[:3], np.array([0, 0, 1]), 2)
    np.testing.assert_allclose(alone[2], [9.0, 9.0])


def test_outlier_scores_by_definition():
    rng = np.random.default_rng(3)
    anchors = rng.standard_normal((60, 2))
    reach = measure_reach(anchors)
    gaps = np.sort(np.linalg.norm(anchors[:, None] - anchors, axis=2), axis=1)[:, 1:11]
    np.testing.assert_allclose(reach.lengths, np.sqrt((gaps**2).mean(axis=1)))
    scores = outlier_scores(np.array([[0.0, 0.0], [30.0, 0.0]]), anchors, reach)
    assert scores[0] < 0.4
    assert scores[1] > 0.999
    assert 1.0 < reach.dimension < 3.0
    own = outlier_scores(anchors, anchors, reach)
    assert own.min() >= 0.0
    assert own.max() <= 1.0
    assert np.median(own) < 0.3


def test_equal_rows_and_single_rows_are_no_outliers():
    same = np.zeros((20, 2))
    assert (outlier_scores(same, same, measure_reach(same)) == 0.0).all()
    one = np.zeros((1, 2))
    assert outlier_scores(one, one, measure_reach(one)).tolist() == [0.0]


def test_a_label_has_the_least_bit_more_than_what_it_shares_with():
    # 0.5 and 0.3 share 0.8; the label gets a billionth of it more than its half.
    found = with_labels_first(np.array([[0.5, 0.3, 0.2]]), np.array([1]))[0]
    assert found[1] - found[0] == pytest.approx(0.8e-9, rel=1e-3)
    assert found.sum() == pytest.approx(1.0, abs=1e-11)
    assert found[2] == 0.2


def test_four_clusters_share_only_as_far_as_needed():
    # The label has 0.1: with 0.4 it would have 0.25, less than 0.3 has; the three share 0.8. What
    # is left, 0.2, is less than their third.
    found = with_labels_first(np.array([[0.4, 0.3, 0.2, 0.1]]), np.array([3]))[0]
    np.testing.assert_allclose(found, [0.8 / 3, 0.8 / 3, 0.2, 0.8 / 3], atol=1e-8)


def test_distances_where_no_anchor_has_a_cluster():
    found = cluster_distances(np.ones((2, 1)), np.zeros((3, 1)), np.full(3, -1), 2)
    np.testing.assert_array_equal(found, np.zeros((2, 2)))
    assert cluster_distances(
        np.ones((2, 1)), np.zeros((3, 1)), np.array([0, -1, -1]), 2
    ).tolist() == [
        [1.0, 1.0],
        [1.0, 1.0],
    ]


def test_softness_by_its_formulas():
    # Even odds are 0: only the constants and the logarithm of the dimension count.
    size = np.log(5.0)
    found = softness_of(0.5, 5.0)
    assert found.sharp == pytest.approx(np.exp(1.456 + 0.623 * size))
    assert found.flat == pytest.approx(np.exp(-1.188 - 0.863 * size))
    assert found.doubt == pytest.approx(1.0 / (1.0 + np.exp(1.614)))
    odds = np.log(0.9 / 0.1)
    assert softness_of(0.9, 1.0).sharp == pytest.approx(np.exp(1.456 + 0.217 * odds))
    assert softness_of(0.9, 0.2) == softness_of(0.9, 1.0)
    assert softness_of(0.9, 1.0).doubt == pytest.approx(1.0 / (1.0 + np.exp(1.614 + 0.607 * odds)))
    # Weights 3 and 1 count as 16 / 10 columns, equal ones as 2, none as 1.
    sharp = center_softness(np.array([[3.0, 1.0], [1.0, 1.0], [0.0, np.nan]])).sharp
    assert sharp == pytest.approx(np.exp(0.975 + 0.167 * np.log((1.6 + 2.0 + 1.0) / 3)))


def test_outlier_scores_of_a_lattice_by_hand():
    # Ten anchors on a line: with 9 neighbours each, all others, the reach of the ends is the
    # largest. σ is 1.4826 × the median of |own reach / mean reach of the others - 1|.
    anchors = np.arange(10.0)[:, None]
    lengths = np.array([np.sqrt(((anchors - a) ** 2).sum() / 9.0) for a in anchors[:, 0]])
    expected = (lengths.sum() - lengths) / 9.0
    spread = 1.4826 * np.median(np.abs(lengths / expected - 1.0))
    reach = measure_reach(anchors)
    np.testing.assert_allclose(reach.lengths, lengths)
    assert reach.spread == pytest.approx(spread)
    # A new row at 14.5: its nine nearest anchors are 1 to 9.
    own = np.sqrt(((14.5 - np.arange(1.0, 10.0)) ** 2).mean())
    factor = own / lengths[1:].mean() - 1.0
    score = outlier_scores(np.array([[14.5]]), anchors, reach)[0]
    assert score == pytest.approx(erf(factor / (3.0 * np.sqrt(2.0) * spread)))


def test_a_ring_of_equal_reaches_has_the_least_spread():
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    assert measure_reach(ring).spread == 1e-3
    assert measure_reach(np.empty((5, 0))) == (pytest.approx(np.zeros(5)), 1.0, 2.0)


def test_two_rows_have_one_neighbour_each():
    # Each reaches the other, 3 away, as far as expected; two rows say nothing of the dimension.
    assert measure_reach(np.array([[0.0], [3.0]])) == (pytest.approx([3.0, 3.0]), 1e-3, 2.0)
    # A row at 6 is 3 from the nearest of them, which is as far as expected; one at 9 is twice as
    # far, and one at 4.5 is nearer.
    reach = Reach(np.array([3.0, 3.0]), 0.5, 2.0)
    found = scores_of_block(np.array([[36.0, 9.0], [81.0, 36.0], [20.25, 2.25]]), reach)
    np.testing.assert_allclose(found, [0.0, erf(1.0 / (3.0 * np.sqrt(2.0) * 0.5)), 0.0])


def test_the_dimension_by_its_formula():
    # Half of the mean of log 16 and log 4; where all neighbours are at distance 0, nothing is
    # known; the median of three rows.
    row = 0.25 * (np.log(16.0) + np.log(4.0))
    assert _dimension(np.array([[4.0, 1.0, 16.0]])) == pytest.approx(1.0 / row)
    other = 0.25 * (np.log(100.0) + np.log(25.0))
    third = 0.25 * (np.log(9.0) + np.log(9.0))
    three = np.array([[16.0, 4.0, 1.0], [1.0, 100.0, 4.0], [1.0, 1.0, 9.0], [0.0, 1.0, 9.0]])
    assert _dimension(three) == pytest.approx(1.0 / sorted([row, other, third])[1])
    assert _dimension(np.zeros((4, 3))) == 1.0
    assert _dimension(np.ones((4, 2))) == 2.0
    assert _dimension(np.ones((4, 3))) == pytest.approx(1000.0)


def test_how_much_farther_rows_reach_than_expected():
    # What is not above the floor is not far; an expectation below it counts as the floor.
    own, expected = np.array([0.5, 2.0, 3.0, 1.0]), np.array([0.1, 1.0, 0.0, 2.0])
    assert _factors(own, expected, 0.5).tolist() == [0.0, 1.0, 5.0, -0.5]


def test_rows_are_compared_in_blocks(monkeypatch):
    monkeypatch.setattr(outlyingness, "_BLOCK_CELLS", 10)
    assert blocks_of_rows(7, 3) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert blocks_of_rows(2, 20) == [slice(0, 1), slice(1, 2)]
    assert blocks_of_rows(12, 0) == [slice(0, 10), slice(10, 12)]
    anchors, points = np.arange(6.0)[:, None], np.arange(9.0)[:, None] + 0.25
    found = cluster_distances(points, anchors, np.array([0, 0, 0, 1, 1, 1]), 2)
    for row, own in zip(points[:, 0], found, strict=True):
        assert own == pytest.approx([np.abs(row - anchors[:3]).min(), abs(row - anchors[3:]).min()])


def test_one_equal_anchor_is_left_out():
    # Far from 0, where products round; the row itself is left out once, a row beside it is not.
    anchors = 1e6 + np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.5], [3.0, 4.0]])
    found = squared_distances(anchors[[0, 2]], around_middle(anchors))
    assert np.isinf(found).sum(axis=1).tolist() == [1, 1]
    np.testing.assert_allclose(np.sort(found[0])[:3], [0.0, 0.25, 25.0], atol=1e-6)
    np.testing.assert_allclose(found[1, [0, 1, 3]], [0.25, 0.25, 9.0 + 3.5**2], atol=1e-6)
    beside = squared_distances(anchors[:1] + 1e-3, around_middle(anchors))
    assert np.isfinite(beside).all()


def test_as_many_clusters_are_kept_as_said():
    given = np.tile(np.arange(6.0) / 15.0, (2, 1))
    assert most_likely(given).clusters.tolist() == [[5, 4, 3, 2]] * 2
    assert most_likely(given).probabilities.shape == (2, N_TOP)
    assert most_likely(given, 9).clusters.tolist() == [[5, 4, 3, 2, 1, 0]] * 2
