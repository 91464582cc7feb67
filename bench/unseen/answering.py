"""The trained judge's answer on one table, with and without its gate."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.unseen.pipeline import examine
from bench.unseen.rivals import standardised
from weft.auto import judge as judging
from weft.auto.evidence import relative
from weft.auto.working import MAX_ROWS

JUDGE = Path(__file__).parents[2] / "src" / "weft" / "auto" / "judge.npz"  # the shipped one


class Answer(NamedTuple):
    """The judge's answer on one table."""

    labels: np.ndarray  # one label for all rows where the gate says "no clusters"
    ungated: np.ndarray  # the winner, regardless of the gate
    confidence: float
    no_clusters: float
    candidates: np.ndarray


def follow_nearest(X: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return labels (C, len(X)) of all rows from labels (C, len(rows)) of some of them."""
    from sklearn.neighbors import NearestNeighbors

    points = standardised(X)
    nearest = NearestNeighbors(n_neighbors=1).fit(points[rows]).kneighbors(points)[1][:, 0]
    return labels[:, nearest]


def answer(X: np.ndarray, seed: int, path: Path = JUDGE) -> Answer:
    """Return the trained judge's answer; rows beyond 2,000 get the nearest row's label."""
    if len(X) > MAX_ROWS:
        rows = np.random.default_rng([seed, 7]).choice(len(X), MAX_ROWS, replace=False)
        part = answer(X[rows], seed, path)
        labels, ungated = follow_nearest(X, rows, np.stack([part.labels, part.ungated]))
        candidates = follow_nearest(X, rows, part.candidates)
        return part._replace(labels=labels, ungated=ungated, candidates=candidates)
    examined = examine(X)
    nothing = np.zeros(len(X), dtype=int)
    if not len(examined.labels):
        return Answer(nothing, nothing, 0.0, 1.0, examined.labels)
    judge = judging.load(path)
    unfamiliar = judging.is_unfamiliar(*X.shape)
    verdict = judging.judge_candidates(judge, examined, relative=relative, unfamiliar=unfamiliar)
    winner = examined.labels[verdict.winner]
    labels = nothing if verdict.no_clusters >= judge.gate_threshold else winner
    return Answer(labels, winner, verdict.confidence, verdict.no_clusters, examined.labels)
