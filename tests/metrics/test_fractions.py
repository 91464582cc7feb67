"""Measures beside their definitions in fractions, criteria on every partition of six rows.

Rows on a line of whole numbers have distances that are whole, so nothing is rounded but the answer.
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

from weft import metrics
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.spaces import Space, Table
from weft.backends.spaces import Solution
from weft.search.criteria import CRITERIA, make_criterion

QUICK = settings(max_examples=60, deadline=None)
CLOSE = {"rel": 1e-12, "abs": 1e-12}


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
    solution = Solution(np.ones(SIX[kind].shape[1]))
    spaces = Spaces(Space.of(table_, solution, Buffers(hold_matrix=True)), table_)
    criterion = make_criterion(name, None).prepare(spaces)
    for labels in partitions(6):
        (value,) = criterion.score(spaces, labels[None])
        assert np.isfinite(value), labels
        apart = labels.copy()
        apart[0] = -1  # a row in no cluster
        if (apart >= 0).any():
            _, apart[1:] = np.unique(apart[1:], return_inverse=True)
            assert np.isfinite(criterion.score(spaces, apart[None])).all(), apart
