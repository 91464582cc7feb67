"""Parts of AutoCluster's search by hand: limits, sparse tables, large tables, other answers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from weft.auto import large, projection, rare
from weft.auto import sparse as sparse_tables
from weft.auto.alternatives import (
    Alternative,
    _reasons,
    _verdict,
    different,
    find_alternatives,
    take_alternative,
)
from weft.auto.clock import Clock
from weft.auto.examining import share_a_unit
from weft.auto.large import add_rare, known_rows, sampled_places, say_of_all
from weft.auto.projection import Projection, learn_projection, nearest_points
from weft.auto.rare import Core, Far, Known, RareCluster, add_far, far_rows, linked_groups
from weft.auto.search import (
    Partition,
    Settings,
    _fits,
    _weak_answers,
    partition_of,
    rows_of_search,
)
from weft.auto.source_family import (
    CLASSES,
    DEPENDENT,
    KMEANS,
    SourceCandidate,
    _with_ratios,
    own_gain,
)
from weft.auto.source_judge import (
    CONFIDENCE,
    SCORE,
    confidence_of,
    cost_of_clumps,
    ranked,
    score_features,
    score_of,
)
from weft.auto.source_rest import is_product, remaining_clumps
from weft.auto.sources import Sources, is_mixed
from weft.auto.working import principal_axes, standardised, with_unit_rows
from weft.columns.screening import Screening
from weft.columns.source import MixedTable, SourceColumn

SETTINGS = Settings(0.05, None, None, None, 1, False, 0, None, 0)


def told(**changes):
    return SETTINGS._replace(**changes)


# What the user asks for -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "settings", "answer"),
    [
        ([5, 5], {}, True),
        ([10], {}, False),  # one cluster is no clustering
        ([5, 5], {"n_clusters": 2}, True),
        ([5, 5], {"n_clusters": 3}, False),
        ([3, 3, 3], {"n_clusters": 2}, False),
        ([3, 3, 3], {"min_clusters": 3, "max_clusters": 3}, True),
        ([3, 3, 3], {"min_clusters": 4}, False),
        ([3, 3, 3], {"max_clusters": 2}, False),
        ([3, 4], {"min_cluster_size": 3}, True),
        ([3, 4], {"min_cluster_size": 4}, False),
    ],
)
def test_clusterings_that_are_as_asked_for(sizes, settings, answer):
    labels = np.append(np.repeat(np.arange(len(sizes)), sizes), -1)
    assert _fits(np.stack([labels, labels]), told(**settings)).tolist() == [answer, answer]


def test_one_cluster_that_was_told_needs_no_search():
    found = partition_of(np.zeros((5, 2)), np.ones(2), np.arange(5), told(n_clusters=1))
    assert found.labels.tolist() == [0] * 5
    assert not found.kept.any()
    assert not found.screening.kept.any()
    assert not found.screening.dependent.any()
    assert found.screening.group.tolist() == [-1, -1]
    assert_array_equal(found.screening.strength, 0.0)
    assert found.confidence == 1.0


def test_at_most_2000_rows_are_searched():
    assert_array_equal(rows_of_search(2000), np.arange(2000))
    many = rows_of_search(2001)
    assert len(many) == 2000
    assert (np.diff(many) > 0).all()
    assert many.max() <= 2000
    assert_array_equal(many, rows_of_search(2001))


def test_the_clock_says_who_stopped_the_search(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("weft.auto.clock.time.monotonic", lambda: now[0])
    clock = Clock(10.0, lambda: "")
    now[0] = 108.0
    assert clock.is_late(0.8) is False  # not beyond it yet
    assert clock.stopped_by == ""
    now[0] = 108.1
    assert clock.is_late(0.8) is True
    assert clock.stopped_by == "the time limit"
    assert clock.is_late(0.9) is False
    assert clock.stopped_by == "the time limit"
    assert Clock(None, lambda: "").is_late(0.0) is False
    asked = Clock(10.0, lambda: "a signal")
    assert asked.is_late(0.8) is True
    assert asked.stopped_by == "a signal"


def test_weak_answers_come_behind_no_clusters():
    screening = Screening(*(np.zeros(1, dtype=bool),) * 2, np.zeros(1, dtype=int), np.zeros(1))
    weak = Alternative(-1.0, 2, np.array([0, 1]), "x")
    partition = Partition(np.zeros(2, dtype=int), np.zeros(1, dtype=bool), screening, 0.5)
    assert _weak_answers(partition) == []
    first, second = _weak_answers(partition._replace(others=(weak,)))
    assert (first.quality, first.n_clusters, first.method) == (0.0, 1, "none")
    assert second is weak


def test_columns_of_one_unit():
    assert share_a_unit(np.linspace(1.0, 29.0, 100))
    assert not share_a_unit(np.array([1.0] * 50 + [40.0] * 50))


# Other answers ----------------------------------------------------------------------------------


def test_answers_that_tell_another_story():
    rows = np.arange(400)
    halves = rows // 200
    labels = [halves, halves, rows // 100, rows % 2, np.where(rows == 0, 1, halves)]
    found = find_alternatives(labels, list("abcde"), np.array([1.0, 5.0, 4.0, 3.0, 2.0]), 0)
    # The winner first; what says the same is left out, however good.
    assert [each.method for each in found] == ["a", "c", "d"]
    assert [each.quality for each in found] == [0.0, 3.0, 2.0]
    assert [each.n_clusters for each in found] == [2, 4, 2]
    assert [each.method for each in different((found[1], found[1], found[0]))] == ["c", "a"]


def test_at_most_six_answers_are_given():
    rng = np.random.default_rng(0)
    labels = [rng.integers(2, size=200) for _ in range(9)]
    found = find_alternatives(labels, ["m"] * 9, np.arange(9.0), 8)
    assert len(found) == 6
    assert len(different(tuple(found) + tuple(found))) == 6
    more = tuple(Alternative(0.0, 2, own, "m") for own in labels)
    assert len(different(more)) == 6


def test_reasons_and_verdict_of_another_answer():
    learned = {
        "candidates_": [{"labels": np.array([0, 1]), "reasons": {"for": ["x"], "against": []}}],
        "alternatives_": [{"n_clusters": 3}, {"n_clusters": 2}],
        "confidence_": 0.75,
    }
    assert _reasons(learned, np.array([0, 1]))["for"] == ["x"]
    assert _reasons(learned, np.array([0, 0])) == {"for": [], "against": []}
    said = _verdict(learned, 2, 2)
    assert said.startswith("2 clusters: answer 2 of 2, ")
    assert "has 3 clusters, right with a probability of about 75%; " in said
    assert "3 clusters; how" in _verdict({**learned, "confidence_": None}, 2, 2)


def test_an_answer_is_taken_with_weights_of_its_own():
    rng = np.random.default_rng(1)
    anchors = rng.standard_normal((30, 3))
    anchors[15:, 1] += 50.0
    labels = np.append(np.repeat([0, 1], 15), [0])
    learned = {
        "alternatives_": [
            {"labels": np.zeros(31, dtype=int), "n_clusters": 1, "method": "a", "features": None},
            {"labels": labels, "n_clusters": 2, "method": "b", "features": np.array([0, 1])},
        ],
        "candidates_": [],
        "confidence_": 0.5,
        "feature_weights_": np.ones(3),
        "feature_scales_": np.array([1.0, 5.0, 1.0]),
        "_fit_anchors": anchors,
        "_fit_anchor_rows": np.arange(30),
    }
    taken = take_alternative(learned, 2, None)
    assert taken["n_clusters_"] == 2
    assert taken["method_"] == "b"
    assert taken["feature_weights_"][1] > 0.9
    assert taken["feature_weights_"][2] == 0.0
    assert_array_equal(taken["feature_weight_intervals_"][0], taken["feature_weights_"])
    assert taken["cluster_feature_weights_"].shape == (2, 3)
    assert_array_equal(taken["_fit_anchor_labels"], labels[:30])
    assert np.isnan(taken["cluster_stability_"]).all()
    shared = take_alternative(learned, 2, np.array([0, 0, 1]))["feature_weights_"]
    assert shared[0] == shared[1] or shared[0] == 0.0


# Sparse tables and projections ------------------------------------------------------------------


def test_sparse_tables_are_put_into_one_form():
    twice = sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    found = sparse_tables.as_canonical_csr(twice)
    assert found.nnz == 1
    assert found[0, 1] == 3.0
    plain = sparse.csr_array(np.eye(2))
    assert sparse_tables.as_canonical_csr(plain).nnz == 2


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        ([[0.6, 0.8], [0.8, 0.6]], True),
        ([[0.6, 0.8], [0.0, 0.0]], True),  # an empty row has no direction
        ([[0.6, 0.8], [0.8, 0.7]], False),
        ([[0.6, -0.8], [0.8, 0.6]], False),
        ([[1.0, 0.0], [0.0, 1.0]], False),  # yes and no
        ([[0.0, 0.0], [0.0, 0.0]], False),
    ],
)
def test_rows_of_length_1(rows, answer):
    assert sparse_tables.has_unit_rows(sparse.csr_array(np.array(rows))) is answer


def test_signatures_follow_the_values(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (12, 9)).astype(float)
    X[:, 0] = np.arange(12) + 1.0
    rows, columns = sparse_tables.signatures(sparse.csr_array(X))
    order, places = rng.permutation(12), rng.permutation(9)
    turned = sparse_tables.signatures(sparse.csr_array(X[np.ix_(order, places)]))
    assert_array_equal(turned[0], rows[order])
    assert_array_equal(turned[1], columns[places])
    assert len(set(rows.tolist())) == 12
    monkeypatch.setattr(sparse_tables, "CHUNK", 5)
    again = sparse_tables.signatures(sparse.csr_array(X))
    assert_array_equal(again[0], rows)
    assert_array_equal(again[1], columns)


def test_dense_blocks_are_the_table(monkeypatch):
    X = sparse.csr_array(np.arange(35.0).reshape(7, 5))
    monkeypatch.setattr(sparse_tables, "BLOCK_CELLS", 11)
    spans, parts = zip(*sparse_tables.dense_blocks(X), strict=True)
    assert [(span.start, span.stop) for span in spans] == [(0, 2), (2, 4), (4, 6), (6, 7)]
    assert_array_equal(np.vstack(parts), X.toarray())
    monkeypatch.setattr(sparse_tables, "BLOCK_CELLS", 1)
    assert len(list(sparse_tables.dense_blocks(X))) == 7


def test_values_of_some_columns_stand_where_the_table_has_them():
    sample = sparse_tables.SparseSample(None, np.array([3, 0]), None, np.ones(5), False)
    assert_array_equal(sparse_tables._spread(np.array([1.0, 2.0]), sample), [2, 0, 0, 1, 0])
    assert sparse_tables._spread(np.ones((4, 2)), sample).shape == (4, 5)


def test_a_sparse_table_without_variation_has_one_column():
    sample = sparse_tables.take_sample(sparse.csr_array(np.ones((4, 3))))
    assert sample.table.tolist() == [[0.0]] * 4
    assert sample.columns.tolist() == [0]
    assert_array_equal(sample.scales, 1.0)


def test_nearest_points_by_brute_force(monkeypatch):
    rng = np.random.default_rng(0)
    known, points = rng.standard_normal((40, 3)), rng.standard_normal((25, 3))
    points[7] = known[11]
    distances = ((points[:, None] - known) ** 2).sum(axis=2)
    expected = np.argsort(distances, axis=1)[:, :15]
    expected[7] = 11  # it is one of the known
    for height in (4096, 10):
        monkeypatch.setattr(projection, "BLOCK_ROWS", height)
        assert_array_equal(nearest_points(points, known), expected)
    assert nearest_points(points, known[:4]).shape == (25, 4)


def test_rows_are_put_on_axes_as_they_were_learned(monkeypatch):
    rng = np.random.default_rng(2)
    few = rng.standard_normal((30, 4))
    plain = learn_projection(few, np.arange(4), False, 12)
    assert_allclose(plain.points(few), few - few.mean(axis=0), atol=1e-12)
    many = rng.standard_normal((60, 20))
    many[:, :6] += 5.0 * rng.standard_normal((60, 1))
    found = learn_projection(many, np.arange(20), False, 12)
    centred = many - many.mean(axis=0)
    assert_allclose(found.points(many), principal_axes(centred, 12), atol=1e-9)
    assert_allclose(found.points(sparse.csr_array(many)), found.points(many), atol=1e-9)
    monkeypatch.setattr(projection, "BLOCK_ROWS", 7)
    assert_allclose(found.points(many), principal_axes(centred, 12), atol=1e-9)
    turned = Projection(np.array([1, 0]), np.zeros(2), np.eye(2), True)
    assert_allclose(turned.points(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.8, 0.6], [0.0, 0.0]])


def test_rows_of_unit_length_dense_and_sparse():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    expected = [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]]
    assert_allclose(with_unit_rows(rows), expected)
    assert_allclose(projection.with_unit_rows(sparse.csr_array(rows)).toarray(), expected)


# Working tables ---------------------------------------------------------------------------------


def test_standardised_columns_of_any_size():
    X = np.column_stack([np.arange(5.0), 1e300 * np.arange(5.0), np.ones(5), np.zeros(5)])
    found = standardised(X)
    expected = (np.arange(5.0) - 2.0) / np.sqrt(2.0)
    assert_allclose(found, np.column_stack([expected, expected]))


@pytest.mark.parametrize("shape", [(60, 15), (15, 60)])
def test_principal_axes_beyond_noise(shape):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    X[: shape[0] // 3] += 4.0
    X[shape[0] // 2 :, ::2] -= 4.0
    scores = principal_axes(X, 32)
    centred = X - X.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    count = scores.shape[1]
    assert_allclose(np.abs(scores), np.abs(left[:, :count] * values[:count]), atol=1e-6)
    # The edge of noise without the axes that were found, and none of the others beyond it.
    n, d = shape
    edge = (values[count:] ** 2).sum() / d * (1.0 + np.sqrt(d / n)) ** 2
    assert (values[:count] ** 2 > edge).all() or count == 2
    assert (values[count:] ** 2 <= edge).all()
    assert (scores[np.abs(scores).argmax(axis=0), np.arange(count)] > 0).all()
    assert principal_axes(X, 1).shape[1] == 1
    assert principal_axes(rng.standard_normal(shape), 32).shape[1] == 2


# Large tables and rare clusters -----------------------------------------------------------------


def test_places_of_large_tables(monkeypatch):
    monkeypatch.setattr(large, "SAMPLE_ROWS", 10)
    assert_array_equal(sampled_places(10), np.arange(10))
    some = sampled_places(11)
    assert len(some) == 10
    assert (np.diff(some) > 0).all()


def learned_of_five():
    anchors = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0], [11.0, 0.0], [50.0, 0.0]])
    return {
        "feature_weights_": np.array([2.0, 0.0]),
        "feature_scales_": np.array([4.0, 1.0]),
        "_fit_anchors": anchors,
        "_fit_anchor_rows": np.array([5, 4, 3, 2, 0]),
        "_fit_anchor_labels": np.array([0, 0, 1, 1, 1]),
        "_others": [np.array([0, 0, 0, 0, 1])],
        "alternatives_": [{"labels": None, "n_clusters": 2, "method": "m"}],
        "candidates_": [],
        "n_clusters_": 2,
        "cluster_feature_weights_": np.array([[1.0, 0.0], [2.0, 0.0]]),
        "cluster_stability_": np.array([0.5, 0.75]),
        "verdict_": "two.",
    }


def test_the_metric_of_known_rows():
    known = known_rows(learned_of_five())
    assert_array_equal(known.metric, [0.5, 0.0])


def test_labels_of_all_rows_are_those_of_the_nearest_anchors():
    learned = learned_of_five()
    # Row 1 is nearest to anchor 0; anchors have their own labels.
    found = say_of_all(learned, np.zeros(6, dtype=np.int64))
    # Row 0 is anchor 4, of cluster 1, which comes first: clusters are numbered by first row.
    assert found["labels_"].tolist() == [0, 1, 0, 0, 1, 1]
    assert found["n_clusters_"] == 2
    assert found["cluster_stability_"].tolist() == [0.75, 0.5]
    assert found["cluster_feature_weights_"].tolist() == [[2.0, 0.0], [1.0, 0.0]]
    assert found["_fit_anchor_labels"].tolist() == [1, 1, 0, 0, 0]
    assert found["alternatives_"][0]["labels"].tolist() == [0, 1, 0, 0, 1, 1]
    assert found["alternatives_"][0]["method"] == "m"
    # Only the first two anchors are among these rows.
    some = say_of_all(learned, np.array([2, 2, 2, 2, 2, 2]), 2)
    assert some["labels_"].tolist() == [0, 0, 0, 0, 1, 1]


def test_rare_clusters_become_anchors():
    learned = learned_of_five()
    rows = np.array([[50.0, 0.0], [51.0, 1.0], [52.0, 2.0]])
    found = RareCluster(np.array([0, 7, 8]), rows, np.array([4]))
    changed = add_rare(learned, [found], 1000)
    assert changed["n_clusters_"] == 3
    # Row 0 is an anchor already; its label changes, the others are new.
    assert changed["_fit_anchor_rows"].tolist() == [5, 4, 3, 2, 0, 7, 8]
    assert changed["_fit_anchor_labels"].tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert changed["_others"][0].tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert changed["cluster_stability_"].tolist()[:2] == [0.5, 0.75]
    # Only the first column counts, and each cluster is tighter along it than all rows are.
    assert changed["cluster_feature_weights_"].tolist() == [[1.0, 0.0]] * 3
    assert np.isnan(changed["cluster_stability_"][2])
    assert "all 1,000 rows found a rare cluster" in changed["verdict_"]
    both = add_rare(learned, [found, found._replace(number=np.array([9, 7, 8]))], 1000)
    assert "found 2 rare clusters" in both["verdict_"]
    assert "3 and 3 rows" in both["verdict_"]


def test_the_farthest_rows_of_all_parts(monkeypatch):
    known = Known(np.array([[0.0], [1.0]]), np.zeros(2, dtype=int), np.ones(1))
    rows = np.array([[0.5], [9.0], [1.0], [-4.0], [5.0]])
    far = far_rows(100, rows, Core(known, 0.5))
    assert far.number.tolist() == [101, 103, 104]  # 8, 4 and 4 away; .5 is usual
    assert far.distance.tolist() == [8.0, 4.0, 4.0]
    monkeypatch.setattr(rare, "MOST_FAR", 2)
    assert far_rows(0, rows, Core(known, 0.5)).number.tolist() == [1, 3]
    other = Far(np.array([6.0, 4.0]), np.array([7, 8]), np.array([[7.0], [-9.0]]))
    both = add_far([far, other])
    assert both.number.tolist() == [101, 7]
    monkeypatch.setattr(rare, "MOST_FAR", 9)
    # Of equal distances, the smaller row by value first.
    assert add_far([far, other]).number.tolist() == [101, 7, 8, 103, 104]


def test_far_rows_are_linked_where_they_are_near_each_other():
    rows = np.array([[10.0], [11.0], [12.0], [30.0], [31.0], [90.0]])
    far = Far(np.full(6, 10.0), np.arange(6), rows)
    groups = linked_groups(far, np.ones(1), 2)
    assert sorted(sorted(far.number[group].tolist()) for group in groups) == [[0, 1, 2], [3, 4]]
    assert [len(group) for group in linked_groups(far, np.ones(1), 3)] == [3]
    # Rows at distance 10 from the core have to be nearer than 8 to each other.
    two = Far(np.full(2, 10.0), np.arange(2), np.array([[10.0], [18.0]]))
    assert linked_groups(two, np.ones(1), 2) == []
    assert len(linked_groups(two._replace(rows=two.rows * 0.99), np.ones(1), 2)) == 1


# Mixed tables -----------------------------------------------------------------------------------


def candidate(way=KMEANS, count=2, stability=0.9, gain=0.5, joint=0.25, **changes):
    labels = np.arange(6) % count
    return SourceCandidate(labels, count, way, stability, 0.8, gain, joint, 0.06)._replace(
        **changes
    )


def test_gains_are_compared_with_the_largest():
    given = [candidate(gain=1.0, joint=0.5), candidate(CLASSES, gain=0.5), candidate(gain=-9.0)]
    found = _with_ratios(given)
    assert [each.ratio for each in found] == [1.0, 0.5, -1.0]
    assert [each.joint_ratio for each in found] == [1.0, 0.5, 0.5]
    # Mixtures that hardly fit better than clouds are left out; k-means is not.
    weak = [candidate(gain=0.29), candidate(CLASSES, gain=0.29), candidate(CLASSES, gain=0.3)]
    assert [each.way for each in _with_ratios(weak)] == [KMEANS, CLASSES]
    assert [each.gain for each in _with_ratios(weak)] == [0.29, 0.3]
    assert own_gain(candidate(DEPENDENT)) == 0.25
    assert own_gain(candidate(CLASSES)) == 0.5
    # A gain of nothing is compared with the least that counts.
    tiny = _with_ratios([candidate(gain=0.025, joint=0.01)])
    assert (tiny[0].ratio, tiny[0].joint_ratio) == (0.5, pytest.approx(0.2))


def test_scores_by_hand():
    one = candidate(DEPENDENT, count=3, ratio=0.5, joint_ratio=0.25)
    features = [0.9, 1.0, 0.8, 0.5, 0.25, 0.0, 1.0, np.log(3.0)]
    assert_allclose(score_features(one), features)
    assert score_of(one) == pytest.approx(np.dot(features, SCORE))
    assert score_of(one._replace(remaining=3.5)) == pytest.approx(np.dot(features, SCORE) - 1.0)
    assert [cost_of_clumps(value) for value in (2.5, 3.0, 5.5, 9.0)] == [0.0, 0.5, 3.0, 3.0]
    x = np.dot([1.0, 0.9, 0.8, 0.5], CONFIDENCE)
    assert confidence_of(one) == pytest.approx(1.0 / (1.0 + np.exp(-x)))
    # A gain counts from 0 to 1, and nothing is surer than 95 %.
    assert confidence_of(one._replace(gain=-3.0)) == confidence_of(one._replace(gain=0.0))
    assert confidence_of(one._replace(gain=9.0, stability=1.0, agreement=1.0)) <= 0.95
    assert confidence_of(one._replace(gain=9.0)) == confidence_of(one._replace(gain=1.0))
    # What halves do not agree on comes last, however good.
    unstable = candidate(stability=0.49, ratio=1.0, joint_ratio=1.0)
    assert [each.stability for each in ranked([unstable, one])] == [0.9, 0.49]
    edge = candidate(stability=0.5, ratio=1.0, joint_ratio=1.0)
    assert [each.stability for each in ranked([candidate(ratio=-1.0), edge])] == [0.5, 0.9]


def levels_table(*codes):
    columns = tuple(
        SourceColumn(f"c{j}", "category", (j,), levels=("a", "b", "c")) for j in range(len(codes))
    )
    return MixedTable(np.column_stack(codes).astype(float), columns)


def test_clusters_that_are_fewer_split_by_a_category():
    species, sex = np.arange(120) // 60, np.arange(120) % 2
    table = levels_table(sex, species)
    assert is_product(2 * species + sex, species, (0,), table)
    assert not is_product(2 * species + sex, species, (1,), table)
    assert not is_product(species, species, (0,), table)  # not fewer
    gaps = table.values.copy()
    gaps[:10, 0] = np.nan
    assert is_product(2 * species + sex, species, (0,), MixedTable(gaps, table.columns))


def test_only_clusters_of_thirty_rows_are_looked_into(monkeypatch):
    table = levels_table(np.zeros(70))
    seen = []

    def clumping(part, rng, n_clouds):
        seen.append(len(part.values))
        return float(len(part.values))

    monkeypatch.setattr("weft.auto.source_rest.clumping", clumping)
    labels = np.repeat([0, 1, 2], [29, 30, 11])
    assert remaining_clumps(labels, table, None) == 30.0
    assert seen == [30]
    assert remaining_clumps(np.zeros(20, dtype=int), table, None) == 0.0


def test_source_columns_and_their_coordinates():
    columns = (
        SourceColumn("c", "category", (0,), levels=("a", "b", "c")),
        SourceColumn("x", "number", (1,)),
        SourceColumn("y", "number", (2,)),
    )
    table = MixedTable(np.arange(12.0).reshape(4, 3) % 3, columns)
    sources = Sources(table, np.array([2, 0, 0, 1]))
    assert is_mixed(table)
    assert not is_mixed(table.take_columns(np.array([1, 2])))
    assert sources.canonical_order().tolist() == [2, 0, 1]
    kept = np.array([True, False, True])
    assert sources.coordinates_of_numbers(kept).tolist() == [0]
    assert sources.coordinates_of_numbers(np.ones(3, dtype=bool)).tolist() == [0, 3]
    assert sources.share_weights(np.array([1.0, 0.5, 2.0, 3.0])).tolist() == [1.0, 2.0, 2.0, 3.0]
    spread = sources.spread(Screening(kept, ~kept, np.array([5, 6, 7]), np.array([0.1, 0.2, 0.3])))
    assert spread.kept.tolist() == [True, True, True, False]
    assert spread.group.tolist() == [7, 5, 5, 6]
    assert len(sources.take(np.array([1, 3])).table.values) == 2


def test_axes_are_counted_again_without_those_found():
    # 60 rows, 15 axes with squares 30, 20, 3 and twelve times 1: noise ends at 2.25 times the mean.
    # At first that is 2.25 · 65 / 15 = 9.75, without two axes 2.25 and without three 1.8.
    rng = np.random.default_rng(0)
    centred = rng.standard_normal((60, 15))
    axes = np.linalg.qr(centred - centred.mean(axis=0))[0]
    squares = np.array([30.0, 20.0, 3.0, *[1.0] * 12])
    found = principal_axes(axes * np.sqrt(squares), 32)
    assert found.shape == (60, 3)
    assert_allclose((found * found).sum(axis=0), squares[:3])
    # 2.2 is not beyond 2.25 · 14.2 / 15.
    squares[2] = 2.1
    assert principal_axes(axes * np.sqrt(squares), 32).shape == (60, 2)
    # The mean is over all columns, also where most have been found: 15 of 20 columns are 0.
    wide = np.hstack([axes[:, :5] * np.sqrt([9.0, 8.0, 7.0, 6.0, 5.0]), np.zeros((60, 15))])
    assert principal_axes(wide, 32).shape == (60, 5)
    assert principal_axes(wide, 4).shape == (60, 4)


def test_a_sparse_table_without_a_column_that_counts_is_one_cluster():
    X = sparse.csr_array(np.ones((5, 3)))
    sample = sparse_tables.take_sample(X)
    learned = {
        "labels_": np.zeros(5, dtype=np.int64),
        "feature_weights_": np.zeros(1),
        "feature_weight_intervals_": np.zeros((2, 1)),
        "feature_stability_": np.array([0.5]),
        "cluster_stability_": np.array([0.75]),
        "cluster_feature_weights_": np.array([[1.0]]),
        "alternatives_": [{"labels": np.zeros(5, dtype=np.int64), "features": np.array([0])}],
        "candidates_": [{"labels": np.zeros(5, dtype=np.int64), "method": "m"}],
    }
    found = sparse_tables.learn_sparse(learned, sample, X)
    assert found["labels_"].tolist() == [0] * 5
    assert found["alternatives_"][0]["labels"].tolist() == [0] * 5
    assert found["candidates_"][0]["labels"].tolist() == [0] * 5
    assert found["cluster_stability_"].tolist() == [0.75]
    assert found["feature_stability_"].tolist() == [0.5, 0.0, 0.0]
    assert found["cluster_feature_weights_"].tolist() == [[1.0, 0.0, 0.0]]
    assert found["feature_weight_intervals_"].shape == (2, 3)
    assert found["_fit_anchors"].tolist() == [[0.0]]
    made = found["_fit_projection"]
    assert (made.columns.tolist(), made.means.tolist(), made.axes.tolist()) == ([0], [0.0], [[1.0]])
    assert made.unit_rows is False
    assert found["_fit_anchor_labels"].tolist() == found["_fit_anchor_rows"].tolist() == [0]
