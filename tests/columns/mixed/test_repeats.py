import numpy as np
import pytest
from tests.columns.mixed.tables import levels

from weft.columns.mixed import (
    describe_repetition,
    find_repetition,
    followed_columns,
)
from weft.columns.mixed.repeats import SUPPORTED, Repetition
from weft.columns.source import MixedTable, SourceColumn


@pytest.fixture
def wholesale():
    """Spending that forms two groups, and a channel and a region that know nothing of them."""
    rng = np.random.default_rng(0)
    n = 400
    groups = rng.integers(2, size=n)
    spending = rng.normal(4.0 * groups[:, None], 1.0, (n, 3))
    channel, region = rng.integers(2, size=n), rng.integers(3, size=n)
    values = np.column_stack([spending, channel, region]).astype(float)
    columns = (
        *(SourceColumn(f"spending {j}", "number", (j,)) for j in range(3)),
        SourceColumn("channel", "category", (3,), levels=levels(2)),
        SourceColumn("region", "category", (4,), levels=levels(3)),
    )
    return MixedTable(values, columns), groups, channel, region


def test_clusters_of_the_numbers_repeat_nothing(wholesale):
    table, groups, _, _ = wholesale
    assert find_repetition(groups, table) is None


def test_a_column_as_clusters_is_said(wholesale):
    table, _, channel, _ = wholesale
    found = find_repetition(1 - channel, table)
    assert found.columns == (3,)
    assert found.agreement == 1.0
    assert found.is_mere
    sentence = describe_repetition(found, table)
    assert "'channel'" in sentence
    assert "hardly support them" in sentence


def test_merged_levels_are_the_column_too(wholesale):
    table, _, _, region = wholesale
    found = find_repetition((region == 2).astype(int), table)
    assert found.columns == (4,)
    assert found.is_mere


def test_the_product_of_two_columns_is_said(wholesale):
    table, _, channel, region = wholesale
    found = find_repetition(channel * 3 + region, table)
    assert found.columns == (3, 4)
    assert "'channel' and 'region'" in describe_repetition(found, table)


def test_a_product_with_the_true_clusters_is_no_repetition_of_one_column(wholesale):
    table, groups, channel, _ = wholesale
    assert find_repetition(groups * 2 + channel, table) is None


def test_a_name_of_true_clusters_is_supported_by_the_others(wholesale):
    table, groups, _, _ = wholesale
    columns = (*table.columns, SourceColumn("kind of client", "category", (5,), levels=levels(2)))
    named = MixedTable(np.column_stack([table.values, groups.astype(float)]), columns)
    found = find_repetition(groups, named)
    assert found.columns == (5,)
    assert not found.is_mere
    assert "the other columns support them" in describe_repetition(found, named)


def test_categories_that_no_cluster_mixes_are_followed(wholesale):
    table, groups, channel, region = wholesale
    assert followed_columns(groups, table) == ()
    assert followed_columns(channel * 2 + groups, table) == (3,)
    assert followed_columns(channel * 3 + region, table) == (3, 4)
    assert followed_columns(np.zeros(400, dtype=int), table) == ()


def test_rows_in_no_cluster_and_gaps_are_left_out(wholesale):
    table, _, channel, _ = wholesale
    labels = channel.copy()
    labels[:50] = -1
    table.values[60:90, 3] = np.nan
    assert find_repetition(labels, table).agreement == 1.0


def test_one_cluster_repeats_nothing(wholesale):
    table = wholesale[0]
    assert find_repetition(np.zeros(400, dtype=int), table) is None


def test_a_column_with_a_level_per_row_matches_nothing():
    rng = np.random.default_rng(0)
    values = np.column_stack([np.arange(60.0), rng.standard_normal(60)])
    columns = (
        SourceColumn("code", "category", (0,), levels=levels(60)),
        SourceColumn("x", "number", (1,)),
    )
    assert find_repetition(rng.integers(3, size=60), MixedTable(values, columns)) is None


def test_support_at_the_limit_is_enough():
    assert Repetition((0,), 1.0, SUPPORTED - 1e-9).is_mere
    assert not Repetition((0,), 1.0, SUPPORTED).is_mere
