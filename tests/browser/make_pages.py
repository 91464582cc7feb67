"""Write the pages that ``check.mjs`` opens: ``python tests/browser/make_pages.py FOLDER``.

With ``WEFT_DATA`` set, also pages of two known tables, as they come: penguins and a part of adult.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weft
from weft.datasets import add_noise_features
from weft.reporting.page import report

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


def raw_table(rng: np.random.Generator, n: int = 240) -> pd.DataFrame:
    """Numbers, money, categories, dates, gaps and an identifier, in three groups."""
    group = np.arange(n) % 3
    days = np.datetime64("2024-01-01") + (120 * group + rng.integers(0, 60, n)).astype(int)
    frame = pd.DataFrame(
        {
            "customer": [f"C-{i:04d}" for i in range(n)],
            "age": 20 + 20 * group + rng.normal(0, 4, n).round(1),
            "spent": [f"${20 + 400 * g + rng.normal(0, 30):,.2f}" for g in group],
            "plan": np.array(["basic", "family", "business"])[group],
            "region": np.array(["north", "south", "east", "west"])[rng.integers(0, 4, n)],
            "signed": days.astype(str),
            "visits": rng.poisson(3 + 6 * group),
        }
    )
    frame.loc[::17, "age"] = np.nan
    return frame


def imbalanced(rng: np.random.Generator) -> np.ndarray:
    """Groups of 1,500, 60 and 15 rows, and five columns of noise."""
    group = np.repeat([0, 1, 2], [1_500, 60, 15])
    rows = rng.normal(size=(len(group), 9))
    rows[:, :4] += np.array([[0, 0, 0, 0], [7, 7, 0, 0], [0, 0, 8, -8]])[group]
    return rows


def known_tables(folder: Path) -> None:
    """Two tables that people know, from files; left out where there are none."""
    if "WEFT_DATA" not in os.environ:
        return
    tables = Path(os.environ["WEFT_DATA"]) / "battery" / "mixed"
    penguins = pd.read_csv(tables / "penguins.csv")
    inputs = penguins.drop(columns="species")
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(inputs)
    weft.report(inputs, model=model, truth=penguins["species"], title="penguins",
                path=folder / "penguins.html")  # fmt: skip
    adult = pd.read_csv(tables / "adult_sample.csv", nrows=1_500).drop(columns="Income")
    model = weft.AutoCluster(n_clusters=12, n_resamples=2, random_state=0).fit(adult)
    weft.report(adult, model=model, title="adult", path=folder / "adult.html")


def hostile(rng: np.random.Generator, folder: Path) -> None:
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
    names = [HOSTILE[i % len(HOSTILE)] for i in range(120)]
    made = report(model, rows, feature_names=HOSTILE, table=table, row_names=names)
    made.save(folder / "hostile.html")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Short searches: the pages are looked at, not the answers.
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X, values, names = wine()

    frame = pd.DataFrame(values, columns=names)
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(frame)
    model.report(frame, label=load_wine().target).save(folder / "auto.html")

    model = weft.FeatureSwarm("linkage", n_clusters=3, n_generations=8, random_state=0).fit(X)
    made = report(model, X, values=values, feature_names=names, stability=2)
    made.save(folder / "swarm.html")

    raw = raw_table(rng)
    model = weft.AutoCluster(n_resamples=0, random_state=0).fit(raw)
    model.report(raw, row_names=list(raw["customer"])).save(folder / "raw.html")

    foreign = make_pipeline(StandardScaler(), HDBSCAN(min_cluster_size=8)).fit(frame[names[:13]])
    weft.report(frame[names[:13]], model=foreign, title="wine", path=folder / "foreign.html")

    lump = rng.normal(size=(150, 6))
    weft.AutoCluster(n_resamples=0).fit(lump).report(lump).save(folder / "none.html")

    many = rng.normal(size=(2_000, 12)) + 8 * rng.normal(size=(40, 12))[np.arange(2_000) % 40]
    weft.report(many, KMeans(40, n_init=1, random_state=0).fit_predict(many),
                path=folder / "many.html")  # fmt: skip

    hostile(rng, folder)
    known_tables(folder)

    uneven = imbalanced(rng)
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(uneven)
    model.report(uneven).save(folder / "imbalanced.html")

    wide = rng.normal(size=(1_500, 600))
    wide[:500, :10] += 4
    wide[500:1_000, :10] -= 4
    model = weft.WeightedKMeans(3, random_state=0, max_iter=10).fit(wide)
    names = [f"gene {i:04d}" for i in range(600)]
    report(model, wide, feature_names=names).save(folder / "wide.html")


if __name__ == "__main__":
    main()
