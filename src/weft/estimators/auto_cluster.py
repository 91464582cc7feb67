"""AutoCluster: clusters, their number and the relevant columns, without settings."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from weft._base.reading import convert
from weft.auto.canonical import to_canonical
from weft.auto.clock import Clock
from weft.auto.large import SAMPLE_ROWS, in_all_rows, sampled_rows, smallest_rare
from weft.auto.learned import learn, verdict_of
from weft.auto.repeating import repeat_search, threads_for
from weft.auto.search import round_of_search, search
from weft.auto.sources import Sources, is_mixed
from weft.auto.sparse import learn_sparse, take_sample
from weft.estimators._auto_lazy import fit_lazy, predict_lazy
from weft.estimators._auto_rows import AutoRowsMixin, read_rows
from weft.estimators._auto_settings import read_settings
from weft.estimators._blocks import is_dask
from weft.estimators._declared_auto import AUTO_CLUSTER
from weft.estimators._described_answers import AlternativesMixin, DescribedAnswersMixin
from weft.estimators._mixins import KeptFeaturesMixin, ReportMixin
from weft.estimators._moved_params import VERBOSE, MovedParamsMixin
from weft.parallel.ahead import helping_threads
from weft.parallel.threads import local_threads
from weft.search.callbacks import open_bars
from weft.search.runs import running


class AutoCluster(
    MovedParamsMixin,
    AutoRowsMixin,
    AlternativesMixin,
    DescribedAnswersMixin,
    ReportMixin,
    KeptFeaturesMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Finds clusters, their number and the columns that separate them, without settings.

    Columns are kept if they depend on each other more than permuted copies do, and if their rows
    form clumps instead of one correlated cloud. On the kept columns many methods propose
    clusterings: k-means, mixtures, linkages, density-based and graph methods. A judge, trained on
    synthetic tables, ranks them by evidence that needs no labels. It also estimates the probability
    that the answer is right, and decides whether there are clusters at all.

    Columns may have any units: each is divided by its standard deviation. The order of rows
    and columns does not change the answer, and neither does the seed.

    Parameters
    ----------
    n_clusters : int, default=None
        Return the best clustering with exactly this many clusters; None: find the number.
    min_clusters : int, default=None
        Minimum number of clusters. If given, "no clusters" is not a possible answer.
    max_clusters : int, default=None
        Maximum number of clusters; None: 100, and at most half the number of rows.
    min_cluster_size : int, default=2
        Minimum number of rows of a cluster, among the at most 2,000 rows that are clustered.
    outliers : bool, default=False
        Give rows that belong to no cluster the label -1, where the best clustering does so. By
        default every row gets a cluster.
    false_keep_rate : float, default=0.05
        The share of pure noise tables in which at least one column is wrongly kept. Lower values
        need more permuted copies, and more time.
    n_resamples : int, default=4
        Number of repeats of the search on 70 % of the rows, but at most 500, to measure how stable
        clusters and columns are.
    time_limit : float, default=None
        Seconds after which the remaining repeats are left out. The stability then depends on the
        speed of the machine.
    counts : bool, default=False
        Set it if the table holds raw counts: every row is scaled to the same total (the median),
        and log(1 + value) is taken, as :class:`weft.CountNormalizer` does; `predict` does the same.
        A fit on a table that looks like raw counts gives a warning that suggests it.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where columns are compared with each other and with permuted copies; ``"auto"`` uses a GPU
        if there is one and the table is large enough. Tables with more than twice as many columns
        as rows, and the candidate clusterings (at most 2,000 rows), are computed on the CPU.
    callbacks : list of callable, default=None
        Called after each repeat of the search; see :mod:`weft.callbacks`. With `StopOnSignal` or
        `Checkpoint` the first Ctrl-C skips the remaining repeats. ``[Progress()]`` shows a bar;
        ``verbose=True`` is short for it.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the repeats. Clusters, columns and their number do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row; all 0 if no clusters were found, -1 for
        outliers.
    n_clusters_ : int
        Number of clusters; 1 if none were found.
    confidence_ : float
        Estimated probability that the clustering is right (adjusted Rand index of at least 0.8 with
        the true one), calibrated on kinds of synthetic tables that were not used in training. If no
        clusters were found: the probability that there are none.
    evidence_ : dict of list of str
        The strongest evidence ``"for"`` and ``"against"`` the answer, in words.
    feature_weights_ : ndarray of shape (n_features,)
        How well each kept column alone separates the clusters (Cramér's V of its bins, divided by
        the largest); 0 for dropped columns. New rows are assigned with distances weighted by these.
    feature_scales_ : ndarray of shape (n_features,)
        The standard deviations.
    feature_stability_ : ndarray of shape (n_features,)
        Share of repeats in which the column was kept.
    feature_weight_intervals_ : ndarray of shape (2, n_features)
        5 % and 95 % quantiles of the column's weight over the repeats.
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        How much smaller the spread of each cluster is than that of all rows, along each kept
        column; rows sum to 1.
    cluster_stability_ : ndarray of shape (n_clusters,)
        How well each cluster is reproduced in the repeats (mean Jaccard index, 1 at best).
    stability_ : float
        Mean adjusted Rand index between the clustering and its repeats.
    fitness_ : float
        The same as `confidence_`, under the name that all searching estimators share; 0 if no
        clusters were found.
    feature_exponents_ : None
        Always None, because distances are Euclidean; present as in `FeatureSwarm`.
    method_ : str
        The method that gave the answer; "none" if no clusters were found.
    alternatives_ : list of dict
        The chosen clustering, then other answers, best first: quality (the judge's score minus that
        of the answer; NaN for clusterings of other columns and for weak ones), n_features,
        n_clusters, features (columns), labels, method. After a doubtful "no clusters" (probability
        below 0.9) the second is a weak clustering.
    candidates_ : list of dict
        The best candidate for each number of clusters: n_clusters, quality (the judge's score minus
        that of the answer), method, n_candidates, reasons ("for" and "against"), measures, labels,
        behind (why it is not the answer in spite of a higher score; empty otherwise).
    membership_ : Membership
        The most likely clusters of each row and their probabilities; see `membership`. Not stored
        for tables of more than 100,000 rows.
    outlier_score_ : ndarray of shape (n_samples,)
        How unusual each row is, from 0 to 1; see `outlier_score`. Stored under the same condition
        as `membership_`.
    rules_ : list of Rule
        A short rule for each cluster, with its precision and coverage on rows that were not used to
        find it.
    cluster_names_ : dict of int to str
        A name for each cluster, made from the columns in which it differs most from the others.
    verdict_ : str
        The answer and its certainty, in one or two sentences.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if the table had names.

    Notes
    -----
    All columns of a sparse table are assumed to have the same unit, so they are not scaled. The
    search uses at most 2,000 columns (those whose variance exceeds most what their mean explains)
    and at most 2,000 rows. Every row then gets the cluster that most of its nearest searched rows
    have, measured on principal axes. Rows of length 1, which scikit-learn's ``TfidfVectorizer``
    returns, are compared by their direction.

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
    _moved = (VERBOSE,)

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
        counts=False,
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
        self.counts = counts
        self.device = device
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y=None, *, resume=None):
        """Find the relevant columns and the clusters, and how certain both are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The table. A sparse table is never made dense as a whole, see the notes; a Dask array or
            dataframe is never in memory as a whole.
        y : ignored
            Not used, present for API consistency.
        resume : str or Path, default=None
            A checkpoint of this fit to resume from; see :class:`weft.callbacks.Checkpoint`. It
            holds only the repeats; the search itself is computed again.

        Returns
        -------
        self
            The fitted estimator.
        """
        if is_dask(X):
            fit_lazy(self, X, resume)
            return self
        rows, by_source = convert(lambda: self._read_table(X))
        X = read_rows(self, rows, reset=True)
        settings = read_settings(self, *X.shape)
        sample = take_sample(X) if issparse(X) else None
        if sample is not None:
            settings = settings._replace(one_unit=True, unit_rows=sample.unit_rows)
            chosen, given = sample.rows, to_canonical(sample.table)
        else:
            # A large table is searched on a sample of its rows; the values of the rows decide
            # which.
            chosen = sampled_rows(X) if len(X) > SAMPLE_ROWS else np.arange(len(X))
            given = to_canonical(X if len(chosen) == len(X) else X[chosen])
        scales = given.scales()
        table = given.standardised(scales)
        owner = None if by_source is None else self._plan().owner
        sources = None
        if by_source is not None and owner is not None and is_mixed(by_source):
            sources = Sources(by_source, owner[given.columns]).take(chosen[given.rows])
        n_threads = local_threads(self.n_jobs)
        with running(self, X, resume) as run, open_bars(self.callbacks, "repeating the search"):
            settings = settings._replace(seed=run.seed(self.random_state))
            clock = Clock(settings.time_limit, run.stop_requested_by)
            n_rounds = 0 if settings.n_clusters == 1 else settings.n_resamples
            with helping_threads(threads_for(len(table), n_threads)) as helpers:
                one_round = round_of_search(table, scales, settings, sources, helpers=helpers)
                rounds = helpers.ahead(one_round, n_rounds)
                answer = search(table, scales, settings, clock, sources, helpers=helpers)
                repeats = repeat_search(rounds, answer, settings, clock, self.callbacks)
            answer = answer._replace(cut_short_by=clock.stopped_by)
            # Memberships of a sample are not used: those of all rows replace them.
            ways = {"soft": len(chosen) == X.shape[0], "n_threads": n_threads}
            learned = learn(given, table, scales, answer, repeats, owner, **ways)
            if sample is not None:
                learned = learn_sparse(learned, sample, X)
                learned["verdict_"] = verdict_of(answer, learned, bool(repeats))
            elif len(X) > len(answer.rows):
                rare = smallest_rare(settings, answer) if sources is None else 0
                learned = in_all_rows(
                    learned, X, chosen, given.columns, rare=rare, n_threads=n_threads
                )
            for name in ("_fit_membership", "_fit_outlier_scores", "_fit_source_values"):
                self.__dict__.pop(name, None)
            for name, value in learned.items():
                setattr(self, name, value)
            if by_source is not None:
                self._fit_source_values = by_source.values[self._fit_anchor_rows]
        return self

    def predict(self, X):
        """Assign rows to the cluster of the nearest row that was clustered in fit.

        After a fit on a sparse table: to the cluster that most of the 15 nearest rows have.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters; of a Dask table, a Dask array.
        """
        check_is_fitted(self)
        return predict_lazy(self, X) if is_dask(X) else self._predict_rows(X)
