"""Rows, markers, maps and silhouettes of a report, by hand; both sides of each limit."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import weft
from weft.answers.views import ColumnView
from weft.reporting import marking, space
from weft.reporting.facts import Facts
from weft.reporting.marking import list_markers
from weft.reporting.rowwise import describe_rows
from weft.reporting.space import (
    Metric,
    _principal,
    _two_directions,
    draw_map,
    draw_silhouette,
    neighbour_map,
    sample,
)
from weft.reporting.sureness import Sureness, measure_sureness

LABELS = np.array([0, 0, 0, 1, 1, 1, -1])


def facts(**changes):
    made = Facts(
        labels=LABELS, n_clusters=2, names=["a", "b"], weights=np.array([3.0, 1.0]),
        has_weights=True, selected=np.ones(2, bool), exponents=None, cluster_weights=None,
        history={}, fitness=None, n_iter=None, params={},
    )  # fmt: skip
    return made._replace(**changes)


# Rows ---------------------------------------------------------------------------------------------


def sureness(sure, odd, to_own=None, next_label=None):
    n = len(sure)
    return Sureness(
        np.array(sure, dtype=float), np.full(n, 1) if next_label is None else next_label,
        np.array(odd, dtype=float), np.arange(float(n)) if to_own is None else np.array(to_own),
        np.arange(n),
    )  # fmt: skip


def test_rows_that_are_typical_doubtful_and_odd():
    labels = np.array([0, 0, 0, 0, 1, 1, -1])
    measured = sureness(
        [0.9, -0.2, 0.1, 0.11, -0.5, 0.5, np.nan], [1.0, 1.5, 3.0, 1.49, 1.6, 1.5, 9.0],
        to_own=[3.0, 1.0, 2.0, 1.0, 5.0, 4.0, np.inf],
    )  # fmt: skip
    numbers = np.arange(11, 18)
    found = describe_rows(labels, measured, [], row_numbers=numbers)
    assert found["typical"] == [{"label": 0, "rows": [12, 14, 13]}, {"label": 1, "rows": [16, 15]}]
    # Doubtful from a width of 0.1 down, odd from 1.5 times the usual distance on.
    assert found["doubtful"] == [15, 12, 13]
    assert found["odd_rows"] == [17, 13, 15, 12, 16]
    assert found["sure"] == [0.9, -0.2, 0.1, 0.11, -0.5, 0.5, None]
    assert (found["row"], found["n_rows"]) == (numbers.tolist(), 7)
    assert {"name", "outlier", "clusters", "alternatives"}.isdisjoint(found)
    scored = describe_rows(
        labels, measured, [], row_numbers=numbers, row_names=list("abcdefg"),
        outlier_scores=[0.5, 0.49, 0.9, 0.5, 0.0, 0.123, 0.7], alternatives=[labels + 1],
    )  # fmt: skip
    # By their score from 0.5 on; equal scores by the distance.
    assert scored["odd_rows"] == [13, 17, 14, 11]
    assert scored["outlier"] == [0.5, 0.49, 0.9, 0.5, 0.0, 0.12, 0.7]
    assert scored["name"] == list("abcdefg")
    assert scored["alternatives"] == [[1, 1, 1, 1, 2, 2, 0]]


def test_rows_with_probabilities():
    chances = np.array([[0.75, 0.15, 0.05, 0.05], [0.81, 0.1, 0.05, 0.04], [0.3, 0.3, 0.2, 0.2]])
    membership = SimpleNamespace(
        probabilities=np.vstack([chances, [[1.0 + 1e-9, 0, 0, 0]]]),
        clusters=np.tile([2, 0, 1, 3], (4, 1)),
    )
    labels = np.array([0, 0, 1, -1])
    found = describe_rows(
        labels, sureness([0.5] * 4, [1.0] * 4), [], row_numbers=np.arange(4), membership=membership
    )
    # A fifth of doubt and more, the most doubtful first; a row in no cluster has none.
    assert found["doubtful"] == [2, 0]
    assert found["clusters"] == [[2, 0, 1]] * 4
    assert found["chances"][0] == [0.75, 0.15, 0.05]
    assert found["chances"][3] == [1.0, 0.0, 0.0]


def test_nine_rows_are_too_many_to_list():
    measured = sureness([-0.5] * 9, [2.0] * 9)
    found = describe_rows(np.zeros(9, int), measured, [], row_numbers=np.arange(9))
    assert found["doubtful"] == found["odd_rows"] == list(range(8))
    assert found["typical"] == [{"label": 0, "rows": [0, 1, 2]}]


@pytest.mark.parametrize(
    ("n_rows", "n_columns"), [(10, 40), (3000, 40), (3001, 39), (29_999, 4), (40_000, 4)]
)
def test_as_many_columns_as_a_page_can_hold(monkeypatch, n_rows, n_columns):
    # 120,000 values, but four columns at least and forty at most.
    from weft.reporting import rowwise

    monkeypatch.setattr(rowwise, "sample", lambda labels, most: np.arange(min(len(labels), 30_000)))
    views = [ColumnView(f"c{j}", "number", np.zeros(n_rows)) for j in range(45)]
    monkeypatch.setattr(rowwise, "cell", lambda column, value: 0)
    short = [view._replace(values=view.values) for view in views]
    found = describe_rows(
        np.zeros(n_rows, int), sureness(np.zeros(n_rows), np.zeros(n_rows)), short,
        row_numbers=np.arange(n_rows),
    )  # fmt: skip
    assert len(found["columns"]) == len(found["values"]) == n_columns


# Markers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_clusters", "each"), [(2, 40), (5, 40), (8, 25), (40, 5), (50, 5)])
def test_how_many_markers_of_a_cluster_are_listed(monkeypatch, n_clusters, each):
    labels = np.arange(200) % n_clusters

    def marker_columns(values, given, **options):
        assert options == {"counts": True, "feature_names": ["a"]}
        clusters = np.repeat(np.arange(n_clusters), 60)
        rows = [{"cluster": int(k), "rank": j % 60} for j, k in enumerate(clusters)]

        class Found:
            def __init__(self):
                self.clusters = clusters
                self.columns = np.zeros(len(rows), dtype=int)

            def __len__(self):
                return len(rows)

            def rows(self):
                return iter(rows)

        return Found()

    monkeypatch.setattr(marking, "marker_columns", marker_columns)
    found = list_markers(np.full((200, 1), 0.5), ["a"], labels, counts=True)
    assert [(one["cluster"], one["rank"]) for one in found] == [
        (k, rank) for k in range(n_clusters) for rank in range(each)
    ]


def test_shares_of_markers_are_not_below_0():
    # Centring a column of 0 and 1 leaves a little more or less than the share of 0.
    labels = np.repeat([0, 1, 2], 21)
    level = (labels == 1) & (np.arange(63) % 3 > 0)
    rows = list_markers(np.column_stack([level, labels * 9.0]), ["a", "b"], labels, counts=False)
    shares = {
        row["cluster"]: (row["mean"], row["rest_mean"]) for row in rows if row["feature"] == "a"
    }
    assert shares[0] == (0.0, pytest.approx(1 / 3))
    assert shares[1] == (pytest.approx(2 / 3), 0.0)


def test_markers_need_two_clusters_and_four_rows(monkeypatch):
    asked = []

    def stop(values, labels, **options):
        asked.append((len(values), len(labels)))
        raise KeyError

    monkeypatch.setattr(marking, "marker_columns", stop)
    values = np.zeros((4, 1))
    assert list_markers(values, ["a"], np.array([0, 0, 0, -1]), counts=False) == []
    assert list_markers(values[:3], ["a"], np.array([0, 1, 0]), counts=False) == []
    for cells, expected in ((4000, (1000, 1000)), (2000, (500, 500)), (400, (200, 200))):
        monkeypatch.setattr(marking, "MOST_CELLS", cells)
        with pytest.raises(KeyError):
            list_markers(np.zeros((1000, 4)), ["a"] * 4, np.arange(1000) % 2, counts=False)
        assert asked[-1] == expected
    with pytest.raises(KeyError):
        list_markers(values, ["a"], np.array([0, 1, 0, 1]), counts=False)


# Space --------------------------------------------------------------------------------------------


def test_directions_by_hand():
    centred = np.array([[3.0, 0.0], [-3.0, 1.0], [0.0, -1.0]])
    flat, share = _two_directions(centred, float((centred**2).sum()))
    np.testing.assert_allclose(flat @ flat.T, centred @ centred.T, atol=1e-12)
    assert sum(share) == pytest.approx(1.0)
    largest = np.abs(flat).argmax(axis=0)
    assert (flat[largest, [0, 1]] > 0).all()
    one, share = _two_directions(np.array([[2.0], [-2.0]]), 8.0)
    assert (one.tolist(), share) == ([[2.0, 0.0], [-2.0, 0.0]], [1.0, 0.0])
    wide = np.random.default_rng(0).normal(size=(120, 130)) * np.append(
        [9.0, 5.0], np.full(128, 0.01)
    )
    wide -= wide.mean(axis=0)
    flat, share = _two_directions(wide, float((wide**2).sum()))
    values = np.linalg.svd(wide, compute_uv=False)
    np.testing.assert_allclose(share, values[:2] ** 2 / (values**2).sum(), rtol=1e-6)


def test_axes_do_not_depend_on_the_origin():
    rows = np.random.default_rng(0).normal(size=(40, 12)) * np.arange(12, 0, -1)
    found, moved = (np.abs(_principal(each, 2)) for each in (rows, rows + 9.0))
    np.testing.assert_allclose(found, moved, atol=1e-6)
    assert (found.std(axis=0) > 1.0).all()


def test_the_smallest_map(monkeypatch):
    rows = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]])
    metric = Metric(np.array([0]), np.array([0.25]))
    told = facts(labels=np.array([0, 1, 0]))
    numbers, every = np.array([7, 8, 9]), np.arange(2)

    def drawn(metric, rows, told):
        return draw_map(metric, rows, rows, told, every, numbers)

    assert drawn(metric, rows, told) == {
        "x": [-0.25, 0.0, 0.25], "y": [0.0] * 3, "label": [0, 1, 0], "row": [7, 8, 9],
        "explained": [1.0, 0.0], "n_rows": 3, "features": ["a", "b"], "values": rows.tolist(),
    }  # fmt: skip
    assert drawn(metric, rows[:2], facts(labels=np.zeros(2, int))) is None
    assert drawn(Metric(np.array([], int), np.array([])), rows, told) is None
    assert drawn(metric, rows * 0.0, told) is None
    monkeypatch.setattr(space, "neighbour_map", lambda learned, labels: ([1.0], [2.0]))
    found = drawn(metric, rows, told)
    assert (found["near_x"], found["near_y"]) == ([1.0], [2.0])


def test_a_gap_is_a_gap_on_the_map():
    # The map itself is drawn with the mean of the column, 4.5 here.
    X = np.array([[1.0, 9.0], [2.0, 8.0], [8.0, 1.0], [np.nan, 2.0], [7.0, 3.0]])
    made = weft.report(X, [0, 0, 1, 1, 1])
    named = dict(
        zip(
            made.summary["map"]["features"],
            zip(*made.summary["map"]["values"], strict=True),
            strict=True,
        )
    )
    assert named["x0"] == (1.0, 2.0, 8.0, None, 7.0)


def test_silhouettes_need_two_clusters_and_a_third_row():
    def drawn(labels, sure):
        measured = SimpleNamespace(sampled=np.arange(len(labels)), sure=np.array(sure))
        return draw_silhouette(measured, np.array(labels))

    assert drawn([0, 1], [0.5, 0.5]) is None
    assert drawn([0, 0, 0], [0.5] * 3) is None
    assert drawn([0, 1, 1], [0.5, np.nan, 0.5]) is None
    assert drawn([3, 1, 1, -1], [0.0, 0.5, 0.12345, np.nan]) == {
        "labels": [1, 3], "widths": [[0.5, 0.1235], [0.0]],
        "mean": pytest.approx(0.62345 / 3), "negative": 0.0, "n_rows": 3, "n_rows_all": 3,
    }  # fmt: skip


def test_thirty_axes_are_embedded(monkeypatch):
    seen = []

    class Flat:
        def __init__(self, **options):
            self.options = options

        def fit_transform(self, rows):
            seen.append((rows.shape, self.options["perplexity"]))
            return rows[:, :2] * (np.nan if rows.shape[1] == 3 else 1.0)

    monkeypatch.setattr(space, "TSNE", Flat)
    monkeypatch.setattr(space, "N_NEIGHBOUR_MAP", 150)
    rows = np.random.default_rng(0).normal(size=(200, 31))
    x, y = neighbour_map(rows, np.zeros(200, int))
    assert sum(value is None for value in x) == sum(value is None for value in y) == 50
    assert neighbour_map(rows[:60, :30], np.zeros(60, int)) is not None
    assert neighbour_map(rows[:60, :3], np.zeros(60, int)) is None  # not finite
    assert seen == [((150, 30), 30.0), ((60, 30), 59 / 3), ((60, 3), 59 / 3)]


def test_samples_of_many_clusters():
    labels = np.arange(90) % 30
    # 20 of 90 rows, at least one of each of 30 clusters: 30 are not more than twice as many.
    assert np.bincount(labels[sample(labels, 20)]).tolist() == [1] * 30
    # One of each would be more than 28: every third of the 30.
    assert len(sample(labels, 14)) == 10
    assert len(sample(labels, 15)) == 30


def test_distances_that_are_all_0():
    found = measure_sureness(np.zeros((3, 2)), np.array([0, 1, 1]))
    assert found.odd.tolist() == [1.0] * 3
    assert found.sampled.tolist() == [0, 1, 2]
