"""Which exponent, how many clusters, which features: what the choices are worth.

    WEFT_DATA=... python -m bench.studies.choosing

Prints four tables. (1) Exponents from labels of 20 % of the rows, beside the thesis's tables 4.2,
4.4 and 4.6. (2) Exponents from the data alone against the best by an oracle with labels. (3) The
number of clusters of 30 fresh sets, by each method and by their vote. (4) FSFS and iKFS on
350 × 5,680: time and memory, and whether one of each group of copies stays. Results go to
bench/results/choosing.jsonl as they come; run again to go on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import places, records
from weft import RangeScaler, WeightedKMeans, choose_exponent, choose_n_clusters
from weft.choosing.evidence import by_all_rows
from weft.choosing.exponent import GRID, middle_of_best
from weft.choosing.n_clusters import METHODS
from weft.datasets import (
    add_noise_features,
    make_ellipsoids,
    make_gaussians,
    make_noisy_gaussians,
)
from weft.metrics import accuracy

RESULTS = places.RESULTS / "choosing.jsonl"
SHARE = 0.2
# Tables 4.2, 4.4 and 4.6: mean, modal and optimal exponent, mean and largest accuracy.
PRINTED = {
    "iris": "1.44, 1.0, 1.2; 93.9, 96.7",
    "wine": "1.74, 1.2, 1.2; 93.1, 94.9",
    "iris+2": "1.28, 1.1, 1.1; 94.5, 96.0",
    "iris+4": "1.21, 1.1, 1.1; 94.4, 96.0",
    "wine+7": "1.49, 1.3, 2.2; 91.4, 95.5",
    "wine+13": "1.32, 1.1, 1.1; 92.2, 94.9",
    "vii": "1.81, 1.45, 1.79; 55.8, 70.1",
    "viii": "1.61, 1.4, 1.6; 74.6, 89.8",
}


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
    for name in PRINTED:
        for number in range(arguments.families if name.startswith("v") else 1):
            out.append({"part": "labels", "name": name, "number": number, "runs": arguments.runs})
    # Sets that nothing was chosen on: far from the seeds that tests and docs use.
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
        # A poor exponent may well empty a cluster.
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
        chosen["all"].append(middle_of_best(GRID, by_all_rows(labelings, y)))
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


SPEED = """
import json, resource, time
import numpy as np
from weft import FeatureClusterSelector, FeatureSimilaritySelector
from bench.studies.choosing import table_of
X = table_of({data!r})
selector = {selector}
small = X[:, :200]
selector.fit(small)  # compiles; not timed
began = time.perf_counter()
selector.fit(X)
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({{"seconds": seconds, "bytes": peak, "kept": int(selector.support_.sum())}}))
"""


def table_of(data: str) -> np.ndarray:
    """Return 350 × 5,680: features that run into each other, or features that share nothing."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(350, 5680))
    if data == "random":
        return noise
    return (
        0.05 * rng.normal(size=(350, 20)) @ rng.normal(size=(20, 5680)).cumsum(axis=1) + noise / 2
    )


