"""Columns that depend on each other share a group: by hand, from given scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from weft.columns.mixed import screening
from weft.columns.mixed.screening import PAIR_LEVEL, group_sources


def groups(monkeypatch, n_sources, pairs, score, dependent=None):
    scores = np.zeros((n_sources, n_sources))
    for a, b in pairs:
        scores[a, b] = scores[b, a] = score
    monkeypatch.setattr(screening, "source_scores", lambda cells: scores)
    mask = np.ones(n_sources, dtype=bool) if dependent is None else np.array(dependent, dtype=bool)
    return group_sources(None, mask).tolist()


@pytest.mark.parametrize(
    ("n_sources", "pairs", "expected"),
    [
        (5, [(0, 1), (2, 3), (3, 4)], [0, 0, 1, 1, 1]),
        # The last one has no partner: it joins the largest group.
        (6, [(0, 1), (2, 3), (3, 4)], [0, 0, 1, 1, 1, 1]),
        (3, [(1, 2)], [0, 0, 0]),
        (3, [], [0, 0, 0]),  # nobody has a partner: one group
        (1, [], [0]),
    ],
)
def test_columns_without_a_partner_join_the_largest_group(monkeypatch, n_sources, pairs, expected):
    assert groups(monkeypatch, n_sources, pairs, 50.0) == expected


def test_only_dependent_columns_have_a_group(monkeypatch):
    # 0 and 3 are linked, 4 and 5 too; 1 and 2 do not depend on anything.
    found = groups(monkeypatch, 6, [(0, 3), (4, 5), (1, 2)], 50.0, [1, 0, 0, 1, 1, 1])
    assert found == [0, 0, 1, 1]
    assert groups(monkeypatch, 2, [(0, 1)], 50.0, [0, 0]) == []


def test_the_level_is_shared_by_all_pairs(monkeypatch):
    # Five columns make ten pairs.
    level = norm.isf(PAIR_LEVEL / 10)
    pairs = [(0, 1), (2, 3), (3, 4)]
    assert groups(monkeypatch, 5, pairs, level + 1e-9) == [0, 0, 1, 1, 1]
    assert groups(monkeypatch, 5, pairs, level - 1e-9) == [0, 0, 0, 0, 0]
