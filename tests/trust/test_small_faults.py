"""Small faults that no other test saw: bounds of positions, quoting, votes, core rows, cautions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft import FeatureSwarm
from weft.choosing.n_clusters import TRUST, vote
from weft.choosing.results import Curve, text_table
from weft.models.archive import Refused
from weft.models.kinds import Array, Integer, Lengths, Number
from weft.reporting.cautions import cautions
from weft.reporting.facts import Facts
from weft.search.clusterers import DBSCAN
from weft.tables.folders import csv_lines

# Positions in a model file ------------------------------------------------------------------


def check_positions(values: list[int], length: int, *, low: int = 0) -> None:
    lengths = Lengths()
    Integer(binds="n_clusters").check(length, "n_clusters_", lengths)
    kind = Array(("*",), ("int64",), low=low, into="n_clusters")
    kind.check(np.array(values), "labels_", lengths)
    lengths.finish()


@pytest.mark.parametrize(("values", "low"), [([0, 1, 2], 0), ([2], 0), ([-1, 2], -1)])
def test_positions_within_are_allowed(values, low):
    check_positions(values, 3, low=low)


@pytest.mark.parametrize(("values", "low"), [([0, 3], 0), ([-1], 0), ([-2], -1), ([10**9], 0)])
def test_positions_outside_are_refused(values, low):
    with pytest.raises(Refused, match=rf"labels_ holds .* but values lie within \[{low}, "):
        check_positions(values, 3, low=low)


def test_positions_are_checked_when_the_length_comes_later():
    lengths = Lengths()
    Array(("*",), ("int64",), low=0, into="n").check(np.array([4]), "labels_", lengths)
    Integer(binds="n").check(4, "n", lengths)
    with pytest.raises(Refused, match=r"\[0, 3\]"):
        lengths.finish()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Number(), "a finite number"),
        (Number(low=0.0), "a finite number of at least 0"),
        (Number(low=0.0, above=True), "a finite number above 0"),
        (Number(low=0.0, high=1.0), "a finite number of at least 0 and at most 1"),
        (Integer(2, 5), "an integer from 2 to 5"),
    ],
)
def test_kinds_say_what_they_allow(kind, words):
    assert kind.words == words


def test_the_ends_of_a_range_are_in_it():
    for value in (0.0, 1.0):
        Number(low=0.0, high=1.0).check(value, "x", Lengths())
    for kind, value in ((Number(low=0.0, above=True), 0.0), (Number(high=1.0), 1.0000001)):
        with pytest.raises(Refused):
            kind.check(value, "x", Lengths())
    for value in (2, 5):
        Integer(2, 5).check(value, "x", Lengths())
    for value in (1, 6):
        with pytest.raises(Refused):
            Integer(2, 5).check(value, "x", Lengths())


# Results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_text_with_any_separator_is_quoted(separator):
    assert list(csv_lines(["a"], [[f"x{separator}y"]])) == ["a\n", f'"x{separator}y"\n']


def test_cells_that_start_a_formula_and_cells_that_do_not():
    cells = ["=1", "+1", "-1", "@a", "plain", None, 3, 'say "hi"']
    lines = list(csv_lines(["h"], [[cell] for cell in cells]))
    assert lines[1:] == [
        *("'=1\n", "'+1\n", "'-1\n", "'@a\n", "plain\n", "\n", "3\n"),
        '"say ""hi"""\n',
    ]


# Votes --------------------------------------------------------------------------------------


def curve(n_clusters: int, strength: float) -> Curve:
    return Curve(n_clusters, strength, np.array([n_clusters]), np.array([1.0]), "points")


def test_votes_count_by_trust_and_strength():
    first, second, third = sorted(TRUST, key=lambda name: -TRUST[name])[:3]
    # Strength 1 of the most trusted: its trust; the others say another number, weakly.
    choice = vote({first: curve(3, 1.0), second: curve(5, 0.1), third: curve(5, 0.1)})
    assert choice.n_clusters == 3
    total = TRUST[first] + 0.1 * TRUST[second] + 0.1 * TRUST[third]
    assert choice.confidence == pytest.approx(TRUST[first] / total)
    assert choice.weights[second] == pytest.approx(0.1 * TRUST[second])
    # Two that agree outweigh one: 1.5 + 1 against half of 3.
    assert (TRUST[first], TRUST[second], TRUST[third]) == (3.0, 1.5, 1.0)
    both = vote({first: curve(3, 0.5), second: curve(5, 1.0), third: curve(5, 1.0)})
    assert both.n_clusters == 5
    assert both.confidence == pytest.approx(2.5 / 4.0)
    # A method without any strength still has a twentieth of its trust.
    assert vote({first: curve(4, 0.0)}).weights[first] == pytest.approx(0.05 * TRUST[first])
    assert vote({first: curve(4, 0.0)}).confidence == 1.0


def test_a_tie_goes_to_the_most_trusted():
    first, second = sorted(TRUST, key=lambda name: -TRUST[name])[:2]
    strength = TRUST[first] / TRUST[second]  # the weights are then equal
    for order in ((first, second), (second, first)):
        curves = {first: curve(3, 1.0), second: curve(7, strength)}
        assert vote({name: curves[name] for name in order}).n_clusters == 3


