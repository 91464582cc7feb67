"""The second half of the page: kept columns, kinds of noise, no clusters, ablation, times."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.noise.methods import ALL
from bench.noise.sets import KINDS, PURE, SETS, SYNTHETIC
from bench.noise.tables import (
    OURS,
    PLAIN,
    TABLE_LEVELS,
    Rows,
    bold,
    mean,
    methods_of,
    pick,
    table,
    verdict,
)


def features(rows: Rows) -> str:
    groups = {
        "synthetic, d ≥ 20": lambda row: row["cell"]["set"] in SYNTHETIC and row["d"] >= 20,
        "synthetic, d < 20": lambda row: row["cell"]["set"] in SYNTHETIC and row["d"] < 20,
        "real": lambda row: row["cell"]["set"] not in SYNTHETIC,
    }
    lines = []
    for name in PLAIN:
        chosen = [
            row
            for part in ("sets", "curve", "kinds")
            for row in pick(rows, part, method=name)
            if "recall" in row
        ]
        line: list[Any] = [bold(name)]
        for within in groups.values():
            cells = [row for row in chosen if within(row)]
            added = [row for row in cells if row["cell"]["level"]]
            line += [mean(added, "precision"), mean(cells, "recall")]
        if chosen:
            lines.append(line)
    if not lines:
        return ""
    head = ["method"]
    for group in groups:
        head += [f"{group}: precision", "recall"]
    out = [
        "## Which columns are kept",
        "Precision (where noise was added) and recall (everywhere) of the kept columns, mean over "
        "cells. On the synthetic sets every original column matters (of the subspaces' those that "
        "a cluster needs); on real sets it is unknown which do, and recall counts all columns. "
        "Methods that keep every column are left out.",
        table(head, lines),
    ]
    ours = next((line for line in lines if line[0] == bold(OURS)), None)
    if ours is not None:
        out.append(
            verdict(
                ours[1] >= 0.97 and ours[2] >= 0.95,
                "AutoCluster's recall at least 0.95 and precision at least 0.97 on the synthetic "
                f"sets with d ≥ 20: {ours[2]:.3f} and {ours[1]:.3f}.",
                done=len(pick(rows, "sets", method=OURS)) == len(SETS) * len(TABLE_LEVELS),
            )
            + f"\n- with d < 20 they are {ours[4]:.3f} and {ours[3]:.3f}."
        )
    return "\n\n".join(out)


def kinds(rows: Rows) -> str:
    cells = pick(rows, "kinds", method=OURS)
    if not cells:
        return ""
    sets = list(dict.fromkeys(row["cell"]["set"] for row in cells))
    lines = []
    for kind in KINDS:
        line: list[Any] = [kind]
        for level in (100, 300):
            found = pick(cells, "kinds", kind=kind, level=level)
            line += [mean(pick(found, "kinds", set=name), "ari") for name in sets]
            line += [mean(found, "precision"), mean(found, "recall")]
        lines.append(line)
    head = ["noise"]
    for level in (100, 300):
        head += [f"{name}, +{level} %" for name in sets] + ["precision", "recall"]
    return "\n\n".join(
        [
            "## Kinds of noise",
            "AutoCluster's adjusted Rand, and precision and recall of its columns.",
            table(head, lines),
        ]
    )


def pure(rows: Rows) -> str:
    names = methods_of(rows, "pure")
    if not names:
        return ""
    lines = []
    for name in names:
        line: list[Any] = [bold(name)]
        for kind in PURE:
            cells = pick(rows, "pure", method=name, kind=kind)
            line.append(f"{sum(row['k'] <= 1 for row in cells)} of {len(cells)}")
        cells = pick(rows, "pure", method=name)
        lines.append([*line, f"{sum(row['k'] <= 1 for row in cells)} of {len(cells)}"])
    out = [
        "## Nothing to find",
        "Sets without clusters (100 to 1000 rows, 5 to 60 columns) that were said to have none, or "
        "one. Blob: one Gaussian, ten times as long in one direction as in the others.",
        table(["method", *PURE, "all"], lines),
    ]
    ours = pick(rows, "pure", method=OURS)
    if ours:
        none = sum(row["k"] <= 1 for row in ours)
        claim = f'"no clusters" on at least 45 of 50: {none} of {len(ours)}.'
        out.append(verdict(none >= 45, claim, done=len(ours) == 50))
    return "\n\n".join(out)


def ablation(rows: Rows) -> str:
    cells = pick(rows, "ablation")
    if not cells:
        return ""
    names = [name for name in ALL if pick(cells, "ablation", method=name)]
    sets = list(dict.fromkeys(row["cell"]["set"] for row in cells))
    lines = []
    for name in [OURS, *names]:
        line: list[Any] = [bold(name)]
        for level in TABLE_LEVELS:
            part = "sets" if name == OURS else "ablation"
            found = [
                row for row in pick(rows, part, method=name, level=level)
                if row["cell"]["set"] in sets
            ]  # fmt: skip
            line += [mean(found, "ari"), mean(found, "precision") if level else None]
            line += [mean(found, "recall")]
        lines.append([value for value in line if value is not None])
    head = ["", "ARI, 0 %", "recall"]
    for level in TABLE_LEVELS[1:]:
        head += [f"ARI, +{level} %", "precision", "recall"]
    return "\n\n".join(
        [
            "## Without one of its parts",
            f"AutoCluster with one part taken out at a time, mean over {len(sets)} sets "
            f"({', '.join(sets)}).",
            table(head, lines),
        ]
    )


def times(rows: Rows) -> str:
    out = []
    lines = []
    for row in pick(rows, "times"):
        n, columns = row["cell"]["set"].split("x")
        lines.append(
            [
                f"{int(n):,} × {columns}",
                f"{row['seconds']:.0f} s",
                f"{row['cpu']:.0f} s",
                f"{row['peak_gb']:.1f} GB",
                row["ari"],
                f"{row['k_true']}: {row['k']}",
                f"{row['load']:.1f}",
            ]
        )
    if lines:
        out.append(
            "AutoCluster on large tables, two jobs on two cores: ten Gaussians on a quarter of the "
            "columns, uniform noise on the others. Load: how many processes wanted the two cores "
            "when it began; above 0, the time is longer than the method needs."
        )
        head = ["table", "time", "processor time", "peak memory", "ARI", "K: found", "load"]
        out.append(table(head, lines))
        for size, limit, gb in (("10000x200", 60, None), ("200000x100", 300, 4)):
            found = pick(rows, "times", set=size)
            if found:
                row = found[-1]
                n, columns = size.split("x")
                fits = row["seconds"] < limit and (gb is None or row["peak_gb"] < gb)
                memory = f" and {gb} GB" if gb else ""
                out.append(
                    verdict(
                        fits,
                        f"{int(n):,} × {columns} under {limit} s{memory}: {row['seconds']:.0f} s, "
                        f"{row['cpu']:.0f} s of processor time, {row['peak_gb']:.1f} GB.",
                        # On a busy machine only a time within the limit counts.
                        done=fits or row["load"] < 1.0,
                    )
                )
    medians = []
    for name in methods_of(rows, "sets"):
        seconds = [row["cpu"] for row in pick(rows, "sets", method=name)]
        medians.append([bold(name), float(np.median(seconds)), float(np.max(seconds))])
    if medians:
        out.append("Processor seconds a set, one thread, compilation not counted:")
        out.append(table(["method", "median", "longest"], medians))
    return "\n\n".join(["## Times", *out]) if out else ""


HOW = """## How it was measured

