"""Every compiled kernel against its readable reference, on plain and on nasty input."""

import numpy as np
import pytest

from weft._base.labels import number_by_first_row
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
from weft.backends.reference import clusterings
from weft.backends.reference.clusterings import powered_distances


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


def test_squared_distances_are_the_same_bits_however_they_are_cut(name):
    columns = TABLES[name]
    n_rows = columns.shape[1]
    expected = powered_distances(columns)
    whole = np.full((n_rows, n_rows), np.nan)
    cpu_distances.powered_matrix(columns, np.empty(0), whole)
    np.testing.assert_array_equal(whole, expected)
    for size in (1, 7, n_rows):
        for start in range(0, n_rows, max(size, n_rows // 4)):
            stop = min(start + size, n_rows)
            block = np.full((stop - start, n_rows), np.nan)
            cpu_distances.powered_block(columns, start, stop, columns, np.empty(0), block)
            np.testing.assert_array_equal(block, expected[start:stop])


def test_powered_distances(name):
    columns = _in_range(TABLES[name][:, :60])
    n_rows = columns.shape[1]
    exponents = np.linspace(1.0, 3.0, len(columns))
    whole, block = (np.full((n_rows, n_rows), np.nan) for _ in range(2))
    with np.errstate(over="ignore", under="ignore"):
        expected = powered_distances(columns, exponents)
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
        weighted = columns[kept] * weights[:, np.newaxis]
        expected = powered_distances(weighted, exponents)
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
    distances = powered_distances(TABLES[name])
    n_rows = len(distances)
    k = min(k, n_rows - 1)
    indices, values = np.full((n_rows, k), -7), np.full((n_rows, k), np.nan)
    half = n_rows // 2
    cpu_neighbours.nearest_in_block(distances[:half], 0, True, indices, values)
    cpu_neighbours.nearest_in_block(distances[half:], half, True, indices, values)
    expected = clusterings.nearest_rows(distances, k)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(values, expected[1])
    labels, components = np.full(n_rows, -7), clusterings.graph_components(indices)
    assert cpu_neighbours.graph_components(indices, labels) == components.max() + 1
    np.testing.assert_array_equal(labels, components)


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
    exact = powered_distances(columns)
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
    exact = powered_distances(columns)
    n_rows = len(exact)
    k = min(k, n_rows - 1)
    expected, _ = clusterings.nearest_rows(exact, k)
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
            true = np.full((n_rows, k), np.nan)
            cpu_neighbours.true_values(columns, exponents, expected, true)
            powered = powered_distances(columns, exponents if len(exponents) else None)
            near = np.take_along_axis(powered, expected, axis=1)
            np.testing.assert_allclose(true, near, rtol=1e-14)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_from_tiles_are_the_exact_ones(name, k, dtype):
    columns = _in_range(TABLES[name])
    exact = powered_distances(columns)
    n_rows = len(exact)
    k = min(k, n_rows - 1)
    more = min(k + 1, n_rows - 1)
    expected, _ = clusterings.nearest_rows(exact, more)
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
    exact = powered_distances(columns)
    n_rows = len(exact)
    radius = float(np.sort(exact.ravel())[int(quantile * (exact.size - 1))])
    counts, core, sets, nearest, reach = _density(exact, radius)
    labels = np.full(n_rows, -7)
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
        cpu_neighbours.label_roots(parent, core, labels)
        np.testing.assert_array_equal(labels, sets)
        np.testing.assert_array_equal(their_nearest, nearest)
        np.testing.assert_array_equal(their_reach, reach)


def _density(distances, radius):
    """Mates within the radius, core rows, their sets, and the nearest core row of the others."""
    counts = (distances <= radius).sum(axis=1)
    labels, core = clusterings.dbscan(distances, radius, 3)
    sets = number_by_first_row(np.where(core, labels, -1))
    within = np.where(core & (distances <= radius), distances, np.inf)
    within[core] = np.inf  # they look for none
    reach = within.min(axis=1)
    return counts, core, sets, np.where(np.isfinite(reach), within.argmin(axis=1), -1), reach


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_from_tiles(name, dtype):
    columns = _in_range(TABLES[name][:, :200])
    n_rows = columns.shape[1]
    approximate, _ = _approximate(columns, dtype)
    rows = _tiles(columns, dtype)
    n_tiles = len(rows[0])
    for labels in _labellings(n_rows):
        n_clusters = labels.max() + 1
        away = np.sqrt(approximate.astype(float))
        expected = np.stack([away[labels == k].sum(axis=0) for k in range(n_clusters)])
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
    exact = powered_distances(columns)
    approximate, slack = _approximate(columns, dtype)
    n_rows = len(exact)
    # A radius that is exactly some distance: the hardest to decide.
    radius = float(np.sort(exact.ravel())[int(quantile * (exact.size - 1))])
    expected, core, sets, expected_nearest, expected_reach = _density(exact, radius)
    behind = (slack, 0.0, columns, np.empty(0))
    counts, labels = np.full(n_rows, -7), np.full(n_rows, -7)
    nearest, reach = np.full(n_rows, -1), np.full(n_rows, np.inf)  # core rows keep what they have
    parent = np.arange(n_rows)
    cpu_neighbours.count_within(approximate, 0, radius, *behind, counts)
    np.testing.assert_array_equal(counts, expected)
    cpu_neighbours.join_cores(approximate, 0, radius, *behind, core, parent)
    cpu_neighbours.nearest_core(approximate, 0, radius, *behind, core, nearest, reach)
    np.testing.assert_array_equal(nearest, expected_nearest)
    np.testing.assert_array_equal(reach, expected_reach)
    assert cpu_neighbours.label_roots(parent, core, labels) == sets.max() + 1
    np.testing.assert_array_equal(labels, sets)


def _labellings(n_rows):
    rng = np.random.default_rng(3)
    yield np.zeros(n_rows, dtype=np.int64)
    yield np.arange(n_rows)
    yield (np.arange(n_rows) % 2).astype(np.int64)
    with_noise = np.where(np.arange(n_rows) < 2, np.arange(n_rows), rng.integers(-1, 2, n_rows))
    yield with_noise.astype(np.int64)


@pytest.mark.parametrize("root", [1.0, 2.0, 2.3])
def test_scores_from_distances(name, root):
    distances = powered_distances(TABLES[name])[:80, :80]
    n_rows = len(distances)
    for labels in _labellings(n_rows):
        counts = np.bincount(labels[labels >= 0])
        silhouette, by_row, same, other, connected = (np.full(n_rows, np.nan) for _ in range(5))
        sums = np.zeros((len(counts), n_rows))
        cpu_scores.add_cluster_sums(distances, 0, labels, root, sums)
        cpu_scores.silhouette_rows(sums, labels, counts, silhouette)
        half = n_rows // 2
        cpu_scores.silhouette_block(distances[:half], 0, labels, counts, root, by_row)
        cpu_scores.silhouette_block(distances[half:], half, labels, counts, root, by_row)
        np.testing.assert_array_equal(by_row, silhouette)
        cpu_scores.nearest_by_label_block(distances, 0, labels, same, other)
        indices = np.argsort(distances, axis=1, kind="stable")[:, 1:3].copy()
        near = np.take_along_axis(distances, indices, axis=1)
        cpu_scores.connectedness_rows(indices, near, labels, 10.0, connected)
        expected = (
            clusterings.silhouette_rows(distances ** (1.0 / root), labels),
            *clusterings.nearest_by_label(distances, labels),
            clusterings.connectedness_rows(indices, near, labels, 10.0),
        )
        for wanted, found in zip(expected, (silhouette, same, other, connected), strict=True):
            assert not np.isnan(found).any()
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_gaussian_scores(name):
    X = np.ascontiguousarray(TABLES[name].T)[:80]
    n_rows = len(X)
    for labels in _labellings(n_rows):
        found = np.full((2, n_rows), np.nan)
        floor = np.full(X.shape[1], 1e-12)
        cpu_scores.gaussian_scores(X, labels, labels.max() + 1, 0.1, floor, *found)
        expected = clusterings.gaussian_scores(X, labels, 0.1, floor)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


def test_linkage_on_distances_without_ties(name):
    columns = TABLES[name]
    rng = np.random.default_rng(0)
    n_rows = min(columns.shape[1], 40)
    # Distances between all pairs made distinct: with ties several trees are right.
    noise = np.triu(rng.uniform(size=(n_rows, n_rows)), 1)
    distances = powered_distances(columns[:, :n_rows] / (1.0 + np.abs(columns).max(initial=0.0)))
    distances = distances + 1e-3 * (noise + noise.T)
    for n_clusters in {1, 2, n_rows // 2, n_rows}:
        if n_clusters < 1:
            continue
        labels = np.full(n_rows, -7)
        cpu_linkage.complete_linkage(distances.copy(), n_clusters, labels)
        assert len(np.unique(labels)) == n_clusters
        expected = clusterings.complete_linkage(distances, n_clusters)
        np.testing.assert_array_equal(labels, expected)


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
    exact = powered_distances(columns)
    for n_clusters in (1, 2, 10, 75, 150):
        expected, found = np.full(n_rows, -7), np.full(n_rows, -7)
        cpu_linkage.complete_linkage(exact.copy(), n_clusters, expected)
        if spread > 1e-7:  # no ties: all ways to the tree are the same
            wanted = clusterings.complete_linkage(exact, n_clusters)
            np.testing.assert_array_equal(expected, wanted)
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


def _exemplars(similarity, damping):
    room, exemplars = np.empty((2, *similarity.shape)), np.full(len(similarity), -7)
    settled = cpu_affinity.affinity_propagation(similarity, *room, damping, 200, 15, exemplars)
    return bool(settled), exemplars.tolist()


def _expected_exemplars(similarity, damping):
    exemplars, settled = clusterings.affinity_propagation(similarity, damping, 200, 15)
    return settled, exemplars.tolist()


@pytest.mark.parametrize("damping", [0.5, 0.9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_affinity_propagation(name, damping, dtype):
    similarity = -powered_distances(_in_range(TABLES[name]))[:40, :40].astype(dtype)
    upper = -similarity[np.triu_indices(len(similarity), 1)]
    shift = np.uint64(15 if dtype == np.float32 else 47)
    first_bits = upper.view(f"u{upper.itemsize}").astype(np.uint64) >> shift
    counts = np.full(2**16, -7)
    cpu_affinity.upper_bins(-similarity, shift, counts)
    np.testing.assert_array_equal(counts, np.bincount(first_bits.astype(int), minlength=2**16))
    low, high = np.flatnonzero(counts)[[0, counts.astype(bool).sum() // 2]].astype(np.uint64)
    expected = upper[(first_bits >= low) & (first_bits <= high)]
    chosen = np.full(len(expected), np.nan, dtype)
    cpu_affinity.upper_between(-similarity, shift, low, high, chosen)
    np.testing.assert_array_equal(chosen, expected)
    np.fill_diagonal(similarity, np.median(similarity))
    shaken = similarity.copy()
    cpu_affinity.break_ties(shaken)
    np.testing.assert_array_equal(shaken, clusterings.break_ties(similarity))
    assert _exemplars(shaken, damping) == _expected_exemplars(shaken, damping)


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
    similarity = -powered_distances(columns).astype(dtype)
    np.fill_diagonal(similarity, np.quantile(similarity, preference))
    similarity = clusterings.break_ties(similarity)
    exact = similarity.astype(np.float64)
    nudged = exact * (1.0 + 2.0**-52 * rng.integers(-1, 2, exact.shape))
    expected = _expected_exemplars(exact, damping)
    # Messages that swing for ever magnify the last bit: then there is no answer to agree with.
    if damping == 0.9 or _expected_exemplars(nudged, damping) == expected:
        assert _exemplars(similarity, damping) == expected
