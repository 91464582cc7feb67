"""What a page knows of single rows, and the markers it lists: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.answers.membership import Membership
from weft.answers.views import ColumnView
from weft.reporting import marking, rowwise
from weft.reporting.marking import list_markers
from weft.reporting.rowwise import N_LISTED, describe_rows
from weft.reporting.sureness import Sureness

LABELS = np.array([0, 0, 0, 0, 1, 1, -1])
MEASURED = Sureness(
    sure=np.array([0.9, 0.1, -0.5, 0.11, 0.456, 0.2, np.nan]),
    next_label=np.array([1, 1, 1, 1, 0, 0, 1]),
    odd=np.array([1.0, 1.499, 1.5, 0.2, 3.0, 1.0, 2.0]),
    to_own=np.array([4.0, 1.0, 2.0, 3.0, 5.0, 0.5, np.inf]),
    sampled=np.arange(7),
)
NUMBERS = np.array([11, 12, 13, 14, 15, 16, 17])
COLUMNS = [
    ColumnView("x", "number", np.array([0.5, 1, 2, 3, 4, 5, np.nan]), unit="cm"),
    ColumnView("c", "category", np.array([0.0, 1, 1, 1, 0, 0, 1]), ("red", "blue")),
]


def described(**options):
    return describe_rows(LABELS, MEASURED, COLUMNS, row_numbers=NUMBERS, **options)


def test_rows_of_a_page_by_hand():
    found = described()
    assert found["n_rows"] == 7
    assert found["row"] == NUMBERS.tolist()
    assert found["label"] == LABELS.tolist()
    assert found["next"] == [1, 1, 1, 1, 0, 0, 1]
    assert found["sure"] == [0.9, 0.1, -0.5, 0.11, 0.46, 0.2, None]
    assert found["odd"] == [1.0, 1.5, 1.5, 0.2, 3.0, 1.0, 2.0]
    assert found["columns"] == [
        {"name": "x", "kind": "number", "unit": "cm", "levels": []},
        {"name": "c", "kind": "category", "unit": "", "levels": ["red", "blue"]},
    ]
    assert found["values"][0][:6] == [0.5, 1, 2, 3, 4, 5]
    # The three rows nearest to their own cluster; a cluster of two has two.
    assert found["typical"] == [
        {"label": 0, "rows": [12, 13, 14]},
        {"label": 1, "rows": [16, 15]},
    ]
    # A row is doubtful up to a silhouette of 0.1, and odd from 1.5 times the usual distance on.
    assert found["doubtful"] == [13, 12]
    assert found["odd_rows"] == [15, 17, 13]
    assert not {"name", "outlier", "clusters", "alternatives"} & set(found)


def test_rows_by_their_probabilities_and_scores():
    chances = np.array([0.9, 0.81, 0.79, 0.85, 0.5, 1.0, 0.1])
    member = Membership(
        np.tile([1, 0, 2, 3], (7, 1)), np.column_stack([chances, *[chances / 3] * 3]), 4
    )
    scores = np.array([0.5, 0.49, 0.7, 0.7, 0.0, 0.7, 1.0])
    found = described(
        membership=member,
        outlier_scores=scores,
        alternatives=[1 - LABELS],
        row_names=list("abcdefg"),
    )
    # Probabilities below 0.8; a row in no cluster is not between two.
    assert found["doubtful"] == [15, 13]
    # Scores from one half on; of equal scores the larger distance comes first.
    assert found["odd_rows"] == [17, 13, 16, 14, 11]
    assert found["outlier"] == [0.5, 0.49, 0.7, 0.7, 0.0, 0.7, 1.0]
    assert found["name"] == list("abcdefg")
    assert found["alternatives"] == [(1 - LABELS).tolist()]
    assert found["clusters"] == [[1, 0, 2]] * 7
    assert found["chances"][2] == [0.79, 0.263, 0.263]
    # Rounding in float32 may give a little more than 1.
    over = member._replace(probabilities=np.full((7, 4), 1.0000001))
    assert described(membership=over)["chances"][0] == [1.0, 1.0, 1.0]


def test_doubt_of_one_fifth_is_enough():
    chances = np.array([0.75, 0.875, 0.5, 1.0, 1.0, 1.0, 1.0])
    member = Membership(np.zeros((7, 1), dtype=int), chances[:, None], 2)
    assert described(membership=member)["doubtful"] == [13, 11]


def test_lists_of_rows_are_short():
    n = 30
    measured = Sureness(
        *(np.full(n, -1.0), np.zeros(n, dtype=int), np.full(n, 9.0), np.arange(n, 0.0, -1.0)),
        np.arange(n),
    )
    found = describe_rows(
        np.zeros(n, dtype=int), measured, COLUMNS[:0], row_numbers=np.arange(n, 0, -1)
    )
    # Of equal rows those with the smallest numbers, however they are sorted.
    assert found["odd_rows"] == found["doubtful"] == list(range(1, N_LISTED + 1))
    assert found["typical"] == [{"label": 0, "rows": [1, 2, 3]}]


@pytest.mark.parametrize(("n_cells", "n_columns"), [(35, 5), (36, 5), (7, 4), (10**6, 40)])
def test_as_many_columns_as_there_is_room_for(n_cells, n_columns, monkeypatch):
    # Seven rows: 35 cells are five columns. Four at least, and 40 at most.
    monkeypatch.setattr(rowwise, "N_CELLS", n_cells)
    found = describe_rows(LABELS, MEASURED, COLUMNS * 25, row_numbers=NUMBERS)
    assert len(found["columns"]) == len(found["values"]) == n_columns


def test_rows_of_a_large_table_are_sampled(monkeypatch):
    monkeypatch.setattr(rowwise, "N_ROWS", 3)
    found = described()
    # 3 of 7 rows: 2 of the first cluster, 1 of the second, 1 of none.
    assert found["n_rows"] == 7
    assert len(found["row"]) == len(found["values"][0]) == 4
    assert sorted(found["label"]) == [-1, 0, 0, 1]


# Markers ------------------------------------------------------------------------------------------


def two_groups(n=60, n_columns=50):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, n_columns)) + 3.0 * labels[:, None], labels


def test_markers_are_listed_for_each_cluster():
    values, labels = two_groups()
    names = [f"g{j}" for j in range(50)]
    found = list_markers(values, names, labels, counts=False)
    # Every column is a marker of both clusters; at most 40 are listed of each, the first ones.
    assert [row["cluster"] for row in found] == [0] * 40 + [1] * 40
    assert {row["direction"] for row in found} == {"lower", "higher"}
    strengths = [abs(row["effect"]) for row in found[:40]]
    assert strengths == sorted(strengths, reverse=True)


def test_many_clusters_have_few_markers_each(monkeypatch):
    values, labels = two_groups()
    names = [f"g{j}" for j in range(50)]
    # 30 for two clusters are 15 each; five at least.
    for most, each in ((30, 15), (2, 5)):
        monkeypatch.setattr(marking, "MOST_LISTED", most)
        found = list_markers(values, names, labels, counts=False)
        assert [row["cluster"] for row in found] == [0] * each + [1] * each


def test_no_markers_of_one_cluster_or_of_three_rows():
    values, labels = two_groups()
    names = [f"g{j}" for j in range(50)]
    assert list_markers(values, names, np.zeros(60, dtype=int), counts=False) == []
    assert list_markers(values, names, np.where(labels == 0, 0, -1), counts=False) == []
    assert list_markers(values[27:30], names, np.array([0, 0, 1]), counts=False) == []


def test_markers_of_a_large_table_are_those_of_a_sample(monkeypatch):
    values, labels = two_groups(600, 4)
    seen = []

    def markers(table, own, **options):
        seen.append((table.shape, np.bincount(own).tolist(), options["counts"]))
        return real(table, own, **options)

    real = marking.marker_columns
    monkeypatch.setattr(marking, "marker_columns", markers)
    for most in (2400, 1600):
        monkeypatch.setattr(marking, "MOST_CELLS", most)
        list_markers(values, list("abcd"), labels, counts=False)
    list_markers(np.round(np.abs(values)), list("abcd"), labels, counts=True)
    # 2,400 cells are as many as there may be. 1,600 cells are 400 rows of four columns.
    shapes = [shape for shape, _, _ in seen]
    assert shapes[:2] == [(600, 4), (400, 4)]
    assert seen[1][1] == [200, 200]
    assert [counts for _, _, counts in seen] == [False, False, True]
    # 200 rows at least.
    monkeypatch.setattr(marking, "MOST_CELLS", 40)
    list_markers(values, list("abcd"), labels, counts=False)
    assert seen[-1][0] == (200, 4)
