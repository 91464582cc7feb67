"""Each caution: the case just inside it, and the case just outside."""

from __future__ import annotations

import numpy as np
import pytest

from weft.reporting.cautions import cautions
from weft.reporting.facts import Facts


def _facts(sizes, **changes):
    """Facts of clusters of these sizes (-1 of them: rows in no cluster come by `noise`)."""
    noise = changes.pop("noise", 0)
    labels = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.full(noise, -1)])
    n_features = changes.pop("n_features", 2)
    facts = Facts(
        labels=labels.astype(int),
        n_clusters=len(sizes),
        names=[f"x{j}" for j in range(n_features)],
        weights=np.ones(n_features),
        has_weights=False,
        selected=np.ones(n_features, dtype=bool),
        exponents=None,
        cluster_weights=None,
        history={},
        fitness=None,
        n_iter=None,
        params={},
    )
    return facts._replace(**changes)


def _said(facts, rows=None, columns=None):
    return " | ".join(cautions(facts, rows, columns))


def test_three_groups_of_equal_size_need_no_caution():
    assert cautions(_facts([10, 10, 10]), None, None) == []


@pytest.mark.parametrize(
    ("sizes", "changes", "words"),
    [
        ([30], {}, "found no clustering"),
        ([30], {"verdict": "none"}, ""),
        ([30], {"are_measured": True}, "fewer than two clusters"),
        ([15, 15], {"are_measured": True}, ""),
        ([15, 15], {"verdict": "two"}, ""),
        ([15, 15], {}, "Only two clusters"),
        ([15, 15], {"params": {"n_clusters": 2}}, ""),
        ([10, 10, 10], {"fitness": -np.inf}, "found no clustering"),
        ([10, 10, 10], {"fitness": 0.5}, ""),
        # 95 of 100 rows in one of three clusters; with four the rest may be groups.
        ([95, 3, 2], {}, "One cluster holds 95% of the rows"),
        ([94, 3, 3], {}, ""),
        ([95, 2, 2, 2], {}, ""),
        ([95, 3, 2], {"noise": 100}, "One cluster holds 48% of the rows"),
        ([95, 3, 2], {"verdict": "three"}, ""),  # the verdict says how sure it is
        # More than a third as many clusters as rows.
        ([3, 3, 3, 2], {}, "4 clusters for 11 rows"),
        ([3, 3, 3, 3], {}, ""),
        ([11, 1, 10], {}, "One cluster holds a single row"),
        ([11, 1, 10, 1], {}, "2 clusters hold a single row"),
        ([1, 2, 2, 2], {}, "4 clusters for 7 rows: most are too small to be meaningful."),
        ([10, 10, 10], {"params": {"max_clusters": 3}}, "the maximum allowed (max_clusters=3)"),
        ([10, 10, 10], {"params": {"max_clusters": 4}}, ""),
        ([10, 10, 10], {"params": {"min_clusters": 3}}, "the minimum allowed (min_clusters=3)"),
        ([10, 10, 10], {"params": {"min_clusters": 2}}, ""),
        ([10, 10, 10], {"noise": 31}, "31 of 61 rows are in no cluster."),
        ([10, 10, 10], {"noise": 30}, ""),
    ],
)
def test_cautions_about_clusters(sizes, changes, words):
    said = _said(_facts(sizes, **changes))
    assert words in said if words else said == ""
    assert said.count(" | ") == 0


def test_cautions_about_a_sample():
    facts = _facts([400, 400, 400], n_searched=1_000)
    assert _said(facts).startswith("The search ran on 1,000 of 1,200 rows;")
    assert "Another sample" not in _said(facts)
    assert "depends on the sample" in _said(facts._replace(agreement=0.79))
    steady = _said(facts._replace(agreement=0.8))
    assert "clustered in the same metric, is 0.80" in steady
    assert "depends on the sample" not in steady


@pytest.mark.parametrize(
    ("weights", "selected", "words"),
    [
        ([1.0, 1.0, 0.95], [True] * 3, "All weights are about equal"),
        ([1.0, 1.0, 0.9], [True] * 3, ""),
        ([1.0, 1.0, 1.0], [True, True, False], ""),
        ([1.0, 1.0], [True] * 2, ""),  # of two columns equal weights are no surprise
        ([0.0, 0.0, 0.0], [False] * 3, "No feature was selected."),
    ],
)
def test_cautions_about_features(weights, selected, words):
    facts = _facts([9, 9, 9], n_features=len(weights))._replace(
        weights=np.array(weights), selected=np.array(selected), has_weights=True
    )
    said = _said(facts)
    assert words in said if words else said == ""
    assert _said(facts._replace(has_weights=False)) == ""
    assert _said(facts._replace(verdict="said")) == ""
    assert _said(facts._replace(are_measured=True)) == ""


def test_cautions_about_units():
    # Deviations 30 and 1 (±30 and ±1), in columns 2 and 0 of the table.
    rows = np.tile([[30.0, 1.0], [-30.0, -1.0]], (15, 1))
    facts, columns = _facts([10, 10, 10], n_features=3), np.array([2, 0])
    said = _said(facts, rows, columns)
    assert said.startswith("The columns were not scaled: 'x2' varies 30 times as much as 'x0'")
    assert _said(facts, rows * [0.99, 1.0], columns) == ""
    assert _said(facts, rows, None) == ""
    assert _said(facts, None, columns) == ""
    assert _said(facts._replace(params={"scale": True}), rows, columns) == ""
    assert _said(facts._replace(verdict="said"), rows, columns) == ""
    # A column that does not vary, or was not selected, is not compared.
    assert _said(facts, rows * [1.0, 0.0], columns) == ""
    assert _said(facts._replace(selected=np.array([False, True, True])), rows, columns) == ""
    # Deviations well below 1 are deviations as well, and gaps are left out.
    assert _said(facts, rows / 1e3, columns) == said
    gap = rows.copy()
    gap[:2] = np.nan
    assert _said(facts, gap, columns) == said


def test_cautions_about_the_search():
    facts = _facts([10, 10, 10])
    for best, words in (([1.0, 1.0], "never improved"), ([1.0, 2.0], ""), ([1.0], "")):
        said = _said(facts._replace(history={"best_fitness": np.array(best)}))
        assert words in said if words else said == ""
