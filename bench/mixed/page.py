"""docs/mixed_bench.md, from the finished cells of the mixed bench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import places
from bench.mixed import sets
from bench.mixed.methods import OURS
from bench.mixed.rivals import RIVALS
from bench.mixed.runs import CONTROL_SEEDS
from bench.noise.tables import Rows, mean, pick, table, verdict

FREE = "AutoCluster"  # the number of clusters is not given
PAGE = places.DOCS / "mixed_bench.md"
TOLD = (("given", "as it is"), ("noise", "+ noise"), ("gaps 10", "10 %"), ("gaps 30", "30 %"))

HEAD = """# Numbers and categories, measured

What the [mixed metric](guide/mixed.md) and the screening of source columns do on tables of numbers,
categories, ordered and cyclic values, compared with other libraries. This page is written by
`python -m bench.mixed`, from the cells in `bench/results/mixed.jsonl`. The balance of
coordinates ([decision 230](decisions/0230-two-balances.md)) was chosen on these same sets.
AutoCluster's judge of mixed tables was fitted on a synthetic world; what was tried after seeing
these sets is in [decision 321](decisions/0321-a-judge-for-mixed-tables.md), [decision
322](decisions/0322-clusters-within-clusters-of-mixed-tables.md) and [decision
323](decisions/0323-gaps-of-mixed-tables.md).
Screening was built on controls of the same kinds, drawn with other seeds."""

HOW = """## How it was run

