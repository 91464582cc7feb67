"""A complete fit: the starts, the alternation, and the best result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft._base.validation import check_choice, check_integer, check_real
from weft.backends import CPU, Backend
from weft.kmeans.alternation import Assign, DeadEnd, Outcome, Start, alternate
from weft.kmeans.data import Data, make_data
from weft.kmeans.ordering import canonical_order
from weft.kmeans.seeding import (
    AnomalousPatterns,
    Membership,
    Order,
    anomalous_patterns,
    from_patterns,
    plus_plus,
    random_rows,
    scattered,
)
from weft.kmeans.weights import Rule, uniform
from weft.parallel.threads import thread_runner
from weft.parallel.workers import Crew, works_elsewhere

INITS = ("anomalous", "k-means++", "random", "scattered")
SAME = 1e-10
MakeRule = Callable[[Data, NDArray[np.bool_]], Rule]


@dataclass(frozen=True)
class Settings:
    """Settings of a fit besides the data and the rule for the weights."""

    n_clusters: int | None
    exponent: float
    init: str | Floats
    init_weights: str | Floats
    n_init: int
    min_cluster_size: float
    max_iter: int
    tol: float
    n_jobs: int | None
    backend: Backend = CPU


class Fit(NamedTuple):
    """The best outcome, the patterns it started from (if any), the features that vary."""

    outcome: Outcome
    patterns: AnomalousPatterns | None
    active: NDArray[np.bool_]
    factors: Floats


def read_settings(
    n_features: int,
    n_rows: int,
    *,
    n_clusters: Any,
    distance_exponent: Any = 2.0,
    init: Any = "anomalous",
    init_weights: Any = "auto",
    n_init: Any = "auto",
    min_cluster_size: Any = 1,
    max_iter: Any = 300,
    tol: Any = 0.0,
    n_jobs: Any = None,
    backend: Backend = CPU,
) -> Settings:
    """Check the parameters that the estimators of the family share."""
    if not isinstance(init, str):
        init = np.array(init, dtype=np.float64, order="C")
        if init.ndim != 2 or init.shape[1] != n_features or not np.isfinite(init).all():
            raise ValueError(
                f"init has shape {init.shape}; give finite centres of shape "
                f"(n_clusters, {n_features}) or one of {', '.join(INITS)}."
            )
        if n_clusters is None:
            n_clusters = len(init)
        if n_clusters != len(init):
            raise ValueError(
                f"n_clusters={n_clusters!r} but init has {len(init)} centres; both must be equal."
            )
    else:
        check_choice("init", init, INITS)
    if n_clusters is None and init != "anomalous":
        raise ValueError(
            f"init={init!r} needs the number of clusters; give n_clusters, or use "
            "init='anomalous', which finds it."
        )
    if n_clusters is not None:
        n_clusters = check_integer("n_clusters", n_clusters, low=1)
        if n_clusters > n_rows:
            raise ValueError(
                f"n_clusters={n_clusters} needs as many samples, got n_samples={n_rows}; "
                "lower n_clusters."
            )
    if isinstance(n_init, str):
        check_choice("n_init", n_init, ("auto",))
        n_init = 10 if isinstance(init, str) and init in ("random", "k-means++") else 1
    return Settings(
        n_clusters=n_clusters,
        exponent=check_real("distance_exponent", distance_exponent, low=1.0),
        init=init,
        init_weights=_read_weights(init_weights, n_features, n_clusters),
        n_init=check_integer("n_init", n_init, low=1),
        min_cluster_size=check_real("min_cluster_size", min_cluster_size, low=0.0),
        max_iter=check_integer("max_iter", max_iter, low=1),
        tol=check_real("tol", tol, low=0.0, high=1.0),
        n_jobs=n_jobs,
        backend=backend,
    )


def _read_weights(value: Any, n_features: int, n_clusters: int | None) -> str | Floats:
    if isinstance(value, str):
        return str(check_choice("init_weights", value, ("auto", "uniform", "random")))
    array = np.array(value, dtype=np.float64, ndmin=2)
    good = array.shape in ((1, n_features), (n_clusters, n_features))
    if not good or not np.isfinite(array).all() or (array < 0).any() or (array.sum(1) <= 0).any():
        raise ValueError(
            f"init_weights has shape {np.shape(value)}; give non-negative weights of shape "
            f"({n_features},) or (n_clusters, {n_features}), or 'auto', 'uniform' or 'random'."
        )
    return array / array.sum(axis=1, keepdims=True)


def varying(X: Floats) -> NDArray[np.bool_]:
    """Return which features take more than one value; all of them if none does."""
    with np.errstate(invalid="ignore"):
        return some_varying(np.nanmin(X, axis=0), np.nanmax(X, axis=0))


def some_varying(low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Return which features vary, given their least and largest values; all if none does."""
    active = low < high
    return active if active.any() else np.ones_like(active)


