"""Quality of the choice of the exponent, of the number of clusters and of features.

    WEFT_DATA=... python -m bench.studies.choosing

Prints four tables. (1) Exponents from labels of 20 % of the rows, compared with the thesis's tables
4.2, 4.4 and 4.6. (2) Exponents from the data alone against the best by an oracle with labels. (3)
The number of clusters of 30 fresh sets, by each method and by their vote. (4) FSFS and iKFS on 350
× 5,680: time and memory, and whether one of each group of copies stays. Results go to
bench/results/choosing.jsonl at once; run the command again to continue.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import places, records
from bench.harness.timing import seconds
from bench.studies.choosing_tables import LABELLED, tables
from weft import (
    FeatureClusterSelector,
    FeatureSimilaritySelector,
    RangeScaler,
    WeightedKMeans,
    choose_exponent,
    choose_n_clusters,
)
from weft.choosing.evidence import by_all_rows
from weft.choosing.exponent import GRID, best_of
from weft.datasets import (
    add_noise_features,
    make_ellipsoids,
    make_gaussians,
    make_noisy_gaussians,
)
from weft.metrics import accuracy

RESULTS = places.RESULTS / "choosing.jsonl"
SHARE = 0.2


def load(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a scaled table and its classes: a data set (+ noise columns) or a noisy Gaussian."""
    if name in ("vii", "viii", "ix", "x"):
        noisy = make_noisy_gaussians(name, random_state=seed)
        return RangeScaler().fit_transform(noisy.data), noisy.target
    base, _, n_noise = name.partition("+")
    folder = os.environ.get("WEFT_DATA")
    if folder is None:
        raise SystemExit("WEFT_DATA is not set; point it to the folder with iris.csv and the rest.")
    import pandas as pd

    frame = pd.read_csv(Path(folder) / f"{base}.csv").dropna()
    classes = frame.pop("label").to_numpy()
    table = frame.to_numpy(dtype=float)
    if n_noise:
        table = add_noise_features(table, int(n_noise), random_state=seed).data
    return RangeScaler().fit_transform(table), classes


