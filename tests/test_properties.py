"""Properties that must hold whatever the input: measures in exact arithmetic, kernels against the
readable ones on numbers that hurt, criteria on every partition, swarms that never lose their best.

Measures are compared with their definitions in fractions: rows on a line of whole numbers have
distances that are whole, so nothing is rounded but the answer.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft import metrics
from weft.criteria import CRITERIA, Context, make_criterion
from weft.kernels.cpu import distances as cpu_distances
from weft.kernels.cpu import linkage as cpu_linkage
from weft.kernels.cpu import minkowski as cpu_minkowski
from weft.kernels.cpu import moves as cpu_moves
from weft.kernels.cpu import neighbours as cpu_neighbours
from weft.kernels.cpu import prototypes as cpu_prototypes
from weft.kernels.cpu import scores as cpu_scores
from weft.kernels.reference import distances as ref_distances
from weft.kernels.reference import kmeans as ref_kmeans
from weft.kernels.reference import linkage as ref_linkage
from weft.kernels.reference import moves as ref_moves
from weft.kernels.reference import neighbours as ref_neighbours
from weft.kernels.reference import prototypes as ref_prototypes
from weft.kernels.reference import scores as ref_scores
from weft.metrics.on_spaces import nearest_neighbours
from weft.optimize import optimize
from weft.particles import SelectionParticle, WeightExponentParticle, WeightParticle
from weft.spaces import Buffers, Solution, Space, Table
from weft.swarms.base import Evaluation
from weft.swarms.binary import BinaryPSO
from weft.swarms.clpso import CLPSO
from weft.swarms.ga import GA
from weft.swarms.mepso import MEPSO
from weft.swarms.pso import PSO
from weft.swarms.standard import StandardPSO

QUICK = settings(max_examples=60, deadline=None)
CLOSE = {"rel": 1e-12, "abs": 1e-12}


# Measures in fractions ------------------------------------------------------------------------

lines = st.lists(st.integers(-20, 20), min_size=2, max_size=7)


@st.composite
def labelled_lines(draw):
    places = draw(lines)
    labels = draw(st.lists(st.integers(-1, 2), min_size=len(places), max_size=len(places)))
    return places, labels


def members(labels):
    """Rows of each cluster, by its number; rows labelled -1 are in none."""
    return {c: [i for i, own in enumerate(labels) if own == c] for c in set(labels) - {-1}}


def table(places):
    return np.array(places, dtype=float)[:, np.newaxis]


def silhouette_by_definition(places, labels):
    clusters = members(labels)
    rows = [i for i, own in enumerate(labels) if own != -1]
    if not rows:
        return Fraction(0)
    total = Fraction(0)
    for i in rows:
        mates = [j for j in clusters[labels[i]] if j != i]
        if not mates or len(clusters) < 2:
            continue
        a = Fraction(sum(abs(places[i] - places[j]) for j in mates), len(mates))
        b = min(
            Fraction(sum(abs(places[i] - places[j]) for j in other), len(other))
            for number, other in clusters.items()
            if number != labels[i]
        )
        if max(a, b) > 0:
            total += (b - a) / max(a, b)
    return total / len(rows)


@given(labelled_lines())
@QUICK
def test_silhouette_in_fractions(case):
    places, labels = case
    expected = float(silhouette_by_definition(places, labels))
    assert metrics.silhouette(table(places), labels) == pytest.approx(expected, **CLOSE)


@given(labelled_lines())
@QUICK
def test_sparsity_and_separation_in_fractions(case):
    places, labels = case
    clusters = members(labels)
    inside, outside = [], []
    for own in clusters.values():
        gaps = [min((abs(places[i] - places[j]) for j in own if j != i), default=0) for i in own]
        inside.append(max(gaps))
        others = [j for other in clusters.values() if other is not own for j in other]
        outside.append(min((abs(places[i] - places[j]) for i in own for j in others), default=0))
    n = max(1, len(clusters))
    X = table(places)
    assert metrics.sparsity(X, labels) == pytest.approx(float(Fraction(sum(inside), n)), **CLOSE)
    assert metrics.separation(X, labels) == pytest.approx(float(Fraction(sum(outside), n)), **CLOSE)


@given(labelled_lines(), st.integers(1, 3))
@QUICK
def test_connectedness_in_fractions(case, k):
    """Where neighbours tie in distance, any choice of them is right: the values bracket it."""
    places, labels = case
    rows = [i for i, own in enumerate(labels) if own != -1]
    low = high = Fraction(0)
    for i in rows:
        others = sorted((abs(places[i] - places[j]), j) for j in range(len(places)) if j != i)
        # A neighbour in no cluster takes a place and counts nothing.
        signs = {
            j: 0 if labels[j] == -1 else 1 if labels[j] == labels[i] else -1 for _, j in others
        }
        worth = [(d, signs[j] * (Fraction(1, d) if d else Fraction(10))) for d, j in others]
        limit = worth[min(k, len(worth)) - 1][0]
        sure = [w for d, w in worth if d < limit]
        tied = sorted(w for d, w in worth if d == limit)
        n_tied = min(k, len(worth)) - len(sure)
        low += sum(sure) + sum(tied[:n_tied])
        high += sum(sure) + sum(tied[len(tied) - n_tied :])
    n = max(1, len(rows))
    found = metrics.connectedness(table(places), labels, n_neighbors=k)
    assert float(low / n) - 1e-9 <= found <= float(high / n) + 1e-9


@given(labelled_lines())
@QUICK
def test_prototype_measures_in_fractions(case):
    places, labels = case
    clusters = members(labels)
    rows = [i for i, own in enumerate(labels) if own != -1]
    if not rows:
        return
    means = {c: Fraction(sum(places[i] for i in own), len(own)) for c, own in clusters.items()}
    X = table(places)
    intra = sum(abs(places[i] - means[labels[i]]) for i in rows)
    assert metrics.sum_intra(X, labels) == pytest.approx(float(intra), **CLOSE)
    mean = Fraction(sum(places[i] for i in rows), len(rows))
    within = sum((places[i] - means[labels[i]]) ** 2 for i in rows)
    between = sum((means[labels[i]] - mean) ** 2 for i in rows)
    trace = between / within if within else Fraction(0)
    assert metrics.scatter_trace(X, labels) == pytest.approx(float(trace), rel=1e-9, abs=1e-9)
    if len(clusters) < 2:
        assert metrics.cs(X, labels) == math.inf
        return
    wide = sum(
        Fraction(sum(max(abs(places[i] - places[j]) for j in own) for i in own), len(own))
        for own in clusters.values()
    )
    apart = sum(min(abs(means[c] - means[other]) for other in means if other != c) for c in means)
    expected = float(wide / apart) if apart else math.inf
    assert metrics.cs(X, labels) == pytest.approx(expected, rel=1e-9)


pairs_of_labels = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(-1, 3), min_size=n, max_size=n),
    )
)


@given(pairs_of_labels)
@QUICK
def test_agreement_with_classes_in_fractions(case):
    truth, found = case
    n = len(truth)
    together = list(itertools.combinations(range(n), 2))
    tp = sum(truth[i] == truth[j] and found[i] == found[j] != -1 for i, j in together)
    fp = sum(truth[i] != truth[j] and found[i] == found[j] != -1 for i, j in together)
    fn = sum(truth[i] == truth[j] and not (found[i] == found[j] != -1) for i, j in together)
    nothing = float(fp == fn == 0)
    f1 = float(Fraction(2 * tp, 2 * tp + fp + fn)) if tp else nothing
    f = math.sqrt(Fraction(tp * tp, (tp + fp) * (tp + fn))) if tp else nothing
    assert metrics.pair_f1(truth, found) == pytest.approx(f1, **CLOSE)
    assert metrics.pair_f(truth, found) == pytest.approx(f, **CLOSE)
    clusters = members(found)
    most = {c: max(Counter(truth[i] for i in own).values()) for c, own in clusters.items()}
    n_in = sum(len(own) for own in clusters.values())
    by_cluster = sum(Fraction(most[c], len(clusters[c])) for c in clusters)
    assert metrics.purity(truth, found) == pytest.approx(
        float(by_cluster / len(clusters)) if clusters else 0.0, **CLOSE
    )
    assert metrics.purity(truth, found, average="row") == pytest.approx(
        float(Fraction(sum(most.values()), n_in)) if n_in else 0.0, **CLOSE
    )
    # Every one-to-one assignment of clusters to classes, by trying them all.
    numbers, classes = sorted(clusters), sorted(set(truth))
    places = classes + [None] * len(numbers)
    best = max(
        (
            sum(
                truth[i] == means
                for c, means in zip(numbers, chosen, strict=True)
                for i in clusters[c]
            )
            for chosen in itertools.permutations(places, len(numbers))
        ),
        default=0,
    )
    assert metrics.accuracy(truth, found) == pytest.approx(best / n, **CLOSE)
    assert metrics.accuracy(truth, found, mapping="greedy") <= best / n + 1e-12
    score = sum(
        Fraction(truth.count(r), n)
        * max(
            (
                Fraction(2 * sum(truth[i] == r for i in own), truth.count(r) + len(own))
                for own in clusters.values()
            ),
            default=Fraction(0),
        )
        for r in classes
    )
    assert metrics.fscore(truth, found) == pytest.approx(float(score), **CLOSE)
    mixed = 0.0
    for own in clusters.values():
        shares = [Fraction(k, len(own)) for k in Counter(truth[i] for i in own).values()]
        mixed -= len(own) * sum(float(share) * math.log(share) for share in shares)
    scale = n_in * math.log(len(classes)) if len(classes) > 1 else 0.0
    expected = mixed / scale if scale else 0.0
    assert metrics.entropy(truth, found) == pytest.approx(expected, rel=1e-9, abs=1e-12)


# Every partition of six rows ------------------------------------------------------------------


def partitions(n):
    """Set partitions as labels in order of first use."""

    def grow(labels, k):
        if len(labels) == n:
            yield np.array(labels)
            return
        for label in range(k + 1):
            yield from grow([*labels, label], max(k, label + 1))

    yield from grow([], 0)


SIX = {
    "plain": np.random.default_rng(0).normal(size=(6, 3)),
    "ties": np.array([[i % 2, i // 2 % 2, 0.0] for i in range(6)]),
    "equal rows": np.repeat(np.random.default_rng(0).normal(size=(2, 3)), 3, axis=0),
    "constant": np.ones((6, 2)),
    "one feature": np.arange(6.0)[:, None],
    "large": np.random.default_rng(0).normal(size=(6, 2)) * 1e140,
    "tiny": np.random.default_rng(0).normal(size=(6, 2)) * 1e-150,
    "denormal": np.random.default_rng(0).integers(0, 3, (6, 2)) * 5e-324,
    "both": np.random.default_rng(0).normal(size=(6, 2)) * np.array([1e140, 1e-140]),
}


def test_there_are_203_partitions_of_six():
    assert sum(1 for _ in partitions(6)) == 203  # Bell's number


@pytest.mark.parametrize("kind", SIX)
@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_every_criterion_is_finite_on_every_partition_of_six_rows(name, kind):
    table_ = Table.of(SIX[kind])
    criterion = make_criterion(name, None)
    solution = Solution(np.ones(SIX[kind].shape[1]))
    space = Space.of(table_, solution, Buffers(hold_matrix=True))
    wanted = criterion.n_neighbors_wanted()
    context = Context(table_, nearest_neighbours(space, wanted) if wanted else None)
    for labels in partitions(6):
        value = criterion.score(space, labels, context)
        assert np.isfinite(value), labels
        apart = labels.copy()
        apart[0] = -1  # a row in no cluster
        if (apart >= 0).any():
            _, apart[1:] = np.unique(apart[1:], return_inverse=True)
            assert np.isfinite(criterion.score(space, apart, context)), apart


# Kernels on numbers that hurt -----------------------------------------------------------------

HURT = (0.0, -0.0, 1.0, -1.0, 1 / 3, 1 + 2**-52, 1e150, -1e150, 1e-150, 5e-324, 2.2e-308, 7.0)


@st.composite
def hard_tables(draw, palette=HURT, max_rows=9):
    n_rows, n_features = draw(st.integers(2, max_rows)), draw(st.integers(1, 4))
    cells = st.one_of(st.sampled_from(palette), st.integers(0, 1).map(float))
    X = draw(arrays(np.float64, (n_rows, n_features), elements=cells))
    if draw(st.booleans()):
        X[draw(st.integers(0, n_rows - 1))] = X[0]  # a duplicate
    if draw(st.booleans()):
        X[:, 0] = X[0, 0]  # a constant column
    return X


MILD = tuple(value for value in HURT if abs(value) < 1e100)


@given(hard_tables())
@QUICK
def test_distances_and_neighbours_on_hard_tables(X):
    columns = np.ascontiguousarray(X.T)
    n = len(X)
    both = np.empty((2, n, n))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        ref_distances.squared_matrix(columns, both[0])
    cpu_distances.squared_matrix(columns, both[1])
    np.testing.assert_array_equal(both[1], both[0])
    for k in {1, n - 1}:
        found = []
        for kernels in (ref_neighbours, cpu_neighbours):
            indices, values = np.full((n, k), -7), np.full((n, k), np.nan)
            kernels.nearest_in_block(both[0], 0, True, indices, values)
            labels = np.full(n, -7)
            found.append((indices, values, kernels.graph_components(indices, labels), labels))
        for one, two in zip(*found, strict=True):
            np.testing.assert_array_equal(one, two)


def _allowed(distances, k):
    """All partitions into k that complete linkage may end with, whichever of equal pairs merge."""
    reached = {frozenset(frozenset([i]) for i in range(len(distances)))}
    for _ in range(len(distances) - k):
        further = set()
        for parts in reached:
            heights = {
                pair: distances[np.ix_(list(pair[0]), list(pair[1]))].max()
                for pair in itertools.combinations(parts, 2)
            }
            least = min(heights.values())
            for (a, b), height in heights.items():
                if height == least:
                    further.add((parts - {a, b}) | {a | b})
        reached = further
    return reached


@given(hard_tables(MILD, max_rows=7), st.data())
@QUICK
def test_linkage_on_hard_tables(X, data):
    n = len(X)
    k = data.draw(st.integers(1, n))  # k = n too
    matrix = np.empty((n, n))
    ref_distances.squared_matrix(np.ascontiguousarray(X.T), matrix)
    allowed = _allowed(matrix, k)
    for kernels in (ref_linkage, cpu_linkage):
        labels = np.full(n, -7)
        kernels.complete_linkage(matrix.copy(), k, labels)
        groups = [np.flatnonzero(labels == label) for label in range(k)]
        assert frozenset(frozenset(group.tolist()) for group in groups) in allowed
        assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@given(hard_tables(MILD), st.data())
@QUICK
def test_scores_on_hard_tables(X, data):
    n = len(X)
    raw = data.draw(arrays(np.int64, n, elements=st.integers(-1, 3)))
    labels = np.full(n, -1)
    if (raw >= 0).any():
        labels[raw >= 0] = np.unique(raw[raw >= 0], return_inverse=True)[1]
    counts = np.bincount(labels[labels >= 0])
    matrix = np.empty((n, n))
    ref_distances.squared_matrix(np.ascontiguousarray(X.T), matrix)
    found = []
    for kernels in (ref_scores, cpu_scores):
        out = np.full((4, n), np.nan)
        sums = np.zeros((len(counts), n))
        kernels.add_cluster_sums(matrix, 0, labels, 2.0, sums)
        kernels.silhouette_rows(sums, labels, counts, out[0])
        kernels.nearest_by_label_block(matrix, 0, labels, out[1], out[2])
        indices = np.argsort(matrix + np.diag(np.full(n, -1.0)), axis=1, kind="stable")[:, 1:3]
        near = np.sqrt(np.take_along_axis(matrix, indices, axis=1))
        kernels.connectedness_rows(indices.copy(), near, labels, 10.0, out[3])
        found.append(out)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12)
    assert (np.abs(found[0][0]) <= 1.0).all()


@given(hard_tables(MILD), st.data())
@QUICK
def test_nearest_centres_on_hard_tables(X, data):
    n, m = X.shape
    k = data.draw(st.integers(1, n))
    centers = X[data.draw(st.permutations(range(n)))[:k]].copy()
    factors = data.draw(arrays(float, (k, m), elements=st.sampled_from([0.0, 1.0, 0.5, 1e-9])))
    exponent = data.draw(st.sampled_from([1.0, 2.0, 3.5]))
    found = []
    for kernels in (ref_kmeans, cpu_minkowski):
        labels, best = np.full(n, -7, np.int32), np.full(n, np.nan)
        kernels.nearest_centers(X, centers, factors, exponent, labels, best)
        found.append((labels, best))
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-12, atol=1e-300)
    # Ties, and what rounding makes of them, may go either way, but never to a farther centre.
    powered = (np.abs(X[:, np.newaxis] - centers) ** exponent * factors).sum(axis=2)
    for labels, _ in found:
        own = powered[np.arange(n), labels]
        assert (own <= powered.min(axis=1) * (1 + 1e-12) + 1e-300).all()


@given(hard_tables(MILD), st.data())
@QUICK
def test_prototypes_on_hard_tables(X, data):
    n, m = X.shape
    position = data.draw(arrays(float, m + n + 1, elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0])))
    columns = np.ascontiguousarray(X.T)
    found = []
    for kernels in (ref_prototypes, cpu_prototypes):
        features, chosen = kernels.decode_medoids(position, m, n)
        assert ((features >= 0) & (features < m)).all()
        assert ((chosen >= 0) & (chosen < n)).all()
        out = np.full(n, -7)
        count = kernels.distinct_medoids(X, features, chosen, n, out) if len(features) else 0
        labels, squared = np.full(n, -7), np.full(n, np.nan)
        if count and len(features):
            prototypes = np.ascontiguousarray(X[np.ix_(out[:count], features)])
            kernels.nearest_prototypes(columns, features, prototypes, labels, squared)
        found.append((features, chosen, count, out[:count], labels, squared))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


# Swarms ---------------------------------------------------------------------------------------

SWARMS = {
    "pso": PSO(),
    "standard": StandardPSO(),
    "binary": BinaryPSO(),
    "clpso": CLPSO(12),
    "clpso repair": CLPSO(12, bounds="repair"),
    "clpso neglect": CLPSO(12, bounds="neglect"),
    "mepso": MEPSO(n_generations=12),
    "mepso plain": MEPSO(n_generations=12, elitist=False),
    "ga": GA(3, 1),
}


@pytest.mark.parametrize("name", SWARMS)
@given(
    seed=st.integers(0, 2**32 - 1),
    worths=st.lists(
        st.sampled_from([-math.inf, 0.0, 1.0, 1.0, 2.0, 1e300, 5e-324]), min_size=1, max_size=9
    ),
)
@settings(max_examples=25, deadline=None)
def test_the_best_never_worsens_and_is_what_was_seen(name, seed, worths):
    """Whatever the fitness: ties, infinities, values that repeat."""
    rng = np.random.default_rng(seed)
    seen: list[tuple[float, np.ndarray]] = []
    bests: list[float] = []

    def objective(positions):
        fitness = np.array([worths[int(rng.integers(len(worths)))] for _ in positions])
        seen.extend(zip(fitness.tolist(), positions.copy(), strict=True))
        return Evaluation(fitness)

    def watch(generation):
        bests.append(generation.best_fitness)
        assert np.isfinite(generation.positions).all()

    best = optimize(
        objective,
        SWARMS[name],
        rng.uniform(0.0, 1.0, (5, 6)),
        n_generations=12,
        rng=rng,
        callbacks=[watch],
    )
    assert bests == sorted(bests)
    assert best.fitness == max(fitness for fitness, _ in seen)
    if np.isfinite(best.fitness):
        assert any(f == best.fitness and (p == best.position).all() for f, p in seen)


@pytest.mark.parametrize("name", ["clpso", "clpso repair", "mepso"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_swarms_in_a_box_stay_in_it(name, seed):
    rng = np.random.default_rng(seed)
    optimize(
        lambda positions: Evaluation(positions.sum(axis=1)),  # pulls to a corner
        SWARMS[name],
        rng.uniform(0.0, 1.0, (4, 3)),
        n_generations=12,
        rng=rng,
        callbacks=[lambda g: not ((g.positions >= 0.0) & (g.positions <= 1.0)).all() and 1 / 0],
    )


@given(
    arrays(float, (3, 4), elements=st.floats(-1e3, 1e3)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-9, 1.0, 6.0]),
)
@QUICK
def test_moves_are_those_of_the_readable_kernel_and_clamped(positions, seed, clamp):
    rng = np.random.default_rng(seed)
    velocities, own = rng.normal(size=(2, 3, 4))
    arguments = (
        positions,
        velocities,
        own,
        own[0],
        rng.random((2, 3, 4)),
        np.array([0.7, 1.5, 1.5]),
    )
    one = cpu_moves.move_particles(*arguments, clamp)
    two = ref_moves.move_particles(*arguments, clamp)
    for found, expected in zip(one, two, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    assert (np.abs(one[1]) <= clamp).all()


anything = st.floats(allow_nan=False, width=64)


@given(arrays(float, 6, elements=anything))
@QUICK
def test_decoding_stays_within_bounds_for_any_number(position):
    for particle in (WeightParticle(6), WeightExponentParticle(3), SelectionParticle(6)):
        with np.errstate(over="ignore"):
            solution = particle.decode(position)
        assert (solution.weights >= 0.0).all()
        if solution.exponents is not None:
            assert ((solution.exponents >= 1.0) & (solution.exponents <= 3.0)).all()
