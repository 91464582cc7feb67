"""How much of the spread of a method comes from its starts, and how much from the data sets.

Some papers print the mean of many runs on one set of a kind; we draw a new set for each run. The
printed mean then has the whole spread of a set and a small part of that of a start. A study with
several starts on each of several sets (``spread_of`` names it) separates the two.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

import numpy as np

from bench.harness import rows as results
from bench.harness.study import Study, load


def start_share(study: Study, method: str, metric: str) -> float:
    """Return the share of a method's variance that comes from its starts; 0 if unknown."""
    if not study.spread_of:
        return 0.0
    return _share(study.spread_of, method, metric, results.stamp(study.spread_of))


@lru_cache(maxsize=256)
def _share(name: str, method: str, metric: str, stamp: tuple[float, ...]) -> float:
    groups: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in results.read(load(name)):
        if row["status"] == "ok" and row["method"] == method and row.get(metric) is not None:
            groups[row["data"], row["set"]].append(float(np.max(row[metric])))
    return share_of_starts({key: np.array(values) for key, values in groups.items()})


def share_of_starts(groups: dict[tuple[str, int], np.ndarray]) -> float:
    """Return σ²_start / (σ²_start + σ²_set), sets of one kind compared with each other.

    σ²_start is the mean variance within a set. The variance of the sets' means is σ²_set plus
    σ²_start divided by the number of starts.
    """
    kinds: dict[str, list[np.ndarray]] = defaultdict(list)
    for (kind, _), values in groups.items():
        if len(values) > 1:
            kinds[kind].append(values)
    usable = [sets for sets in kinds.values() if len(sets) > 1]
    if not usable:
        return 0.0
    within = float(np.mean([values.var(ddof=1) for sets in usable for values in sets]))
    left = np.mean([values.var(ddof=1) / len(values) for sets in usable for values in sets])
    between = np.mean([np.var([values.mean() for values in sets], ddof=1) for sets in usable])
    of_sets = max(0.0, float(between - left))
    return within / (within + of_sets) if within + of_sets > 0.0 else 0.0