def speed(data: str, selector: str) -> dict[str, Any]:
    """Time and peak memory in a process of its own."""
    name, _, k = selector.partition(" ")
    call = f"FeatureSimilaritySelector({k})" if name == "FSFS" else "FeatureClusterSelector()"
    code = SPEED.format(data=data, selector=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def copies(seed: int) -> dict[str, Any]:
    """12 features, each copied 40 times with small noise: which groups does iKFS still hold?"""
    from weft import FeatureClusterSelector, FeatureSimilaritySelector

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


def of(rows: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["cell"]["part"] == part]


def tables(rows: list[dict[str, Any]]) -> str:
    parts = {
        ("labels",): labels_table,
        ("auto",): auto_table,
        ("count",): count_table,
        ("speed", "copies"): speed_table,
    }
    drawn = [draw(rows) for names, draw in parts.items() if any(of(rows, name) for name in names)]
    return "\n\n".join(drawn)


def labels_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(1) β of iMWK-Means from 20 % of the rows (mean, modal; accuracy, largest) | printed: "
        "mean, modal, optimal β; mean, largest accuracy",
        "| set | optimal β, accuracy | labelled rows alone (alg. 4.4) | all rows | printed |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, printed in PRINTED.items():
        own = [row for row in of(rows, "labels") if row["cell"]["name"] == name]
        if not own:
            continue
        best = f"{np.mean([r['optimal'] for r in own]):.2f}, "
        best += f"{100 * np.mean([r['oracle'] for r in own]):.1f}"
        texts = []
        for way in ("subset", "all"):
            mean = {key: np.mean([r[way][key] for r in own]) for key in own[0][way]}
            texts.append(
                f"{mean['mean']:.2f}, {mean['modal']:.2f}; {100 * mean['accuracy']:.1f} ± "
                f"{100 * mean['deviation']:.1f}, {100 * mean['best']:.1f}"
            )
        lines.append(f"| {name} ({len(own)}) | {best} | {texts[0]} | {texts[1]} | {printed} |")
    return "\n".join(lines)


def auto_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(2) β from the data alone, accuracy in %",
        "| model | set | β | accuracy | agreement | β = 2 | oracle β | oracle |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for model in ("iWK", "iMWK"):
        own = [row for row in of(rows, "auto") if row["cell"]["model"] == model]
        if not own:
            continue
        for r in own:
            lines.append(
                f"| {model} | {r['cell']['name']} {r['cell']['number']} | {r['exponent']:g} | "
                f"{100 * r['accuracy']:.1f} | {100 * r['agreement']:.1f} | {100 * r['at 2']:.1f} | "
                f"{r['optimal']:g} | {100 * r['oracle']:.1f} |"
            )
        mean = {k: 100 * np.mean([r[k] for r in own]) for k in ("accuracy", "agreement", "at 2")}
        oracle = 100 * np.mean([r["oracle"] for r in own])
        lines.append(
            f"| {model} | mean of {len(own)} |  | {mean['accuracy']:.1f} | "
            f"{mean['agreement']:.1f} | {mean['at 2']:.1f} |  | {oracle:.1f} |"
        )
        if model == "iWK":
            auto = 100 * np.mean([r["auto"] for r in own])
            lines.append(
                f'WeightedKMeans(weight_exponent="auto"): {auto:.1f}, {oracle - auto:.1f} '
                "points below the oracle"
            )
            lines += lines[1:3]
    return "\n".join(lines)


def count_table(rows: list[dict[str, Any]]) -> str:
    own = of(rows, "count")
    names = [*METHODS, "consensus"]
    lines = [
        f"(3) Right number of clusters on {len(own)} fresh sets",
        "| sets | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names),
    ]
    groups = {
        "gaussian, d = 2": lambda c: c["shape"] == "gaussian" and c["d"] == 2,
        "gaussian, d = 10": lambda c: c["shape"] == "gaussian" and c["d"] == 10,
        "ellipsoid, d = 50, 100": lambda c: c["shape"] == "ellipsoid",
        "all": lambda c: True,
    }
    for title, belongs in groups.items():
        part = [row for row in own if belongs(row["cell"])]
        if not part:
            continue
        right = {
            name: sum(
                (row["by"] | {"consensus": row["consensus"]})[name] == row["cell"]["k"]
                for row in part
            )
            for name in names
        }
        lines.append(
            f"| {title} | " + " | ".join(f"{right[name]}/{len(part)}" for name in names) + " |"
        )
    missed = [row for row in own if row["consensus"] != row["cell"]["k"]]
    for row in missed:
        lines.append(f"missed: {row['cell']} → {row['consensus']} ({row['by']})")
    for right, title in ((True, "right"), (False, "wrong")):
        values = [r["confidence"] for r in own if (r["consensus"] == r["cell"]["k"]) == right]
        if values:
            lines.append(f"mean confidence where {title}: {np.mean(values):.2f}")
    return "\n".join(lines)


def speed_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(4) 350 × 5,680: seconds, peak memory, features kept",
        "| data | selector | seconds | GB | kept |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in of(rows, "speed"):
        lines.append(
            f"| {row['cell']['data']} | {row['cell']['selector']} | {row['seconds']:.1f} | "
            f"{row['bytes'] / 1e9:.2f} | {row['kept']} |"
        )
    own = of(rows, "copies")
    for name in ("iKFS", "FSFS"):
        if own:
            groups = [row[name]["groups"] for row in own]
            kept = [row[name]["kept"] for row in own]
            lines.append(
                f"12 features × 40 noisy copies, {len(own)} sets, {name}: groups held {min(groups)}"
                f"-{max(groups)} of 12, features kept {min(kept)}-{max(kept)} of 480"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="draws of labelled rows (100)")
    parser.add_argument("--families", type=int, default=5, help="sets per Gaussian family (5)")
    parser.add_argument("--part", choices=("labels", "auto", "count", "speed", "copies"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    wanted = [c for c in cells(arguments) if arguments.part in (None, c["part"])]
    print(tables(records.run(arguments.out, wanted, evaluate)))


if __name__ == "__main__":
    main()
