"""docs/unseen.md and its picture: comparison with rivals, and kinds of tables left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.harness import places
from bench.unseen import trial
from bench.unseen.picture import contact_sheet

PAGE = places.DOCS / "unseen.md"
PICTURE = places.DOCS / "_static" / "world.png"
LEFT_OUT = places.RESULTS / "unseen_left_out.md"  # the report of `train` on the shipped judge
SHOWN = [
    "gaussians_apart", "gaussians_correlated", "packed_rods", "skewed_clouds",
    "unequal_sizes", "rare_cluster", "grid", "hierarchy_fine",
    "moons", "spirals", "rings", "broken_ring",
    "linked_rings", "touching_discs", "composite", "crossed_clouds",
    "binary_items", "near_kin", "tumours", "portraits",
    "one_gaussian", "heavy_copula", "one_filament", "several_factors",
]  # fmt: skip

HEAD = """# Unseen tables

This page measures `AutoCluster` on two kinds of data that its judge was not trained on: a battery
of real tables and well-known shapes, and kinds of synthetic tables that were left out of training.
The measure is the adjusted Rand index (ARI): 1 is the reference labelling, 0 is chance. All methods
run without settings.

The battery was looked at several times while `AutoCluster` was built, and some of its design was
chosen with these sets in view ([decision 302](decisions/0302-two-representations.md)). Its numbers
are therefore optimistic. Only the kinds left out of training are free of this.

```{image} _static/world.png
:alt: Small scatter plots of 24 kinds of synthetic tables, coloured by their true clusters.
```

*Some of the kinds of synthetic tables that the judge is trained on; colours are the true clusters.
The last row has no clusters.*"""

BATTERY = """## The battery

Means over the sets of each group; the number of sets is in brackets. `fcps` and `graves` are
shapes in two and three dimensions, `tables` are measurements with known classes, `wide` are gene
expressions (62 to 96 rows, 325 to 7,129 columns), `images` are portraits. Where a set has several
reference labellings, the best one counts, for all methods. Classes of measurements, genes and
portraits are rarely clusters: no method comes near 1 there."""

TOLD = """### With the number of clusters given

Rivals and `AutoCluster(n_clusters=K)` are given the number of clusters of the reference."""

LUMPS = """### No clusters

Each set of the battery has a copy without clusters: the same correlations, each column smoothed
until it has one mode. The right answer is "no clusters"."""

LOSSES = """### What is lost where

*By gate*: the answer was "no clusters", and the best-ranked clustering was better than that. *By
selection*: there was a better candidate. *By generation and screening*: another method found
something better."""

WORLD = """## Kinds left out of training

The judge is trained on synthetic tables of {n_kinds} kinds with clusters and {n_nulls} without. For
this table it was trained six times, each time without a sixth of the kinds, and then judged
those. *Gated* counts "no clusters" as 0. *Best candidate* is what the best choice among its
candidates would reach."""

HOW = """## How to run it again

```bash
python -m bench.unseen train --jobs 2     # {seeds} tables of each kind, their evidence, the judge
WEFT_DATA=... python -m bench.unseen run  # the battery, all methods; resumable
python -m bench.unseen page               # this page
```

Training draws every table from fixed seeds, runs each step on one thread, and makes OpenBLAS and
NumPy use code that every x86-64 processor with AVX2 has ([decision
305](decisions/0305-one-lump-copies-and-shared-arithmetic.md)). So it gives the shipped file
`src/weft/auto/judge.npz` bit for bit, with the versions of `requirements-dev.lock`. Other
versions of NumPy, SciPy, numba or LightGBM may round differently and give another file of the
same quality."""


def text(rows: list[dict[str, Any]], left_out: str, seeds: int) -> str:
    """Return the page."""
    from bench.unseen.world import KINDS

    clustered = sum(kind.clustered for kind in KINDS.values())
    told = [row for row in rows if row["method"].endswith(trial.TOLD)]
    free = [row for row in rows if not row["method"].endswith(trial.TOLD)]
    parts = [
        HEAD,
        BATTERY,
        trial.table([row for row in free if row["method"] != "judge"]),
        TOLD,
        trial.table(told),
        LUMPS,
        trial.lumps_table(free),
        LOSSES,
        trial.losses_table(rows),
        WORLD.format(n_kinds=clustered, n_nulls=len(KINDS) - clustered),
        left_out.strip(),
        HOW.format(seeds=seeds),
    ]
    return "\n\n".join(parts) + "\n"


def write(rows: list[dict[str, Any]], seeds: int, page: Path = PAGE) -> None:
    """Draw the picture and write the page."""
    contact_sheet(PICTURE, SHOWN, per_kind=1)
    page.write_text(text(rows, LEFT_OUT.read_text(), seeds))
    print(f"wrote {page}")
