"""Results of the judge on kinds of tables that it was not trained on, as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.unseen.evidence import COMPARED, TableEvidence
from bench.unseen.training import RIGHT, Relative, Trained, leave_kinds_out


def expected_calibration_error(
    confidence: np.ndarray, right: np.ndarray, n_bins: int = 10
) -> float:
    """Return the mean gap between stated confidence and observed share, over equal-width bins.

    Examples
    --------
    >>> expected_calibration_error(np.array([0.95, 0.95]), np.array([True, False]))
    0.45
    """
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gap = 0.0
    for number in range(n_bins):
        inside = bins == number
        if inside.any():
            gap += inside.sum() * abs(confidence[inside].mean() - right[inside].mean())
    return float(round(gap / len(confidence), 6))


def kinds_table(tables: Sequence[TableEvidence], trained: Trained, threshold: float) -> str:
    """Return mean scores for each clustered kind: judge, with its gate, rivals, best candidate."""
    head = ["kind", "tables", "judge", "gated", *COMPARED, "best candidate"]
    rows = []
    for kind in dict.fromkeys(t.kind for t in tables if t.clustered):
        own = np.array([t.kind == kind for t in tables])
        chosen = trained.winners.aris[own]
        passed = trained.no_clusters[own] < threshold
        rivals = np.array([t.rivals for t, mine in zip(tables, own, strict=True) if mine])
        numbers = [chosen.mean(), np.where(passed, chosen, 0).mean(), *rivals.mean(axis=0)]
        rows.append((kind, int(own.sum()), *numbers, trained.winners.best[own].mean()))
    means = np.array([row[2:] for row in rows]).mean(axis=0)
    rows.sort(key=lambda row: row[2] - row[4])
    rows.append(("mean of kinds", sum(row[1] for row in rows), *means))
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for kind, count, *numbers in rows:
        cells = [f"{number:.3f}" for number in numbers]
        lines.append(f"| {kind} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def gate_table(tables: Sequence[TableEvidence], trained: Trained, threshold: float) -> str:
    """Return false alarms for each clusterless kind, and misses for clustered ones by clarity."""
    passed = trained.no_clusters < threshold
    lines = ["| clusterless kind | tables | called clustered |", "| --- | --- | --- |"]
    for kind in dict.fromkeys(t.kind for t in tables if not t.clustered):
        own = np.array([t.kind == kind for t in tables])
        lines.append(f"| {kind} | {own.sum()} | {passed[own].mean():.3f} |")
    clustered = np.array([t.clustered for t in tables])
    lines.append(f"| all | {(~clustered).sum()} | {passed[~clustered].mean():.3f} |")
    lines += [
        "",
        '| clustered, winner\'s ARI | tables | called "no clusters" |',
        "| --- " * 3 + "|",
    ]
    for low, high in ((-1.0, 0.3), (0.3, 0.8), (0.8, 1.01)):
        own = clustered & (trained.winners.aris >= low) & (trained.winners.aris < high)
        if own.any():
            lines.append(f"| {max(low, 0):.1f} to {min(high, 1):.1f} | {own.sum()} | "
                         f"{1 - passed[own].mean():.3f} |")  # fmt: skip
    return "\n".join(lines)


def calibration_table(tables: Sequence[TableEvidence], trained: Trained, threshold: float) -> str:
    """Return stated confidence and the share of right answers, where clusters are claimed."""
    passed = trained.no_clusters < threshold
    clustered = np.array([t.clustered for t in tables])
    right = (clustered & (trained.winners.aris >= RIGHT))[passed]
    stated = trained.confidence[passed]
    lines = ["| confidence | tables | mean confidence | right |", "| --- " * 4 + "|"]
    for low in np.arange(0, 1, 0.1):
        own = (stated >= low) & (stated < low + 0.1 + 1e-9)
        if own.any():
            lines.append(f"| {low:.1f} to {low + 0.1:.1f} | {own.sum()} | {stated[own].mean():.3f} "
                         f"| {right[own].mean():.3f} |")  # fmt: skip
    sure = stated >= 0.8
    share = right[sure].mean() if sure.any() else float("nan")
    error = expected_calibration_error(stated, right)
    lines.append("")
    lines.append(
        f"Expected calibration error {error:.3f}; of {sure.sum()} answers with confidence ≥ 0.8, "
        f"{share:.3f} have an adjusted Rand index ≥ {RIGHT}."
    )
    return "\n".join(lines)


def report(tables: Sequence[TableEvidence], trained: Trained) -> str:
    """Return all tables on kinds left out of training."""
    tables = [table for table in tables if len(table.aris)]
    threshold = float(trained.arrays["gate_threshold"])
    seconds = np.array([table.seconds for table in tables])
    parts = [
        kinds_table(tables, trained, threshold),
        gate_table(tables, trained, threshold),
        calibration_table(tables, trained, threshold),
        f"Candidates and evidence: {np.median(seconds):.2f} s a table (median), "
        f"{seconds.mean():.2f} s (mean).",
    ]
    return "\n\n".join(parts)


def curve_table(tables: Sequence[TableEvidence], relative: Relative) -> str:
    """Return how the mean score on kinds left out grows with the tables of each kind."""
    tables = [table for table in tables if table.clustered and len(table.aris)]
    most = 1 + max(table.seed for table in tables)
    lines = ["| tables of a kind | tables in all | judge | best candidate |", "| --- " * 4 + "|"]
    count = 1
    while count <= most:
        part = [table for table in tables if table.seed < count]
        winners, _ = leave_kinds_out(part, relative, report=lambda text: None)
        # The same tables are scored each time: those of the first seed.
        first = np.array([table.seed == 0 for table in part])
        lines.append(
            f"| {count} | {len(part)} | {winners.aris[first].mean():.3f} | "
            f"{winners.best[first].mean():.3f} |"
        )
        count *= 2
    return "\n".join(lines)
