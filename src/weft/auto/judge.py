"""The learned judge at work: which candidate is right, whether any is, and how sure that is.

The file `judge.npz` holds four forests (see `trees`):

ranker      evidence of a candidate, beside that of its rivals → a score; the candidate wins that
            agrees most with all that are likely by their scores
told        the same for candidates of one number of clusters, which the user has told
gate        evidence of the winner and of the table → log-odds that the table has no clusters
confidence  the same evidence → log-odds that the winner is right (adjusted Rand index ≥ 0.8),
            then a monotone curve that was calibrated on kinds of tables left out of training

Evidence is rounded to single precision before anything is compared, so that the judge decides by
the numbers that it was trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.evidence import relative
from weft.auto.kernels.partitions import rand_between
from weft.auto.trees import Forest, forest_from, logistic, predict, read

TOP = 10  # candidates that the winner is compared with
LIKELY = 60  # best candidates of a representation that may be right
SHARPNESS = 2.0  # by which scores are multiplied before they become odds
VERSION = 3


class Judge(NamedTuple):
    """What was learned, as read from its file."""

    ranker: Forest
    told: Forest
    gate: Forest
    confidence: Forest
    gate_threshold: float  # "no clusters" from this probability on
    curve_from: Floats  # the calibration curve, raw to calibrated
    curve_to: Floats


class Pool(NamedTuple):
    """The candidates of one table, of all representations of its rows."""

    labels: Integers  # (C, n), -1 for outliers
    values: Floats  # (C, F) evidence of each candidate
    part_of: Integers  # (C,) the representation that a candidate was made and measured in
    table_values: Floats  # (R, T) evidence of the table in each representation
    wide: bool = False  # whether the second representation is that of profiles


class Verdict(NamedTuple):
    """The judge's answer for one table; `winner` is a position among the candidates."""

    scores: Floats  # of all candidates; the winner's is the largest of those that may win
    winner: int
    no_clusters: float  # probability
    confidence: float  # probability that the winner is right
    features: Floats  # evidence of the winner, as the ranker saw it
    evidence: Floats  # (C, F) the same of all candidates


PATH = Path(__file__).with_name("judge.npz")


@lru_cache(maxsize=4)
def load(path: Path = PATH) -> Judge:
    """Read a judge from its file; the shipped one unless another is named."""
    arrays = read(path)
    if "version" not in arrays or int(arrays["version"]) != VERSION:
        raise ValueError(f"{path.name} is not a judge of version {VERSION}; train it again.")
    return Judge(
        forest_from(arrays, "ranker"),
        forest_from(arrays, "told"),
        forest_from(arrays, "gate"),
        forest_from(arrays, "confidence"),
        float(arrays["gate_threshold"]),
        np.asarray(arrays["curve_from"], dtype=np.float64),
        np.asarray(arrays["curve_to"], dtype=np.float64),
    )


def rounded(values: NDArray) -> Floats:
    """Return evidence in the precision that the judge sees."""
    return np.nan_to_num(np.asarray(values, dtype=np.float32)).astype(np.float64)


def rand_index(a: Integers, b: Integers) -> float:
    """Return the adjusted Rand index of two labellings; -1 is a label like any other."""
    a, b = np.asarray(a) + 1, np.asarray(b) + 1
    width = int(b.max()) + 1
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).astype(np.float64)
    table = table.reshape(-1, width)
    pairs = (table * (table - 1)).sum() / 2
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    in_a, in_b = (rows * (rows - 1)).sum() / 2, (columns * (columns - 1)).sum() / 2
    expected = in_a * in_b / (len(a) * (len(a) - 1) / 2)
    highest = (in_a + in_b) / 2
    return 1.0 if highest == expected else float((pairs - expected) / (highest - expected))


def cluster_counts(labels: Integers) -> Integers:
    """Return the number of clusters of each row of labels (C, n); -1 is none."""
    return np.array([len(np.unique(row[row >= 0])) for row in labels], dtype=np.int64)


def by_part(values: Floats, part_of: Integers, relative: Callable[[Floats], Floats]) -> Floats:
    """Set the evidence of candidates beside that of the others of the same representation."""
    parts = [relative(values[part_of == part]) for part in np.unique(part_of)]
    out = np.empty((len(values), parts[0].shape[1]))
    for part, beside in zip(np.unique(part_of), parts, strict=True):
        out[part_of == part] = beside
    return out


