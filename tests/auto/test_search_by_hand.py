"""The search step by step, with given candidates and verdicts in the place of computed ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from weft.auto import search as searching
from weft.auto.agreement import rand_index
from weft.auto.alternatives import Alternative
from weft.auto.candidates import Candidate
from weft.auto.clock import Clock
from weft.auto.examining import Examined, Representation
from weft.auto.judge import Verdict
from weft.auto.search import (
    Partition,
    Settings,
    _answer_labels,
    _others,
    partition_of,
    round_of_search,
    rows_of_search,
    search,
)
from weft.auto.source_family import CLASSES, KMEANS, SourceCandidate
from weft.auto.source_judge import score_of
from weft.auto.sources import SourceAnswer, Sources
from weft.auto.working import SpanningTree
from weft.backends import CPU
from weft.columns.screening import Screening
from weft.columns.source import MixedTable, SourceColumn
from weft.columns.weights import association
from weft.parallel.ahead import ALONE

SETTINGS = Settings(0.25, None, None, None, 1, False, 0, None, 3)
HALVES, THIRDS = np.arange(12) // 6, np.arange(12) // 4


def screening_of(kept, dependent=None):
    kept = np.array(kept, dtype=bool)
    dependent = kept if dependent is None else np.array(dependent, dtype=bool)
    return Screening(kept, dependent, np.where(dependent, 0, -1), np.arange(float(len(kept))))


def never():
    return Clock(None, lambda: "")


# All rows -----------------------------------------------------------------------------------------


def numbers(seed=0):
    X = np.random.default_rng(seed).standard_normal((12, 4))
    X[:, 1] += 9.0 * HALVES
    return X


def clustered(X, scales, rows, settings, sources=None, *, helpers=ALONE):
    labels = HALVES[rows].copy()
    labels[3] = -1
    kept = np.array([True, True, False, True])
    return Partition(labels, kept, screening_of(kept), 0.5, "m", others=(OTHER, OTHER, THIRD))


OTHER = Alternative(-1.0, 2, HALVES, "other")
THIRD = Alternative(-2.0, 3, THIRDS, "third")


def test_weights_are_those_of_kept_columns_and_rows_in_clusters(monkeypatch):
    monkeypatch.setattr(searching, "partition_of", clustered)
    X = numbers()
    found = search(X, np.ones(4), SETTINGS, never())
    inside = np.arange(12) != 3
    expected = association(X[inside][:, [0, 1, 3]], HALVES[inside])
    assert_array_equal(found.weights[[0, 1, 3]], expected)
    assert found.weights[2] == 0.0
    assert_array_equal(found.rows, np.arange(12))
    assert found.labels[3] == -1
    # Other answers are those that differ.
    assert [one.method for one in found.alternatives] == ["other", "third"]
    assert found.by_number == []
    assert found.cut_short_by == ""
    # Coordinates of one source column share its largest weight.
    columns = tuple(SourceColumn(f"x{j}", "number", (j,)) for j in range(3))
    sources = Sources(MixedTable(X[:, :3].copy(), columns), np.array([0, 1, 1, 2]))
    shared = search(X, np.ones(4), SETTINGS, never(), sources).weights
    assert_array_equal(shared, expected[[0, 1, 1, 2]])


@pytest.mark.parametrize(("used", "n_others"), [(8.0, 2), (8.1, 0)])
def test_other_answers_are_skipped_after_four_fifths_of_the_time(monkeypatch, used, n_others):
    monkeypatch.setattr(searching, "partition_of", clustered)
    clock = Clock(10.0, lambda: "")
    monkeypatch.setattr("weft.auto.clock.time.monotonic", lambda: clock.start + used)
    found = search(numbers(), np.ones(4), SETTINGS, clock)
    assert len(found.alternatives) == n_others
    assert found.cut_short_by == ("" if n_others else "the time limit")


def test_weak_answers_come_after_the_answer_no_clusters(monkeypatch):
    def nothing(X, scales, rows, settings, sources=None, *, helpers=ALONE):
        kept = np.zeros(4, dtype=bool)
        return Partition(
            np.zeros(len(rows), dtype=int), kept, screening_of(kept), 0.5, others=(OTHER,)
        )

    monkeypatch.setattr(searching, "partition_of", nothing)
    found = search(numbers(), np.ones(4), SETTINGS, never())
    assert [one.method for one in found.alternatives] == ["none", "other"]
    assert_array_equal(found.weights, np.zeros(4))


def test_a_round_searches_only_its_rows(monkeypatch):
    seen = []

    def given(X, scales, rows, settings, sources=None, *, helpers=ALONE):
        seen.append((X, rows, sources))
        return Partition(HALVES[rows], np.array([True]), screening_of([True]), 0.5)

    monkeypatch.setattr(searching, "partition_of", given)
    X = np.arange(12.0)[:, None]
    sources = Sources(MixedTable(X, (SourceColumn("x", "number", (0,)),)), np.array([0]))
    repeat = round_of_search(X, np.ones(1), SETTINGS, sources)(2)
    # Seven tenths of the rows, drawn from the seed and the number of the round.
    drawn = np.sort(np.random.default_rng([3, 1, 2]).choice(12, 8, replace=False))
    assert_array_equal(repeat.rows, drawn)
    table, rows, own = seen[0]
    assert_array_equal(table[:, 0], drawn)
    assert_array_equal(rows, np.arange(8))
    assert_array_equal(own.table.values[:, 0], drawn)
    assert_array_equal(repeat.labels, HALVES[:8])
    assert repeat.kept.tolist() == [True]
    assert round_of_search(X, np.ones(1), SETTINGS)(2).rows.tolist() == drawn.tolist()
    assert seen[1][2] is None
    # Of a large table, the rows of a round are among those that are searched.
    monkeypatch.setattr(searching, "rows_of_search", lambda n_rows: np.array([1, 4, 5, 8, 11]))
    repeat = round_of_search(X, np.ones(1), SETTINGS)(0)
    assert_array_equal(seen[2][0][:, 0], np.array([1, 4, 5, 8, 11])[repeat.rows])


def test_the_rows_of_a_search_are_drawn_once_and_for_all():
    draws = np.random.default_rng([0, 7]).choice(2500, 2000, replace=False)
    assert_array_equal(rows_of_search(2500), np.sort(draws))


# A table of numbers -------------------------------------------------------------------------------


class Rows:
    """Prepared rows in a given order, with one tree."""

    def __init__(self, order, edges=()):
        self.order = np.array(order)
        self.trees = (None, SpanningTree(np.array(edges), np.ones(len(edges))))

    def restore(self, labels):
        out = np.empty_like(labels)
        out[self.order] = labels
        return out


def representation(labels, names, first_value):
    pairs = zip(labels, names, strict=True)
    made = tuple(Candidate(np.array(own), (name,), (name,)) for own, name in pairs)
    values = first_value + np.arange(len(made) * 3.0).reshape(-1, 3)
    return Representation(Rows(np.arange(12)), made, values, np.zeros(2))


def with_parts(monkeypatch, verdict, *, examined=None):
    """Let `partition_of` work with a given verdict; return what it was asked."""
    asked = {}
    kept = np.array([True, False])
    if examined is None:
        ways = (
            representation([HALVES, THIRDS], ["a", "b"], 0.0),
            representation([1 - HALVES], ["c"], 100.0),
        )
        examined = Examined(screening_of(kept), kept, ways)

    def examine(X, scales, rows, **options):
        asked["examine"] = (X, scales, rows, options)
        return examined

    def judge_candidates(judge, pool, allowed, **options):
        asked["judge"] = (judge, pool, allowed.tolist(), options)
        return verdict

    judge = SimpleNamespace(gate_threshold=0.5)
    monkeypatch.setattr(searching, "examine", examine)
    monkeypatch.setattr(searching, "judge_candidates", judge_candidates)
    monkeypatch.setattr(searching, "load", lambda: judge)
    return asked


def verdict_on(winner, no_clusters=0.25):
    return Verdict(np.array([3.0, 2.0, 1.0]), winner, no_clusters, 0.75, np.zeros(1), np.zeros(1))


X12, ROWS12 = np.zeros((12, 2)), np.arange(12)


def test_the_winner_is_the_answer(monkeypatch):
    asked = with_parts(monkeypatch, verdict_on(2))
    settings = SETTINGS._replace(one_unit=True, unit_rows=True, max_clusters=7)
    found = partition_of(X12, np.ones(2), ROWS12, settings)
    options = asked["examine"][3]
    assert (options["rate"], options["backend"], options["max_clusters"]) == (0.25, CPU, 7)
    assert (options["one_unit"], options["unit_rows"]) == (True, True)
    _, pool, allowed, options = asked["judge"]
    assert allowed == [True] * 3
    assert options == {"told": False, "unfamiliar": False}
    assert pool.part_of.tolist() == [0, 0, 1]
    # The winner is the candidate of the second representation, numbered by first row.
    assert_array_equal(found.labels, HALVES)
    assert (found.method, found.confidence) == ("c", 0.75)
    assert found.kept.tolist() == [True, False]
    assert found.verdict.winner == 2
    assert found.examined.candidate(2)[1].generators == ("c",)
    assert found.clustered


@pytest.mark.parametrize(
    ("no_clusters", "settings", "is_clustered"),
    [
        (0.49, {}, True),
        (0.5, {}, False),
        (0.5, {"max_clusters": 3}, False),
        (0.99, {"n_clusters": 2}, True),
        (0.99, {"min_clusters": 2}, True),
    ],
)
def test_no_clusters_from_the_threshold_on(monkeypatch, no_clusters, settings, is_clustered):
    with_parts(monkeypatch, verdict_on(0, no_clusters))
    found = partition_of(X12, np.ones(2), ROWS12, SETTINGS._replace(**settings))
    assert found.clustered is is_clustered
    if not is_clustered:
        assert_array_equal(found.labels, np.zeros(12))
        assert found.confidence == no_clusters
        assert found.verdict is not None
        assert not found.kept.any()
        assert found.screening.kept.any()


def test_a_doubtful_no_comes_with_the_best_clustering_as_a_weak_answer(monkeypatch):
    with_parts(monkeypatch, verdict_on(1, 0.89))
    found = partition_of(X12, np.ones(2), ROWS12, SETTINGS)
    assert not found.clustered
    (weak,) = found.others
    assert np.isnan(weak.quality)
    assert (weak.n_clusters, weak.method) == (3, "b")
    assert_array_equal(weak.labels, THIRDS)
    # From a probability of .9 on, "no clusters" is clear.
    with_parts(monkeypatch, verdict_on(1, 0.9))
    assert partition_of(X12, np.ones(2), ROWS12, SETTINGS).others == ()


def test_only_what_was_asked_for_may_win(monkeypatch):
    asked = with_parts(monkeypatch, verdict_on(1))
    found = partition_of(X12, np.ones(2), ROWS12, SETTINGS._replace(n_clusters=3))
    assert asked["judge"][2] == [False, True, False]
    assert asked["judge"][3]["told"] is True
    assert_array_equal(found.labels, THIRDS)
    # Three is among the numbers that are tried: nothing else changes.
    assert asked["examine"][3]["max_clusters"] is None
    none = partition_of(X12, np.ones(2), ROWS12, SETTINGS._replace(n_clusters=4))
    assert (none.clustered, none.confidence, none.verdict) == (False, 1.0, None)
    # 11 of 12 rows is more than half of them: it has to be included.
    partition_of(X12, np.ones(2), ROWS12, SETTINGS._replace(n_clusters=11))
    assert asked["examine"][3]["max_clusters"] == 11


def test_a_wide_table_of_few_rows_is_unfamiliar(monkeypatch):
    asked = with_parts(monkeypatch, verdict_on(0))
    partition_of(np.zeros((12, 25)), np.ones(25), ROWS12, SETTINGS)
    assert asked["judge"][3]["unfamiliar"] is True
    partition_of(np.zeros((12, 24)), np.ones(24), ROWS12, SETTINGS)
    assert asked["judge"][3]["unfamiliar"] is False


def test_a_table_without_candidates_has_no_clusters(monkeypatch):
    kept = np.array([True, True])
    with_parts(monkeypatch, None, examined=Examined(screening_of(kept), kept))
    found = partition_of(X12, np.ones(2), ROWS12, SETTINGS)
    assert (found.clustered, found.confidence) == (False, 1.0)
    assert found.kept.tolist() == [False, False]
    assert found.labels.tolist() == [0] * 12


def test_outliers_are_kept_only_where_the_user_wants_them():
    # Rows in the order 2, 0, 1; the tree joins its first and third row.
    prepared = Rows([2, 0, 1], [[0, 2], [1, 2]])
    made = Candidate(np.array([1, 0, -1]), ("m",), ("m",))
    assert _answer_labels(prepared, made, SETTINGS).tolist() == [0, 1, 1]
    wanted = _answer_labels(prepared, made, SETTINGS._replace(outliers=True))
    assert wanted.tolist() == [0, -1, 1]
    whole = Candidate(np.array([1, 0, 0]), ("m",), ("m",))
    assert _answer_labels(prepared, whole, SETTINGS).tolist() == [0, 0, 1]


def test_the_judge_compares_what_a_user_gets():
    # Row 3 is an outlier; the tree joins it with row 2 first, so it is in the second cluster.
    prepared = Rows([0, 1, 2, 3], [[0, 1], [2, 3], [1, 2]])
    made = (Candidate(np.array([0, 0, 1, -1]), ("m",), ("m",)),)
    way = Representation(prepared, made, np.zeros((1, 3)), np.zeros(2))
    kept = np.array([True, True])
    examined = Examined(screening_of(kept), kept, (way,))
    assert examined.pool().labels.tolist() == [[0, 0, 1, 1]]
    assert examined.labels(outliers=True).tolist() == [[0, 0, 1, -1]]


@pytest.mark.parametrize(("outliers", "is_clustered"), [(False, True), (True, False)])
def test_the_smallest_size_is_that_of_the_answer(monkeypatch, outliers, is_clustered):
    labels = np.array([0] * 7 + [1] * 4 + [-1])
    chain = [[row, row + 1] for row in range(11)]
    way = Representation(
        Rows(np.arange(12), chain),
        (Candidate(labels, ("m",), ("m",)),),
        np.zeros((1, 3)),
        np.zeros(2),
    )
    kept = np.array([True, True])
    with_parts(monkeypatch, verdict_on(0), examined=Examined(screening_of(kept), kept, (way,)))
    # With the outlier the second cluster has five rows, without it four.
    settings = SETTINGS._replace(min_cluster_size=5, outliers=outliers)
    assert partition_of(X12, np.ones(2), ROWS12, settings).clustered is is_clustered


def test_other_answers_and_the_best_of_each_number(monkeypatch):
    asked = with_parts(monkeypatch, verdict_on(2))
    told = {}

    def by_number(judge, labels, methods, values, verdict):
        told.update(labels=labels, methods=methods, values=values, verdict=verdict)
        return ["numbers"]

    monkeypatch.setattr(searching, "evidence_by_number", by_number)
    part = partition_of(X12, np.ones(2), ROWS12, SETTINGS)
    others, numbers = _others(part, SETTINGS)
    # "a" is the same as the winner "c"; "b" is another answer, with a score 2 - 1.
    assert [(one.method, one.quality) for one in others] == [("c", 0.0), ("b", 1.0)]
    assert numbers == ["numbers"]
    assert told["methods"] == ["a", "b", "c"]
    assert told["values"][:, 0].tolist() == [0.0, 3.0, 100.0]
    assert [own.tolist() for own in told["labels"]] == [
        *(HALVES.tolist(), THIRDS.tolist(), HALVES.tolist())
    ]
    assert asked["judge"][0] is not None


# A table with categories --------------------------------------------------------------------------


def mixed_sources():
    """Two numbers, a category of two coordinates, and a number that is dropped."""
    columns = (
        SourceColumn("x", "number", (0,)),
        SourceColumn("y", "number", (1,)),
        SourceColumn("c", "category", (2,), levels=("a", "b", "c")),
        SourceColumn("z", "number", (3,)),
    )
    values = np.random.default_rng(0).integers(0, 3, (12, 4)).astype(float)
    return Sources(MixedTable(values, columns), np.array([0, 1, 2, 2, 3]))


def source_candidate(labels, way, **changes):
    n_clusters = int(labels.max()) + 1
    made = SourceCandidate(labels, n_clusters, way, 0.9, 0.9, 0.5, 0.5, 0.06, 1.0, 1.0)
    return made._replace(**changes)


WEAK = (Alternative(np.nan, 2, HALVES, "weak"),)


def test_the_answer_of_a_table_with_categories(monkeypatch):
    asked = []
    kept = np.array([True, True, True, False])
    screening = screening_of(kept)
    first, second = source_candidate(HALVES, KMEANS), source_candidate(THIRDS, CLASSES)
    answer = SourceAnswer(screening, kept, (first, second), WEAK, "careful", 0.625)

    def cluster_sources(sources, rows, **options):
        asked.append((rows, options))
        return answer

    apart = Partition(THIRDS, kept[:2], screening_of(kept[:2]), 0.5, "n", others=(OTHER, THIRD))
    plain = partition_of

    def inner(X, scales, rows, settings, sources=None, *, helpers=ALONE):
        if sources is not None:
            return plain(X, scales, rows, settings, sources, helpers=helpers)
        asked.append((X.shape, scales, settings))
        return apart

    monkeypatch.setattr(searching, "cluster_sources", cluster_sources)
    monkeypatch.setattr(searching, "partition_of", inner)
    settings = SETTINGS._replace(min_clusters=2, max_clusters=5, min_cluster_size=4)
    X = np.random.default_rng(1).standard_normal((12, 5))
    found = plain(X, np.arange(5.0), ROWS12, settings, mixed_sources())
    options = asked[0][1]
    assert (options["rate"], options["low"], options["high"]) == (0.25, 2, 5)
    assert options["rng"].integers(1000) == np.random.default_rng([0, 10]).integers(1000)
    assert_array_equal(found.labels, HALVES)
    # Both coordinates of the category are kept, the last number is not.
    assert found.kept.tolist() == [True, True, True, True, False]
    assert found.screening.strength.tolist() == [0.0, 1.0, 2.0, 2.0, 3.0]
    assert (found.method, found.confidence, found.caution) == (f"{KMEANS}:2", 0.625, "careful")
    # The two numbers alone are clustered without a given number of clusters.
    shape, scales, free = asked[1]
    assert (shape, scales.tolist()) == ((12, 2), [0.0, 1.0])
    assert free == settings._replace(min_clusters=None, max_clusters=None)
    # The answer, that without some columns, those of the numbers, then the other clusterings.
    methods = [one.method for one in found.others]
    assert methods == [f"{KMEANS}:2", "weak", "other", "third", f"{CLASSES}:3"]
    assert found.others[-1].quality == pytest.approx(score_of(second) - score_of(first))
    assert all(np.isnan(one.quality) for one in found.others[1:4])
    assert [one.n_clusters for one in found.by_number] == [2, 3]
    # A given number is the only one.
    plain(X, np.arange(5.0), ROWS12, SETTINGS._replace(n_clusters=3), mixed_sources())
    assert (asked[2][1]["low"], asked[2][1]["high"]) == (3, 3)
    assert asked[3][2].n_clusters is None
    # Numbers that have no clusters add no answer; a single number is not clustered alone.
    apart = apart._replace(method="")
    found = plain(X, np.arange(5.0), ROWS12, settings, mixed_sources())
    assert [one.method for one in found.others] == [f"{KMEANS}:2", "weak", f"{CLASSES}:3"]
    answer = answer._replace(kept=np.array([True, False, True, False]))
    before = len(asked)
    plain(X, np.arange(5.0), ROWS12, settings, mixed_sources())
    assert len(asked) == before + 1


def test_a_table_with_categories_without_clusters(monkeypatch):
    kept = np.zeros(4, dtype=bool)
    answer = SourceAnswer(screening_of([0, 1, 0, 0]), kept, weak=WEAK)
    monkeypatch.setattr(searching, "cluster_sources", lambda *given, **options: answer)
    found = partition_of(np.zeros((12, 5)), np.ones(5), ROWS12, SETTINGS, mixed_sources())
    assert (found.clustered, found.confidence, found.others) == (False, 0.5, WEAK)
    assert found.labels.tolist() == [0] * 12
    assert found.kept.tolist() == [False] * 5
    assert found.screening.kept.tolist() == [False, True, False, False, False]
    # One cluster needs no search.
    one = partition_of(
        np.ones((12, 5)), np.ones(5), ROWS12, SETTINGS._replace(n_clusters=1), mixed_sources()
    )
    assert (one.confidence, one.others) == (1.0, ())


def test_answers_of_given_labels_agree_with_themselves():
    assert rand_index(HALVES, 1 - HALVES) == 1.0
