"""Tables of numbers and categories: real ones from $WEFT_DATA, synthetic ones, noise and gaps.

The kinds of the columns are listed here, as the sources of the sets describe them, so that
every method gets the same table. Nothing is tuned on these sets.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from weft.columns.source import MixedTable, SourceColumn


class MixedSet(NamedTuple):
    """A table, its true clusters, and which of its source columns are not added noise."""

    table: MixedTable
    labels: np.ndarray
    real: np.ndarray


class FileSet(NamedTuple):
    """A set from a file: path, column of the classes, kinds other than number, columns left out."""

    path: str
    target: str
    kinds: dict[str, str]
    left_out: tuple[str, ...] = ()
    max_rows: int | None = None


def _all(kind: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), kind)


FILES = {
    "penguins": FileSet("battery/mixed/penguins.csv", "species", _all("category", "island sex")),
    "titanic": FileSet(
        "battery/mixed/titanic.csv",
        "survived",
        {**_all("category", "sex embarked deck alone"), "pclass": "ordered"},
        # Copies of other columns, under other names.
        ("alive", "class", "who", "adult_male", "embark_town"),
    ),
    "adult": FileSet(
        "battery/mixed/adult_sample.csv",
        "Income",
        _all("category", "Workclass Education Maritalstatus Occupation Race Sex Nativecountry"),
        max_rows=1500,
    ),
    "heart": FileSet(
        "heart_statlog.csv",
        "label",
        {
            **_all("category", "sex chest fasting_blood_sugar thal exercise_induced_angina"),
            "resting_electrocardiographic_results": "category",
            "slope": "ordered",
        },
    ),
    "australian": FileSet("australian.csv", "label", _all("category", "A1 A4 A5 A6 A8 A9 A11 A12")),
    "hepatitis": FileSet(
        "hepatitis.csv",
        "label",
        _all(
            "category",
            "SEX STEROID ANTIVIRALS FATIGUE MALAISE ANOREXIA LIVER_BIG LIVER_FIRM SPLEEN_PALPABLE "
            "SPIDERS ASCITES VARICES HISTOLOGY",
        ),
    ),
    "dermatology": FileSet("dermatology.csv", "label", {"*": "ordered", "Age": "number"}),
}
MADE = ("made 3", "made 5", "made categories", "made cycles")
SETS = (*FILES, *MADE)


def seed_of(*parts: Any) -> int:
    """Return a seed from what a cell is."""
    return zlib.crc32("|".join(map(str, parts)).encode())


@cache
def load(name: str) -> MixedSet:
    """Return a set without added noise or gaps."""
    if name in MADE:
        return make_mixed(name, seed_of(name))
    recipe = FILES[name]
    frame = pd.read_csv(Path(os.environ["WEFT_DATA"]) / recipe.path, nrows=recipe.max_rows)
    labels = pd.factorize(frame[recipe.target])[0]
    frame = frame.drop(columns=[recipe.target, *recipe.left_out])
    table = read_frame(frame, recipe.kinds)
    return MixedSet(table, labels, np.ones(len(table.used), dtype=bool))


def read_frame(frame: pd.DataFrame, kinds: dict[str, str]) -> MixedTable:
    """Return a frame as a table; columns are numbers unless `kinds` says otherwise."""
    parts, columns = [], []
    for number, name in enumerate(frame.columns):
        kind = kinds.get(name, kinds.get("*", "number"))
        series = frame[name]
        levels = None
        if kind in ("category", "ordered"):
            distinct = sorted(series.dropna().unique())
            values = series.map({value: code for code, value in enumerate(distinct)})
            levels = tuple(map(str, distinct))
        else:
            values = series
        parts.append(values.to_numpy(dtype=float, na_value=np.nan))
        columns.append(SourceColumn(name, kind, (number,), levels=levels))
    return MixedTable(np.column_stack(parts), tuple(columns))


def make_mixed(name: str, seed: int) -> MixedSet:
    """Return clusters that numbers, categories and cyclic values each tell in part."""
    rng = np.random.default_rng(seed)
    n_clusters = {"made 3": 3, "made 5": 5, "made categories": 4, "made cycles": 4}[name]
    n = 600
    labels = rng.integers(n_clusters, size=n)
    parts: list[np.ndarray] = []
    columns: list[SourceColumn] = []

    def add(values: np.ndarray, kind: str, **more: Any) -> None:
        columns.append(SourceColumn(f"{kind} {len(parts)}", kind, (len(parts),), **more))
        parts.append(values.astype(float))

    for _ in range(0 if name == "made categories" else 4):
        means = rng.permutation(n_clusters) * 1.6
        add(rng.normal(means[labels], 1.0), "number")
    for _ in range(10 if name == "made categories" else 4):
        n_levels = int(rng.integers(2, 7))
        chances = rng.dirichlet(np.full(n_levels, 0.5), n_clusters)
        codes = (rng.random(n)[:, None] > np.cumsum(chances, axis=1)[labels]).sum(axis=1)
        add(np.minimum(codes, n_levels - 1), "category", levels=_levels(n_levels))
    for _ in range(2 if name == "made cycles" else 0):
        hours = rng.normal(24.0 * rng.permutation(n_clusters)[labels] / n_clusters, 2.0) % 24.0
        add(hours, "cyclic", periods=(24.0,))
    table = MixedTable(np.column_stack(parts), tuple(columns))
    return MixedSet(table, labels, np.ones(len(columns), dtype=bool))


def make_control(name: str, seed: int) -> MixedSet:
    """Return a table without clusters.

    "categories": 5 independent categories with 3 levels, 500 rows; "many levels": 2 to 12 levels;
    "mixed noise": categories, numbers and dates; "one trait": answers that all follow one trait,
    cut into levels, numbers among them.
    """
    rng = np.random.default_rng(seed)
    if name == "one trait":
        table = _one_trait(rng, 400)
    else:
        counts = [3] * 5 if name != "many levels" else rng.integers(2, 13, 6).tolist()
        values = np.column_stack([rng.integers(count, size=500) for count in counts])
        columns = tuple(
            SourceColumn(f"category {j}", "category", (j,), levels=_levels(count))
            for j, count in enumerate(counts)
        )
        table = MixedTable(values.astype(float), columns)
    data = MixedSet(table, np.zeros(len(table.values), dtype=int), np.zeros(len(table.used), bool))
    return with_noise(data, seed) if name == "mixed noise" else data


CONTROLS = ("categories", "many levels", "mixed noise", "one trait")


def _levels(count: int) -> tuple[str, ...]:
    return tuple(f"level {code}" for code in range(count))


def _one_trait(rng: np.random.Generator, n: int) -> MixedTable:
    trait = rng.standard_normal(n)
    parts: list[np.ndarray] = []
    columns: list[SourceColumn] = []
    for number in range(10):
        load = rng.uniform(0.5, 0.9)
        z = load * trait + np.sqrt(1.0 - load**2) * rng.standard_normal(n)
        if number < 3:
            columns.append(SourceColumn(f"number {number}", "number", (number,)))
            parts.append(np.exp(z) if number == 2 else z)
            continue
        count = int(rng.integers(2, 7))
        cuts = np.quantile(z, np.sort(rng.uniform(0.05, 0.95, count - 1)))
        parts.append(rng.permutation(count)[np.digitize(z, cuts)])
        columns.append(
            SourceColumn(f"answer {number}", "category", (number,), levels=_levels(count))
        )
    return MixedTable(np.column_stack(parts).astype(float), tuple(columns))


def make_large(n_rows: int, seed: int = 0) -> MixedSet:
    """Return 8 clusters in 10 numbers and 10 categories."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(8, size=n_rows)
    values = np.empty((n_rows, 20))
    columns = []
    for j in range(10):
        values[:, j] = rng.normal(rng.permutation(8)[labels], 1.0)
        columns.append(SourceColumn(f"number {j}", "number", (j,)))
    for j in range(10, 20):
        count = int(rng.integers(2, 9))
        ends = np.cumsum(rng.dirichlet(np.full(count, 0.5), 8), axis=1)
        draws = rng.random(n_rows)
        values[:, j] = 0.0
        for level in range(count - 1):
            values[:, j] += draws > ends[labels, level]
        columns.append(SourceColumn(f"category {j}", "category", (j,), levels=_levels(count)))
    return MixedSet(MixedTable(values, tuple(columns)), labels, np.ones(20, dtype=bool))


