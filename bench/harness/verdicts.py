"""Is the difference between our number and the printed one more than chance and rounding?"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from bench.harness.measures import HIGHER, LOWER

# With a wider interval methods cannot be distinguished, and "agrees" would mean nothing.
TELLING_POINTS = 8.0  # of accuracies in percent: two fifths of the difference of the placebo
TELLING_SHARE = 0.08  # of measures from 0 to 1
TELLING_RATIO = 0.25  # of the printed number, for all others
PER_CENT = ("accuracy", "greedy", "huang", "max")
UP_TO_ONE = ("f", "f1", "purity", "row purity", "fscore", "entropy", "kept", "silhouette")
UNCERTAIN = "too uncertain"


class Verdict(NamedTuple):
    """Our mean compared with a published one."""

    ours: float
    theirs: float
    n_runs: int
    low: float  # of the 95 % interval of ours minus theirs; nan if there is none
    high: float
    word: str  # agrees, better, worse, differs, too uncertain, or "" if it cannot be judged

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs


class Printed(NamedTuple):
    """A printed mean, and known facts about its spread."""

    value: float
    n_runs: int  # runs (on each set) that it is the mean of
    n_sets: int = 0  # sets of a kind that it is the mean of; 0: the same data as ours
    sd: float | None = None  # printed: over the sets where there are several, else over the runs

    def variance(self, spread: np.ndarray, start_share: float) -> np.ndarray:
        """Return the variance of the mean on each kind of set.

        `spread` are our variances from run to run, `start_share` the share of them that comes from
        the starts on one set; the rest comes from the sets, and does not shrink with more runs.
        """
        own = None if self.sd is None else np.full(len(spread), self.sd**2)
        if self.n_sets == 0:
            return (spread if own is None else own) / self.n_runs
        if self.n_sets > 1 and own is not None:
            return own / self.n_sets
        starts = start_share * spread if own is None else own
        return ((1.0 - start_share) * spread + starts / self.n_runs) / self.n_sets


def judge(
    samples: list[np.ndarray],
    printed: Printed,
    *,
    start_share: float = 0.0,
    rounding: float,
    metric: str,
    exact: bool,
) -> Verdict:
    """Compare a mean over data set names with the printed one.

    Both sides are means and have the spread of a mean: ours from our sample, theirs from the
    printed spread, or from our spread if none is printed (`Printed.variance`). The rounding of the
    printed number is added at both ends. `exact`: the method is deterministic, on the same data.
    """
    groups = [group for group in samples if len(group)]
    n_runs = sum(map(len, groups))
    ours = float(np.mean([group.mean() for group in groups]))
    if exact:
        half = 0.0
    elif min(map(len, groups)) < 2:
        return Verdict(ours, printed.value, n_runs, math.nan, math.nan, "")
    else:
        spread = np.array([group.var(ddof=1) for group in groups])
        counts = np.array([len(group) for group in groups])
        theirs = printed.variance(spread, start_share)
        parts = np.array([(spread / counts).sum(), theirs.sum()]) / len(groups) ** 2
        n_theirs = printed.n_sets if printed.n_sets > 1 else printed.n_runs
        # Our spread, used in place of theirs, adds no degrees of freedom.
        own = 0 if printed.sd is None else max(n_theirs - 1, 0) * len(groups)
        freedom = _freedom(parts, (counts - 1).sum(), own)
        half = float(stats.t.ppf(0.975, freedom) * math.sqrt(parts.sum()))
    gap, reach = ours - printed.value, half + rounding
    if abs(gap) > reach + 1e-9:
        word = direction_of(gap, metric)
    else:
        word = "agrees" if half <= telling_width(metric, printed.value) else UNCERTAIN
    return Verdict(ours, printed.value, n_runs, gap - reach, gap + reach, word)


def _freedom(parts: np.ndarray, ours: float, theirs: float) -> float:
    """Welch and Satterthwaite; a side without degrees of freedom uses those of the other."""
    if parts.sum() == 0 or theirs == 0:
        return float(ours)
    return float(parts.sum() ** 2 / (parts[0] ** 2 / ours + parts[1] ** 2 / theirs))


def telling_width(metric: str, theirs: float) -> float:
    """Return the largest half width of an interval for which "agrees" is meaningful."""
    name = metric.split("@")[0].split(".")[0]
    if name in PER_CENT:
        return TELLING_POINTS
    return TELLING_SHARE if name in UP_TO_ONE else TELLING_RATIO * abs(theirs)


def direction_of(gap: float, metric: str) -> str:
    """Return the meaning of a difference that chance does not explain."""
    name = metric.split("@")[0]
    if name in (*HIGHER, "max"):
        return "better" if gap > 0 else "worse"
    if name in LOWER:
        return "better" if gap < 0 else "worse"
    return "differs"


class Test(NamedTuple):
    """A comparison of two of our methods."""

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
    # Runs without differences, or a single run, give no p-value.
    paired = stats.wilcoxon(gap).pvalue if np.any(gap != 0) and len(gap) > 1 else 1.0
    unpaired = stats.ranksums(a, b).pvalue if len(gap) > 1 else 1.0
    sign = np.sign(a[:, None] - b[None, :]).mean()
    return Test(
        float(gap.mean()), len(gap), float(paired), float(unpaired), welch(a, b), float(sign)
    )


def welch(a: np.ndarray, b: np.ndarray) -> float:
    """Return the p-value of Welch's t-test; without spread it is 1 or 0."""
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

    Methods with a single run are paired with every trial of the other.
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
