"""The trained judge: which candidate is best, whether there are clusters, and how sure that is.

The file `judge.npz` holds four forests (see `trees`):

ranker      evidence of a candidate, compared with that of its rivals → a score; the winner is the
            candidate that agrees most with all that are likely by their scores
told        the same for candidates of one number of clusters, which the user has given
gate        evidence of the best candidate of each representation and of the table → log-odds that
            the table has no clusters
confidence  evidence of the winner and of the table → log-odds that the winner is right (adjusted
            Rand index ≥ 0.8), then a monotone curve that was calibrated on kinds of tables left out
            of training

Evidence is rounded to single precision before anything is compared, because the judge was trained
on such numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.agreement import best_of_told, likely_candidates
from weft.auto.doubt import doubts
from weft.auto.evidence import relative
from weft.auto.pool import Pool, by_part, rounded
from weft.auto.trees import Forest, forest_from, logistic, predict, read
from weft.columns.wide import is_wide

VERSION = 4


class Judge(NamedTuple):
    """What was learned, as read from its file."""

    ranker: Forest
    told: Forest
    gate: Forest
    confidence: Forest
    gate_threshold: float  # "no clusters" from this probability on
    curve_from: Floats  # the calibration curve, raw to calibrated
    curve_to: Floats


class Verdict(NamedTuple):
    """The judge's answer for one table; `winner` is a position among the candidates."""

    scores: Floats  # of all candidates; the winner's is the largest of those that may win
    winner: int
    no_clusters: float  # probability
    confidence: float  # probability that the winner is right
    features: Floats  # evidence of the winner, as the ranker gets it
    evidence: Floats  # (C, F) the same of all candidates


PATH = Path(__file__).with_name("judge.npz")
# In wide tables of fewer rows the gate misses "no clusters" too often (10 % in place of 5 %), so
# its doubt is raised by this many log odds (3.5 %). See decisions 306 and 307.
FEWEST_JUDGED = 30
FEW_ROWS_DOUBT = 0.7


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


def is_unfamiliar(n_rows: int, n_columns: int) -> bool:
    """Return whether a table is wide and has so few rows that the gate is too confident."""
    return n_rows < FEWEST_JUDGED and is_wide(n_rows, n_columns)


def told_features(
    features: Floats,
    values: Floats,
    part_of: Integers,
    relative: Callable[[Floats], Floats] = relative,
) -> Floats:
    """Return the evidence for the ranker of a given number of clusters.

    Parameters
    ----------
    features : (C, 4 F) evidence compared with that of candidates of all numbers
    values : (C, F) evidence, in the precision of the judge
    part_of : (C,) representations of the candidates
    relative : the function that compares each value with those of the other candidates
    """
    return np.hstack([features, by_part(values, part_of, relative)[:, values.shape[1] :]])


def judge_candidates(
    judge: Judge,
    pool: Pool,
    allowed: Mask | None = None,
    relative: Callable[[Floats], Floats] = relative,
    *,
    told: bool = False,
    unfamiliar: bool = False,
) -> Verdict:
    """Return the verdict on the candidates of one table.

    Parameters
    ----------
    judge : what `load` gave
    pool : the candidates
    allowed : (C,) candidates that may win, at least one; None: all. All are needed, because each is
        compared with the others. If the best of all is not allowed, the best of the allowed ones
        wins
    relative : the function that compares each value with those of the other candidates
    told : whether the allowed candidates are those of a number of clusters that the user gave
    unfamiliar : what `is_unfamiliar` says of the table
    """
    values = rounded(pool.values)
    features = by_part(values, pool.part_of, relative)
    scores = predict(judge.ranker, features)
    places = np.arange(len(scores))
    every = likely_candidates(scores, pool.labels, pool.part_of)
    likely, place = every, every.best()
    if allowed is not None and (told or not allowed[place]):
        places = np.flatnonzero(allowed)
        own = pool.take(places)
        ranks = scores[places]
        if told:
            seen = told_features(features[places], values[places], own.part_of, relative)
            ranks = predict(judge.told, seen)
        likely = likely_candidates(ranks, own.labels, own.part_of)
        place = likely.best()
        if told:
            place = best_of_told(likely, own.labels, every, pool.labels)
    winner = int(places[place])
    asked = doubts(features[places], scores[places], pool.take(places), likely, place)
    doubt = predict(judge.gate, asked.gate[None]) + (FEW_ROWS_DOUBT if unfamiliar else 0.0)
    no_clusters = float(logistic(doubt)[0])
    raw = logistic(predict(judge.confidence, asked.confidence[None]))
    confidence = float(np.interp(raw, judge.curve_from, judge.curve_to)[0])
    scores[winner] = scores[places].max()
    return Verdict(scores, winner, no_clusters, confidence, features[winner], features)
