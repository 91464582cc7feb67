"""Is the difference between our number and the printed one more than chance and rounding?"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from bench.harness.measures import HIGHER, LOWER


class Verdict(NamedTuple):
    """Our mean beside a printed one."""

    ours: float
    theirs: float
    n_runs: int
    low: float  # of the 95 % interval of ours less theirs; nan where none can be had
    high: float
    word: str  # agrees, better, worse, differs, or "" where it cannot be judged

    @property
    def difference(self) -> float:
        """Ours less theirs."""
        return self.ours - self.theirs


def judge(
    samples: list[np.ndarray],
    theirs: float,
    *,
    their_sd: float | None,
    n_theirs: int,
    rounding: float,
    metric: str,
    exact: bool,
) -> Verdict:
    """Compare a mean over data set names with the printed one.

    Both sides have their noise: ours from our sample, theirs from `their_sd` where it is printed
    and from our own spread where it is not, over `n_theirs` runs (or sets) per name. Print's
    rounding is added to both ends. `exact`: the method has no chance in it.
    """
    groups = [group for group in samples if len(group)]
    n_runs = sum(map(len, groups))
    ours = float(np.mean([group.mean() for group in groups]))
    if exact:
        half = 0.0
    elif min(map(len, groups)) < 2:
        return Verdict(ours, theirs, n_runs, math.nan, math.nan, "")
    else:
        spread = np.array([group.var(ddof=1) for group in groups])
        counts = np.array([len(group) for group in groups])
        their_spread = spread if their_sd is None else np.full(len(groups), their_sd**2)
        parts = np.array([(spread / counts).sum(), (their_spread / n_theirs).sum()])
        parts /= len(groups) ** 2
        freedom = _freedom(parts, (counts - 1).sum(), max(n_theirs - 1, 0) * len(groups))
        half = float(stats.t.ppf(0.975, freedom) * math.sqrt(parts.sum()))
    half += rounding
    low, high = ours - theirs - half, ours - theirs + half
    return Verdict(ours, theirs, n_runs, low, high, _word(low, high, metric))


def _freedom(parts: np.ndarray, ours: float, theirs: float) -> float:
    """Welch and Satterthwaite; one printed set has no spread of its own and borrows ours."""
    if parts.sum() == 0 or theirs == 0:
        return float(ours)
    return float(parts.sum() ** 2 / (parts[0] ** 2 / ours + parts[1] ** 2 / theirs))


def _word(low: float, high: float, metric: str) -> str:
    if low <= 1e-9 and high >= -1e-9:
        return "agrees"
    name = metric.split("@")[0]
    if name in (*HIGHER, "max"):
        return "better" if low > 0 else "worse"
    if name in LOWER:
        return "better" if high < 0 else "worse"
    return "differs"


class Test(NamedTuple):
    """Two methods of ours against each other."""

    difference: float
    n_pairs: int
    p_paired: float
    p_unpaired: float
    p_t: float
    cliff: float  # P(a > b) - P(a < b)


def compare_methods(pairs: np.ndarray) -> Test:
    """Test a against b, columns of paired runs: signed ranks, rank sums, Student's t."""
    a, b = pairs.T
    gap = a - b
    # Of runs without difference, or of one run, nothing can be said.
    paired = stats.wilcoxon(gap).pvalue if np.any(gap != 0) and len(gap) > 1 else 1.0
    unpaired = stats.ranksums(a, b).pvalue if len(gap) > 1 else 1.0
    sign = np.sign(a[:, None] - b[None, :]).mean()
    return Test(
        float(gap.mean()), len(gap), float(paired), float(unpaired), welch(a, b), float(sign)
    )


def welch(a: np.ndarray, b: np.ndarray) -> float:
    """Return the p of Welch's t-test; without spread they are the same or differ for sure."""
    if len(a) < 2 or len(b) < 2:
        return 1.0
    parts = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    gap = float(a.mean() - b.mean())
    if math.sqrt(parts.sum()) <= 1e-12 * max(1.0, np.abs(a).max(), np.abs(b).max()):
        return 1.0 if abs(gap) < 1e-12 else 0.0
    freedom = _freedom(parts, len(a) - 1, len(b) - 1)
    return float(2 * stats.t.sf(abs(gap) / math.sqrt(parts.sum()), freedom))


def paired_runs(
    rows: list[dict[str, Any]], metric: str, more: list[str], less: list[str]
) -> np.ndarray:
    """Return a metric of two methods (or two lists of them) on the same sets and trials.

    Methods with a single run stand beside every trial of the other.
    """
    known: dict[str, dict[tuple[str, int, int], float]] = {}
    for row in rows:
        if row["status"] == "ok" and row.get(metric) is not None:
            place = (row["data"], row["set"], row["trial"])
            known.setdefault(row["method"], {})[place] = float(np.max(row[metric]))
    out = []
    for a, b in zip(more, less, strict=True):
        for place, value in known.get(a, {}).items():
            if place in known.get(b, {}):
                out.append((value, known[b][place]))
    return np.array(out, dtype=np.float64).reshape(-1, 2)