def with_noise(data: MixedSet, seed: int) -> MixedSet:
    """Add as many source columns of noise as there are: categories, numbers and dates in turn."""
    rng = np.random.default_rng(seed)
    values, columns = [data.table.values], list(data.table.used)
    n, position = data.table.values.shape
    makers: tuple[Callable[..., tuple[np.ndarray, SourceColumn]], ...] = (
        _noise_category, _noise_number, _noise_date
    )  # fmt: skip
    for number in range(len(columns)):
        part, column = makers[number % 3](rng, n, number, position)
        values.append(part)
        columns.append(column)
        position += part.shape[1]
    table = MixedTable(np.column_stack(values), tuple(columns))
    real = np.concatenate([data.real, np.zeros(len(columns) - len(data.real), dtype=bool)])
    return MixedSet(table, data.labels, real)


def _noise_category(
    rng: np.random.Generator, n: int, number: int, position: int
) -> tuple[np.ndarray, SourceColumn]:
    n_levels = int(rng.integers(2, 13))
    codes = rng.choice(n_levels, n, p=rng.dirichlet(np.full(n_levels, 2.0)))
    column = SourceColumn(f"noise {number}", "category", (position,), levels=_levels(n_levels))
    return codes.astype(float)[:, None], column


def _noise_number(
    rng: np.random.Generator, n: int, number: int, position: int
) -> tuple[np.ndarray, SourceColumn]:
    draws = (rng.standard_normal, rng.random, rng.standard_exponential)
    values = draws[int(rng.integers(3))](n)
    return values[:, None], SourceColumn(f"noise {number}", "number", (position,))


def _noise_date(
    rng: np.random.Generator, n: int, number: int, position: int
) -> tuple[np.ndarray, SourceColumn]:
    days = rng.uniform(0.0, 1500.0, n)
    parts = np.column_stack([days, days % 7.0, days % 365.25])
    column = SourceColumn(
        f"noise {number}",
        "date",
        tuple(range(position, position + 3)),
        periods=(0.0, 7.0, 365.25),
        parts=("age", "weekday", "day of year"),
    )
    return parts, column


def with_gaps(data: MixedSet, share: float, seed: int) -> MixedSet:
    """Delete a share of the cells at random; a row keeps at least one cell."""
    rng = np.random.default_rng(seed)
    source_of = data.table.source_of
    gone = rng.random((len(data.labels), len(data.table.used))) < share
    gone[gone.all(axis=1), 0] = False
    values = np.where(gone[:, source_of], np.nan, data.table.values)
    return data._replace(table=MixedTable(values, data.table.columns))
