"""``python -m checks.faults``: behaviour under kills, full disks, and little memory.

50 fits killed at random moments and resumed, a thousand fits in one process, full and read-only
disks, workers that raise, clocks that jump, too little memory. Each line says what was done and
what happened; the exit code is 1 if a promise was broken. Needs Linux.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import weft
from weft.methods.staged import ClusterEstimate
from weft.search.callbacks import Checkpoint, TimeLimit


def rows(n_rows: int = 120) -> np.ndarray:
    """Three groups in five columns."""
    X = np.random.default_rng(0).normal(size=(n_rows, 5))
    X[n_rows // 3 : 2 * n_rows // 3, :2] += 6
    X[2 * n_rows // 3 :, :2] -= 6
    return X


# Each takes about a tenth of a second, and each stores different data in its checkpoints.
SEARCHES: list[Callable[..., Any]] = [
    lambda **o: weft.FeatureSwarm(n_generations=20, patience=None, random_state=0, **o),
    lambda **o: weft.ProjectedSwarm(3, n_evaluations=800, patience=None, random_state=0, **o),
    lambda **o: weft.ProjectedSwarm(
        3, particle="weights", n_evaluations=600, patience=None, random_state=0, **o
    ),
    lambda **o: weft.StagedSwarm(
        3,
        n_generations=30,
        n_particles=20,
        n_clusters_estimate=ClusterEstimate(n_estimates=1),
        random_state=0,
        **o,
    ),
    lambda **o: weft.KernelSwarm(n_generations=6, n_particles=8, random_state=0, **o),
    lambda **o: weft.DynamicSwarm(n_generations=20, n_rounds=3, random_state=0, **o),
    lambda **o: weft.GeneticClustering(n_generations=40, n_particles=20, random_state=0, **o),
]


def digest(model: Any) -> str:
    """SHA-256 of everything a search found, except for the time it took."""
    total = hashlib.sha256()
    for name in ("labels_", "fitness_", "n_iter_", "feature_weights_", "cluster_centers_"):
        if hasattr(model, name):
            total.update(np.ascontiguousarray(getattr(model, name)).tobytes())
    for name, column in model.history_.items():
        if name != "seconds":
            total.update(np.ascontiguousarray(column).tobytes())
    return total.hexdigest()


def _child(work: Callable[[], str | None]) -> tuple[int, int]:
    """Run `work` in a fork; return its process and the pipe with its answer."""
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, reader
    code = 1
    try:
        os.close(reader)
        os.write(writer, (work() or "").encode())
        code = 0
    finally:
        os._exit(code)
    raise AssertionError  # never reached


def _answer(process: int, reader: int) -> str:
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(process, 0)
    return text


def _wait_until(process: int, seconds: float) -> None:
    """Wait until a child has used this much processor time or has ended."""
    tick = os.sysconf("SC_CLK_TCK")
    while True:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        if fields[0] == "Z" or (int(fields[11]) + int(fields[12])) / tick >= seconds:
            return
        time.sleep(0.002)


def kills(n_kills: int, folder: Path, seed: int = 0) -> tuple[int, int]:
    """Kill fits at random moments; return how many gave the same result after resuming, and how
    many had a checkpoint. A fit that ended before it could be killed does not count."""
    X, rng = rows(), np.random.default_rng(seed)
    same = resumed = 0
    expected, seconds = [], []
    for make in SEARCHES[:n_kills]:
        make(n_jobs=1).fit(X)  # compiled and warm
        began = time.process_time()
        expected.append(digest(make(callbacks=[Checkpoint(folder / "timed", every=1)]).fit(X)))
        seconds.append(time.process_time() - began)
    for number in range(n_kills):
        which = number % len(SEARCHES)
        make, path = SEARCHES[which], folder / f"{number}.checkpoint"

        def run(make: Any = make, path: Path = path) -> None:
            make(callbacks=[Checkpoint(path, every=1)]).fit(X)

        def go_on(make: Any = make, path: Path = path) -> str:
            return digest(make().fit(X, resume=path if path.exists() else None))

        killed = False
        while not killed:
            path.unlink(missing_ok=True)
            process, reader = _child(run)
            _wait_until(process, float(rng.uniform(0.0, seconds[which])))
            time.sleep(float(rng.uniform(0.0, 0.01)))
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            os.close(reader)
            killed = os.WIFSIGNALED(status)
        resumed += path.exists()
        same += _answer(*_child(go_on)) == expected[which]
    return same, resumed


def memory() -> int:
    """Resident kilobytes."""
    gc.collect()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def many_fits(n_fits: int, n_before: int = 50) -> dict[str, tuple[int, int]]:
    """Return memory, threads and open files after `n_before` fits and after all of them."""
    X = rows(60)
    makers: list[Callable[[], Any]] = [
        lambda: weft.FeatureSwarm(n_generations=3, n_particles=6, n_jobs=2, random_state=0),
        lambda: weft.FeatureSwarm("linkage", n_clusters=3, n_generations=2, n_particles=6),
        lambda: weft.WeightedKMeans(3, random_state=0),
        lambda: weft.ProjectedSwarm(3, n_evaluations=20, n_particles=5, n_jobs=2),
        lambda: weft.StagedSwarm(
            n_generations=3,
            n_particles=6,
            n_clusters_estimate=ClusterEstimate(n_estimates=1),
            n_jobs=2,
        ),
        lambda: weft.KernelSwarm(n_generations=2, n_particles=5, sigma="median", n_jobs=2),
        lambda: weft.GeneticClustering(n_generations=3, n_particles=6),
        lambda: weft.EntropyKMeans(3, random_state=0),
    ]
    seen = {"memory in kB": [0, 0], "threads": [0, 0], "open files": [0, 0]}
    with warnings.catch_warnings():
        # Short searches say that they did not converge.
        warnings.simplefilter("ignore")
        for number in range(n_fits):
            makers[number % len(makers)]().fit(X)
            if number + 1 in (n_before, n_fits):
                place = int(number + 1 == n_fits)
                seen["memory in kB"][place] = memory()
                seen["threads"][place] = threading.active_count()
                seen["open files"][place] = len(os.listdir("/proc/self/fd"))
    return {name: (first, last) for name, (first, last) in seen.items()}


def command(*arguments: str) -> tuple[int, str]:
    """The command line in this process: its exit code, and what it says on standard error."""
    from weft.cli.app import app

    with redirect_stderr(io.StringIO()) as err, redirect_stdout(io.StringIO()):
        try:
            app([*arguments], standalone_mode=True)
            code = 0
        except SystemExit as error:
            code = int(error.code or 0)
    return code, err.getvalue().strip()


def _table(folder: Path, n_rows: int = 120) -> Path:
    path = folder / "table.csv"
    header = ",".join(f"x{j}" for j in range(5))
    np.savetxt(path, rows(n_rows), delimiter=",", header=header, comments="")
    return path


def _limited(kind: int, limit: int, work: Callable[[], str]) -> str:
    """What `work` answers in a process with a limit."""

    def within() -> str:
        resource.setrlimit(kind, (limit, limit))
        return work()

    return _answer(*_child(within))


def _left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def full_disk(folder: Path) -> bool:
    """No file may grow beyond 4 kB: the error is one sentence, and no file remains."""
    table = _table(folder)
    command("cluster", str(table), "--generations", "1", "--out", str(folder / "warm"), "--quiet")
    shutil.rmtree(folder / "warm")

    def work() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        arguments = ("--generations", "1", "--out", str(folder / "out"), "--quiet")
        code, said = command("cluster", str(table), *arguments)
        return f"{code}|{said}"

    answer = _limited(resource.RLIMIT_FSIZE, 4096, work)
    sentence = answer.startswith("2|weft: ") and "\n" not in answer
    return sentence and _left(folder) == ["table.csv"]


def read_only(folder: Path) -> bool:
    """A folder that cannot be written, not even by root."""
    table = _table(folder)
    code, said = command("cluster", str(table), "--out", "/proc/weft-results", "--quiet")
    model = weft.WeightedKMeans(2, random_state=0).fit(rows(30))
    try:
        model.save("/proc/model.weft")
    except OSError:
        refused = True
    else:
        refused = False
    return refused and code == 2 and "cannot be written" in said and "\n" not in said


def raising_worker() -> bool:
    """An error on a thread comes out as it is; the next fit works, and no thread is left."""
    X, before = rows(60), threading.active_count()

    def criterion(X: np.ndarray, labels: np.ndarray) -> float:
        raise ZeroDivisionError("in a worker")

    model = weft.FeatureSwarm(criterion=criterion, n_generations=2, n_jobs=2, random_state=0)
    try:
        model.fit(X)
    except ZeroDivisionError as error:
        heard = str(error) == "in a worker"
    else:
        heard = False
    weft.FeatureSwarm(n_generations=2, n_jobs=2, random_state=0).fit(X)
    return heard and threading.active_count() <= before + 1 and not hasattr(model, "labels_")


def clock_jumps() -> bool:
    """The clock on the wall goes back ten years and forth again in mid-search."""
    X, real, calls = rows(60), time.time, [0]

    def jumping() -> float:
        calls[0] += 1
        return real() + (-3.2e8 if calls[0] % 2 else 3.2e8)

    settings = {"n_generations": 10, "patience": None, "random_state": 0}
    plain = weft.FeatureSwarm(**settings).fit(X)
    time.time = jumping
    try:
        model = weft.FeatureSwarm(**settings, callbacks=[TimeLimit(3600.0)]).fit(X)
    finally:
        time.time = real
    steady = (np.diff(model.history_["seconds"]) >= 0).all() and model.history_["seconds"][-1] < 600
    return digest(model) == digest(plain) and bool(steady)


def memory_ends(folder: Path) -> bool:
    """The distances of 6,000 rows do not fit into what is left: a sentence, and nothing is left."""
    small, table = _table(folder), folder / "large.csv"
    options = ("--method", "pso-fsw", "--clusterer", "linkage", "--n-clusters", "3", "--quiet")
    options += ("--generations", "1", "--particles", "2", "--param", "max_memory=64GiB")
    command("cluster", str(small), *options, "--out", str(folder / "warm"))
    shutil.rmtree(folder / "warm")
    _table(folder, 6000).rename(table)

    def work() -> str:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = size + 100 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        code, said = command("cluster", str(table), *options, "--out", str(folder / "out"))
        return f"{code}|{said}"

    answer = _answer(*_child(work))
    sentence = answer.startswith("2|weft: ") and "\n" not in answer
    return sentence and _left(folder) == ["large.csv"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--fits", type=int, default=1000)
    given = parser.parse_args()
    broken = 0

    def say(text: str, held: bool) -> None:
        nonlocal broken
        broken += not held
        print(f"{'ok    ' if held else 'BROKEN'} {text}", flush=True)

    # Before any thread is started: forks have only the calling thread.
    with tempfile.TemporaryDirectory() as name:
        same, resumed = kills(given.kills, Path(name))
    say(
        f"SIGKILL at {given.kills} random moments: {same} of {given.kills} came to the same bits, "
        f"{resumed} from a checkpoint and the rest killed before the first",
        same == given.kills,
    )
    for check in (full_disk, read_only, raising_worker, clock_jumps, memory_ends):
        with tempfile.TemporaryDirectory() as name:
            # Checks that need no folder take none.
            held = check(Path(name)) if check.__code__.co_argcount else check()  # type: ignore[call-arg]
        say((check.__doc__ or "").splitlines()[0], held)
    for what, (first, last) in many_fits(given.fits).items():
        share = last / max(1, first) - 1.0
        say(
            f"{given.fits} fits, {what}: {first} after 50, {last} after all ({share:+.1%})",
            share <= 0.05,
        )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
