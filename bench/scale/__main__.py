"""Time and memory of tables that do not fit in memory, and of workers in other processes.

    python -m bench.scale rows --exponent 1.5      10,000,000 rows in blocks on 2 processes
    python -m bench.scale million --exponent 1.5   the first million in blocks and in memory
    python -m bench.scale swarm --clusterer knn    FeatureSwarm(max_samples=3000) on 1,000,000 rows
    python -m bench.scale small --clusterer knn    FeatureSwarm on 10,000 rows, all of them
                         --clusterer robust        the same from screened columns, no K given
                         --reach 10                groups as far apart as make_blobs has them
    python -m bench.scale folder --rows 50000000   make a folder of Parquet files, 4 GB
    python -m bench.scale auto --rows 50000000     AutoCluster on such a folder
    python -m bench.scale killed --rows 50000000   the same, with a worker killed on the way
    python -m bench.scale raw                      a raw table of 1,000,000 × 20: memory
    python -m bench.scale bits                     threads, processes, Dask, a killed worker, Ray
    python -m bench.scale overhead [--rounds 3]    Dask compared with threads, 900 evaluations

Each command prints its result and appends one line to bench/results/scale.jsonl. Memory is the
resident memory of this process and all its children, measured ten times a second; pages that
processes share are counted for each. `load` is the machine's load average at the end: if it is
above the number of cores, wall times are those of a busy machine. Folders of Parquet files and
written labels stay in `--home`; existing files are used again.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import warnings
from pathlib import Path

from bench.harness import places
from bench.scale.auto import make_folder, run_auto
from bench.scale.engines import run_bits, run_overhead
from bench.scale.raw import run_raw
from bench.scale.runs import run_million, run_rows, run_small, run_swarm

RESULTS = places.RESULTS / "scale.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    kinds = ("rows", "million", "swarm", "small", "folder", "auto", "killed", "raw", "bits")
    parser.add_argument("what", choices=(*kinds, "overhead"))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--exponent", type=float, default=2.0)
    parser.add_argument("--clusterer", default="linkage")
    parser.add_argument("--reach", type=float, default=3.0, help="of the groups; make_blobs: 10")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--columns", type=int, default=100, help="of overhead; as in bench/speed/swarm.py"
    )
    parser.add_argument("--home", type=Path, default=Path(tempfile.gettempdir()) / "weft-scale")
    given = parser.parse_args()
    # Searches are cut short on purpose.
    warnings.simplefilter("ignore")
    if given.what == "rows":
        found = run_rows(given.rows or 10_000_000, given.exponent)
    elif given.what == "million":
        found = run_million(given.rows or 1_000_000, given.exponent)
    elif given.what == "swarm":
        found = run_swarm(given.rows or 1_000_000, given.clusterer, given.reach)
    elif given.what in ("auto", "killed"):
        found = run_auto(given.home, given.rows or 2_000_000, kill=given.what == "killed")
    elif given.what == "folder":
        n_rows = given.rows or 2_000_000
        print(make_folder(given.home / f"table-{n_rows}", n_rows))
        return
    elif given.what == "raw":
        found = run_raw(given.rows or 1_000_000)
    elif given.what == "small":
        found = run_small(given.rows or 10_000, given.clusterer, given.reach)
    else:
        found = (
            run_bits()
            if given.what == "bits"
            else run_overhead(given.rounds, given.columns, given.clusterer)
        )
    line = {"what": given.what, **found, "load": os.getloadavg()[0], "cores": os.cpu_count()}
    print(json.dumps(line, indent=1))
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
