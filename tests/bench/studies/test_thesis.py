"""Rows of de Amorim's thesis that follow from its equations come out to the printed digit."""

from __future__ import annotations

import os

import pytest
from bench.harness import cells, study
from bench.harness.summaries import of_cell

# table, method, exponent
FOLLOW = [
    ("3.4", "iK-Means", None),
    ("3.4", "iWK-Means", 1.2),
    ("3.6", "iK-Means", None),
    ("3.6", "iWK-Means", 1.8),
    ("3.8", "iK-Means", None),
    ("3.10", "iWK-Means", 1.8),
]


@pytest.mark.parametrize(("table", "method", "exponent"), FOLLOW)
def test_rows_that_follow_from_the_equations(table, method, exponent):
    if "WEFT_DATA" not in os.environ:
        pytest.skip("WEFT_DATA is not set: the thesis's data sets are not at hand")
    of = study.load(f"amorim-{table}")
    cell = next(
        each for each in of.cells if each.method == method and each.printed.get("at") == exponent
    )
    row = cells.evaluate(of.name, study.Run(cell.data, 0, method, 0), quick=False)
    ours = of_cell(of, cell, [row]).samples["greedy"][0][0]
    decimals = 2 if table == "3.10" else 1
    assert round(ours, decimals) == cell.printed["greedy"]