Every method gets the same table with the same kinds of columns (`bench/mixed/sets.py`); adult is
its first 1,500 rows, titanic is without the columns that repeat others, "made" sets have 600 rows.
Rivals that cannot take gaps get medians and most frequent levels. Each rival has its library's
defaults and 10 starts where it draws starts. A rival that stops with an error counts as 0. One
thread each."""


def write(rows: Rows, *, page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text("\n\n".join(part for part in text(rows) if part) + "\n")
    print(f"wrote {page}")


def text(rows: Rows) -> list[str]:
    """Return the page, part after part."""
    return [HEAD, told(rows), set_by_set(rows), control(rows), columns(rows), speed(rows), HOW]


def by_set(rows: Rows, part: str, method: str) -> dict[str, float]:
    """Return adjusted Rand by set."""
    return {row["cell"]["set"]: row["ari"] for row in pick(rows, part, method=method)}


def methods_of(rows: Rows) -> list[str]:
    """Return the methods that have all sets as they are."""
    return [name for name in (*OURS, *RIVALS) if set(by_set(rows, "given", name)) >= set(sets.SETS)]


def told(rows: Rows) -> str:
    """Return the means over all sets, each method told K."""
    names = methods_of(rows)
    if not names:
        return ""
    lines: list[list[Any]] = []
    for name in names:
        line: list[Any] = [f"**{name}**" if name in OURS else name]
        line += [_mean_of(by_set(rows, part, name)) for part, _ in TOLD]
        line.append(
            _mean_of({s: v for s, v in by_set(rows, "given", name).items() if s in sets.FILES})
        )
        lines.append(line)
    head = ["method", *(title for _, title in TOLD), "real sets only"]
    out = [
        "## Adjusted Rand index",
        f"Mean adjusted Rand index over {len(sets.SETS)} sets: as they are, with as many columns "
        "of noise added, with 10 % and 30 % of the values deleted. All methods except AutoCluster "
        "without told K are given the number of clusters.",
        table(head, lines),
    ]
    return "\n\n".join([*out, "\n".join(_claims(rows, names))])


def _mean_of(found: dict[str, float]) -> float:
    complete = found and set(found) >= set(sets.FILES)
    return float(np.mean(list(found.values()))) if complete else float("nan")


def _claims(rows: Rows, names: list[str]) -> list[str]:
    ours = next((name for name in names if name in OURS), None)
    others = [name for name in names if name not in OURS]
    if ours is None or not others:
        return []
    own = by_set(rows, "given", ours)
    means = {name: _mean_of(by_set(rows, "given", name)) for name in others}
    best_mean = max(means, key=lambda name: means[name])
    best = {s: max(by_set(rows, "given", name)[s] for name in others) for s in sets.SETS}
    missed = float(np.mean([best[s] - own[s] for s in sets.SETS]))
    mine = _mean_of(own)
    claims = [
        verdict(
            mine >= means[best_mean],
            f"{ours}: a mean of at least every rival's: {mine:.3f}; the best rival, {best_mean}, "
            f"{means[best_mean]:.3f}.",
        ),
        verdict(
            missed <= 0.03,
            f"the best rival of each set is missed by at most 0.03 on average: {missed:.3f}.",
        ),
    ]
    free = _mean_of(by_set(rows, "given", FREE))
    if not np.isnan(free):
        behind = float(np.mean([*best.values()])) - free
        claims.append(
            verdict(
                free >= mine - 0.05,
                f"K not given: no more than 0.05 below told K: {free:.3f} and {mine:.3f} (the best "
                f"rival of each set, told K, is {behind:.3f} above).",
            )
        )
        noisy = _mean_of(by_set(rows, "noise", FREE))
        if not np.isnan(noisy):
            claims.append(
                verdict(
                    noisy >= free - 0.05,
                    f"noise, K not given: no more than 0.05 below the value without: {noisy:.3f} "
                    f"and {free:.3f}.",
                )
            )
    for part, limit in (("noise", 0.05), ("gaps 10", 0.03), ("gaps 30", 0.08)):
        changed = _mean_of(by_set(rows, part, ours))
        if not np.isnan(changed):
            claims.append(
                verdict(
                    changed >= mine - limit,
                    f"{part}: no more than {limit} below the value without: {changed:.3f} and "
                    f"{mine:.3f}.",
                )
            )
    return claims


def set_by_set(rows: Rows) -> str:
    """Return adjusted Rand of every method on every set."""
    names = methods_of(rows)
    if not names:
        return ""
    lines = [[s, *(by_set(rows, "given", name)[s] for name in names)] for s in sets.SETS]
    return "\n\n".join(["## Set by set", table(["set", *names], lines)])


def control(rows: Rows) -> str:
    """Return on how many tables without clusters a column was kept."""
    lines = []
    for name in sets.CONTROLS:
        own = pick(rows, "control", set=name)
        if own:
            lines.append([name, len(own), sum(row["kept"] > 0 for row in own)])
    if not lines:
        return ""
    bad = max(line[2] / line[1] for line in lines)
    return "\n\n".join(
        [
            "## Tables without clusters",
            "Independent categories (5 of 3 levels; 6 of 2 to 12), the same with numbers and dates "
            "of noise, and answers that follow one trait, which depend on each other and are not "
            "clustered: tables in which screening kept a column.",
            table(["table", "tables", "with a column kept"], lines),
            verdict(
                bad <= 0.05,
                f"nothing is kept on at least 19 of {CONTROL_SEEDS} tables of each kind.",
            ),
        ]
    )


def columns(rows: Rows) -> str:
    """Return what screening keeps among noise columns."""
    lines: list[list[Any]] = []
    for name in sets.SETS:
        own = pick(rows, "columns", set=name)
        if own:
            lines.append(
                [
                    name,
                    own[0]["n_real"],
                    mean(({"x": r["kept"] - r["noise_kept"]} for r in own), "x"),
                    mean(own, "noise_kept"),
                    mean(own, "precision"),
                ]
            )
    if not lines:
        return ""
    every = pick(rows, "columns")
    precision = mean(every, "precision")
    return "\n\n".join(
        [
            "## Kept source columns",
            "As many columns of noise as real ones are added; means of 3 seeds. Where the columns "
            "that depend on each other are not clumped, none is kept.",
            table(["set", "real columns", "real kept", "noise kept", "precision"], lines),
            verdict(precision >= 0.97, f"precision at least 0.97: {precision:.3f}."),
        ]
    )


def speed(rows: Rows) -> str:
    """Return seconds and memory on large tables."""
    own = pick(rows, "speed")
    if not own:
        return ""
    lines = [
        [row["cell"]["set"], row["cell"]["method"], row["seconds"], row["peak_gb"], row["ari"]]
        for row in own
    ]
    out = [
        "## Speed",
        "One start, K = 8; 10 numbers and 10 categories of 2 to 8 levels. WeightedKMeans includes "
        "the embedding.",
        table(["rows × columns", "method", "seconds", "peak GB", "adjusted Rand"], lines),
    ]
    small = {
        row["cell"]["method"]: row["seconds"] for row in own if row["cell"]["set"] == "10000 × 20"
    }
    if len(small) == 2:
        ratio = small["KPrototypes"] / small["WeightedKMeans"]
        out.append(
            verdict(ratio >= 30.0, f"at least 30 times as fast as KPrototypes: {ratio:.0f} times.")
        )
    large = [row["peak_gb"] for row in own if row["cell"]["set"].startswith("1000000")]
    if large:
        out.append(verdict(large[0] < 4.0, f"1,000,000 × 20 in less than 4 GB: {large[0]:.2f} GB."))
    return "\n\n".join(out)
