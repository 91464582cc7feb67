"""AutoCluster on tables of several sizes: seconds of the clock, of the processor, and memory.

    python -m bench.speed.auto                          all sizes on two threads
    python -m bench.speed.auto --threads 1 1000x50      one size on one thread

Each size runs in its own process, which fits a small table first, so that compilation is not timed.
Half of the columns separate five clusters, the others are noise. On a busy machine only the
processor seconds are meaningful.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from bench.harness import places
from bench.harness.timing import interleaved
from bench.unseen.rivals import kmeans_silhouette
from weft import AutoCluster

RESULTS = places.RESULTS / "auto_speed.jsonl"
SIZES = ("1000x50", "10000x200", "200000x100", "1000000x100")
_CODE = """
import json, resource, sys, time, warnings
from bench.speed.auto import table
from weft import AutoCluster
warnings.simplefilter("ignore")
n, d, threads = map(int, sys.argv[1:])
model = AutoCluster(random_state=0, n_jobs=threads)
model.fit(table(150, d)[0])
X = table(n, d)[0]
clock, processor = time.perf_counter(), time.process_time()
model.fit(X)
found = {
    "seconds": round(time.perf_counter() - clock, 2),
    "processor_seconds": round(time.process_time() - processor, 2),
    "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2, 2),
    "n_clusters": int(model.n_clusters_),
}
print(json.dumps(found))
"""


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of five clusters that half of the columns separate, and their labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float64)
    centres = 3.0 * rng.standard_normal((5, d // 2))
    labels = rng.integers(5, size=n)
    X[:, : d // 2] += centres[labels]
    return X, labels


def compared(size: str, rounds: int, n_threads: int = 2) -> dict[str, Any]:
    """Return seconds and adjusted Rand index of methods that are not given the number of clusters.

    All methods run in this process, in turns, each after a run that is not timed. In the index, the
    rows that HDBSCAN calls noise are one cluster. `bench.performance` calls this function.
    """
    import fast_hdbscan

    X, labels = table(*map(int, size.split("x")))
    sides = {
        "AutoCluster": AutoCluster(random_state=0, n_jobs=n_threads).fit_predict,
        "k-means + silhouette": partial(kmeans_silhouette, n_clusters=0, seed=0),
        "scikit-learn's HDBSCAN": HDBSCAN(min_cluster_size=15, copy=True).fit_predict,
        "fast_hdbscan": fast_hdbscan.HDBSCAN(min_cluster_size=15).fit_predict,
    }
    with threadpool_limits(n_threads):
        seconds = interleaved([partial(side, X) for side in sides.values()], rounds)
        index = [float(adjusted_rand_score(labels, side(X))) for side in sides.values()]
    return {
        "seconds": dict(zip(sides, seconds, strict=True)),
        "index": dict(zip(sides, index, strict=True)),
        "rounds": rounds,
    }


def measure(size: str, n_threads: int) -> dict[str, object]:
    """Return time and memory of a fit of one size, in its own process."""
    numbers = size.split("x")
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *numbers, str(n_threads)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"size": size, "threads": n_threads, "error": done.stderr.strip().splitlines()[-1]}
    return {"size": size, "threads": n_threads, **json.loads(done.stdout)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sizes", nargs="*", default=SIZES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    with given.out.open("a") as file:
        for size in given.sizes:
            line = measure(size, given.threads)
            print(line, flush=True)
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
