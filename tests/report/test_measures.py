"""Numbers of a report, on cases that are solved by hand or by SciPy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2_contingency

from weft.answers.views import ColumnView
from weft.columns.source import MixedTable, SourceColumn
from weft.reporting import apart, space
from weft.reporting.apart import _compare, set_apart
from weft.reporting.distributions import _bins, _levels, _short, distribution
from weft.reporting.facts import dense_rows, read_facts, take_columns
from weft.reporting.sources import by_source, facets
from weft.reporting.space import draw_map, draw_silhouette, learned_metric
from weft.reporting.summary import _cluster_weights, _features, _search


def _model(labels, **learned):
    return SimpleNamespace(
        labels_=np.array(labels), n_features_in_=3, get_params=lambda deep: {}, **learned
    )


@pytest.fixture
def facts():
    return read_facts(
        _model(
            [0, 0, 1, -1],
            feature_weights_=np.array([0.0, 3.0, 1.0]),
            feature_exponents_=np.array([1.0, 2.0, 3.0]),
            cluster_feature_weights_=np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0]]),
            fitness_=0.5,
            n_iter_=7,
            history_={"best_fitness": [1.0, 2.0], "positions": [[1.0], [2.0]]},
        )
    )


# Columns that set clusters apart ------------------------------------------------------------------


def test_each_cluster_against_the_rest_is_a_chi_squared_test():
    counts = np.array([[8.0, 2.0, 0.0], [1.0, 5.0, 4.0], [1.0, 1.0, 3.0]])  # the last: no cluster
    strength, p_values = _compare(counts)
    n, total = counts.sum(), counts.sum(axis=0)
    for k in range(2):
        test = chi2_contingency(np.vstack([counts[k], total - counts[k]]), correction=False)
        assert p_values[k] == pytest.approx(test.pvalue)
        # Chance brings (bins - 1) / (n - 1) to χ² / n.
        v = np.sqrt(test.statistic / n - 2 / (n - 1))
        assert strength[k] >= v  # over the most that a cluster of this size can have
        assert 0.0 < strength[k] <= 1.0


def test_a_cluster_with_bins_of_its_own_has_strength_1():
    # Chance is taken off both what is there and the most there can be.
    strength, p_values = _compare(np.array([[10.0, 0.0], [0.0, 10.0], [0.0, 0.0]]))
    np.testing.assert_allclose(strength, 1.0)
    assert (p_values < 1e-4).all()


def test_one_bin_and_one_cluster_set_nothing_apart():
    for counts in ([[5.0], [6.0], [0.0]], [[5.0, 5.0], [0.0, 0.0], [0.0, 0.0]]):
        strength, p_values = _compare(np.array(counts))
        np.testing.assert_array_equal(strength, 0.0)
        np.testing.assert_array_equal(p_values, 1.0)


def test_columns_with_few_values_are_not_tested():
    rows = np.full((40, 2), np.nan)
    rows[:, 0] = np.repeat([0.0, 1.0], 20)
    rows[[0, 20, 39], 1] = [0.0, 1.0, 1.0]
    found = set_apart(rows, np.repeat([0, 1], 20))
    assert found.columns.tolist() == [True, False]
    assert found.weights.tolist() == [1.0, 0.0]


def test_the_limits_of_what_sets_a_cluster_apart(monkeypatch):
    # Two clusters and two columns are four tests: p-values below 0.01 / 4, strengths from 0.2 on.
    given = iter([([0.2, 0.19], [0.002, 0.002]), ([0.9, 0.9], [0.0025, 0.0024])])
    counts = []

    def compare(found):
        counts.append(found.tolist())
        return next(given)

    monkeypatch.setattr(apart, "_compare", compare)
    rows = np.array([[0.0, 5.0], [0.0, 6.0], [1.0, 5.0], [1.0, np.nan], [1.0, 6.0], [0.0, 6.0]])
    found = set_apart(rows, np.array([2, 2, 7, 7, 7, -1]))
    # The last row of each table: rows that are in no cluster.
    assert counts == [[[2.0, 0.0], [0.0, 3.0], [1.0, 0.0]], [[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]]
    assert found.strength.tolist() == [[0.2, 0.9], [0.19, 0.9]]
    assert found.is_apart.tolist() == [[True, False], [False, True]]
    assert found.columns.tolist() == [True, True]
    assert found.weights.tolist() == [0.2, 0.9]


def test_four_known_values_are_enough_for_a_test():
    rows = np.full((40, 2), np.nan)
    rows[[0, 1, 20, 21], 0] = rows[[0, 1, 20], 1] = 1.0
    rows[[0, 1], 0] = rows[[0, 1], 1] = 0.0
    found = set_apart(rows, np.repeat([0, 1], 20))
    assert found.strength[:, 0].tolist() == pytest.approx([1.0, 1.0])
    assert found.strength[:, 1].tolist() == [0.0, 0.0]


# Neighbour maps -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_rows", "is_drawn"), [(11, False), (12, True), (13, True)])
def test_a_map_of_neighbours_needs_twelve_different_rows(n_rows, is_drawn, monkeypatch):
    asked = []

    class Flat:
        def __init__(self, **options):
            asked.append(options["perplexity"])

        def fit_transform(self, rows):
            return rows[:, :2] / 3.0

    monkeypatch.setattr(space, "TSNE", Flat)
    rows = np.column_stack([np.arange(n_rows), np.zeros(n_rows)]).astype(float)
    drawn = space.neighbour_map(rows, np.zeros(n_rows, dtype=int))
    # Rows that are there twice do not count.
    twice = space.neighbour_map(np.vstack([rows, rows[:3]]), np.zeros(n_rows + 3, dtype=int))
    assert (drawn is not None) is (twice is not None) is is_drawn
    if drawn is not None:
        assert drawn[0][:3] == [0.0, 0.333, 0.667]
        assert drawn[1] == [0.0] * n_rows
        assert asked == [(n_rows - 1) / 3.0, (n_rows + 2) / 3.0]
    assert space.neighbour_map(rows[:, :1], np.zeros(n_rows, dtype=int)) is None


# Distributions ------------------------------------------------------------------------------------


def test_skewed_numbers_have_bins_of_equal_ratio():
    values = np.concatenate([np.full(90, 1.0), np.full(10, 100.0)])
    bins, edges = _bins(values, "number")
    np.testing.assert_allclose(edges, np.geomspace(1.0, 100.0, 17))
    assert (bins.min(), bins.max()) == (0, 15)
    # The largest is 20 times the median, not more: equal bins.
    at_limit = np.concatenate([np.full(90, 5.0), np.full(10, 100.0)])
    np.testing.assert_allclose(_bins(at_limit, "number")[1], np.linspace(5.0, 100.0, 17))
    # With 0 among the values, or for dates, equal ratios are impossible or misleading.
    with_zero = np.concatenate([np.zeros(90), np.full(10, 100.0)])
    np.testing.assert_allclose(_bins(with_zero, "number")[1], np.linspace(0.0, 100.0, 17))
    np.testing.assert_allclose(_bins(values, "date")[1], np.linspace(1.0, 100.0, 17))


def test_bins_of_constant_empty_and_whole_numbers():
    assert _bins(np.full(5, 3.0), "number")[1].tolist() == [2.5, 3.5]
    assert _bins(np.empty(0), "number")[1].tolist() == [0.0, 1.0]
    assert _bins(np.arange(16.0), "number")[1].tolist() == [x - 0.5 for x in range(17)]
    assert len(_bins(np.arange(17.0), "number")[1]) == 17
    assert len(_bins(np.array([1.0, 2.0, 4.0]), "number")[1]) == 17  # a gap: no whole range
    bins, _ = _bins(np.array([1.0, 2.0, 4.0]), "date")
    assert bins.tolist() == [0, 5, 15]  # at thirds of 16 bins: 5.3


def test_rare_levels_are_counted_as_one():
    levels = tuple("abcdefghijklm")  # 13 levels, of which 12 are shown: 11 and the others
    codes = np.concatenate([np.repeat(np.arange(12.0), 2), [12.0]])
    bins, labels = _levels(codes, levels, np.zeros(25, dtype=int), 1)
    assert labels == [*"abcdefghijk", "2 others"]
    assert bins[-3:].tolist() == [11, 11, 11]
    assert _levels(codes[:4], levels[:12], np.zeros(4, dtype=int), 1)[1] == list(levels[:12])
    # The last row alone is a cluster: its level, the rarest of all, fills it and is shown.
    own = np.append(np.zeros(24, dtype=int), 1)
    assert "m" in _levels(codes, levels, own, 2)[1]


def test_shares_and_gaps_by_hand():
    column = ColumnView("x", "number", np.array([1.0, 2.0, 1.0, np.nan]))
    found = distribution(column, np.array([0, 0, 1, 1]), 3)
    assert found["all"] == [0.667, 0.333]
    assert found["clusters"] == [[0.5, 0.5], [1, 0], [0, 0]]
    assert found["typical"] == [[1.25, 1.5, 1.75], [1, 1, 1], None]
    assert found["missing"] == 0.25


@pytest.mark.parametrize(
    ("value", "short"),
    [(0.123456, 0.1235), (9999.96, 10000), (12345.678, 12345.68), (2.0, 2), (1e15, 1e15)],
)
def test_numbers_of_a_page_are_short(value, short):
    assert _short(value) == short
    assert isinstance(_short(value), type(short))


# What a model says of itself ----------------------------------------------------------------------


def test_facts_of_a_model(facts):
    assert facts.n_clusters == 2
    assert facts.names == ["x0", "x1", "x2"]
    assert facts.has_weights
    assert not facts.are_measured
    assert facts.selected.tolist() == [False, True, True]
    assert (facts.fitness, facts.n_iter) == (0.5, 7)
    assert facts.cluster_weights.shape == (2, 3)
    plain = read_facts(_model([0, 1]))
    assert not plain.has_weights
    assert plain.weights.tolist() == [1.0, 1.0, 1.0]
    assert (plain.exponents, plain.cluster_weights, plain.fitness, plain.n_iter) == (None,) * 4
    with pytest.raises(ValueError, match="has no labels_"):
        read_facts(SimpleNamespace())


def test_facts_of_some_columns(facts):
    some = take_columns(facts, np.array([2, 1]))
    assert some.names == ["x2", "x1"]
    assert some.weights.tolist() == [1.0, 3.0]
    assert some.exponents.tolist() == [3.0, 2.0]
    assert some.cluster_weights.tolist() == [[1.0, 3.0], [0.0, 0.0]]
    assert take_columns(facts, np.arange(3)) is facts
    assert take_columns(facts._replace(exponents=None), np.array([0])).exponents is None


def test_rows_must_be_those_of_the_fit(facts, monkeypatch):
    X = np.arange(12.0).reshape(4, 3)
    for given in (X, sparse.csr_array(X)):
        rows, columns = dense_rows(given, facts)
        np.testing.assert_array_equal(rows, X)
        assert columns.tolist() == [0, 1, 2]
        for wrong in (given[:3], given[:, :2]):
            with pytest.raises(ValueError, match="was fitted on 4 rows of 3 columns"):
                dense_rows(wrong, facts)
    # Room for 8 cells, so 2 columns of 4 rows: the two with the largest weights, in their order.
    monkeypatch.setattr("weft.reporting.facts._LARGEST", 8)
    rows, columns = dense_rows(sparse.csr_array(X), facts)
    assert columns.tolist() == [1, 2]
    np.testing.assert_array_equal(rows, X[:, 1:])


def test_weights_of_clusters_are_shares(facts):
    found = _cluster_weights(facts)
    assert found["features"] == ["x1", "x2", "x0"]
    np.testing.assert_allclose(found["shares"], [[0.75, 0.25, 0.0], [0.0, 0.0, 0.0]])
    assert (found["labels"], found["n_features"]) == ([0, 1], 3)
    assert _cluster_weights(facts._replace(cluster_weights=None)) is None
    assert _cluster_weights(facts._replace(cluster_weights=np.empty((0, 3)))) is None


def test_entries_of_features_by_hand(facts):
    entries = _features(facts, None, None)
    assert [(e["name"], e["share"], e["selected"]) for e in entries] == [
        *(("x1", 0.75, True), ("x2", 0.25, True), ("x0", 0.0, False))
    ]
    assert [entry["exponent"] for entry in entries] == [2.0, 3.0, 1.0]
    assert "noise" not in entries[0]
    assert "kept_share" not in entries[0]
    shares = facts._replace(kept_share=np.array([0.1, 0.2, 0.3]))
    marked = _features(shares, np.array([True, False, True]), None)
    assert [entry["noise"] for entry in marked] == [True, False, False]
    assert [entry["kept_share"] for entry in marked] == [0.2, 0.3, 0.1]
    nothing = _features(facts._replace(weights=np.zeros(3)), None, None)
    assert [entry["share"] for entry in nothing] == [0.0, 0.0, 0.0]


def test_a_search_shows_what_has_one_number_per_generation(facts):
    assert list(_search(facts)) == ["best_fitness"]


# The metric that was learned ----------------------------------------------------------------------


def test_metrics_by_hand(facts):
    rows, every = np.array([[0.0, 0.0, 5.0], [2.0, 4.0, 5.0]]), np.arange(3)
    # Without weights, or where they were measured on given labels: 1 / deviation (1, 2 and 0).
    for plain in (facts._replace(has_weights=False), facts._replace(are_measured=True)):
        metric = learned_metric(None, rows, plain, every)
        assert metric.scale.tolist() == [1.0, 0.5, 1.0]
        assert metric.columns.tolist() == [0, 1, 2]
    zero = facts._replace(weights=np.zeros(3))
    assert learned_metric(None, rows, zero, every).scale.tolist() == [1.0, 0.5, 1.0]
    # Weights multiply squared differences; FeatureSwarm's multiply columns; AutoCluster's are in
    # units of the deviation.
    plain = learned_metric(None, rows, facts, every)
    np.testing.assert_allclose(plain.scale, [1.0, np.sqrt(1 / 3)])
    assert plain.columns.tolist() == [1, 2]
    swarm = SimpleNamespace(feature_exponents_=None)
    assert learned_metric(swarm, rows, facts, every).scale.tolist() == [3.0, 1.0]
    auto = SimpleNamespace(feature_scales_=np.array([1.0, 2.0, 4.0]))
    assert learned_metric(auto, rows, facts, every).scale.tolist() == [1.5, 0.25]
    small = facts._replace(weights=facts.weights / 4.0)
    assert learned_metric(auto, rows, small, every).scale.tolist() == [0.375, 0.0625]
    np.testing.assert_array_equal(plain.apply(rows)[:, 0], rows[:, 1])


def test_the_map_of_few_rows_by_hand(facts):
    rows = np.array([[0.0, 3.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0]])
    metric, every = learned_metric(None, rows, facts, np.arange(3)), np.arange(3)
    drawn = draw_map(metric, rows, rows, facts, every, np.array([1, 2, 4, 9]))
    assert drawn["x"] == [3.0, -1.0, -1.0, -1.0]
    assert drawn["y"] == [0.0] * 4
    assert drawn["row"] == [1, 2, 4, 9]
    assert drawn["explained"] == pytest.approx([1.0, 0.0])
    assert drawn["features"][:2] == ["x1", "x2"]
    assert drawn["values"][0][0] == 3.0
    assert "near_x" not in drawn  # too few rows for a map of neighbours
    numbers = np.arange(1, 5)
    assert draw_map(metric, 0.0 * rows, rows, facts, every, numbers) is None
    two = facts._replace(labels=np.zeros(2, int))
    assert draw_map(metric, rows[:2], rows[:2], two, every, numbers[:2]) is None


def test_silhouettes_of_a_page_by_hand():
    labels = np.array([0, 0, 1, 1, -1])
    measured = SimpleNamespace(
        sampled=np.array([0, 1, 2, 4]), sure=np.array([0.1, 0.5, -0.2, np.nan, np.nan])
    )
    drawn = draw_silhouette(measured, labels)
    assert drawn["widths"] == [[0.5, 0.1], [-0.2]]
    assert drawn["mean"] == pytest.approx(0.4 / 3)
    assert drawn["negative"] == pytest.approx(1 / 3)
    assert (drawn["n_rows"], drawn["n_rows_all"]) == (3, 4)
    assert draw_silhouette(measured, np.array([0, 0, 0, 1, -1])) is None  # one cluster


# Source columns -----------------------------------------------------------------------------------


def test_coordinates_are_put_together_by_source(facts):
    columns = [
        SourceColumn("c", "category", (0,), levels=("a", "b")),
        SourceColumn("n", "number", (1,)),
    ]
    # Coordinates 0 and 1 belong to "c", with variances 1 and 3; the third is "n".
    plan = SimpleNamespace(
        columns=columns, owner=np.array([0, 0, 1]), spread=np.array([1.0, 3.0, 2.0])
    )
    told = by_source(facts._replace(kept_share=np.array([0.2, 0.7, 0.4])), plan)
    assert told.names == ["c", "n"]
    assert told.weights.tolist() == [0.75 * 3.0, 1.0]
    assert told.exponents.tolist() == [0.25 * 1.0 + 0.75 * 2.0, 3.0]
    assert told.cluster_weights.tolist() == [[2.25, 1.0], [0.0, 0.0]]
    assert told.kept_share.tolist() == [0.7, 0.4]
    assert told.selected.tolist() == [True, True]
    assert by_source(facts, plan).kept_share is None
    single = SimpleNamespace(columns=columns, owner=np.arange(2), spread=np.ones(2))
    assert by_source(facts, single).weights is facts.weights


def test_positions_of_ordered_levels_are_told_with_their_ends():
    column = SourceColumn("mood", "ordered", (0,), levels=("low", "middle", "high"))
    made = facets(MixedTable(np.array([[0.0], [2.0], [np.nan]]), (column,)))
    assert made.names == ["mood (1 = low, 3 = high)"]
    assert made.values[:, 0].tolist() == [1.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("period", "values", "ranges"),
    [
        (24.0, [0.5, 23.0], ["0 to 6", "6 to 12", "12 to 18", "18 to 24"]),
        (12.0, [0.0, np.nan, 11.0], ["0 to 2", "3 to 5", "6 to 8", "9 to 11"]),
        (7.0, [0.0, 6.0], ["0 to 1", "2 to 3", "4 to 5", "6"]),
    ],
)
def test_quarters_of_a_circle(period, values, ranges):
    column = SourceColumn("when", "cyclic", (0,), periods=(period,))
    made = facets(MixedTable(np.array(values)[:, np.newaxis], (column,)))
    assert made.names == [f"when: {each}" for each in ranges]


def test_facets_by_hand():
    columns = (
        SourceColumn("flag", "yes/no", (0,), levels=("no", "yes")),
        SourceColumn("c", "category", (1,), levels=("a", "b")),
        SourceColumn("hour", "cyclic", (2,), periods=(24.0,)),
        SourceColumn("size", "number", (3,), unit="cm"),
        SourceColumn("share", "number", (4,), unit="%"),
    )
    values = np.array([[0.0, 0.0, 5.0, 10.0, 0.5], [1.0, np.nan, 23.0, np.nan, 0.25]])
    made = facets(MixedTable(values, columns))
    assert made.names == [
        *("flag", "c: a", "c: b", "hour: 0 to 5", "hour: 6 to 11", "hour: 12 to 17"),
        *("hour: 18 to 23", "size [cm]", "share"),
    ]
    assert made.source.tolist() == [0, 1, 1, 2, 2, 2, 2, 3, 4]
    np.testing.assert_array_equal(made.values[:, 1:7], [[1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]])
    np.testing.assert_array_equal(made.values[:, 7], [10.0, 10.0])  # a gap is filled by the mean
