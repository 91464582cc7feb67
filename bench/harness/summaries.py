"""From rows to the numbers of a printed table.

A summary takes the rows of a cell and returns, for each metric, one sample per data set name. The
printed number is the mean of a sample. Depending on the table, a sample consists of runs, of sets,
or of the best steps of a sweep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from bench.harness.methods import sweep_of
from bench.harness.study import Cell, Study, any_match

Rows = list[dict[str, Any]]
Samples = dict[str, list[np.ndarray]]  # of each metric, one sample per data set name


class Summary(NamedTuple):
    """Samples to judge, and numbers that are only shown."""

    samples: Samples
    numbers: dict[str, float]


def of_cell(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Return the summary of our rows for a printed row."""
    own = [row for row in rows if any_match(row["data"], [cell.data]) and row["status"] == "ok"]
    here = [row for row in own if any_match(row["method"], [cell.method])]
    if not here:
        return Summary({}, {})
    if study.summary == "t-test":
        return t_test(cell, here, [row for row in own if row["method"] == cell.against])
    return SUMMARIES[study.summary](study, cell, here)


def by_data(rows: Rows) -> list[Rows]:
    """Return the rows of each data set name."""
    groups: dict[str, Rows] = defaultdict(list)
    for row in rows:
        groups[row["data"]].append(row)
    return list(groups.values())


def _metrics(cell: Cell, rows: Rows) -> list[str]:
    """Return the printed metrics; if there are none, all metrics of the rows."""
    printed = dict.fromkeys(key.split(".")[0].split("@")[0] for key in cell.printed if key != "at")
    if printed:
        return list(printed)
    known = ("f", "accuracy", "fscore", "entropy", "huang", "clusters", "greedy")
    return [name for name in known if rows[0].get(name) is not None]


def _values(rows: Rows, metric: str) -> np.ndarray:
    """Return a metric of rows without sweep; rows that lack it are left out."""
    found = [np.ravel(row[metric])[0] for row in rows if row.get(metric) is not None]
    return np.array(found, dtype=np.float64)


def _numbers(samples: Samples) -> dict[str, float]:
    """Return numbers that are printed in addition to means: standard deviation, maximum."""
    numbers = {}
    for metric, groups in samples.items():
        whole = np.concatenate(groups)
        if len(whole):
            numbers[f"{metric}.sd"] = float(whole.std(ddof=1)) if len(whole) > 1 else 0.0
            numbers[f"{metric}.max"] = float(whole.max())
    return numbers


