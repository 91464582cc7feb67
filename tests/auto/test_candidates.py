"""The family as a whole: the right answer is among it, in any order of rows, for any table."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from weft.auto.candidates import FAMILIES, generate
from weft.auto.candidates.sizes import cluster_counts
from weft.auto.evidence import (
    NAMES,
    TABLE_NAMES,
    measure,
    measure_table,
    relative,
    relative_names,
)
from weft.auto.working import prepare


def spirals(n=400):
    rng = np.random.default_rng(0)
    turn = np.sqrt(rng.random(n)) * 3 * np.pi + 1.0
    side = np.arange(n) % 2
    angle = turn + np.pi * side
    X = np.column_stack([turn * np.cos(angle), turn * np.sin(angle)])
    return X + 0.3 * rng.standard_normal((n, 2)), side


def many_clusters():
    return make_blobs(1200, 4, centers=60, cluster_std=0.25, center_box=(-8, 8), random_state=0)


def unequal():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.standard_normal((600, 3)), rng.standard_normal((20, 3)) * 0.5 + 6.0])
    return X, np.repeat([0, 1], [600, 20])


TABLES = {
    "blobs": lambda: make_blobs(300, 5, centers=4, random_state=1),
    "moons": lambda: make_moons(400, noise=0.07, random_state=0),
    "circles": lambda: make_circles(400, noise=0.04, factor=0.4, random_state=0),
    "spirals": spirals,
    "many": many_clusters,
    "unequal": unequal,
}


@pytest.mark.parametrize("name", TABLES)
def test_the_truth_is_among_the_candidates(name):
    X, y = TABLES[name]()
    prepared = prepare(X, 0)
    best = max(adjusted_rand_score(y, prepared.restore(c.labels)) for c in generate(prepared))
    assert best > 0.95


def test_candidates_are_distinct_numbered_and_named():
    prepared = prepare(TABLES["blobs"]()[0], 0)
    candidates = generate(prepared)
    assert len(candidates) > 50
    seen = set()
    for c in candidates:
        seen.add(c.labels.tobytes())
        firsts = [int(np.flatnonzero(c.labels == k)[0]) for k in range(c.labels.max() + 1)]
        assert firsts == sorted(firsts)
        assert c.generators
        assert set(c.families) <= set(FAMILIES)
    assert len(seen) == len(candidates)
    assert {f for c in candidates for f in c.families} == set(FAMILIES)


@pytest.mark.parametrize("name", ["blobs", "moons", "repeats"])
def test_any_order_gives_identical_partitions_and_evidence(name):
    if name == "repeats":  # many rows are equal, which a tree may cut apart
        X = np.round(np.random.default_rng(5).standard_normal((150, 3)))
    else:
        X, _ = TABLES[name]()
    rng = np.random.default_rng(0)
    first = prepare(X, 3)
    candidates = generate(first)
    evidence = measure(first, candidates)
    table = measure_table(first, candidates, evidence)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    second = prepare(X[np.ix_(rows, columns)], 3)
    others = generate(second)
    assert len(others) == len(candidates)
    for a, b in zip(candidates, others, strict=True):
        assert a.generators == b.generators
        assert (first.restore(a.labels)[rows] == second.restore(b.labels)).all()
    assert measure(second, others).tobytes() == evidence.tobytes()
    assert measure_table(second, others).tobytes() == table.tobytes()


def test_threads_do_not_change_a_bit():
    X, _ = make_blobs(300, 40, centers=4, cluster_std=4.0, random_state=1)
    results = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            prepared = prepare(X, 0)
            candidates = generate(prepared)
            evidence = measure(prepared, candidates)
            table = measure_table(prepared, candidates, evidence)
        results.append(
            [c.labels.tobytes() for c in candidates] + [evidence.tobytes(), table.tobytes()]
        )
    assert results[0] == results[1]


def test_numbers_of_clusters_are_kept():
    prepared = prepare(TABLES["blobs"]()[0], 0)
    for low, high in ((2, 3), (5, 5), (30, 40)):
        sizes = {
            int(c.labels.max()) + 1 for c in generate(prepared, min_clusters=low, max_clusters=high)
        }
        assert sizes
        assert min(sizes) >= low
        assert max(sizes) <= high
    with pytest.raises(ValueError, match="min_clusters"):
        generate(prepared, min_clusters=5, max_clusters=3)


def test_a_told_number_is_tried_by_all_that_can():
    X, _ = many_clusters()
    prepared = prepare(X[:400], 0)
    told = generate(prepared, min_clusters=30, max_clusters=30)
    families = {f for c in told for f in c.families}
    named = {"kmeans", "mixture-full", "ward", "complete", "genie", "spectral", "pieces"}
    assert named <= families
    assert {int(c.labels.max()) + 1 for c in told} == {30}


def test_counts_reach_one_hundred_and_the_given_ends():
    counts = cluster_counts(1000, 2, None)
    assert counts[:19].tolist() == list(range(2, 21))
    assert counts[-1] == 100
    assert cluster_counts(1000, 23, 23).tolist() == [23]
    assert cluster_counts(1000, 2, 300)[-1] == 300
    assert cluster_counts(3, 2, None).tolist() == []


def degenerate_tables():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    yield "equal", np.ones((20, 3))
    yield "three", rng.standard_normal((3, 2))
    yield "four", rng.standard_normal((4, 1))
    yield "column", rng.standard_normal((50, 1))
    yield "constant", np.column_stack([X, np.full(40, 7.0)])
    yield "duplicates", np.repeat(X[:8], 10, axis=0)
    yield "two values", np.repeat([[0.0, 0.0], [1.0, 1.0]], 15, axis=0)
    yield "binary", (rng.random((60, 5)) < 0.5).astype(float)
    yield "huge", X * 1e300
    yield "tiny", X * 1e-300
    yield "outlier", np.vstack([X, [[1e9, 0.0, 0.0]]])
    yield "line", np.column_stack([np.arange(60.0)] * 3)
    yield "wide", rng.standard_normal((12, 400))


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize(("name", "X"), list(degenerate_tables()), ids=lambda v: str(v)[:10])
def test_degenerate_tables_are_finite_and_silent(name, X, standardise):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepared = prepare(X, 0, standardise=standardise)
        candidates = generate(prepared)
        values = measure(prepared, candidates)
        table = measure_table(prepared, candidates, values)
        beside = relative(values)
    assert values.shape == (len(candidates), len(NAMES))
    assert table.shape == (len(TABLE_NAMES),)
    assert beside.shape == (len(candidates), len(relative_names(NAMES)))
    assert np.isfinite(values).all()
    assert np.isfinite(table).all()
    assert np.isfinite(beside).all()
    if name == "equal":
        assert candidates == []
    if name == "two values":
        assert any((prepared.restore(c.labels) == np.repeat([0, 1], 15)).all() for c in candidates)
