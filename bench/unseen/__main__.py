"""Clustering of unseen tables, which were not used to tune any setting.

python -m bench.unseen picture                   # a contact sheet of the synthetic world
python -m bench.unseen evidence                  # candidates and evidence of the world
python -m bench.unseen train                     # the judge, from scratch, and its report
WEFT_DATA=... python -m bench.unseen run         # the battery, all methods; resumable
python -m bench.unseen alarms                    # wide tables without clusters, called clustered
python -m bench.unseen steady                    # other orders of rows and columns, other seeds
python -m bench.unseen tables                    # what was measured on the battery
python -m bench.unseen page                      # docs/unseen.md and its picture
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.unseen import battery, trial
from bench.unseen.arithmetic import start_again_in_shared_arithmetic
from bench.unseen.world import KINDS

# Real tables: all of the group "tables", and two wide ones.
STEADY_SETS = (
    *("balance.scale", "ecoli", "haberman", "ionosphere", "seeds", "sonar", "tae", "vehicle"),
    *("golub", "lymphoma"),
)
SEEDS = 7  # tables of each clustered kind that the shipped judge was trained on


def picture(arguments: argparse.Namespace) -> None:
    """Draw three tables of every kind."""
    from bench.unseen.picture import contact_sheet

    contact_sheet(arguments.out, arguments.kinds)
    print(arguments.out)


def evidence(arguments: argparse.Namespace) -> None:
    """Compute the missing evidence of the world."""
    from bench.unseen.evidence import collect

    collect(arguments.kinds, arguments.seeds, arguments.jobs)


def train(arguments: argparse.Namespace) -> None:
    """Train the judge, write its file, print how it does on kinds left out."""
    from bench.unseen import exporting, leave_out, training
    from bench.unseen.evidence import collect, with_rivals
    from weft.auto.evidence import relative

    began = time.perf_counter()
    tables = collect(arguments.kinds, arguments.seeds, arguments.jobs)
    trained = training.train(tables, relative, n_jobs=arguments.jobs)
    exporting.write(arguments.out, trained.arrays)
    text = leave_out.report(with_rivals(tables, arguments.jobs), trained)
    arguments.out.with_suffix(".md").write_text(text + "\n")
    print(text)
    size = arguments.out.stat().st_size
    print(f"{arguments.out}: {size} bytes, {time.perf_counter() - began:.0f} s")


def curve(arguments: argparse.Namespace) -> None:
    """Print how the judge improves with the number of training tables."""
    from bench.unseen.evidence import collect
    from bench.unseen.leave_out import curve_table
    from weft.auto.evidence import relative

    print(curve_table(collect(arguments.kinds, arguments.seeds, arguments.jobs), relative))


def alarms(arguments: argparse.Namespace) -> None:
    """Print how many wide tables without clusters are called clustered."""
    from bench.unseen.alarms import alarms_table

    print(alarms_table(arguments.jobs, arguments.share))


def steady(arguments: argparse.Namespace) -> None:
    """Print how far answers depend on the order of rows and columns, and on the seed."""
    from bench.unseen.steady import steady_table

    names = tuple(arguments.sets)
    print(steady_table(names, arguments.orders, arguments.seeds, arguments.jobs))


def run(arguments: argparse.Namespace) -> int:
    """Run methods on the battery."""
    names = arguments.sets or battery.names(tuple(arguments.groups))
    failed = trial.run(names, arguments.methods, range(arguments.seeds), arguments.results)
    tables(arguments)
    return 1 if failed else 0


def tables(arguments: argparse.Namespace) -> None:
    """Print mean scores by method and group."""
    rows = trial.load_rows(arguments.results)
    print(trial.table(rows))
    for column in ("ari_ungated", "ari_best_candidate"):
        if any(column in row for row in rows):
            print(f"\n{column}:\n{trial.table(rows, column)}")
    print(f"\nlosses:\n{trial.losses_table(rows)}")
    print(f"\none-lump copies:\n{trial.lumps_table(rows)}")


def page(arguments: argparse.Namespace) -> None:
    """Write the page of the documentation."""
    from bench.unseen import page as writer

    writer.write(trial.load_rows(arguments.results), SEEDS)


def main() -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.unseen",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    kinds = list(KINDS)

    command = commands.add_parser("picture", help="draw the synthetic world")
    command.add_argument("--out", type=Path, default=Path("build/unseen/world.png"))
    command.add_argument("--kinds", nargs="*", default=kinds, choices=kinds, metavar="KIND")
    command.set_defaults(call=picture)

    for name, call in (("evidence", evidence), ("train", train), ("curve", curve)):
        command = commands.add_parser(name, help=(call.__doc__ or "").rstrip("."))
        command.add_argument("--kinds", nargs="*", default=kinds, choices=kinds, metavar="KIND")
        command.add_argument(
            "--seeds", type=int, default=SEEDS, help="tables of each clustered kind"
        )
        command.add_argument("--jobs", type=int, default=1, help="processes")
        command.set_defaults(call=call)
        if name == "train":
            command.add_argument("--out", type=Path, default=Path("build/unseen/judge.npz"))

    command = commands.add_parser("alarms", help=(alarms.__doc__ or "").rstrip("."))
    command.add_argument("--jobs", type=int, default=1, help="processes")
    command.add_argument("--share", type=float, default=1.0, help="of the tables that are drawn")
    command.set_defaults(call=alarms)

    command = commands.add_parser("steady", help=(steady.__doc__ or "").rstrip("."))
    command.add_argument("--sets", nargs="*", default=STEADY_SETS, metavar="SET")
    command.add_argument("--orders", type=int, default=20, help="of rows, and of columns")
    command.add_argument("--seeds", type=int, default=10)
    command.add_argument("--jobs", type=int, default=1, help="processes")
    command.set_defaults(call=steady)

    names = list(trial.methods())
    last: tuple[tuple[str, Callable], ...] = (("run", run), ("tables", tables), ("page", page))
    for name, call in last:
        command = commands.add_parser(name, help=(call.__doc__ or "").rstrip("."))
        command.add_argument("--results", type=Path, default=trial.RESULTS)
        command.set_defaults(call=call)
        if name == "run":
            command.add_argument("--methods", nargs="*", default=names, choices=names)
            command.add_argument("--sets", nargs="*", metavar="SET")
            groups = [*battery.GROUPS, battery.LUMPS]
            command.add_argument("--groups", nargs="*", default=battery.GROUPS, choices=groups)
            command.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.call in (evidence, train, curve):
        start_again_in_shared_arithmetic()
    return arguments.call(arguments) or 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main())
