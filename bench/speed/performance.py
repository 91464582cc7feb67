"""All speed rows, and the page made from them: `make bench`.

    python -m bench.performance [PATTERN ...] [--again] [--page-only] [--quick]

Rows that are recorded in bench/results/speed.jsonl are not measured again, so the bench can be
stopped and resumed. A pattern such as ``search/knn/*`` measures only the rows that match, and
``--again`` measures them again. Run it on an idle machine. Within a row all sides run in one
process and in turns, and medians are compared; each row records its machine.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import places, records
from bench.harness.timing import machine
from bench.speed import auto, page, rounds
from bench.speed.growth import STEPS, memory_growth, peak_memory, time_growth
from bench.speed.parts import one_clustering, powered, silhouette_row
from bench.speed.swarm import PLAN, Length, roofline, search

RESULTS = places.RESULTS / "speed.jsonl"


def cells(*, quick: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return all rows by name."""
    rows: dict[str, Callable[[], dict[str, Any]]] = {}
    sizes = [200] if quick else [800, 3000]
    for n in sizes:
        for name in ("knn", "dbscan", "linkage", "affinity"):
            length = Length(2, 1, 1) if quick else PLAN[name, n]
            rows[f"search/{name}/{n}"] = partial(search, name, n, length)
    repeats = 1 if quick else 5
    for n in sizes:
        rows[f"roofline/{n}"] = partial(roofline, n, 2 if quick else 25)
        rows[f"powered/{n}"] = partial(powered, n, repeats)
    large = 500 if quick else 10_000
    rows[f"silhouette/{large}"] = partial(silhouette_row, large, repeats)
    for name in ("knn", "dbscan", "linkage", "affinity"):
        n = sizes[-1]
        rows[f"once/{name}/{n}"] = partial(one_clustering, name, n, repeats)
    many = 2000 if quick else 1_000_000
    for exponent, whole in ((2.0, False), (2.0, True), (1.5, False)):
        part = "fit" if whole else "round"
        rows[f"kmeans/{part}/{exponent}"] = partial(
            rounds.measure, many, exponent, 1 if quick else 3, whole=whole
        )
    for size, repeats in (("200x10", 1),) if quick else (("1000x50", 3), ("10000x200", 1)):
        rows[f"auto/{size}"] = partial(auto.compared, size, repeats)
    steps = {key: values[:2] for key, values in STEPS.items()} if quick else STEPS
    rows["growth/time"] = partial(time_growth, 2 if quick else 9, steps)
    further = {**steps, "n": [1000, 2000] if quick else [1000, 2000, 4000, 8000]}
    rows["growth/memory"] = partial(memory_growth, further)
    for n in [200, 400] if quick else [5000, 10_000, 20_000]:
        rows[f"memory/{n}"] = partial(peak_memory, n)
    return rows


def main(given: list[str] | None = None) -> int:
    """Measure the missing rows and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="only rows that match")
    parser.add_argument("--again", action="store_true", help="measure recorded rows again")
    parser.add_argument("--page-only", action="store_true", help="write the page, measure nothing")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args(given)
    # Peers warn about rounds that are limited on purpose.
    warnings.simplefilter("ignore")
    folder = places.QUICK if arguments.quick else None
    results = arguments.results or (folder / "speed.jsonl" if folder else RESULTS)
    rows = cells(quick=arguments.quick)
    wanted = [
        name
        for name in rows
        if not arguments.patterns or any(fnmatch.fnmatch(name, p) for p in arguments.patterns)
    ]
    if not wanted:
        parser.error(f"no row matches; rows are {', '.join(rows)}")
    if not arguments.page_only:
        if arguments.again and results.exists():
            kept = [row for row in records.load(results) if row["cell"]["row"] not in wanted]
            results.write_text("".join(json.dumps(row) + "\n" for row in kept))

        def take(row: str) -> dict[str, Any]:
            load = os.getloadavg()[0]
            found = {**rows[row](), "machine": machine(), "load": round(load, 1)}
            print(row, json.dumps(found), flush=True)
            return found

        records.run(results, [{"row": name} for name in wanted], take, report=lambda _: None)
    found = {row["cell"]["row"]: row for row in records.load(results)}
    written = arguments.page or (folder / "performance.md" if folder else page.PAGE)
    page.write(found, written)
    print(f"wrote {written}")
    return 0
