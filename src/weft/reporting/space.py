"""The rows in the metric that was learned: a map in two dimensions, and silhouettes.

Both use a sample if there are many rows; the same rows give the same sample.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.manifold import TSNE
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from weft.reporting.facts import Facts

N_MAP = 2_000
N_NEIGHBOUR_MAP = 1_000
FEWEST_TO_EMBED = 12
N_AXES = 30  # main directions that t-SNE starts from
N_HOVER = 3


class Metric(NamedTuple):
    """The columns that count and their factors: Euclidean distances between rows multiplied by
    them are the learned distances, as far as a single metric can express them."""

    columns: np.ndarray
    scale: np.ndarray

    def apply(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, self.columns] * self.scale


def learned_metric(model: Any, rows: np.ndarray, facts: Facts, columns: np.ndarray) -> Metric:
    """The metric of a model, over the columns that `rows` holds.

    Methods with weights per cluster have one metric per cluster; the mean of the weights is used.
    FeatureSwarm's weights multiply the columns, those of other methods squared differences.
    """
    weights = facts.weights[columns]
    if not facts.has_weights or facts.are_measured or weights.max(initial=0.0) <= 0:
        spread = rows.std(axis=0)
        scale = 1.0 / np.where(spread > 0, spread, 1.0)
    elif hasattr(model, "feature_scales_"):  # weights in units of the deviation
        scale = weights / model.feature_scales_[columns]
    elif hasattr(model, "feature_exponents_"):  # weights multiply the columns
        scale = weights
    else:
        scale = np.sqrt(np.maximum(weights, 0.0) / weights.max())
    used = np.flatnonzero(scale > 0)
    return Metric(used, scale[used])


def draw_map(
    metric: Metric,
    rows: np.ndarray,
    values: np.ndarray,
    facts: Facts,
    columns: np.ndarray,
    row_numbers: np.ndarray,
) -> dict[str, Any] | None:
    """Return the rows in the two directions of largest variance; None without variance."""
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
    near = neighbour_map(learned, facts.labels[chosen])
    return {
        **({} if near is None else {"near_x": near[0], "near_y": near[1]}),
        "x": _short(flat[:, 0]),
        "y": _short(flat[:, 1]),
        "label": facts.labels[chosen].tolist(),
        "row": row_numbers[chosen].tolist(),
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


def draw_silhouette(measured: Any, labels: np.ndarray) -> dict[str, Any] | None:
    """Return the silhouettes of sampled rows by cluster, largest first; None below two clusters."""
    chosen = measured.sampled[labels[measured.sampled] != -1]
    clusters = np.unique(labels[chosen])
    widths = measured.sure[chosen]
    if not 2 <= len(clusters) < len(chosen) or np.isnan(widths).any():
        return None
    own = labels[chosen]
    return {
        "labels": clusters.tolist(),
        "widths": [_short(np.sort(widths[own == label])[::-1]) for label in clusters],
        "mean": float(widths.mean()),
        "negative": float((widths < 0).mean()),
        "n_rows": len(chosen),
        "n_rows_all": int((labels != -1).sum()),
    }


def neighbour_map(learned: np.ndarray, labels: np.ndarray) -> tuple[list[Any], list[Any]] | None:
    """t-SNE of at most `N_NEIGHBOUR_MAP` of the rows: near rows stay near; None for the others."""
    chosen = sample(labels, N_NEIGHBOUR_MAP)
    if len(chosen) < FEWEST_TO_EMBED or learned.shape[1] < 2:
        return None
    axes = learned[chosen]
    if axes.shape[1] > N_AXES:
        axes = _principal(axes, N_AXES)
    if len(np.unique(axes, axis=0)) < FEWEST_TO_EMBED:
        return None
    x: list[Any] = [None] * len(learned)
    y: list[Any] = [None] * len(learned)
    made = TSNE(
        init="pca",
        perplexity=min(30.0, (len(chosen) - 1) / 3.0),
        max_iter=400,
        random_state=0,
        n_jobs=1,
    )
    with warnings.catch_warnings(), threadpool_limits(1, "openmp"):
        warnings.simplefilter("ignore")
        flat = made.fit_transform(np.ascontiguousarray(axes, dtype=np.float64))
    if not np.isfinite(flat).all():
        return None
    for place, row in enumerate(chosen):
        x[row], y[row] = float(f"{flat[place, 0]:.3g}"), float(f"{flat[place, 1]:.3g}")
    return x, y


def _principal(rows: np.ndarray, n_axes: int) -> np.ndarray:
    centred = rows - rows.mean(axis=0)
    left, values, _ = randomized_svd(centred, n_axes, n_iter=4, random_state=0)
    return left * values


def sample(labels: np.ndarray, most: int) -> np.ndarray:
    """Return sorted positions of about `most` rows: a share of each cluster, at least one row."""
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
