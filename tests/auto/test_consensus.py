"""Votes of candidates for pairs of rows, and the clusterings that follow from them."""

import numpy as np

from weft.auto.agreement import likely_candidates
from weft.auto.candidates.consensus import FEWEST_VOTES, consensus_candidates, votes_of
from weft.auto.candidates.raw import Candidate


def test_votes_by_hand():
    labels = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, -1, -1]])
    weights = np.array([2.0, 1.0, 1.0])
    expected = np.array(
        [
            [4, 3, 1, 0],
            [3, 4, 1, 0],
            [1, 1, 3, 2],
            [0, 0, 2, 3],
        ]
    )  # outliers are with nobody, not even with themselves
    np.testing.assert_array_equal(votes_of(labels, weights), expected)


def candidates(rows):
    return [Candidate(np.array(row), ("made",), ("kmeans",)) for row in rows]


def test_the_consensus_outvotes_single_mistakes():
    truth = np.repeat([0, 1], 6)
    rows = []
    for wrong in (0, 3, 7, 9, 11):
        row = truth.copy()
        row[wrong] = 1 - row[wrong]
        rows.append(row)
    found = {raw.name: raw.labels for raw in consensus_candidates(candidates(rows), np.array([2]))}
    for name in ("consensus:2", "consensus-of:2"):
        own = found[name]
        assert max((own == truth).mean(), (own != truth).mean()) == 1.0


def test_too_few_candidates_make_no_consensus():
    rows = [[0, 0, 1, 1]] * (FEWEST_VOTES - 1)
    assert consensus_candidates(candidates(rows), np.array([2])) == []
    many = [np.arange(30)] * 8  # each with more clusters than may vote
    assert consensus_candidates(candidates(many), np.array([2, 3])) == []


def test_the_winner_agrees_with_what_is_likely():
    # Three near-identical candidates with lower scores outweigh one that agrees with none.
    alone = np.tile([0, 1, 2, 3], 5)
    halves = np.repeat([0, 1], 10)
    nearly = np.repeat([0, 1], [9, 11])
    labels = np.stack([alone, halves, nearly, halves])
    one = np.zeros(4, dtype=np.int64)  # all of one representation
    assert likely_candidates(np.array([1.0, 0.9, 0.8, 0.7]), labels, one).best() == 1
    # A score that is far ahead wins by itself.
    assert likely_candidates(np.array([9.0, 0.9, 0.8, 0.7]), labels, one).best() == 0