def test_the_table_of_a_choice_is_markdown():
    rows = [{"method": "gap", "k": 3, "weight": 0.25}, {"method": "x", "k": 12, "weight": 1.0}]
    assert text_table(rows).splitlines() == [
        "| method | k  | weight |",
        "| ------ | -- | ------ |",
        "| gap    | 3  | 0.25   |",
        "| x      | 12 | 1      |",
    ]
    assert text_table([]) == ""


# DBSCAN -------------------------------------------------------------------------------------


def test_min_samples_counts_the_row_itself():
    # Within 1.5 of the row at 1 lie 3 rows, itself among them; of all others 2.
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])

    def labels(min_samples: int) -> list[int]:
        model = FeatureSwarm(
            DBSCAN(eps=1.5, min_samples=min_samples),
            init=np.ones((1, 1)),
            n_particles=1,
            n_generations=1,
        )
        return model.fit(X).labels_.tolist()

    assert labels(2) == [0, 0, 0, 1, 1]
    with pytest.warns(UserWarning, match="no particle split"):
        assert labels(3) == [0, 0, 0, -1, -1]  # one core row, and its neighbours
    with pytest.warns(UserWarning, match="no particle split"):
        assert labels(4) == [-1] * 5


# Cautions -----------------------------------------------------------------------------------


def facts(labels, **changes) -> Facts:
    sound = Facts(
        labels=np.asarray(labels),
        n_clusters=len(set(labels) - {-1}),
        names=["a", "b", "c"],
        weights=np.array([1.0, 0.2, 0.0]),
        has_weights=True,
        selected=np.array([True, True, False]),
        exponents=None,
        cluster_weights=None,
        history={},
        fitness=1.0,
        n_iter=3,
        params={},
    )
    return sound._replace(**changes)


def said(labels, rows=None, columns=None, **changes) -> str:
    return " ".join(cautions(facts(labels, **changes), rows, columns))


THREE = [0] * 10 + [1] * 10 + [2] * 10


def test_a_sound_answer_gets_no_caution():
    assert said(THREE) == ""


def test_cautions_about_clusters():
    assert "found no clustering" in said([0] * 30)
    assert "found no clustering" in said(THREE, fitness=-math.inf)
    assert "One cluster holds 95% of the rows" in said([0] * 95 + [1] * 3 + [2] * 2)
    assert "outliers against" not in said([0] * 94 + [1] * 3 + [2] * 3)
    assert "Only two clusters" in said([0] * 15 + [1] * 15)
    assert "Only two clusters" not in said([0] * 15 + [1] * 15, params={"n_clusters": 2})
    assert "clusters for 12 rows" in said(list(range(5)) + [0] * 7)
    assert "clusters for 12 rows" not in said([0, 1, 2, 3] * 3)
    assert "One cluster holds a single row" in said([*THREE, 3])
    assert "2 clusters hold a single row" in said([*THREE, 3, 4])
    assert "the maximum allowed (max_clusters=3)" in said(THREE, params={"max_clusters": 3})
    assert "the maximum allowed" not in said(THREE, params={"max_clusters": 4})
    assert "the minimum allowed (min_clusters=3)" in said(THREE, params={"min_clusters": 3})
    assert "the minimum allowed" not in said(THREE, params={"min_clusters": 2})
    assert "31 of 60 rows are in no cluster" in said([-1] * 31 + [0] * 10 + [1] * 10 + [2] * 9)
    assert "in no cluster" not in said([-1] * 30 + THREE)


def test_cautions_about_samples_features_and_the_search():
    sampled = said(THREE, n_searched=20, agreement=0.79)
    assert "ran on 20 of 30 rows" in sampled
    assert "depends on the sample" in sampled
    assert "depends on the sample" not in said(THREE, n_searched=20, agreement=0.8)
    assert "Another sample" not in said(THREE, n_searched=20)
    none = np.zeros(3, dtype=bool)
    assert "No feature was selected" in said(THREE, selected=none)
    alike = {"weights": np.array([1.0, 0.95, 0.92]), "selected": np.ones(3, dtype=bool)}
    assert "All weights are about equal" in said(THREE, **alike)
    assert "All weights" not in said(THREE, **{**alike, "weights": np.array([1.0, 0.9, 0.9])})
    assert "never improved" in said(THREE, history={"best_fitness": [1.0, 1.0]})
    assert "never improved" not in said(THREE, history={"best_fitness": [1.0, 1.1]})
    assert "never improved" not in said(THREE, history={"best_fitness": [1.0]})


def test_cautions_about_units():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3))
    rows /= rows.std(axis=0)
    columns = np.arange(3)
    apart = rows * [31.0, 1.0, 1.0]
    assert "'a' varies 31 times as much as 'b'" in said(THREE, apart, columns)
    assert "not scaled" not in said(THREE, rows * [29.0, 1.0, 1.0], columns)
    assert "not scaled" not in said(THREE, apart, columns, params={"scale": True})
    assert "not scaled" not in said(THREE, rows * [1.0, 1.0, 99.0], columns)  # c is not used
    assert "not scaled" not in said(THREE, apart, columns, verdict="3 clusters.")
