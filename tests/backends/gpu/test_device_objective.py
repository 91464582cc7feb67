"""A search on a torch device beside the same search on the CPU kernels."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import FeatureSwarm
from weft.backends import CPU, Backend
from weft.datasets import make_ellipsoids
from weft.search.clusterers import make_clusterer
from weft.search.criteria import make_criterion
from weft.search.objectives import FeatureObjective
from weft.search.particles import SelectionParticle, WeightExponentParticle, WeightParticle

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)
DATA = make_ellipsoids(4, 12, cluster_size=30, random_state=0).data


def _objectives(clusterer, criterion, particle, device, max_memory=2**30, params=None):
    name, n_clusters = clusterer
    parts = [
        DATA,
        particle,
        make_clusterer(name, None, n_clusters=n_clusters, seed=0),
        make_criterion(criterion, params),
    ]
    gpu = Backend("gpu", device)
    return (
        FeatureObjective(*parts, backend=CPU, max_memory=2**30, n_jobs=1),
        FeatureObjective(*parts, backend=gpu, max_memory=max_memory, n_jobs=1),
    )


CLUSTERERS = [("knn", None), ("dbscan", None), ("linkage", 4), ("affinity", None)]


@every_device
@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=lambda pair: pair[0])
@pytest.mark.parametrize("kind", [WeightParticle, WeightExponentParticle, SelectionParticle])
def test_labels_and_fitness_are_the_cpus(clusterer, kind, device):
    particle = kind(DATA.shape[1])
    cpu, gpu = _objectives(clusterer, "csc", particle, device)
    positions = np.random.default_rng(1).uniform(-2, 2, (5, particle.n_dimensions))
    positions[2, : DATA.shape[1]] = -1.0  # a particle without features
    expected, found = cpu(positions), gpu(positions)
    np.testing.assert_allclose(found.fitness, expected.fitness, rtol=1e-4)
    again = gpu(positions)  # recorded, where that is possible
    np.testing.assert_array_equal(again.fitness, found.fitness)
    for key, value in expected.details.items():
        np.testing.assert_array_equal(found.details[key], value)
    for position in positions[[0, 1, 3]]:
        solution = particle.decode(position)
        ours, theirs = gpu.cluster(solution), cpu.cluster(solution)
        np.testing.assert_array_equal(ours.labels, theirs.labels)
        np.testing.assert_array_equal(ours.anchors, theirs.anchors)
        assert ours.radius == pytest.approx(theirs.radius)
        assert gpu.score(solution, ours) == pytest.approx(cpu.score(solution, theirs), rel=1e-9)


@every_device
@pytest.mark.parametrize(
    ("criterion", "params"),
    [
        ("silhouette", None),
        ("silhouette", {"features": "full"}),
        ("silhouette", {"outliers": "exclude"}),
        ("connectedness", None),
        ("connectedness", {"features": "weighted"}),
        ("csc", {"silhouette": "full", "connectedness": "weighted"}),
        ("bcr", None),
        ("bic", {"outliers": "exclude"}),
        ("sparsity", None),
        ("separation", None),
        (lambda X, labels: float(X.sum()), None),
    ],
)
def test_every_criterion(criterion, params, device):
    particle = WeightParticle(DATA.shape[1])
    cpu, gpu = _objectives(("dbscan", None), criterion, particle, device, params=params)
    positions = np.random.default_rng(2).uniform(-1, 2, (4, particle.n_dimensions))
    np.testing.assert_allclose(gpu(positions).fitness, cpu(positions).fitness, rtol=1e-4)
    solution = particle.decode(positions[0])
    clustering = cpu.cluster(solution)
    assert gpu.score(solution, clustering) == pytest.approx(cpu.score(solution, clustering))


@every_device
@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=lambda pair: pair[0])
def test_memory_decides_how_many_particles_go_at_once_and_nothing_else(clusterer, device):
    particle = WeightParticle(DATA.shape[1])
    _, roomy = _objectives(clusterer, "csc", particle, device)
    _, tight = _objectives(clusterer, "csc", particle, device, max_memory=2**12)
    assert tight.data.batch == 1 < roomy.data.batch
    positions = np.random.default_rng(3).uniform(-2, 2, (4, particle.n_dimensions))
    np.testing.assert_allclose(
        tight(positions).fitness, roomy(positions).fitness, rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_walks_the_same_path(seed, on_torch):
    settings = {"n_particles": 8, "n_generations": 6, "patience": None, "random_state": seed}
    cpu = FeatureSwarm(**settings).fit(DATA)
    gpu = FeatureSwarm(device="cuda", **settings).fit(DATA)
    np.testing.assert_array_equal(gpu.labels_, cpu.labels_)
    np.testing.assert_array_equal(gpu.feature_weights_, cpu.feature_weights_)
    assert gpu.fitness_ == pytest.approx(cpu.fitness_, rel=1e-9)
    np.testing.assert_array_equal(gpu.history_["n_clusters"], cpu.history_["n_clusters"])
    np.testing.assert_array_equal(gpu.predict(DATA), cpu.predict(DATA))


def test_tensors_go_in_and_numpy_comes_out(on_torch):
    X = torch.as_tensor(DATA, device=DEVICES[-1])
    settings = {"n_particles": 4, "n_generations": 2, "random_state": 0}
    from_tensor = FeatureSwarm(device="cuda", **settings).fit(X)
    from_array = FeatureSwarm(device="cuda", **settings).fit(DATA)
    assert isinstance(from_tensor.labels_, np.ndarray)
    np.testing.assert_array_equal(from_tensor.labels_, from_array.labels_)
    np.testing.assert_array_equal(from_tensor.predict(X), from_array.predict(DATA))


def test_a_clusterer_that_is_an_object_stays_on_the_cpu(on_torch):
    from sklearn.cluster import AgglomerativeClustering

    model = FeatureSwarm(AgglomerativeClustering(linkage="average"), device="cuda")
    with pytest.raises(ValueError, match="device='cpu' for any clusterer"):
        model.fit(DATA)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_cuda_says_so_and_auto_takes_the_cpu():
    with pytest.raises(ValueError, match="needs a GPU that torch can use"):
        FeatureSwarm(device="cuda").fit(DATA)
    settings = {"n_particles": 4, "n_generations": 2, "random_state": 0}
    auto = FeatureSwarm(device="auto", **settings).fit(DATA)
    np.testing.assert_array_equal(auto.labels_, FeatureSwarm(**settings).fit(DATA).labels_)


@pytest.mark.parametrize("device", ["gpu", None, 0])
def test_unknown_devices(device):
    with pytest.raises((ValueError, TypeError), match="one of 'cpu', 'cuda', 'auto'"):
        FeatureSwarm(device=device).fit(DATA)
