"""Changes of a table that do not change the answer: promises, measured on real tables.

    python -m checks.invariance            # measure what is missing, then write the page
    python -m checks.invariance --page     # write the page from what was measured

`PROMISES` lists them: tests check every estimator against it, and docs/guide/invariance.md shows it
with the agreement that was measured. An agreement is the adjusted Rand index between the clusters
of a table and of the changed table, and for transformers the share of columns that are treated the
same.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from checks.parameters import quick_model

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "guide" / "invariance.json"
PAGE = ROOT / "docs" / "guide" / "invariance.md"
# Two partitions count as the same from this agreement on.
SAME = 0.999
CHANGES = {
    "rows": "the rows in another order",
    "columns": "the columns in another order",
    "scale": "one factor for the whole table (× 1,000)",
    "units": "a factor for each column (10⁻³ to 10³)",
    "shift": "a number added to each column",
    "negation": "the whole table × −1",
    "duplicate": "one column twice",
    "seed": "another `random_state`",
}
_WITHOUT_K = "WeightedKMeans without n_clusters"
# What each estimator promises: the same clusters, or for transformers the same columns.
PROMISES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "AutoCluster": "rows columns scale units shift",
        "ConstrainedKMeans": "rows columns scale shift negation",
        "CountNormalizer": "rows columns",
        "DynamicSwarm": "columns scale units shift negation",
        "EntropyKMeans": "rows scale",
        "FeatureClusterSelector": "rows columns scale units shift negation",
        "FeatureSimilaritySelector": "rows columns scale units shift negation",
        "FeatureSwarm": "rows shift negation",
        "GeneticClustering": "scale units shift negation",
        "KernelKMeans": "columns scale units shift negation",
        "KernelSubtractive": "rows columns scale units shift negation",
        "KernelSwarm": "columns scale units shift negation",
        "LocallyAdaptiveKMeans": "rows columns scale shift negation",
        "ProjectedSwarm": "scale units shift negation",
        "RangeScaler": "rows columns scale units shift negation",
        "StagedSwarm": "negation",
        "TablePreparer": "rows columns",
        "WeightedKMeans": "rows columns scale shift negation",
        _WITHOUT_K: "rows columns shift negation",
    }.items()
}
# Changes that an estimator refuses: counts are at least 0.
REFUSED = {"CountNormalizer": frozenset({"shift", "negation"})}


class Table(NamedTuple):
    """A real table: its name and its standardised columns."""

    name: str
    X: np.ndarray


def real_tables(n_rows: int = 150) -> list[Table]:
    """Return iris, wine, WDBC, two moons with noise columns, and segment if $WEFT_DATA has it."""
    from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons

    rng = np.random.default_rng(0)
    moons = make_moons(n_rows, noise=0.05, random_state=0)[0]
    tables = {
        "iris": load_iris().data,
        "wine": load_wine().data,
        "WDBC": load_breast_cancer().data,
        "moons with noise": np.hstack([moons, rng.normal(size=(n_rows, 3))]),
    }
    segment = _segment()
    if segment is not None:
        tables["segment"] = segment
    out = []
    for name, X in tables.items():
        chosen = np.sort(rng.choice(len(X), min(n_rows, len(X)), replace=False))
        X = X[chosen][:, X[chosen].std(axis=0) > 0.0]
        out.append(Table(name, (X - X.mean(axis=0)) / X.std(axis=0)))
    return out


def _segment() -> np.ndarray | None:
    from bench.harness.data import MissingData, path_of

    try:
        return np.genfromtxt(path_of("segment.csv"), delimiter=",", skip_header=1)[:, :-1]
    except MissingData:
        return None


class Changed(NamedTuple):
    """A changed table, and where its rows and columns come from."""

    X: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


def change(which: str, X: np.ndarray) -> Changed:
    """Return `X` after the change `which` of `CHANGES`."""
    rng = np.random.default_rng(1)
    rows, columns = np.arange(len(X)), np.arange(X.shape[1])
    match which:
        case "rows":
            rows = rng.permutation(len(X))
            X = X[rows]
        case "columns":
            columns = rng.permutation(X.shape[1])
            X = np.ascontiguousarray(X[:, columns])
        case "scale":
            X = X * 1000.0
        case "units":
            X = X * 10.0 ** rng.uniform(-3.0, 3.0, X.shape[1])
        case "shift":
            X = X + rng.uniform(-100.0, 100.0, X.shape[1])
        case "negation":
            X = -X
        case "duplicate":
            columns = np.append(columns, 0)
            X = X[:, columns]
    return Changed(X, rows, columns)


def fit(name: str, X: np.ndarray, seed: int = 0) -> Any:
    """Fit an estimator with a short search."""
    model = quick_model(name.partition(" ")[0])
    known = model.get_params(deep=False)
    if name == _WITHOUT_K:
        model.set_params(n_clusters=None)
    elif name == "FeatureSwarm":
        model.set_params(clusterer="knn", n_clusters=None)
    elif "n_clusters" in known:
        model.set_params(n_clusters=3)
    if "random_state" in known:
        model.set_params(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


def agreement(name: str, which: str, X: np.ndarray, before: Any = None) -> float:
    """Return the agreement of the answers on `X` and on the changed table; 1: the same."""
    before = fit(name, X) if before is None else before
    made = change(which, X)
    after = fit(name, made.X, seed=int(which == "seed"))
    if hasattr(before, "predict"):
        return float(adjusted_rand_score(before.labels_[made.rows], after.labels_))
    if hasattr(before, "get_support"):
        return float(np.mean(before.get_support()[made.columns] == after.get_support()))
    one = before.transform(X)[np.ix_(made.rows, made.columns)]
    two = after.transform(made.X) * (-1.0 if which == "negation" else 1.0)
    return float(np.mean(np.abs(one - two).max(axis=0) < 1e-9))


def measure(names: list[str]) -> None:
    """Measure what is missing in `RESULTS`, one estimator and table at a time."""
    found: dict[str, dict[str, dict[str, float]]] = _read()
    for table in real_tables():
        for name in names:
            cells = found.setdefault(name, {}).setdefault(table.name, {})
            refused = REFUSED.get(name, frozenset())
            missing = [which for which in CHANGES if which not in cells and which not in refused]
            if missing:
                # Tables for counts begin at 0.
                X = table.X - table.X.min(axis=0) if "negation" in refused else table.X
                before = fit(name, X)
                for which in missing:
                    cells[which] = round(agreement(name, which, X, before), 4)
                RESULTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
                print(table.name, name, cells, flush=True)


def _read() -> dict[str, Any]:
    return dict(json.loads(RESULTS.read_text())) if RESULTS.exists() else {}


def broken_promises(found: dict[str, Any]) -> list[str]:
    """Return each promise that a measured table contradicts."""
    return [
        f"{name} promises {which!r}, but {table} gives {cells[which]}"
        for name, tables in found.items()
        for table, cells in tables.items()
        for which in sorted(PROMISES[name])
        if cells.get(which, 1.0) < SAME
    ]


def page(found: dict[str, Any]) -> str:
    """Return the page for users."""
    listed = "\n".join(f"- **{which}**: {words}." for which, words in CHANGES.items())
    lines = []
    for name in sorted(found):
        cells = []
        for which in CHANGES:
            values = [tables[which] for tables in found[name].values() if which in tables]
            text = f"{np.mean(values):.2f} ({min(values):.2f})" if values else "refused"
            cells.append(f"**{text}**" if which in PROMISES[name] else text)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    tables = sorted({table for each in found.values() for table in each})
    return f"""# What the answer does not depend on

