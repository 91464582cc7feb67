"""Complete linkage whose clusters move together: the labels are those of the plain form."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.kernels.linkage import complete_linkage
from weft.backends.cpu.kernels.settled_linkage import settled_linkage


@pytest.mark.parametrize("n_rows", [64, 127, 128, 700])
@pytest.mark.parametrize("rounded", [False, True])
def test_labels_are_those_of_double_precision(n_rows, rounded):
    # With 700 rows places move together at 350, 175 and 87 clusters, with 127 not at all. Rounded
    # values have many equal distances, so that the first of the nearest clusters counts.
    columns = np.random.default_rng(n_rows).normal(size=(3, n_rows))
    columns = np.round(2.0 * columns) if rounded else columns
    exact = ((columns[:, :, None] - columns[:, None, :]) ** 2).sum(axis=0)
    distances = exact.astype(np.float32)
    doubt = np.full(n_rows, 0.0 if rounded else 1e-6, dtype=np.float32), 0.0
    for n_clusters in (1, 2, 5, 30):
        expected, found = np.full(n_rows, -7), np.full(n_rows, -7)
        complete_linkage(exact.copy(), n_clusters, expected)
        settled = settled_linkage(
            *(distances, np.empty_like(distances), *doubt, columns, np.empty(0)),
            *(n_clusters, found),
        )
        assert settled or rounded  # with so many ties it may give up
        if settled:
            np.testing.assert_array_equal(found, expected)
