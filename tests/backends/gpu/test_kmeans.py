"""The k-means family on a torch device beside the reference and the CPU's kernels."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import ConstrainedKMeans, EntropyKMeans, LocallyAdaptiveKMeans, WeightedKMeans
from weft.backends import CPU, Backend
from weft.backends.gpu.kernels import kmeans as gpu
from weft.backends.reference import kmeans as reference
from weft.kmeans.anomalous import AnomalousStart
from weft.kmeans.data import center_of, centers_of, distances, make_data, nearest, own_distances

DEVICES = ["cpu:0"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)
every_power = pytest.mark.parametrize("exponent", [1.0, 1.1, 1.7, 2.0, 3.0, 6.5])


def _tables():
    rng = np.random.default_rng(0)
    yield "random", rng.normal(size=(90, 6))
    yield "few values", rng.integers(0, 3, (70, 4)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(12, 3)), 6, axis=0)
    yield "far away", 1e6 + rng.normal(size=(50, 2))
    yield "one feature", rng.normal(size=(40, 1))
    holes = rng.normal(size=(80, 5))
    holes[rng.random(holes.shape) < 0.2] = np.nan
    holes[:, 0] = rng.normal(size=80)
    yield "missing", holes


TABLES = dict(_tables())


def _inline(task, size):
    task(0, size)


def _both(X, exponent, device):
    mass = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    backends = CPU, Backend("gpu", device)
    return [make_data(X, mass, exponent, _inline, backend=each) for each in backends]


def _centers(X, n_clusters=4):
    rng = np.random.default_rng(2)
    centers = np.nan_to_num(X[rng.choice(len(X), n_clusters, replace=False)])
    return centers, rng.uniform(0.2, 1.0, centers.shape)


@every_device
@every_power
@pytest.mark.parametrize("name", TABLES)
def test_distances_and_nearest_centres(name, exponent, device):
    X = TABLES[name]
    centers, factors = _centers(X)
    cpu, device_rows = _both(X, exponent, device)
    rows = reference.Rows(X, np.ones(len(X)), exponent)
    expected = reference.distances(rows, centers, factors)
    np.testing.assert_allclose(
        distances(device_rows, centers, factors), expected, rtol=1e-11, atol=1e-13
    )
    labels = nearest(device_rows, centers, factors)
    np.testing.assert_array_equal(labels, nearest(cpu, centers, factors))
    assert labels.dtype == np.int32
    np.testing.assert_allclose(
        own_distances(device_rows, labels, centers, factors),
        expected.min(axis=1),
        rtol=1e-9,
        atol=1e-13,
    )


@every_device
@every_power
def test_ties_end_as_on_the_cpu(exponent, device):
    # Rows on a grid half-way between centres on a grid: exact ties everywhere, and a twin centre.
    X = np.array([[a, b] for a in range(5) for b in range(5)], dtype=float)
    centers = np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [1.0, 1.0]])
    cpu, device_rows = _both(X, exponent, device)
    factors = np.ones_like(centers)
    np.testing.assert_array_equal(
        nearest(device_rows, centers, factors), nearest(cpu, centers, factors)
    )


@every_device
@every_power
@pytest.mark.parametrize("name", TABLES)
def test_centres_and_dispersions(name, exponent, device):
    X = TABLES[name]
    cpu, device_rows = _both(X, exponent, device)
    labels = np.random.default_rng(3).integers(0, 3, len(X)).astype(np.int32)  # cluster 3: no rows
    before = _centers(X)[0]
    found, expected = centers_of(device_rows, labels, before), centers_of(cpu, labels, before)
    reach = np.nanmax(X) - np.nanmin(X)
    np.testing.assert_allclose(found.centers, expected.centers, rtol=1e-12, atol=1e-9 * reach)
    np.testing.assert_allclose(found.dispersions, expected.dispersions, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(found.centers[3], before[3])
    some = np.arange(0, len(X), 3)
    one, other = center_of(device_rows, some, before[0]), center_of(cpu, some, before[0])
    np.testing.assert_allclose(one.centers, other.centers, rtol=1e-12, atol=1e-9 * reach)


@every_device
def test_the_root_of_four_values(device):
    # Σ |y - c|³ over 0, 0, 0, 1: 3 c² = (1 - c)², so c = (√3 - 1) / 2.
    X = torch.tensor([[0.0], [0.0], [0.0], [1.0]], dtype=torch.float64, device=device)
    labels = torch.zeros(4, dtype=torch.int64, device=device)
    guess = torch.full((1, 1), 7.0, dtype=torch.float64, device=device)
    load = torch.ones(4, dtype=torch.float64, device=device)
    found = gpu.column_centers(X, labels, load, 3.0, guess, False)
    c = (np.sqrt(3.0) - 1.0) / 2.0
    assert float(found.centers) == pytest.approx(c, abs=1e-12)
    assert float(found.dispersions) == pytest.approx(3 * c**3 + (1 - c) ** 3, rel=1e-12)


@every_device
def test_a_cluster_that_never_saw_a_feature(device):
    X = np.array([[0.0, np.nan], [1.0, np.nan], [5.0, 2.0]])
    for exponent in (1.0, 1.5, 2.0):
        device_rows = make_data(X, np.ones(3), exponent, _inline, backend=Backend("gpu", device))
        found = centers_of(device_rows, np.array([0, 0, 1], dtype=np.int32), np.full((2, 2), 9.0))
        assert np.isnan(found.dispersions[0, 1])
        assert found.centers[0, 1] == 9.0
        np.testing.assert_allclose(found.centers[1], [5.0, 2.0])


MODELS = {
    "mwk": WeightedKMeans(3, distance_exponent=1.6),
    "wk": WeightedKMeans(3, weight_exponent=3.0, init="random", random_state=1),
    "medians": WeightedKMeans(3, distance_exponent=1.0, init="k-means++", random_state=0),
    "how many": WeightedKMeans(
        None, distance_exponent=3.0, init=AnomalousStart(min_cluster_size=4)
    ),
    "plain": WeightedKMeans(5, weights=None, init="scattered"),
    "auto": WeightedKMeans(3, weight_exponent="auto"),
    "entropy": EntropyKMeans(3, random_state=0),
    "lac": LocallyAdaptiveKMeans(3, random_state=0),
    "constrained": ConstrainedKMeans(3),
}


def _groups():
    X = np.random.default_rng(4).normal(size=(300, 8))
    X[100:200, :3] += 5.0
    X[200:, 2:5] -= 5.0
    return X


@pytest.mark.parametrize("name", MODELS)
def test_the_same_fit(name, on_torch):
    from sklearn.base import clone

    X = _groups()
    links = {"must_link": [(0, 150)], "cannot_link": [(0, 1)]} if name == "constrained" else {}
    expected = clone(MODELS[name]).fit(X, **links)
    found = clone(MODELS[name]).set_params(device="cuda").fit(X, **links)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-8)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-8)
    np.testing.assert_allclose(
        found.cluster_feature_weights_, expected.cluster_feature_weights_, atol=1e-8
    )
    if name != "constrained":
        np.testing.assert_array_equal(found.predict(X), found.labels_)


def test_missing_values_weights_of_rows_and_the_same_bits_twice(on_torch):
    X = _groups()
    X[::7, 1] = np.nan
    mass = np.random.default_rng(5).integers(0, 3, len(X)).astype(float)
    settings = {"distance_exponent": 1.5, "allow_nan": True}
    expected = WeightedKMeans(3, **settings).fit(X, sample_weight=mass)
    found = [
        WeightedKMeans(3, device="cuda", **settings).fit(X, sample_weight=mass) for _ in range(2)
    ]
    np.testing.assert_array_equal(found[0].labels_, expected.labels_)
    np.testing.assert_array_equal(found[0].cluster_centers_, found[1].cluster_centers_)
    assert found[0].inertia_ == pytest.approx(expected.inertia_, rel=1e-8)


def test_more_clusters_than_distinct_rows(on_torch):
    X = np.repeat([[0.0, 0.0], [1.0, 2.0]], 5, axis=0)
    expected = WeightedKMeans(3, init="k-means++", random_state=0)
    found = WeightedKMeans(3, init="k-means++", random_state=0, device="cuda")
    with pytest.warns(UserWarning, match="2 of 3 clusters have rows"):
        expected.fit(X)
    with pytest.warns(UserWarning, match="2 of 3 clusters have rows"):
        found.fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
