"""Runs of a study on threads, processes or a Dask cluster; each finished row is saved."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from bench.harness import cells, rows, study
from bench.harness.progress import Bar
from bench.harness.study import Run, Study

ENGINES = {"threads": "threading", "processes": "loky", "dask": "dask"}


def run(
    of: Study,
    *,
    trials: int | None = None,
    methods: list[str] | None = None,
    data: list[str] | None = None,
    jobs: int = 1,
    engine: str = "processes",
    scheduler: str | None = None,
    results: Path = rows.FOLDER,
    folder: Path = study.FOLDER,
) -> list[dict[str, Any]]:
    """Run the missing runs and return the rows that failed or had no data."""
    trouble: list[dict[str, Any]] = []
    with rows.writing(of, results):
        # Parts of a killed process are used; failed runs are tried again.
        done = {rows.key_of(row) for row in rows.read(of, results) if row["status"] == "ok"}
        wanted = [
            each
            for each in of.runs(trials)
            if study.any_match(each.method, methods or ["*"])
            and study.any_match(each.data, data or ["*"])
        ]
        missing = [each for each in wanted if each not in done]
        with (
            Bar(of.name, len(wanted), missing, jobs) as bar,
            _workers(engine, jobs, scheduler) as many,
        ):
            for number, row in enumerate(_rows(of, missing, many, folder), 1):
                row["commit"] = cells.commit()
                rows.add(of, row, results)
                if row["status"] != "ok":
                    trouble.append(row)
                bar.done(rows.key_of(row), row["status"], row["error"])
                if number % rows.COMPACT_EVERY == 0:
                    rows.compact(of, results)
    return trouble


def _rows(of: Study, missing: list[Run], many: Any, folder: Path) -> Iterator[dict[str, Any]]:
    if many is None:  # one at a time, in this process
        for each in missing:
            yield cells.evaluate(of.name, each, quick=of.is_quick, folder=folder)
        return
    tasks = (
        delayed(cells.evaluate)(of.name, each, quick=of.is_quick, folder=folder) for each in missing
    )
    yield from many(tasks)


@contextlib.contextmanager
def _workers(engine: str, jobs: int, scheduler: str | None) -> Iterator[Parallel | None]:
    if engine == "dask":
        try:
            from distributed import Client
        except ImportError:
            raise SystemExit(
                "--engine dask needs dask and distributed; install them with: "
                "pip install 'weft[scale]'"
            ) from None
        with (
            Client(scheduler)
            if scheduler
            else Client(n_workers=jobs, threads_per_worker=1, dashboard_address=":0"),
            parallel_config(backend="dask"),
        ):
            yield Parallel(return_as="generator_unordered")
    elif jobs == 1:
        yield None
    else:
        yield Parallel(
            jobs, backend=ENGINES[engine], return_as="generator_unordered", pre_dispatch="2*n_jobs"
        )
