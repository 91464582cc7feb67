import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import choose_n_clusters
from weft.choosing.stability import cluster_by_stability
from weft.columns.source import MixedTable, SourceColumn


def groups(n_clusters, n=300, spread=0.4, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_clusters
    angles = 2.0 * np.pi * labels / n_clusters
    centers = 4.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centers + spread * rng.standard_normal((n, 2)), labels


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_the_finest_number_that_comes_out_again_is_chosen(n_clusters):
    points, labels = groups(n_clusters)
    chosen, *others = cluster_by_stability(points, rng=np.random.default_rng(0))
    assert chosen.n_clusters == n_clusters
    assert adjusted_rand_score(labels, chosen.labels) == 1.0
    assert chosen.stability > 0.95
    assert chosen.is_stable
    assert [each.stability for each in others] == sorted(
        (each.stability for each in others), reverse=True
    )


def test_noise_is_not_stable():
    points = np.random.default_rng(0).standard_normal((400, 8))
    assert not cluster_by_stability(points, low=3, rng=np.random.default_rng(0))[0].is_stable


def test_a_given_number_is_kept():
    points, _ = groups(3)
    found = cluster_by_stability(points, low=7, high=7, rng=np.random.default_rng(0))
    assert [each.n_clusters for each in found] == [7]
    assert len(np.unique(found[0].labels)) == 7


def test_few_rows_allow_few_clusters():
    points, _ = groups(2, n=44)
    found = cluster_by_stability(points, rng=np.random.default_rng(0))
    assert max(each.n_clusters for each in found) == 2


def mixed(n_clusters, *, n=300, seed=0):
    """Clusters in two numbers and two categories, and a category of noise."""
    rng = np.random.default_rng(seed)
    points, labels = groups(n_clusters, n)
    parts = [points]
    for number in range(3):
        wrong = rng.random(n) < (0.1 if number < 2 else 1.0)
        parts.append(np.where(wrong, rng.integers(n_clusters, size=n), labels)[:, None])
    names = tuple(f"level {code}" for code in range(n_clusters))
    columns = (
        *(SourceColumn(f"x{j}", "number", (j,)) for j in range(2)),
        *(SourceColumn(f"c{j}", "category", (j,), levels=names) for j in range(2, 5)),
    )
    return MixedTable(np.column_stack(parts).astype(float), columns)


def test_the_number_of_clusters_of_a_mixed_table():
    for n_clusters in (2, 3, 4):
        found = choose_n_clusters(mixed(n_clusters), random_state=0)
        assert found.n_clusters == n_clusters
        assert found.confidence > 0.8
        assert list(found.curves) == ["stability"]


def test_named_methods_and_chosen_columns_of_a_mixed_table():
    table = mixed(3)
    found = choose_n_clusters(
        table, methods=("silhouette",), feature_weights=[1, 1, 1, 1, 0], random_state=0
    )
    assert found.n_clusters == 3
    with pytest.raises(ValueError, match="5 source columns"):
        choose_n_clusters(table, feature_weights=[1.0, 2.0])
