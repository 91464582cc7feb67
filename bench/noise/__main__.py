"""Clusters among columns of noise: AutoCluster compared with weft's other methods and with rivals.

    WEFT_DATA=... python -m bench.noise                # run what is missing, then write the page
    python -m bench.noise --show                       # write docs/noise.md and the picture
    python -m bench.noise --methods k-means GMM --parts sets

Finished cells are appended to bench/results/noise.jsonl: stop it and start it again. A cell is
(part, set, noise level, kind of noise, seed, method). All sets × levels × kinds × methods would be
40,000 of them; what is run:

sets      every set at 0, 100 and 300 %, one kind of noise a set (in turn), one seed, all methods
curve     50d10c ellipsoids, uniform noise, 0 to 400 %: 3 seeds for all methods, and 20 for
          AutoCluster at 0, 100, 200 and 400 %
kinds     every kind at 100 and 300 % on four sets, AutoCluster and k-means
pure      50 sets without clusters, the methods that are not told K
ablation  AutoCluster with one part of it taken out at a time
times     10,000 × 200 and 200,000 × 100, AutoCluster, each in a process of its own
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

from bench.harness import places, records
from bench.noise import page
from bench.noise.methods import ALL
from bench.noise.runs import PARTS, cells, evaluate, time_large
from bench.noise.sets import FILES, SETS

RESULTS = places.RESULTS / "noise.jsonl"


def main() -> None:
    """Run what is missing, then write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS, metavar="SET")
    names = list(ALL)
    parser.add_argument("--methods", nargs="*", default=names, choices=names)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--show", action="store_true", help="write the page from what is there")
    parser.add_argument("--time", metavar="ROWSxCOLUMNS", help="time one large table, as JSON")
    arguments = parser.parse_args()
    # Rivals that do not converge: their numbers say it.
    warnings.simplefilter("ignore")
    if arguments.time:
        print(json.dumps(time_large(arguments.time)))
        return
    if not arguments.show:
        skipped = set(SETS) - set(arguments.sets)
        wanted = list(cells(arguments.parts, arguments.methods))
        wanted = [cell for cell in wanted if cell["set"] not in skipped]
        if "WEFT_DATA" not in os.environ:
            print("WEFT_DATA is not set: sets from files are left out.", file=sys.stderr)
            wanted = [cell for cell in wanted if cell["set"] not in FILES]
        records.run(arguments.results, wanted, evaluate)
    page.write(records.load(arguments.results))


if __name__ == "__main__":
    main()
