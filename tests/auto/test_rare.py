"""Rare clusters: found where there is a clump, and not in the tail of a cluster."""

import numpy as np
import pytest

from weft.auto.rare import STEPS, Known, find_rare, has_valley, linked_groups
from weft.auto.rare import Far as FarRows
from weft.auto.rows import RowsInMemory

CENTRES = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]])


def two_clusters(n_rare, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=5000)
    rows = CENTRES[truth] + rng.normal(size=(5000, 3))
    rows[:n_rare] = rng.normal((0.0, 7.0, 0.0), 1.0, size=(n_rare, 3))
    chosen = np.sort(rng.choice(5000, 2000, replace=False))
    return rows, Known(rows[chosen], truth[chosen], np.ones(3)), chosen


def test_thirty_rows_of_five_thousand_are_found_with_their_clustered_rows():
    rows, known, chosen = two_clusters(30)
    (found,) = find_rare(RowsInMemory(rows), known)
    assert len(found.number) >= 25
    assert (found.number < 30).mean() > 0.9
    assert np.isin(chosen[found.anchors], found.number).all()
    np.testing.assert_array_equal(rows[found.number], found.rows)


def test_rows_and_threads_do_not_change_what_is_found(monkeypatch):
    rows, known, _ = two_clusters(30)
    whole = find_rare(RowsInMemory(rows), known)
    monkeypatch.setattr("weft.auto.rows.PART_ROWS", 700)
    parts = find_rare(RowsInMemory(rows, 3), known)
    np.testing.assert_array_equal(whole[0].number, parts[0].number)


def test_rare_clusters_are_those_of_the_metric():
    # Columns in other units, which the metric takes back, and a column that does not count.
    rows, known, _ = two_clusters(30)
    factors = np.array([2.0, 0.5, 4.0])
    noise = 1000.0 * np.random.default_rng(1).normal(size=(5000, 1))
    other = np.hstack([rows / factors, noise])
    chosen = np.flatnonzero(np.isin(rows[:, 0], known.anchors[:, 0]))
    again = Known(other[chosen], known.labels, np.append(factors, 0.0))
    (first,), (second,) = (
        find_rare(RowsInMemory(rows), known),
        find_rare(RowsInMemory(other), again),
    )
    np.testing.assert_array_equal(first.number, second.number)
    np.testing.assert_array_equal(first.anchors, second.anchors)
    np.testing.assert_array_equal(second.rows, other[second.number])


def test_too_few_clustered_rows_or_no_column_have_no_rare_clusters():
    rows, known, _ = two_clusters(30)
    assert find_rare(RowsInMemory(rows), known._replace(metric=np.zeros(3))) == []
    # 200 clustered rows are enough, of which a hundredth is two.
    few = known._replace(anchors=known.anchors[-199:], labels=known.labels[-199:])
    assert find_rare(RowsInMemory(rows), few) == []
    enough = known._replace(anchors=known.anchors[-200:], labels=known.labels[-200:])
    assert len(find_rare(RowsInMemory(rows), enough)) == 1
    # A rare cluster of at least so many rows.
    (found,) = find_rare(RowsInMemory(rows), known)
    assert find_rare(RowsInMemory(rows), known, min_size=len(found.number) + 1) == []
    assert len(find_rare(RowsInMemory(rows), known, min_size=len(found.number))) == 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_tails_of_clusters_are_no_rare_clusters(seed):
    rows, known, _ = two_clusters(0, seed)
    assert find_rare(RowsInMemory(rows), known) == []


def test_a_valley_is_seen_in_the_counts_along_the_way():
    group = [5] * (2 * STEPS)  # 20 rows in a window of 4 steps
    assert has_valley(np.array([90, 60, 30, 2, 1, 1, 1, 2, *group]))
    assert not has_valley(np.array([90, 80, 70, 60, 50, 40, 30, 20, *group]))
    few = [1] * (2 * STEPS)
    assert not has_valley(np.array([90, 60, 30, 0, 0, 0, 0, 0, *few]))


def test_rows_nearer_to_each_other_than_to_the_core_are_one_group():
    # Three rows at distance 10 from the core and 1 from each other; one row alone.
    rows = np.array([[10.0, 0.0], [11.0, 0.0], [10.0, 1.0], [-10.0, 0.0]])
    far = FarRows(np.full(4, 10.0), np.arange(4), rows)
    (group,) = linked_groups(far, np.ones(2), 2)
    assert group.tolist() == [0, 1, 2]
