"""Orders and seeds: what counts as another answer, and the table that is printed."""

from __future__ import annotations

import numpy as np
import pytest
from bench.unseen.battery import BatterySet

from bench.unseen import steady


@pytest.mark.parametrize(
    ("second", "same"),
    [
        ([1, 1, 0, -1], True),  # other numbers for the same clusters
        ([0, 0, 0, -1], False),  # two clusters are one
        ([0, 1, 2, -1], False),  # one cluster is two
        ([0, 0, 1, 2], False),  # a row without a cluster has one
    ],
)
def test_partitions_are_compared_up_to_the_numbers_of_clusters(second, same):
    assert steady._same_partition(np.array([0, 0, 1, -1]), np.array(second)) is same


def test_each_set_has_its_orders_and_seeds():
    plan = steady.cases(("a", "b"), 2, 3)
    assert len(plan) == 2 * (3 + 3 + 3)
    assert plan[0] == ("a", "rows", 0)
    assert plan[-1] == ("b", "seed", 2)


def test_a_line_counts_orders_with_other_labels_and_compares_seeds():
    one, other = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    found = [
        *[
            (steady.Case("a", "rows", draw), labels, 0.5)
            for draw, labels in enumerate([one, other])
        ],
        *[(steady.Case("a", "columns", draw), one, 0.5) for draw in range(2)],
        (steady.Case("a", "seed", 0), one, 0.4),
        (steady.Case("a", "seed", 1), 1 - one, 0.8),
    ]
    assert steady.summary(found) == [
        {
            "set": "a",
            "rows: other labels": 1,
            "columns: other labels": 0,
            "seeds: mean index": 1.0,
            "confidence": 0.6,
        }
    ]


def test_a_small_run(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 3)), rng.normal(size=(30, 3)) + 12.0])
    monkeypatch.setattr(
        steady.battery, "load", lambda name: BatterySet(name, "made", X, np.zeros((60, 1)))
    )
    text = steady.steady_table(("made",), 1, 2, 1)
    assert "| made | 0 | 0 | 1.0 |" in text
