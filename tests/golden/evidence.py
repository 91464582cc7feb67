"""Evidence of a few tables, written down: ``PYTHONPATH=. python tests/golden/evidence.py``.

The judges of AutoCluster were trained on the candidates and the evidence that the library makes.
Code that makes others makes the judges wrong without any error. So the evidence of small tables is
kept in ``evidence.json``. Write the file again only together with judges that were trained again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from weft._base.labels import number_by_first_row
from weft.auto.agreement import likely_candidates
from weft.auto.candidates import FAMILIES, Candidate
from weft.auto.doubt import doubts
from weft.auto.evidence import measure, measure_table, relative
from weft.auto.evidence.lumps import one_lump_copies
from weft.auto.pool import Pool, rounded
from weft.auto.source_family import source_candidates
from weft.auto.working import prepare
from weft.columns.mixed.screening import screen as screen_sources
from weft.columns.screening import screen
from weft.columns.source import MixedTable, SourceColumn

PATH = Path(__file__).with_suffix(".json")


def blobs(rng: np.random.Generator) -> np.ndarray:
    """Return three groups of other widths and sizes, and a few rows far away."""
    centres = np.array([[0.0, 0.0, 0.0], [9.0, 1.0, 4.0], [3.0, 8.0, -5.0]])
    X = np.repeat(centres, [30, 20, 12], axis=0)
    X = X + rng.standard_normal(X.shape) * np.repeat([1.0, 0.5, 1.5], [30, 20, 12])[:, None]
    return np.vstack([X, [[25.0, -20.0, 7.0], [-18.0, 30.0, 0.0], [0.0, 2.0, 40.0]]])


def moons(rng: np.random.Generator) -> np.ndarray:
    """Return two curves and two columns of noise."""
    angle = np.pi * np.arange(60) / 59.0
    first = np.column_stack([np.cos(angle), np.sin(angle)])
    second = np.column_stack([1.0 - np.cos(angle), 0.4 - np.sin(angle)])
    X = np.vstack([first, second]) + 0.06 * rng.standard_normal((120, 2))
    return np.column_stack([X, rng.uniform(size=120), rng.exponential(size=120)])


def many_columns(rng: np.random.Generator) -> np.ndarray:
    """Return more columns than are kept as they are: four groups in most of 16."""
    X = rng.standard_normal((90, 16))
    X[:, :12] += 2.5 * rng.standard_normal((4, 12))[np.arange(90) % 4]
    return X


def wide(rng: np.random.Generator) -> np.ndarray:
    """Return far more columns than rows, of unlike deviations."""
    X = rng.standard_normal((36, 150))
    X[:, :40] += 1.8 * rng.standard_normal((3, 40))[np.arange(36) % 3]
    return X * np.exp(0.3 * rng.standard_normal(150))


def repeated(rng: np.random.Generator) -> np.ndarray:
    """Return whole numbers, so that rows and distances are equal, and a constant column."""
    X = rng.integers(0, 4, (70, 4)).astype(float)
    X[35:, :3] += 6.0
    X[:, 3] = 2.0
    return X


TABLES = {
    "blobs": (blobs, {}),
    "moons": (moons, {}),
    "many columns": (many_columns, {}),
    "wide": (wide, {}),
    "repeated": (repeated, {}),
    "directions": (many_columns, {"unit_rows": True}),
    "one unit": (blobs, {"standardise": False}),
}


# The evidence of a candidate of a mixed table, in the order of the file.
MIXED = ("stability", "agreement", "gain", "joint_gain")
MIXED += ("smallest", "ratio", "joint_ratio", "remaining")


def numbers_of(values: Any) -> list[float]:
    """Return numbers as they are written: nine digits."""
    return [float(f"{value:.9g}") for value in np.asarray(values, dtype=float).ravel()]


def evidence_of(name: str) -> dict[str, Any]:
    """Return what is written down of a table of numbers: its columns, and some partitions of it.

    Partitions are given: those that methods find may change with the last bits, and these with the
    processor.
    """
    make, options = TABLES[name]
    X = make(np.random.default_rng([17, len(name)]))
    kept = np.ptp(X, axis=0) > 0.0
    X = (X[:, kept] - X[:, kept].mean(axis=0)) / X[:, kept].std(axis=0)
    screening = screen(X, 0.05, np.random.default_rng(0))
    prepared = prepare(X, 0, **options)
    candidates = [
        Candidate(number_by_first_row(labels[prepared.order]), (family,), (family,))
        for family, labels in zip(FAMILIES, partitions(X), strict=False)
    ]
    copies = one_lump_copies(prepared)
    values = measure(prepared, candidates, copies)
    features = relative(rounded(values))
    part_of = np.arange(len(candidates)) % 2
    labels = np.stack([prepared.restore(each.labels) for each in candidates])
    pool = Pool(labels, values, part_of, np.zeros((2, 3)))
    scores = np.linspace(1.0, 0.0, len(candidates))
    likely = likely_candidates(scores, labels, part_of)
    asked = doubts(features, scores, pool, likely, likely.best())
    return {
        "kept": np.flatnonzero(screening.kept).tolist(),
        "group": screening.group.tolist(),
        "strength": numbers_of(screening.strength),
        "values": numbers_of(values),
        "table": numbers_of(measure_table(prepared, candidates, values, copies)),
        "gate": numbers_of(asked.gate[-10:]),
        "confidence": numbers_of(asked.confidence),
    }


def partitions(X: np.ndarray) -> list[np.ndarray]:
    """Return partitions of rows by their values: by cuts of one column, some rows in none."""
    ranks = np.argsort(np.argsort(X[:, 0], kind="stable"))
    thirds = np.minimum(3 * ranks // len(X), 2)
    halves = (X[:, -1] > np.median(X[:, -1])).astype(np.int64)
    far = np.abs(X).max(axis=1) > np.quantile(np.abs(X).max(axis=1), 0.9)
    return [thirds, halves, np.where(far, -1, thirds), 2 * thirds + halves, (ranks > 5) * 1]


def mixed_table() -> MixedTable:
    """Return numbers, categories and an hour of three groups, with gaps."""
    rng = np.random.default_rng(5)
    group = np.arange(150) % 3
    level = np.where(rng.random(150) < 0.15, rng.integers(3, size=150), group)
    values = np.column_stack(
        [
            3.0 * (group == 1) + rng.standard_normal(150),
            3.0 * (group == 2) + rng.standard_normal(150),
            level,
            np.where(rng.random(150) < 0.2, rng.integers(2, size=150), group == 0),
            (8.0 * group + rng.normal(size=150)) % 24.0,
            rng.integers(4, size=150),
        ]
    ).astype(float)
    values[rng.random(values.shape) < 0.06] = np.nan
    columns = (
        SourceColumn("x", "number", (0,)),
        SourceColumn("y", "number", (1,)),
        SourceColumn("level", "category", (2,), levels=("a", "b", "c")),
        SourceColumn("member", "yes/no", (3,), levels=("no", "yes")),
        SourceColumn("hour", "cyclic", (4,), periods=(24.0,)),
        SourceColumn("noise", "category", (5,), levels=("p", "q", "r", "s")),
    )
    return MixedTable(values, columns)


def mixed_evidence() -> dict[str, Any]:
    """Return what is written down of a mixed table."""
    table = mixed_table()
    screening = screen_sources(table, 0.05, np.random.default_rng(3))
    kept = table.take_columns(np.flatnonzero(screening.kept))
    found = source_candidates(kept, low=2, high=4, with_classes=True, rng=np.random.default_rng(4))
    return {
        "kept": np.flatnonzero(screening.kept).tolist(),
        "strength": numbers_of(screening.strength),
        "ways": [each.way for each in found],
        "sizes": [np.bincount(each.labels).tolist() for each in found],
        "values": [numbers_of([each._asdict()[name] for name in MIXED]) for each in found],
    }


def main() -> None:
    written = {name: evidence_of(name) for name in TABLES}
    written["mixed"] = mixed_evidence()
    PATH.write_text(json.dumps(written) + "\n")


if __name__ == "__main__":
    main()
