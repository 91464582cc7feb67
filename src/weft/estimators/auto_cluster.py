"""AutoCluster: clusters, columns and their number with nothing to set, and how sure that is."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.reading import check_numbers, convert
from weft._base.validation import check_choice, check_integer, check_real
from weft.auto.canonical import to_canonical
from weft.auto.learned import learn, nearest_anchors
from weft.auto.resampling import Repeat, Rounds
from weft.auto.search import Answer, Clock, Settings, repeated_search, search
from weft.auto.sources import Sources, is_mixed
from weft.backends import backend_for
from weft.estimators._declared_auto import AUTO_CLUSTER
from weft.estimators._mixins import KeptFeaturesMixin, ReportMixin
from weft.estimators._reading import read_table
from weft.search.optimize import optimize
from weft.search.runs import running


class AutoCluster(ReportMixin, KeptFeaturesMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Clusters, the columns they live in, and their number, with nothing that must be set.

    Columns are kept if they depend on each other more than permuted copies do and are clumped, not
    merely correlated. On the kept columns a wide family of clusterings competes: centres,
    mixtures, trees, density, graphs. A judge that was trained on made-up tables ranks them by
    evidence that needs no labels; it also says how likely the answer is to be right, and whether
    there are clusters at all.

    Columns may be in any units: each is measured in its own standard deviation. The order of rows
    and columns does not change the answer, and neither does the seed.

    Parameters
    ----------
    n_clusters : int, default=None
        Return the best clustering with exactly so many clusters; None: find the number.
    min_clusters : int, default=None
        The fewest clusters to look for. If given, "no clusters" is not an answer.
    max_clusters : int, default=None
        The most clusters to look for; None: 100, and half the number of rows.
    min_cluster_size : int, default=2
        The fewest rows of a cluster, among the at most 2,000 rows that are clustered.
    outliers : bool, default=False
        Leave rows that belong to no cluster out, with label -1, where the best clustering does
        so. By default every row gets a cluster.
    false_keep_rate : float, default=0.05
        On a table of noise, about so often a column is kept that should not be. Lower values
        need more shadows, and time.
    n_resamples : int, default=4
        How many times the search is repeated on seven tenths of the rows, to see whether clusters
        and columns come out again.
    time_limit : float, default=None
        Seconds after which repeats are left out; what is said of stability then depends on the
        machine.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where columns are compared with each other and with their shadows; ``"auto"`` takes a GPU
        if there is one and the table is large enough. The family of clusterings, at most 2,000
        rows at a time, runs on the host.
    callbacks : list of callable, default=None
        Called after each repeat of the search; see :mod:`weft.callbacks`. With `StopOnSignal` or
        `Checkpoint` the first Ctrl-C leaves out the repeats that are still to come.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the repeats. Clusters, columns and their number do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row; all 0 where no clusters were found, -1 for
        outliers.
    n_clusters_ : int
        Number of clusters; 1 where none were found.
    confidence_ : float
        Estimated probability that the clustering is right (adjusted Rand index of at least 0.8
        with the true one), calibrated on kinds of made-up tables that the judge had not seen.
        Where no clusters were found: the probability that there are none.
    evidence_ : dict of list of str
        What spoke most ``"for"`` the answer and ``"against"`` it, in words.
    feature_weights_ : ndarray of shape (n_features,)
        How far each kept column by itself tells the clusters apart (Cramér's V of its bins, over
        the largest of all); 0 where a column was dropped. New rows are assigned in the metric
        that these weights define.
    feature_scales_ : ndarray of shape (n_features,)
        The standard deviations.
    feature_stability_ : ndarray of shape (n_features,)
        Share of repeats in which the column was kept.
    feature_weight_intervals_ : ndarray of shape (2, n_features)
        5 % and 95 % of its weight over the repeats.
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        How much tighter than all rows each cluster is along each kept column; rows sum to 1.
    cluster_stability_ : ndarray of shape (n_clusters,)
        How far each cluster comes out again in the repeats (mean Jaccard index, 1 at best).
    stability_ : float
        Mean adjusted Rand index between the clustering and its repeats.
    fitness_ : float
        The same as `confidence_`, under the name that all searching estimators share; 0 where no
        clusters were found.
    feature_exponents_ : None
        Distances are Euclidean; present as in `FeatureSwarm`.
    method_ : str
        Which member of the family gave the answer; "none" where no clusters were found.
    alternatives_ : list of dict
        The chosen clustering, then other answers in the judge's order: quality (the judge's score
        less the best one's), n_features, n_clusters, features (columns), labels, method.
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

    _schema = AUTO_CLUSTER

    def __init__(
        self,
        n_clusters=None,
        *,
        min_clusters=None,
        max_clusters=None,
        min_cluster_size=2,
        outliers=False,
        false_keep_rate=0.05,
        n_resamples=4,
        time_limit=None,
        device="cpu",
        callbacks=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.min_clusters = min_clusters
        self.max_clusters = max_clusters
        self.min_cluster_size = min_cluster_size
        self.outliers = outliers
        self.false_keep_rate = false_keep_rate
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
            Not used, present for API consistency.
        resume : str or Path, default=None
            A checkpoint of this fit, to go on from; see :class:`weft.callbacks.Checkpoint`. It
            holds the repeats alone: the search itself is done again.

        Returns
        -------
        self
            The fitted estimator.
        """
        rows, by_source = convert(lambda: self._read_table(X))
        X = convert(
            lambda: validate_data(
                self,
                rows,
                dtype=np.float64,
                order="C",
                ensure_all_finite=False,
                ensure_min_samples=2,
            )
        )
        check_numbers(X, columns=getattr(self, "feature_names_in_", None))
        settings = self._settings(*X.shape)
        given = to_canonical(X)
        table, scales = given.standardised(), given.scales()
        sources = None
        if by_source is not None and is_mixed(by_source):
            owner = self._plan().owner[given.columns]
            sources = Sources(by_source, owner).take(given.rows)
        with running(self, X, resume) as run:
            settings = settings._replace(seed=run.seed(self.random_state))
            clock = Clock(settings.time_limit, run.stop_requested_by)
            answer = search(table, scales, settings, clock, sources)
            repeats = self._repeat(table, scales, answer, settings, clock, sources)
            answer = answer._replace(cut_short_by=clock.stopped_by)
            for name, value in learn(given, table, scales, answer, repeats).items():
                setattr(self, name, value)
        return self

    def _settings(self, n_rows: int, n_columns: int) -> Settings:
        numbers = {}
        for name in ("n_clusters", "min_clusters", "max_clusters"):
            value = getattr(self, name)
            if value is not None:
                value = check_integer(name, value, low=1 if name == "n_clusters" else 2)
            numbers[name] = value
        low, high = numbers["min_clusters"], numbers["max_clusters"]
        if low is not None and high is not None and low > high:
            raise ValueError(
                f"min_clusters={low} is above max_clusters={high}; lower one or raise the other."
            )
        needed = numbers["n_clusters"] or low or 0
        if needed > n_rows:
            raise ValueError(
                f"n_clusters={needed} needs as many samples, got n_samples={n_rows}; lower it."
            )
        limit = self.time_limit
        if limit is not None:
            limit = check_real("time_limit", limit, low=0.0, open_low=True)
        check_choice("outliers", self.outliers, (True, False))
        return Settings(
            **numbers,
            # Below a billionth no number of shadows could tell.
            rate=check_real("false_keep_rate", self.false_keep_rate, low=1e-9, high=1.0),
            min_cluster_size=check_integer("min_cluster_size", self.min_cluster_size, low=1),
            outliers=bool(self.outliers),
            n_resamples=check_integer("n_resamples", self.n_resamples, low=0),
            time_limit=limit,
            backend=backend_for(self.device, "auto", n_rows * n_columns),
            seed=0,  # the run has it
        )

    def _repeat(
        self,
        table: np.ndarray,
        scales: np.ndarray,
        answer: Answer,
        settings: Settings,
        clock: Clock,
        sources: Sources | None,
    ) -> list[Repeat]:
        """Repeat the search on parts of the rows, as long as nobody asks for an end."""
        if not answer.partition.clustered or not settings.n_resamples or clock.is_late(0.5):
            return []
        objective = repeated_search(table, scales, answer, settings, sources)
        late = [lambda generation: clock.is_late(0.5)]
        optimize(
            objective,
            Rounds(),
            np.zeros((1, 1)),
            n_generations=settings.n_resamples,
            rng=np.random.default_rng(settings.seed),
            callbacks=[*late, *(self.callbacks or [])],
        )
        return objective.repeats

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
        X = read_table(self, X, reset=False)
        if not self.get_support().any():
            return np.zeros(len(X), dtype=np.int64)
        metric = self.feature_weights_ / self.feature_scales_
        return self._fit_anchor_labels[nearest_anchors(X, self._fit_anchors, metric)]

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
        X = read_table(self, X, reset=False)
        support = self.get_support()
        return X[:, support] * (self.feature_weights_ / self.feature_scales_)[support]
