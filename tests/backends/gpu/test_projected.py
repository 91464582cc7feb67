"""ProjectedSwarm's table on a torch device beside the CPU's."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import ProjectedSwarm
from weft.backends import Backend
from weft.datasets import make_subspace_clusters
from weft.methods.projected.criteria import OBJECTIVES, Criterion
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.settings import SwarmSettings
from weft.methods.projected.starts import draw_partitions, draw_rows

DEVICES = ["cpu:0"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)
DATA = make_subspace_clusters(
    120, n_features=12, n_clusters=3, mean_range=(0, 10), random_state=0
).data


def _inline(task, size):
    task(0, size)


def _spaces(device, name="psovw", X=DATA, n_clusters=3):
    criterion = Criterion(name, 3.0, 5.0, 1e-4 * X.var(axis=0))
    cpu = DenseSpace(X, n_clusters, criterion, _inline)
    return cpu, DenseSpace(X, n_clusters, criterion, _inline, Backend("gpu", device))


def _partitions(n_particles=7, n_clusters=3):
    labels = np.random.default_rng(1).integers(-1, n_clusters, (n_particles, len(DATA)))
    labels[0] = 0  # two clusters without a row
    return labels.astype(np.int32)


@every_device
def test_summaries_are_sums_over_the_clusters(device):
    cpu, gpu = _spaces(device)
    labels = _partitions()
    for one, other in zip(gpu.summarise(labels), cpu.summarise(labels), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-9)


@every_device
def test_nearest_centres(device):
    cpu, gpu = _spaces(device)
    rng = np.random.default_rng(2)
    factors, centers = rng.uniform(0.1, 2.0, (5, 3, 12)), rng.normal(size=(5, 3, 12))
    dead = np.zeros((5, 3), dtype=bool)
    dead[1, 0] = True
    expected, found = (space.assign(factors, centers, dead, exact=True) for space in (cpu, gpu))
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-10)
    gap = (gpu.X[:, None, None] - centers) ** 2  # (n, P, K, M)
    brute = (gap * factors).sum(axis=3)
    brute[:, dead] = np.inf
    np.testing.assert_array_equal(found[0].T, brute.argmin(axis=2))


@every_device
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("n_rounds", [0, 1, 3, 100])
def test_rounds_of_the_alternation(name, n_rounds, device):
    cpu, gpu = _spaces(device, name)
    labels = _partitions()
    before = labels.copy()
    expected, found = (space.settle(labels, n_rounds, exact=True) for space in (cpu, gpu))
    np.testing.assert_array_equal(labels, before)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_allclose(found.fitness, expected.fitness, rtol=1e-9)


@every_device
def test_fewer_distinct_rows_than_clusters(device):
    X = np.repeat([[0.0, 1.0], [3.0, -1.0]], 4, axis=0)
    cpu, gpu = _spaces(device, X=X, n_clusters=3)
    labels = np.zeros((2, 8), dtype=np.int32)
    expected, found = (space.settle(labels, 10, exact=True) for space in (cpu, gpu))
    np.testing.assert_array_equal(found.labels, expected.labels)


@every_device
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_starts_have_the_same_draws(init, device):
    cpu, gpu = _spaces(device)
    rows = [draw_rows(space, 6, init, np.random.default_rng(3)) for space in (cpu, gpu)]
    np.testing.assert_array_equal(rows[1], rows[0])
    labels = [
        draw_partitions(space, 6, init, "near-one", np.random.default_rng(3))
        for space in (cpu, gpu)
    ]
    np.testing.assert_array_equal(labels[1], labels[0])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"particle": "weights", "n_evaluations": 100},
        {"particle": "weights", "polish": False, "n_evaluations": 50},
        {"objective": "lac"},
        {"objective": "ewkm", "swarm": SwarmSettings(init="random")},
        {"objective": "wkmeans"},
    ],
)
def test_the_same_fit(settings, on_torch):
    settings = {"n_evaluations": 60, "random_state": 0, **settings}
    expected = ProjectedSwarm(3, **settings).fit(DATA)
    found = ProjectedSwarm(3, device="cuda", **settings).fit(DATA)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.fitness_ == pytest.approx(expected.fitness_, rel=1e-6)
    assert found.n_iter_ == expected.n_iter_
    np.testing.assert_allclose(
        found.history_["best_fitness"], expected.history_["best_fitness"], rtol=1e-4
    )
    np.testing.assert_array_equal(found.predict(DATA), expected.predict(DATA))


def test_texts_stay_on_the_host(on_torch):
    with pytest.raises(ValueError, match="not available for metric='jaccard'"):
        ProjectedSwarm(3, metric="jaccard", device="cuda").fit(np.abs(DATA))
    settings = {"metric": "jaccard", "n_evaluations": 20, "random_state": 0}
    one = ProjectedSwarm(3, device="auto", **settings).fit(np.abs(DATA))
    np.testing.assert_array_equal(
        one.labels_, ProjectedSwarm(3, **settings).fit(np.abs(DATA)).labels_
    )