def cells(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """All cells of the four tables."""
    out: list[dict[str, Any]] = []
    for name in LABELLED:
        for number in range(arguments.families if name.startswith("v") else 1):
            out.append({"part": "labels", "name": name, "number": number, "runs": arguments.runs})
    # Sets that were not used for any choice: their seeds are far from those of tests and docs.
    for name, number in [("iris", 0), ("wine", 0), ("dermatology", 0)] + [
        (("vii", "viii", "ix", "x")[i % 4], 9_100_000 + i) for i in range(10)
    ]:
        for model in ("iWK", "iMWK"):
            out.append({"part": "auto", "name": name, "number": number, "model": model})
    for k in range(3, 13):
        for d in (2, 10):
            seed = 9_200_000 + 100 * k + d
            out.append({"part": "count", "shape": "gaussian", "k": k, "d": d, "seed": seed})
    for k in (4, 10):
        for i, d in enumerate((50, 100, 50, 100, 50)):
            seed = 9_300_000 + 1000 * k + 10 * d + i
            out.append({"part": "count", "shape": "ellipsoid", "k": k, "d": d, "seed": seed})
    for data in ("smooth", "random"):
        for selector in ("FSFS 500", "FSFS 5000", "iKFS"):
            out.append({"part": "speed", "data": data, "selector": selector})
    out += [{"part": "copies", "seed": 9_400_000 + i} for i in range(10)]
    return out


def evaluate(part: str, **cell: Any) -> dict[str, Any]:
    began = time.perf_counter()
    with warnings.catch_warnings():
        # A poor exponent may leave a cluster empty.
        warnings.simplefilter("ignore")
        found = {
            "labels": by_labels,
            "auto": by_itself,
            "count": count,
            "speed": speed,
            "copies": copies,
        }[part](**cell)
    return found | {"elapsed": time.perf_counter() - began}


def by_labels(name: str, number: int, runs: int) -> dict[str, Any]:
    """Algorithm 4.4: an exponent from 20 % of the rows, `runs` times; and from all rows."""
    X, classes = load(name, 9_000_000 + number)
    model = WeightedKMeans(len(np.unique(classes)))
    truth = np.unique(classes, return_inverse=True)[1]
    labelings = [model.set_params(distance_exponent=beta).fit(X).labels_ for beta in GRID]
    right = np.array([accuracy(truth, labels) for labels in labelings])
    chosen: dict[str, list[float]] = {"subset": [], "all": []}
    for run in range(runs):
        rng = np.random.default_rng([number, run])
        y = np.full(len(X), -1)
        known = rng.choice(len(X), round(SHARE * len(X)), replace=False)
        y[known] = truth[known]
        chosen["subset"].append(choose_exponent(model, X, y=y, random_state=run).exponent)
        chosen["all"].append(best_of(GRID, by_all_rows(labelings, y)))
    out: dict[str, Any] = {"optimal": float(GRID[right.argmax()]), "oracle": float(right.max())}
    for way, exponents in chosen.items():
        at = np.searchsorted(GRID, exponents)
        values, counts = np.unique(exponents, return_counts=True)
        out[way] = {
            "mean": float(np.mean(exponents)),
            "modal": float(values[counts.argmax()]),
            "accuracy": float(right[at].mean()),
            "deviation": float(right[at].std()),
            "best": float(right[at].max()),
        }
    return out


def by_itself(name: str, number: int, model: str) -> dict[str, Any]:
    """The exponent from the data alone, and the best by an oracle."""
    X, classes = load(name, number)
    k = len(np.unique(classes))
    plain = WeightedKMeans(k, weight_exponent=2.0 if model == "iWK" else "same")
    parameter = "weight_exponent" if model == "iWK" else "distance_exponent"
    choice = choose_exponent(plain, X, random_state=0)
    labelings = [plain.set_params(**{parameter: beta}).fit(X).labels_ for beta in GRID]
    right = np.array([accuracy(classes, labels) for labels in labelings])
    out = {
        "exponent": choice.exponent,
        "accuracy": float(right[np.searchsorted(GRID, choice.exponent)]),
        "agreement": float(right[np.nanargmax(choice.evidence["agreement"])]),
        "at 2": float(right[10]),
        "optimal": float(GRID[right.argmax()]),
        "oracle": float(right.max()),
    }
    if model == "iWK":
        auto = WeightedKMeans(k, weight_exponent="auto", random_state=0).fit(X)
        out["auto"] = accuracy(classes, auto.labels_)
    return out


def count(shape: str, k: int, d: int, seed: int) -> dict[str, Any]:
    """The number of clusters by each method and by their vote."""
    make = make_gaussians if shape == "gaussian" else make_ellipsoids
    data = make(k, d, random_state=seed)
    found = choose_n_clusters(data.data, random_state=0)
    numbers = {name: curve.n_clusters for name, curve in found.curves.items()}
    return {"n": len(data.data), "consensus": found.n_clusters, "confidence": found.confidence} | {
        "by": numbers
    }


def table_of(data: str) -> np.ndarray:
    """Return 350 × 5,680: features that change gradually, or unrelated features."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(350, 5680))
    if data == "random":
        return noise
    return (
        0.05 * rng.normal(size=(350, 20)) @ rng.normal(size=(20, 5680)).cumsum(axis=1) + noise / 2
    )


def time_selector(data: str, selector: str) -> dict[str, Any]:
    """Return seconds, the peak memory of this process and the number of kept features."""
    name, _, k = selector.partition(" ")
    made = FeatureSimilaritySelector(int(k)) if name == "FSFS" else FeatureClusterSelector()
    X = table_of(data)
    made.fit(X[:, :200])  # compiles; not timed
    taken = seconds(lambda: made.fit(X))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": taken, "bytes": peak, "kept": int(made.support_.sum())}


def speed(data: str, selector: str) -> dict[str, Any]:
    """Time a selector in its own process."""
    command = [sys.executable, "-m", "bench.studies.choosing", "--time", data, selector]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def copies(seed: int) -> dict[str, Any]:
    """12 features, each copied 40 times with small noise: which groups does iKFS still hold?"""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(350, 12)), 40, axis=1)
    X += 0.1 * rng.normal(size=X.shape)
    out = {}
    for name, selector in (
        ("iKFS", FeatureClusterSelector()),
        ("FSFS", FeatureSimilaritySelector(39, epsilon=0.05)),
    ):
        kept = selector.fit(X).get_support(indices=True)
        out[name] = {"kept": len(kept), "groups": len(np.unique(kept // 40))}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="draws of labelled rows (100)")
    parser.add_argument("--families", type=int, default=5, help="sets per Gaussian family (5)")
    parser.add_argument("--part", choices=("labels", "auto", "count", "speed", "copies"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--time", nargs=2, metavar=("DATA", "SELECTOR"), help="one row of (4), JSON"
    )
    arguments = parser.parse_args()
    if arguments.time:
        print(json.dumps(time_selector(*arguments.time)))
        return
    wanted = [c for c in cells(arguments) if arguments.part in (None, c["part"])]
    print(tables(records.run(arguments.out, wanted, evaluate)))


if __name__ == "__main__":
    main()
