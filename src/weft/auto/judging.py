"""Which clustering holds: it comes out again when rows are left out, and other methods find it.

=============  ====================================================================================
stability      mean adjusted Rand index between the clustering of all rows and those of resamples
agreement      mean adjusted Rand index with the other members' clusterings
score          0.6 stability + 0.4 agreement; for k-means, which has no say in K, stability alone
=============  ====================================================================================

A criterion taken on one clustering of all rows is what naive answers win: two large halves have a
high silhouette in any data. They seldom come out again, and other methods do not see them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.auto.family import Member, Prepared, overlapping_members, prepare, separated_members
from weft.parallel.threads import map_items

RESAMPLE = 0.7  # share of the rows in a resample
STABILITY_SHARE = 0.6
CONVINCING = 0.75  # score from which separated clusters are believed
FEW = 4  # clusters seen by those that look for borders, for two halves to be believed
STEADY = 0.9  # stability from which a cut through overlapping clouds is believed


class Candidate(NamedTuple):
    """One clustering of all rows, and how well it holds."""

    name: str
    labels: Integers
    stability: float
    agreement: float
    score: float
    again: list[Integers]  # labels of each resample's rows

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1


class Resamples(NamedTuple):
    """The rows prepared as a whole and in parts."""

    whole: Prepared
    rows: list[Integers]  # which rows each part has
    parts: list[Prepared]
    seed: int
    n_jobs: int | None


def make_resamples(
    rows: Floats, most: int, n_resamples: int, seed: int, n_jobs: int | None
) -> Resamples:
    """Prepare all rows, and `n_resamples` times seven tenths of them."""
    rng = np.random.default_rng([seed, 0])
    size = max(4, int(RESAMPLE * len(rows)))
    chosen = [np.sort(rng.choice(len(rows), size, replace=False)) for _ in range(n_resamples)]
    tables = [rows, *(rows[part] for part in chosen)]

    def prepare_part(number: int) -> Prepared:
        return prepare(tables[number], most, np.random.default_rng([seed, 1, number]))

    prepared = map_items(prepare_part, range(len(tables)), n_jobs)
    return Resamples(prepared[0], chosen, prepared[1:], seed, n_jobs)


def run_members(members: dict[str, Member], data: Resamples) -> dict[str, list[Integers]]:
    """Return each member's labels of all rows, then of each resample."""
    tables = [data.whole, *data.parts]
    tasks = [(name, number) for name in members for number in range(len(tables))]

    def run_member(task: tuple[str, int]) -> Integers:
        name, number = task
        return members[name](tables[number], np.random.default_rng([data.seed, 2, number]))

    done = map_items(run_member, tasks, data.n_jobs)
    found: dict[str, list[Integers]] = {name: [] for name in members}
    for (name, _), labels in zip(tasks, done, strict=True):
        found[name].append(np.asarray(labels, dtype=np.int64))
    return found


def alike(first: Integers, second: Integers) -> float:
    """Return the adjusted Rand index; one cluster against one cluster counts as the same."""
    return float(adjusted_rand_score(first, second))


def stability_of(labels: Integers, again: list[Integers], rows: list[Integers]) -> float:
    """Return how far the resamples' clusterings repeat that of all rows."""
    if not again:
        return 0.0
    pairs = zip(rows, again, strict=True)
    return float(np.mean([alike(labels[part], found) for part, found in pairs]))


def judge_separated(data: Resamples) -> list[Candidate]:
    """Return what the members that look for empty borders have found, best first."""
    found = run_members(separated_members(data.whole.few.shape[1]), data)
    candidates = []
    for name, (labels, *again) in found.items():
        stability = stability_of(labels, again, data.rows)
        others = [alike(labels, other[0]) for key, other in found.items() if key != name]
        agreement = float(np.mean(others))
        score = STABILITY_SHARE * stability + (1.0 - STABILITY_SHARE) * agreement
        candidates.append(Candidate(name, labels, stability, agreement, score, again))
    return sorted(candidates, key=lambda c: -c.score)


def judge_overlapping(data: Resamples, most: int) -> list[Candidate]:
    """Return k-means with each number of centres, most stable first."""
    found = run_members(overlapping_members(most), data)
    candidates = []
    for name, (labels, *again) in found.items():
        stability = stability_of(labels, again, data.rows)
        candidates.append(Candidate(name, labels, stability, 0.0, stability, again))
    return sorted(candidates, key=lambda c: -c.score)


def choose(separated: list[Candidate], overlapping: list[Candidate]) -> Candidate | None:
    """Return the clustering to believe, or None: one cluster, or none.

    Separated clusters first, if they hold. Else the finest cut in overlapping clouds that is
    steady. Else the best of what was found, if it is more than one cluster.
    """
    several = [c for c in separated if c.n_clusters > 1]
    if several and several[0].score >= CONVINCING:
        return several[0]
    steady = [c for c in overlapping if c.stability >= STEADY]
    if steady:
        finest = max(steady, key=lambda c: c.n_clusters)
        # Any elongated data falls steadily into two halves: that is believed only where the
        # members that look for borders do not see many clusters.
        if finest.n_clusters > 2 or np.median([c.n_clusters for c in separated]) <= FEW:
            return finest
    # Where most members see one cloud, a lone dissenter does not make clusters.
    if 2 * len(several) > len(separated):
        return several[0]
    return None


def cluster_stability(candidate: Candidate, rows: list[Integers]) -> Floats:
    """Return each cluster's mean best Jaccard index over the resamples (Hennig 2007)."""
    n_clusters = candidate.n_clusters
    found = np.zeros((len(rows), n_clusters))
    for number, (part, again) in enumerate(zip(rows, candidate.again, strict=True)):
        here = candidate.labels[part]
        both = np.zeros((n_clusters, int(again.max()) + 1))
        np.add.at(both, (here, again), 1.0)
        union = both.sum(axis=1)[:, np.newaxis] + both.sum(axis=0)[np.newaxis, :] - both
        found[number] = (both / np.maximum(union, 1.0)).max(axis=1)
    return found.mean(axis=0) if len(rows) else np.zeros(n_clusters)
