import numpy as np
from numpy.testing import assert_allclose
from tests.columns.mixed.tables import every_kind
from tests.columns.mixed.test_screening import clustered

from weft.columns.mixed import along_main_directions, learn_main_view


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
