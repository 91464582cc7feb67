import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.columns.mixed.tables import categories, every_kind

from weft.columns.mixed import embed, learn_embedding, transform
from weft.columns.mixed.blocks import (
    category_points,
    cyclic_points,
    number_points,
    ordered_points,
    pool_levels,
)
from weft.columns.source import MixedTable, SourceColumn


def test_category_of_four_rows_by_hand():
    # Levels a, a, b, c have shares 1/2, 1/4, 1/4; (1[l] - share)/√share has squared distances
    # 1/p + 1/q between levels: a-b 2 + 4 = 6, b-c 4 + 4 = 8; divided by levels - 1 = 2: 3 and 4.
    points = category_points(np.repeat([0, 1, 2], [20, 10, 10]), 3)
    assert points.shape == (3, 2)
    assert_allclose(((points[0] - points[1]) ** 2).sum(), 3.0)
    assert_allclose(((points[1] - points[2]) ** 2).sum(), 4.0)


def test_yes_no_is_the_standardised_number():
    # Shares 3/4 and 1/4: deviation √3/4, so the two values are 4/√3 apart.
    points = category_points(np.repeat([0, 1], [30, 10]), 2)
    assert_allclose(abs(points[0, 0] - points[1, 0]), 4.0 / np.sqrt(3.0))


def test_ordered_levels_by_their_ranks():
    # Shares 1/2, 1/4, 1/4: middles 1/4, 5/8, 7/8; the step over a large level is larger.
    points = ordered_points(np.repeat([0, 1, 2], [20, 10, 10]), 3)[:, 0]
    assert_allclose((points[1] - points[0]) / (points[2] - points[1]), (3 / 8) / (1 / 4))


def test_cyclic_values_meet_at_the_ends():
    hours = np.array([0.0, 6.0, 12.0, 18.0])
    assert_allclose(cyclic_points(hours, 24.0), [[0.0, 0.0, 1.0]], atol=1e-12)


def test_a_single_far_value_does_not_set_the_scale():
    values = np.random.default_rng(0).standard_normal(400)
    far = np.append(values, 1e6)
    (_, core, _, factor), (_, core_far, _, factor_far) = (
        number_points(values)[0],
        number_points(far)[0],
    )
    assert core_far / factor_far < 2.0 * core / factor


@pytest.mark.parametrize("balance", ["columns", "directions"])
def test_every_source_column_has_total_variance_one(balance):
    table = every_kind(500)
    points, owner = embed(table, balance=balance)
    variance = np.bincount(owner, points.var(axis=0))
    if balance == "columns":
        assert_allclose(variance, 1.0, atol=1e-9)
    else:
        assert_allclose(variance, np.bincount(owner), atol=1e-9)
    assert_allclose(points.mean(axis=0), 0.0, atol=1e-9)


def test_rare_levels_share_a_point():
    counts = np.array([100, 3, 90, 2, 1, 0])
    group = pool_levels(counts)
    assert group[5] == -1
    assert group[1] == group[3] == group[4]
    assert len(set(group[[0, 2, 1]])) == 3


def test_rare_levels_that_stay_rare_take_the_next():
    # 4 rows are too few for a level of 400: the level with 40 rows joins.
    group = pool_levels(np.array([200, 156, 40, 2, 2]))
    assert group[2] == group[3] == group[4]


def test_order_of_rows_and_columns_does_not_matter():
    table = every_kind(120, gaps=0.2)
    rng = np.random.default_rng(3)
    rows, sources = rng.permutation(120), rng.permutation(len(table.used))
    turned = table.take_rows(rows).take_columns(sources)
    points, owner = embed(table)
    turned_points, turned_owner = embed(turned)
    for number, source in enumerate(sources):
        expected = points[rows][:, owner == source]
        assert_allclose(turned_points[:, turned_owner == number], expected, atol=1e-6)


def test_gaps_lie_where_the_other_columns_say():
    rng = np.random.default_rng(0)
    factor = rng.standard_normal(300)
    values = factor[:, None] + 0.3 * rng.standard_normal((300, 5))
    columns = tuple(SourceColumn(f"x{j}", "number", (j,)) for j in range(5))
    whole = embed(MixedTable(values, columns)).values
    gone = rng.random(values.shape) < 0.2
    gone[gone.all(axis=1), 0] = False
    filled = embed(MixedTable(np.where(gone, np.nan, values), columns)).values
    error = np.sqrt(((filled - whole)[gone] ** 2).mean())
    assert error < 0.5  # the mean in every gap has 1


def test_gaps_of_noise_stay_near_the_mean():
    table = every_kind(400, gaps=0.3)
    points, owner = embed(table)
    gone = np.isnan(table.values[:, 0])
    assert np.abs(points[gone][:, owner == 0]).max() < 0.3


def test_later_rows_get_the_same_points():
    table = every_kind(90, gaps=0.2)
    embedding = learn_embedding(table)
    whole = transform(embedding, table.values)
    assert_allclose(transform(embedding, table.values[40:]), whole[40:], atol=1e-12)
    assert np.isfinite(whole).all()


def test_a_level_that_was_not_seen_counts_as_missing():
    table = categories(60, [3, 3], 0)
    embedding = learn_embedding(table)
    assert_allclose(transform(embedding, np.array([[7.0, np.nan]])), 0.0)


def test_constant_and_empty_columns_add_nothing():
    values = np.array([[1.0, np.nan, 0.0], [1.0, np.nan, 0.0], [1.0, np.nan, 0.0]])
    columns = (
        SourceColumn("a", "number", (0,)),
        SourceColumn("b", "number", (1,)),
        SourceColumn("c", "category", (2,), levels=("x", "y")),
    )
    points, _ = embed(MixedTable(values, columns))
    assert_allclose(points, 0.0)
    assert np.isfinite(points).all()


def test_unknown_balance_is_refused():
    with pytest.raises(ValueError, match="balance"):
        embed(every_kind(20), balance="both")
