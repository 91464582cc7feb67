"""Why this number of clusters: the candidates for each number, and other answers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Integers

MAX_LEVELS = 7  # of the walk from coarse to fine
MAX_NODES = 12  # clusters of a level that readers can still distinguish


CHOSEN_BY_USER = "you chose another answer"


def describe_candidates(
    candidates: list[dict[str, Any]], alternatives: list[dict[str, Any]], labels: Integers
) -> list[dict[str, Any]]:
    """Return the candidates without their labels; the answer that is shown is marked.

    Scores are relative to the first answer. If the user chose another one, candidates with a higher
    score than that one say so.
    """
    shown = next((one for one in alternatives if np.array_equal(one["labels"], labels)), None)
    is_first = shown is None or shown is alternatives[0]
    least = 0.0 if shown is None else shown["quality"]
    n_clusters = len(np.unique(labels[labels != -1]))
    kept = ("n_clusters", "quality", "method", "n_candidates", "reasons", "measures")
    entries = []
    for one in candidates:
        # The answer and its candidate may label the rows outside the search sample differently.
        same = np.array_equal(one["labels"], labels)
        own = same or (is_first and one["n_clusters"] == n_clusters)
        behind = one.get("behind", "")
        if not is_first and not own and not one["quality"] < least:
            behind = CHOSEN_BY_USER
        entry = {key: one[key] for key in kept}
        entries.append({**entry, "behind": "" if own else behind, "is_answer": own})
    return entries


def describe_walk(candidates: list[dict[str, Any]], labels: Integers) -> dict[str, Any] | None:
    """Return how clusters split from one number to the next; None with fewer than two numbers.

    Each level has a number of clusters: their sizes, and for each the cluster of the answer that
    it shares most rows with (``like``). A link is [cluster here, cluster on the next level, rows].
    """
    answer = len(np.unique(labels[labels != -1]))
    chosen = [one for one in candidates if one["n_clusters"] <= max(MAX_NODES, answer)]
    chosen = sorted(chosen, key=lambda one: abs(one["n_clusters"] - answer))[:MAX_LEVELS]
    chosen = sorted(chosen, key=lambda one: one["n_clusters"])
    if len(chosen) < 2 or answer < 2:
        return None
    levels, links = [], []
    for one in chosen:
        own = labels if one["n_clusters"] == answer else one["labels"]
        shared = _contingency(own, labels)
        levels.append(
            {
                "n_clusters": int(one["n_clusters"]),
                "sizes": shared.sum(axis=1).tolist(),
                "like": shared.argmax(axis=1).tolist(),
                "labels": own,
            }
        )
    for here, after in itertools.pairwise(levels):
        shared = _contingency(here["labels"], after["labels"])
        least = 0.005 * len(labels)
        links.append([[int(a), int(b), int(shared[a, b])] for a, b in np.argwhere(shared > least)])
    return {
        "levels": [{k: v for k, v in level.items() if k != "labels"} for level in levels],
        "links": links,
    }


def describe_alternatives(
    alternatives: list[dict[str, Any]], labels: Integers
) -> list[dict[str, Any]]:
    """Return for each answer its sizes, its similarity to the shown answer, and its overlaps."""
    entries = []
    for number, one in enumerate(alternatives, start=1):
        shared = _contingency(one["labels"], labels)
        own = np.array_equal(one["labels"], labels)
        entries.append(
            {
                "number": number,
                "n_clusters": int(one["n_clusters"]),
                "method": str(one["method"]),
                "quality": float(one["quality"]) if np.isfinite(one["quality"]) else None,
                "agreement": 1.0 if own else float(adjusted_rand_score(labels, one["labels"])),
                "is_answer": own,
                "sizes": shared.sum(axis=1).tolist(),
                "shared": shared.tolist(),
            }
        )
    return entries


def _contingency(a: Integers, b: Integers) -> Integers:
    """Rows in each cluster of `a` and each of `b`; rows in none are left out."""
    known = (a >= 0) & (b >= 0)
    width = int(b.max(initial=0)) + 1
    height = int(a.max(initial=0)) + 1
    counts = np.bincount(a[known] * width + b[known], minlength=height * width)
    return counts.reshape(height, width)
