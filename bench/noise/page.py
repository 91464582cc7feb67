"""docs/noise.md and its picture, from the finished cells of the noise bench."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import places
from bench.noise import picture
from bench.noise.details import HOW, ablation, features, kinds, pure, times
from bench.noise.methods import ALL
from bench.noise.sets import KIND_OF, LEVELS, SETS
from bench.noise.tables import (
    OURS,
    RIVALS,
    TABLE_LEVELS,
    TOLD_K,
    Rows,
    bold,
    mean,
    methods_of,
    pick,
    table,
    told,
    verdict,
)

PAGE = places.DOCS / "noise.md"


def write(rows: Rows, *, page: Path = PAGE) -> None:
    """Draw the picture and write the page."""
    n_sets = len(complete_sets(rows))
    picture.draw(curve_means(rows), set_means(rows), n_sets=n_sets)
    page.write_text("\n\n".join(part for part in text(rows) if part) + "\n")
    print(f"wrote {page}")


def text(rows: Rows) -> list[str]:
    """Return the page, part after part."""
    return [
        HEAD,
        curve(rows),
        all_sets(rows),
        set_by_set(rows),
        features(rows),
        kinds(rows),
        pure(rows),
        ablation(rows),
        times(rows),
        HOW,
    ]


HEAD = """# Columns of noise

How well are clusters found when columns are added that have nothing to do with them? This page is
written by `make noise` (`python -m bench.noise`), from the results in `bench/results/noise.jsonl`.

