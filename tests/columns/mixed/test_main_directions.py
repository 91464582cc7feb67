import numpy as np
from numpy.testing import assert_allclose
from tests.columns.mixed.tables import every_kind
from tests.columns.mixed.test_screening import clustered

from weft.columns.mixed import along_main_directions, learn_main_view, transform
from weft.columns.source import MixedTable, SourceColumn


def test_clusters_lie_along_few_directions():
    table = clustered(400, 0)
    view = learn_main_view(table)
    rows = along_main_directions(view, table.values)
    # Three clusters span two directions; five columns have eight coordinates.
    assert view.axes.shape == (8, 2)
    assert (rows.var(axis=0) > 1.5).all()
    assert_allclose(view.axes.T @ view.axes, np.eye(2), atol=1e-12)


def test_noise_keeps_at_least_two_directions():
    view = learn_main_view(every_kind(60))
    assert view.axes.shape[1] >= 2


def test_later_rows_and_another_order_get_the_same_places():
    table = clustered(200, 1)
    rows = along_main_directions(learn_main_view(table), table.values)
    order = np.random.default_rng(0).permutation(200)
    turned = learn_main_view(table.take_rows(order))
    assert_allclose(along_main_directions(turned, table.values), rows, atol=1e-8)


def test_directions_of_a_variance_above_1_are_kept():
    table = every_kind(60, gaps=0.1)
    view = learn_main_view(table)
    points = transform(view.embedding, table.values, balance="directions")
    values, axes = np.linalg.eigh(points.T @ points / 60)
    count = int((values > 1.0).sum())
    assert view.axes.shape == (len(values), count)
    assert 2 < count < len(values)
    assert_allclose(np.abs((view.axes * axes[:, ::-1][:, :count]).sum(axis=0)), 1.0)
    largest = np.abs(view.axes).argmax(axis=0)
    assert (view.axes[largest, np.arange(count)] > 0.0).all()
    rows = along_main_directions(view, table.values)
    assert_allclose(rows, points @ view.axes)


def test_few_coordinates_have_few_directions():
    # One number has one direction; of an empty table nothing is known.
    one = MixedTable(np.arange(8.0)[:, None], (SourceColumn("x", "number", (0,)),))
    assert learn_main_view(one).axes.tolist() == [[1.0]]
    two = one.take_columns([0, 0])
    assert learn_main_view(two).axes.shape == (2, 2)  # the second has no variance
    assert learn_main_view(one.take_rows([])).axes.shape == (1, 1)