Some changes of a table should not change its clusters. This page says which changes do
not change the answer of each estimator. The numbers are from `python -m checks.invariance` on
{", ".join(tables)} (at most 150 rows, standardised, short searches).

A cell is the mean agreement between the clusters before and after the change, and in brackets the
lowest of all tables: 1 means the same clusters, 0 no more alike than chance (adjusted Rand index).
For transformers it is the share of columns that are treated the same. **Bold** cells are promises:
the agreement is 1 on every table, and the tests fail when it is not. All other cells are only
measurements. `CountNormalizer` is measured on tables that begin at 0; it refuses negative values.

{listed}

| estimator | {" | ".join(CHANGES)} |
| --- | {" | ".join("---" for _ in CHANGES)} |
{chr(10).join(lines)}

Methods that draw rows by their number depend on the order of the rows; repeat them with several
seeds. Methods without a scaler of their own depend on units: use `RangeScaler` or `StandardScaler`
first. `FeatureSwarm` depends on the scale, as in its paper, because the connectedness of
its criterion has a fixed cap. `WeightedKMeans` without `n_clusters` depends on it, because a fixed
number (`pattern_offset`) is added to dispersions while patterns are counted. `EntropyKMeans` draws
its starts by k-means++, where the last digit of a distance can change which row is drawn.
`CountNormalizer` takes log(1 + value), so that the factor of a table matters; give `target_sum`
where tables are compared. `TablePreparer` decides by the values of a column whether to take its
logarithm, so a shift of raw columns can change what it does.

A promise about the order of rows or columns holds where distances differ. If many distances are
equal, as between whole numbers on a grid, rounding or the order of the rows can decide which of two
neighbours counts: `FeatureSwarm` with kNN graphs or linkage then gives other clusters for another
order.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the page only")
    parser.add_argument("--only", default="", help="estimators, separated by commas")
    given = parser.parse_args()
    if not given.page:
        measure(given.only.split(",") if given.only else list(PROMISES))
    found = _read()
    PAGE.write_text(page(found))
    broken = broken_promises(found)
    print("\n".join(broken) or "every promise holds")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
