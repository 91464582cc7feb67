"""Write the pages that ``check.mjs`` opens: ``python tests/browser/make_pages.py FOLDER``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

import weft
from weft.datasets import add_noise_features
from weft.report.page import report

HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "🎈 emoji 👩‍🚀",
    "n" * 300,
    "מספר \u202eevil",
    '"><img src=x onerror=alert(1)>',
    "%{x} $\\alpha$ {{ 7 * 7 }}",
    "<b>bold</b> <a href='javascript:alert(1)'>link</a> a&b &lt;",
    "__proto__",
    "</script><script>alert(2)</script>",
]


def wine() -> tuple[np.ndarray, np.ndarray, list[str]]:
    found = add_noise_features(load_wine(), 13, random_state=0)
    scaled = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    return scaled, found.data, [str(name) for name in found.feature_names]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Short searches: the pages are looked at, not the answers.
    warnings.simplefilter("ignore")
    X, values, names = wine()

    model = weft.FeatureSwarm("linkage", n_clusters=3, random_state=0).fit(X)
    made = report(model, X, values=values, feature_names=names, stability=3)
    made.save(folder / "swarm.html")

    model = weft.WeightedKMeans(3, random_state=0).fit(X)
    report(model, X, values=values, feature_names=names).save(folder / "per-cluster.html")

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, len(HOSTILE)))
    rows[40:80, :5] += 6
    rows[80:, :5] -= 6
    model = weft.ProjectedSwarm(3, n_evaluations=40, random_state=0).fit(rows)
    table = {
        "data": {"name": HOSTILE[0] + ".csv"},
        "columns": [
            {"name": n, "kind": "constant", "kept": False, "reason": n, "features": []}
            for n in HOSTILE
        ],
        "warnings": HOSTILE,
    }
    report(model, rows, feature_names=HOSTILE, table=table).save(folder / "hostile.html")

    wide = rng.normal(size=(3_000, 1_200))
    wide[:1_000, :10] += 4
    wide[1_000:2_000, :10] -= 4
    model = weft.WeightedKMeans(3, random_state=0, max_iter=10).fit(wide)
    names = [f"gene {i:04d}" for i in range(1_200)]
    report(model, wide, feature_names=names).save(folder / "wide.html")


if __name__ == "__main__":
    main()
