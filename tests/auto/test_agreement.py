"""Which candidates may be right, how far they agree, and what gate and confidence see of that."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft.auto import judge
from weft.auto.agreement import LIKELY, SHARPNESS, best_of_told, likely_candidates, rand_indices
from weft.auto.doubt import agreement_features, doubts, lead
from weft.auto.pool import Pool

HALVES = np.repeat([0, 1], 10)
QUARTERS = np.repeat([0, 1, 2, 3], 5)
MIXED = np.tile([0, 1, 2, 3], 5)


def test_odds_grow_with_scores_and_each_representation_has_its_own():
    scores = np.array([0.0, 1.0, 3.0])
    likely = likely_candidates(scores, np.stack([HALVES, QUARTERS, MIXED]), np.array([0, 0, 1]))
    assert likely.places.tolist() == [1, 0, 2]  # the best of a representation comes first
    # exp(2 (s - 3)) for s = 1, 0, 3.
    weights = np.exp(SHARPNESS * np.array([-2.0, -3.0, 0.0]))
    assert likely.odds == pytest.approx(weights / weights.sum())
    first = likely.of_part(0)
    assert first.places.tolist() == [1, 0]
    assert first.odds == pytest.approx(weights[:2] / weights[:2].sum())
    assert first.alike[0, 1] == pytest.approx(adjusted_rand_score(HALVES, QUARTERS))


def test_only_the_best_of_a_representation_are_likely():
    labels = np.stack([HALVES] * (LIKELY + 5))
    likely = likely_candidates(np.arange(LIKELY + 5.0), labels, np.zeros(LIKELY + 5, dtype=int))
    assert sorted(likely.places) == list(range(5, LIKELY + 5))


def test_indices_are_those_of_scikit_learn():
    labels = np.random.default_rng(0).integers(-1, 4, (6, 30))
    expected = [[adjusted_rand_score(a, b) for b in labels] for a in labels]
    assert rand_indices(labels) == pytest.approx(np.array(expected))


def test_with_a_told_number_candidates_of_all_numbers_count_too():
    # Two candidates of two clusters with the same score: halves, and every other row. The likely
    # candidate of all numbers is four quarters, which only the halves resemble.
    every_other = np.tile([0, 1], 10)
    labels = np.stack([every_other, HALVES, QUARTERS])
    part_of = np.zeros(3, dtype=int)
    every = likely_candidates(np.array([0.0, 0.0, 5.0]), labels, part_of)
    told = likely_candidates(np.zeros(2), labels[:2], part_of[:2])
    assert best_of_told(told, labels[:2], every, labels) == 1
    turned = labels[[1, 0, 2]]
    every = likely_candidates(np.array([0.0, 0.0, 5.0]), turned, part_of)
    told = likely_candidates(np.zeros(2), turned[:2], part_of[:2])
    assert best_of_told(told, turned[:2], every, turned) == 0


def test_how_clearly_a_candidate_leads():
    # The winner has score 2, a copy of it 1.5 and a different candidate 0.5: the lead is over the
    # different one, 1.5; the index with the copy is 1, with the other one r.
    labels = np.stack([HALVES, HALVES, MIXED])
    scores = np.array([2.0, 1.5, 0.5])
    likely = likely_candidates(scores, labels, np.zeros(3, dtype=int))
    r = adjusted_rand_score(HALVES, MIXED)
    counts = np.log([2, 2, 4])
    expected = [2.0, 2.0 - 4.0 / 3.0, 1.5, (1.0 + r) / 2.0, counts.std(), 0.5]
    assert lead(scores, labels, likely, 0) == pytest.approx(np.array(expected))
    alone = likely_candidates(scores[:1], labels[:1], np.zeros(1, dtype=int))
    assert lead(scores[:1], labels[:1], alone, 0).tolist() == [2.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_agreement_within_and_across_representations():
    # One candidate in each representation, with equal scores.
    labels = np.stack([HALVES, QUARTERS])
    scores = np.array([1.0, 1.0])
    likely = likely_candidates(scores, labels, np.array([0, 1]))
    r = adjusted_rand_score(HALVES, QUARTERS)
    spread = (np.log(4) - np.log(2)) / 2
    expected = [(1 + r) / 2, (1 + r) / 2, spread, r, r, r, 1.0, 1.0, 0.0, 0.0]
    assert agreement_features(scores, labels, likely) == pytest.approx(np.array(expected))


def test_agreement_by_definition():
    rng = np.random.default_rng(1)
    labels = np.stack([HALVES, np.roll(QUARTERS, 2), MIXED, QUARTERS, rng.integers(3, size=20)])
    scores = np.array([0.5, 0.0, -0.5, 1.0, 0.25])
    part_of = np.array([0, 0, 0, 2, 2])
    found = agreement_features(scores, labels, likely_candidates(scores, labels, part_of))
    alike = np.array([[adjusted_rand_score(a, b) for b in labels] for a in labels])

    def odds_of(places):
        weights = np.exp(SHARPNESS * scores[places])
        return weights / weights.sum()

    every, first, second = np.arange(5), np.arange(3), np.arange(3, 5)
    odds = odds_of(every)
    sizes = np.log([2, 4, 4, 4, 3])
    with_all = alike @ odds
    inner = [alike[np.ix_(own, own)] @ odds_of(own) for own in (first, second)]
    across = alike[np.ix_(first, second)]
    assert found == pytest.approx(
        [
            with_all.max(),
            odds @ with_all,
            np.sqrt(odds @ (sizes - odds @ sizes) ** 2),
            across[inner[0].argmax(), inner[1].argmax()],
            odds_of(first) @ across @ odds_of(second),
            across.max(),
            odds_of(first) @ inner[0],
            odds_of(second) @ inner[1],
            0.5 - 1.0,
            2.0,  # the quarters of the second representation agree most with all
        ]
    )
    assert with_all.argmax() == 3


def test_at_most_ten_others_are_compared_with():
    # Twelve copies and a different candidate, which is not among the ten best others.
    labels = np.stack([HALVES] * 12 + [MIXED])
    scores = np.append(np.arange(12.0, 0.0, -1.0), 0.5)
    likely = likely_candidates(scores, labels, np.zeros(13, dtype=int))
    found = lead(scores, labels, likely, 0)
    # Without a different one, the lead is over the last of them: 12 − 2.
    assert found == pytest.approx([12.0, 12.0 - scores.mean(), 10.0, 1.0, 0.0, 1.0])
    # A candidate that is not the best: the others are the same but for itself.
    assert lead(scores, labels, likely, 1)[2] == pytest.approx(11.0 - 2.0)


def test_gate_and_confidence_see_what_they_should():
    # The winner is in the second representation. The gate sees the best of both, first the first.
    labels = np.stack([HALVES, MIXED, QUARTERS])
    features = np.array([[10.0], [20.0], [30.0]])
    part_of = np.array([0, 0, 1])
    table_values = np.array([[7.0], [8.0]])
    pool = Pool(labels, features, part_of, table_values)
    scores = np.array([1.0, -4.0, 2.0])
    likely = likely_candidates(scores, labels, part_of)
    asked = doubts(features, scores, pool, likely, 2)
    assert asked.gate[[0, 1]].tolist() == [10.0, 7.0]
    assert asked.gate[[8, 9]].tolist() == [30.0, 8.0]
    assert asked.confidence[[0, 1]].tolist() == [30.0, 8.0]
    assert len(asked.gate) == 2 * (2 + 6) + 10
    assert len(asked.confidence) == 2 + 6 + 10


class Told:
    """Scores that are given, in the place of trees."""

    def __init__(self, scores):
        self.scores = np.array(scores, dtype=float)


def judged(monkeypatch, allowed=None, told=None):
    labels = np.stack([HALVES, MIXED, QUARTERS])
    pool = Pool(labels, np.zeros((3, 2)), np.zeros(3, dtype=int), np.zeros((1, 1)))
    monkeypatch.setattr(judge, "predict", lambda forest, X: np.resize(forest.scores, len(X)).copy())
    given = judge.Judge(
        *(Told([5.0, 1.0, 3.0]), Told(told or [0.0]), Told([np.log(3.0)]), Told([0.0]), 0.5),
        *(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.25, 1.0])),
    )
    return judge.judge_candidates(given, pool, allowed, told=told is not None)


def test_the_judge_says_who_wins_and_how_sure_it_is(monkeypatch):
    found = judged(monkeypatch)
    assert found.winner == 0
    assert found.scores.tolist() == [5.0, 1.0, 3.0]
    # The gate has odds of 3 : 1; the confidence of one half is a quarter on the curve.
    assert found.no_clusters == pytest.approx(0.75)
    assert found.confidence == pytest.approx(0.25)
    assert found.evidence.shape == (3, 8)


def test_the_winner_has_the_largest_score_of_those_that_may_win(monkeypatch):
    # The first one is best, but not allowed; with odds of 1 : e⁴ the third wins.
    found = judged(monkeypatch, np.array([False, True, True]))
    assert found.winner == 2
    assert found.scores.tolist() == [5.0, 1.0, 3.0]
    # By default, the number of clusters counts as not given.
    labels = np.stack([HALVES, MIXED, QUARTERS])
    pool = Pool(labels, np.zeros((3, 2)), np.zeros(3, dtype=int), np.zeros((1, 1)))
    given = judge.Judge(
        *(Told([5.0, 1.0, 3.0]), None, Told([np.log(3.0)]), Told([0.0]), 0.5),
        *(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.25, 1.0])),
    )
    allowed = np.array([True, False, False])
    assert judge.judge_candidates(given, pool, allowed).winner == 0
    # The best is allowed: it wins, whatever else is.
    assert judged(monkeypatch, np.array([True, True, False])).winner == 0
    # With a number of clusters given, other trees decide, and the scores of all follow.
    found = judged(monkeypatch, np.array([False, True, True]), told=[9.0, 0.0])
    assert found.winner == 1
    assert found.scores.tolist() == [5.0, 3.0, 3.0]
