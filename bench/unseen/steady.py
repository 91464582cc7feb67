"""Does the answer depend on what should not matter: the order of rows and columns, the seed?

Each set is fitted as it is, with its rows and its columns in other orders, and with other seeds.
An order counts as "other labels" if one row is in another cluster, after the rows are put back.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import joblib
import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from bench.unseen import battery
from weft import AutoCluster


class Case(NamedTuple):
    """One fit: what is changed, and by which draw; draw 0 changes nothing."""

    name: str
    change: str
    draw: int


def cases(names: tuple[str, ...], n_orders: int, n_seeds: int) -> list[Case]:
    """Return all fits of some sets."""
    plan = (("rows", n_orders + 1), ("columns", n_orders + 1), ("seed", n_seeds))
    return [
        Case(name, change, draw)
        for name in names
        for change, count in plan
        for draw in range(count)
    ]


def fit(case: Case, X: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the labels, in the order of the rows of `X`, and the confidence."""
    rows, columns = np.arange(len(X)), np.arange(X.shape[1])
    rng = np.random.default_rng([case.draw, len(X)])
    if case.draw and case.change == "rows":
        rows = rng.permutation(rows)
    if case.draw and case.change == "columns":
        columns = rng.permutation(columns)
    seed = case.draw if case.change == "seed" else 0
    with threadpool_limits(1):
        model = AutoCluster(random_state=seed, n_jobs=1).fit(X[rows][:, columns])
    labels = np.empty(len(X), dtype=np.int64)
    labels[rows] = model.labels_
    return labels, float(model.confidence_)


def _same_partition(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two labellings have the same clusters; -1 is a row without one."""
    pairs = np.unique(np.stack([first, second]), axis=1)
    alone = [len(np.unique(labels)) == pairs.shape[1] for labels in pairs]
    return all(alone) and bool(((first < 0) == (second < 0)).all())


def summary(found: list[tuple[Case, np.ndarray, float]]) -> list[dict[str, Any]]:
    """Return a line for each set."""
    lines = []
    for name in dict.fromkeys(case.name for case, _, _ in found):
        line: dict[str, Any] = {"set": name}
        for change in ("rows", "columns"):
            first, *others = _labels(found, name, change)
            line[f"{change}: other labels"] = sum(not _same_partition(first, o) for o in others)
        seeds = _labels(found, name, "seed")
        pairs = [adjusted_rand_score(a, b) for a, b in combinations(seeds, 2)]
        line["seeds: mean index"] = round(float(np.mean(pairs or [1.0])), 3)
        confidences = [c for case, _, c in found if case.name == name and case.change == "seed"]
        line["confidence"] = round(float(np.mean(confidences)), 2)
        lines.append(line)
    return lines


def _labels(
    found: list[tuple[Case, np.ndarray, float]], name: str, change: str
) -> list[np.ndarray]:
    return [labels for case, labels, _ in found if (case.name, case.change) == (name, change)]


def steady_table(names: tuple[str, ...], n_orders: int, n_seeds: int, n_jobs: int) -> str:
    """Return the result as Markdown."""
    tables = {name: battery.load(name).X for name in names}
    plan = cases(names, n_orders, n_seeds)
    made = joblib.Parallel(n_jobs=n_jobs)(
        joblib.delayed(fit)(case, tables[case.name]) for case in plan
    )
    lines = summary([(case, *one) for case, one in zip(plan, made, strict=True)])
    head = list(lines[0])
    text = [f"| {' | '.join(head)} |", "| --- |" + " --- |" * (len(head) - 1)]
    text += [f"| {' | '.join(str(line[key]) for key in head)} |" for line in lines]
    mean = float(np.mean([line["seeds: mean index"] for line in lines]))
    return "\n".join([*text, "", f"mean index of pairs of seeds: {mean:.3f}"])
