"""What every estimator that searches has in common: from the table to the best position.

`SearchEstimator.fit` reads the table, opens the run (seed, checkpoint, resume, signals) and calls
`_fit_rows`. There an estimator says what a position means, what its objective is, and what is
learned from the best position; `_search` does the rest: callbacks, the loop, the history.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_centers
from weft._base.validation import check_integer
from weft._base.warnings import warn_caller
from weft.answers.membership import center_softness, soften
from weft.estimators._mixins import PredictMixin, ReportMixin
from weft.estimators._reading import read_table
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.methods.centroids.objectives import assign
from weft.search.callbacks import History, Patience, Progress
from weft.search.optimize import optimize
from weft.search.reached import bind_all
from weft.search.runs import running
from weft.search.swarms.base import Swarm


class SearchResult(NamedTuple):
    """The best position of one search, and how the search went."""

    position: Floats
    fitness: float
    n_generations: int
    n_evaluations: int
    history: dict[str, NDArray[Any]]  # one entry per generation


class SearchEstimator(ReportMixin, ClusterMixin, BaseEstimator):
    """Base of the estimators that move a swarm.

    A subclass has the parameters ``callbacks`` and ``random_state``, may have ``n_particles``,
    ``n_generations`` and ``patience``, and writes `_fit_rows`. It may override `_read_rows` and
    `_check_settings`.
    """

    history_: dict[str, NDArray[Any]]
    n_iter_: int
    n_clusters_: int

    def fit(self, X: Any, y: Any = None, *, resume: str | Path | None = None) -> Any:
        """Search, and learn the clusters from the best position."""
        rows = self._read_rows(X)
        self._check_settings()
        self._run(rows, resume)
        return self

    def _run(self: Any, rows: Any, resume: str | Path | None) -> None:
        """Open the run of this fit and do its work: seed, checkpoint, resume and signals."""
        with running(self, rows, resume) as run:
            self._fit_rows(rows, run.seed(self.random_state))

    def _read_rows(self, X: Any) -> Any:
        """Return the validated table for the search: float64 rows in CPU memory."""
        return read_table(self, X, min_rows=2)

    def _check_settings(self) -> None:
        """Raise where parameters are wrong; before the run is opened."""

    def _fit_rows(self, rows: Any, seed: int) -> None:
        """Search on `rows` and set the fitted attributes."""
        raise NotImplementedError

    def _search(
        self: Any,
        objective: Any,
        swarm: Swarm[Any],
        positions: Floats,
        rng: np.random.Generator,
        *,
        n_generations: int | None = None,
        title: str = "searching",
        n_evaluations_before: int = 0,
        columns: dict[str, Any] | None = None,
    ) -> SearchResult:
        """Move `swarm` from `positions`, with this estimator's callbacks.

        `n_generations` defaults to the parameter of that name; `title` is what the progress bar
        says; `columns` are constant columns that the history starts with (a stage, a round).
        Callbacks with a ``bind`` method learn the objective's ``labels_of`` and how many
        evaluations went before.
        """
        if n_generations is None:
            n_generations = check_integer("n_generations", self.n_generations, low=1)
        history = History()
        callbacks: list[Any] = [history]
        patience = getattr(self, "patience", None)
        if patience is not None:
            callbacks.append(Patience(patience))
        labels_of = getattr(objective, "labels_of", None)
        if labels_of is None:
            callbacks += list(self.callbacks or [])
        else:
            callbacks += bind_all(self.callbacks, labels_of, n_evaluations_before)
        for bar in callbacks:
            if isinstance(bar, Progress):  # the first generation may have to wait for compilation
                bar.open(title)
        # Objectives that hold threads or graphs of a GPU do so only while the search runs.
        with objective if hasattr(objective, "__enter__") else nullcontext():
            best = optimize(
                objective,
                swarm,
                positions,
                n_generations=n_generations,
                rng=rng,
                callbacks=callbacks,
            )
        constant = {
            name: np.full(best.n_generations, value) for name, value in (columns or {}).items()
        }
        return SearchResult(*best, history={**constant, **history.as_arrays()})

    def _keep_history(self, *searches: SearchResult) -> None:
        """Set `history_` and `n_iter_` to those of one search, or of several in a row."""
        names = searches[0].history
        self.history_ = {
            name: np.concatenate([search.history[name] for search in searches]) for name in names
        }
        self.n_iter_ = sum(search.n_generations for search in searches)

    def _warn_if_one_cluster(
        self, *, searcher: str = "particle", advice: str = "check that the rows differ"
    ) -> None:
        """Warn where the search found no split, so that all rows are in one cluster."""
        if self.n_clusters_ < 2:
            warn_caller(
                f"no {searcher} split the rows into two or more clusters, so all rows are in one; "
                f"{advice}.",
                ConvergenceWarning,
            )


class ScaledCentersMixin(SoftAnswersMixin, PredictMixin):
    """Labels and centres from scaled centres, for estimators with ``_fit_scaling``."""

    def _keep_centers(self: Any, X: Floats, rows: Floats, centers: Floats) -> None:
        """Give each of the `rows`, the scaled ones of X, to its nearest centre."""
        self.labels_, self._fit_centers = number_centers(partial(assign, rows), centers)
        self.n_clusters_ = len(self._fit_centers)
        self.cluster_centers_ = np.stack(
            [X[self.labels_ == number].mean(axis=0) for number in range(self.n_clusters_)]
        )

    def _nearest(self: Any, X: Floats) -> Integers:
        return assign(self._fit_scaling.apply(X), self._fit_centers)

    def _probabilities(self: Any, rows: Floats) -> Floats:
        distances = cdist(self._fit_scaling.apply(rows), self._fit_centers)
        softness = center_softness(np.ones((1, rows.shape[1])))
        return soften(distances, softness, self._nearest(rows))
