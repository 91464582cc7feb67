"""Ratios of our time to that of a peer: ``python -m bench.speed [--cpu] [name ...]``.

Each row is a function in `ROWS` that returns the calls to time. Both sides are called once before
timing starts; then they take turns, and the medians are compared. A row whose ratio is above its
limit makes the command fail. Run it on an idle machine: the peer's threads wait for each other, so
other programs slow them down more than ours. On a busy machine ``--cpu`` is fairer: both sides run
on one thread, with processor time instead of wall time, and the minimum instead of the median.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from weft import WeightedKMeans

ROUNDS = 15
CPU = "--cpu"


@dataclass(frozen=True)
class Timing:
    """Two calls to compare, and the largest ratio that is accepted."""

    ours: Callable[[], object]
    peer: Callable[[], object]
    limit: float
    note: str = ""


@dataclass(frozen=True)
class Memory:
    """A script that prints a ratio of memory, and the largest ratio that is accepted."""

    script: str
    limit: float
    note: str = ""


def _blobs(n_samples: int, n_features: int, n_clusters: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centers = 0.5 * rng.normal(size=(n_clusters, n_features))
    return centers[rng.integers(n_clusters, size=n_samples)] + rng.normal(
        size=(n_samples, n_features)
    )


def _against_lloyd(limit: float, **settings: float) -> Timing:
    """WeightedKMeans compared with scikit-learn's Lloyd: same centres, same number of rounds."""
    X = _blobs(20_000, 50, 12)
    start = X[:12].copy()
    rounds = 20
    jobs = 1 if CPU in sys.argv else -1
    ours = WeightedKMeans(12, init=start, max_iter=rounds, n_jobs=jobs, **settings)
    peer = KMeans(12, init=start, n_init=1, max_iter=rounds, tol=0.0, algorithm="lloyd")
    taken = ours.fit(X).n_iter_, peer.fit(X).n_iter_
    note = f"rounds {taken[0]} and {taken[1]}"
    return Timing(lambda: ours.fit(X), lambda: peer.fit(X), limit, note)


def kmeans_squared() -> Timing:
    """A weighted fit with beta 2 on 20,000 x 50, k = 12, against Lloyd."""
    return _against_lloyd(2.0, weight_exponent=2.0)


def kmeans_minkowski() -> Timing:
    """A MWK fit with p = 1.4 on 20,000 x 50, k = 12, against Lloyd."""
    return _against_lloyd(12.0, distance_exponent=1.4)


def kmeans_memory() -> Memory:
    """Peak memory of a fit on 1,000,000 x 20, X included, in units of X."""
    return Memory(_MEMORY.format(settings="weight_exponent=2.0"), 6.0, "beta 2, k = 12")


def kmeans_memory_minkowski() -> Memory:
    """The same for p = 1.4."""
    return Memory(_MEMORY.format(settings="distance_exponent=1.4"), 6.0, "p 1.4, k = 12")


_MEMORY = """
import resource, numpy as np
from weft import WeightedKMeans
model = WeightedKMeans(12, max_iter=5, n_jobs=-1, {settings})
rng = np.random.default_rng(0)
model.fit(rng.normal(size=(500, 20)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
X = rng.normal(size=(1_000_000, 20))
X[: len(X) // 2] += 3.0
model.fit(X)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / X.nbytes)
"""

ROWS: dict[str, Callable[[], Timing | Memory]] = {
    "kmeans_squared": kmeans_squared,
    "kmeans_minkowski": kmeans_minkowski,
    "kmeans_memory": kmeans_memory,
    "kmeans_memory_minkowski": kmeans_memory_minkowski,
}


def _seconds(call: Callable[[], object]) -> float:
    clock = time.process_time if CPU in sys.argv else time.perf_counter
    start = clock()
    call()
    return clock() - start


def compare(timing: Timing, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the median seconds of both sides, taken in turns after a warm-up."""
    alone = CPU in sys.argv
    with threadpool_limits(1 if alone else None):
        timing.ours()
        timing.peer()
        both = [(_seconds(timing.ours), _seconds(timing.peer)) for _ in range(rounds)]
    ours, peer = np.min(both, axis=0) if alone else np.median(both, axis=0)
    return float(ours), float(peer)


def main(names: list[str]) -> int:
    """Write one line per row; return 1 if a ratio is above its limit."""
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        sys.stderr.write(f"no row {unknown[0]!r}; rows are {', '.join(ROWS)}\n")
        return 2
    # Peers warn about rounds that are limited on purpose.
    warnings.simplefilter("ignore")
    sys.stdout.write(f"{platform.machine()}, {platform.python_version()}, numpy {np.__version__}\n")
    sys.stdout.write(f"{'row':26s} {'ours':>10s} {'peer':>10s} {'ratio':>7s} {'limit':>6s}\n")
    failed = False
    for name in names or ROWS:
        row = ROWS[name]()
        if isinstance(row, Memory):
            printed = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", row.script],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            ratio, sides = float(printed), f"{'':>10s} {'':>10s}"
        else:
            ours, peer = compare(row)
            ratio, sides = ours / peer, f"{1e3 * ours:8.1f}ms {1e3 * peer:8.1f}ms"
        failed |= ratio > row.limit
        verdict = "" if ratio <= row.limit else "  ABOVE"
        sys.stdout.write(f"{name:26s} {sides} {ratio:7.2f} {row.limit:6.1f}  {row.note}{verdict}\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main([name for name in sys.argv[1:] if name != CPU]))
