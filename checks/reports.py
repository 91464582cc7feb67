"""Check reports of clusterings by other libraries: completeness, speed, and named columns.

    python -m checks.reports            # all three parts, about ten minutes of one core
    python -m checks.reports --quick    # three clusterers, and columns by the true labels only

1. Ten clusterers of scikit-learn on ten tables: each report is one file that loads nothing.
2. The seconds of one core for a report at 10,000 × 50, with all repeats of the clusterer.
3. The columns that reports name on tables whose clusters are in known columns: precision and
   recall, by the true labels and by every clusterer that found the clusters (ARI ≥ 0.9).
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import cluster, datasets
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import weft
from weft.datasets import make_subspace_clusters

MAX_SECONDS = 5.0
LEAST = 0.95  # of precision and recall
FOUND = 0.9  # a clusterer has found the clusters from this ARI on
# Anything that would make a browser load another file.
OUTSIDE = re.compile(r"(?:src|href|action)\s*=\s*[\"']?(?!#|data:)[^\"'> ]|@import|url\(", re.I)

CLUSTERERS: dict[str, Callable[[int], Any]] = {
    "KMeans": lambda k: cluster.KMeans(k, n_init=2, random_state=0),
    "MiniBatchKMeans": lambda k: cluster.MiniBatchKMeans(k, n_init=2, random_state=0),
    "BisectingKMeans": lambda k: cluster.BisectingKMeans(k, random_state=0),
    "Agglomerative": lambda k: cluster.AgglomerativeClustering(k),
    "Birch": lambda k: cluster.Birch(n_clusters=k),
    "DBSCAN": lambda k: cluster.DBSCAN(eps=1.0),
    "HDBSCAN": lambda k: cluster.HDBSCAN(min_cluster_size=10, copy=True),
    "OPTICS": lambda k: cluster.OPTICS(min_samples=10),
    "Spectral": lambda k: cluster.SpectralClustering(
        k, affinity="nearest_neighbors", random_state=0
    ),
    "GaussianMixture": lambda k: GaussianMixture(k, reg_covar=1e-3, random_state=0),
}


def raw_table() -> pd.DataFrame:
    """Texts, dates, gaps and numbers in three groups."""
    rng = np.random.default_rng(0)
    group = np.arange(240) % 3
    days = np.datetime64("2024-01-01") + 120 * group + rng.integers(0, 60, 240)
    frame = pd.DataFrame(
        {
            "plan": np.array(["basic", "family", "business"])[group],
            "region": rng.choice(["north", "south", "east"], 240),
            "signed": days.astype(str),
            "age": 20.0 + 20 * group + rng.normal(0, 4, 240).round(1),
            "spent": 100.0 * group + rng.normal(0, 20, 240).round(2),
        }
    )
    frame.loc[::17, "region"] = None
    return frame


def tables() -> Iterator[tuple[str, Any, int]]:
    """Name, table, number of clusters."""
    rng = np.random.default_rng(0)
    for name in ("iris", "wine", "breast_cancer"):
        found = getattr(datasets, f"load_{name}")(as_frame=True)
        yield name, found.data, len(found.target_names)
    yield "digits", datasets.load_digits().data[:600], 10
    yield "moons", datasets.make_moons(400, noise=0.06, random_state=0)[0], 2
    yield "uneven", datasets.make_blobs([900, 60, 15], 6, random_state=0)[0], 3
    for name, means in (("subspaces, easy", (0.0, 100.0)), ("subspaces, hard", (0.0, 10.0))):
        made = subspaces(means, seed=0)
        yield name, made.data, len(np.unique(made.target))
    yield "noise", rng.normal(size=(300, 10)), 3
    yield "raw", raw_table(), 3


def subspaces(mean_range: tuple[float, float], *, seed: int) -> Any:
    """Return five clusters, each in its own fifth of 60 columns."""
    return make_subspace_clusters(
        500, n_features=60, n_clusters=5, subspace_ratio=0.2, mean_range=mean_range,
        random_state=seed,
    )  # fmt: skip


def prepared(model: Any, X: Any) -> Any:
    """Return a pipeline with the preparation that the table needs, and the clusterer."""
    if isinstance(X, pd.DataFrame) and X.select_dtypes(exclude="number").shape[1]:
        texts = make_column_selector(dtype_exclude="number")
        numbers = make_column_selector(dtype_include="number")
        encoder = OneHotEncoder(sparse_output=False, max_categories=8, handle_unknown="ignore")
        return make_pipeline(
            make_column_transformer((encoder, texts), (StandardScaler(), numbers)), model
        )
    return make_pipeline(StandardScaler(), model)


def labels_of(model: Any, X: Any) -> np.ndarray:
    """Return the labels of a fitted pipeline."""
    return np.asarray(getattr(model[-1], "labels_", None) if hasattr(model[-1], "labels_")
                      else model.predict(X))  # fmt: skip


def check_files(names: list[str], folder: Path) -> list[str]:
    """Write a report of every clusterer on every table; return the problems."""
    wrong, n_files, sizes, seconds = [], 0, [], []
    for title, X, k in tables():
        for name in names:
            model = prepared(CLUSTERERS[name](k), X).fit(X)
            began = time.process_time()
            made = weft.report(X, model=model, stability=1, title=title)
            seconds.append(time.process_time() - began)
            path = made.save(folder / f"{title}-{name}.html")
            html = path.read_text(encoding="utf-8")
            n_files += 1
            sizes.append(len(html))
            labels = labels_of(model, X)
            if made.summary["result"]["n_clusters"] != len(np.unique(labels[labels >= 0])):
                wrong.append(f"{title}, {name}: another number of clusters")
            if outside := OUTSIDE.findall(html.split("<script")[0]):
                wrong.append(f"{title}, {name}: asks for other files ({outside[:2]})")
            if len(list(folder.iterdir())) != n_files:
                wrong.append(f"{title}, {name}: not one file")
    print(
        f"{n_files} reports, {len(wrong)} wrong; {max(sizes) / 1e6:.2f} MB at most, "
        f"{max(seconds):.2f} s of CPU at most"
    )
    return wrong


def check_speed(names: list[str]) -> list[str]:
    """Time reports at 10,000 × 50, with the repeats that are the default."""
    X, y = datasets.make_blobs(10_000, 50, centers=6, cluster_std=6.0, random_state=0)
    slow = []
    weft.report(X[:200], y[:200])  # imports and compiled code are not counted
    for name in names:
        model = make_pipeline(StandardScaler(), CLUSTERERS[name](6))
        began = time.process_time()
        made = weft.report(X, y, model=model)
        seconds = time.process_time() - began
        print(f"10,000 x 50, {name}: {seconds:.2f} s of CPU, {len(made.html) / 1e6:.2f} MB")
        if seconds >= MAX_SECONDS:
            slow.append(f"{name}: {seconds:.2f} s at 10,000 x 50")
        if made.summary["stability"] is None:
            slow.append(f"{name}: stability was not measured at 10,000 x 50")
    return slow


def check_columns(names: list[str]) -> list[str]:
    """Compare the columns that reports name with the columns of the clusters."""
    counts: dict[str, np.ndarray] = {}
    for means in ((0.0, 100.0), (0.0, 10.0)):
        for seed in range(3):
            made = subspaces(means, seed=seed)
            found = {"true labels": made.target}
            for name in names:
                model = make_pipeline(StandardScaler(), CLUSTERERS[name](5)).fit(made.data)
                labels = labels_of(model, made.data)
                if adjusted_rand_score(made.target, labels) >= FOUND:
                    found[name] = labels
            for name, labels in found.items():
                summary = weft.report(made.data, labels).summary
                chosen = {f["name"] for f in summary["features"] if f["selected"]}
                true = {f"x{j}" for j in np.flatnonzero(made.relevant)}
                row = np.array([len(chosen & true), len(chosen), len(true), 1])
                counts[name] = counts.get(name, np.zeros(4, dtype=int)) + row
    low = []
    for name, (hits, named, true, n_tables) in counts.items():
        precision, recall = hits / named, hits / true
        print(
            f"columns, {name}: precision {precision:.3f}, recall {recall:.3f} ({n_tables} tables)"
        )
        if min(precision, recall) < LEAST:
            low.append(f"columns by {name}: {precision:.3f} / {recall:.3f}")
    return low


def main() -> None:
    """Run all parts, and exit with 1 if anything falls short."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three clusterers")
    quick = parser.parse_args().quick
    names = ["KMeans", "HDBSCAN", "GaussianMixture"] if quick else list(CLUSTERERS)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        parts = [partial(check_files, names, Path(folder)), partial(check_speed, names)]
        parts.append(partial(check_columns, [] if quick else names))
        wrong = [line for part in parts for line in part()]
    print("\n".join(wrong) or "all fine")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
