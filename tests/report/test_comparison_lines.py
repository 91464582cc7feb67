"""The first lines of a comparison: counts and shares by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import weft
from weft.answers.comparing import Side, WeightChange, compare_sides
from weft.reporting.comparison import _headlines, _match_lines, _weight_lines


def test_the_share_of_rows_that_moved():
    # Four of five rows of cluster 0 stay together; one of eight rows moves.
    lines = _headlines(weft.compare([0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]))
    assert lines[0] == "the first: 2 clusters; the second: 2 clusters; 8 rows."
    assert lines[2] == "1 row moved to another cluster (12%)."
    same = _headlines(weft.compare([0, 0, 0], [1, 1, 1]))
    assert same[0] == "the first: 1 cluster; the second: 1 cluster; 3 rows."
    assert same[2] == "0 rows moved to another cluster (0%)."


def test_not_all_rows_and_not_no_row_moved():
    # One of 20,000 rows is 0.005 %; the clusters overlap in all rows but this one.
    labels = np.repeat([0, 1], 10_000)
    other = np.r_[labels[:-1], 0]
    done = weft.compare(labels, other)
    assert _headlines(done)[2] == "1 row moved to another cluster (<0.1%)."
    assert [line.split("overlap ")[1] for line in _match_lines(done)] == [">99.9%)"] * 2


def test_long_lists_say_that_they_are_cut():
    # 15 clusters of one row each, and 14 columns whose shares change by at least a half percent.
    done = weft.compare(np.arange(15), np.arange(15))
    assert _match_lines(done)[0] == "  0 → 0: 1 row in both, of 1 and of 1 (overlap 100%)"
    assert _match_lines(done)[12:] == ["  … and 3 more"]
    weights = tuple(WeightChange(f"x{j}", 0.25, 0.5) for j in range(14))
    lines = _weight_lines(SimpleNamespace(result=SimpleNamespace(weights=weights)))
    assert lines[13:] == ["  x11: 25.0% → 50.0%", "  … and 2 more"]


def test_clusters_and_their_partners():
    # Cluster 0 is part of cluster 5, which shares fewer rows with cluster 1.
    first = Side("a", np.array([0, 0, 0, 0, 1, 1]), names={0: "old"})
    second = Side("b", np.array([5, 5, 5, 5, 5, 5]), names={})
    done = SimpleNamespace(first=first, second=second, result=compare_sides(first, second))
    pair, alone = _match_lines(done)
    assert pair == "  0 → 5: 4 rows in both, of 4 and of 6 (overlap 67%), old"
    assert alone.startswith("  cluster 1 of a has no ")
    turned = SimpleNamespace(first=second, second=first, result=compare_sides(second, first))
    pair, alone = _match_lines(turned)
    assert pair == "  5 → 0: 4 rows in both, of 6 and of 4 (overlap 67%), old"
    assert alone.startswith("  cluster 1 of a has no ")


def test_weights_that_changed():
    def lines(*changes):
        weights = tuple(WeightChange(*each) for each in changes)
        return _weight_lines(SimpleNamespace(result=SimpleNamespace(weights=weights)))

    assert lines() == []
    assert lines(("a", 0.5, 0.5)) == ["", "The weights of the columns are the same."]
    assert lines(("a", 0.5, 0.504)) == [
        *("", "No column's share of all weight changed by 0.5 percentage points or more.")
    ]
    assert lines(("a", 0.5, 0.505), ("b", 0.25, 0.75))[1:] == [
        "Weights that changed (share of all weight):",
        "  a: 50.0% → 50.5%",
        "  b: 25.0% → 75.0%",
    ]
    assert lines(("a", None, 0.25))[2] == "  a: not there → 25.0%"
