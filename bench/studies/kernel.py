"""KernelSwarm beyond its paper: its defaults on four shapes, upper bounds, speed.

    WEFT_DATA=... python -m bench.studies.kernel [--runs 10] [--part defaults]

Parts: ``defaults`` (KernelSwarm() on four shapes, ten seeds each), ``bounds`` (what straight
borders and supervised classifiers reach), ``speed``. Every finished run is appended to the results
file at once; run the command again to continue. The paper's tables are studies:
``python -m bench compare 'kernel-*'``.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bench.harness import places, records, study
from bench.harness.data import load
from bench.harness.study import printed
from bench.studies.facts.kernel import best_straight_border
from weft import KernelSwarm
from weft.datasets import make_shapes
from weft.metrics import huang_accuracy

DEFAULT_SHAPES = ("rings", "moons", "dish-shell", "blobs")


def evaluate_default(shape: str, run: int) -> dict:
    """Run KernelSwarm() on fresh data of a shape."""
    found = make_shapes(shape, n_samples=600, random_state=run)
    began = time.perf_counter()
    model = KernelSwarm(random_state=run).fit(found.data)
    return {
        "seconds": time.perf_counter() - began,
        "accuracy": huang_accuracy(found.target, model.labels_),
        "K": model.n_clusters_,
        "sigma": model.sigma_,
    }


def show_defaults(rows: list[dict], write) -> None:
    """Write how often KernelSwarm() was right."""
    write("\nKernelSwarm(), K unknown, 600 points: runs with the right K and accuracy >= 0.97\n")
    for shape in DEFAULT_SHAPES:
        runs = [row for row in rows if row["cell"].get("shape") == shape]
        if not runs:
            continue
        k = 4 if shape == "blobs" else 2
        good = sum(row["K"] == k and row["accuracy"] >= 0.97 for row in runs)
        accuracy = " ".join(f"{row['accuracy']:.3f}" for row in runs)
        clusters = " ".join(str(row["K"]) for row in runs)
        seconds = np.mean([row["seconds"] for row in runs])
        write(f"{shape:<11} {good} of {len(runs)}   K {clusters}   accuracy {accuracy}")
        write(f"   {seconds:.1f} s a run\n")


def show_bounds(write) -> None:
    """Write upper bounds for methods of the printed form, and results of supervised methods."""
    write("\nBest accuracy of any two nearest-centre cells; a Gaussian kernel changes none\n")
    for name in ("synthetic 1", "synthetic 5"):
        told = printed("kernel-3", "huang", "kernel MEPSO", name)[0]
        write(f"{name:<13} at most {100 * best_straight_border(name):.1f} %; printed {told} %\n")
    write("\nSupervised, 10-fold cross-validation, against the printed unsupervised accuracy\n")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for name in ("glass", "vowel", "breast"):
        X, y = load(study.load("kernel-3").data[name], 0)
        forest = cross_val_score(RandomForestClassifier(300, random_state=0), X, y, cv=folds)
        machine = make_pipeline(StandardScaler(), SVC(C=10.0))
        vector = cross_val_score(machine, X, y, cv=folds)
        told = printed("kernel-3", "huang", "kernel MEPSO", name)[0]
        write(f"{name:<13} random forest {100 * forest.mean():.1f} %, support vector machine ")
        write(f"{100 * vector.mean():.1f} %; printed {told} %\n")


def show_speed(write) -> None:
    """Time 50,000 evaluations on the 871 vowels, 2 threads."""
    X, _ = load(study.load("kernel-3").data["vowel"], 0)
    common = {"n_generations": 1250, "patience": None, "n_jobs": 2, "random_state": 0}
    for settings in (
        {"centers": "input", "sigma": 2.0},
        {"centers": "feature-space", "sigma": 2.0},
    ):
        KernelSwarm("rbf", **{**common, "n_generations": 1}, **settings).fit(X)  # compiled
        began = time.perf_counter()
        model = KernelSwarm("rbf", **common, **settings).fit(X)
        seconds = time.perf_counter() - began
        write(f"{settings['centers']:<14} {model.n_evaluations_} evaluations, {len(X)} rows: ")
        write(f"{seconds:.1f} s\n")


def main() -> None:
    """Run, then show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parts = ("defaults", "bounds", "speed")
    parser.add_argument("--part", nargs="*", default=list(parts), choices=parts)
    parser.add_argument("--out", type=Path, default=places.RESULTS / "kernel.jsonl")
    parser.add_argument("--show", action="store_true", help="only show finished runs")
    arguments = parser.parse_args()
    write = sys.stdout.write
    if "bounds" in arguments.part and not arguments.show:
        show_bounds(write)
    if "speed" in arguments.part and not arguments.show:
        show_speed(write)
    if "defaults" in arguments.part and not arguments.show:
        cells = [
            {"shape": shape, "run": run}
            for run in range(arguments.runs)
            for shape in DEFAULT_SHAPES
        ]
        records.run(arguments.out, cells, evaluate_default)
    show_defaults(records.load(arguments.out), write)


if __name__ == "__main__":
    main()
