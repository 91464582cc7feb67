"""``python -m bench run STUDY``, ``compare STUDY``, ``pages STUDY`` and ``list``."""

from __future__ import annotations

import argparse
import fnmatch
import shutil
import sys
from pathlib import Path

from bench.harness import places, rows, runs, study


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="run the missing parts of studies")
    runner.add_argument("studies", nargs="+", metavar="STUDY", help="names, patterns, or all")
    runner.add_argument("--quick", action="store_true", help="the small form; checks directions")
    runner.add_argument("--trials", type=int, help="at most this many trials of each cell")
    runner.add_argument("--methods", nargs="+", help="only these methods; * for anything")
    runner.add_argument("--data", nargs="+", help="only these data sets; * for anything")
    runner.add_argument("--jobs", type=int, default=1)
    runner.add_argument("--engine", choices=list(runs.ENGINES), default="processes")
    runner.add_argument("--scheduler", help="address of a Dask scheduler; else a local one")
    runner.add_argument("--results", type=Path, help="folder of the rows")
    runner.add_argument("--studies-folder", type=Path, default=study.FOLDER)
    comparer = commands.add_parser("compare", help="ours compared with theirs, as Markdown")
    comparer.add_argument("studies", nargs="+", metavar="STUDY", help="names, patterns, or all")
    comparer.add_argument("--results", type=Path, default=rows.FOLDER)
    writer = commands.add_parser("pages", help="a page per paper, ours compared with theirs")
    writer.add_argument("studies", nargs="+", metavar="STUDY", help="names, patterns, or all")
    writer.add_argument("--results", type=Path, default=rows.FOLDER)
    writer.add_argument("--folder", type=Path, default=places.DOCS / "reproduction")
    commands.add_parser("list", help="the studies")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name in study.names():
            sys.stdout.write(f"{name:<16} {study.load(name).title}\n")
        return 0
    return {"run": run, "compare": compare, "pages": pages}[options.command](options)


def chosen(patterns: list[str], folder: Path = study.FOLDER) -> list[str]:
    """Return the studies that names, patterns or "all" select."""
    if folder != study.FOLDER:
        return patterns
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [
            name for name in study.names() if pattern == "all" or fnmatch.fnmatchcase(name, pattern)
        ]
        if not matching:
            study.load(pattern)  # the error lists the studies
        found |= dict.fromkeys(matching)
    return list(found)


def run(options: argparse.Namespace) -> int:
    """Run studies; 1 if a cell failed or a direction does not hold."""
    from bench.harness.directions import check

    if options.jobs < 1:
        raise SystemExit(f"--jobs {options.jobs} is not a number of workers; give 1 or more.")
    results = options.results or (places.QUICK if options.quick else rows.FOLDER)
    if options.quick and not options.results:
        shutil.rmtree(places.QUICK, ignore_errors=True)
    wanted: dict[str, None] = {}
    asked = chosen(options.studies, options.studies_folder)
    for name in asked:
        of = study.load(name, quick=options.quick, folder=options.studies_folder)
        wanted |= dict.fromkeys(of.rows_of or [name])
    trouble = []
    try:
        for name in wanted:
            of = study.load(name, quick=options.quick, folder=options.studies_folder)
            trouble += runs.run(
                of,
                trials=options.trials,
                methods=options.methods,
                data=options.data,
                jobs=options.jobs,
                engine=options.engine,
                scheduler=options.scheduler,
                results=results,
                folder=options.studies_folder,
            )
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; finished runs are kept. Run the command again to continue.\n")
        return 130
    failed = [row for row in trouble if row["status"] == "failed"]
    for row in trouble:
        sys.stderr.write(f"{row['study']}: {row['cell']}, trial {row['trial']}: {row['error']}\n")
    if failed:
        sys.stderr.write(f"{len(failed)} runs failed; run the command again to repeat them.\n")
    wrong = 0
    if options.quick:
        wrong = check(asked, results, options.studies_folder, sys.stdout.write)
    return int(bool(failed) or wrong > 0)


def compare(options: argparse.Namespace) -> int:
    """Write the tables as Markdown, then each paper's counts and placebo."""
    from bench.harness.compare import report
    from bench.harness.counting import headline, placebo, tables_of

    names = chosen(options.studies)
    for paper in study.PAPERS:
        own = [study.load(name) for name in names if name.startswith(f"{paper}-")]
        tables = tables_of(own, options.results)
        for table in tables:
            sys.stdout.write(report(table, options.results) + "\n")
        if tables:
            found = placebo(tables, options.results)
            sys.stdout.write(f"{paper}: {headline(tables)} {found.text}\n\n")
    return 0


def pages(options: argparse.Namespace) -> int:
    """Write a page per paper, and the list of papers if all pages are written."""
    from bench.harness.pages import write_pages

    write_pages(chosen(options.studies), options.results, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
