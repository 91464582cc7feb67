"""The mixed bench's own pieces: rivals against their definitions, sets, cells, page."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.harness import records
from bench.mixed import page, rivals, sets, training
from bench.mixed.methods import available
from bench.mixed.runs import PARTS, cells, evaluate

from weft.auto.source_judge import CONFIDENCE, SCORE
from weft.columns.source import MixedTable, SourceColumn


def test_gower_by_hand():
    # Range 4 in the number: |1 - 3| / 4 = 0.5, another level 1: mean 0.75; a gap leaves 0.5 alone.
    values = np.array([[1.0, 0.0], [3.0, 1.0], [5.0, np.nan]])
    columns = (
        SourceColumn("x", "number", (0,)),
        SourceColumn("c", "category", (1,), levels=("a", "b")),
    )
    found = rivals.gower_distances(MixedTable(values, columns))
    assert_allclose(found, [[0.0, 0.75, 1.0], [0.75, 0.0, 0.5], [1.0, 0.5, 0.0]])


def test_pam_finds_the_best_medoids():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(0, 1, (8, 2)), rng.normal(6, 1, (7, 2))])
    distances = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
    medoids = rivals.pam(distances, 2)
    cost = distances[:, medoids].min(axis=1).sum()
    pairs = [(a, b) for a in range(15) for b in range(a)]
    assert_allclose(cost, min(distances[:, pair].min(axis=1).sum() for pair in pairs))


def test_noise_and_gaps_leave_the_set_as_it_was():
    data = sets.load("made 3")
    noisy = sets.with_noise(data, 1)
    assert len(noisy.table.used) == 2 * len(data.table.used)
    assert noisy.real.sum() == len(data.table.used)
    assert_allclose(noisy.table.values[:, : data.table.values.shape[1]], data.table.values)
    gaps = sets.with_gaps(noisy, 0.3, 1)
    lost = np.isnan(gaps.table.values)
    assert 0.27 < lost.mean() < 0.33
    # A date loses all of its parts together.
    date = next(column for column in gaps.table.used if column.kind == "date")
    assert (lost[:, date.positions] == lost[:, [date.positions[0]]]).all()


@pytest.mark.parametrize("name", sets.CONTROLS)
def test_controls_have_no_clusters_and_differ_by_seed(name):
    first, second = sets.make_control(name, 1), sets.make_control(name, 2)
    assert not first.real.any()
    assert len(np.unique(first.labels)) == 1
    assert first.table.values.shape != second.table.values.shape or not np.array_equal(
        first.table.values, second.table.values
    )


def test_large_tables_have_clusters_in_both_kinds():
    data = sets.make_large(2000)
    for column in data.table.used:
        values = data.table.values[:, column.positions[0]]
        assert values.min() >= 0.0 or column.kind == "number"
        if column.levels:
            assert values.max() < len(column.levels)


@pytest.mark.parametrize("method", ["weft: main directions", "weft: points", "one-hot k-means"])
def test_a_cell_is_run_and_written_down(method, tmp_path):
    wanted = list(cells(["given"], [method], ["made 3"]))
    rows = records.run(tmp_path / "mixed.jsonl", wanted, evaluate, report=lambda line: None)
    assert rows[0]["ari"] > 0.9
    assert rows == records.load(tmp_path / "mixed.jsonl")


def test_every_part_has_cells_of_known_methods():
    names = list(available())
    made = list(cells(list(PARTS), names, list(sets.SETS)))
    assert {cell["part"] for cell in made} == set(PARTS)
    assert len({str(cell) for cell in made}) == len(made)


def test_the_page_says_what_holds(tmp_path):
    rows = []
    for number, method in enumerate(("weft: screening, main directions", "KPrototypes")):
        for part in ("given", "noise"):
            rows += [
                {"cell": {"part": part, "set": s, "seed": 0, "method": method}, "ari": 0.5 - number}
                for s in sets.SETS
            ]
    control = {"part": "control", "set": "one trait", "seed": 0, "method": "screening"}
    rows.append({"cell": control, "kept": 1})
    page.write(rows, page=tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "**holds**: weft: screening, main directions: a mean of at least every rival's" in text
    assert "**does not hold**: nothing is kept" in text


def test_the_judge_of_mixed_tables_is_that_of_the_stored_rows(capsys):
    rows = records.load(training.RESULTS)
    training.show(rows)
    said = dict(line.split(" = ") for line in capsys.readouterr().out.splitlines() if " = " in line)
    for name, shipped in (("SCORE", SCORE), ("CONFIDENCE", CONFIDENCE)):
        # Rounded to two digits, and the last step of the fit depends on the processor.
        assert_allclose([float(each) for each in said[name][1:-1].split(",")], shipped, atol=0.02)


def test_tables_with_gaps_test_the_judge_but_are_not_fitted_on(capsys):
    rows = records.load(training.RESULTS)
    without = [row for row in rows if row["cell"]["seed"] < training.N_SEEDS]
    assert len(without) < len(rows)
    training.show(without)
    alone = capsys.readouterr().out
    training.show(rows)
    both = capsys.readouterr().out
    assert both.startswith(alone)
    assert "tables with gaps" in both
    assert "tables with gaps" not in alone
