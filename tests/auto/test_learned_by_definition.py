"""What AutoCluster learns, attribute by attribute, in the order of the table that was given."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from weft.answers.membership import most_likely, soften, softness_of
from weft.answers.outlyingness import cluster_distances, measure_reach, outlier_scores
from weft.auto import large, learned
from weft.auto.alternatives import Alternative
from weft.auto.by_number import NumberEvidence
from weft.auto.canonical import Canonical, order_by_bits
from weft.auto.large import in_all_rows, sampled_places, sampled_rows, soft_of_all
from weft.auto.learned import learn
from weft.auto.rare import Known, RareCluster
from weft.auto.resampling import Repeat, cluster_stability, stability_of, weight_interval
from weft.auto.search import Answer, Partition
from weft.auto.soft import soft_answers
from weft.columns.screening import Screening
from weft.columns.weights import subspace_weights


class Case:
    """Eight given rows of three columns; canonical row i is given row rows[i], same for columns.

    Canonical rows 0 to 5 were searched: clusters 0 0 1 1 2 -1 of an answer on columns 0 and 2.
    """

    def __init__(self, *, method="kmeans", verdict=None):
        rng = np.random.default_rng(0)
        self.rows, self.columns = np.array([3, 0, 7, 2, 5, 1, 6, 4]), np.array([2, 0, 1])
        X = rng.standard_normal((8, 3)) + 5.0 * np.array([1, 0, 0, 0, 0, 2, 1, 0])[:, None]
        self.X = X * np.array([1.0, 10.0, 100.0])
        table = self.X[np.ix_(self.rows, self.columns)]
        self.given = Canonical(table, self.rows, self.columns)
        self.scales = self.given.scales()
        self.table = self.given.standardised(self.scales)
        kept = np.array([True, False, True])
        screening = Screening(kept, np.array([True, True, False]), np.zeros(3, int), np.zeros(3))
        self.labels = np.array([1, 1, 0, 0, 2, -1])
        self.weights = np.array([1.0, 0.0, 0.5])
        partition = Partition(self.labels, kept, screening, 0.75, method, verdict)
        others = [
            Alternative(0.0, 3, self.labels, "m"),
            Alternative(-1.0, 2, np.array([0, 1, 1, 0, 0, 0]), "n"),
        ]
        numbers = [
            NumberEvidence(
                2, -1.0, "n", 4, {"for": [], "against": []}, {"x": 1.0}, others[1].labels
            )
        ]
        self.answer = Answer(
            np.arange(6), self.labels, partition, self.weights, others, numbers, ""
        )

    def learn(self, repeats=(), **options):
        return learn(self.given, self.table, self.scales, self.answer, list(repeats), **options)


def numbered(labels):
    """Numbers in the order of the first rows, -1 stays."""
    order = list(dict.fromkeys(label for label in labels.tolist() if label >= 0))
    return np.array([order.index(label) if label >= 0 else -1 for label in labels.tolist()]), order


@pytest.fixture
def case():
    return Case()


def test_labels_are_in_the_order_of_the_table(case):
    found = case.learn(soft=False)
    weights = np.zeros(3)
    weights[case.columns] = case.weights
    scales = case.X.std(axis=0)
    assert_allclose(found["feature_scales_"], scales)
    assert_array_equal(found["feature_weights_"], weights)
    metric = weights / scales
    anchors = case.X[case.rows[:6]]
    assert_array_equal(found["_fit_anchors"], anchors)
    assert_array_equal(found["_fit_anchor_rows"], case.rows[:6])
    gaps = (((case.X[:, None] - anchors) * metric) ** 2).sum(axis=2)
    nearest = gaps.argmin(axis=1)
    nearest[case.rows[:6]] = np.arange(6)
    labels, order = numbered(case.labels[nearest])
    assert_array_equal(found["labels_"], labels)
    assert found["n_clusters_"] == 3
    renamed = np.array([order.index(label) if label >= 0 else -1 for label in case.labels])
    assert_array_equal(found["_fit_anchor_labels"], renamed)
    # Weights of clusters are those of the anchors, in units of the deviations.
    inside = renamed >= 0
    used = np.flatnonzero(weights > 0.0)
    expected = np.zeros((3, 3))
    expected[:, used] = subspace_weights(anchors[inside][:, used] / scales[used], renamed[inside])
    assert_allclose(found["cluster_feature_weights_"], expected)
    for one, own in zip(found["alternatives_"], case.answer.alternatives, strict=True):
        assert_array_equal(one["labels"], numbered(own.labels[nearest])[0])
        assert one["features"].tolist() == used.tolist()
        assert one["n_features"] == 2
        assert (one["quality"], one["method"]) == (own.quality, own.method)
    (number,) = found["candidates_"]
    assert_array_equal(number["labels"], numbered(case.answer.by_number[0].labels[nearest])[0])
    assert (number["n_candidates"], number["measures"]) == (4, {"x": 1.0})
    assert "_fit_membership" not in found


def test_what_is_learned_without_repeats(case):
    found = case.learn(soft=False)
    assert_array_equal(found["cluster_stability_"], np.zeros(3))
    assert found["stability_"] == 0.0
    assert (found["confidence_"], found["fitness_"]) == (0.75, 0.75)
    assert (found["method_"], found["feature_exponents_"]) == ("kmeans", None)
    assert found["evidence_"] == {"for": [], "against": []}
    kept = np.zeros(3)
    kept[case.columns] = [1.0, 0.0, 1.0]
    assert_array_equal(found["feature_stability_"], kept)
    assert_array_equal(found["feature_weight_intervals_"], [found["feature_weights_"]] * 2)
    assert found["verdict_"].startswith("3 clusters from 2 of 3 columns")
    one = case.learn(soft=False, owner=np.array([0, 1, 1]))["verdict_"]
    assert one.startswith("3 clusters from 1 of 2 columns")


def test_repeats_say_how_stable_the_answer_is(case):
    repeats = [
        Repeat(np.array([0, 1, 2, 4]), np.array([0, 0, 1, 1]), np.array([True, False, True])),
        Repeat(np.array([1, 2, 3, 5]), np.array([0, 1, 1, -1]), np.array([True, True, False])),
    ]
    found = case.learn(repeats, soft=False)
    assert found["stability_"] == stability_of(case.labels, repeats)
    by_cluster = cluster_stability(case.labels, repeats)
    anchors = found["_fit_anchor_labels"]
    for own, new in zip(case.labels, anchors, strict=True):
        if own >= 0:
            assert found["cluster_stability_"][new] == by_cluster[own]
    shares = np.zeros(3)
    shares[case.columns] = [1.0, 0.5, 0.5]
    assert_array_equal(found["feature_stability_"], shares)
    interval = weight_interval(case.table[:6], case.weights, repeats)
    assert_array_equal(found["feature_weight_intervals_"][:, case.columns], interval)
    assert "Repeating the search" in found["verdict_"]


def test_soft_answers_of_rows_that_were_not_searched(case):
    found = case.learn()
    member = found["_fit_membership"]
    points = case.table[:, [0, 2]] * [1.0, 0.5]
    gaps = ((points[:, None] - points[:6]) ** 2).sum(axis=2)
    nearest = gaps.argmin(axis=1)
    nearest[:6] = np.arange(6)
    made = soft_answers(points, np.arange(6), case.labels[nearest], 0.75)
    plain = made["_fit_membership"]
    # By the row's number in the table, and by the numbers that clusters have in the end.
    anchors = found["_fit_anchor_labels"]
    renamed = dict(zip(case.labels.tolist(), anchors.tolist(), strict=True))
    for place, row in enumerate(case.rows):
        assert_array_equal(member.probabilities[row], plain.probabilities[place])
        assert member.clusters[row].tolist() == [renamed[k] for k in plain.clusters[place].tolist()]
        assert found["_fit_outlier_scores"][row] == made["_fit_outlier_scores"][place]
    assert member.n_clusters == 3


def test_tables_that_are_searched_as_a_whole_have_no_stored_soft_answers(case):
    labels = np.array([1, 1, 0, 0, 2, -1, 0, 1])
    partition = case.answer.partition._replace(labels=labels)
    case.answer = case.answer._replace(
        rows=np.arange(8), labels=labels, partition=partition, alternatives=[], by_number=[]
    )
    found = case.learn()
    assert "_fit_membership" not in found
    given = np.empty(8, dtype=int)
    given[case.rows] = labels
    assert_array_equal(found["labels_"], numbered(given)[0])


def test_a_table_without_clusters():
    case = Case(method="")
    labels = np.zeros(6, dtype=int)
    partition = case.answer.partition._replace(labels=labels)
    case.answer = case.answer._replace(
        labels=labels, partition=partition, weights=np.zeros(3), alternatives=[], by_number=[]
    )
    found = case.learn()
    assert found["labels_"].tolist() == [0] * 8
    assert (found["n_clusters_"], found["stability_"], found["fitness_"]) == (1, 1.0, 0.0)
    assert (found["method_"], found["confidence_"]) == ("none", 0.75)
    assert_array_equal(found["cluster_feature_weights_"], np.zeros((1, 3)))
    assert "_fit_membership" not in found
    assert found["verdict_"].startswith("No clusters found: 8 rows are too few")


def test_reasons_are_those_of_the_verdict(monkeypatch):
    asked = []
    monkeypatch.setattr(learned, "load", lambda: "judge")
    monkeypatch.setattr(learned, "reasons", lambda judge, features: asked.append(features) or "r")
    case = Case(verdict=SimpleNamespace(features="features"))
    assert case.learn(soft=False)["evidence_"] == "r"
    assert asked == ["features"]
    case = Case(method="", verdict=SimpleNamespace(features="features"))
    assert case.learn(soft=False)["evidence_"] == {"for": [], "against": []}


def test_soft_answers_by_definition(monkeypatch):
    rng = np.random.default_rng(3)
    points = rng.standard_normal((60, 2)) + 4.0 * (np.arange(60) % 3)[:, None]
    labels = np.arange(60) % 3
    labels[::11] = -1
    anchors = np.arange(0, 60, 2)
    found = soft_answers(points, anchors, labels, 0.75)
    reach = measure_reach(points[anchors])
    gaps = cluster_distances(points, points[anchors], labels[anchors], 3)
    soft = most_likely(soften(gaps, softness_of(0.75, reach.dimension), labels))
    member = found["_fit_membership"]
    assert member.n_clusters == 3
    assert_array_equal(member.clusters, soft.clusters)
    assert_allclose(member.probabilities, soft.probabilities)
    scores = outlier_scores(points, points[anchors], reach)
    assert_allclose(found["_fit_outlier_scores"], scores)
    monkeypatch.setattr("weft.answers.outlyingness._BLOCK_CELLS", 200)
    parts = soft_answers(points, anchors, labels, 0.75, n_threads=2)
    assert_array_equal(parts["_fit_membership"].clusters, soft.clusters)


# Large tables -------------------------------------------------------------------------------------


def test_sampled_rows_are_drawn_from_the_order_of_the_values(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 2))
    assert_array_equal(sampled_rows(X), np.arange(30))
    monkeypatch.setattr(large, "SAMPLE_ROWS", 12)
    places = np.sort(np.random.default_rng([0, 11]).choice(30, 12, replace=False))
    assert_array_equal(sampled_places(30), places)
    assert_array_equal(sampled_rows(X), np.sort(order_by_bits(X)[0][places]))


def test_rare_clusters_are_added_on_request(monkeypatch):
    X = np.array([[0.0], [1.0], [10.0], [11.0], [50.0], [51.0], [52.0]])
    given = {
        "method_": "m",
        "confidence_": 0.75,
        "feature_weights_": np.ones(1),
        "feature_scales_": np.ones(1),
        "_fit_anchors": X[[0, 1, 2, 3]],
        "_fit_anchor_rows": np.arange(4),
        "_fit_anchor_labels": np.array([0, 0, 1, 1]),
        "n_clusters_": 2,
        "cluster_feature_weights_": np.ones((2, 1)),
        "cluster_stability_": np.ones(2),
        "alternatives_": [{"labels": np.array([0, 0, 1, 1, 1, 1, 1]), "n_clusters": 2}],
        "candidates_": [{"labels": np.array([0, 1, 1, 1, 1, 1, 1])}],
        "verdict_": "two.",
        "labels_": np.array([0, 0, 1, 1, 1, 1, 1]),
    }
    asked = []

    def find_rare(rows, known, smallest):
        asked.append((rows.n_threads, known.metric.tolist(), smallest))
        return [RareCluster(np.array([4, 5, 6]), X[4:], np.array([], dtype=np.int64))]

    monkeypatch.setattr(large, "find_rare", find_rare)
    whole = np.arange(7)
    found = in_all_rows(given, X, whole, np.arange(1), rare=3, n_threads=2)
    assert asked == [(2, [1.0], 3)]
    assert found["labels_"].tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert found["_fit_anchor_rows"].tolist() == list(range(7))
    assert found["alternatives_"][0]["n_clusters"] == 3
    assert found["candidates_"][0]["labels"].tolist() == [0, 1, 1, 1, 1, 1, 1]
    assert found["_fit_membership"].clusters.shape == (7, 3)
    # None is searched for, or none is found: a table that was searched as a whole stays.
    same = in_all_rows(given, X, whole, np.arange(1), rare=0, n_threads=1)
    assert same["labels_"] is given["labels_"]
    monkeypatch.setattr(large, "find_rare", lambda *given: [])
    same = in_all_rows(given, X, whole, np.arange(1), rare=3, n_threads=1)
    assert (same["labels_"] is given["labels_"], "_others" in same) == (True, False)
    # Of a rare cluster, evenly spaced rows become anchors.
    monkeypatch.setattr(large, "MOST_ANCHORS", 2)
    some = large.add_rare(
        {**given, "_others": large.others_of(given)},
        [RareCluster(np.array([4, 5, 6]), X[4:], np.array([], dtype=np.int64))],
        7,
    )
    assert some["_fit_anchor_rows"].tolist() == [0, 1, 2, 3, 4, 6]
    assert some["_fit_anchors"].ravel().tolist() == [0.0, 1.0, 10.0, 11.0, 50.0, 52.0]
    assert some["_fit_anchor_labels"].tolist() == [0, 0, 1, 1, 2, 2]
    expected = subspace_weights(some["_fit_anchors"], some["_fit_anchor_labels"])
    assert_allclose(some["cluster_feature_weights_"], expected)
    assert some["verdict_"] == (
        "two. A second pass over all 7 rows found a rare cluster, with about 3 rows."
    )


def test_soft_answers_of_all_rows_are_those_of_used_columns():
    X = np.random.default_rng(0).standard_normal((20, 3)) + 5.0 * (np.arange(20) % 2)[:, None]
    given = {
        "feature_weights_": np.array([0.5, 0.0, 1.0]),
        "feature_scales_": np.array([2.0, 1.0, 4.0]),
        "_fit_anchors": X[:10],
        "_fit_anchor_labels": np.arange(10) % 2,
        "_fit_anchor_rows": np.arange(10),
        "labels_": np.arange(20) % 2,
        "confidence_": 0.75,
    }
    found = soft_of_all(given, X, np.array([2, 1, 0]), 1)
    points = X[:, [2, 0]] * [0.25, 0.25]
    expected = soft_answers(points, np.arange(10), np.arange(20) % 2, 0.75)
    assert_array_equal(found["_fit_outlier_scores"], expected["_fit_outlier_scores"])
    member = found["_fit_membership"]
    assert_array_equal(member.probabilities, expected["_fit_membership"].probabilities)
    metric = large.known_rows(given)
    assert isinstance(metric, Known)
