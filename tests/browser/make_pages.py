"""Write the pages that ``check.mjs`` opens: ``python tests/browser/make_pages.py FOLDER [NAME]``.

Without names, all of them. With ``WEFT_DATA`` set, also pages of two known tables, as they come:
penguins and a part of adult.
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


def hostile(path: Path) -> None:
    """Names that try to run as code, or to break the page."""
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
    names = [HOSTILE[i % len(HOSTILE)] for i in range(120)]
    made = report(model, rows, feature_names=HOSTILE, table=table, row_names=names)
    made.save(path)


def auto(path: Path) -> None:
    """Wine and 13 columns of noise."""
    _, values, names = wine()
    frame = pd.DataFrame(values, columns=names)
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(frame)
    model.report(frame, label=load_wine().target).save(path)


def swarm(path: Path) -> None:
    """A search with a curve of its fitness."""
    X, values, names = wine()
    model = weft.FeatureSwarm("linkage", n_clusters=3, n_generations=8, random_state=0).fit(X)
    report(model, X, values=values, feature_names=names, stability=2).save(path)


def raw(path: Path) -> None:
    """A raw table whose rows have names."""
    table = raw_table(np.random.default_rng(0))
    model = weft.AutoCluster(n_resamples=0, random_state=0).fit(table)
    model.report(table, row_names=list(table["customer"])).save(path)


def foreign(path: Path) -> None:
    """A clustering by HDBSCAN."""
    frame = load_wine(as_frame=True).data
    model = make_pipeline(StandardScaler(), HDBSCAN(min_cluster_size=8, copy=True)).fit(frame)
    weft.report(frame, model=model, title="wine", path=path)


def none(path: Path) -> None:
    """One cloud."""
    lump = np.random.default_rng(0).normal(size=(150, 6))
    weft.AutoCluster(n_resamples=0).fit(lump).report(lump).save(path)


def many(path: Path) -> None:
    """Forty clusters."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2_000, 12)) + 8 * rng.normal(size=(40, 12))[np.arange(2_000) % 40]
    weft.report(rows, KMeans(40, n_init=1, random_state=0).fit_predict(rows), path=path)


def uneven(path: Path) -> None:
    """One cluster holds nearly all rows."""
    rows = imbalanced(np.random.default_rng(0))
    weft.AutoCluster(n_resamples=2, random_state=0).fit(rows).report(rows).save(path)


def wide(path: Path) -> None:
    """600 columns, clusters in 20 of them."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 600))
    rows[:100, :20] += 3
    rows[100:200, :20] -= 3
    frame = pd.DataFrame(rows, columns=[f"gene {i:04d}" for i in range(600)])
    weft.AutoCluster(n_resamples=2, random_state=0).fit(frame).report(frame).save(path)


def penguins(path: Path) -> None:
    """A known table with categories and gaps."""
    frame = pd.read_csv(Path(os.environ["WEFT_DATA"]) / "battery/mixed/penguins.csv")
    inputs = frame.drop(columns="species")
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(inputs)
    weft.report(inputs, model=model, truth=frame["species"], title="penguins", path=path)


def adult(path: Path) -> None:
    """A known table of categories, in twelve clusters."""
    file = Path(os.environ["WEFT_DATA"]) / "battery/mixed/adult_sample.csv"
    frame = pd.read_csv(file, nrows=1_500).drop(columns="Income")
    model = weft.AutoCluster(n_clusters=12, n_resamples=2, random_state=0).fit(frame)
    weft.report(frame, model=model, title="adult", path=path)


PAGES = (auto, foreign, none, wide, uneven, raw, swarm, many, hostile)
FROM_FILES = (penguins, adult)


def main() -> None:
    """Write the pages."""
    folder, *names = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    # Short searches: the pages are looked at, not the answers.
    warnings.simplefilter("ignore")
    for make in (*PAGES, *(FROM_FILES if "WEFT_DATA" in os.environ else ())):
        if not names or make.__name__ in names:
            make(Path(folder) / f"{make.__name__}.html")


if __name__ == "__main__":
    main()
