"""``python -m bench.wide [NAME ...]``: measurements on wide and sparse tables, one line each.

Lines that are there are not measured again; ``--again`` forgets them. Cells need scanpy, text needs
WEFT_DATA. Results lie in bench/results/wide.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

import weft
from bench.wide.made import make_counts, make_marked, make_wide

RESULTS = Path(__file__).parent.parent / "results" / "wide.jsonl"
NEWSGROUPS = "newsgroups9_bodies.csv.gz"
Row = dict[str, Any]


def _fit(X: Any, labels: Any, **params: Any) -> Row:
    start, used = time.perf_counter(), time.process_time()
    model = weft.AutoCluster(random_state=0, **params).fit(X)
    return {
        "ari": float(adjusted_rand_score(labels, model.labels_)),
        "n_clusters": model.n_clusters_,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - used,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def wide(n_rows: int, n_columns: int) -> Row:
    """Four clusters among 200 of many columns."""
    weft.AutoCluster(n_resamples=0).fit(make_wide(40, 300, 1)[0])  # compiles
    return _fit(*make_wide(n_rows, n_columns, 0))


def sparse_counts() -> Row:
    """30,000 × 2,000 sparse counts in eight clusters."""
    return _fit(*make_counts(30_000, 2_000, 8, 0), counts=True)


def raw_counts() -> Row:
    """Counts with weft's own normalisation compared with log-CPM by hand and with raw counts."""
    found: dict[str, list[float]] = {"own": [], "cpm": [], "raw": [], "own_and_cpm": []}
    for seed in range(4):
        X, labels = make_counts(300, 500, 4, seed, n_markers=60, depth=10.0, spread=0.8)
        X = X.toarray()
        cpm = np.log1p(X / X.sum(axis=1, keepdims=True) * 1e6)
        quick = {"n_resamples": 0, "random_state": 0}
        own = weft.AutoCluster(counts=True, **quick).fit(X).labels_
        by_hand = weft.AutoCluster(**quick).fit(cpm).labels_
        raw = weft.AutoCluster(**quick).fit(X).labels_
        for name, one in (("own", own), ("cpm", by_hand), ("raw", raw)):
            found[name].append(float(adjusted_rand_score(labels, one)))
        found["own_and_cpm"].append(float(adjusted_rand_score(own, by_hand)))
    return {f"ari_{name}": float(np.mean(values)) for name, values in found.items()}


def markers(n_columns: int, n_tables: int = 20) -> Row:
    """Known markers of effect 2: false discoveries and recall, naive and honest."""
    found: dict[str, list[float]] = {}
    for seed in range(n_tables):
        X, n_true = make_marked(200, n_columns, seed)
        model = weft.AutoCluster(n_clusters=3, n_resamples=0, random_state=0).fit(X)
        for name, honest in (("naive", False), ("honest", True)):
            table = model.markers(X, honest=honest, random_state=seed)
            false = float(np.mean(table.columns >= n_true)) if len(table) else 0.0
            recall = len(set(table.columns[table.columns < n_true].tolist())) / n_true
            found.setdefault(f"{name}_false", []).append(false)
            found.setdefault(f"{name}_recall", []).append(recall)
    return {name: float(np.mean(values)) for name, values in found.items()}


def noise_markers(n_tables: int = 20) -> Row:
    """No clusters, 30 columns, k-means told two: share of tables with any false marker."""
    from sklearn.cluster import KMeans

    any_found = {"naive": 0, "honest": 0}
    for seed in range(n_tables):
        X = np.random.default_rng(seed).standard_normal((300, 30))
        model = KMeans(2, n_init=3, random_state=0)
        labels = model.fit_predict(X)
        any_found["naive"] += len(weft.marker_columns(X, labels)) > 0
        honest = weft.marker_columns(X, labels, clusterer=model, random_state=seed)
        any_found["honest"] += len(honest) > 0
    return {f"{name}_share": count / n_tables for name, count in any_found.items()}


def cells() -> Row:
    """700 cells of scanpy against their types, compared with Leiden at resolution 1."""
    import scanpy

    adata = scanpy.datasets.pbmc68k_reduced()
    types = adata.obs["bulk_labels"]
    row = _fit(np.asarray(adata.X, dtype=float), types)
    row["ari_log_sparse"] = _fit(adata.raw.X, types)["ari"]
    from sknetwork.clustering import Leiden

    found = Leiden(resolution=1.0, random_state=0).fit_predict(adata.obsp["connectivities"])
    return {**row, "ari_leiden": float(adjusted_rand_score(types, found))}


def text() -> Row:
    """Nine newsgroups without K, compared with spectral clustering that is told K."""
    import pandas
    from sklearn.cluster import SpectralClustering
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    table = pandas.read_csv(Path(os.environ["WEFT_DATA"]) / NEWSGROUPS).dropna()
    reader = TfidfVectorizer(stop_words="english", min_df=5, max_df=0.5, sublinear_tf=True)
    X, labels = reader.fit_transform(table.text.astype(str)), table.label.to_numpy()
    model = weft.AutoCluster(random_state=0, n_resamples=0).fit(X)
    found = model.markers(X)
    names = reader.get_feature_names_out()
    words = {
        str(k): [names[int(name[1:])] for name in found.top(k, 10, direction="higher")]
        for k in range(model.n_clusters_)
    }
    axes = normalize(TruncatedSVD(50, random_state=0).fit_transform(X))
    told = SpectralClustering(
        9, affinity="nearest_neighbors", n_neighbors=15, random_state=0
    ).fit_predict(axes)
    return {
        "ari": float(adjusted_rand_score(labels, model.labels_)),
        "n_clusters": model.n_clusters_,
        "ari_spectral_told_k": float(adjusted_rand_score(labels, told)),
        "words": words,
    }


MEASURED: dict[str, Callable[[], Row]] = {
    "200 x 20000": lambda: wide(200, 20_000),
    "100 x 50000": lambda: wide(100, 50_000),
    "sparse counts": sparse_counts,
    "raw counts": raw_counts,
    "markers 500": lambda: markers(500),
    "markers 5000": lambda: markers(5_000),
    "markers of noise": noise_markers,
    "cells": cells,
    "text": text,
}


def main() -> None:
    """Measure what is missing and print all lines."""
    parser = argparse.ArgumentParser(prog="python -m bench.wide", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(MEASURED)}; all by default")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    given = parser.parse_args()
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    known = {row["name"]: row for row in map(json.loads, lines)}
    for name in given.names or MEASURED:
        if name in known and not given.again:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known[name] = {"name": name, "weft": weft.__version__, **MEASURED[name]()}
        ordered = [known[each] for each in MEASURED if each in known]
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in ordered))
    for name in given.names or MEASURED:
        print(json.dumps(known[name]))


if __name__ == "__main__":
    main()