```{image} _static/noise.svg
:alt: Two panels of lines over the share of noise columns added, one line for each method.
:width: 100%
```"""


def curve_means(rows: Rows) -> dict[str, dict[int, float]]:
    """Return pair-F by method and level on the ellipsoids, over seeds that all methods have."""
    found: dict[str, dict[int, float]] = {}
    for name in methods_of(rows, "curve"):
        levels = {level: pick(rows, "curve", method=name, level=level) for level in LEVELS}
        found[name] = {level: mean(cells, "f") for level, cells in levels.items() if cells}
    return found


def complete_sets(rows: Rows) -> set[str]:
    """Return the sets with results of every rival and AutoCluster at all levels."""
    wanted = [name for name in methods_of(rows, "sets") if name in RIVALS or name == OURS]
    found = [set(by_set(rows, name, level)) for name in wanted for level in TABLE_LEVELS]
    return set.intersection(*found) if found else set()


def set_means(rows: Rows) -> dict[str, dict[int, float]]:
    """Return mean adjusted Rand by method and level over the complete sets."""
    means, within = {}, complete_sets(rows)
    for name in methods_of(rows, "sets"):
        found = {level: by_set(rows, name, level, within) for level in TABLE_LEVELS}
        if all(found.values()):
            means[name] = {level: float(np.mean(list(found[level].values()))) for level in found}
    return means


def curve(rows: Rows) -> str:
    means = curve_means(rows)
    if not means:
        return ""
    seeds = len({row["cell"]["seed"] for row in pick(rows, "curve", method="k-means")})
    ours = {level: pick(rows, "curve", method=OURS, level=level) for level in (0, 100, 200, 400)}
    many = min(len(cells) for cells in ours.values())
    lines = []
    for name, by_level in means.items():
        found = [by_level.get(level, float("nan")) for level in LEVELS]
        lines.append([bold(name), told(name), *found])
    head = ["method", "told K", *(f"+{level} %" if level else "no noise" for level in LEVELS)]
    out = [
        "## Ellipsoids",
        f"Pair-F on sets of 10 ellipsoids in 50 features, uniform noise; mean of {seeds} sets, of "
        f"{many} for AutoCluster at 0, 100, 200 and 400 %.",
        table(head, lines),
    ]
    if many:
        low = min(mean(cells, "f") for cells in ours.values())
        every = [row for cells in ours.values() for row in cells]
        near = [float(np.mean([near_k(row) for row in cells])) for cells in ours.values()]
        out.append(
            "\n".join(
                [
                    verdict(
                        low >= 0.95,
                        f"pair-F at least 0.95 at 0, 100, 200 and 400 % ({many} of 20 seeds); the "
                        f"least of the four means is {low:.3f}.",
                        done=many >= 20,
                    ),
                    verdict(
                        min(near) >= 0.9,
                        "K within 1 of the truth on at least 90 % of the sets: "
                        + ", ".join(f"{100 * share:.0f} %" for share in near)
                        + f" (all {len(every)} together: "
                        f"{100 * np.mean([near_k(row) for row in every]):.0f} %).",
                        done=many >= 20,
                    ),
                ]
            )
        )
    return "\n\n".join(out)


def near_k(row: dict[str, Any]) -> bool:
    """Whether the number of clusters is within 1 of the truth."""
    return abs(row["k"] - row["k_true"]) <= 1


def by_set(rows: Rows, name: str, level: int, within: set[str] | None = None) -> dict[str, float]:
    """Return adjusted Rand by set."""
    return {
        row["cell"]["set"]: row["ari"]
        for row in pick(rows, "sets", method=name, level=level)
        if within is None or row["cell"]["set"] in within
    }


def all_sets(rows: Rows) -> str:
    means = set_means(rows)
    if not means:
        return ""
    sets_used = complete_sets(rows)
    lines = []
    for name, found in means.items():
        counts = [len(by_set(rows, name, level, sets_used)) for level in TABLE_LEVELS]
        sets = str(max(counts)) if min(counts) == max(counts) else "/".join(map(str, counts))
        ahead = []
        for level in TABLE_LEVELS:
            ours, its = by_set(rows, OURS, level), by_set(rows, name, level)
            both = ours.keys() & its.keys()
            wins = sum(ours[key] > its[key] + 0.01 for key in both)
            losses = sum(ours[key] < its[key] - 0.01 for key in both)
            ahead.append(f"{wins} : {losses}" if both and name != OURS else "")
        lines.append([bold(name), told(name), *found.values(), *ahead, sets])
    head = ["method", "told K", "no noise", "+100 %", "+300 %"]
    head += [f"AutoCluster ahead : behind, {level} %" for level in TABLE_LEVELS] + ["sets"]
    out = [
        "## All sets",
        f"Mean adjusted Rand index over {len(sets_used)} of {len(SETS)} sets. Ahead "
        "and behind: sets on which AutoCluster's is more than 0.01 "
        'above, or below. "K, d": given the number of real columns as well.',
        table(head, lines),
    ]
    if OURS in means:
        out.append("\n".join(_claims(means, done=len(sets_used) == len(SETS))))
    return "\n\n".join(out)


def _claims(means: dict[str, dict[int, float]], *, done: bool) -> Iterable[str]:
    ours = means[OURS]
    with_k = {name: means[name] for name in TOLD_K if name in means}
    rivals = {name: means[name] for name in RIVALS if name in means}
    for level in (100, 300):
        best = max(with_k, key=lambda name: with_k[name][level])
        yield verdict(
            ours[level] > with_k[best][level],
            f"at +{level} %, without K, above every rival given the true K: {ours[level]:.3f}; "
            f"the best of them, {best}, {with_k[best][level]:.3f}.",
            done=done,
        )
    yield verdict(
        ours[300] >= ours[0] - 0.05,
        f"at +300 % no more than 0.05 below its own value at 0 %: {ours[300]:.3f} and "
        f"{ours[0]:.3f}.",
        done=done,
    )
    best = max(rivals, key=lambda name: rivals[name][0])
    yield verdict(
        ours[0] >= rivals[best][0] - 0.03,
        f"at 0 % no more than 0.03 below the best rival's mean: {ours[0]:.3f}; {best}, "
        f"{rivals[best][0]:.3f}.",
        done=done,
    )
    own = {name: means[name] for name in means if ALL[name].ours and name != OURS}
    for level in TABLE_LEVELS if own else ():
        best = max(own, key=lambda name: own[name][level])
        yield (
            f"- the best of weft's other methods at {level} %: {best}, {own[best][level]:.3f} "
            f"(AutoCluster {ours[level]:.3f})."
        )


def set_by_set(rows: Rows) -> str:
    if not pick(rows, "sets", method=OURS):
        return ""
    lines = []
    for name in SETS:
        its = pick(rows, "sets", set=name)
        cells = {level: pick(its, "sets", level=level) for level in TABLE_LEVELS}
        ours = {level: [r for r in cells[level] if r["cell"]["method"] == OURS] for level in cells}
        if not any(ours.values()):
            continue
        line: list[Any] = [name, KIND_OF[name]]
        for level in TABLE_LEVELS:
            known = [r for r in cells[level] if r["cell"]["method"] in TOLD_K]
            best = max(known, key=lambda row: row["ari"], default=None)
            line.append(mean(ours[level], "ari"))
            line.append(f"{best['ari']:.2f} {best['cell']['method']}" if best else "–")
        truth = next(row for found in ours.values() for row in found)
        ks = "/".join(str(found[0]["k"]) if found else "–" for found in ours.values())
        lines.append([*line, f"{truth['k_true']}: {ks}"])
    head = ["set", "noise"]
    for level in TABLE_LEVELS:
        head += [f"{level} %", "best told K"]
    return "\n\n".join(
        [
            "## Set by set",
            "Adjusted Rand of AutoCluster, and of the rival told K that happens to be best on that "
            "very set; the true K and the K that AutoCluster found at 0, 100 and 300 %.",
            table([*head, "K: found"], lines),
        ]
    )
