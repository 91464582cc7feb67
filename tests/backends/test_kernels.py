"""Every compiled kernel against its readable reference, on plain and on nasty input."""

import numpy as np
import pytest

from weft.backends.cpu.kernels import affinity as cpu_affinity
from weft.backends.cpu.kernels import density_tiles
from weft.backends.cpu.kernels import distances as cpu_distances
from weft.backends.cpu.kernels import linkage as cpu_linkage
from weft.backends.cpu.kernels import neighbours as cpu_neighbours
from weft.backends.cpu.kernels import products as cpu_products
from weft.backends.cpu.kernels import scores as cpu_scores
from weft.backends.cpu.kernels import swarm_powers as cpu_powers
from weft.backends.cpu.kernels import tiles as cpu_tiles
from weft.backends.cpu.kernels.settled_linkage import settled_linkage
from weft.backends.reference.kernels import affinity as ref_affinity
from weft.backends.reference.kernels import distances as ref_distances
from weft.backends.reference.kernels import linkage as ref_linkage
from weft.backends.reference.kernels import neighbours as ref_neighbours
from weft.backends.reference.kernels import scores as ref_scores


def _tables():
    rng = np.random.default_rng(7)
    yield "random", rng.normal(size=(5, 40))
    yield "one feature", rng.normal(size=(1, 17))
    yield "two rows", rng.normal(size=(3, 2))
    yield "no feature", np.empty((0, 6))
    yield "duplicates", np.repeat(rng.normal(size=(4, 6)), 5, axis=1)
    yield "all equal", np.ones((3, 9))
    yield "ties everywhere", rng.integers(0, 2, (4, 30)).astype(float)
    yield "grid", np.indices((5, 5)).reshape(2, -1).astype(float)
    yield "huge and tiny", rng.normal(size=(3, 20)) * np.array([[1e150], [1.0], [1e-150]])
    yield "denormals", rng.integers(0, 3, (2, 12)) * 5e-324
    yield "signed zeros", np.array([[0.0, -0.0, 1.0, -1.0, 0.0]])
    yield "wider than a strip", rng.normal(size=(2, 1500))


TABLES = dict(_tables())
pytestmark = pytest.mark.parametrize("name", TABLES)


def _matrix(columns):
    out = np.empty((columns.shape[1],) * 2)
    ref_distances.squared_matrix(columns, out)
    return out


