"""ProjectedSwarm beyond its paper: hard sets, relevant features, speed and text.

    WEFT_DATA=... python -m bench.studies.projected   # run what is missing, print everything
    python -m bench.studies.projected --print      # print what is there
    python -m bench.studies.projected --only hard speed

Results are appended to bench/results/projected.jsonl as they come: stop it and start it again.
Real data is found through WEFT_DATA; those parts are left out where it is unset.
"""

from __future__ import annotations

import argparse
import os
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import (
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    SpectralClustering,
)
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from bench.harness import places, records
from weft import EntropyKMeans, LocallyAdaptiveKMeans, ProjectedSwarm, WeightedKMeans
from weft.datasets import make_subspace_clusters
from weft.metrics import accuracy, entropy, found_features, fscore

RESULTS = places.RESULTS / "projected.jsonl"
TRIALS = 10
PRINTED_CALL = {
    "particle": "weights",
    "init": "random",
    "weight_init": "uniform",
    "bounds": "neglect",
    "n_evaluations": 5000,
    "polish": False,
    "dispersion_floor": 0.0,
    "standardize": False,
    "patience": None,
}


def seed_of(*key: Any) -> int:
    """Return a seed made of what the run is, not of when it runs."""
    words = [round(1000 * part) for part in key]
    return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


def closed_forms(k: int, seed: int) -> dict[str, Callable[[Any], Any]]:
    """The rivals at their best: ten k-means++ starts, to convergence."""
    common = {"init": "k-means++", "n_init": 10, "random_state": seed}
    return {
        "default": lambda X: ProjectedSwarm(k, random_state=seed).fit(X),
        "PSOVW as printed": lambda X: ProjectedSwarm(k, random_state=seed, **PRINTED_CALL).fit(X),
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
    data = make_subspace_clusters(mean_range=(0, 10), subspace_ratio=ratio, random_state=seed)
    out: dict[str, Any] = {}
    for name, fit in closed_forms(10, seed).items():
        model = fit(data.data)
        out[name] = [100 * accuracy(data.target, model.labels_)]
        if name != "k-means":
            found = found_features(
                data.relevant_by_cluster,
                model.cluster_feature_weights_,
                data.target,
                model.labels_,
            )
            out[name] += list(found)
    return out


def one_wdbc(scaled: bool, trial: int) -> dict:
    table = pd.read_csv(Path(os.environ["WEFT_DATA"]) / "breast_cancer_wdbc.csv")
    y = table.pop("label").to_numpy()
    X = table.to_numpy(dtype=float)
    X = StandardScaler().fit_transform(X) if scaled else X
    models = closed_forms(2, seed_of(3, trial))
    return {name: [100 * accuracy(y, fit(X).labels_)] for name, fit in models.items()}


def speed_cells() -> Iterator[dict]:
    for trial in range(3):
        yield {"part": "speed", "trial": trial}


def one_speed(trial: int) -> dict:
    data = make_subspace_clusters(500, n_features=2000, random_state=trial).data
    runs = {
        "PSOVW, clipped, 500": lambda X: ProjectedSwarm(
            10,
            n_jobs=2,
            random_state=trial,
            **PRINTED_CALL | {"bounds": "clip", "n_evaluations": 500},
        ).fit(X),
        "default": lambda X: ProjectedSwarm(10, n_jobs=2, random_state=trial).fit(X),
        "default, all 500": lambda X: ProjectedSwarm(
            10, n_jobs=2, patience=None, random_state=trial
        ).fit(X),
        "KMeans(n_init=10)": lambda X: KMeans(10, n_init=10, random_state=trial).fit(X),
    }
    out = {}
    for name, fit in runs.items():
        fit(data[:, :50])  # compilation is not timed
        wall, cpu = time.perf_counter(), time.process_time()
        fit(data)
        out[name] = [time.perf_counter() - wall, time.process_time() - cpu]
    out["load"] = [os.getloadavg()[0]]
    return out


# Table 7: the four sets of newsgroups
NEWSGROUPS = {
    "news 1": {"comp.graphics": 100, "alt.atheism": 100},
    "news 2": {"talk.politics.mideast": 100, "talk.politics.misc": 80},
    "news 3": {
        "comp.graphics": 100,
        "rec.sport.hockey": 100,
        "sci.crypt": 100,
        "talk.religion.misc": 100,
    },
    "news 4": {
        "alt.atheism": 100,
        "rec.sport.baseball": 100,
        "talk.politics.guns": 100,
        "talk.politics.misc": 100,
    },
}


def text_cells() -> Iterator[dict]:
    if "WEFT_DATA" not in os.environ:
        return
    for name in (*NEWSGROUPS, "tr41", "k1b"):
        for trial in range(TRIALS):
            yield {"part": "text", "set": name, "trial": trial}


def read_text(name: str, trial: int) -> tuple[Any, np.ndarray]:
    """Newsgroups: documents drawn anew for each trial. CLUTO's sets are what they are."""
    folder = Path(os.environ["WEFT_DATA"])
    if name not in NEWSGROUPS:
        stored = np.load(folder / f"cluto_{name}.npz")
        parts = (stored["data"].astype(float), stored["indices"], stored["indptr"])
        counts = sp.csr_matrix(parts, shape=tuple(stored["shape"]))
        kept = np.bincount(counts.indices, minlength=counts.shape[1]) >= 2
        return TfidfTransformer().fit_transform(counts[:, kept]), stored["label"]
    table = pd.read_csv(folder / "newsgroups9_bodies.csv.gz")
    rng = np.random.default_rng(seed_of(4, int(name[-1]), trial))
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(table.label == group), count, replace=False)
            for group, count in NEWSGROUPS[name].items()
        ]
    )
    texts = table.text.iloc[rows].fillna("").astype(str)
    X = TfidfVectorizer(stop_words="english", min_df=2).fit_transform(texts)
    return X, table.label.iloc[rows].to_numpy()


def one_text(name: str, trial: int) -> dict:
    X, y = read_text(name, trial)
    k = len(np.unique(y))
    seed = seed_of(5, trial)
    # Rows have length 1: k-means on them is spherical k-means but for the centres' length.
    cosine = (X @ X.T).toarray()
    dense = X.toarray() if X.shape[1] < 4000 else None
    runs: dict[str, Callable[[], Any]] = {
        "default": lambda: ProjectedSwarm(k, metric="jaccard", random_state=seed).fit_predict(X),
        "TCPSO as printed": lambda: ProjectedSwarm(
            k, metric="jaccard", weight_exponent=8.0, random_state=seed, **PRINTED_CALL
        ).fit_predict(X),
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
        del runs["EWKM"]  # dense rows of k1b and tr41 take minutes: one run shows where it stands
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
        loads = ", ".join(f"{v[0]:.1f}" for v in speed["load"])
        show(
            f"m=2000, n=500, k=10 on {os.cpu_count()} cores (load {loads}; printed: 310.85 s)",
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
    # Methods that do not converge: their numbers say it.
    warnings.simplefilter("ignore")
    if not options.print:
        cells = [cell for part in options.only for cell in PARTS[part][0]()]
        records.run(options.results, cells, evaluate, report=lambda line: print(line, flush=True))
    rows = records.load(options.results)
    report(rows)


if __name__ == "__main__":
    main()
