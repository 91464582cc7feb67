"""How each cluster differs from the other rows: effect sizes, and a sentence."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from weft.answers.traits import NO_TRAIT
from weft.columns.profile import Profile
from weft.reporting.told import both_means, counted, percent

N_TRAITS = 3
# Cohen's rule of thumb calls 0.2 a small effect; smaller effects are not mentioned.
SMALL_EFFECT = 0.2
# Unicode's classes of characters that change the direction of the text after them.
_TURNING = {"R", "AL", "RLE", "LRE", "RLO", "LRO", "RLI", "LRI", "FSI", "PDF", "PDI"}


def describe_clusters(
    compared: Profile, X: np.ndarray, names: list[str], selected: np.ndarray
) -> list[dict[str, Any]]:
    binary = binary_columns(X)
    for means in (compared.means, compared.rest_means):
        means[:, binary] = as_shares(means[:, binary])
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


def as_shares(means: Any) -> Any:
    """Return means of columns of 0 and 1 as shares: centring leaves 1e-17 and -1e-17 of a 0."""
    return np.clip(np.round(means, 12), 0.0, 1.0) + 0.0


def binary_columns(X: np.ndarray) -> np.ndarray:
    """Return the columns of 0 and 1 only; the first rows already exclude most of the others."""
    is_binary = ((X[:100] == 0) | (X[:100] == 1)).all(axis=0)
    for j in np.flatnonzero(is_binary):
        is_binary[j] = bool(((X[:, j] == 0) | (X[:, j] == 1)).all())
    return is_binary


def _sentence(label: int, size: int, total: int, traits: list[dict[str, Any]]) -> str:
    rows = f"{counted(size, 'row')} ({percent(size / total)})"
    if size == total:
        return f"All {rows}: there is nothing to compare with."
    if not traits:
        where, verb = "in no cluster " * (label == -1), "does" if size == 1 else "do"
        return f"{rows} {where}that {verb} not differ from the others in any single column."
    parts = []
    for trait in traits:
        if trait["binary"]:
            word = "more often" if trait["direction"] == "higher" else "less often"
            numbers = " against ".join(both_means(trait))
        else:
            word = trait["direction"]
            numbers = " against ".join(both_means(trait)) + " on average"
        parts.append(f"{in_line(trait['feature'])} {word} ({numbers})")
    lead = "in no cluster: " if label == -1 else "with "
    return f"{rows} {lead}{', '.join(parts)}."


def sentence_of_name(entry: dict[str, Any], name: str) -> str:
    """Return the sentence of a cluster whose means are like the others': its name, if any."""
    if not name or name.startswith(NO_TRAIT):
        return str(entry["sentence"])
    return f"{counted(entry['size'], 'row')} ({percent(entry['share'])}) with {in_line(name)}."


def in_line(name: str, length: int = 80) -> str:
    """Return `name` for use in a sentence: shortened, with isolated writing direction."""
    cut = name if len(name) <= length else name[: length - 1] + "…"
    if all(unicodedata.bidirectional(char) not in _TURNING for char in cut):
        return cut
    return f"\u2068{cut}\u2069"  # first strong isolate ... pop directional isolate
