"""The swarm-wide kernels against the readable reference, on torch's CPU device and on a GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU kernels need torch: pip install 'weft[gpu]'")

from weft.backends.cpu.kernels import affinity as cpu_affinity
from weft.backends.gpu.kernels import affinity, linkage, neighbours, scores
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.metrics import DeviceTable, pack
from weft.backends.reference import clusterings

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def _tables():
    rng = np.random.default_rng(7)
    yield "random", rng.normal(size=(150, 5))
    yield "one feature", rng.normal(size=(17, 1))
    yield "two rows", rng.normal(size=(2, 3))
    yield "many features", rng.normal(size=(30, 70))
    yield "more than a tile holds", np.random.default_rng(8).normal(size=(40, 500))
    yield "duplicates", np.repeat(rng.normal(size=(9, 4)), 5, axis=0)
    yield "all equal", np.ones((9, 3))
    yield "ties everywhere", rng.integers(0, 2, (50, 4)).astype(float)
    yield "grid", np.indices((7, 7)).reshape(2, -1).T.astype(float)
    yield "far from zero", rng.normal(size=(40, 3)) + 1e6


TABLES = dict(_tables())
every_table = pytest.mark.parametrize("name", TABLES)
every_device = pytest.mark.parametrize("device", DEVICES)
with_powers = pytest.mark.parametrize("powers", [False, True])


def _swarm(name, device, powers, n_particles=4, max_memory=2**30):
    """Weights of a few particles, some features dropped, and their distances both ways."""
    X = TABLES[name]
    rng = np.random.default_rng(1)
    weights = np.maximum(rng.uniform(-1.0, 2.0, (n_particles, X.shape[1])), 0.0)
    weights[:, 0] += 0.5
    exponents = rng.uniform(1.0, 3.0, weights.shape) if powers else None
    table = DeviceTable.of(X, torch.device(device))
    packed = pack(weights, exponents, table.spread)
    distances = Distances(table, packed.to(table.X.device), max_memory)
    matrices = []
    for number, weight in enumerate(weights):
        kept = weight > 0.0
        scale = distances.metrics.scale[number].item()
        columns = np.ascontiguousarray(X.T[kept]) * (weight[kept] * scale)[:, np.newaxis]
        own = exponents[number, kept] if powers else None
        matrices.append(clusterings.powered_distances(columns, own))
    return distances, np.stack(matrices)


@every_table
@every_device
@with_powers
def test_distances(name, device, powers):
    distances, expected = _swarm(name, device, powers)
    n_rows = distances.n_rows
    found = distances.squared_rows(0, n_rows).cpu().numpy()
    if powers:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)
    else:
        np.testing.assert_array_equal(found, expected)  # the bits of the CPU
    part = distances.squared_rows(n_rows // 2, n_rows).cpu().numpy()
    np.testing.assert_array_equal(part, found[:, n_rows // 2 :])


@every_table
@every_device
@with_powers
@pytest.mark.parametrize("k", [1, 3, 5])
def test_nearest_rows_and_components(name, device, powers, k):
    distances, matrices = _swarm(name, device, powers, max_memory=2**16)
    n_rows = distances.n_rows
    k = min(k, n_rows - 1)
    near = neighbours.nearest_rows(distances, k)
    labels = neighbours.graph_components(near.indices).cpu().numpy()
    for number, matrix in enumerate(matrices):
        indices, values = clusterings.nearest_rows(matrix, k)
        if not powers:  # powers differ in the last bits, and so do ties between them
            found = near.indices[number].cpu().numpy()
            np.testing.assert_array_equal(np.sort(found), np.sort(indices))
        np.testing.assert_allclose(
            np.sort(near.powered[number].cpu().numpy()), values, rtol=1e-12, atol=1e-300
        )
        expected = clusterings.graph_components(near.indices[number].cpu().numpy())
        np.testing.assert_array_equal(labels[number], expected)


@every_table
@every_device
@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.6])
def test_dbscan(name, device, quantile):
    distances, matrices = _swarm(name, device, False)
    # A radius that is exactly some distance is the hardest to decide.
    squared = np.sort(matrices[0].ravel())[int(quantile * (matrices[0].size - 1))]
    eps = float(np.sqrt(squared)) / distances.metrics.scale[0].item()
    radius = distances.radius(eps).cpu().numpy()
    labels, core = neighbours.dbscan(distances, eps, 3)
    for number, matrix in enumerate(matrices):
        expected, is_core = clusterings.dbscan(matrix, radius[number], 3)
        np.testing.assert_array_equal(core[number].cpu().numpy(), is_core)
        np.testing.assert_array_equal(labels[number].cpu().numpy(), expected)


def _labellings(n_rows, n_particles):
    rng = np.random.default_rng(3)
    out = np.zeros((n_particles, n_rows), dtype=np.int32)
    out[1] = np.arange(n_rows) % 2
    out[2] = np.arange(n_rows) // 2
    noisy = rng.integers(-1, 2, n_rows)
    noisy[:2] = (0, 1)
    out[3] = noisy
    return out


@every_table
@every_device
@with_powers
def test_silhouette_and_connectedness(name, device, powers):
    distances, matrices = _swarm(name, device, powers)
    n_rows = distances.n_rows
    labels = _labellings(n_rows, len(matrices))
    moved = torch.as_tensor(labels, device=device)
    exact = scores.exact_silhouette_rows(distances, moved).cpu().numpy()
    quick = scores.silhouette_rows(distances, moved).cpu().numpy()
    rng = np.random.default_rng(5)
    indices = rng.integers(0, n_rows, (n_rows, 3))
    lengths = rng.uniform(0.0, 1.0, (n_rows, 3))
    lengths[0, 0] = 0.0
    closeness = (1.0 / torch.as_tensor(lengths, device=device)).clamp(max=10.0)
    connected = scores.connectedness_rows(torch.as_tensor(indices, device=device), closeness, moved)
    for number, matrix in enumerate(matrices):
        own = labels[number].astype(np.int64)
        root = distances.metrics.root[number].item()
        expected = clusterings.silhouette_rows(matrix ** (1.0 / root), own)
        np.testing.assert_allclose(exact[number], expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(quick[number].mean(), expected.mean(), rtol=1e-4, atol=1e-4)
        wanted = clusterings.connectedness_rows(indices, lengths, own, 10.0)
        np.testing.assert_allclose(connected[number].cpu().numpy(), wanted, rtol=1e-12, atol=1e-12)


@every_table
@every_device
def test_gaussian_scores(name, device):
    X = TABLES[name]
    labels = _labellings(len(X), 4)
    floor = np.full(X.shape[1], 1e-3)
    rows = torch.as_tensor(X, device=device)
    own, other = scores.gaussian_scores(
        rows, torch.as_tensor(labels, device=device), 0.1, torch.as_tensor(floor, device=device)
    )
    for number, row in enumerate(labels.astype(np.int64)):
        expected = clusterings.gaussian_scores(X, row, 0.1, floor)
        np.testing.assert_allclose(own[number].cpu().numpy(), expected[0], rtol=1e-8, atol=1e-6)
        np.testing.assert_allclose(other[number].cpu().numpy(), expected[1], rtol=1e-8, atol=1e-6)


@every_table
@every_device
def test_linkage_merges_as_the_reference_does_ties_and_all(name, device):
    distances, matrices = _swarm(name, device, False)
    n_rows = distances.n_rows
    for n_clusters in {2, max(n_rows // 2, 1)}:
        D = distances.squared_rows(0, n_rows)
        labels = linkage.complete_linkage(D, n_clusters).cpu().numpy()
        for number, matrix in enumerate(matrices[:2]):
            expected = clusterings.complete_linkage(matrix, n_clusters)
            np.testing.assert_array_equal(labels[number], expected)


@every_table
@every_device
@pytest.mark.parametrize("damping", [0.5, 0.9])
def test_affinity_propagation(name, device, damping):
    _, matrices = _swarm(name, device, False)
    similarity = -matrices[:, :50, :50].astype(np.float32)
    S = torch.as_tensor(similarity.copy(), device=device)
    median = affinity.median_similarity(S).cpu().numpy()
    np.testing.assert_allclose(median, np.median(similarity.reshape(len(S), -1), axis=1), rtol=1e-6)
    S.diagonal(dim1=1, dim2=2).copy_(torch.as_tensor(median, device=device)[:, None])
    for number, matrix in enumerate(similarity):
        np.fill_diagonal(matrix, np.float32(median[number]))
        matrix[:] = clusterings.break_ties(matrix)
    affinity.break_ties(S)
    np.testing.assert_array_equal(S.cpu().numpy(), similarity)
    exemplars, settled = affinity.affinity_propagation(S, damping, 200, 15)
    for number, matrix in enumerate(similarity):
        expected = np.empty(len(matrix), dtype=np.int64)
        work = np.empty_like(matrix), np.empty_like(matrix)
        # The compiled kernel, not its reference, adds up a cluster's similarities in double.
        ends = cpu_affinity.affinity_propagation(matrix, *work, damping, 200, 15, expected)
        assert bool(settled[number]) == bool(ends)
        if ends:  # what has not settled is an accident of rounding, and is thrown away
            np.testing.assert_array_equal(exemplars[number].cpu().numpy(), expected)
