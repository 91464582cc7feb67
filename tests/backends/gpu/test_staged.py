"""StagedSwarm on a torch device beside the CPU; operations: tests/backends/test_prototypes.py."""

import joblib
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import StagedSwarm
from weft.backends import CPU, Backend
from weft.datasets import make_ellipsoids
from weft.methods.staged import ClusterEstimate
from weft.methods.staged.estimate import estimate_n_clusters
from weft.methods.staged.objectives import CentroidObjective, MedoidObjective
from weft.parallel import workers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu:0"


@pytest.mark.parametrize(
    "settings", [{"stages": 1}, {"stages": 2}, {"stages": 3}, {"polish": "prune"}]
)
def test_the_same_seed_walks_the_same_path(settings, on_torch):
    X = make_ellipsoids(4, 6, cluster_size=20, random_state=1).data
    settings |= {
        "n_particles": 12,
        "n_generations": 15,
        "n_clusters_estimate": ClusterEstimate(n_estimates=3),
        "random_state": 0,
    }
    expected = StagedSwarm(**settings).fit(X)
    found = StagedSwarm(device="cuda", **settings).fit(X)
    assert found.n_clusters_estimate_ == expected.n_clusters_estimate_
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.feature_weights_, expected.feature_weights_)
    np.testing.assert_allclose(
        found.history_["best_fitness"], expected.history_["best_fitness"], rtol=1e-10
    )


def test_a_swarm_on_a_gpu_is_not_handed_to_workers(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a crew was opened")

    monkeypatch.setattr(workers, "Crew", refuse)
    rows = np.random.default_rng(0).random((12, 3))
    on_gpu = {"backend": Backend("gpu", DEVICE), "n_threads": 2}
    with joblib.parallel_config(backend="loky", n_jobs=2):
        with MedoidObjective(rows, None, **on_gpu) as objective:
            assert objective._crew is None
        with CentroidObjective(rows, np.arange(3), None, **on_gpu) as objective:
            assert objective._crew is None
        with pytest.raises(AssertionError, match="a crew"), MedoidObjective(rows, None):
            pass


def test_the_estimate_of_the_number_of_clusters_does_not_depend_on_the_device():
    rows = np.random.default_rng(0).normal(size=(90, 6))
    found = [
        estimate_n_clusters(
            rows, n_estimates=3, max_clusters=6, rng=np.random.default_rng(0), backend=backend
        )
        for backend in (CPU, Backend("gpu", DEVICE))
    ]
    np.testing.assert_array_equal(found[0].votes, found[1].votes)
