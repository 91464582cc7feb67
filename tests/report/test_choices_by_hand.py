"""Candidates, the walk from coarse to fine, other answers, distributions and strengths, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.report.test_cautions import _facts

from weft.answers.views import ColumnView
from weft.reporting import apart
from weft.reporting.apart import _compare, _largest, set_apart
from weft.reporting.cautions import cautions
from weft.reporting.choices import (
    CHOSEN_BY_USER,
    _contingency,
    describe_alternatives,
    describe_candidates,
    describe_walk,
)
from weft.reporting.distributions import _bins, _levels, cell, distribution

TWO = np.array([0, 0, 0, 0, 1, 1])
THREE = np.array([0, 0, 1, 1, 2, 2])
FOUR = np.array([0, 1, 2, 2, 3, 3])


def candidate(labels, quality, **more):
    return {
        "labels": labels, "n_clusters": len(np.unique(labels[labels >= 0])), "quality": quality,
        "method": "m", "n_candidates": 5, "reasons": "r", "measures": {"a": 1}, "behind": "b",
        **more,
    }  # fmt: skip


def entry(n_clusters, quality, behind, is_answer=False):
    return {
        "n_clusters": n_clusters, "quality": quality, "method": "m", "n_candidates": 5,
        "reasons": "r", "measures": {"a": 1}, "behind": behind, "is_answer": is_answer,
    }  # fmt: skip


def test_candidates_beside_the_first_answer():
    all_of_them = [candidate(TWO, -1.0), candidate(THREE, 0.0), candidate(FOUR, 0.5)]
    whole = [entry(2, -1.0, "b"), entry(3, 0.0, "", True), entry(4, 0.5, "b")]
    others = [all_of_them[1], all_of_them[0]]
    assert describe_candidates(all_of_them, others, THREE) == whole
    assert describe_candidates(all_of_them, [], THREE) == whole
    # The answer may label rows differently from its candidate; rows in no cluster do not count.
    changed = np.array([-1, 0, 1, 1, 2, 2])
    assert describe_candidates(all_of_them, [], changed) == whole
    del all_of_them[0]["behind"]
    assert describe_candidates(all_of_them[:1], [], THREE) == [entry(2, -1.0, "")]


def test_candidates_beside_an_answer_that_the_user_chose():
    candidates = [candidate(TWO, -1.0), candidate(THREE, 0.0), candidate(FOUR, -2.0)]
    equal = candidate(TWO[::-1].copy(), -1.0)
    shown = describe_candidates([*candidates, equal], [candidates[1], candidates[0]], TWO)
    # Not less than the score of the answer that is shown: the user chose another one.
    assert shown == [
        entry(2, -1.0, "", True), entry(3, 0.0, CHOSEN_BY_USER), entry(4, -2.0, "b"),
        entry(2, -1.0, CHOSEN_BY_USER),
    ]  # fmt: skip


def test_a_walk_needs_two_numbers_and_two_clusters():
    two, three = candidate(TWO, 0.0), candidate(THREE, 0.0)
    assert describe_walk([two], TWO) is None
    assert describe_walk([two, three], np.zeros(6, dtype=int)) is None
    assert describe_walk([two, three], TWO) == {
        "levels": [
            {"n_clusters": 2, "sizes": [4, 2], "like": [0, 1]},
            {"n_clusters": 3, "sizes": [2, 2, 2], "like": [0, 0, 1]},
        ],
        "links": [[[0, 0, 2], [0, 1, 2], [1, 2, 2]]],
    }
    # On the level of the answer its own labels are drawn.
    mine = np.array([1, 1, 1, 0, 0, 0])
    assert describe_walk([two, three], mine)["levels"][0]["sizes"] == [3, 3]


def test_the_levels_of_a_walk():
    n = 40
    every = [candidate(np.arange(n) % k, 0.0) for k in range(2, 15)]
    walk = describe_walk(every[::-1], np.arange(n) % 4)
    # The seven nearest to four clusters; at the same distance the first of those given.
    assert [level["n_clusters"] for level in walk["levels"]] == [2, 3, 4, 5, 6, 7, 8]
    # A level has twelve clusters at most, or as many as the answer.
    walk = describe_walk(every, np.arange(n) % 11)
    assert [level["n_clusters"] for level in walk["levels"]] == [6, 7, 8, 9, 10, 11, 12]
    walk = describe_walk(every, np.arange(n) % 14)
    assert [level["n_clusters"] for level in walk["levels"]] == [8, 9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize(("n_moved", "n_links"), [(5, 2), (6, 3)])
def test_links_of_few_rows_are_not_drawn(n_moved, n_links):
    # 0.5 % of 1000 rows are five; a link has more.
    coarse = np.repeat([0, 1], 500)
    fine = coarse.copy()
    fine[:n_moved] = 2
    walk = describe_walk([candidate(coarse, 0.0), candidate(fine, 0.0)], coarse)
    assert len(walk["links"][0]) == n_links


def test_other_answers_whole():
    found = describe_alternatives([candidate(THREE, np.nan), candidate(TWO, -0.5)], TWO)
    assert found == [
        {
            "number": 1, "n_clusters": 3, "method": "m", "quality": None, "is_answer": False,
            "agreement": adjusted_rand_score(TWO, THREE), "sizes": [2, 2, 2],
            "shared": [[2, 0], [2, 0], [0, 2]],
        },
        {
            "number": 2, "n_clusters": 2, "method": "m", "quality": -0.5, "is_answer": True,
            "agreement": 1.0, "sizes": [4, 2], "shared": [[4, 0], [0, 2]],
        },
    ]  # fmt: skip


def test_rows_in_both():
    a, b = np.array([0, 2, -1, 0, 1]), np.array([1, 0, 1, -1, 0])
    assert _contingency(a, b).tolist() == [[0, 1], [1, 0], [1, 0]]
    assert _contingency(a, np.full(5, -1)).tolist() == [[0], [0], [0]]
    assert _contingency(np.array([], dtype=int), np.array([], dtype=int)).tolist() == [[0]]


# Strengths ----------------------------------------------------------------------------------------


def largest(size, total):
    """χ² / n of a cluster of `size` rows that fills bins one after the other."""
    n, left, inside, outside = sum(total), size, 0.0, 0.0
    for count in total:
        filled = min(left, count)
        left -= filled
        inside += filled**2 / max(count, 1)
        outside += (count - filled) ** 2 / max(count, 1)
    return inside / size + outside / (n - size) - 1.0


@pytest.mark.parametrize(
    "counts",
    [
        [[8, 2, 0], [1, 5, 4], [1, 1, 3]],
        [[3, 0, 0], [1, 5, 4], [1, 0, 3]],
        [[6, 6, 1], [1, 5, 4], [0, 0, 0]],
        [[9, 0], [0, 3], [1, 1]],
        [[5, 0, 3], [5, 0, 4], [0, 0, 0]],
    ],
)
def test_strengths_by_their_definition(counts):
    counts = np.array(counts, dtype=float)
    total, n = counts.sum(axis=0), counts.sum()
    strength, _ = _compare(counts)
    chance = (len(total) - 1) / (n - 1)
    for k, own in enumerate(counts[:-1]):
        size, rest = own.sum(), n - own.sum()
        both = [(own, size), (total - own, rest)]
        expected = [(row, total * part / n) for row, part in both]
        chi = sum(
            (x - e) ** 2 / e
            for row, e_row in expected
            for x, e in zip(row, e_row, strict=True)
            if e
        )
        most = largest(size, total)
        assert _largest(np.array([size]), total, n) == pytest.approx(most)
        v = np.sqrt(max(chi / n - chance, 0.0)) / np.sqrt(max(most - chance, 1e-12))
        assert strength[k] == pytest.approx(min(v, 1.0))


@pytest.mark.parametrize(
    ("n_rows", "n_bins"), [(4, 2), (23, 2), (24, 3), (79, 9), (80, 10), (200, 10)]
)
def test_eight_rows_for_each_bin(monkeypatch, n_rows, n_bins):
    asked = []

    def bin_column(values, n):
        asked.append(n)
        return np.arange(len(values)) % 2

    monkeypatch.setattr(apart, "bin_column", bin_column)
    set_apart(np.zeros((n_rows, 1)), np.arange(n_rows) % 2)
    assert asked == [n_bins]


# Cautions -----------------------------------------------------------------------------------------

SINGLE = "One cluster holds a single row: an outlier rather than a group."


@pytest.mark.parametrize(
    ("sizes", "changes", "sentences"),
    [
        ([3, 3, 2], {"verdict": "v"},
         ["3 clusters for 8 rows: most are too small to be meaningful."]),
        ([190, 3, 3, 3], {}, []),
        ([194, 3, 3], {}, ["One cluster holds 97% of the rows: the other clusters look like "
                           "outliers, not like groups."]),
        ([29, 1], {"params": {"n_clusters": 2}, "verdict": "v"}, [SINGLE]),
        ([1, 3, 4, 4], {}, [SINGLE]),
        ([15, 15], {"params": {"n_clusters": 2, "min_clusters": 2}}, []),
        ([15, 15], {"params": {"n_clusters": 2, "max_clusters": 2}},
         ["2 clusters is the maximum allowed (max_clusters=2): there may be more; raise "
          "max_clusters to find out."]),
        ([10, 10, 10], {"params": {"min_clusters": np.int64(4)}},
         ["3 clusters is the minimum allowed (min_clusters=4): there may be fewer; lower "
          "min_clusters to find out."]),
        ([10, 10, 10], {"params": {"min_clusters": None, "max_clusters": "auto"}}, []),
        ([15, 15], {"params": {"n_clusters": 2}, "fitness": np.nan},
         ["The search found no clustering: no candidate split the rows into at least two "
          "clusters. Try another clusterer, or look at the columns."]),
    ],
)  # fmt: skip
def test_whole_cautions(sizes, changes, sentences):
    assert cautions(_facts(sizes, **changes), None, None) == sentences


# Distributions ------------------------------------------------------------------------------------


def test_levels_of_clusters_without_rows():
    levels = tuple("abcdefghijklm")
    bins, labels = _levels(np.array([12.0, 12.0, 0.0]), levels, np.array([0, 0, 0]), 3)
    # The most frequent first, then the order of the levels; two are counted together.
    assert labels == [*"mabcdefghij", "2 others"]
    assert bins.tolist() == [0, 0, 1]


def test_the_outer_values_do_not_widen_the_bins():
    # 0.5 % and 99.5 % of 0, 0.1, ..., 100 are 0.5 and 99.5; outer bins hold the values outside.
    values = np.arange(1001) / 10.0
    bins, edges = _bins(values, "date")
    np.testing.assert_allclose(edges, np.linspace(0.5, 99.5, 17))
    assert (bins[0], bins[-1], bins[500]) == (0, 15, 8)
    np.testing.assert_array_equal(np.unique(bins), np.arange(16))


def test_bins_of_one_usual_value():
    # Nearly all values are 3: one bin from the least to the largest.
    values = np.append(np.full(999, 3.0), 9.0)
    bins, edges = _bins(values, "date")
    assert edges.tolist() == [2.5, 9.5]
    assert not bins.any()
    bins, edges = _bins(np.empty(0), "number")
    assert (bins.tolist(), edges.tolist()) == ([], [0.0, 1.0])
    whole = _bins(np.array([4.0, 4.0]), "number")[1]
    assert whole.tolist() == [3.5, 4.5]
    assert _bins(np.array([4.0, 5.0]), "number")[1].tolist() == [3.5, 4.5, 5.5]


def test_whole_distributions():
    number = ColumnView("x", "number", np.array([1.0, 2.0, 2.0, np.nan]), unit="cm")
    assert distribution(number, np.array([0, 0, 1, 1]), 2) == {
        "name": "x", "kind": "number", "unit": "cm", "edges": [0.5, 1.5, 2.5],
        "all": [0.333, 0.667], "clusters": [[0.5, 0.5], [0, 1]],
        "typical": [[1.25, 1.5, 1.75], [2, 2, 2]], "missing": 0.25,
    }  # fmt: skip
    level = ColumnView("c", "category", np.array([1.0, 0.0, 1.0, 1.0]), ("a", "b"))
    assert distribution(level, np.array([0, 0, 1, 1]), 3) == {
        "name": "c", "kind": "category", "unit": "", "levels": ["a", "b"],
        "all": [0.25, 0.75], "clusters": [[0.5, 0.5], [0, 1], [0, 0]],
        "typical": ["a", "b", None], "missing": 0,
    }  # fmt: skip
    gaps = distribution(ColumnView("x", "number", np.full(2, np.nan)), np.array([0, 1]), 2)
    assert (gaps["all"], gaps["clusters"], gaps["missing"]) == ([0], [[0], [0]], 1)
    assert gaps["typical"] == [None, None]


def test_cells_in_plain_json():
    number = ColumnView("x", "number", np.zeros(1))
    assert [cell(number, value) for value in (0.123456, 2.0, np.nan)] == [0.1235, 2, None]
    level = ColumnView("c", "category", np.zeros(1), ("a", "b"))
    assert [cell(level, value) for value in (1.0, np.nan)] == [1, None]
    assert cell(ColumnView("d", "date", np.zeros(1)), 31.0) == "1970-02-01"
