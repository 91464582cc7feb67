"""ProjectedSwarm beyond its paper: hard sets, relevant features, speed and text.

    WEFT_DATA=... python -m bench.studies.projected   # run what is missing, print everything
    python -m bench.studies.projected --print      # print what is there
    python -m bench.studies.projected --only hard speed

Results are appended to bench/results/projected.jsonl at once; a stopped run can be continued.
Real data is read from WEFT_DATA; those parts are left out if it is not set.
"""

from __future__ import annotations

import argparse
import os
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import (
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    SpectralClustering,
)

from bench.harness import data, places, records
from bench.harness.study import load, printed
from weft import EntropyKMeans, LocallyAdaptiveKMeans, ProjectedSwarm, WeightedKMeans
from weft.datasets import make_subspace_clusters
from weft.estimators.presets import find_method
from weft.metrics import accuracy, entropy, found_features, fscore

RESULTS = places.RESULTS / "projected.jsonl"
TRIALS = 10
PSOVW, TCPSO = find_method("psovw"), find_method("tcpso")


def seed_of(*key: Any) -> int:
    """Return a seed that depends only on the identity of a run."""
    words = [round(1000 * part) for part in key]
    return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


def closed_forms(k: int, seed: int) -> dict[str, Callable[[Any], Any]]:
    """The rivals at their best: ten k-means++ starts, to convergence."""
    common = {"init": "k-means++", "n_init": 10, "random_state": seed}
    return {
        "default": lambda X: ProjectedSwarm(k, random_state=seed).fit(X),
        "PSOVW as printed": lambda X: PSOVW.make(n_clusters=k, random_state=seed).fit(X),
        "k-means": lambda X: KMeans(k, **common).fit(X),
        "LAC": lambda X: LocallyAdaptiveKMeans(k, **common).fit(X),
        "EWKM": lambda X: EntropyKMeans(k, **common).fit(X),
        "W-k-means": lambda X: WeightedKMeans(
            k, weights="global", weight_exponent=8.0, **common
        ).fit(X),
        "WK-Means b=2": lambda X: WeightedKMeans(k, weight_exponent=2.0, **common).fit(X),
        "WK-Means b=8": lambda X: WeightedKMeans(k, weight_exponent=8.0, **common).fit(X),
        "WK-Means b=8, no offset": lambda X: WeightedKMeans(
            k, weight_exponent=8.0, dispersion_offset=0.0, **common
        ).fit(X),
    }


def hard_cells() -> Iterator[dict]:
    names = ["eps=0.375", "eps=0.1"]
    if "WEFT_DATA" in os.environ:
        names += ["WDBC standardised", "WDBC raw"]
    for name in names:
        for trial in range(TRIALS):
            yield {"part": "hard", "set": name, "trial": trial}


def one_hard(name: str, trial: int) -> dict:
    if name.startswith("WDBC"):
        return one_wdbc(name == "WDBC standardised", trial)
    ratio = float(name.removeprefix("eps="))
    seed = seed_of(2, ratio, trial)
    made = make_subspace_clusters(mean_range=(0, 10), subspace_ratio=ratio, random_state=seed)
    out: dict[str, Any] = {}
    for name, fit in closed_forms(10, seed).items():
        model = fit(made.data)
        out[name] = [100 * accuracy(made.target, model.labels_)]
        if name != "k-means":
            found = found_features(
                made.relevant_by_cluster,
                model.cluster_feature_weights_,
                made.target,
                model.labels_,
            )
            out[name] += list(found)
    return out


def one_wdbc(scaled: bool, trial: int) -> dict:
    spec = {"file": "breast_cancer_wdbc.csv", "scale": "standard" if scaled else "none"}
    X, y = data.load(spec, 0)
    models = closed_forms(2, seed_of(3, trial))
    return {name: [100 * accuracy(y, fit(X).labels_)] for name, fit in models.items()}


def speed_cells() -> Iterator[dict]:
    for trial in range(3):
        yield {"part": "speed", "trial": trial}


def one_speed(trial: int) -> dict:
    X = make_subspace_clusters(500, n_features=2000, random_state=trial).data
    runs = {
        "PSOVW, clipped, 500": lambda X: PSOVW.make(
            n_clusters=10,
            n_jobs=2,
            random_state=trial,
            swarm=replace(PSOVW.params["swarm"], bounds="clip"),
            n_evaluations=500,
        ).fit(X),
        "default": lambda X: ProjectedSwarm(10, n_jobs=2, random_state=trial).fit(X),
        "default, all 500": lambda X: ProjectedSwarm(
            10, n_jobs=2, patience=None, random_state=trial
        ).fit(X),
        "KMeans(n_init=10)": lambda X: KMeans(10, n_init=10, random_state=trial).fit(X),
    }
    out = {}
    for name, fit in runs.items():
        fit(X[:, :50])  # compilation is not timed
        wall, cpu = time.perf_counter(), time.process_time()
        fit(X)
        out[name] = [time.perf_counter() - wall, time.process_time() - cpu]
    out["load"] = [os.getloadavg()[0]]
    return out


# The sets of tables 7 and 8 that are available.
TEXTS = {
    name: spec
    for study in ("projected-fig3", "projected-fig4")
    for name, spec in load(study).data.items()
    if "make" not in spec
}


def text_cells() -> Iterator[dict]:
    if "WEFT_DATA" not in os.environ:
        return
    for name in TEXTS:
        for trial in range(TRIALS):
            yield {"part": "text", "set": name, "trial": trial}


