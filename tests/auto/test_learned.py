"""What AutoCluster says of its answer, and values put back into the order of the table."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.auto.alternatives import Alternative
from weft.auto.learned import (
    _how_alike,
    _own_reasons,
    _used_columns,
    in_given_order,
    nearest_anchors,
    verdict_of,
)
from weft.auto.search import Answer, Partition
from weft.columns.screening import Screening


def answer(method="kmeans", *, verdict=None, alternatives=(), caution="", cut_short_by=""):
    mask = np.array([True, False, True])
    screening = Screening(mask, ~mask, np.zeros(3, dtype=int), np.zeros(3))
    partition = Partition(
        np.zeros(30, dtype=int), mask, screening, 0.5, method, verdict, caution=caution
    )
    rows = np.arange(30)
    return Answer(
        rows, np.zeros(30, dtype=int), partition, mask.astype(float), list(alternatives), [],
        cut_short_by,
    )  # fmt: skip


def learned(n_rows=30, **changes):
    found = {
        "feature_weights_": np.array([0.5, 0.0, 1.0]),
        "confidence_": 0.875,
        "labels_": np.zeros(n_rows, dtype=int),
        "n_clusters_": 3,
        "stability_": 0.75,
    }
    return {**found, **changes}


def test_clusters_and_how_sure_they_are():
    said = "3 clusters from 2 of 3 columns; the probability that they are right is about 88%."
    assert verdict_of(answer(), learned(), False) == said
    repeated = (
        f"{said} Repeating the search on 70% of the rows gives similar clusters (adjusted Rand "
        "index 0.75)."
    )
    assert verdict_of(answer(), learned(), True) == repeated
    for n_rows, words in ((714, "70% of the rows"), (1_000_000, "500 of the 1,000,000 rows")):
        text = verdict_of(answer(), learned(n_rows), True)
        assert f"Repeating the search on {words} gives similar" in text
    # A sure answer whose repeats disagree: "but" from .8 and below .7 on.
    for confidence, stability, has_but in (
        (0.8, 0.69, True),
        (0.79, 0.69, False),
        (0.8, 0.7, False),
    ):
        text = verdict_of(answer(), learned(confidence_=confidence, stability_=stability), True)
        assert ("But repeating the search" in text) == has_but
    careful = answer(caution="rows repeat", cut_short_by="the time limit")
    assert verdict_of(careful, learned(), False) == (
        f"Caution: rows repeat. {said} Repeats were left out because of the time limit."
    )
    # Coordinates 0 and 2 are of one source column.
    one = verdict_of(answer(), learned(), False, np.array([0, 1, 0]))
    assert one.startswith("3 clusters from 1 of 2 columns;")


def test_no_clusters_and_why():
    none = answer("")
    assert verdict_of(none, learned(3), False) == ("No clusters found: 3 rows are too few to tell.")
    assert verdict_of(none, learned(), False) == (
        "No clusters found: none of the 3 columns can be clustered."
    )
    judged = answer("", verdict=SimpleNamespace())
    assert verdict_of(judged, learned(), False) == (
        "No clusters found: the 3 columns look like one cloud (probability 88%)."
    )
    weak = [Alternative(0.0, k, np.zeros(30, dtype=int), "m") for k in (1, 4)]
    said = verdict_of(answer("", alternatives=weak), learned(), False)
    assert said.startswith("No clusters found: columns depend on each other")
    assert said.endswith("answer 2 is a weak one of 4 clusters.")
    judged = answer("", verdict=SimpleNamespace(), alternatives=weak)
    assert verdict_of(judged, learned(), False) == (
        "No clusters found: the 3 columns look like one cloud (probability 88%); answer 2 is a "
        "weak one of 4 clusters."
    )


@pytest.mark.parametrize(
    ("stability", "words"),
    [
        (1.0, "nearly the same"),
        (0.9, "nearly the same"),
        (0.89, "similar"),
        (0.7, "similar"),
        (0.69, "rather different"),
        (-0.5, "rather different"),
    ],
)
def test_how_alike_repeats_are(stability, words):
    assert _how_alike(stability) == words


def test_values_go_back_to_where_the_table_has_them():
    # Position 0 of the canonical order is column 2 of the table.
    order = np.array([2, 0, 1])
    assert in_given_order(np.array([10, 20, 30]), order).tolist() == [20, 30, 10]
    two = np.array([[10, 20, 30], [1, 2, 3]])
    assert in_given_order(two, order).tolist() == [[20, 30, 10], [2, 3, 1]]


def test_columns_that_answers_use():
    # Position 0 of the canonical order is column 2 of the table. The last position is constant.
    given = SimpleNamespace(
        columns=np.array([2, 0, 1]), table=np.array([[1.0, 2.0, 5.0], [3.0, 4.0, 5.0]])
    )
    kept = np.array([True, False, False])
    assert _used_columns(given, answer(), kept).tolist() == [0]
    # Weak answers: columns that the screening kept, or else all dependent ones, or all that vary.
    none = np.zeros(3, dtype=bool)
    for own_kept, dependent, used in (
        ([False, True, False], [True, True, False], [0]),
        (none, [True, False, False], [2]),
        (none, none, [0, 2]),
    ):
        screening = Screening(
            np.array(own_kept), np.array(dependent), np.zeros(3, dtype=int), np.zeros(3)
        )
        weak = answer("")
        weak = weak._replace(partition=weak.partition._replace(screening=screening))
        assert _used_columns(given, weak, none).tolist() == used
    constant = SimpleNamespace(columns=given.columns, table=np.ones((2, 3)))
    assert _used_columns(constant, weak, none).tolist() == []


def test_reasons_of_the_method_that_won():
    own = SimpleNamespace(method="kmeans", reasons={"for": ["a"], "against": []})
    other = SimpleNamespace(method="ward", reasons={"for": ["b"], "against": []})
    chosen = answer()._replace(by_number=[other, own])
    assert _own_reasons(chosen)["for"] == ["a"]
    assert _own_reasons(answer()) == {"for": [], "against": []}


def test_nearest_anchors_in_the_metric():
    anchors = np.array([[0.0, 0.0], [10.0, 1.0]])
    rows = np.array([[6.0, 0.0]])
    assert nearest_anchors(rows, anchors, np.array([1.0, 1.0])).tolist() == [1]
    # The second column counts a hundred times, the first a tenth.
    assert nearest_anchors(rows, anchors, np.array([0.1, 100.0])).tolist() == [0]
