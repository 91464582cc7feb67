"""Numbers of small reports and figures: ``PYTHONPATH=. python tests/golden/reports.py``.

Words may change; numbers, sizes and the order of things change only on purpose. Then write the
file again and look at what git shows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import weft
from weft.reporting import plots
from weft.reporting.summary import summarize

PATH = Path(__file__).with_suffix(".json")
# Times and versions differ each time; t-SNE moves with the last bits.
LEFT_OUT = {"versions", "seconds", "fingerprint", "near_x", "near_y", "weft"}
FIGURES = (plots.weights, plots.heatmap, plots.profile, plots.map, plots.silhouette)


class Search:
    """What a summary needs of a fitted search."""

    def __init__(self, labels: np.ndarray) -> None:
        self.labels_ = labels
        self.n_clusters_ = int(labels.max()) + 1
        self.n_features_in_ = 4
        self.feature_weights_ = np.array([1.0, 0.5, 0.25, 0.0])
        self.feature_exponents_ = np.array([2.0, 1.5, 3.0, 1.0])
        self.cluster_feature_weights_ = np.array(
            [[3.0, 1.0, 0.0, 0.0], [1.0, 1.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
        )
        self.fitness_ = 0.75
        self.n_iter_ = 4
        self.history_ = {
            "best_fitness": np.array([-np.inf, 0.25, 0.5, 0.75]),
            "mean_fitness": np.array([np.nan, 0.125, 0.25, 0.5]),
            "n_features": np.array([4, 3, 3, 3]),
            "n_clusters": np.array([2, 2, 3, 3]),
        }

    def get_support(self) -> np.ndarray:
        return self.feature_weights_ > 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"clusterer": "knn", "criterion": "csc", "n_particles": 4, "random_state": 7}


def rows_of_search() -> tuple[np.ndarray, np.ndarray]:
    """Return 36 rows of three clusters, two of them in none."""
    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1, 2], [16, 12, 8])
    X = rng.normal(size=(36, 4)) + np.array([[0, 0, 0, 0], [6, 3, 0, 0], [-6, 0, 4, 0]])[labels]
    labels[[3, 30]] = -1
    return X, labels


def raw_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table of every kind with gaps, and labels."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2], [20, 14, 10])
    frame = pd.DataFrame(
        {
            "size": rng.normal(10.0 * labels, 2.0),
            "price": np.exp(3.0 * rng.random(44) + labels),
            "rooms": rng.integers(1, 6, 44) + labels,
            "colour": np.array(["red", "green", "blue"])[(labels + (rng.random(44) < 0.2)) % 3],
            "member": np.where(rng.random(44) < 0.3 + 0.3 * (labels == 1), "yes", "no"),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 44), "D"),
        }
    )
    frame.loc[[1, 8, 30], "price"] = np.nan
    frame.loc[[5, 20], "colour"] = None
    labels[[0, 40]] = -1
    return frame, labels


def made() -> dict[str, Any]:
    """Return reports and figures."""
    X, labels = rows_of_search()
    searched = summarize(
        Search(labels), X, label=np.maximum(labels, 0), relevant=[True, True, True, False]
    )
    frame, given = raw_table()
    figures = {draw.__name__: draw(searched).to_plotly_json() for draw in FIGURES}
    figures["convergence"] = plots.convergence(searched).to_plotly_json()
    return {
        "search": skeleton(searched),
        "table": skeleton(weft.report(frame, given, truth=given % 2).summary),
        "figures": skeleton(figures),
    }


def skeleton(value: Any) -> Any:
    """Return numbers and their places; a text is only said to be there."""
    if isinstance(value, dict):
        return {str(key): skeleton(own) for key, own in value.items() if key not in LEFT_OUT}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [skeleton(own) for own in value]
    if isinstance(value, str):
        return "…"
    if value is None or isinstance(value, (bool, int)):
        return value
    return float(f"{float(value):.6g}")


def differences(found: Any, expected: Any, place: str = "") -> list[str]:
    """Return where the numbers of what was written down are others now; more of them may be."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{place}: {found!r}"]
        return [
            line
            for key, own in expected.items()
            for line in differences(found.get(key, "missing"), own, f"{place}/{key}")
        ]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{place}: {len(expected)} entries expected"]
        return [
            line
            for number, (one, own) in enumerate(zip(found, expected, strict=True))
            for line in differences(one, own, f"{place}/{number}")
        ]
    is_number = type(expected) in (int, float) and type(found) in (int, float)
    same = found == expected
    if is_number and not same:
        same = bool(np.isclose(found, expected, rtol=1e-3, atol=1e-6, equal_nan=True))
    return [] if same else [f"{place}: {found!r}, not {expected!r}"]


def main() -> None:
    PATH.write_text(json.dumps(made()) + "\n")


if __name__ == "__main__":
    main()
