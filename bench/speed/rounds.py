"""A round of weighted k-means compared with scikit-learn's `KMeans`, and the whole fit, as ratios.

    python -m bench.speed.rounds                               1,000,000 × 64, K = 20, p = 2
    python -m bench.speed.rounds --exponent 1.5 --rows 200000  another power, fewer rows
    python -m bench.speed.rounds --whole                       until no row changes its cluster
    python -m bench.speed.rounds --all --repeats 1             p = 2, the whole fit, and p = 1.5

Both sides begin at the same centres and run on two threads. They take turns, and medians are
compared. The time of a round follows from fits of 15 rounds and of one round, so that work that is
done once does not count. Both wall time and processor time are given; on a busy machine only the
processor time can be compared.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from weft import WeightedKMeans

N_CLUSTERS, N_COLUMNS, N_ROUNDS, N_THREADS = 20, 64, 15, 2
ENOUGH = 10_000  # rounds of a whole fit


def blobs(n_rows: int) -> np.ndarray:
    """Return rows of 20 groups that overlap."""
    rng = np.random.default_rng(0)
    centers = 0.5 * rng.normal(size=(N_CLUSTERS, N_COLUMNS))
    rows = rng.normal(size=(n_rows, N_COLUMNS))
    rows += centers[rng.integers(N_CLUSTERS, size=n_rows)]
    return rows


def seconds(call: Callable[[], Any]) -> tuple[float, float, int]:
    """Return the seconds of a fit by the clock and of the processor, and its rounds."""
    clock, processor = time.perf_counter(), time.process_time()
    model = call()
    return time.perf_counter() - clock, time.process_time() - processor, model.n_iter_


def measure(n_rows: int, exponent: float, repeats: int, *, whole: bool) -> dict[str, Any]:
    """Return seconds and ratios of both sides."""
    X = blobs(n_rows)
    start = X[:N_CLUSTERS].copy()

    def ours(rounds: int) -> WeightedKMeans:
        model = WeightedKMeans(
            N_CLUSTERS,
            distance_exponent=exponent,
            init=start,
            max_iter=rounds,
            tol=0.0,
            n_jobs=N_THREADS,
        )
        return model.fit(X)

    def peer(rounds: int) -> KMeans:
        return KMeans(N_CLUSTERS, init=start, n_init=1, max_iter=rounds, tol=0.0).fit(X)

    lengths = (ENOUGH,) if whole else (1, N_ROUNDS)
    sides: tuple[Callable[[int], Any], ...] = (ours, peer)
    calls = [partial(side, rounds) for side in sides for rounds in lengths]
    with threadpool_limits(N_THREADS):
        for side in sides:
            side(1)
        times = [[seconds(call) for call in calls] for _ in range(repeats)]
    # (sides, lengths, clock and processor and rounds)
    middle = np.median(times, axis=0).reshape(2, len(lengths), 3)
    found: dict[str, Any] = {"rows": n_rows, "exponent": exponent, "repeats": repeats}
    fits = middle[:, -1]
    found["rounds"] = [int(count) for count in fits[:, 2]]
    for kind, name in enumerate(("clock", "processor")):
        found[f"fit, {name}"] = _beside(fits[:, kind])
        if not whole:
            rounds = np.maximum(middle[:, -1, 2] - middle[:, 0, 2], 1)
            each = (middle[:, -1, kind] - middle[:, 0, kind]) / rounds
            found[f"round, {name}"] = _beside(each)
    return found


def _beside(pair: np.ndarray) -> dict[str, float]:
    ours, peer = (float(value) for value in pair)
    return {"weft": round(ours, 4), "KMeans": round(peer, 4), "ratio": round(ours / peer, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--exponent", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--whole", action="store_true", help="until no row changes its cluster")
    parser.add_argument("--all", action="store_true", help="p = 2, the whole fit, and p = 1.5")
    given = parser.parse_args()
    # Fits are cut short on purpose.
    warnings.simplefilter("ignore")
    plan = [(2.0, False), (2.0, True), (1.5, False)] if given.all else []
    for exponent, whole in plan or [(given.exponent, given.whole)]:
        found = measure(given.rows, exponent, given.repeats, whole=whole)
        print("\n".join(f"{name}: {value}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
