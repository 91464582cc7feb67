"""Pure noise keeps a column in at most the stated share of tables: a sample of the long check."""

from __future__ import annotations

import numpy as np
import pytest
from checks.small_tables import alarms, keeps_a_column, most_by_chance

SIZES = [(20, 5), (20, 10), (20, 30), (20, 41), (20, 200), (20, 800), (28, 10), (40, 10)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("noise", ["uniform", "exponential"])
def test_noise_keeps_a_column_in_at_most_the_stated_share_of_tables(noise, size):
    # 60 tables: 3 are expected, 9 and fewer happen by chance. With one limit for all numbers of
    # rows, 20 uniform rows of 10 columns kept a column in a third of the tables.
    assert alarms(noise, size, 60) <= most_by_chance(60)


def test_what_chance_explains():
    # Of 60 tables at 5 %: more than 9 in one of a thousand cases; of 100: more than 12 to 13.
    assert most_by_chance(60) == 9
    assert 12 <= most_by_chance(100) <= 13


def test_a_table_with_clusters_keeps_a_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    X[20:, :3] += 9.0
    assert keeps_a_column(X, 0)
