"""Figures of data sets as in the papers: rows on a plane, axes of clusters, set by set."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from bench.harness import data, methods
from bench.harness.study import Run, Study

Rows = list[dict[str, Any]]
MARKERS = "o^sDvP*X<>"


def plane(study: Study, rows: Rows, asked: dict[str, Any], grid: Any) -> Any:
    """Rows of data sets on a plane: by class, or by the clusters of a method.

    A panel names its `data`; `method` colours by that method's clusters, `columns` is the number of
    first columns to use, `every` takes each `every`-th row, `project` is "pca" (for more than two
    columns) or "tsne".
    """
    panels = asked["panels"]
    try:
        drawn = [_panel(study, each) for each in panels]
    except data.MissingData:
        return None
    figure, axes = grid(len(panels), min(3, len(panels)))
    for axis, each, (points, shapes, colours) in zip(axes, panels, drawn, strict=True):
        for place, shape in enumerate(np.unique(shapes)):
            chosen = shapes == shape
            axis.scatter(
                *points[chosen].T,
                c=[f"C{colour % 10}" for colour in colours[chosen]],
                marker=MARKERS[place % len(MARKERS)],
                s=7,
                linewidths=0,
            )
        axis.set_title(each.get("title", each["data"]), fontsize=9)
        axis.set_xticks([])
        axis.set_yticks([])
    return figure


def _panel(study: Study, asked: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions (n, 2), classes and colours of a panel's rows."""
    run = Run(asked["data"], 0, asked.get("method", ""), 0)
    table = data.load(study.data[run.data], study.data_seed(run))
    X, y = table.X[:, : asked.get("columns")], table.y
    colours = y
    if run.method:
        at = methods.Setting(
            table.X, y, study.seed(run), study.paper, run.data, 0, study.data[run.data], ()
        )
        colours = methods.labels_of(study.methods[run.method], at)
    step = asked.get("every", 1)
    X, y, colours = X[::step], y[::step], colours[::step]
    if asked.get("project") == "tsne":
        with threadpool_limits(1):
            points = TSNE(random_state=0, init="pca", n_jobs=1).fit_transform(X)
    else:
        points = X if X.shape[1] == 2 else PCA(2, svd_solver="full").fit_transform(X)
    return points, y, colours


def axes_of_clusters(study: Study, rows: Rows, asked: dict[str, Any], grid: Any) -> Any:
    """Rows of a cluster on its axes with the smallest, median and largest variance."""
    run = Run(asked["data"], 0, "", 0)
    table = data.load(study.data[run.data], study.data_seed(run))
    figure, axes = grid(6, 3)
    for line, cluster in enumerate(np.unique(table.y)[:2]):
        members = table.X[table.y == cluster]
        order = np.argsort(members.var(axis=0), kind="stable")
        for place, (name, which) in enumerate((("least", 0), ("median", 0.5), ("largest", 1))):
            column = order[round(which * (len(order) - 1))]
            axis = axes[3 * line + place]
            axis.hist(members[:, column], bins=20)
            axis.set_title(f"cluster {line + 1}, {name} variance", fontsize=9)
            axis.tick_params(labelsize=7)
    return figure


def by_set(study: Study, rows: Rows, asked: dict[str, Any], grid: Any) -> Any:
    """Mean and variance of a metric on each data set, one line per method."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["status"] == "ok" and row.get(asked["metric"]) is not None:
            found[row["method"]][row["data"]].append(float(np.max(row[asked["metric"]])))
    if not found:
        return None
    figure, (means, variances) = grid(2, 2)
    for method, sets in found.items():
        numbers = np.arange(1, len(sets) + 1)
        means.plot(numbers, [np.mean(v) for v in sets.values()], marker=".", label=method)
        variances.plot(numbers, [np.var(v) for v in sets.values()], marker=".")
    means.set_title(f"mean {asked['metric']}", fontsize=9)
    variances.set_title("variance over the runs", fontsize=9)
    for axis in (means, variances):
        axis.set_xlabel("data set", fontsize=8)
        axis.tick_params(labelsize=7)
    means.legend(fontsize=6)
    return figure


KINDS = {"plane": plane, "axes": axes_of_clusters, "by set": by_set}
