"""The measurements of `python -m bench.wide`: one function per line."""

from __future__ import annotations

import os
import resource
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import weft
from bench.wide.made import make_counts, make_dense, make_marked, make_wide

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


def wide(n_rows: int, n_columns: int, device: str = "cpu") -> Row:
    """Four clusters among 200 of many columns."""
    weft.AutoCluster(n_resamples=2, device=device).fit(make_wide(40, 300, 1)[0])  # compiles
    return _fit(*make_wide(n_rows, n_columns, 0), device=device, n_jobs=-1)


def dense(n_rows: int, n_columns: int, device: str = "cpu") -> Row:
    """Six clusters that two of five columns separate, in a table that is not wide."""
    weft.AutoCluster(n_resamples=2, device=device).fit(make_dense(60, 30, 1)[0])  # compiles
    return _fit(*make_dense(n_rows, n_columns, 0), device=device, n_jobs=-1)


def sparse_counts() -> Row:
    """30,000 × 2,000 sparse counts in eight clusters."""
    weft.AutoCluster(n_resamples=2, counts=True).fit(make_counts(60, 300, 2, 1)[0])  # compiles
    return _fit(*make_counts(30_000, 2_000, 8, 0), counts=True, n_jobs=-1)


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
    return {**row, "ari_leiden": _ari_of_leiden(adata, types)}


def _ari_of_leiden(adata: Any, types: Any) -> float:
    from sknetwork.clustering import Leiden

    found = Leiden(resolution=1.0, random_state=0).fit_predict(adata.obsp["connectivities"])
    return float(adjusted_rand_score(types, found))


def cells_by_scanpy() -> Row:
    """Synthetic counts through scanpy's usual steps and as they are, by ``weft.sc``."""
    import anndata
    import scanpy

    import weft.sc

    counts, types = make_counts(1_000, 1_500, 5, 0, n_markers=60, depth=1.0)
    adata = anndata.AnnData(sparse.csr_matrix(counts))
    adata.layers["counts"] = adata.X.copy()
    scanpy.pp.normalize_total(adata)
    scanpy.pp.log1p(adata)
    scanpy.pp.highly_variable_genes(adata, n_top_genes=500)
    weft.sc.cluster(adata, key_added="log", n_resamples=0)
    weft.sc.cluster(adata, key_added="raw", layer="counts", counts=True, n_resamples=0)
    weft.sc.cluster(adata, key_added="variable", mask_var="highly_variable", n_resamples=0)
    scaled = adata[:, adata.var["highly_variable"]].copy()
    scanpy.pp.scale(scaled, max_value=10)
    scanpy.pp.pca(scaled)
    scanpy.pp.neighbors(scaled)
    weft.sc.cluster(scaled, key_added="scaled", n_resamples=0)
    weft.sc.cluster(scaled, key_added="pca", use_rep="X_pca", n_resamples=0)
    found = {name: adata.obs[name] for name in ("log", "raw", "variable")}
    found.update({name: scaled.obs[name] for name in ("scaled", "pca")})
    aris = {f"ari_{name}": float(adjusted_rand_score(types, each)) for name, each in found.items()}
    return {**aris, "ari_leiden": _ari_of_leiden(scaled, types)}


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


SIZES: dict[str, Callable[[str], Row]] = {  # on any device
    "200 x 20000": partial(wide, 200, 20_000),
    "100 x 50000": partial(wide, 100, 50_000),
    "700 x 765": partial(dense, 700, 765),
    "2000 x 1000": partial(dense, 2_000, 1_000),
}
MEASURED: dict[str, Callable[[], Row]] = {
    **{name: partial(measure, "cpu") for name, measure in SIZES.items()},
    **{f"{name} on cuda": partial(measure, "cuda") for name, measure in SIZES.items()},
    "sparse counts": sparse_counts,
    "raw counts": raw_counts,
    "markers 500": partial(markers, 500),
    "markers 5000": partial(markers, 5_000),
    "markers of noise": noise_markers,
    "cells": cells,
    "cells by scanpy": cells_by_scanpy,
    "text": text,
}


def measure(name: str) -> Row:
    """Return the line of a measurement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"name": name, "weft": weft.__version__, **MEASURED[name]()}