def test_squared_distances_are_the_same_bits_however_they_are_cut(name):
    columns = TABLES[name]
    n_rows = columns.shape[1]
    expected = _matrix(columns)
    whole = np.full((n_rows, n_rows), np.nan)
    cpu_distances.squared_matrix(columns, whole)
    np.testing.assert_array_equal(whole, expected)
    for size in (1, 7, n_rows):
        for start in range(0, n_rows, max(size, n_rows // 4)):
            stop = min(start + size, n_rows)
            block = np.full((stop - start, n_rows), np.nan)
            cpu_distances.squared_block(columns, start, stop, columns, block)
            np.testing.assert_array_equal(block, expected[start:stop])


def test_powered_distances(name):
    columns = _in_range(TABLES[name][:, :60])
    n_rows = columns.shape[1]
    exponents = np.linspace(1.0, 3.0, len(columns))
    expected, whole, block = (np.full((n_rows, n_rows), np.nan) for _ in range(3))
    with np.errstate(over="ignore", under="ignore"):
        ref_distances.powered_matrix(columns, exponents, expected)
    cpu_distances.powered_matrix(columns, exponents, whole)
    cpu_distances.powered_block(columns, 0, n_rows, columns, exponents, block)
    np.testing.assert_allclose(whole, expected, rtol=1e-13, atol=1e-300)
    np.testing.assert_array_equal(block, whole)


def _particles(columns):
    """Three particles: all features, some of them, and weights far from 1."""
    rng = np.random.default_rng(3)
    size = len(columns)
    for kept, low, high in ((np.arange(size), 0, 0), (np.arange(0, size, 2), -1, 1), (None, -9, 9)):
        kept = np.arange(size) if kept is None else kept
        yield kept, 2.0 ** rng.uniform(low, high, len(kept)), np.linspace(1.0, 3.0, len(kept))


def test_powered_distances_in_single_precision(name):
    columns = _in_range(TABLES[name][:, :75])  # not a whole number of pieces
    n_rows = columns.shape[1]
    halves = cpu_powers.halves_of(columns)
    particles = list(_particles(columns))
    several = [cpu_powers.Terms.of(*particle) for particle in particles]
    together = np.full((3, n_rows, n_rows), np.nan, np.float32)
    cpu_powers.powered_matrices(halves, *cpu_powers.Terms.joined(several), together)
    for found, terms, (kept, weights, exponents) in zip(together, several, particles, strict=True):
        expected = np.empty((n_rows, n_rows))
        weighted = columns[kept] * weights[:, np.newaxis]
        ref_distances.powered_matrix(weighted, exponents, expected)
        spread = np.abs(weighted).max(axis=1, initial=0.0)
        absolute, share = cpu_powers.error_of(terms, spread)
        assert share < 3e-5
        np.testing.assert_allclose(found, expected, rtol=share, atol=absolute)
        # Nothing depends on the company, nor on how the rows are cut.
        alone = np.full((1, n_rows, n_rows), np.nan, np.float32)
        cpu_powers.powered_matrices(halves, *terms, alone)
        np.testing.assert_array_equal(alone[0], found)
        for start in (0, 1, n_rows - 1):
            block = np.full((1, min(5, n_rows - start), n_rows), np.nan, np.float32)
            cpu_powers.powered_rows(halves, start, *terms, block)
            np.testing.assert_array_equal(block[0], found[start : start + 5])


@pytest.mark.parametrize("k", [1, 3, 5])
def test_nearest(name, k):
    distances = _matrix(TABLES[name])
    n_rows = len(distances)
    k = min(k, n_rows - 1)
    results = []
    for kernels in (ref_neighbours, cpu_neighbours):
        indices = np.full((n_rows, k), -7)
        values = np.full((n_rows, k), np.nan)
        half = n_rows // 2
        kernels.nearest_in_block(distances[:half], 0, True, indices, values)
        kernels.nearest_in_block(distances[half:], half, True, indices, values)
        labels = np.full(n_rows, -7)
        n_components = kernels.graph_components(indices, labels)
        results.append((indices, values, labels, n_components))
    for expected, found in zip(*results, strict=True):
        np.testing.assert_array_equal(found, expected)


def _tiles(columns, dtype):
    """Rows in tiles, as products take them."""
    n_features, n_rows = columns.shape
    n_tiles = cpu_products.count_tiles(n_rows)
    Z = np.full((n_tiles, n_features, cpu_products.TILE), np.nan, dtype)
    norms, slack = np.full((2, n_tiles * cpu_products.TILE), np.nan, dtype)
    weighted = np.full(columns.shape, np.nan)
    centred = columns - columns.mean(axis=1, keepdims=True)
    kept, weights = np.arange(n_features), np.ones(n_features)
    cpu_products.weighted_tiles(centred, columns, kept, weights, Z, norms, slack, weighted)
    np.testing.assert_array_equal(weighted, columns)
    return Z, norms, slack, weighted


def _stores(n_rows, dtype):
    """Room for all tiles, and for one."""
    n_tiles, side = cpu_products.count_tiles(n_rows), cpu_products.TILE
    for n_held in (n_tiles * (n_tiles + 1) // 2, 1):
        yield np.full((n_held, side, side), np.nan, dtype)


def _approximate(columns, dtype):
    """The distances as products give them, with what it takes to settle them."""
    n_rows = columns.shape[1]
    rows = _tiles(columns, dtype)
    out = np.full((n_rows, n_rows), np.nan, dtype)
    cpu_products.product_matrix(*rows, out)
    for start in range(0, n_rows, cpu_products.TILE):
        block = np.full((min(cpu_products.TILE, n_rows - start), n_rows), np.nan, dtype)
        cpu_products.product_block(*rows, start, block)
        np.testing.assert_array_equal(block, out[start : start + len(block)])
    return out, rows[2][:n_rows]


def _in_range(columns):
    """Bring the numbers to where squares exist in float32, as spaces do."""
    largest = np.abs(columns).max(initial=0.0)
    return columns if largest == 0.0 else columns / largest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_stay_within_their_bound(name, dtype):
    columns = _in_range(TABLES[name])
    exact = _matrix(columns)
    found, slack = _approximate(columns, dtype)
    assert (np.abs(found - exact) <= slack[:, np.newaxis] + slack[np.newaxis, :]).all()
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found[exact == 0.0], 0.0)
    # Small distances keep three digits.
    near = exact > 0.0
    assert (np.abs(found - exact)[near] <= 2e-3 * exact[near]).all() or dtype == np.float32


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_settled_neighbours_are_the_exact_ones(name, k, dtype):
    columns = _in_range(TABLES[name])
    exact = _matrix(columns)
    n_rows = len(exact)
    k = min(k, n_rows - 1)
    expected = np.full((n_rows, k), -7)
    ref_neighbours.nearest_in_block(exact, 0, True, expected, np.empty((n_rows, k)))
    found, slack = _approximate(columns, dtype)
    for guess in (np.empty((n_rows, 0), dtype=np.int64), expected[:, :2].copy()):
        indices = np.full((n_rows, k), -7)
        values = np.full((n_rows, k), np.nan, dtype)
        cpu_neighbours.settled_nearest_in_block(
            found, 0, guess, slack, 0.0, columns, np.empty(0), indices, values
        )
        np.testing.assert_array_equal(np.sort(indices), np.sort(expected))
    for exponents in (np.empty(0), np.linspace(1.0, 3.0, len(columns))):
        if len(columns):
            both = np.full((2, n_rows, k), np.nan)
            ref_neighbours.true_values(columns, exponents, expected, both[0])
            cpu_neighbours.true_values(columns, exponents, expected, both[1])
            np.testing.assert_allclose(both[1], both[0], rtol=1e-14)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_from_tiles_are_the_exact_ones(name, k, dtype):
    columns = _in_range(TABLES[name])
    exact = _matrix(columns)
    n_rows = len(exact)
    k = min(k, n_rows - 1)
    more = min(k + 1, n_rows - 1)
    expected = np.full((n_rows, more), -7)
    ref_neighbours.nearest_in_block(exact, 0, True, expected, np.empty((n_rows, more)))
    rows = _tiles(columns, dtype)
    any_others = (np.arange(n_rows)[:, np.newaxis] + np.arange(1, more + 1)) % n_rows
    found = []
    for guess in (np.empty((n_rows, 0), dtype=np.int64), expected, any_others):
        for store in _stores(n_rows, dtype):
            limits = np.full(len(rows[1]), np.nan, dtype)
            cpu_tiles.likely_limits(rows[0], rows[2], guess, limits)
            indices = np.full((n_rows, k), -7)
            values = np.full((n_rows, k), np.nan, dtype)
            cpu_tiles.nearest_in_tiles(*rows, limits, store, indices, values)
            np.testing.assert_array_equal(np.sort(indices), np.sort(expected[:, :k]))
            near = np.take_along_axis(exact, indices, axis=1)
            bound = rows[2][:n_rows, np.newaxis] + rows[2][indices]
            assert (np.abs(values - near) <= bound + 1e-6 * near).all()
            found.append((indices, values))
    for indices, values in found[1:]:
        np.testing.assert_array_equal(indices, found[0][0])
        np.testing.assert_array_equal(values, found[0][1])


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_density_from_tiles(name, quantile, dtype):
    columns = _in_range(TABLES[name][:, :150])
    exact = _matrix(columns)
    n_rows = len(exact)
    radius = float(np.sort(exact.ravel())[int(quantile * (exact.size - 1))])
    behind = (np.zeros(n_rows), 0.0, columns, np.empty(0))
    counts, nearest = np.full(n_rows, -7), np.full(n_rows, -1)
    reach, parent = np.full(n_rows, np.inf), np.arange(n_rows)
    labels = [np.full(n_rows, -7) for _ in range(3)]
    ref_neighbours.count_within(exact, 0, radius, *behind, counts)
    core = counts >= 3
    ref_neighbours.join_cores(exact, 0, radius, *behind, core, parent)
    ref_neighbours.nearest_core(exact, 0, radius, *behind, core, nearest, reach)
    ref_neighbours.label_roots(parent, core, labels[0])
    rows = _tiles(columns, dtype)
    for turn, store in enumerate(_stores(n_rows, dtype), start=1):
        found = np.full(len(rows[1]), -7, np.int32)
        density_tiles.count_in_tiles(*rows, radius, store, found)
        np.testing.assert_array_equal(found[:n_rows], counts)
        parent, their_nearest = np.arange(n_rows), np.full(n_rows, -1)
        their_reach = np.full(n_rows, np.inf)
        ready = turn == 1
        density_tiles.join_in_tiles(
            *rows, radius, ready, store, core, parent, their_nearest, their_reach
        )
        cpu_neighbours.label_roots(parent, core, labels[turn])
        np.testing.assert_array_equal(labels[turn], labels[0])
        np.testing.assert_array_equal(their_nearest, nearest)
        np.testing.assert_array_equal(their_reach, reach)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_from_tiles(name, dtype):
    columns = _in_range(TABLES[name][:, :200])
    n_rows = columns.shape[1]
    approximate, _ = _approximate(columns, dtype)
    rows = _tiles(columns, dtype)
    n_tiles = len(rows[0])
    for labels in _labellings(n_rows):
        n_clusters = labels.max() + 1
        expected = np.zeros((n_clusters, n_rows))
        ref_scores.add_cluster_sums(approximate.astype(float), 0, labels, 2.0, expected)
        found = []
        for store in _stores(n_rows, dtype):
            sums = np.zeros((n_clusters, len(rows[1])), dtype)
            cpu_tiles.add_tile_sums(*rows, 0, n_tiles, False, store, labels, sums)
            found.append(sums)
            if len(store) > 1 or n_tiles == 1:  # they are there now
                again = np.zeros_like(sums)
                half = n_tiles // 2
                cpu_tiles.add_tile_sums(*rows, 0, half, True, store, labels, again)
                cpu_tiles.add_tile_sums(*rows, half, n_tiles, True, store, labels, again)
                np.testing.assert_array_equal(again, sums)
        np.testing.assert_array_equal(found[1], found[0])
        tolerance = 1e-5 if dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found[0][:, :n_rows], expected, rtol=tolerance, atol=1e-30)


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_density(name, quantile, dtype):
    columns = _in_range(TABLES[name][:, :80])
    exact = _matrix(columns)
    approximate, slack = _approximate(columns, dtype)
    n_rows = len(exact)
    # A radius that is exactly some distance: the hardest to decide.
    radius = float(np.sort(exact.ravel())[int(quantile * (exact.size - 1))])
    results = []
    for kernels, distances in ((ref_neighbours, exact), (cpu_neighbours, approximate)):
        behind = (slack, 0.0, columns, np.empty(0))
        counts, nearest, labels = (np.full(n_rows, -7) for _ in range(3))
        reach = np.full(n_rows, 9.0)
        parent = np.arange(n_rows)
        kernels.count_within(distances, 0, radius, *behind, counts)
        core = counts >= 3
        kernels.join_cores(distances, 0, radius, *behind, core, parent)
        kernels.nearest_core(distances, 0, radius, *behind, core, nearest, reach)
        n_sets = kernels.label_roots(parent, core, labels)
        results.append((counts, nearest, reach, labels, n_sets))
    for expected, found in zip(*results, strict=True):
        np.testing.assert_array_equal(found, expected)


def _labellings(n_rows):
    rng = np.random.default_rng(3)
    yield np.zeros(n_rows, dtype=np.int64)
    yield np.arange(n_rows)
    yield (np.arange(n_rows) % 2).astype(np.int64)
    with_noise = np.where(np.arange(n_rows) < 2, np.arange(n_rows), rng.integers(-1, 2, n_rows))
    yield with_noise.astype(np.int64)


@pytest.mark.parametrize("root", [1.0, 2.0, 2.3])
def test_scores_from_distances(name, root):
    distances = _matrix(TABLES[name])[:80, :80]
    n_rows = len(distances)
    for labels in _labellings(n_rows):
        counts = np.bincount(labels[labels >= 0])
        results = []
        for kernels in (ref_scores, cpu_scores):
            silhouette, same, other, connected = (np.full(n_rows, np.nan) for _ in range(4))
            sums = np.zeros((len(counts), n_rows))
            kernels.add_cluster_sums(distances, 0, labels, root, sums)
            kernels.silhouette_rows(sums, labels, counts, silhouette)
            by_row = np.full(n_rows, np.nan)
            half = n_rows // 2
            kernels.silhouette_block(distances[:half], 0, labels, counts, root, by_row)
            kernels.silhouette_block(distances[half:], half, labels, counts, root, by_row)
            if kernels is cpu_scores:
                np.testing.assert_array_equal(by_row, silhouette)
            np.testing.assert_allclose(by_row, silhouette, rtol=1e-10, atol=1e-10)
            kernels.nearest_by_label_block(distances, 0, labels, same, other)
            indices = np.argsort(distances, axis=1, kind="stable")[:, 1:3].copy()
            near = np.take_along_axis(distances, indices, axis=1)
            kernels.connectedness_rows(indices, near, labels, 10.0, connected)
            results.append((silhouette, same, other, connected))
        for expected, found in zip(*results, strict=True):
            assert not np.isnan(found).any()
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_gaussian_scores(name):
    X = np.ascontiguousarray(TABLES[name].T)[:80]
    n_rows = len(X)
    for labels in _labellings(n_rows):
        n_clusters = labels.max() + 1
        results = []
        for kernels in (ref_scores, cpu_scores):
            own, other = np.full(n_rows, np.nan), np.full(n_rows, np.nan)
            floor = np.full(X.shape[1], 1e-12)
            kernels.gaussian_scores(X, labels, n_clusters, 0.1, floor, own, other)
            results.append((own, other))
        for expected, found in zip(*results, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


def test_linkage_on_distances_without_ties(name):
    columns = TABLES[name]
    rng = np.random.default_rng(0)
    n_rows = min(columns.shape[1], 40)
    # Distances between all pairs made distinct: with ties several trees are right.
    noise = np.triu(rng.uniform(size=(n_rows, n_rows)), 1)
    distances = _matrix(columns[:, :n_rows] / (1.0 + np.abs(columns).max(initial=0.0)))
    distances = distances + 1e-3 * (noise + noise.T)
    for n_clusters in {1, 2, n_rows // 2, n_rows}:
        if n_clusters < 1:
            continue
        labels = []
        for kernels in (ref_linkage, cpu_linkage):
            out = np.full(n_rows, -7)
            kernels.complete_linkage(distances.copy(), n_clusters, out)
            assert len(np.unique(out)) == n_clusters
            labels.append(out)
        np.testing.assert_array_equal(labels[1], labels[0])


@pytest.mark.parametrize("spread", [0.0, 1e-7, 1e-3, 1.0])
def test_settled_linkage_is_that_of_exact_distances(name, spread):
    # Rows that nearly repeat each other are what single precision cannot tell apart; with none of
    # the spread they do repeat each other, and the kernel may give up.
    rng = np.random.default_rng(5)
    columns = np.tile(_in_range(TABLES[name]), (1, 150))[:, :150]
    columns = columns + spread * rng.normal(size=columns.shape)
    if len(columns) == 0:
        return
    rows = _tiles(columns, np.float32)
    n_rows = columns.shape[1]
    distances = np.empty((n_rows, n_rows), np.float32)
    cpu_products.product_matrix(*rows, distances)
    exact = _matrix(columns)
    for n_clusters in (1, 2, 10, 75, 150):
        expected, found = np.full(n_rows, -7), np.full(n_rows, -7)
        cpu_linkage.complete_linkage(exact.copy(), n_clusters, expected)
        if spread > 1e-7:  # no ties: all ways to the tree are the same
            ref_linkage.complete_linkage(exact.copy(), n_clusters, found)
            np.testing.assert_array_equal(found, expected)
        settled = settled_linkage(
            distances.copy(),
            np.empty_like(distances),
            rows[2][:n_rows],
            0.0,
            columns,
            np.empty(0),
            n_clusters,
            found,
        )
        if settled:
            np.testing.assert_array_equal(found, expected)
        else:
            assert spread < 1.0


@pytest.mark.parametrize("damping", [0.5, 0.9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_affinity_propagation(name, damping, dtype):
    similarity = -_matrix(_in_range(TABLES[name]))[:40, :40].astype(dtype)
    bits, shift = f"u{similarity.itemsize}", np.uint64(15 if dtype == np.float32 else 47)
    counts = np.full((2, 2**16), -7)
    ref_affinity.upper_bins(-similarity, shift, counts[0])
    cpu_affinity.upper_bins(-similarity, shift, counts[1])
    np.testing.assert_array_equal(counts[1], counts[0])
    some = np.flatnonzero(counts[0])[[0, counts[0].astype(bool).sum() // 2]]
    chosen = np.full((2, counts[0][some[0] : some[1] + 1].sum()), np.nan, dtype)
    ref_affinity.upper_between(-similarity, shift, *some.astype(bits), chosen[0])
    cpu_affinity.upper_between(-similarity, shift, *some.astype(np.uint64), chosen[1])
    np.testing.assert_array_equal(chosen[1], chosen[0])
    np.fill_diagonal(similarity, np.median(similarity))
    shaken = similarity.copy()
    ref_affinity.break_ties(similarity)
    cpu_affinity.break_ties(shaken)
    np.testing.assert_array_equal(shaken, similarity)
    results = []
    for kernels in (ref_affinity, cpu_affinity):
        responsibility, availability = np.empty((2, *similarity.shape))
        exemplars = np.full(len(similarity), -7)
        settled = kernels.affinity_propagation(
            similarity, responsibility, availability, damping, 200, 15, exemplars
        )
        results.append((bool(settled), exemplars))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[1][1], results[0][1])


@pytest.mark.parametrize("damping", [0.5, 0.9])
@pytest.mark.parametrize("preference", [0.5, 0.99, 0.01])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_affinity_messages_in_lists(name, damping, preference, dtype):
    # Long enough for lists; a low preference leaves few exemplars, for which matrices are better.
    rng = np.random.default_rng(11)
    columns = np.tile(_in_range(TABLES[name]), (1, 200))[:, :200]
    columns = columns + rng.integers(0, 8, 200) + 0.2 * rng.normal(size=columns.shape)
    if len(columns) == 0:
        return
    similarity = -_matrix(columns).astype(dtype)
    np.fill_diagonal(similarity, np.quantile(similarity, preference))
    ref_affinity.break_ties(similarity)
    exact = similarity.astype(np.float64)
    nudged = exact * (1.0 + 2.0**-52 * rng.integers(-1, 2, exact.shape))
    results = []
    for kernels, given in (
        (ref_affinity, exact),
        (ref_affinity, nudged),
        (cpu_affinity, similarity),
    ):
        room, exemplars = np.empty((2, *exact.shape)), np.full(len(exact), -7)
        settled = kernels.affinity_propagation(given, *room, damping, 200, 15, exemplars)
        results.append((bool(settled), exemplars.tolist()))
    # Messages that swing for ever magnify the last bit: then there is no answer to agree with.
    if damping == 0.9 or results[0] == results[1]:
        assert results[2] == results[0]
