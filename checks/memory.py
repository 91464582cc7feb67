"""Fit every estimator with limited memory: the fit works, or raises an error of one sentence.

    python -m checks.memory

A separate process for each estimator fits a small table first. Then its address space is limited to
the present size plus `ROOM` bytes, and it fits a table for which some methods need much more.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from checks.apart import run_program
from checks.parameters import estimator_names, quick_model, suitable

ROOM = 2**28
N_ROWS, N_COLUMNS = 6000, 60


def limited_fit(name: str, *, room: int = ROOM) -> str:
    """Fit in this process under a limit; return the outcome, or raise unexpected errors."""
    import resource

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_COLUMNS)) + 3.0 * rng.integers(0, 2, (N_ROWS, 1))
    X = suitable(name, X)
    model: Any = quick_model(name)
    known = model.get_params(deep=False)
    # The check of max_memory is disabled: reaching the limit itself must give one sentence.
    model.set_params(**{key: "1TiB" for key in ("max_memory",) if key in known})
    model.fit(X[:60])
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
    try:
        model.fit(X)
    except (MemoryError, ValueError) as error:
        text = str(error)
        if "\n" in text or not text.endswith(".") or len(text) > 400:
            raise
        return f"refused: {text}"
    return "fitted"


def run_apart(name: str, seconds: float = 300.0) -> tuple[int, str]:
    """Return the exit status and the last line of `limited_fit` in a process of its own."""
    command = [sys.executable, "-m", "checks.memory", "--child", name]
    done = run_program(command, seconds)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        print(limited_fit(sys.argv[2]))
        return 0
    n_unclean = 0
    names = estimator_names()
    for name in names:
        status, line = run_apart(name)
        n_unclean += status != 0
        print(f"{name:26} {'' if status == 0 else f'UNCLEAN ({status}) '}{line}", flush=True)
    print(f"{len(names)} estimators with {ROOM / 2**20:.0f} MiB of room: {n_unclean} unclean")
    return int(n_unclean > 0)


if __name__ == "__main__":
    sys.exit(main())