def one_text(name: str, trial: int) -> dict:
    # Newsgroups: documents are drawn again for each trial. CLUTO's sets are fixed.
    drawn = seed_of(4, int(name[-1]), trial) if name.startswith("news") else 0
    X, y = data.load(TEXTS[name], drawn)
    k = len(np.unique(y))
    seed = seed_of(5, trial)
    # Rows have length 1: k-means on them is spherical, except for the length of the centres.
    cosine = (X @ X.T).toarray()
    dense = X.toarray() if X.shape[1] < 4000 else None
    runs: dict[str, Callable[[], Any]] = {
        "default": lambda: ProjectedSwarm(k, metric="jaccard", random_state=seed).fit_predict(X),
        "TCPSO as printed": lambda: TCPSO.make(n_clusters=k, random_state=seed).fit_predict(X),
        "spherical k-means": lambda: KMeans(k, n_init=1, random_state=seed).fit_predict(X),
        "spherical k-means x10": lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(X),
        "bisecting k-means": lambda: BisectingKMeans(
            k, bisecting_strategy="largest_cluster", random_state=seed
        ).fit_predict(X),
        "agglomerative": lambda: AgglomerativeClustering(
            k, metric="precomputed", linkage="average"
        ).fit_predict(1.0 - cosine),
        "spectral": lambda: SpectralClustering(
            k, affinity="precomputed", random_state=seed
        ).fit_predict(cosine),
        "EWKM": lambda: EntropyKMeans(k, n_init=1, max_iter=100, random_state=seed).fit_predict(
            X.toarray() if dense is None else dense
        ),
    }
    if dense is None and trial > 0:
        del runs["EWKM"]  # dense rows of k1b and tr41 take minutes, so it runs only once
    out: dict[str, Any] = {}
    for method, run in runs.items():
        if method == "default":
            ProjectedSwarm(k, metric="jaccard", n_evaluations=20, random_state=0).fit(X)
            tracemalloc.start()
        labels = run()
        out[method] = [fscore(y, labels), entropy(y, labels)]
        if method == "default":
            size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
            out["memory"] = [tracemalloc.get_traced_memory()[1] / size]
            tracemalloc.stop()
    return out


PARTS = {
    "hard": (hard_cells, one_hard),
    "speed": (speed_cells, one_speed),
    "text": (text_cells, one_text),
}


def evaluate(part: str, **cell: Any) -> dict:
    """Run one cell."""
    return {"found": PARTS[part][1](*cell.values())}


def frame(rows: list[dict], part: str) -> pd.DataFrame:
    """Return the results of one part, one row per cell."""
    return pd.DataFrame(
        [{**row["cell"], **row["found"]} for row in rows if row["cell"]["part"] == part]
    )


def show(title: str, table: pd.DataFrame) -> None:
    with pd.option_context("display.width", 200, "display.max_columns", 30):
        print(f"\n{title}\n{table.to_string()}")


def report(rows: list[dict]) -> None:
    """Print every table."""
    hard = frame(rows, "hard")
    for name, group in hard.groupby("set", sort=False) if len(hard) else ():
        methods = [c for c in group if c not in ("part", "set", "trial")]
        values = {c: np.array(group[c].tolist()) for c in methods}
        table = pd.DataFrame(
            {
                c: np.pad(v.mean(axis=0), (0, 4 - v.shape[1]), constant_values=np.nan)
                for c, v in values.items()
            },
            index=["accuracy", "precision", "recall", "f1"],
        ).T
        table["least"] = [v[:, 0].min() for v in values.values()]
        show(f"{name}, {len(group)} runs", table.round(3).dropna(axis=1, how="all"))
    speed = frame(rows, "speed")
    if len(speed):
        methods = [c for c in speed if c not in ("part", "trial", "load")]
        table = pd.DataFrame(
            {c: np.median(np.array(speed[c].tolist()), axis=0) for c in methods},
            index=["wall s", "cpu s"],
        ).T
        table["wall / KMeans"] = table["wall s"] / table.loc["KMeans(n_init=10)", "wall s"]
        table["cpu / KMeans"] = table["cpu s"] / table.loc["KMeans(n_init=10)", "cpu s"]
        told = printed("projected-5", "seconds", "PSOVW", "m=2000 *")[0]
        loads = ", ".join(f"{v[0]:.1f}" for v in speed["load"])
        show(
            f"m=2000, n=500, k=10 on {os.cpu_count()} cores (load {loads}; printed: {told} s)",
            table.round(2),
        )
    text = frame(rows, "text")
    if len(text):
        methods = [c for c in text if c not in ("part", "set", "trial", "memory")]
        for number, measure in enumerate(("FScore", "entropy")):
            cells = text.set_index("set")[methods].map(
                lambda v, number=number: v[number] if isinstance(v, list) else np.nan
            )
            show(f"Text: {measure}", cells.groupby(level=0, sort=False).mean().round(3).T)
        memory = text.set_index("set")["memory"].map(lambda v: v[0])
        show(
            "Peak memory / sparse matrix",
            memory.groupby(level=0, sort=False).max().round(2).to_frame(),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", help="run nothing")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    # Some methods do not converge, which their numbers show.
    warnings.simplefilter("ignore")
    if not options.print:
        cells = [cell for part in options.only for cell in PARTS[part][0]()]
        records.run(options.results, cells, evaluate, report=lambda line: print(line, flush=True))
    rows = records.load(options.results)
    report(rows)


if __name__ == "__main__":
    main()
