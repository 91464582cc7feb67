"""How sure an answer is: the model's own estimates, refits on part of the rows, known classes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from weft.auto.resampling import share_of_round
from weft.reporting.facts import Facts, read_facts
from weft.reporting.making import plain


def certainty(model: Any, n_clusters: int, n_rows: int) -> dict[str, Any]:
    """Return the model's own estimates of how good its answer is; None where it has none.

    ``probability``: that the clusters are right, or (``of`` = "no clusters") that there are none.
    ``agreement``: adjusted Rand index of the answer with its repeats on part of the rows
    (``share``), as the fit has measured it; ``by_cluster``: how well each cluster is reproduced,
    None where that was not measured, as for rare clusters that were found afterwards.
    """
    confidence = getattr(model, "confidence_", None)
    method = getattr(model, "method_", "")
    reasons = getattr(model, "evidence_", None) or {}
    by_cluster = np.asarray(getattr(model, "cluster_stability_", []), dtype=float)
    repeated = by_cluster.size == n_clusters and bool((by_cluster > 0).any())
    agreement = getattr(model, "stability_", None) if repeated else None
    if agreement is not None and not math.isfinite(agreement):
        agreement = None
    return {
        "probability": None if confidence is None else float(confidence),
        "of": "no clusters" if method == "none" else "right",
        "agreement": None if agreement is None else float(agreement),
        "share": share_of_round(n_rows),
        "by_cluster": plain(by_cluster) if repeated else None,
        "for": list(reasons.get("for", [])),
        "against": list(reasons.get("against", [])),
    }


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
            # Fits on part of the rows may give warnings that do not concern the full table.
            warnings.simplefilter("ignore")
            again.fit(X.iloc[rows] if hasattr(X, "iloc") else X[rows])
        refitted_facts = read_facts(again)
        agreement.append(float(adjusted_rand_score(facts.labels[rows], refitted_facts.labels)))
        counts.append(refitted_facts.n_clusters)
        selected = refitted_facts.selected
        kept += selected if owner is None else np.bincount(owner, selected, len(kept)) > 0
        alike.append(_cosine(facts.weights, refitted_facts.weights))
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


def scores(truth: np.ndarray, labels: np.ndarray, name: str | None) -> dict[str, Any] | None:
    """Agreement with known classes, over the rows whose class is known; None if there are none."""
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    from weft import metrics

    known = truth != -1
    if not known.any():
        return None
    y, clusters = truth[known], labels[known]
    return {
        "label": name,
        "n_classes": len(np.unique(y)),
        "n_rows": int(known.sum()),
        "pair_f": metrics.pair_f(y, clusters),
        "purity": metrics.purity(y, clusters),
        "ari": float(adjusted_rand_score(y, clusters)),
        "ami": float(adjusted_mutual_info_score(y, clusters)),
        "accuracy": metrics.accuracy(y, clusters, mapping="optimal"),
    }


def noise(features: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the columns that are known to be noise, and how much weight they got."""
    noise = [entry for entry in features if entry["noise"]]
    return {
        "n_columns": len(noise),
        "column_share": len(noise) / len(features),
        "weight_share": float(sum(entry["share"] for entry in noise)),
    }
