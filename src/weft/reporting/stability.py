"""How much of an answer comes back when the search is repeated on part of the rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from weft.reporting.facts import Facts, read_facts

SHARE = 0.8


def measure_stability(
    model: Any,
    X: Any,
    facts: Facts,
    *,
    n_repeats: int,
    told: Facts | None = None,
    owner: np.ndarray | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Fit again on `n_repeats` random four fifths of the rows, with other seeds, and compare.

    ``agreement`` holds the adjusted Rand index of each repeat with the answer on the rows they
    share (1: the same groups; 0: no more alike than chance). With `owner`, the source column of
    each coordinate, ``kept`` counts source columns, those of `told`.
    """
    from sklearn.base import clone
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(seed)
    n = len(facts.labels)
    size = max(2, round(SHARE * n))
    told = told or facts
    agreement, counts, kept, alike = [], [], np.zeros(len(told.names)), []
    for _ in range(n_repeats):
        rows = np.sort(rng.choice(n, size=size, replace=False))
        again = clone(model)
        quiet: dict[str, Any] = {"random_state": int(rng.integers(2**31 - 1)), "callbacks": None}
        again.set_params(**{key: v for key, v in quiet.items() if key in again.get_params()})
        with warnings.catch_warnings():
            # A part of the rows may warn of what the whole does not.
            warnings.simplefilter("ignore")
            again.fit(X.iloc[rows] if hasattr(X, "iloc") else X[rows])
        found = read_facts(again)
        agreement.append(float(adjusted_rand_score(facts.labels[rows], found.labels)))
        counts.append(found.n_clusters)
        selected = found.selected
        kept += selected if owner is None else np.bincount(owner, selected, len(kept)) > 0
        alike.append(_cosine(facts.weights, found.weights))
    return {
        "n_repeats": n_repeats,
        "share": SHARE,
        "agreement": agreement,
        "n_clusters": counts,
        "weights_cosine": alike,
        "kept": {told.names[j]: int(kept[j]) for j in np.argsort(-told.weights)[:30]},
    }


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length > 0 else 0.0
