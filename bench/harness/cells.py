"""One run of one cell, on a thread, a process or a machine of a Dask cluster."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import time
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from bench.harness import data, methods, places, study
from bench.harness.study import Run


def evaluate(name: str, run: Run, *, quick: bool, folder: Path = study.FOLDER) -> dict[str, Any]:
    """Run one cell once and return its row; a failure is a row too."""
    of = study.load(name, quick=quick, folder=folder)
    row: dict[str, Any] = {
        "study": name,
        "cell": f"{run.data} | {run.method}",
        "data": run.data,
        "set": run.number,
        "method": run.method,
        "trial": run.trial,
        "seed": of.seed(run),
        "identity": of.identity(run),
    }
    began = time.perf_counter()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            # Some methods of a table do not converge, which their numbers show.
            warnings.simplefilter("ignore")
            table = data.load(of.data[run.data], of.data_seed(run))
            at = methods.Setting(
                table.X,
                table.y,
                row["seed"],
                of.paper,
                run.data,
                run.trial,
                of.data[run.data],
                of.metrics,
            )
            began = time.perf_counter()  # the time to read or draw data does not count
            found = methods.run(of.methods[run.method], at)
        row |= {"status": "ok", "error": None, **found}
    except data.MissingData as error:
        row |= {"status": "no data", "error": str(error)}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        row |= {"status": "failed", "error": said}
    return row | {"seconds": time.perf_counter() - began, "versions": versions()}


@cache
def versions() -> str:
    """Return the versions of the libraries."""
    packages = ("weft", "numpy", "scipy", "scikit-learn", "numba")
    found = [f"{name} {importlib.metadata.version(name)}" for name in packages]
    return ", ".join([f"python {platform.python_version()}", *found])


@cache
def commit() -> str:
    """Return the commit of the code, with "+" if files have changed since."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=places.ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    # Documents and rows change no result.
    elsewhere = (":!docs", ":!bench/results")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *elsewhere)
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if changed else "")
