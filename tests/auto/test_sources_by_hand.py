"""The clusters of mixed tables step by step, with given parts in the place of computed ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auto.source_cases import THIRDS, candidate, categories

from weft.auto import sources
from weft.auto.source_family import (
    CLASSES,
    KMEANS,
)
from weft.auto.source_judge import confidence_of, score_of
from weft.auto.sources import Sources, as_alternatives, cluster_sources
from weft.columns.mixed.repeats import Repetition
from weft.columns.screening import Screening

# The search ---------------------------------------------------------------------------------------


class Parts:
    """What `cluster_sources` asks for, and what it gets."""

    def __init__(self, monkeypatch, kept, dependent=None, found=None, rest=()):
        self.screened, self.clustered, self.asked = [], [], []
        self.found = [candidate()] if found is None else found
        self.rest, self.repetition, self.followed, self.gaps = list(rest), None, (), ""
        self.product = True
        kept = np.array(kept, dtype=bool)
        dependent = kept if dependent is None else np.array(dependent, dtype=bool)
        self.screening = Screening(
            kept, dependent, np.arange(len(kept)), 0.5 * np.arange(len(kept))
        )
        for name in ("screen", "_clusterings", "find_repetition", "followed_columns"):
            monkeypatch.setattr(sources, name, getattr(self, name))
        for name in ("describe_gaps", "is_product"):
            monkeypatch.setattr(sources, name, getattr(self, name))
        monkeypatch.setattr(sources, "describe_repetition", lambda repetition, table: "it repeats")

    def screen(self, table, rate, rng):
        self.screened.append(([column.name for column in table.used], rate))
        return self.screening

    def _clusterings(self, table, low, high, clumped, rng):
        names = [column.name for column in table.used]
        self.clustered.append((names, len(table.values), low, high, bool(clumped)))
        return self.found if len(self.clustered) == 1 else self.rest

    def find_repetition(self, labels, table):
        return self.repetition

    def followed_columns(self, labels, table):
        return self.followed

    def describe_gaps(self, labels, table):
        self.asked.append(labels)
        return self.gaps

    def is_product(self, labels, coarser, columns, table):
        return self.product


def answer_of(n_columns=5, *, rows=24, low=None, high=None, owner=None):
    owner = np.arange(n_columns) if owner is None else np.array(owner)
    return cluster_sources(
        Sources(categories(n_columns), owner),
        np.arange(rows),
        rate=0.125,
        low=low,
        high=high,
        rng=np.random.default_rng(0),
    )


def test_kept_columns_are_clustered_in_canonical_order(monkeypatch):
    # Coordinates 0 to 4 belong to columns 3, 0, 4, 1, 2, which is the canonical order. Of these the
    # first, third and fourth are kept: columns 3, 4 and 1.
    parts = Parts(monkeypatch, [1, 0, 1, 1, 0], found=[candidate(), candidate(THIRDS)])
    parts.gaps = "some gaps"
    found = answer_of(owner=[3, 0, 4, 1, 2], high=6)
    assert parts.screened == [(["c3", "c0", "c4", "c1", "c2"], 0.125)]
    assert parts.clustered == [(["c3", "c4", "c1"], 24, None, 6, True)]
    assert found.kept.tolist() == [False, True, False, True, True]
    assert found.screening.kept.tolist() == [False, True, False, True, True]
    assert found.screening.dependent.tolist() == [False, True, False, True, True]
    assert found.screening.group.tolist() == [1, 3, 4, 0, 2]
    assert found.screening.strength.tolist() == [0.5, 1.5, 2.0, 0.0, 1.0]
    assert [one.n_clusters for one in found.found] == [2, 3]
    assert (found.without, found.caution, found.weak) == ((), "some gaps", ())
    assert found.confidence == confidence_of(candidate())


@pytest.mark.parametrize(
    ("kept", "dependent", "low", "clustered"),
    [
        # One kept column is not enough: all dependent ones are used, weakly.
        ([1, 0, 0], [1, 1, 0], None, ["c0", "c1"]),
        ([1, 0, 0], [1, 1, 0], 2, ["c0", "c1"]),
        # Neither kept nor dependent: all columns, if clusters are expected.
        ([1, 0, 0], [1, 0, 0], 2, ["c0", "c1", "c2"]),
        ([1, 0, 0], [1, 0, 0], None, None),
        ([1, 1, 0], [1, 1, 1], None, ["c0", "c1"]),
    ],
)
def test_columns_that_are_used(monkeypatch, kept, dependent, low, clustered):
    parts = Parts(monkeypatch, kept, dependent)
    found = answer_of(3, low=low, high=4)
    is_clumped = sum(kept) >= 2
    if clustered is None:
        assert parts.clustered == []
        assert (found.found, found.weak, found.kept.tolist()) == ((), (), [False] * 3)
        return
    assert parts.clustered == [(clustered, 24, low, 4, is_clumped)]
    # Without clumps, and without a given number, the clustering is only a weak answer.
    if is_clumped or low is not None:
        assert len(found.found) == 1
        assert found.kept.tolist() == [name in clustered for name in ("c0", "c1", "c2")]
    else:
        assert (found.found, found.kept.tolist()) == ((), [False] * 3)
        assert [one.method for one in found.weak] == [f"{KMEANS}:2"]
        assert np.isnan(found.weak[0].quality)


@pytest.mark.parametrize(("rows", "n_found"), [(10, 1), (9, 0)])
def test_ten_rows_are_needed(monkeypatch, rows, n_found):
    parts = Parts(monkeypatch, [1, 1])
    assert len(answer_of(2, rows=rows).found) == n_found
    assert len(parts.clustered) == n_found


@pytest.mark.parametrize(("stability", "n_found"), [(0.5, 1), (0.49, 0)])
def test_halves_that_disagree_are_no_answer(monkeypatch, stability, n_found):
    Parts(monkeypatch, [1, 1], found=[candidate(stability=stability)])
    found = answer_of(2)
    assert (len(found.found), found.weak) == (n_found, ())
    # With a given number they are.
    Parts(monkeypatch, [1, 1], found=[candidate(stability=stability)])
    assert len(answer_of(2, low=2, high=2).found) == 1


def test_clusters_that_repeat_a_column_come_with_a_caution(monkeypatch):
    rest = [candidate(THIRDS), candidate()]
    parts = Parts(monkeypatch, [1, 1, 1, 1], rest=rest)
    parts.repetition = Repetition((1,), 1.0, 0.1)
    parts.gaps = "gaps"
    found = answer_of(4)
    assert parts.clustered[1][0] == ["c0", "c2", "c3"]
    assert found.caution == "it repeats; gaps"
    assert [one.method for one in found.without] == [f"{KMEANS}:3"]
    assert np.isnan(found.without[0].quality)
    assert found.found[0] is parts.found[0]  # no category is followed: nothing is split
    assert found.kept.all()
    # A repetition that the others support is no reason for a caution.
    parts = Parts(monkeypatch, [1, 1, 1, 1], rest=rest)
    parts.repetition = Repetition((1,), 1.0, 0.9)
    found = answer_of(4)
    assert (len(parts.clustered), found.caution, found.without) == (1, "", ())
    # Two other columns have to be left.
    parts = Parts(monkeypatch, [1, 1, 1], rest=rest)
    parts.repetition = Repetition((0, 2), 1.0, 0.1)
    found = answer_of(3)
    assert (len(parts.clustered), found.caution, found.without) == (1, "it repeats", ())


def test_a_category_that_splits_the_clusters_is_left_out(monkeypatch):
    # Column 1 of four is not kept; of the kept ones the second, column 2, is followed.
    unstable, split, other = candidate(THIRDS, stability=0.4), candidate(), candidate(way=CLASSES)
    first = candidate(THIRDS, stability=1.0)
    parts = Parts(
        monkeypatch, [1, 0, 1, 1], found=[first, candidate()], rest=[unstable, split, other]
    )
    parts.followed = (1,)
    parts.repetition = Repetition((1,), 1.0, 0.1)
    parts.gaps = "gaps"
    found = answer_of(4)
    assert parts.clustered[1] == (["c0", "c3"], 24, None, None, True)
    assert found.kept.tolist() == [True, False, False, True]
    assert found.found[0] is split
    reason = "the clusters of all columns are those of the answer, split by 'c2'"
    assert [one.behind for one in found.found] == ["", reason, reason]
    assert [one.stability for one in found.found] == [0.9, 0.4, 0.9]
    # The clusters of all columns are an alternative; the caution is that of the answer.
    assert [one.method for one in found.without] == [f"{KMEANS}:3"]
    assert found.caution == "gaps"
    assert parts.asked[-1] is split.labels
    assert found.confidence == confidence_of(split)


@pytest.mark.parametrize(
    ("low", "high", "product", "followed", "is_split"),
    [
        (None, None, True, (1,), True),
        (2, 5, True, (1,), True),
        (3, 3, True, (1,), False),  # the user gave the number of clusters
        (None, None, False, (1,), False),
        (None, None, True, (), False),
    ],
)
def test_when_a_category_is_left_out(monkeypatch, low, high, product, followed, is_split):
    parts = Parts(monkeypatch, [1, 1, 1], found=[candidate(THIRDS)], rest=[candidate()])
    parts.followed, parts.product = followed, product
    found = answer_of(3, low=low, high=high)
    assert found.kept.tolist() == [True, not is_split, True]
    assert (found.found[0].n_clusters == 2) is is_split
    assert len(found.without) == bool(followed)


@pytest.mark.parametrize(("stability", "is_split"), [(0.5, True), (0.49, False)])
def test_clusters_that_are_split_have_to_be_stable(monkeypatch, stability, is_split):
    rest = [candidate(stability=stability)]
    parts = Parts(monkeypatch, [1, 1, 1], found=[candidate(THIRDS)], rest=rest)
    parts.followed = (1,)
    assert (answer_of(3).found[0].n_clusters == 2) is is_split


def test_clusterings_are_examined_unless_the_number_is_given(monkeypatch):
    asked = []
    made = [candidate(stability=0.4), candidate(THIRDS)]
    monkeypatch.setattr(
        sources, "source_candidates", lambda table, **options: asked.append(options) or made
    )
    monkeypatch.setattr(sources, "look_into_clusters", lambda found, table, rng: ["looked"])
    monkeypatch.setattr(
        sources, "put_repetitions_behind", lambda found, table: [*found, "put behind"]
    )
    rng = np.random.default_rng(0)
    ordered = [made[1], made[0]]
    for low, high, clumped, expected in (
        (None, None, True, ["looked", "put behind"]),
        (None, 4, False, ordered),
        (3, 3, True, ordered),
        (2, 3, True, ["looked", "put behind"]),
        (3, None, True, ["looked", "put behind"]),
    ):
        assert sources._clusterings(categories(), low, high, clumped, rng) == expected
        options = asked.pop()
        assert (options["low"], options["high"]) == (low or 2, high)
        assert options["with_classes"] is clumped


def test_clusterings_as_alternatives():
    first, second = candidate(), candidate(THIRDS, CLASSES, ratio=0.5)
    found = as_alternatives([first, second])
    assert [one.quality for one in found] == [0.0, score_of(second) - score_of(first)]
    assert [one.n_clusters for one in found] == [2, 3]
    assert [one.method for one in found] == [f"{KMEANS}:2", f"{CLASSES}:3"]
    assert found[1].labels is THIRDS
    assert as_alternatives([]) == ()
