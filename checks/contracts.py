"""Check that every estimator gives the same bits in every environment, each in its own process.

    python -m checks.contracts                     # all estimators in all environments
    python -m checks.contracts --ways loky,fork    # some environments
    python -m checks.contracts --only KernelSwarm  # estimators whose names start like this

For each environment a new process fits all estimators and prints a digest of everything they
learned, predicted and transformed. The digests must be those of a plain process.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from checks.apart import run_program
from checks.contract_models import FITS, OF_COUNTS, Digests, count_table, digest_of_fit, table

# Environment variables are read when a library is loaded, hence one process for each setting.
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "OMP 1": {"OMP_NUM_THREADS": "1"},
    "OMP 2": {"OMP_NUM_THREADS": "2"},
    "OpenBLAS 1": {"OPENBLAS_NUM_THREADS": "1"},
    "OpenBLAS 2": {"OPENBLAS_NUM_THREADS": "2"},
}
# The same numbers in other containers.
CONTAINERS = ("Fortran", "DataFrame", "polars", "read-only", "memmap", "strided", "big-endian")
JOBLIB = ("threads", "loky", "Dask")
WAYS = ("plain", *JOBLIB, *ENVIRONMENTS, *CONTAINERS, "fork", "nested joblib", "thread pool")


def contain(way: str, X: np.ndarray, folder: Path) -> Any:
    """Return the numbers of `X` in the container that `way` names."""
    match way:
        case "Fortran":
            return np.asfortranarray(X)
        case "DataFrame":
            import pandas as pd

            return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
        case "polars":
            import polars as pl

            return pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])])
        case "read-only":
            frozen = X.copy()
            frozen.flags.writeable = False
            return frozen
        case "memmap":
            path = folder / f"{X.sum()}.npy"
            np.save(path, X)
            return np.load(path, mmap_mode="r")
        case "strided":
            return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
        case "big-endian":
            return X.astype(">f8")
    return X


@contextmanager
def _dask() -> Iterator[None]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield


def surrounding(way: str) -> AbstractContextManager[Any]:
    """Return the context that sets joblib's backend."""
    match way:
        case "threads":
            return joblib.parallel_config(backend="threading", n_jobs=2)
        case "loky":
            return joblib.parallel_config(backend="loky", n_jobs=2)
        case "Dask":
            return _dask()
    return nullcontext()


def digests_in(way: str, names: list[str]) -> Digests:
    """Fit the named cases in this process, in the environment `way`."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, surrounding(way):
        plain, counts = (contain(way, X, Path(folder)) for X in (table(), count_table()))
        given = {name: counts if name in OF_COUNTS else plain for name in names}
        if way == "fork":
            return _in_forked_process(given)
        if way == "nested joblib":
            tasks = (joblib.delayed(digest_of_fit)(name, X) for name, X in given.items())
            results = joblib.Parallel(n_jobs=2)(tasks)
        elif way == "thread pool":
            with ThreadPoolExecutor(4) as pool:
                results = list(pool.map(digest_of_fit, given, given.values()))
        else:
            results = [digest_of_fit(name, X) for name, X in given.items()]
    return dict(zip(names, results, strict=True))


def _in_forked_process(given: dict[str, Any]) -> Digests:
    """Fit in a child that was forked after its parent had fitted."""
    digest_of_fit(*next(iter(given.items())))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            results = {name: digest_of_fit(name, X) for name, X in given.items()}
            os.write(writing, json.dumps(results).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return dict(json.loads(text or "{}"))


def run_apart(way: str, names: list[str], seconds: float = 900.0) -> Digests:
    """Return the digests of the named cases, fitted in a fresh process.

    It may use `seconds` of processor time: a limit in wall-clock time would fail on a busy machine.
    """
    environment = {**os.environ, **ENVIRONMENTS.get(way, {})}
    command = [sys.executable, "-m", "checks.contracts", "--child", way, "--cases", *names]
    done = run_program(command, seconds, environment=environment)
    if done.returncode:
        raise RuntimeError(f"the process for {way!r} ended with {done.returncode}:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def differences(plain: Digests, other: Digests) -> list[str]:
    """Return the cases whose bits differ, each with the attributes that differ."""
    out = []
    for name, expected in plain.items():
        seen = other.get(name, {})
        differing = [key for key in expected if seen.get(key) != expected[key]]
        if differing:
            out.append(f"{name}: {', '.join(differing)}")
    return out


def compare(
    ways: list[str], names: list[str], tell: Callable[[str], None] = print
) -> dict[str, list[str]]:
    """Run each environment in its own process; return the differences from a plain process."""
    plain = run_apart("plain", names)
    found = {}
    for way in ways:
        found[way] = differences(plain, run_apart(way, names))
        tell(f"{way:14} {len(names) - len(found[way])} of {len(names)} fits have the same bits")
        for line in found[way]:
            tell(f"    {line}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--only", default="", help="cases whose names start like this")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--cases", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(digests_in(given.child, given.cases)))
        return 0
    names = [name for name in FITS if name.startswith(given.only)]
    found = compare(given.ways.split(","), names)
    n_bad = sum(map(len, found.values()))
    print(f"{len(names)} fits x {len(found)} surroundings: {n_bad} with other bits")
    return int(n_bad > 0)


if __name__ == "__main__":
    sys.exit(main())
