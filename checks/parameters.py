"""Every parameter of every estimator with wrong values.

    python -m checks.parameters                  # all cases
    python -m checks.parameters --cases 500      # a sample, the same for the same --seed

A case is clean if the fit works, with finite results, or raises one sentence that names the
parameter. It is unclean if it hangs, ends the process, raises anything else, or gives NaN.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import weft
from checks.workers import judged_apart
from weft.methods.staged import ClusterEstimate

# As in tests/conftest.py: parameters that make a search short, by their name in each constructor.
_QUICK = {"n_generations": 3, "n_particles": 6, "n_evaluations": 18, "n_rounds": 2}
_QUICK |= {
    "n_clusters_estimate": ClusterEstimate(n_estimates=2),
    "n_resamples": 1,
    "random_state": 0,
}


class _Odd:
    """An object that has nothing to do with clustering, with a long text."""

    def __repr__(self) -> str:
        return "odd " * 500


def bad_values() -> dict[str, Any]:
    """Return values that few parameters allow, each with a name."""
    return {
        "None": None,
        "True": True,
        "zero": 0,
        "minus one": -1,
        "minus many": -(10**9),
        "half": 0.5,
        "two and a half": 2.5,
        "minus half": -0.5,
        "tiny": 5e-324,
        "1e308": 1e308,
        "-1e308": -1e308,
        "nan": math.nan,
        "inf": math.inf,
        "-inf": -math.inf,
        "10**9": 10**9,
        "2**31": 2**31,
        "2**63": 2**63,
        "2**70": 2**70,
        "10**30": 10**30,
        "10**400": 10**400,
        "-10**400": -(10**400),
        "numpy nan": np.float64("nan"),
        "numpy int8": np.int8(-3),
        "numpy uint64": np.uint64(2**64 - 1),
        "numpy 0-d": np.array(3),
        "fraction": Fraction(10**400, 3),
        "decimal": Decimal("NaN"),
        "complex": 1 + 2j,
        "empty text": "",
        "text": "no such thing",
        "number as text": "3",
        "control characters": "\x1b[31mred\x00\n\r",
        "long text": "x" * 100_000,
        "bytes": b"3",
        "empty list": [],
        "list": [1, 2, 3],
        "ragged list": [[1, 2], [3]],
        "list of texts": ["a", "b"],
        "nan array": np.full((2, 3), np.nan),
        "array": np.arange(6.0).reshape(2, 3),
        "3-d array": np.ones((2, 2, 2)),
        "text array": np.array(["a", "b"]),
        "dict": {"a": 1},
        "dict of odd": {1: object()},
        "function": len,
        "class": dict,
        "object": _Odd(),
    }


class Case(NamedTuple):
    """One parameter of one estimator, and the name of the value that it gets."""

    estimator: str
    parameter: str
    value: str
    table: int  # which of `tables()`


def tables() -> list[np.ndarray]:
    """Return small tables: plain, with one column, with equal rows, large and small numbers."""
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(24, 3)) + 4.0 * np.repeat([[0.0], [1.0], [2.0]], 8, axis=0)
    return [
        plain,
        plain[:, :1],
        np.repeat(plain[::8], 8, axis=0),
        plain * np.array([1e-100, 1.0, 1e100]),
        np.hstack([plain] * 4),
    ]


def estimator_names() -> list[str]:
    """Return the public estimators."""
    return sorted(name for name in weft._PUBLIC if name[0].isupper())


def all_cases() -> list[Case]:
    """Return every estimator × parameter × value × table."""
    return [
        Case(name, parameter, value, table)
        for name in estimator_names()
        for parameter in getattr(weft, name)().get_params(deep=False)
        for value in bad_values()
        for table in range(len(tables()))
    ]


def quick_model(name: str) -> Any:
    """Return an estimator whose fit is short."""
    kind = getattr(weft, name)
    known = kind().get_params(deep=False)
    settings: dict[str, Any] = {key: value for key, value in _QUICK.items() if key in known}
    if "n_clusters" in known:
        settings["n_clusters"] = 2
    if name == "FeatureSwarm":
        settings["clusterer"] = "linkage"
    return kind(**settings)


def suitable(name: str, X: np.ndarray) -> np.ndarray:
    """Return a table that an estimator accepts: counts are at least 0."""
    return np.abs(X) if name == "CountNormalizer" else X


def judge(case: Case) -> str:
    """Return the problem of one case, or ""."""
    model = quick_model(case.estimator)
    X = suitable(case.estimator, tables()[case.table])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.set_params(**{case.parameter: bad_values()[case.value]}).fit(X)
        except (ValueError, TypeError, MemoryError, ModuleNotFoundError) as error:
            return fault_of_sentence(str(error), case.parameter)
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    for name in ("labels_", "feature_weights_", "cluster_centers_"):
        if not np.isfinite(np.asarray(getattr(model, name, 0.0), dtype=float)).all():
            return f"{name} is not finite"
    return ""


def fault_of_sentence(text: str, parameter: str) -> str:
    """Return the problem of the sentence of an error, or ""."""
    if "\n" in text or "\x1b" in text or "\x00" in text:
        return f"more than one line, or raw control characters: {text[:200]!r}"
    if len(text) > 500:
        return f"{len(text)} characters: {text[:100]!r}"
    if not text.endswith("."):
        return f"no sentence: {text[:200]!r}"
    if parameter not in text:
        return f"does not name {parameter}: {text[:200]!r}"
    return ""


def sample(cases: list[Case], count: int, seed: int) -> list[Case]:
    """Return `count` of the cases, in their order."""
    if count >= len(cases):
        return cases
    chosen = np.random.default_rng(seed).choice(len(cases), count, replace=False)
    return [cases[place] for place in np.sort(chosen)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--only", default="", help="estimators whose names start like this")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    cases = [case for case in all_cases() if case.estimator.startswith(given.only)]
    cases = sample(cases, given.cases, given.seed)
    start, n_unclean = time.monotonic(), 0
    for number, (case, fault) in enumerate(judged_apart(judge, cases), 1):
        if fault:
            n_unclean += 1
            print(f"{case.estimator}({case.parameter}={case.value}), table {case.table}: {fault}")
        if number % 1000 == 0:
            print(f"  {number} of {len(cases)}, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{len(cases)} cases over all estimators: {n_unclean} unclean")
    return int(n_unclean > 0)


if __name__ == "__main__":
    sys.exit(main())
