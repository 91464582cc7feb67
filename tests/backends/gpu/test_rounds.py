"""Rounds on a device: weights there beside the host's, and whole fits where Triton runs."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import EntropyKMeans, WeightedKMeans
from weft.backends.gpu.kernels.tangents import CURVED, KNOT, N_TERMS, coefficients
from weft.backends.gpu.kernels.weights import DeviceRule
from weft.kmeans.weights import EntropyWeights, PowerWeights, Unweighted

ACTIVE = np.array([True, True, False, True, True])
GROUPS = np.array([0, 1, 2, 1, 3])
RULES = {
    "unweighted": Unweighted(ACTIVE),
    "power": PowerWeights(ACTIVE, 2.0),
    "no offset": PowerWeights(ACTIVE, 1.3, offset=0.0),
    "one feature": PowerWeights(ACTIVE, 1.0, offset=0.0),
    "global": PowerWeights(ACTIVE, 3.0, per_cluster=False),
    "groups": PowerWeights(ACTIVE, 2.0, groups=GROUPS),
    "entropy": EntropyWeights(ACTIVE, 0.7, averaged=False),
    "averaged": EntropyWeights(ACTIVE, 0.7, averaged=True),
}
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("name", RULES)
def test_rules_there_are_the_rules_here(name):
    rng = np.random.default_rng(0)
    spread = rng.exponential(size=(4, 5))
    spread[0, 1] = 0.0
    spread[1, [0, 3]] = spread[1].min() / 2  # a tie for the least
    sizes = np.array([3.0, 10.0, 1.0, 0.5])
    rule = RULES[name]
    there = DeviceRule(rule, "cpu")
    weights = rule.weights(spread, sizes)
    found = there.weights(torch.from_numpy(spread), torch.from_numpy(sizes))
    np.testing.assert_allclose(found.numpy(), weights, rtol=1e-12, atol=1e-300)
    factors = there.factors(torch.from_numpy(weights))
    np.testing.assert_allclose(factors.numpy(), rule.factors(weights), rtol=1e-12)
    costs = np.array([1.0, 2.0, 3.0, 0.0])
    total = there.total(*(torch.from_numpy(each) for each in (costs, sizes, weights)))
    assert float(total) == pytest.approx(rule.total(costs, sizes, weights), rel=1e-12)


@pytest.mark.parametrize("exponent", [1.1, 1.5, 1.9])
def test_products_of_terms_lie_just_below_powers(exponent):
    p = exponent
    rng = np.random.default_rng(0)
    u = np.concatenate([rng.normal(0.0, 3.0, 3000), rng.uniform(-100.0, 100.0, 500), [0.8, -0.8]])
    w = np.concatenate([rng.normal(0.0, 1.0, 300), [0.0, 0.8, -0.8, 1.8, -60.0, 1e4]])
    terms = []
    for knot in (-KNOT, KNOT):
        e = np.abs(u - knot)
        if p == 1.5:
            g, h = np.sqrt(e), np.sqrt(e + CURVED)
            curve = (h + g / 2) / (g + h) ** 2
        else:
            curve = p * (p - 1) / 2 * (e + CURVED / 3) ** (p - 2)
        terms += [e**p, -p * e ** (p - 1) * np.sign(u - knot), curve]
    b = coefficients(torch.from_numpy(w)).numpy()
    assert b.shape == (len(w), N_TERMS)
    bounds = np.stack(terms, axis=1) @ b.T
    powers = np.abs(u[:, None] - w) ** p
    assert (
        bounds <= powers + 1e-12 * np.abs(b).max(axis=1) * (1.0 + np.abs(u[:, None]) ** p)
    ).all()
    usual = np.abs(w) < 2.0
    assert (powers - bounds)[:3000, usual].mean() < 0.05 * powers[:3000, usual].mean()


@on_cuda
@pytest.mark.parametrize("exponent", [1.3, 1.5, 2.6])
def test_centres_there_are_the_centres_here(exponent):
    from weft.backends import CPU
    from weft.backends.gpu.kernels import fused
    from weft.parallel.threads import one_range

    rng = np.random.default_rng(0)
    X = rng.normal(7.0, 3.0, (5000, 40))
    X[:, 0] = 4.0
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] += 1e6
    load = rng.uniform(0.5, 1.5, len(X))
    labels = rng.integers(0, 9, len(X)).astype(np.int32)
    before = rng.normal(6.0, 1.0, (9, 40))
    rows = CPU.kmeans.load(X, load, exponent, False, one_range, "cpu")
    expected, spread = CPU.kmeans.centers_of(rows, labels, before)
    there = [torch.as_tensor(each, device="cuda") for each in (X, load, labels, before)]
    scaled = fused.scaled.scale_rows(there[0], exponent)
    solver = fused.centers.Solver(there[0], there[1], scaled)
    changed = torch.ones(9, dtype=torch.bool, device="cuda")
    found = solver.centers(there[2], changed, there[3], torch.zeros_like(there[3]))
    assert int(found.n_open) == 0
    np.testing.assert_allclose(found.centers.cpu().numpy(), expected, rtol=1e-14, atol=1e-11)
    np.testing.assert_allclose(found.spread.cpu().numpy(), spread, rtol=1e-12, atol=1e-12)


@on_cuda
@pytest.mark.parametrize("exponent", [1.2, 1.5, 1.9])
@pytest.mark.parametrize(("n_features", "n_clusters"), [(3, 100), (20, 1500), (200, 130)])
@pytest.mark.parametrize("kind", ["rows", "uneven", "ties", "far"])
def test_nearest_of_many_centres_are_those_of_the_cpu(exponent, n_features, n_clusters, kind):
    from weft.backends import CPU
    from weft.backends.gpu.kernels import fused
    from weft.parallel.threads import one_range

    rng = np.random.default_rng(n_features)
    X = rng.normal(5.0, 2.0, (6000, n_features)) * np.geomspace(1e-3, 1e3, n_features)
    if kind == "ties":
        X = np.round(rng.normal(size=X.shape))
    centers = X[rng.choice(len(X), n_clusters, replace=False)] * (0.7 if kind == "uneven" else 1.0)
    if kind == "ties":
        centers[50:] = centers[: n_clusters - 50]  # centres that are there twice
    if kind == "far":
        centers[::2] *= -1e5
    factors = rng.uniform(0.0, 1.0, centers.shape) ** (12.0 if kind == "uneven" else 2.0)
    factors[3] = 0.0
    factors[3, 0] = 1.0
    factors[:, 1] = 0.0
    if kind == "ties":
        factors[:] = 1.0
    rows = CPU.kmeans.load(X, np.ones(len(X)), exponent, False, one_range, "cpu")
    expected, _ = CPU.kmeans.nearest(rows, centers, factors)
    there = [torch.as_tensor(each, device="cuda") for each in (X, centers, factors)]
    found = fused.minkowski.Search(there[0], exponent, n_clusters).nearest(*there[1:])
    np.testing.assert_array_equal(found.cpu().numpy(), expected)


@on_cuda
@pytest.mark.parametrize("exponent", [1.5, 2.0])
def test_rounds_go_on_after_the_host_had_a_look(exponent):
    from weft.backends.gpu import kmeans
    from weft.backends.gpu.rounds import DeviceRounds
    from weft.parallel.threads import one_range

    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5)) + rng.normal(size=(6, 5))[rng.integers(0, 6, 3000)]
    rule = PowerWeights(ACTIVE, 2.0)
    weights = np.where(ACTIVE, 0.25, 0.0) * np.ones((6, 1))
    begin = (np.full(3000, -1, dtype=np.int32), X[:6].copy(), weights)
    rows = kmeans.load(X, np.ones(3000), exponent, False, one_range, torch.device("cuda"))
    rounds = DeviceRounds(kmeans, rows)
    once = rounds.advance(*begin, rule, max_rounds=6, allowed=-1.0)
    assert len(once.trace) == 6
    again = DeviceRounds(kmeans, rows)
    half = again.advance(*begin, rule, max_rounds=3, allowed=-1.0)
    taken = [torch.zeros(5, dtype=torch.bool, device="cuda") for _ in range(4096)]  # free memory
    rest = again.advance(*half[:3], rule, max_rounds=3, allowed=-1.0)
    del taken
    np.testing.assert_array_equal(rest.labels, once.labels)
    np.testing.assert_allclose(rest.centers, once.centers, rtol=1e-9)
    np.testing.assert_allclose(rest.weights, once.weights, rtol=1e-9)


@on_cuda
@pytest.mark.parametrize(
    "model",
    [
        WeightedKMeans(7, init="scattered"),
        WeightedKMeans(40, weight_exponent=3.0, init="random", n_init=2, random_state=1),
        WeightedKMeans(130, init="random", n_init=1, tol=0.01, random_state=1),
        WeightedKMeans(7, weights=None, init=np.eye(7, 150) * 1e4),  # clusters that begin empty
        WeightedKMeans(5, weights="global", init="scattered", max_iter=3),
        EntropyKMeans(6, random_state=0),
        WeightedKMeans(7, distance_exponent=1.5, init="scattered", max_iter=30),
        WeightedKMeans(130, distance_exponent=1.5, init="random", n_init=1, random_state=1),
        WeightedKMeans(
            130, distance_exponent=1.7, weights="global", init="random", n_init=1, random_state=1
        ),
        WeightedKMeans(7, distance_exponent=1.3, init="scattered", max_iter=30),
        WeightedKMeans(7, distance_exponent=3.0, init="scattered", max_iter=30),
    ],
)
@pytest.mark.parametrize("n_features", [3, 64, 150])
def test_whole_fits_are_those_of_the_cpu(model, n_features):
    from sklearn.base import clone

    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(6000, n_features))
    X += rng.normal(size=(6, n_features))[rng.integers(0, 6, 6000)]
    X[::7] = np.round(X[::7])
    if not isinstance(model.init, str):
        model = clone(model).set_params(init=model.init[:, :n_features])
    expected = clone(model).fit(X)
    found = clone(model).set_params(device="cuda").fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    again = clone(model).set_params(device="cuda").fit(X)
    np.testing.assert_array_equal(again.cluster_centers_, found.cluster_centers_)
