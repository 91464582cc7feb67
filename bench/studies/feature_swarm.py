"""Does weighting help? Plain clusterer, PSO-FSW(CSC) and PSO-FSW(BCR) on fresh ellipsoid sets.

    python -m bench.studies.feature_swarm

Twenty sets (50 and 100 features, 4 and 10 clusters, five of each), four clusterers, the first
paper's settings. Prints mean pair-F, the number of clusters, the share of features kept, and
paired Wilcoxon tests over the sets. Results go to bench/results/feature_swarm.jsonl at
once; run the command again to continue.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.cluster import HDBSCAN

from bench.harness import places, records
from bench.harness.methods import plain_labels
from bench.harness.study import printed
from weft.datasets import make_ellipsoids
from weft.estimators.presets import find_method
from weft.metrics import pair_f
from weft.search.clusterers import clusterer_with

RESULTS = places.RESULTS / "feature_swarm.jsonl"
PSO_FSW = find_method("pso-fsw")
# The clusterers' settings of section 5.6.2.
CLUSTERERS: dict[str, dict[str, Any]] = {
    "affinity": {},
    "knn": {"n_neighbors": 3},
    "dbscan": {"eps": 0.3, "min_samples": 5},
    "linkage": {},
}
# As table 5.1, over its six sets, two of them with d = 2, names them.
TITLES = {
    "affinity": "AffinityProp",
    "knn": "KNN-Clus",
    "dbscan": "DBSCAN",
    "linkage": "Agglomerative",
}


def cells(n_sets: int) -> list[dict[str, Any]]:
    rival = [
        {"d": d, "k": k, "set": number, "clusterer": "hdbscan", "criterion": "plain"}
        for k in (4, 10)
        for d in (50, 100)
        for number in range(n_sets)
    ]
    return rival + [
        {"d": d, "k": k, "set": number, "clusterer": clusterer, "criterion": criterion}
        for clusterer in ("knn", "linkage", "dbscan", "affinity")
        for criterion in ("plain", "csc", "bcr")
        for k in (4, 10)
        for d in (50, 100)
        for number in range(n_sets)
    ]


def evaluate(d: int, k: int, set: int, clusterer: str, criterion: str) -> dict[str, Any]:
    # Sets that were not used for any default: their seeds are far from those of tests and docs.
    seed = 9_000_000 + 10_000 * d + 100 * k + set
    data = make_ellipsoids(k, d, random_state=seed)
    n_clusters = k if clusterer == "linkage" else None
    began = time.perf_counter()
    if clusterer == "hdbscan":
        labels, kept = HDBSCAN(copy=True).fit_predict(data.data), 1.0
    elif criterion == "plain":
        settings = CLUSTERERS[clusterer]
        labels = plain_labels(data.data, clusterer, n_clusters=n_clusters, **settings)
        kept = 1.0
    else:
        model = PSO_FSW.make(
            clusterer=clusterer_with(clusterer, CLUSTERERS[clusterer]),
            criterion=criterion,
            n_clusters=n_clusters,
            n_jobs=2,
            random_state=seed,
        ).fit(data.data)
        labels, kept = model.labels_, float(model.get_support().mean())
    return {
        "f": pair_f(data.target, labels),
        "clusters": int(labels.max()) + 1,
        "kept": kept,
        "seconds": time.perf_counter() - began,
    }


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| clusterer | plain | CSC | p | BCR | p | K plain/CSC/BCR (true 7) "
        "| kept CSC/BCR | printed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for clusterer in CLUSTERERS:
        by = {}
        for criterion in ("plain", "csc", "bcr"):
            chosen = [
                row
                for row in rows
                if row["cell"]["clusterer"] == clusterer and row["cell"]["criterion"] == criterion
            ]
            chosen.sort(key=lambda row: (row["cell"]["d"], row["cell"]["k"], row["cell"]["set"]))
            by[criterion] = {
                key: np.array([row[key] for row in chosen]) for key in ("f", "clusters", "kept")
            }
        n_sets = len(by["plain"]["f"])
        if n_sets == 0 or any(len(part["f"]) != n_sets for part in by.values()):
            continue
        entries = [clusterer, f"{by['plain']['f'].mean():.3f}"]
        for criterion in ("csc", "bcr"):
            difference = by[criterion]["f"] - by["plain"]["f"]
            p = wilcoxon(difference).pvalue if np.any(difference != 0) else 1.0
            entries += [f"{by[criterion]['f'].mean():.3f}", f"{p:.2g}"]
        entries.append("/".join(f"{part['clusters'].mean():.1f}" for part in by.values()))
        entries.append("/".join(f"{by[name]['kept'].mean():.2f}" for name in ("csc", "bcr")))
        told = [
            printed("oneill-5.1", "f", f"{TITLES[clusterer]}, {kind}")[0]
            for kind in ("baseline", "CSC", "BCR")
        ]
        entries.append(" → ".join(f"{value:.3f}" for value in told))
        lines.append("| " + " | ".join(entries) + " |")
    rival = [row for row in rows if row["cell"]["clusterer"] == "hdbscan"]
    lines += [
        "",
        f"HDBSCAN with plain settings: F {np.mean([row['f'] for row in rival]):.3f}, "
        f"{np.mean([row['clusters'] for row in rival]):.1f} clusters, "
        f"{1e3 * np.median([row['seconds'] for row in rival]):.0f} ms.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=5, help="sets per size (default 5: 20 in all)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    rows = records.run(arguments.out, cells(arguments.sets), evaluate)
    print(table(rows))


if __name__ == "__main__":
    main()
