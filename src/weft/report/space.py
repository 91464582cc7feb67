"""The rows in the metric that was learned: a map in two dimensions, and silhouettes.

Both are made from a sample where there are many rows, drawn the same way each time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import silhouette_samples
from sklearn.utils.extmath import randomized_svd

from weft.report.facts import Facts

N_MAP = 2_000
N_SILHOUETTE = 1_500
N_HOVER = 3


class Metric(NamedTuple):
    """Columns that count and what each is multiplied with: Euclidean distances between rows made
    so are those learned, as near as one metric can be."""

    columns: np.ndarray
    scale: np.ndarray

    def apply(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, self.columns] * self.scale


def learned_metric(model: Any, rows: np.ndarray, facts: Facts, columns: np.ndarray) -> Metric:
    """The metric of a model, over the columns that `rows` holds.

    Methods that weigh per cluster have as many metrics as clusters: their mean weights stand for
    all. FeatureSwarm's weights multiply the columns; elsewhere they multiply squared differences.
    """
    weights = facts.weights[columns]
    if not facts.has_weights or weights.max(initial=0.0) <= 0:
        spread = rows.std(axis=0)
        scale = 1.0 / np.where(spread > 0, spread, 1.0)
    elif hasattr(model, "feature_scales_"):  # weights in units of the deviation
        scale = weights / model.feature_scales_[columns]
    elif _multiplies(model):
        scale = weights
    else:
        scale = np.sqrt(np.maximum(weights, 0.0) / weights.max())
    used = np.flatnonzero(scale > 0)
    return Metric(used, scale[used])


def _multiplies(model: Any) -> bool:
    return hasattr(model, "feature_exponents_")


def draw_map(
    metric: Metric, rows: np.ndarray, values: np.ndarray, facts: Facts, columns: np.ndarray
) -> dict[str, Any] | None:
    """The two directions of largest variance; None where there is nothing to spread out."""
    chosen = sample(facts.labels, N_MAP)
    if len(chosen) < 3 or len(metric.columns) == 0:
        return None
    learned = metric.apply(rows[chosen])
    learned -= learned.mean(axis=0)
    total = float((learned**2).sum())
    if not np.isfinite(total) or total <= 0:
        return None
    flat, share = _two_directions(learned, total)
    heaviest = np.argsort(-facts.weights[columns], kind="stable")[:N_HOVER]
    return {
        "x": _short(flat[:, 0]),
        "y": _short(flat[:, 1]),
        "label": facts.labels[chosen].tolist(),
        "row": (chosen + 1).tolist(),
        "explained": share,
        "n_rows": len(rows),
        "features": [facts.names[columns[j]] for j in heaviest],
        "values": [[float(f"{v:.4g}") for v in row] for row in values[chosen][:, heaviest]],
    }


def _two_directions(centred: np.ndarray, total: float) -> tuple[np.ndarray, list[float]]:
    """Principal components with a fixed sign."""
    n, d = centred.shape
    if d == 1:
        return np.column_stack([centred[:, 0], np.zeros(n)]), [1.0, 0.0]
    if min(n, d) <= 100:
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
    else:
        left, values, _ = randomized_svd(centred, 2, n_iter=7, random_state=0)
    flat = left[:, :2] * values[:2]
    largest = flat[np.abs(flat).argmax(axis=0), [0, 1]]
    return flat * np.where(largest < 0, -1.0, 1.0), (values[:2] ** 2 / total).tolist()


def draw_silhouette(metric: Metric, rows: np.ndarray, facts: Facts) -> dict[str, Any] | None:
    """Width of each sampled row's silhouette, by cluster and falling; None below two clusters."""
    inside = np.flatnonzero(facts.labels != -1)
    chosen = inside[sample(facts.labels[inside], N_SILHOUETTE)]
    labels = facts.labels[chosen]
    found = np.unique(labels)
    if not 2 <= len(found) < len(labels) or len(metric.columns) == 0:
        return None
    widths = silhouette_samples(metric.apply(rows[chosen]), labels)
    return {
        "labels": found.tolist(),
        "widths": [_short(np.sort(widths[labels == label])[::-1]) for label in found],
        "mean": float(widths.mean()),
        "negative": float((widths < 0).mean()),
        "n_rows": len(chosen),
        "n_rows_all": len(inside),
    }


def sample(labels: np.ndarray, most: int) -> np.ndarray:
    """Sorted positions of at most about `most` rows: each cluster's share, and one at least."""
    if len(labels) <= most:
        return np.arange(len(labels))
    rng = np.random.default_rng(0)
    kept = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        wanted = max(1, round(most * len(rows) / len(labels)))
        kept.append(rng.choice(rows, size=min(wanted, len(rows)), replace=False))
    rows = np.sort(np.concatenate(kept))
    return rows if len(rows) <= 2 * most else rows[:: len(rows) // most + 1]


def _short(values: np.ndarray) -> list[float]:
    """Four digits are more than a screen can show."""
    return [float(f"{value:.4g}") for value in values]
