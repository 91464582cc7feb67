"""Threads, processes and Dask: the same bits, the data sent once, and a killed worker replaced."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

from weft import (
    DynamicSwarm,
    FeatureSwarm,
    GeneticClustering,
    KernelSwarm,
    StagedSwarm,
    WeightedKMeans,
)
from weft.methods.staged import ClusterEstimate
from weft.methods.staged import search as staged_search
from weft.parallel.threads import local_threads
from weft.parallel.workers import CHUNKS_PER_WORKER, Crew, _cut, threads_per_process


@pytest.fixture(scope="module")
def cluster():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def client(cluster):
    """Two workers that answer: one may still be on its way back from an earlier test."""
    for _ in range(1200):
        if len(cluster.run(os.getpid, on_error="ignore")) == 2:
            return cluster
        time.sleep(0.1)
    raise TimeoutError("a worker did not come back in two minutes")


def rows() -> np.ndarray:
    X = np.random.default_rng(3).normal(size=(90, 6))
    X[:30, :2] += 5
    X[30:60, :2] -= 5
    return X


def search(**options):
    settings = {"n_particles": 8, "n_generations": 5, "patience": None, "random_state": 1}
    return FeatureSwarm(**{**settings, **options}).fit(rows())


def bits(model) -> list[bytes]:
    columns = [model.labels_, model.feature_weights_, model.history_["mean_fitness"]]
    return [np.asarray(column).tobytes() for column in columns]


class Deadly:
    """A criterion that kills the process it runs in, the first time that it is asked to score."""

    def __init__(self, flag: Path) -> None:
        self.flag = str(flag)

    def __call__(self, X, labels):
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return float(-np.bincount(labels).std()) + float(X.std())
        os.kill(os.getpid(), signal.SIGKILL)
        raise RuntimeError("unreachable")


@pytest.mark.parametrize("options", [{}, {"exponents": True}, {"criterion": "bcr"}])
def test_same_bits_for_threads_processes_and_dask(client, options):
    alone = search(n_jobs=1, **options)
    assert bits(search(n_jobs=2, **options)) == bits(alone)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert bits(search(**options)) == bits(alone)
    with joblib.parallel_config(backend="dask"):
        assert bits(search(**options)) == bits(alone)


@pytest.mark.parametrize("kind", [StagedSwarm, KernelSwarm, DynamicSwarm, GeneticClustering])
def test_other_swarms_find_the_same_bits(client, kind, monkeypatch):
    parts = []

    def spy(crew, positions):
        found = call(crew, positions)
        parts.append(len(found))
        return found

    call = Crew.__call__
    monkeypatch.setattr(Crew, "__call__", spy)
    settings = {"n_particles": 6, "n_generations": 4, "random_state": 1}
    if kind is StagedSwarm:
        settings["n_clusters_estimate"] = ClusterEstimate(n_estimates=2)
    wanted = kind(**settings).fit(rows())
    assert max(parts) == 1
    for backend in ("threading", "loky", "dask"):
        parts.clear()
        with joblib.parallel_config(backend=backend, n_jobs=2):
            found = kind(**settings).fit(rows())
        np.testing.assert_array_equal(found.labels_, wanted.labels_)
        assert found.fitness_ == wanted.fitness_
        assert max(parts) > 1


@pytest.mark.parametrize("exponent", [2.0, 1.5])
def test_restarts_are_spread_and_the_first_of_the_best_is_kept(client, exponent):
    settings = {"init": "random", "n_init": 6, "random_state": 2, "distance_exponent": exponent}
    wanted = WeightedKMeans(4, **settings).fit(rows())
    for backend in ("loky", "dask"):
        with joblib.parallel_config(backend=backend, n_jobs=2):
            found = WeightedKMeans(4, **settings).fit(rows())
        np.testing.assert_array_equal(found.labels_, wanted.labels_)
        np.testing.assert_array_equal(found.cluster_centers_, wanted.cluster_centers_)


def test_work_that_stays_here_takes_the_threads_of_this_machine(client):
    assert local_threads(3) == 3
    with joblib.parallel_config(backend="dask"):
        assert local_threads(3) == 3
        assert local_threads(None) == 1
        assert WeightedKMeans(3).fit(rows()).n_iter_ >= 1


def test_a_staged_swarm_does_not_count_dasks_workers_as_threads(client, monkeypatch):
    counted = []

    def spy(*args, n_threads, **options):
        counted.append(n_threads)
        return estimate(*args, n_threads=n_threads, **options)

    estimate = staged_search.estimate_n_clusters
    monkeypatch.setattr(staged_search, "estimate_n_clusters", spy)
    settings = {
        "n_particles": 4,
        "n_generations": 2,
        "n_clusters_estimate": ClusterEstimate(n_estimates=1),
        "random_state": 0,
    }
    with joblib.parallel_config(backend="dask"):
        assert joblib.effective_n_jobs() == 2  # what Dask says: all of its cluster's workers
        for n_jobs in (None, 1, 3):
            StagedSwarm(n_jobs=n_jobs, **settings).fit(rows())
    assert counted == [1, 1, 3]


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_a_killed_worker_changes_no_bit(client, tmp_path, backend):
    flag = tmp_path / "killed"
    flag.touch()
    alone = search(n_jobs=1, criterion=Deadly(flag))
    flag.unlink()
    with joblib.parallel_config(backend=backend, n_jobs=2):
        model = search(criterion=Deadly(flag))
    assert flag.exists()
    assert bits(model) == bits(alone)


def test_a_search_inside_a_task_of_dask(client):
    """A study spreads its fits, and each of them stays where it is."""
    with joblib.parallel_config(backend="dask"):
        models = joblib.Parallel()(joblib.delayed(search)(random_state=seed) for seed in range(3))
    assert [bits(model) for model in models] == [bits(search(random_state=s)) for s in range(3)]


class Owner:
    """Doubles; remembers how often it was sent somewhere, and where it works."""

    def __init__(self) -> None:
        self.sent = 0

    def __getstate__(self):
        self.sent += 1
        return {"sent": self.sent}

    def evaluate_part(self, part):
        if (part < 0).any():
            raise ValueError("below 0")
        return [(2 * number, os.getpid()) for number in part]


def test_the_owner_is_sent_once_and_parts_keep_their_order(client):
    owner = Owner()
    with joblib.parallel_config(backend="dask"), Crew(owner, n_threads=1, n_jobs=None) as crew:
        crew(np.arange(20))
        sent = owner.sent
        for _ in range(5):
            parts = crew(np.arange(20))
        assert owner.sent == sent
    assert len(parts) == 2 * CHUNKS_PER_WORKER
    done = [pair for part in parts for pair in part]
    assert [number for number, _ in done] == list(range(0, 40, 2))
    assert os.getpid() not in {process for _, process in done}


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.05, 0.3])  # actors go a little later
def test_lost_copies_are_sent_again(client, pause):
    with joblib.parallel_config(backend="dask"), Crew(Owner(), n_threads=1, n_jobs=None) as crew:
        before = [[number for number, _ in part] for part in crew(np.arange(9))]
        assert crew._seats
        client.cancel([crew._copies], force=True)  # as when all who had one are gone
        time.sleep(pause)
        after = [[number for number, _ in part] for part in crew(np.arange(9))]
    assert before == after


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_an_error_comes_through_as_it_is(client, backend):
    with (
        joblib.parallel_config(backend=backend, n_jobs=2),
        Crew(Owner(), n_threads=2, n_jobs=2) as crew,
        pytest.raises(ValueError, match="below 0"),
    ):
        crew(np.array([1, 2, -3, 4]))


def test_memory_is_shared_by_the_threads_of_a_process(client):
    assert threads_per_process(2) == 2
    with joblib.parallel_config(backend="loky"):
        assert threads_per_process(2) == 1
    with joblib.parallel_config(backend="dask"):
        assert threads_per_process(2) == 1


def test_cut():
    assert [list(part) for part in _cut(list(range(7)), 3)] == [[0, 1], [2, 3], [4, 5, 6]]
