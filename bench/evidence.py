"""Measured numbers in the README, the home page, "Which method?" and the paper.

    python -m bench.evidence          # write them
    python -m bench.evidence --check  # fail if a page differs from the result files

A page holds ``<!-- evidence: NAME -->`` and ``<!-- end of evidence -->``. The function of that name
writes the text between them from ``bench/results``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import places
from bench.mixed import page as mixed_page
from bench.noise import page as noise_page
from bench.noise.tables import TOLD_K
from bench.unseen.battery import LUMPS

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/start/which_method.md", "paper/paper.md")
PART = re.compile(r"(<!-- evidence: ([\w-]+) -->\n).*?(<!-- end of evidence -->)", re.S)


class MissingResultsError(LookupError):
    """A bench has no rows of AutoCluster: it is being run again."""


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the finished rows of a bench."""
    lines = (places.RESULTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def unseen_means() -> dict[str, float]:
    """Return the mean adjusted Rand index of each method over the battery of unseen tables."""
    by_set: dict[str, dict[str, list[float]]] = {}
    for row in rows_of("unseen"):
        if row["group"] == LUMPS:  # copies without clusters
            continue
        by_set.setdefault(row["method"], {}).setdefault(row["set"], []).append(row["ari"])
    if "AutoCluster" not in by_set:
        raise MissingResultsError("unseen")
    return {
        method: float(np.mean([value for values in found.values() for value in values]))
        for method, found in by_set.items()
        if set(found) == set(by_set["AutoCluster"])
    }


def projected_means(part: str) -> dict[str, float]:
    """Return the mean first measure of each method in a part of the projected bench."""
    found: dict[str, list[float]] = {}
    for row in rows_of("projected"):
        if row["cell"]["part"] == part:
            for name, values in row["found"].items():
                found.setdefault(name, []).append(values[0])
    most = max(map(len, found.values()))
    return {name: float(np.mean(values)) for name, values in found.items() if len(values) == most}


def plain_means() -> dict[str, float]:
    """Return pair-F on 20 ellipsoid sets without noise columns."""
    found: dict[str, list[float]] = {}
    for row in rows_of("feature_swarm"):
        name = f"{row['cell']['clusterer']} {row['cell']['criterion']}"
        found.setdefault(name, []).append(row["f"])
    return {name: float(np.mean(values)) for name, values in found.items()}


def speed_ratios() -> dict[str, tuple[float, float]]:
    """Return how many times as long PySwarms with scikit-learn takes: minimum and maximum."""
    rows = [row for row in rows_of("speed") if row["cell"]["row"].startswith("search/")]
    return {
        side: (min(r[side] / r["weft"] for r in rows), max(r[side] / r["weft"] for r in rows))
        for side in ("user", "careful")
    }


def mixed_means() -> dict[str, float]:
    """Return the mean adjusted Rand index of each method on the unchanged mixed tables."""
    rows = rows_of("mixed")
    return {
        name: float(np.mean(list(mixed_page.by_set(rows, "given", name).values())))
        for name in mixed_page.methods_of(rows)
    }


def out_of_memory() -> dict[str, Any]:
    """Return the last run of weighted k-means on ten million rows, p = 2."""
    return [r for r in rows_of("scale") if r["what"] == "rows" and r["exponent"] == 2.0][-1]


def table(head: str, lines: list[str]) -> str:
    """Return a Markdown table; cells are separated by bars already."""
    rule = "|" + " --- |" * (head.count("|") + 1)
    return "\n".join([f"| {head} |", rule, *(f"| {line} |" for line in lines)]) + "\n"


def noise() -> str:
    """AutoCluster and other methods over the share of noise columns."""
    means = noise_page.set_means(rows_of("noise"))
    shown = ["AutoCluster", *("k-means", "GMM", "spectral", "sparse k-means")]
    shown += ["Laplacian score + k-means", "HDBSCAN", "UMAP + HDBSCAN"]
    lines = [
        f"{name} | {'yes' if name in TOLD_K else 'no'} | "
        + " | ".join(f"{means[name][level]:.2f}" for level in (0, 100, 300))
        for name in shown
    ]
    head = "method | knows K | no noise | as many noise columns | three times as many"
    return table(head, lines)


def unseen() -> str:
    """AutoCluster and other methods that are not told K on unseen tables."""
    means = unseen_means()
    shown = [n for n in means if not n.endswith(", told K") and n != "judge"]
    ordered = sorted(shown, key=lambda name: -means[name])
    return table("method | mean ARI", [f"{name} | {means[name]:.2f}" for name in ordered])


def not_weft() -> str:
    """When another library is the better choice."""
    plain, scale = plain_means(), out_of_memory()
    lines = [
        "No irrelevant columns, dense clusters, an answer within milliseconds | scikit-learn's "
        "`HDBSCAN`, or a kNN graph | On 20 sets of ellipsoids without noise columns, a plain kNN "
        f"graph has pair-F {plain['knn plain']:.2f}, PSO-FSW around it {plain['knn csc']:.2f} and "
        f"HDBSCAN {plain['hdbscan plain']:.2f}: the swarm adds nothing here",
        "A model of the density, to sample from or for likelihoods | scikit-learn's "
        "`GaussianMixture` | weft models clusters, not densities",
        "Millions of rows, columns that all matter | `MiniBatchKMeans` | It is simpler. weft's "
        f"`WeightedKMeans` fits {scale['rows'] / 1e6:.0f} million rows in {scale['fit_s']:.0f} s "
        f"and {scale['peak_GB']:.1f} GB on {scale['cores']} cores, but its swarms search on a "
        "sample",
        "Labels for every row | a classifier | Supervised methods know what to look for",
    ]
    return table("you have | better | why", lines)


def which() -> str:
    """The measurements for each recommendation."""
    levels = noise_page.set_means(rows_of("noise"))
    told = {name: levels[name] for name in TOLD_K if name in levels}
    lines = []
    for level, words in ((0, "no"), (100, "as many"), (300, "three times as many")):
        best = max(told, key=lambda name, at=level: told[name][at])
        lines.append(
            f"{words} noise columns added, 29 sets, ARI | `AutoCluster()` "
            f"{levels['AutoCluster'][level]:.2f} | HDBSCAN {levels['HDBSCAN'][level]:.2f}; {best}, "
            f"told K, {told[best][level]:.2f} | [noise](../noise.md)"
        )
    means = unseen_means()
    others = {n: v for n, v in means.items() if not n.startswith("AutoCluster") and n != "judge"}
    free = max((n for n in others if not n.endswith(", told K")), key=others.get)
    with_k = max((n for n in others if n.endswith(", told K")), key=others.get)
    lines.append(
        f"35 unseen tables and shapes, ARI | `AutoCluster()` {means['AutoCluster']:.2f} | {free} "
        f"{others[free]:.2f}; {with_k}, {others[with_k]:.2f} | [unseen tables](../unseen.md)"
    )
    mixed = mixed_means()
    rivals = {n: v for n, v in mixed.items() if n in mixed_page.RIVALS}
    best = max(rivals, key=rivals.get)
    lines.append(
        f"numbers and categories, 11 sets, told K, ARI | `AutoCluster(k)` "
        f"{mixed['AutoCluster, told K']:.2f} | {best} {rivals[best]:.2f}; KPrototypes "
        f"{rivals['KPrototypes']:.2f} | [mixed tables](../mixed_bench.md)"
    )
    hard = projected_means("hard")
    lines.append(
        f"each cluster in its own columns, 40 sets, told K, accuracy in % | `ProjectedSwarm(k)` "
        f"{hard['default']:.0f} | k-means {hard['k-means']:.0f}; PSOVW as published "
        f"{hard['PSOVW as printed']:.0f} | [subspaces](../projected.md)"
    )
    text = projected_means("text")
    lines.append(
        f'text, 60 sets, told K, FScore | `ProjectedSwarm(k, metric="jaccard")` '
        f"{text['default']:.2f} | spectral {text['spectral']:.2f}; spherical k-means, 10 starts, "
        f"{text['spherical k-means x10']:.2f} | [subspaces](../projected.md)"
    )
    plain = plain_means()
    lines.append(
        "dense clusters, no noise columns, 20 sets, pair-F | `FeatureSwarm()` "
        f"{plain['knn csc']:.2f} | plain kNN graph {plain['knn plain']:.2f}; HDBSCAN "
        f"{plain['hdbscan plain']:.2f} | "
        "`python -m bench.studies.feature_swarm`"
    )
    run = out_of_memory()
    lines.append(
        f"{run['rows'] / 1e6:.0f} million rows × {run['columns']}, Dask, {run['cores']} cores | "
        f"`WeightedKMeans({run['clusters']})` {run['fit_s']:.0f} s, {run['peak_GB']:.1f} GB | | "
        "[scale](../guide/scale.md)"
    )
    return table("data and measure | weft | others | details", lines)


def speed() -> str:
    """How long a search takes, compared with PySwarms and scikit-learn."""
    ratios = speed_ratios()
    (least, most), (low, high) = ratios["user"], ratios["careful"]
    return (
        "With the same number of evaluations, a search for feature weights in weft is "
        f"{least:.0f} to {most:.0f} times as fast as PySwarms around scikit-learn, and {low:.0f} "
        f"to {high:.0f} times as fast as a hand-tuned version of it with two processes.\n"
    )


FRAGMENTS = {"noise": noise, "unseen": unseen, "not-weft": not_weft, "which": which, "speed": speed}


def filled(text: str) -> str:
    """Return a page with its measured parts updated; parts without results stay unchanged."""
    return PART.sub(_filled_part, text)


def _filled_part(part: re.Match[str]) -> str:
    try:
        return part[1] + FRAGMENTS[part[2]]() + part[3]
    except MissingResultsError as missing:
        print(f"{part[2]}: no rows of AutoCluster in {missing}.jsonl; not changed")
        return part[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, report differences")
    check = parser.parse_args().check
    old = []
    for name in PAGES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            old.append(name)
            if not check:
                path.write_text(filled(text), encoding="utf-8")
    print(f"{'differ' if check else 'written'}: {', '.join(old) or 'none'}")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
