"""StagedSwarm's swarms on a torch device beside the CPU's kernels."""

import joblib
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import StagedSwarm
from weft.backends.cpu.kernels import prototypes as cpu
from weft.backends.gpu.kernels import prototypes as gpu
from weft.datasets import make_ellipsoids
from weft.estimators import staged_swarm
from weft.methods.staged.estimate import estimate_n_clusters, mean_silhouettes
from weft.methods.staged.objectives import MedoidObjective
from weft.methods.staged.on_device import (
    DeviceCentroidObjective,
    DeviceMedoidObjective,
    k_means_silhouettes,
)
from weft.parallel import parts

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)


def _tables():
    rng = np.random.default_rng(0)
    yield "random", rng.normal(size=(90, 6))
    yield "few values", rng.integers(0, 3, (70, 4)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(12, 3)), 6, axis=0)
    yield "one feature", rng.normal(size=(40, 1))
    yield "signed zeros", rng.choice([0.0, -0.0, 1.0, -1.0], (30, 2))


TABLES = dict(_tables())


@every_device
@pytest.mark.parametrize("name", TABLES)
def test_medoid_swarm(name, device):
    rows = TABLES[name]
    n_rows, d = rows.shape
    limit = 9
    rng = np.random.default_rng(1)
    positions = rng.uniform(-1.0, 1.0, (40, d + n_rows + 1))
    positions[:, -1] = rng.uniform(0.5, 1.05, 40)  # few medoids, or none
    positions[:8, -1] = -0.9  # nearly all rows: few are distinct in the tables of few values
    positions[0, :d] = -1.0  # no feature
    expected = np.empty(40, int), np.empty(40, int), np.empty(40)
    cpu.medoid_swarm(positions, rows, np.ascontiguousarray(rows.T), limit, *expected)
    data = gpu.Rows.of(rows, torch.device(device))
    found = gpu.medoid_swarm(data, torch.as_tensor(positions, device=device), limit)
    np.testing.assert_array_equal(found[0].cpu().numpy(), expected[0])
    np.testing.assert_array_equal(found[1].cpu().numpy(), expected[1])
    if device == "cuda":
        np.testing.assert_array_equal(found[2].cpu().numpy(), expected[2])
    np.testing.assert_allclose(found[2].cpu().numpy(), expected[2], rtol=1e-12)
    assert (expected[2] > 0.0).sum() > 3


@every_device
@pytest.mark.parametrize("name", TABLES)
def test_centroid_swarm(name, device):
    rows = TABLES[name]
    features = np.arange(0, rows.shape[1], 2)
    positions = np.random.default_rng(2).normal(size=(7, 5 * len(features)))
    filled, between = np.empty(7, int), np.empty(7)
    columns = np.ascontiguousarray(rows.T)
    cpu.centroid_swarm(positions, rows, columns, features, filled, between)
    data = gpu.Rows.of(rows, torch.device(device))
    found = gpu.centroid_swarm(
        data, torch.as_tensor(positions, device=device), torch.as_tensor(features, device=device)
    )
    np.testing.assert_array_equal(found[0].cpu().numpy(), filled)
    np.testing.assert_allclose(found[1].cpu().numpy(), between, rtol=1e-12)


@every_device
@pytest.mark.parametrize("name", ["random", "few values", "duplicates"])
def test_k_means_and_its_silhouettes(name, device):
    rows = TABLES[name]
    rng = np.random.default_rng(3)
    starts = [rng.choice(len(rows), size=size, replace=False) for size in (2, 3, 5, 7, 7)]
    data = gpu.Rows.of(rows, torch.device(device))
    for steps in (1, 100):
        found = gpu.lloyd(data, starts, steps).cpu().numpy()
        expected = np.empty((len(starts), len(rows)), dtype=np.int64)
        for run, start in enumerate(starts):
            cpu.lloyd(rows, np.ascontiguousarray(rows.T), rows[start], steps, expected[run])
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(
        k_means_silhouettes(rows, starts, 7, 100, device),
        mean_silhouettes(rows, expected, 7),
        rtol=1e-10,
    )


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_the_same_seed_walks_the_same_path(stages, monkeypatch):
    X = make_ellipsoids(4, 6, cluster_size=20, random_state=1).data
    settings = {"n_particles": 12, "n_generations": 15, "n_estimates": 3, "random_state": 0}
    expected = StagedSwarm(stages, **settings).fit(X)
    monkeypatch.setattr(staged_swarm, "choose_device", lambda *_, **__: torch.device(DEVICES[-1]))
    found = StagedSwarm(stages, device="cuda", **settings).fit(X)
    assert found.n_clusters_estimate_ == expected.n_clusters_estimate_
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.feature_weights_, expected.feature_weights_)
    np.testing.assert_allclose(
        found.history_["best_fitness"], expected.history_["best_fitness"], rtol=1e-10
    )


def test_a_swarm_on_a_gpu_is_not_handed_to_workers(monkeypatch):
    def refuse(*_):
        raise AssertionError("a crew was opened")

    monkeypatch.setattr(parts, "open_crew", refuse)
    rows = np.random.default_rng(0).random((12, 3))
    with joblib.parallel_config(backend="loky", n_jobs=2):
        with DeviceMedoidObjective(rows, None, device="cpu"):
            pass
        with DeviceCentroidObjective(rows, np.arange(3), None, device="cpu"):
            pass
        with pytest.raises(AssertionError, match="a crew"), MedoidObjective(rows, None):
            pass


def test_the_estimate_of_the_number_of_clusters_does_not_depend_on_the_device():
    rows = TABLES["random"]
    found = [
        estimate_n_clusters(
            rows, n_estimates=3, max_clusters=6, rng=np.random.default_rng(0), device=device
        )
        for device in ("cpu", torch.device(DEVICES[-1]))
    ]
    np.testing.assert_array_equal(found[0].votes, found[1].votes)
