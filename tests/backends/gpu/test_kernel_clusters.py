"""Mercer kernels and the searches for centres on a torch device beside the CPU.

The operations: tests/backends/test_mercer.py and test_prototypes.py.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from sklearn.base import clone

from weft import DynamicSwarm, GeneticClustering, KernelKMeans, KernelSubtractive, KernelSwarm
from weft.backends import Backend
from weft.backends.gpu.kernels import mercer_cs, prototypes
from weft.backends.reference import mercer as reference
from weft.datasets import make_shapes
from weft.methods.centroids.objectives import StringObjective, SubsetObjective
from weft.methods.mercer.objectives import InputObjective, SpaceObjective
from weft.methods.mercer.spaces import KernelSpace

DEVICES = ["cpu:0"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)


def _tables():
    rng = np.random.default_rng(0)
    yield "random", rng.normal(size=(60, 3))
    yield "few values", rng.integers(0, 3, (50, 2)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(9, 4)), 5, axis=0)
    yield "two rows", np.array([[0.0, 1.0], [2.0, 3.0]])


TABLES = dict(_tables())
every_table = pytest.mark.parametrize("name", TABLES)


def _same(expected, found):
    np.testing.assert_array_equal(found.details["n_clusters"], expected.details["n_clusters"])
    np.testing.assert_allclose(found.fitness, expected.fitness, rtol=1e-9)


@every_device
@every_table
def test_objectives_agree(name, device):
    rows = TABLES[name]
    backend = Backend("gpu", device)
    space = KernelSpace.of(rows, "rbf", {"gamma": 0.5}, 4)
    for make, first, options in (
        (InputObjective, rows, {"gamma": 0.4}),
        (SpaceObjective, space, {}),
        (StringObjective, rows, {}),
    ):
        on_cpu = make(first, 6, **options)
        positions = on_cpu.initial(np.random.default_rng(1), 20)
        _same(on_cpu(positions), make(first, 6, backend=backend, **options)(positions))


@every_device
@every_table
def test_subsets_of_a_pool(name, device):
    rows = TABLES[name]
    rng = np.random.default_rng(2)
    pool = rows[rng.integers(len(rows), size=7)]
    cpu = SubsetObjective(rows, pool)
    gpu = SubsetObjective(rows, pool[:0], backend=Backend("gpu", device)).with_pool(pool)
    positions = cpu.initial(rng, 30, 0.5)
    positions[0], positions[1] = 0.0, 1.0
    _same(cpu(positions), gpu(positions))
    np.testing.assert_allclose(gpu.settle(pool, 50), cpu.settle(pool, 50), rtol=1e-12)


@every_device
def test_widths_in_parts_are_the_same_widths(device):
    rows = TABLES["random"]
    space = KernelSpace.of(rows, "rbf", {"gamma": 0.5}, 4)
    objective = SpaceObjective(space, 6, backend=Backend("gpu", device))
    positions = objective.initial(np.random.default_rng(1), 40)
    distances = objective.data.distances
    moved = torch.as_tensor(positions, device=device)
    labels, _, _ = mercer_cs.decode_feature(objective.data, moved, 6, 1, 2)
    counts = mercer_cs.count_labels(labels, 6)
    whole = mercer_cs.mean_widths(distances, labels, counts, 2**30)
    assert torch.equal(whole, mercer_cs.mean_widths(distances, labels, counts, 1000))
    for p in range(len(positions)):
        expected = reference.mean_widths(space.squared_distances(), labels[p].cpu().numpy(), 6)
        np.testing.assert_allclose(whole[p].cpu().numpy(), expected, rtol=1e-12)


@every_device
@every_table
@pytest.mark.parametrize(("max_iter", "least"), [(1, 0), (100, 0), (100, 4)])
def test_kernel_k_means_steps(name, max_iter, least, device):
    rows = TABLES[name]
    K = min(3, len(rows))
    gram = np.exp(-0.3 * ((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    starts = np.random.default_rng(3).integers(0, K, (5, len(rows)))
    found = mercer_cs.kernel_kmeans(
        torch.as_tensor(gram, device=device),
        torch.as_tensor(starts, device=device),
        K,
        max_iter,
        least,
    )
    labels, steps, sums = (each.cpu().numpy() for each in found)
    for run, start in enumerate(starts):
        expected, step, total = reference.settle_labels(gram, start, K, max_iter, least)
        np.testing.assert_array_equal(labels[run], expected)
        assert steps[run] == step
        assert sums[run] == pytest.approx(total, abs=1e-10)


@every_device
def test_own_distances(device):
    rows = TABLES["random"]
    rng = np.random.default_rng(4)
    labels, centers = rng.integers(0, 4, (5, 60)), rng.normal(size=(5, 4, 3))
    data = prototypes.Rows.of(rows, device, marked=False)
    moved = torch.as_tensor(labels.astype(np.int32), device=device)
    found = prototypes.own_distances(data, moved, torch.as_tensor(centers, device=device))
    for p in range(5):
        gap = rows - centers[p, labels[p]]
        np.testing.assert_allclose(found[p].cpu().numpy(), (gap**2).sum(axis=1), rtol=1e-13)


BLOBS = make_shapes("blobs", n_samples=150, random_state=0).data
SHORT = {"n_particles": 10, "n_generations": 8, "random_state": 0}
MODELS = {
    "swarm": KernelSwarm(**SHORT),
    "gaussian": KernelSwarm("rbf", sigma="median", **SHORT),
    "printed": KernelSwarm("rbf", centers="input", sigma=1.1, **SHORT),
    "k-means": KernelKMeans(4, random_state=0),
    "polynomial": KernelKMeans(4, kernel="polynomial", random_state=0),
    "walk": KernelKMeans(4, kernel="diffusion", random_state=0),
    "subtractive": KernelSubtractive(4),
    "subtractive walk": KernelSubtractive(4, kernel="diffusion"),
    "dynamic": DynamicSwarm(n_rounds=3, **SHORT),
    "genetic": GeneticClustering(**SHORT),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_fit(name, on_torch):
    expected = clone(MODELS[name]).fit(BLOBS)
    found = clone(MODELS[name]).set_params(device="cuda").fit(BLOBS)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.fitness_ == pytest.approx(expected.fitness_, rel=1e-8)
    assert found.n_iter_ == expected.n_iter_
    np.testing.assert_array_equal(found.predict(BLOBS), expected.predict(BLOBS))
    for key in ("best_fitness", "inertia", "potential"):
        if key in expected.history_:
            np.testing.assert_allclose(found.history_[key], expected.history_[key], rtol=1e-8)


def test_particles_stay_together_where_joblib_has_workers(on_torch):
    import joblib

    expected = clone(MODELS["gaussian"]).fit(BLOBS)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = clone(MODELS["gaussian"]).set_params(device="cuda", n_jobs=2).fit(BLOBS)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
