"""AutoCluster: clusters, features and K with nothing to set, also where most columns are noise."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.labels import number_by_first_row, order_by_first_row, renumber
from weft._base.validation import check_integer, check_magnitude, check_real
from weft.auto.proposed_weights import propose_weights
from weft.auto.search import FEWEST_ROWS, Answer, Settings, search
from weft.backends import backend_for
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.devices import to_host
from weft.backends.spaces import Solution
from weft.columns.weights import subspace_weights
from weft.estimators._declared import POSITIVE, SMALLEST, declare, floats, positions, rows
from weft.estimators._mixins import KeptFeaturesMixin, ReportMixin
from weft.models.kinds import NOTHING, Fields, Integer, ListOf, Number, OneOf, Text
from weft.models.schema import Added
from weft.parallel.blas import one_blas_thread
from weft.search.runs import running


class AutoCluster(ReportMixin, KeptFeaturesMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Clusters, the columns they live in, and their number, with nothing that must be set.

    Columns compete with permuted copies of themselves, and are kept if they depend on each other
    more than any copy does and are clumped, not merely correlated. On the kept columns a family
    of clusterings competes: mixtures, Ward's tree, the graph of neighbours, k-means; the one that
    comes out again when rows are left out, and that others find as well, wins. If there is none,
    all rows get one label.

    Columns may be in any units: each is measured in its own standard deviation.

    Parameters
    ----------
    false_keep_rate : float, default=0.05
        On a table of noise, about so often a column is kept that should not be. Lower values
        need more shadows, and time.
    max_clusters : int, default=None
        The most clusters to look for; None: the root of the number of rows, but 50 at most.
    n_resamples : int, default=4
        How many times the clustering and the choice of columns are repeated on seven tenths of
        the rows.
    time_limit : float, default=None
        Seconds after which refinements are left out; the answer then depends on the machine.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where columns are compared with each other and with their shadows, and where the swarm's
        graphs are built; ``"auto"`` takes a GPU if there is one and the table is large enough. The
        family of clusterings, at most 2,000 rows at a time, runs on the host.
    callbacks : list of callable, default=None
        Called after each generation of the swarm that refines the weights; see
        :mod:`weft.callbacks`. With `StopOnSignal` or `Checkpoint` the first Ctrl-C leaves out what
        refinements are still to come.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of shadows, resamples and starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row; all 0 where no clusters were found.
    n_clusters_ : int
        Number of clusters; 1 where none were found.
    feature_weights_ : ndarray of shape (n_features,)
        Weight of each column in units of its deviation; the largest is 1, 0 where it was dropped.
    feature_scales_ : ndarray of shape (n_features,)
        The deviations.
    feature_stability_ : ndarray of shape (n_features,)
        Share of resamples in which the column was kept.
    feature_weight_intervals_ : ndarray of shape (2, n_features)
        5 % and 95 % of its weight over the resamples.
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        How much tighter than all rows each cluster is along each kept column; rows sum to 1.
    cluster_stability_ : ndarray of shape (n_clusters,)
        How far each cluster comes out again in the resamples (mean Jaccard index, 1 at best).
    stability_ : float
        Mean adjusted Rand index between the clustering and those of the resamples.
    fitness_ : float
        What the choice was made by: 0.6 stability + 0.4 agreement with the other members of the
        family, or stability alone for cuts through overlapping clouds; 0 where none were found.
    feature_exponents_ : None
        Distances are Euclidean; there as in `FeatureSwarm`.
    method_ : str
        Which member of the family won; "none" where no clusters were found.
    alternatives_ : list of dict
        The front of quality, few features and few clusters, best quality first: quality
        (modularity on the graph of neighbours in the kept columns), stability, n_features,
        n_clusters, features (columns), labels, method.
    verdict_ : str
        The answer and how sure it is, in one or two sentences.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from weft import AutoCluster
    >>> from weft.datasets import add_noise_features
    >>> noisy = add_noise_features(load_wine(), 13, random_state=0)
    >>> model = AutoCluster(random_state=0).fit(noisy.data)
    >>> model.n_clusters_, int(model.get_support()[13:].sum())
    (3, 0)
    """

    _schema = declare(
        {
            "labels_": positions("n_samples", "n_clusters"),
            "n_clusters_": Integer(low=1, binds="n_clusters"),
            "feature_weights_": floats("n_features", low=0.0),
            "feature_scales_": floats("n_features", low=SMALLEST),
            "feature_stability_": floats("n_features", low=0.0, high=1.0),
            "feature_weight_intervals_": floats(2, "n_features", low=0.0),
            "cluster_feature_weights_": floats("n_clusters", "n_features", low=0.0),
            "cluster_stability_": floats("n_clusters", nan=True),
            "stability_": Number(nan=True),
            "fitness_": Added(OneOf(NOTHING, Number(nan=True)), lambda learned: None),
            "feature_exponents_": Added(NOTHING, lambda learned: None),
            "method_": Text(100),
            "verdict_": Text(),
            "alternatives_": ListOf(
                Fields(
                    {
                        **dict.fromkeys(("quality", "stability"), Number(nan=True)),
                        **dict.fromkeys(("n_features", "n_clusters"), Integer()),
                        "features": positions("*", "n_features", least=0),
                        "labels": positions("n_samples", "n_samples", low=-1),
                        "method": Text(100),
                    }
                )
            ),
            "_fit_anchors": rows("n_anchors"),
            "_fit_anchor_labels": positions("n_anchors", "n_clusters"),
        },
        false_keep_rate=Number(low=0.0, high=1.0, above=True),
        time_limit=OneOf(NOTHING, POSITIVE),
    )

    def __init__(
        self,
        *,
        false_keep_rate=0.05,
        max_clusters=None,
        n_resamples=4,
        time_limit=None,
        device="cpu",
        callbacks=None,
        n_jobs=None,
        random_state=None,
    ):
        self.false_keep_rate = false_keep_rate
        self.max_clusters = max_clusters
        self.n_resamples = n_resamples
        self.time_limit = time_limit
        self.device = device
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, *, resume=None):
        """Find the columns that matter, the clusters in them, and how sure both are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.
        y : ignored
            There for scikit-learn's sake.
        resume : str or Path, default=None
            A checkpoint of this fit, to go on from; see :class:`weft.callbacks.Checkpoint`. It
            holds the swarm alone: what comes before it is done again.

        Returns
        -------
        self
            The fitted estimator.
        """
        X = validate_data(self, to_host(X), dtype=np.float64, ensure_min_samples=2)
        check_magnitude(X)
        settings = self._settings(X.size)
        deviation = X.std(axis=0)
        # Rounding leaves a constant column a tiny deviation, which must not be blown up.
        varies = (np.ptp(X, axis=0) > 0.0) & (deviation > 1e-12 * np.abs(X).max(axis=0))
        self.feature_scales_ = np.where(varies, deviation, 1.0)
        rows = np.where(varies, (X - X.mean(axis=0)) / self.feature_scales_, 0.0)
        with running(self, X, resume) as run:
            settings = settings._replace(seed=run.seed(self.random_state))
            # Where to is settled already: the swarm may take it or leave it.
            where = "auto" if settings.backend.on_gpu else "cpu"
            propose = partial(propose_weights, device=where, callbacks=self.callbacks)
            # One thread each: the bits of a product must not depend on the machine's load.
            with one_blas_thread():
                answer = search(rows, settings, propose, run.stop_requested_by)
            self._keep(X, rows, answer)
        return self

    def _settings(self, n_numbers: int) -> Settings:
        most = self.max_clusters
        if most is not None:
            most = check_integer("max_clusters", most, low=2)
        limit = self.time_limit
        if limit is not None:
            limit = check_real("time_limit", limit, low=0.0, open_low=True)
        return Settings(
            rate=check_real(
                "false_keep_rate", self.false_keep_rate, low=0.0, high=1.0, open_low=True
            ),
            max_clusters=most,
            n_resamples=check_integer("n_resamples", self.n_resamples, low=0),
            time_limit=limit,
            n_jobs=self.n_jobs,
            backend=backend_for(self.device, "auto", n_numbers),
            seed=0,  # the run has it
        )

    def _keep(self, X: np.ndarray, rows: np.ndarray, answer: Answer) -> None:
        highest = max(float(answer.weights.max()), 1e-300)
        found = answer.winner is not None
        self.feature_weights_ = answer.weights / highest if found else answer.weights
        self.feature_weight_intervals_ = answer.weight_interval / (highest if found else 1.0)
        self.feature_stability_ = answer.keep_share
        self._fit_anchors = X[answer.rows]
        nearest = self._nearest_anchors(X) if found else np.zeros(len(X), dtype=np.int64)
        nearest[answer.rows] = np.arange(len(answer.rows))
        raw = answer.labels[nearest]
        order = order_by_first_row(raw)
        labels = renumber(raw, order)
        self.labels_ = labels
        self._fit_anchor_labels = labels[answer.rows]
        self.n_clusters_ = len(order)
        kept = self.get_support()
        self.cluster_feature_weights_ = np.zeros((self.n_clusters_, X.shape[1]))
        if found:
            self.cluster_feature_weights_[:, kept] = subspace_weights(rows[:, kept], labels)
        self.cluster_stability_ = answer.cluster_stability[order]
        self.stability_ = float(answer.winner.stability) if answer.winner else 1.0
        self.fitness_ = float(answer.winner.score) if answer.winner else 0.0
        self.feature_exponents_ = None
        self.method_ = answer.winner.name if answer.winner else "none"
        self.alternatives_ = [
            {**one._asdict(), "labels": number_by_first_row(one.labels[nearest])}
            for one in answer.alternatives
        ]
        self.verdict_ = self._verdict(answer)

    def _verdict(self, answer: Answer) -> str:
        n_features = len(self.feature_weights_)
        if answer.winner is None:
            if len(self.labels_) < FEWEST_ROWS:
                return f"No clusters found: {len(self.labels_)} rows are too few to tell."
            if not answer.screening.dependent.any():
                return (
                    f"No clusters found: none of the {n_features} columns depends on another more "
                    "than permuted copies do."
                )
            return (
                f"No clusters found: {int(answer.screening.dependent.sum())} of the {n_features} "
                "columns depend on each other, but as one cloud."
            )
        n_kept = int(self.get_support().sum())
        text = f"{self.n_clusters_} clusters from {n_kept} of {n_features} columns."
        if self.n_resamples:
            steady = (
                "come out again almost unchanged"
                if self.stability_ >= 0.9
                else "mostly come out again"
                if self.stability_ >= 0.7
                else "change much: take them as a first sketch"
            )
            text += f" When three rows in ten are left out, they {steady} ({self.stability_:.2f})."
        if answer.hurried:
            text += f" {answer.hurried[0].upper()}{answer.hurried[1:]} left refinements out."
        return text

    def _nearest_anchors(self, X: np.ndarray) -> np.ndarray:
        """Return the nearest clustered row of each row, in the learned metric."""
        solution = Solution(self.feature_weights_ / self.feature_scales_)
        return nearest_rows_of(X, self._fit_anchors, solution).indices

    def predict(self, X):
        """Label rows: the cluster of the nearest row that was clustered in fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters.
        """
        check_is_fitted(self)
        X = validate_data(self, to_host(X), dtype=np.float64, reset=False)
        if not self.get_support().any():
            return np.zeros(len(X), dtype=np.int64)
        return self._fit_anchor_labels[self._nearest_anchors(X)]

    def transform(self, X):
        """Return the kept columns, in units of their deviation, each times its weight.

        Euclidean distances between the returned rows are those that the clusters were found in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_selected)
            Weighted, selected columns.
        """
        check_is_fitted(self)
        X = validate_data(self, to_host(X), dtype=np.float64, reset=False)
        support = self.get_support()
        return X[:, support] * (self.feature_weights_ / self.feature_scales_)[support]
