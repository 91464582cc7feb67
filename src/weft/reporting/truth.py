"""A result beside a truth that is known: labels of the rows, columns that matter."""

from __future__ import annotations

from typing import Any

import numpy as np


def scores(truth: np.ndarray, labels: np.ndarray, name: str | None) -> dict[str, Any]:
    """Agreement with known classes, over the rows whose class is known."""
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    from weft import metrics

    known = truth != -1
    y, found = truth[known], labels[known]
    return {
        "label": name,
        "n_classes": len(np.unique(y)),
        "n_rows": int(known.sum()),
        "pair_f": metrics.pair_f(y, found),
        "purity": metrics.purity(y, found),
        "ari": float(adjusted_rand_score(y, found)),
        "ami": float(adjusted_mutual_info_score(y, found)),
        "accuracy": metrics.accuracy(y, found, mapping="optimal"),
    }


def noise(features: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns that are known to be noise, and how much weight they were given."""
    noise = [entry for entry in features if entry["noise"]]
    return {
        "n_columns": len(noise),
        "column_share": len(noise) / len(features),
        "weight_share": float(sum(entry["share"] for entry in noise)),
    }
