"""Calibration of cluster probabilities: AutoCluster compared with GMM and HDBSCAN.

    WEFT_DATA=... python -m bench.noise.membership          # run what is missing, print the table
    python -m bench.noise.membership --show                 # print the table alone

Every set of the noise bench at 0 and +100 % noise, one seed. Clusters are matched to classes one
to one such that as many rows as possible agree; a row is right if its most likely cluster is the
one that its class is matched to.

ECE       expected calibration error: 15 bins of the largest probability, |mean probability − share
          that is right|, averaged by the number of rows, in the mean over sets
log loss  − log of the probability of the row's own class, 0 where no cluster is matched to it;
          probabilities below 1e-15, scikit-learn's bound of old, count as that much
log loss, cut   the same with a bound of 0.01, so that a few certain mistakes do not decide
pairs     Brier score of "these two rows belong together", Σ_k p_ik p_jk, over pairs of rows: no
          matching of clusters is needed

GMM is given the number of clusters. HDBSCAN's soft memberships are those of the hdbscan package
(`all_points_membership_vectors`), whose rows sum to less than 1: the rest is "no cluster".
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

import weft
from bench.harness import places, records
from bench.noise.sets import FILES, KIND_OF, SETS, noisy, seed_of

RESULTS = places.RESULTS / "membership.jsonl"
LEVELS = (0, 100)
N_BINS = 15
BOUNDS = (1e-15, 1e-2)
N_PAIRS = 20_000


class Soft(NamedTuple):
    """Probabilities (n, K) and the labels that go with them, -1 for none."""

    probabilities: np.ndarray
    labels: np.ndarray


def _auto(X: np.ndarray, k: int, seed: int) -> Soft:
    model = weft.AutoCluster(random_state=seed, n_resamples=0, n_jobs=1).fit(X)
    return Soft(model.predict_proba(X), model.labels_)


def _mixture(X: np.ndarray, k: int, seed: int) -> Soft:
    model = GaussianMixture(k, reg_covar=1e-3, random_state=seed).fit(X)
    likely = model.predict_proba(X)
    return Soft(likely, likely.argmax(axis=1))


def _hdbscan(X: np.ndarray, k: int, seed: int) -> Soft:
    import hdbscan

    model = hdbscan.HDBSCAN(prediction_data=True).fit(X)
    n_clusters = int(model.labels_.max()) + 1
    if n_clusters == 0:
        return Soft(np.zeros((len(X), 1)), model.labels_)
    likely = np.asarray(hdbscan.all_points_membership_vectors(model)).reshape(len(X), -1)
    likely = np.nan_to_num(likely)
    return Soft(likely, likely.argmax(axis=1))


METHODS: dict[str, Callable[[np.ndarray, int, int], Soft]] = {
    "AutoCluster": _auto,
    "GMM": _mixture,
    "HDBSCAN": _hdbscan,
}


def evaluate(set: str, level: int, method: str) -> dict[str, Any]:
    """Run one method once and measure its probabilities."""
    X, y, _ = noisy(set, level, KIND_OF[set], 0)
    seed = seed_of("method", set, level, KIND_OF[set], 0)
    with threadpool_limits(1):
        soft = METHODS[method](X, len(np.unique(y)), seed)
    return measure(y, soft)


def measure(y: np.ndarray, soft: Soft) -> dict[str, Any]:
    """Return accuracy, mean confidence, calibration error, log losses and the score of pairs."""
    likely, n_clusters = soft.probabilities, soft.probabilities.shape[1]
    classes, y = np.unique(y, return_inverse=True)
    both = np.zeros((len(classes), n_clusters))
    inside = soft.labels >= 0
    np.add.at(both, (y[inside], soft.labels[inside]), 1.0)
    matched = np.full(len(classes), -1)
    rows, columns = linear_sum_assignment(-both)
    matched[rows] = columns
    right = (soft.labels == matched[y]) & inside
    own = np.where(matched[y] >= 0, likely[np.arange(len(y)), matched[y]], 0.0)
    confidence = likely.max(axis=1)
    out = {
        "n": len(y),
        "k_true": len(classes),
        "k": n_clusters,
        "accuracy": float(right.mean()),
        "confidence": float(confidence.mean()),
        "ece": calibration_error(confidence, right),
        "pairs": pair_score(y, likely),
    }
    for bound in BOUNDS:
        out[f"log_loss_{bound:g}"] = float(-np.log(np.clip(own, bound, 1.0)).mean())
    return {key: round(value, 6) for key, value in out.items()}


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Return |mean confidence − share of correct rows| averaged over bins, weighted by their rows.

    Examples
    --------
    >>> import numpy as np
    >>> float(calibration_error(np.array([0.9, 0.9]), np.array([True, False])).round(3))
    0.4
    """
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    total = 0.0
    for number in np.unique(bins):
        inside = bins == number
        total += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return total


def pair_score(y: np.ndarray, likely: np.ndarray) -> float:
    """Return the Brier score of "same class" over pairs of rows, half of them of one class."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(len(y), size=(2, 20 * N_PAIRS))
    apart = first != second
    first, second = first[apart], second[apart]
    same = y[first] == y[second]
    scores = []
    for wanted in (True, False):
        pairs = np.flatnonzero(same == wanted)[: N_PAIRS // 2]
        if len(pairs):
            together = np.einsum("ij,ij->i", likely[first[pairs]], likely[second[pairs]])
            scores.append(float(((together - wanted) ** 2).mean()))
    return float(np.mean(scores))


def table(rows: list[dict[str, Any]]) -> str:
    """Return the means over sets as a table in Markdown."""
    measures = ("accuracy", "confidence", "ece", "log_loss_1e-15", "log_loss_0.01", "pairs")
    lines = [
        "| noise | method | sets | right | confidence | ECE | log loss | log loss, cut | pairs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for level in LEVELS:
        for method in METHODS:
            own = [
                row for row in rows
                if row["cell"]["level"] == level and row["cell"]["method"] == method
            ]  # fmt: skip
            if own:
                means = [np.mean([row[name] for row in own]) for name in measures]
                numbers = " | ".join(f"{mean:.3f}" for mean in means)
                lines.append(f"| +{level} % | {method} | {len(own)} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, then print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="print the table from what is there")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if not arguments.show:
        names = SETS
        if "WEFT_DATA" not in os.environ:
            print("WEFT_DATA is not set: sets from files are left out.", file=sys.stderr)
            names = tuple(name for name in SETS if name not in FILES)
        cells = [
            {"set": name, "level": level, "method": method}
            for method in METHODS
            for level in LEVELS
            for name in names
        ]
        records.run(RESULTS, cells, evaluate)
    print(table(records.load(RESULTS)))


if __name__ == "__main__":
    main()
