"""Numbers count once, and the placebo says no: on the committed rows and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from bench.harness import rows, study
from bench.harness.counting import by_method, counted, headline, placebo, tables_of


@pytest.fixture(scope="module")
def papers():
    return {
        paper: tables_of(
            [study.load(name) for name in study.names() if name.startswith(f"{paper}-")],
            rows.FOLDER,
        )
        for paper in study.PAPERS
    }


@pytest.mark.parametrize("paper", study.PAPERS)
def test_our_methods_do_not_agree_with_other_methods_numbers(papers, paper):
    found = placebo(papers[paper], rows.FOLDER)
    assert found.refused >= 25
    assert found.share <= 0.10


def test_the_placebo_can_fail(papers, monkeypatch):
    # With the interval of a single run in place of that of a mean, and no limit to its width, most
    # wrong numbers of the projected paper "agree".
    from bench.harness import verdicts

    monkeypatch.setattr(verdicts, "TELLING_POINTS", 1e9)
    monkeypatch.setattr(verdicts.Printed, "variance", lambda self, spread, start_share: spread)
    assert placebo(papers["projected"], rows.FOLDER).share > 0.3


def test_a_number_of_two_tables_counts_once_and_has_one_verdict(papers):
    tables = {table.study.table: table for table in papers["oneill"]}
    # The baselines of table A.2 are those of table A.1.
    places = {
        (line.data, line.method, line.metric): (line, tables["A.2"].repeats.get(place))
        for place, line in enumerate(tables["A.2"].lines)
    }
    line, earlier = places["50d 4c", "DBSCAN, baseline", "f"]
    first = next(
        each
        for each in tables["A.1"].lines
        if (each.data, each.method, each.metric) == ("50d 4c", "DBSCAN, baseline", "f")
    )
    assert earlier == "A.1"
    assert line.word == first.word
    assert places["50d 4c", "DBSCAN, BCR", "f"][1] is None
    once, twice = (
        counted(papers["oneill"]),
        sum(
            bool(line.word) and line.theirs is not None
            for table in papers["oneill"]
            for line in table.lines
        ),
    )
    assert sum(once.values()) < twice


def test_a_column_that_is_taken_over_is_the_same_number(papers):
    tables = {table.study.table: table for table in papers["projected"]}
    # "The results for PSOVW are taken from Tables 1, 2 and 3."
    taken = [
        tables["4"].repeats.get(place)
        for place, line in enumerate(tables["4"].lines)
        if line.method == "PSO, function (14)"
    ]
    assert set(taken) == {"1", "2", "3"}


def test_means_of_a_method_are_over_its_numbers(papers):
    found = {each.method: each for each in by_method(papers["projected"])}
    # Tables 1 to 3 have 36 numbers of PSOVW, and table 6 nine more; table 4 takes nine over.
    assert found["PSOVW"].n_numbers == 45
    assert found["PSOVW"].theirs == pytest.approx(
        np.mean(
            [
                value
                for table in ("1", "2", "3", "6")
                for value in study.printed(f"projected-{table}", "accuracy", "PSOVW")
            ]
        )
    )
    assert sum(found["PSOVW"].words.values()) == 45


@pytest.mark.parametrize("paper", study.PAPERS)
def test_the_headline_counts_every_number(papers, paper):
    words = counted(papers[paper])
    text = headline(papers[paper])
    assert text.startswith(f"**{words['agrees']} of ")
    assert ("too wide" in text) == bool(words["too uncertain"])
    assert ("have not been run" in text) == bool(words["not run"])
