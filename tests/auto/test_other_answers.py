"""Other answers of a fit: their weights, their sentences, and which of them are offered."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_array_equal

from weft.auto import by_number
from weft.auto.alternatives import (
    Alternative,
    _verdict,
    different,
    find_alternatives,
    take_alternative,
)
from weft.auto.by_number import evidence_by_number
from weft.auto.evidence import NAMES
from weft.auto.projection import Projection
from weft.columns.weights import association, subspace_weights


def test_another_answer_has_weights_of_its_own():
    rng = np.random.default_rng(1)
    anchors = rng.standard_normal((30, 4)) * [1.0, 5.0, 2.0, 1.0]
    labels = np.repeat([0, 1, 2], 12)[:31]
    anchors[:, 1] += 30.0 * labels[:30]
    labels[5] = -1
    given = {
        "alternatives_": [
            {"labels": np.zeros(31, dtype=int), "n_clusters": 1, "method": "a", "features": None},
            {"labels": labels, "n_clusters": 3, "method": "b", "features": np.array([1, 2, 3])},
        ],
        "candidates_": [],
        "confidence_": 0.5,
        "feature_weights_": np.ones(4),
        "feature_scales_": np.array([1.0, 5.0, 2.0, 3.0]),
        "_fit_anchors": anchors,
        "_fit_anchor_rows": np.arange(30),
    }
    taken = take_alternative(given, 2, None)
    inside = labels[:30] >= 0
    rows = anchors[inside][:, 1:] / [5.0, 2.0, 3.0]
    weights = np.append(0.0, association(rows, labels[:30][inside]))
    assert_array_equal(taken["feature_weights_"], weights)
    assert_array_equal(taken["feature_weight_intervals_"], [weights, weights])
    tighter = np.zeros((3, 4))
    tighter[:, 1:] = subspace_weights(rows, labels[:30][inside])
    assert_array_equal(taken["cluster_feature_weights_"], tighter)
    assert (taken["n_clusters_"], taken["method_"]) == (3, "b")
    assert np.isnan(taken["stability_"])
    assert taken["cluster_stability_"].shape == (3,)
    assert taken["confidence_"] is taken["fitness_"] is None
    assert_array_equal(taken["_fit_anchor_labels"], labels[:30])
    # Coordinates 0 and 1 share a source: the dropped one stays dropped. So do 2 and 3.
    shared = take_alternative(given, 2, np.array([0, 0, 1, 1]))["feature_weights_"]
    most = max(weights[2:])
    assert shared.tolist() == [0.0, weights[1], most, most]
    # The anchors of a sparse table have only the columns of its axes.
    few = {
        **given,
        "_fit_anchors": anchors[:, 1:],
        "_fit_projection": Projection(np.array([1, 2, 3]), np.zeros(3), np.eye(3), False),
    }
    assert_array_equal(take_alternative(few, 2, None)["feature_weights_"], weights)


def test_the_sentences_about_another_answer():
    given = {"alternatives_": [{"n_clusters": 3}, {"n_clusters": 2}], "confidence_": 0.754}
    assert _verdict(given, 2, 2) == (
        "2 clusters: answer 2 of 2, chosen by you. The first answer has 3 clusters, right with a "
        "probability of about 75%; how certain this one is was not measured."
    )
    given["alternatives_"][0] = {"n_clusters": 1}
    assert 'The first answer is "no clusters", right with a probability of' in _verdict(given, 2, 2)


def test_answers_from_an_index_of_nine_tenths_are_the_same(monkeypatch):
    # The index of two labellings is given by their first entries: 0.9 is the same, 0.89 another.
    monkeypatch.setattr(
        "weft.auto.alternatives.rand_index", lambda a, b: 1.0 - abs(int(a[0]) - int(b[0])) / 100
    )
    labels = [np.array([first, 0, 1]) for first in (0, 10, 11, 5, 25)]
    found = find_alternatives(labels, list("abcde"), np.array([1.0, 5.0, 4.0, 3.0, 2.0]), 0)
    assert [each.method for each in found] == ["a", "c", "e"]
    assert [each.n_clusters for each in found] == [2, 12, 26]
    given = tuple(Alternative(0.0, 2, own, str(own[0])) for own in labels)
    assert [each.method for each in different(given)] == ["0", "11", "25"]


def test_the_best_of_each_number_and_those_beside_the_answer(monkeypatch):
    # Twenty numbers of clusters; the answer has five. Numbers that are at most two away come first,
    # whatever their score, then the best of the others.
    monkeypatch.setattr("weft.auto.by_number.reasons", lambda judge, evidence: {"for": [evidence]})
    counts = [*range(2, 22), 5, 9]
    labels = [np.arange(60) % count for count in counts]
    # Seven clusters have the worst score, but seven is near five.
    scores = np.array([-99.0 if count == 7 else -float(count) for count in counts[:20]])
    scores = np.append(scores, [-4.5, 3.0])
    values = np.arange(22.0)[:, None] + np.zeros(len(NAMES))
    verdict = SimpleNamespace(scores=scores, winner=20, evidence=np.arange(22))
    methods = [f"m{place}" for place in range(22)]
    found = evidence_by_number("judge", labels, methods, values, verdict)
    far = [count for count in range(2, 22) if abs(count - 5) > by_number.NEAR]
    best = sorted(far, key=lambda count: -3.0 if count == 9 else count)
    near = [count for count in range(2, 22) if abs(count - 5) <= by_number.NEAR]
    expected = sorted(near + best[: by_number.MAX_NUMBERS - len(near)])
    assert [one.n_clusters for one in found] == expected
    one = next(each for each in found if each.n_clusters == 5)
    assert (one.method, one.quality, one.n_candidates, one.behind) == ("m20", 0.0, 2, "")
    assert one.reasons == {"for": [20]}
    assert set(one.measures.values()) == {20.0}
    nine = next(each for each in found if each.n_clusters == 9)
    assert (nine.method, nine.quality, nine.n_candidates) == ("m21", 7.5, 2)
    assert nine.behind == by_number.NOT_ASKED
    four = next(each for each in found if each.n_clusters == 4)
    assert (four.quality, four.behind) == (0.5, by_number.NOT_ASKED)
    assert four.labels is labels[2]