def fit_family(
    X: Floats,
    mass: Floats,
    settings: Settings,
    make_rule: MakeRule,
    rng: np.random.Generator,
    *,
    make_assign: Callable[[], Assign] | None = None,
    membership: Membership | None = None,
) -> Fit:
    """Fit from each start and keep the outcome with the least criterion, the first on a tie.

    `make_assign` gives each start its own assignment, which then also handles empty clusters. A
    start whose assignment fails is left out, unless all fail.
    """
    with thread_runner(settings.n_jobs) as run:
        data = make_data(X, mass, settings.exponent, run, backend=settings.backend)
        active = varying(X)
        rule = make_rule(data, active)
        patterns = None
        if isinstance(settings.init, str) and settings.init == "anomalous":
            patterns = anomalous_patterns(
                data, rule, active, enough=settings.n_clusters, membership=membership
            )
        best: Outcome | None = None
        dead_end: DeadEnd | None = None
        drawn = isinstance(settings.init, str) and settings.init in ("random", "k-means++")
        order = canonical_order(X) if drawn else None
        draws = (
            make_start(data, settings, rule, active, patterns, rng, order)
            for _ in range(settings.n_init)
        )
        spread = settings.n_init > 1 and make_assign is None and not settings.backend.on_gpu
        if spread and works_elsewhere():
            with Crew(Restarts(X, mass, settings, rule), n_jobs=settings.n_jobs) as crew:
                ends = [outcome for part in crew(list(draws)) for outcome in part]
            for outcome in ends:
                best = better(best, outcome)
        for start in draws:  # empty if workers have already run them
            try:
                outcome = alternate(
                    data,
                    start,
                    rule,
                    max_iter=settings.max_iter,
                    tol=settings.tol,
                    assign=None if make_assign is None else make_assign(),
                    refill=make_assign is None,
                )
            except DeadEnd as error:
                dead_end = error
                continue
            best = better(best, outcome)
    if best is None and dead_end is not None:
        raise dead_end
    if best is None:
        raise RuntimeError("n_init=0 reached the fit; this is a bug.")
    return Fit(best, patterns, active, rule.factors(best.weights))


def better(best: Outcome | None, outcome: Outcome) -> Outcome:
    """Return the one with the lower criterion, the first if they differ only by rounding."""
    if best is None or best.criterion - outcome.criterion > SAME * abs(best.criterion):
        return outcome
    return best


class Restarts:
    """Alternations from several starts, in any process."""

    def __init__(self, X: Floats, mass: Floats, settings: Settings, rule: Rule) -> None:
        self.X = X
        self.mass = mass
        self.settings = settings
        self.rule = rule

    def evaluate_part(self, starts: list[Start]) -> list[Outcome]:
        """Return the outcome of each start."""
        exponent, max_iter, tol = self.settings.exponent, self.settings.max_iter, self.settings.tol
        with thread_runner(1) as run:
            data = make_data(self.X, self.mass, exponent, run)
            return [
                alternate(data, start, self.rule, max_iter=max_iter, tol=tol) for start in starts
            ]


def make_start(
    data: Data,
    settings: Settings,
    rule: Rule,
    active: NDArray[np.bool_],
    patterns: AnomalousPatterns | None,
    rng: np.random.Generator,
    order: Order = None,
) -> Start:
    """Return the centres and weights of one start; `order` is the table's `canonical_order`."""
    n_clusters = settings.n_clusters
    weights = None
    if patterns is not None:
        centers, weights = from_patterns(
            data,
            patterns,
            rule,
            active,
            n_clusters=n_clusters,
            min_size=settings.min_cluster_size,
        )
    elif not isinstance(settings.init, str):
        centers = settings.init.copy()
    elif n_clusters is None:
        raise RuntimeError("n_clusters=None reached a start that needs it; this is a bug.")
    elif settings.init == "random":
        centers = random_rows(data, n_clusters, rng, order)
    elif settings.init == "k-means++":
        centers = plus_plus(data, active, n_clusters, rng, order)
    else:
        centers = scattered(data, active, n_clusters)
    if not isinstance(settings.init_weights, str):
        weights = np.broadcast_to(settings.init_weights, centers.shape).copy()
    elif settings.init_weights == "random":
        weights = rng.random(centers.shape) * active
        weights /= weights.sum(axis=1, keepdims=True)
    elif weights is None or settings.init_weights == "uniform":
        weights = uniform(active, len(centers))
    return Start(centers, rule.pool(weights))
