"""How sure an answer is, as numbers that every part of a report takes from here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

REPEATED_SHARE = 0.7  # of the rows, in the repeats of AutoCluster


def certainty(model: Any, n_clusters: int) -> dict[str, Any]:
    """What a model says of its own answer; what it does not say is None.

    ``probability``: that the clusters are right, or (``of`` = "no clusters") that there are none.
    ``agreement``: adjusted Rand index of the answer with its repeats on part of the rows
    (``share``), as the fit has measured it; ``by_cluster``: how well each cluster is reproduced.
    """
    confidence = getattr(model, "confidence_", None)
    method = getattr(model, "method_", "")
    reasons = getattr(model, "evidence_", None) or {}
    by_cluster = np.asarray(getattr(model, "cluster_stability_", []), dtype=float)
    by_cluster = np.nan_to_num(by_cluster)
    repeated = by_cluster.size == n_clusters and bool((by_cluster > 0).any())
    agreement = getattr(model, "stability_", None) if repeated else None
    if agreement is not None and not math.isfinite(agreement):
        agreement = None
    return {
        "probability": None if confidence is None else float(confidence),
        "of": "no clusters" if method == "none" else "right",
        "agreement": None if agreement is None else float(agreement),
        "share": REPEATED_SHARE,
        "by_cluster": by_cluster.tolist() if repeated else None,
        "for": list(reasons.get("for", [])),
        "against": list(reasons.get("against", [])),
    }