def plain(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Runs are the sample."""
    samples = {
        metric: [_values(group, metric) for group in by_data(rows)]
        for metric in _metrics(cell, rows)
    }
    samples = {metric: groups for metric, groups in samples.items() if any(map(len, groups))}
    return Summary(samples, _numbers(samples))


def seconds(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Time of a run; a sweep is as many runs as it has steps."""
    measured = "accuracy" if "accuracy" in rows[0] else "greedy"
    groups = [
        np.array([row["seconds"] / len(np.ravel(row[measured])) for row in group])
        for group in by_data(rows)
    ]
    return Summary({"seconds": groups}, {})


def steps_of(study: Study, method: str) -> np.ndarray | None:
    """Return the exponents (or other swept values) of a method; None without a sweep."""
    spec = study.methods[method]
    if "sweep" not in spec:
        return None
    return np.array([next(iter(step.values())) for step in sweep_of(spec["sweep"])], dtype=float)


def best_of_sweep(study: Study, cell: Cell, rows: Rows) -> Summary:
    """The best step of each run, chosen with the labels."""
    samples = {
        metric: [np.array([np.max(row[metric]) for row in group]) for group in by_data(rows)]
        for metric in _metrics(cell, rows)
    }
    return Summary(samples, _numbers(samples))


def sweep(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Every step by itself: metric@value."""
    method = next(name for _, name in study.pairs if any_match(name, [cell.method]))
    steps = steps_of(study, method)
    samples = {}
    for key in cell.printed:
        metric, _, value = key.partition("@")
        place = int(np.argmin(np.abs(steps - float(value))))
        samples[key] = [
            np.array([row[metric][place] for row in group], dtype=np.float64)
            for group in by_data(rows)
        ]
    return Summary(samples, {})


def at_step(study: Study, cell: Cell, rows: Rows) -> Summary:
    """One data set, at the printed exponent, and our own best."""
    steps = steps_of(study, cell.method)
    table = np.array([np.ravel(row["greedy"]) for row in rows], dtype=np.float64)
    place, best = 0, 0
    if steps is not None:
        best = int(table.mean(axis=0).argmax())
        at = cell.printed.get("at")
        place = best if at is None else int(np.argmin(np.abs(steps - at)))
    samples = {"greedy": [table[:, place]]}
    numbers = _numbers(samples)
    if steps is not None:
        numbers |= {"best at": float(steps[best]), "best": float(table[:, best].mean())}
    return Summary(samples, numbers)


def per_set(study: Study, rows: Rows, method: str) -> dict[str, np.ndarray]:
    """Return, for each set at its best exponent: the exponent, mean and largest accuracy."""
    steps = steps_of(study, method)
    groups: dict[tuple[str, int], Rows] = defaultdict(list)
    for row in rows:
        groups[row["data"], row["set"]].append(row)
    found: dict[str, list[float]] = defaultdict(list)
    for _, group in sorted(groups.items()):
        table = np.array([np.ravel(row["greedy"]) for row in group], dtype=np.float64)
        best = int(table.mean(axis=0).argmax())
        found["greedy"].append(table[:, best].mean())
        found["max"].append(table[:, best].max())
        if "features" in group[0]:
            found["features"].append(float(np.ravel(group[0]["features"])[best]))
        if steps is not None:
            found["beta"].append(steps[best])
    return {key: np.array(values) for key, values in found.items()}


def oracle_sets(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Sets are the sample, each at its best exponent."""
    found = per_set(study, rows, cell.method)
    # A table without printed numbers shows all of ours.
    samples = {key: [values] for key, values in found.items() if key in (cell.printed or found)}
    return Summary(samples, _numbers({key: [values] for key, values in found.items()}))


def sets_at_step(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Sets (or draws of noise) are the sample, all at the printed exponent."""
    steps = steps_of(study, cell.method)
    at = cell.printed.get("at")
    place = 0 if steps is None or at is None else int(np.argmin(np.abs(steps - at)))
    groups: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        groups[row["set"]].append(float(np.ravel(row["greedy"])[place]))
    samples = {"greedy": [np.array([np.mean(values) for values in groups.values()])]}
    return Summary(samples, _numbers(samples))


def learned(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Exponents learned from labels: of each set mean, modal, accuracy; sets are the sample."""
    groups: dict[tuple[str, int], Rows] = defaultdict(list)
    for row in rows:
        groups[row["data"], row["set"]].append(row)
    parts: dict[str, list[np.ndarray]] = defaultdict(list)
    for group in groups.values():
        beta, right = _values(group, "beta"), _values(group, "greedy")
        values, counts = np.unique(beta, return_counts=True)
        for key, each in (("beta", beta), ("greedy", right)):
            parts[key].append(each)
        parts["modal"].append(np.array([values[counts.argmax()]]))
        parts["max"].append(np.array([right.max()]))
    if len(groups) == 1:
        samples = {key: parts[key] for key in ("beta", "greedy")}
        numbers = {key: float(parts[key][0][0]) for key in ("modal", "max")}
        return Summary(samples, _numbers(samples) | numbers)
    samples = {key: [np.array([each.mean() for each in parts[key]])] for key in parts}
    return Summary(
        {key: samples[key] for key in ("beta", "greedy")},
        _numbers(samples) | {key: float(samples[key][0].mean()) for key in ("modal", "max")},
    )


def correlation(study: Study, cell: Cell, rows: Rows) -> Summary:
    """A correlation of two measures over all partitions."""
    pairs = np.array([[row[cell.which], row[cell.other]] for row in rows], dtype=np.float64)
    kept = pairs[np.isfinite(pairs).all(axis=1)]
    return Summary({}, {"r": float(np.corrcoef(kept.T)[0, 1]), "rows": len(kept)})


def extremes(study: Study, cell: Cell, rows: Rows) -> Summary:
    """The run with the highest or the lowest F."""
    choose = max if cell.which == "good" else min
    row = choose(rows, key=lambda each: each["f"])
    return Summary({}, {key: float(row[key]) for key in cell.printed})


def t_test(cell: Cell, rows: Rows, rivals: Rows) -> Summary:
    """Table 4 of the kernel paper: the unpaired t-test."""
    a, b = _values(rows, "huang"), _values(rivals, "huang")
    if len(b) == 1:
        b = np.repeat(b, len(a))  # a deterministic method is run once: all runs would be equal
    if len(a) < 2 or len(b) < 2:
        return Summary({}, {})
    freedom = len(a) + len(b) - 2
    pooled = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / freedom
    error = float(np.sqrt(pooled * (1 / len(a) + 1 / len(b))))
    gap = float(a.mean() - b.mean())
    half = float(stats.t.ppf(0.975, freedom)) * error
    t = gap / error if error > 0 else np.nan
    numbers = {"se": error, "t": t, "low": gap - half, "high": gap + half}
    return Summary({}, {key: float(value) for key, value in numbers.items()})


def weights(study: Study, cell: Cell, rows: Rows) -> Summary:
    """Table 3.3: the weights of one cluster, clusters in the order of the classes."""
    cluster = int(cell.which) - 1
    table = np.asarray(rows[0]["weights"]).reshape(3, -1)
    return Summary({}, {f"w{v}": float(w) for v, w in enumerate(table[cluster], 1)})


SUMMARIES: dict[str, Callable[[Study, Cell, Rows], Summary]] = {
    "plain": plain,
    "seconds": seconds,
    "best of sweep": best_of_sweep,
    "sweep": sweep,
    "at step": at_step,
    "oracle sets": oracle_sets,
    "sets at step": sets_at_step,
    "learned": learned,
    "correlation": correlation,
    "extremes": extremes,
    "weights": weights,
}
