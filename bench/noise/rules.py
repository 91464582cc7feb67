"""Rules of AutoCluster's clusters on four known tables: precision, coverage, columns.

    WEFT_DATA=... python -m bench.noise.rules

Precision and coverage are those of the rows that a rule was not found on, in the mean over the
clusters of a table. "weightless" counts conditions on columns without a weight; it has to be 0.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import weft

# File and column of the known classes, which is left out; penguins have categories and gaps.
TABLES = {
    "wine": ("wine.csv", "label"),
    "WDBC": ("breast_cancer_wdbc.csv", "label"),
    "dermatology": ("dermatology_358.csv", "label"),
    "penguins": ("battery/mixed/penguins.csv", "species"),
}


def main() -> None:
    """Print one line for each table."""
    warnings.simplefilter("ignore")
    if "WEFT_DATA" not in os.environ:
        sys.exit("set WEFT_DATA to the folder of the tables.")
    print("| table | clusters | precision | coverage | conditions | weightless |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (file, classes) in TABLES.items():
        frame = pd.read_csv(Path(os.environ["WEFT_DATA"]) / file).drop(columns=classes)
        model = weft.AutoCluster(n_resamples=0).fit(frame)
        rules = model.rules_
        if hasattr(model, "source_columns_"):
            weights = zip(model.source_columns_, model.source_weights_, strict=True)
            named = {column.name for column, weight in weights if weight > 0}
        else:
            named = set(model.feature_names_in_[model.get_support()])
        weightless = sum(column not in named for rule in rules for column in rule.columns)
        means = [np.mean([getattr(r, m) for r in rules]) for m in ("precision", "coverage")]
        length = np.mean([len(rule.conditions) for rule in rules])
        print(
            f"| {name} | {len(rules)} | {means[0]:.3f} | {means[1]:.3f} | {length:.1f} | "
            f"{weightless} |",
            flush=True,
        )
        for rule in rules:
            print(f"  {rule}", file=sys.stderr)


if __name__ == "__main__":
    main()
