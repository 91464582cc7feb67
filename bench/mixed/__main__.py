"""Tables of numbers and categories: weft's mixed metric and screening compared with rivals.

    WEFT_DATA=... python -m bench.mixed                # run what is missing, then write the page
    python -m bench.mixed --show                       # write docs/mixed_bench.md
    python -m bench.mixed --parts given --methods KPrototypes

Finished cells are appended to bench/results/mixed.jsonl: stop it and start it again. A cell is
(part, set, seed, method). The parts:

given     every set as it is, each method told K
noise     as many source columns of noise added as there are: categories, numbers, dates
gaps 10   10 % of the cells deleted at random; gaps 30: 30 %
control   tables without clusters, 20 seeds each: what screening keeps
columns   every set with noise columns, 3 seeds: what screening keeps
speed     one start with K = 8 on 10,000 and 1,000,000 rows, each in a process of its own
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

from bench.harness import places, records
from bench.mixed import page, sets
from bench.mixed.methods import available
from bench.mixed.runs import PARTS, cells, evaluate, time_large

RESULTS = places.RESULTS / "mixed.jsonl"


def main() -> None:
    """Run what is missing, then write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = list(available())
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--sets", nargs="*", default=list(sets.SETS), choices=sets.SETS)
    parser.add_argument("--methods", nargs="*", default=names, choices=names)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--show", action="store_true", help="write the page from what is there")
    parser.add_argument("--time", nargs=2, metavar=("ROWS", "METHOD"), help="time one large table")
    arguments = parser.parse_args()
    # Rivals that do not converge: their numbers say it.
    warnings.simplefilter("ignore")
    if arguments.time:
        print(json.dumps(time_large(int(arguments.time[0]), arguments.time[1])))
        return
    if not arguments.show:
        wanted = arguments.sets
        if "WEFT_DATA" not in os.environ:
            print("WEFT_DATA is not set: sets from files are left out.", file=sys.stderr)
            wanted = [name for name in wanted if name in sets.MADE]
        records.run(arguments.results, cells(arguments.parts, arguments.methods, wanted), evaluate)
    page.write(records.load(arguments.results))


if __name__ == "__main__":
    main()
