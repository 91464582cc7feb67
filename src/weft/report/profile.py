"""What sets each cluster apart from the other rows: effect sizes, and a sentence."""

from __future__ import annotations

import unicodedata
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

N_TRAITS = 3
# Cohen's rule of thumb calls 0.2 a small effect; below that a feature sets nothing apart.
SMALL_EFFECT = 0.2
# Unicode's classes of characters that turn the direction of the text after them.
_TURNING = {"R", "AL", "RLE", "LRE", "RLO", "LRO", "RLI", "LRI", "FSI", "PDF", "PDI"}


class Profile(NamedTuple):
    """Each cluster against all other rows, per feature; arrays of shape (n_clusters, d)."""

    labels: np.ndarray  # (n_clusters,), sorted, -1 for rows in no cluster
    sizes: np.ndarray  # (n_clusters,)
    means: np.ndarray
    rest_means: np.ndarray
    effects: np.ndarray


def profile(X: np.ndarray, labels: np.ndarray) -> Profile:
    """Compare each cluster with all other rows.

    The effect is (mean of the cluster − mean of the rest) / pooled standard deviation (Cohen's d);
    it is 0 where the means agree, infinite where they differ and nothing varies within, and NaN
    where there is no rest.
    """
    found, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    n, n_rest = sizes[:, None], len(X) - sizes[:, None]
    center = X.mean(axis=0)
    centred = X - center  # sums of squares of large values with a small spread would lose digits
    member = sparse.csr_array((np.ones(len(X)), (place, np.arange(len(X)))))
    sums = member @ centred
    np.square(centred, out=centred)
    squares = member @ centred
    with np.errstate(divide="ignore", invalid="ignore"):
        means, rest_means = sums / n, (sums.sum(axis=0) - sums) / n_rest
        within = squares - n * means**2
        within_rest = (squares.sum(axis=0) - squares) - n_rest * rest_means**2
        # Rounding leaves about 1e-16 of the sum of squares where nothing varies.
        spread = np.maximum(within + within_rest, 0.0)
        spread[spread < 1e-13 * squares.sum(axis=0)] = 0.0
        pooled = np.sqrt(spread / max(len(X) - 2, 1))
        difference = means - rest_means
        effects = np.where(
            np.abs(difference) < 1e-13 * np.maximum(X.max(axis=0), -X.min(axis=0)),
            0.0,
            difference / pooled,
        )
    effects[np.broadcast_to(n_rest == 0, effects.shape)] = np.nan
    return Profile(found, sizes, means + center, rest_means + center, effects)


def describe_clusters(
    compared: Profile, X: np.ndarray, names: list[str], selected: np.ndarray
) -> list[dict[str, Any]]:
    binary = _binary(X)
    for means in (compared.means, compared.rest_means):  # centring leaves 1e-17 and -1e-17
        means[:, binary] = np.clip(np.round(means[:, binary], 12), 0.0, 1.0) + 0.0
    total = int(compared.sizes.sum())
    entries = []
    for i, label in enumerate(compared.labels):
        strength = np.where(selected, np.abs(compared.effects[i]), -np.inf)
        strength[~(strength >= SMALL_EFFECT)] = -np.inf  # NaN as well
        best = [int(j) for j in np.argsort(-strength, kind="stable")[:N_TRAITS]]
        traits = [
            {
                "feature": names[j],
                "direction": "higher"
                if compared.means[i, j] > compared.rest_means[i, j]
                else "lower",
                "effect": compared.effects[i, j],
                "mean": compared.means[i, j],
                "rest_mean": compared.rest_means[i, j],
                "binary": bool(binary[j]),
            }
            for j in best
            if strength[j] > -np.inf
        ]
        entries.append(
            {
                "label": int(label),
                "name": "no cluster" if label == -1 else f"cluster {label}",
                "size": int(compared.sizes[i]),
                "share": compared.sizes[i] / total,
                "traits": traits,
                "sentence": _sentence(int(label), int(compared.sizes[i]), total, traits),
            }
        )
    return entries


def _binary(X: np.ndarray) -> np.ndarray:
    """Columns that hold only 0 and 1; most fail on their first rows, so that few are read."""
    found = ((X[:100] == 0) | (X[:100] == 1)).all(axis=0)
    for j in np.flatnonzero(found):
        found[j] = bool(((X[:, j] == 0) | (X[:, j] == 1)).all())
    return found


def _sentence(label: int, size: int, total: int, traits: list[dict[str, Any]]) -> str:
    rows = f"{size} row{'s' if size != 1 else ''} ({size / total:.0%})"
    if size == total:
        return f"All {rows}: there is nothing to compare with."
    if not traits:
        return f"{rows} that no single selected feature sets apart."
    told = []
    for trait in traits:
        if trait["binary"]:
            word = "more often" if trait["direction"] == "higher" else "less often"
            numbers = f"{trait['mean']:.0%} against {trait['rest_mean']:.0%}"
        else:
            word = trait["direction"]
            numbers = f"{_number(trait['mean'])} against {_number(trait['rest_mean'])} on average"
        told.append(f"{in_line(trait['feature'])} {word} ({numbers})")
    lead = "in no cluster: " if label == -1 else "with "
    return f"{rows} {lead}{', '.join(told)}."


def in_line(name: str, length: int = 80) -> str:
    """`name` for the middle of a sentence: cut, and its writing direction kept to itself."""
    cut = name if len(name) <= length else name[: length - 1] + "…"
    if all(unicodedata.bidirectional(char) not in _TURNING for char in cut):
        return cut
    return f"\u2068{cut}\u2069"  # first strong isolate ... pop directional isolate


def _number(value: float) -> str:
    """Three digits, and no exponent for sizes people write out."""
    return f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
