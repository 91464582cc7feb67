"""``python -m bench.wide [NAME ...]``: measurements on wide and sparse tables, one line each.

Existing lines are kept; ``--again`` measures them again. Cells need scanpy, text needs
WEFT_DATA. ``--device cuda`` measures the wide tables on a GPU as well. Every measurement has its
own process, so that its peak memory is its own. Results lie in bench/results/wide.jsonl.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bench.wide.measured import MEASURED, SIZES, measure

RESULTS = Path(__file__).parent.parent / "results" / "wide.jsonl"


def names_to_measure(given: list[str], device: str) -> list[str]:
    """Return the requested names; on a GPU, the tables whose time depends on it."""
    if device == "cuda":
        return [f"{name} on cuda" for name in given or SIZES]
    return given or [name for name in MEASURED if not name.endswith(" on cuda")]


def main() -> None:
    """Measure what is missing and print all lines."""
    parser = argparse.ArgumentParser(prog="python -m bench.wide", description=__doc__)
    on_cpu = ", ".join(names_to_measure([], "cpu"))
    parser.add_argument("names", nargs="*", help=f"of {on_cpu}; all by default")
    parser.add_argument("--again", action="store_true", help="measure existing lines again")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    known = {row["name"]: row for row in map(json.loads, lines)}
    names = names_to_measure(given.names, given.device)
    for name in names:
        if name in known and not given.again:
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own_process:
            known[name] = own_process.submit(measure, name).result()
        ordered = [known[each] for each in MEASURED if each in known]
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in ordered))
    for name in names:
        print(json.dumps(known[name], ensure_ascii=False))


if __name__ == "__main__":
    main()
