"""The made-up world: same bits twice, truths that fit their tables, breadth."""

from __future__ import annotations

import numpy as np
import pytest
from bench.unseen.world import KINDS, make_table
from bench.unseen.world.drawing import draw_sizes, orthonormal, product, spread_centres
from threadpoolctl import threadpool_limits

CLUSTERED = tuple(name for name, kind in KINDS.items() if kind.clustered)
CLUSTERLESS = tuple(name for name, kind in KINDS.items() if not kind.clustered)

SEEDS = range(3)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_a_kind_are_whole_and_the_same_for_one_seed(kind):
    tables = [make_table(kind, seed) for seed in SEEDS]
    for table in tables:
        n_rows, n_columns = table.X.shape
        assert table.X.dtype == np.float64
        assert table.y.dtype == np.int64
        assert 12 <= n_rows <= 2000
        assert 2 <= n_columns <= 2000
        assert table.y.shape == (n_rows,)
        assert table.relevant.shape == (n_columns,)
        assert np.isfinite(table.X).all()
        assert table.y.min() >= -1
        sizes = np.bincount(table.y[table.y >= 0])
        if table.clustered:
            assert (sizes > 0).sum() >= 2
            assert table.relevant.any()
        else:
            assert (sizes > 0).sum() == 1
            assert not table.relevant.any()
    other, last = tables[-2:]
    assert other.X.shape != last.X.shape or not np.array_equal(other.X, last.X)
    with threadpool_limits(1):
        again = make_table(kind, SEEDS[-1])
    assert again.X.tobytes() == last.X.tobytes()
    assert again.y.tobytes() == last.y.tobytes()
    assert again.relevant.tobytes() == last.relevant.tobytes()


def test_the_world_is_broad():
    assert len(CLUSTERED) >= 35
    assert len(CLUSTERLESS) >= 12
    tables = [make_table(kind, seed) for kind in CLUSTERED for seed in range(2)]
    with_noise = np.mean([not table.relevant.all() for table in tables])
    assert 0.2 < with_noise < 0.5
    counts = [len(np.unique(table.y[table.y >= 0])) for table in tables]
    assert min(counts) == 2
    assert max(counts) > 40
    assert max(table.X.shape[1] for table in tables) > 500
    assert sum((table.y < 0).any() for table in tables) > 10


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="kind='circles' is not a kind of table; choose from"):
        make_table("circles", 0)


def test_product_is_the_matrix_product():
    # By hand: (1·5 + 2·7, 1·6 + 2·8) = (19, 22), (3·5 + 4·7, 3·6 + 4·8) = (43, 50).
    A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    np.testing.assert_array_equal(product(A, B), [[19.0, 22.0], [43.0, 50.0]])


def test_orthonormal_vectors():
    basis = orthonormal(np.random.default_rng(0), 4, 7)
    np.testing.assert_allclose(basis @ basis.T, np.eye(4), atol=1e-12)


def test_centres_keep_their_distance():
    rng = np.random.default_rng(1)
    radii = np.array([0.5, 1.0, 2.0, 1.0])
    centres = spread_centres(rng, radii, 2, 1.5)
    for i in range(4):
        for j in range(i):
            distance = np.sqrt(((centres[i] - centres[j]) ** 2).sum())
            assert distance >= 1.5 * (radii[i] + radii[j])


def test_sizes_have_a_floor():
    sizes = draw_sizes(np.random.default_rng(2), 100, 12, smallest=10)
    assert sizes.min() >= 10
    assert len(sizes) == 12