def agreeing_most(scores: Floats, labels: Integers, part_of: Integers | None = None) -> int:
    """Return the candidate whose mean adjusted Rand index with those that may be right is largest.

    The likely candidates of each representation count by odds that grow with their scores, as in
    a softmax.
    """
    part_of = np.zeros(len(scores), dtype=np.int64) if part_of is None else part_of
    order = np.argsort(-scores, kind="stable")
    order = np.concatenate([order[part_of[order] == part][:LIKELY] for part in np.unique(part_of)])
    odds = np.exp(SHARPNESS * (scores[order] - scores[order].max()))
    alike = np.empty((len(order), len(order)))
    likely = np.ascontiguousarray(labels[order], dtype=np.int64)
    rand_between(likely, likely, True, alike)
    return int(order[np.argmax(alike @ odds)])


def told_features(
    features: Floats,
    values: Floats,
    part_of: Integers,
    relative: Callable[[Floats], Floats] = relative,
) -> Floats:
    """Return what the told ranker sees of candidates of one number: beside all, and each other.

    Parameters
    ----------
    features : (C, 4 F) evidence beside that of candidates of all numbers
    values : (C, F) evidence, in the precision of the judge
    part_of : (C,) representations of the candidates
    relative : the function that sets each value beside those of the other candidates
    """
    return np.hstack([features, by_part(values, part_of, relative)[:, values.shape[1] :]])


def score_features(scores: Floats, labels: Integers, winner: int) -> Floats:
    """Return how clear the winner is and how far the best candidates agree with it.

    Parameters
    ----------
    scores : (C,) of the ranker
    labels : (C, n) of the candidates
    winner : position of the winner, which need not have the largest score
    """
    order = np.argsort(-scores, kind="stable")
    order = np.concatenate([[winner], order[order != winner]])[: TOP + 1]
    others = order[1:]
    if len(others) == 0:
        return np.array([scores[winner], 0.0, 0.0, 1.0, 0.0, 1.0])
    agreement = np.array([rand_index(labels[winner], labels[other]) for other in others])
    counts = np.log(cluster_counts(labels[order]))
    different = others[agreement < 0.9]
    lead = scores[winner] - (scores[different[0]] if len(different) else scores[others[-1]])
    return np.array(
        [
            scores[winner],
            scores[winner] - scores.mean(),
            lead,
            agreement.mean(),
            counts.std(),
            (agreement >= 0.9).mean(),
        ]
    )


def doubt_features(features: Floats, scores: Floats, pool: Pool, winner: int) -> Floats:
    """Return what gate and confidence see: the winner, the table, and how clear the win is."""
    clear = score_features(scores, pool.labels, winner)
    table_values = rounded(pool.table_values[pool.part_of[winner]])
    return rounded(np.concatenate([features[winner], table_values, clear]))


def judge_candidates(
    judge: Judge,
    pool: Pool,
    allowed: Mask | None = None,
    relative: Callable[[Floats], Floats] = relative,
    *,
    told: bool = False,
) -> Verdict:
    """Return the verdict on the candidates of one table.

    Parameters
    ----------
    judge : what `load` gave
    pool : the candidates
    allowed : (C,) candidates that may win, at least one; None: all. All are looked at, since each
        is measured beside the others
    relative : the function that sets each value beside those of the other candidates
    told : whether the allowed candidates are those of a number of clusters that the user told
    """
    values = rounded(pool.values)
    features = by_part(values, pool.part_of, relative)
    scores = predict(judge.ranker, features)
    places = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
    eligible = Pool(pool.labels[places], values[places], pool.part_of[places], pool.table_values)
    ranks = scores[places]
    if told:
        beside = told_features(features[places], eligible.values, eligible.part_of, relative)
        ranks = predict(judge.told, beside)
    place = agreeing_most(ranks, eligible.labels, eligible.part_of)
    winner = int(places[place])
    doubt = doubt_features(features[places], scores[places], eligible, place)
    odds = float(predict(judge.gate, doubt[None])[0])
    first = np.flatnonzero(eligible.part_of == 0)
    if pool.wide and eligible.part_of[place] > 0 and len(first):
        # In profiles a single factor looks like two opposite groups, so that they do not decide
        # alone whether there are clusters.
        other = first[agreeing_most(ranks[first], eligible.labels[first])]
        beside = doubt_features(features[places], scores[places], eligible, int(other))
        odds = (odds + float(predict(judge.gate, beside[None])[0])) / 2
    no_clusters = float(logistic(np.array(odds)))
    raw = logistic(predict(judge.confidence, doubt[None]))
    confidence = float(np.interp(raw, judge.curve_from, judge.curve_to)[0])
    scores[winner] = scores[places].max()
    return Verdict(scores, winner, no_clusters, confidence, features[winner], features)
