"""The first minute: processor seconds of the import, the first fit and the second fit.

    python -m bench.speed.first_minute                      all estimators, with compiled code
    python -m bench.speed.first_minute --cold AutoCluster   with an empty cache of compiled code
    python -m bench.speed.first_minute --demo [--cold]      `weft demo` as a whole

Each estimator runs in its own process on a table of 150 × 4. Processor time, including that of
child processes, hardly depends on other programs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.harness import places

RESULTS = places.RESULTS / "first_minute.jsonl"
NAMES = (
    *("AutoCluster", "FeatureSwarm", "StagedSwarm", "ProjectedSwarm", "KernelSwarm"),
    *("DynamicSwarm", "GeneticClustering", "WeightedKMeans", "EntropyKMeans"),
    *("LocallyAdaptiveKMeans", "KernelKMeans", "ConstrainedKMeans", "FeatureSimilaritySelector"),
)
_SETTINGS = {
    "FeatureSwarm": {"n_generations": 2, "n_particles": 4},
    "StagedSwarm": {"n_generations": 2, "n_particles": 4},
    "KernelSwarm": {"n_generations": 2, "n_particles": 4},
    "DynamicSwarm": {"n_generations": 2, "n_particles": 4},
}
_CODE = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
marks = [time.process_time()]
import weft
kind = getattr(weft, sys.argv[1])
marks.append(time.process_time())
from sklearn.datasets import load_iris
X = load_iris().data
known = kind().get_params()
settings = {k: v for k, v in json.loads(sys.argv[2]).items() if k in known}
for _ in range(2):
    start = time.process_time()
    kind(**settings).fit(X)
    marks.append(time.process_time() - start)
print(json.dumps({"import": marks[1], "first": marks[2], "second": marks[3]}))
"""


def measure(name: str, *, cold: bool) -> dict[str, object]:
    """Return the seconds of one estimator in its own process."""
    command = [sys.executable, "-c", _CODE, name, json.dumps(_SETTINGS.get(name, {}))]
    if not cold:
        _run(command, cold=False)  # so that everything is compiled
    done = _run(command, cold=cold)
    if done.returncode:
        return {"what": name, "cold": cold, "error": done.stderr.strip().splitlines()[-1]}
    found = {key: round(value, 2) for key, value in json.loads(done.stdout).items()}
    return {"what": name, "cold": cold, **found}


def measure_demo(*, cold: bool) -> dict[str, object]:
    """Return the processor seconds of `weft demo`."""
    with tempfile.TemporaryDirectory() as home:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = _run([sys.executable, "-m", "weft", "demo", "--out", f"{home}/demo"], cold=cold)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"what": "demo", "cold": cold, "status": done.returncode, "seconds": round(seconds, 2)}


def _run(command: list[str], *, cold: bool) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as cache:
        own = {"NUMBA_CACHE_DIR": cache} if cold else {}
        return subprocess.run(
            command, env={**os.environ, **own}, capture_output=True, text=True, check=False
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=())
    parser.add_argument("--cold", action="store_true", help="with an empty cache")
    parser.add_argument("--demo", action="store_true", help="weft demo")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    names = given.names or (() if given.demo else NAMES)
    lines = [measure(name, cold=given.cold) for name in names]
    if given.demo:
        lines.append(measure_demo(cold=given.cold))
    with given.out.open("a") as file:
        for line in lines:
            print(line, flush=True)
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
