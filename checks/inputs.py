"""Wrong and unusual tables, given to every method of every estimator.

    python -m checks.inputs                 # 5,000 cases
    python -m checks.inputs --cases 300     # fewer; --seed for others

A case is clean if the call works with finite results, or raises ValueError or TypeError with a
short text. It is unclean if it hangs, ends the process, raises anything else, warns more than
`MOST_WARNINGS` times, or returns NaN or infinity without a warning.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from checks.bad_tables import KINDS, bad_table, good_table
from checks.parameters import estimator_names, quick_model, suitable
from checks.workers import judged_apart

MOST_WARNINGS = 20
LONGEST = 700
METHODS = ("fit", "fit", "fit", "predict", "transform", "score", "partial_fit", "sample_weight")
# Settings that use other parts of the code than the defaults.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "FeatureSwarm": [{}, {"clusterer": "knn", "n_clusters": None}, {"exponents": True}],
    "KernelKMeans": [{}, {"kernel": "diffusion"}, {"scale": False}],
    "KernelSubtractive": [{}, {"kernel": "diffusion"}, {"scale": False}],
    "KernelSwarm": [{}, {"kernel": "rbf"}, {"scale": False}],
    "ProjectedSwarm": [{}, {"metric": "jaccard"}, {"particle": "weights"}],
    "RangeScaler": [{}, {"categorical": [0]}],
    "StagedSwarm": [{}, {"scale": False}, {"stages": 3}],
    "WeightedKMeans": [
        *({}, {"n_clusters": None}, {"allow_nan": True}, {"distance_exponent": 1.5}),
        *({"distance_exponent": 5.0}, {"weights": "global", "init": "k-means++"}),
    ],
}


class Case(NamedTuple):
    """One call: the estimator, its options, the method, the kind of table and its seed."""

    estimator: str
    option: int
    method: str
    kind: str
    seed: int


def make_cases(count: int, seed: int) -> list[Case]:
    """Return `count` cases that cycle through estimators and kinds of tables."""
    rng = np.random.default_rng(seed)
    names, kinds = estimator_names(), list(KINDS)
    cases = []
    for number in range(count):
        name = names[number % len(names)]
        kind = kinds[(number // len(names)) % len(kinds)]
        option = int(rng.integers(len(OPTIONS.get(name, [{}]))))
        method = METHODS[int(rng.integers(len(METHODS)))]
        cases.append(Case(name, option, method, kind, int(rng.integers(2**31))))
    return cases


def call(case: Case) -> list[Any]:
    """Make the call of a case; return its results."""
    model = quick_model(case.estimator).set_params(**OPTIONS.get(case.estimator, [{}])[case.option])
    bad, good = bad_table(case.kind, case.seed), suitable(case.estimator, good_table())
    if case.method == "fit" or not hasattr(model, case.method):
        if case.method == "sample_weight" and "Means" in case.estimator:
            weights = bad.ravel() if isinstance(bad, np.ndarray) else bad
            model.fit(good, sample_weight=weights)
        else:
            model.fit(bad)
    elif case.method == "partial_fit":
        model.fit(good)
        model.partial_fit(bad)
    else:
        model.fit(good)
        return [getattr(model, case.method)(bad)]
    names = ("labels_", "feature_weights_", "cluster_centers_", "cluster_feature_weights_")
    return [getattr(model, name) for name in names if hasattr(model, name)]


def judge(case: Case) -> str:
    """Return the problem of one case, or ""."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            results = call(case)
        except (ValueError, TypeError) as error:
            text = str(error)
            return "" if 0 < len(text) <= LONGEST else f"{len(text)} characters: {text[:100]!r}"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    if len(said) > MOST_WARNINGS:
        return f"{len(said)} warnings, such as {str(said[-1].message)[:100]!r}"
    nan_is_data = case.estimator == "RangeScaler"
    for result in results:
        try:
            dense = result.toarray() if hasattr(result, "toarray") else result
            numbers = np.asarray(dense, dtype=float)
        except (ValueError, TypeError):
            return "a result does not consist of numbers"
        if np.isinf(numbers).any() or (np.isnan(numbers).any() and not nan_is_data):
            return "a result is not finite"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    cases = make_cases(given.cases, given.seed)
    start, n_unclean = time.monotonic(), 0
    for number, (case, fault) in enumerate(judged_apart(judge, cases), 1):
        if fault:
            n_unclean += 1
            print(f"{case}: {fault}", flush=True)
        if number % 500 == 0:
            print(f"  {number} of {len(cases)}, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{len(cases)} bad inputs over all estimators: {n_unclean} unclean")
    return int(n_unclean > 0)


if __name__ == "__main__":
    sys.exit(main())