- **Sets**: ellipsoids and Gaussians after Handl and Knowles (10 to 100 features, 4 to 40 clusters
  of 14 to 124 rows), subspace clusters after Lu et al. (easy: means in 0…100; hard: in 0…10),
  iris, wine, WDBC, Wisconsin, dermatology, segment, libras, and ten sets published by Handl.
- **Noise**: `weft.datasets.add_noise_features`; 100 % adds as many columns as the set has. Each
  noise column has the location and scale of a real one. Rows and columns are shuffled, then every
  column is standardised; all methods get the same table. Classes are used only to judge the
  results.
- **Not the whole grid**: 29 sets × 6 levels × 6 kinds × 14 methods would be 14,616 cells a seed.
  Every set is run at 0, 100 and 300 % with one kind of noise and one seed; the kinds are assigned
  to the sets in turn. The curve has 3 seeds for every method. All kinds are run on four sets.
- **Told K**: k-means (10 starts), Gaussian mixture (full covariances, `reg_covar` 10⁻³), spectral
  clustering (graph of 10 neighbours), sparse k-means (Witten and Tibshirani 2010; its bound chosen
  by their permutation gap, shortened to 6 bounds and 3 permutations), Laplacian score + k-means
  (keeps as many columns as are real, a number that it is told), bumps + k-means (columns whose
  departure from one mode is beyond the 95 % point of uniform draws, similar to the dip test).
  A variance filter is not among them: standardised columns all have the same variance.
- **Not told K**: HDBSCAN (scikit-learn's defaults), UMAP + HDBSCAN (30 neighbours, `min_dist` 0,
  then HDBSCAN with `min_cluster_size` 10), AutoCluster, and FeatureSwarm around the kNN graph with
  CSC (the first paper's best).
- **weft's other methods** have their defaults, and K where they take one (StagedSwarm as its
  estimate). FeatureSwarm is fitted to 600 rows at most and predicts the others, AutoCluster draws
  2,000 at most by itself; all other methods get all rows.
- AutoCluster's rows on all sets and on sets without clusters were computed with the present
  judge; those of the curve over the share of noise with the judge before it (decision 300).
- A row that a method leaves in no cluster counts as a cluster of its own. The measures are the
  adjusted Rand index and pair-F (√(precision · recall) over pairs of rows)."""
