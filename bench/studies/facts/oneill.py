"""What is wrong or unstated in O'Neill 2017."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import stats

from bench.harness import places, records
from bench.harness.directions import findings, ours, rows_for
from bench.harness.study import load, printed
from bench.harness.verdicts import compare_methods


def mean_of_trials(value: float, n_trials: int, decimals: int) -> bool:
    """Whether a printed mean of whole numbers can be the mean of this many trials."""
    unit = 10.0**-decimals
    near = range(math.floor(value * n_trials) - 1, math.ceil(value * n_trials) + 2)
    # However halves were rounded, the printed number is within half a unit (or was cut off).
    return any(-0.5 * unit - 1e-9 <= total / n_trials - value < unit + 1e-9 for total in near)


def facts(folder: Path) -> Iterator[str]:
    """O'Neill 2017."""
    for table in ("A.1", "A.2"):
        counts = printed(
            f"oneill-{table}", "clusters", "*, " + ("CSC" if table == "A.1" else "BCR")
        )
        fit = sum(mean_of_trials(value, 30, 2) for value in counts)
        others = {n: sum(mean_of_trials(value, n, 2) for value in counts) for n in range(8, 30)}
        best = max(others, key=lambda n: (others[n], -n))
        every = f"; all can be that of {best}" if others[best] == len(counts) else ""
        yield (
            f'Table {table} says "30 independent trials", but only {fit} of its {len(counts)} mean '
            f"numbers of "
            f"clusters can be the mean of 30 whole numbers{every}."
        )
    separated = stats.ranksums(np.arange(30) + 100.0, np.arange(30.0)).pvalue
    yield (
        "Section 5.6.1 announces a paired Wilcoxon test, section 5.7 and table 6.1 an unpaired "
        "one. The most frequent "
        f"printed p, 2.9e-11, is what the unpaired test gives for 30 runs all above 30 others "
        f"({separated:.1e}): it tests "
        "swarm seeds on one set against a baseline without chance, and says nothing about other "
        "sets."
    )
    dense = ours("oneill-3.1", "connectedness", "truth", folder, "2d 4c")
    apart = ours("oneill-3.1", "silhouette", "truth", folder, "2d 10c")
    if len(dense) and len(apart):
        yield (
            "The printed sets with 2 features do not follow from section 3.3. Of the true "
            "clusters, "
            f"connectedness on 2d 4c is "
            f"{printed('oneill-3.1', 'connectedness', data='2d 4c')[0]:g} "
            f"in the paper and {dense.mean():.1f} ± {dense.std():.1f} on {len(dense)} sets drawn "
            f"as described; the silhouette on 2d 10c is "
            f"{printed('oneill-3.1', 'silhouette', data='2d 10c')[0]:g} in the paper and "
            f"{apart.mean():.2f} ± {apart.std():.2f} here. With 50 and 100 features all but one of "
            "the printed characteristics agree."
        )
    yield (
        'Table D.1 tunes the noise of BCR on sets that "share characteristics with the datasets '
        'used for testing"; its BCR of '
        "10064.55 on 100d 4c is, digit for digit, that of the good solution on the test set in "
        "table 6.4."
    )
    best = max(printed("oneill-C.2", "f@0.3", "DBSCAN, 5", "50d *"))
    tested = printed("oneill-A.1", "f", "DBSCAN, baseline", "50d *")
    yield (
        f"DBSCAN with ε = 0.3 and 5 points gets {best:g} on the tuning sets with 50 features "
        f"(table C.2) and "
        f"{tested[0]:g} and {tested[1]:g} on the test sets (table A.1), which are said to be of "
        f"the same kind."
    )
    for name in ("oneill-5.1", "oneill-6.1"):
        study = load(name)
        for found in findings(study, rows_for(study, folder)):
            if found.test is not None and "the same" not in found.says:
                test = found.test
                yield (
                    f"Table {study.table}: {found.says}. On our sets: {found.word} (difference "
                    f"{test.difference:+.3f}, "
                    f"p = {test.p_paired:.2g} over {test.n_pairs} sets)."
                )
    yield from twenty_sets()


def twenty_sets() -> Iterator[str]:
    """What ``bench.studies.feature_swarm`` found on 20 other sets with 50 and 100 features."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in records.load(places.RESULTS / "feature_swarm.jsonl"):
        cell = row["cell"]
        place = f"{cell['d']} {cell['k']} {cell['set']}"
        found.setdefault((cell["clusterer"], cell["criterion"]), {})[place] = row["f"]
    for clusterer, title in (
        ("affinity", "affinity propagation"),
        ("knn", "the kNN graph"),
        ("dbscan", "DBSCAN"),
        ("linkage", "complete linkage"),
    ):
        plain = found[clusterer, "plain"]
        parts = []
        for criterion in ("csc", "bcr"):
            other = found[clusterer, criterion]
            test = compare_methods(np.array([[other[place], plain[place]] for place in plain]))
            parts.append(
                f"{criterion.upper()} {np.mean(list(other.values())):.3f} (p = {test.p_paired:.2g})"
            )
        yield (
            "On 20 other sets with 50 and 100 features (`python -m bench.studies.feature_swarm`), "
            f"{title}: "
            f"plain F {np.mean(list(plain.values())):.3f}, {', '.join(parts)}."
        )
