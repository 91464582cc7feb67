"""`ProjectedSwarm`: clusters in subspaces of one table, by swarm, for numbers and for text.

Lu, Wang, Li and Zhou 2009, "Particle swarm optimizer for variable weighting in clustering
high-dimensional data".
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from weft._base.arrays import Floats
from weft._base.validation import check_choice, check_integer, check_magnitude, check_real
from weft.backends.devices import DEVICES, to_host
from weft.estimators._blocks import is_dask, read_lazy
from weft.estimators._blockwise import BlockwiseMixin
from weft.estimators._centers import CenterClusterer
from weft.estimators._declared import COUNT, FITNESS, POSITIVE, SEARCH, declare, floats, history
from weft.estimators._declared_centers import CENTERS, STREAM
from weft.estimators._devices import choose_device
from weft.estimators.entropy_kmeans import typical_dispersion, typical_share
from weft.kmeans.alternation import Start
from weft.kmeans.chunked import BlockFit, Table, alternate_blocks, whole_center
from weft.kmeans.data import make_data, nearest
from weft.kmeans.fitting import varying
from weft.kmeans.sampling import draw_sample
from weft.kmeans.streams import Stream
from weft.methods.projected.criteria import OBJECTIVES, Criterion
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.objectives import Best, PartitionObjective, WeightObjective
from weft.methods.projected.on_device import DeviceSpace
from weft.methods.projected.rules import ScaledRule
from weft.methods.projected.sparse import SparseSpace
from weft.methods.projected.starts import (
    INITS,
    WEIGHT_INITS,
    draw_centers,
    draw_partitions,
    draw_weights,
)
from weft.models.kinds import NOTHING, Choice, Flag, ListOf, Number, OneOf
from weft.models.schema import Only, Optional
from weft.parallel.blas import one_blas_thread
from weft.parallel.threads import Runner, thread_runner
from weft.search.callbacks import History, Patience, Progress
from weft.search.optimize import optimize
from weft.search.runs import running
from weft.search.swarms.clpso import BOUNDS, CLPSO, PartitionCLPSO

# Rows of a Dask table that the swarm searches on; all of them go through the polish.
_SEARCH_ROWS = 10_000


class ProjectedSwarm(BlockwiseMixin, CenterClusterer):
    """Clusters that live in different subspaces of one table, by swarm (PSOVW, TCPSO).

    Every cluster has a weight for every feature, and rows belong to the centre that is nearest
    under that cluster's weights. The swarm searches for the clusters and weights with the least
    weighted scatter ``Σ_l Σ_{i in l} Σ_j w_lj^β (x_ij - z_lj)²`` [1]_.

    By default a particle is a partition. It starts from the closed-form alternation after
    k-means++, learns whole clusters from better particles (each found in the other by the rows
    that the two have in common), and takes `n_steps` rounds of the alternation before it is
    scored; a particle that has become the same as another starts anew. The printed method moves
    weight matrices instead: ``ProjectedSwarm(k, particle="weights", init="random",
    weight_init="uniform", bounds="neglect", n_evaluations=5000, polish=False,
    dispersion_floor=0, standardize=False, patience=None)``.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    objective : {"psovw", "lac", "ewkm", "wkmeans"}, default="psovw"
        What is minimised: the objective of the paper, of LAC or EWKM (weights with an entropy
        term), or of W-k-means (one set of weights for all clusters).
    metric : {"euclidean", "jaccard"}, default="euclidean"
        ``"jaccard"`` is for text: the extended Jaccard coefficient, summed over documents and
        maximised. Takes sparse rows and never makes them dense.
    particle : {"clusters", "weights"}, default="clusters"
        What a particle is: a partition, whose weights and centres follow, or, as printed, a
        weight matrix with centres of its own.
    weight_exponent : float or "auto", default="auto"
        The power β of the weights. "auto": 8 as printed, 1 for ``metric="jaccard"``, where 8
        was measured to hurt.
    strength : float or "auto", default="auto"
        γ of ``"ewkm"`` (printed: 1) or h of ``"lac"``: how much the entropy counts. "auto": the
        mean dispersion of a feature in a random cluster, as in `EntropyKMeans`.
    n_particles : int, default=10
        Size of the swarm.
    n_evaluations : int, default=500
        How many particles are evaluated in all, at most: 500 are 50 generations of 10. With
        ``bounds="neglect"`` most are not, and as printed 500 generations are meant.
    patience : int or None, default=20
        Stop after so many generations without a better best; None, as in the paper, evaluates
        all.
    init : {"k-means++", "random"}, default="k-means++"
        How each particle's first centres are drawn from the rows; the paper: "random".
    weight_init : {"near-one", "uniform"}, default="near-one"
        Where first weights are drawn: [0.9, 1], or, as printed, [0, 1].
    bounds : {"clip", "repair", "neglect"}, default="clip"
        What happens to a weight whose step would leave [0, 1], with ``particle="weights"``: it
        stops at the wall, or is reflected. ``"neglect"``, as printed: it flies on, and a particle
        is not evaluated as long as any of its weights is outside.
    n_steps : int, default=3
        Rounds of the closed-form alternation in each evaluation, with ``particle="clusters"``.
    polish : bool, default=True
        Run the closed-form alternation from the best particle until it settles.
    dispersion_floor : float, default=1e-4
        Share of a feature's variance that is added to every cluster's: without it a cluster that
        is constant in one feature costs nothing, whatever else is in it. The paper has none.
    standardize : bool, default=True
        Measure each column in its own standard deviations, so that units do not matter; centres
        and distances are given in the columns' own units all the same. The paper does not; text
        (``metric="jaccard"``) never is.
    inertia : (float, float), default=(0.9, 0.7)
        First and last inertia, with ``particle="weights"``.
    acceleration : float, default=1.49445
        Pull of what was learned, with ``particle="weights"``.
    max_iter : int, default=300
        Largest number of rounds of the alternation at the start of a particle and in the polish.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the swarm is evaluated; ``"auto"`` takes a GPU where there is one and the table is
        large enough to pay. Draws, blocks of Dask and `predict` stay on the host, and so does
        ``metric="jaccard"``, for which ``"cuda"`` is refused.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    callbacks : list of callable, default=None
        Called after each generation; see :mod:`weft.callbacks`.
    verbose : int, default=0
        1 shows a progress bar.
    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weights, each row summing to 1. With ``metric="jaccard"`` and ``particle="clusters"``
        terms count alike in the search, and this says which share of a cluster's similarity to
        its centre each term accounts for: the words that make the cluster.
    feature_weights_ : ndarray of shape (n_features,)
        Their mean over the rows.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters.
    fitness_ : float
        Minus the objective, with weights scaled to a mean of 1 (the printed value times M^β), or
        the summed similarity for ``metric="jaccard"``; higher is better.
    history_ : dict of ndarray
        One entry per generation: generation, best_fitness, mean_fitness, seconds, n_clusters.
    n_iter_ : int
        Generations that were evaluated.
    n_samples_search_ : int
        Rows that the swarm searched on, after a fit on a Dask table.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

    References
    ----------
    .. [1] Y. Lu, S. Wang, S. Li and C. Zhou, "Particle swarm optimizer for variable weighting in
       clustering high-dimensional data", Machine Learning 82, 43-70, 2011.

    Examples
    --------
    >>> from weft import ProjectedSwarm
    >>> from weft.datasets import make_subspace_clusters
    >>> from weft.metrics import accuracy
    >>> clusters = make_subspace_clusters(
    ...     150, n_features=30, n_clusters=3, mean_range=(0, 10), random_state=0
    ... )
    >>> model = ProjectedSwarm(3, random_state=0).fit(clusters.data)
    >>> accuracy(clusters.target, model.labels_) > 0.95
    True
    >>> model.cluster_feature_weights_.shape
    (3, 30)
    """

    _schema = declare(
        {
            **CENTERS,
            "_exponent": Only(Choice(2.0), "metric", "euclidean"),
            # The square of a column's deviation may be 0 in float64.
            "_factors": Only(
                floats("n_clusters", "n_features", low=0.0, inf=True), "metric", "euclidean"
            ),
            "_weights": Only(
                OneOf(NOTHING, floats("n_clusters", "n_features", low=0.0)), "metric", "jaccard"
            ),
            "fitness_": FITNESS,
            "history_": history(*SEARCH, "n_clusters"),
            "n_samples_search_": Optional(COUNT),
            "_stream": STREAM,
        },
        objective=Choice(*OBJECTIVES),
        metric=Choice("euclidean", "jaccard"),
        particle=Choice("clusters", "weights"),
        weight_exponent=OneOf(Choice("auto"), Number(low=0.0)),
        strength=OneOf(Choice("auto"), POSITIVE),
        init=Choice(*INITS),
        weight_init=Choice(*WEIGHT_INITS),
        bounds=Choice(*BOUNDS),
        polish=Flag(),
        inertia=ListOf(Number(), 2),
    )

    def __init__(
        self,
        n_clusters=8,
        *,
        objective="psovw",
        metric="euclidean",
        particle="clusters",
        weight_exponent="auto",
        strength="auto",
        n_particles=10,
        n_evaluations=500,
        patience=20,
        init="k-means++",
        weight_init="near-one",
        bounds="clip",
        n_steps=3,
        polish=True,
        dispersion_floor=1e-4,
        standardize=True,
        inertia=(0.9, 0.7),
        acceleration=1.49445,
        max_iter=300,
        device="cpu",
        n_jobs=None,
        callbacks=None,
        verbose=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.objective = objective
        self.metric = metric
        self.particle = particle
        self.weight_exponent = weight_exponent
        self.strength = strength
        self.n_particles = n_particles
        self.n_evaluations = n_evaluations
        self.patience = patience
        self.init = init
        self.weight_init = weight_init
        self.bounds = bounds
        self.n_steps = n_steps
        self.polish = polish
        self.dispersion_floor = dispersion_floor
        self.standardize = standardize
        self.inertia = inertia
        self.acceleration = acceleration
        self.max_iter = max_iter
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric == "jaccard"
        return tags

    def fit(self, X, y=None, *, resume=None):
        """Search for clusters and their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; sparse for ``metric="jaccard"``, if you like. Of a Dask array or dataframe the
            swarm searches on a sample of 10,000 rows, and `polish` goes over all of them block by
            block; ``labels_`` are then a Dask array.
        y : ignored
            Present by convention.
        resume : str or Path, default=None
            A checkpoint of this fit, to go on from; see :class:`weft.callbacks.Checkpoint`.

        Returns
        -------
        ProjectedSwarm
            The fitted estimator.
        """
        self._check()
        self.__dict__.pop("_stream", None)  # whatever came in batches before
        if is_dask(X):
            self._fit_table(X, resume)
            return self
        rows = self._read(X, reset=True)
        self._fit_rows(rows, resume)
        return self

    @available_if(lambda self: self.metric == "euclidean")
    def partial_fit(self, X, y=None):
        """Add a batch of rows to what was learned from those before.

        The swarm searches on the first batch. Each later one is assigned to the centres as they
        are, and moves centres and weights by as much as its rows count among all rows so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; the first batch needs as many as there are clusters.
        y : ignored
            Present by convention.

        Returns
        -------
        ProjectedSwarm
            The estimator; ``labels_`` are those of this batch.
        """
        return super().partial_fit(X)

    def _fit_rows(self, rows: Any, resume: Any) -> None:
        n_clusters = self._check_clusters(rows.shape[0])
        with running(self, rows, resume) as fit, thread_runner(self.n_jobs) as run:
            rng = np.random.default_rng(fit.seed(self.random_state))
            if self.metric == "jaccard":
                self._fit_sparse(rows, n_clusters, run, rng)
            else:
                # One BLAS thread: blocks of rows run side by side, and bits depend on no setting.
                with one_blas_thread():
                    self._fit_dense(rows, n_clusters, run, rng)

    def _check_clusters(self, n_rows: int) -> int:
        n_clusters = check_integer("n_clusters", self.n_clusters, low=1)
        if n_clusters > n_rows:
            raise ValueError(
                f"n_clusters={n_clusters} needs as many samples, got "
                f"n_samples={n_rows}; lower n_clusters."
            )
        return n_clusters

    def _fit_table(self, X: Any, resume: Any) -> None:
        """`fit` on a Dask array or dataframe: search on a sample, polish on all rows."""
        if self.metric != "euclidean":
            raise ValueError(
                f"metric={self.metric!r} has no form for a Dask table; use metric='euclidean', or "
                "give the rows as a sparse array."
            )
        lazy = read_lazy(self, X)
        self._check_clusters(lazy.n_rows)
        # Drawn before the run begins: a checkpoint knows the sample, not the table.
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        active = lazy.survey.low < lazy.survey.high
        active = active if active.any() else np.ones_like(active)
        table = Table.of(lazy.blocks, lazy.survey, 2.0)
        whole, n_rows = whole_center(table, active)
        sample = draw_sample(
            table.blocks,
            whole.centers,
            active,
            exponent=2.0,
            total_mass=lazy.survey.mass,
            seed=int(seed),
            size=_SEARCH_ROWS,
            by_distance=False,
        )
        self._fit_rows(sample.rows, resume)
        rule = self._whole_rule(active, whole.dispersions, n_rows)
        start = Start(self.cluster_centers_, self.cluster_feature_weights_)
        n_searched = self.n_iter_
        rounds = self.max_iter if self.polish else 0
        outcome, found, n_passes = alternate_blocks(table, start, rule, max_iter=rounds)
        factors = rule.factors(outcome.weights)
        fit = BlockFit(outcome, None, active, factors, found.mass, found, n_passes)
        self._keep_lazy(fit, lazy, table)
        self.n_samples_search_ = len(sample.rows)
        self.n_iter_ = n_searched
        del self.inertia_
        self.fitness_ = -outcome.criterion

    def _whole_rule(
        self, active: NDArray[np.bool_], dispersions: Floats, n_rows: float
    ) -> ScaledRule:
        """Return the rule of all rows, given their number and dispersions around their mean."""
        n_clusters = int(self.n_clusters)
        variance = dispersions[active] / n_rows
        unit = np.sqrt(variance) if self.standardize else np.ones(len(variance))
        unit = np.where(unit < np.finfo(np.float64).tiny, 1.0, unit)
        scaled = variance / unit**2
        if isinstance(self.strength, str):
            averaged = self.objective == "lac"
            strength = typical_share(scaled * n_rows, n_rows, n_clusters, averaged)
        else:
            strength = check_real("strength", self.strength, low=0.0, open_low=True)
        floor = float(self.dispersion_floor) * scaled * (n_rows / n_clusters)
        criterion = Criterion(self.objective, self._exponent_of_weights(), strength, floor)
        return ScaledRule(criterion, active, unit)

    def _stream_rule(self, active: NDArray[np.bool_], stream: Stream) -> ScaledRule:
        # The clusters' scatter and that of their centres make up the whole.
        share = stream.sizes / stream.sizes.sum()
        mean = share @ self.cluster_centers_
        between = stream.sizes @ (self.cluster_centers_ - mean) ** 2
        within = (stream.total / stream.units**2).sum(axis=0)
        return self._whole_rule(active, within + between, float(stream.sizes.sum()))

    def _read_fit(self, X: Any, sample_weight: Any, *, reset: bool = True) -> Any:
        rows = self._read(X, reset=reset)
        return rows, np.ones(len(rows), dtype=bool), np.ones(len(rows))

    def _keep_worth(self, criterion: float) -> None:
        self.fitness_ = -criterion

    def _check(self) -> None:
        check_choice("objective", self.objective, OBJECTIVES)
        check_choice("metric", self.metric, ("euclidean", "jaccard"))
        check_choice("particle", self.particle, ("clusters", "weights"))
        check_choice("init", self.init, INITS)
        check_choice("weight_init", self.weight_init, WEIGHT_INITS)
        check_choice("bounds", self.bounds, BOUNDS)
        check_choice("device", self.device, DEVICES)
        if self.metric == "jaccard" and self.device == "cuda":
            raise ValueError(
                "device='cuda' has no form for metric='jaccard'; use device='cpu', or 'auto', "
                "which takes the CPU here."
            )
        if self.metric == "jaccard" and self.objective != "psovw":
            raise ValueError(
                f"objective={self.objective!r} has no form for metric='jaccard'; "
                "leave objective at 'psovw'."
            )
        n_particles = check_integer("n_particles", self.n_particles, low=1)
        check_integer("n_evaluations", self.n_evaluations, low=n_particles)
        check_integer("n_steps", self.n_steps, low=1)
        check_integer("max_iter", self.max_iter, low=1)
        check_real("dispersion_floor", self.dispersion_floor, low=0.0)

    def _exponent_of_weights(self) -> float:
        if isinstance(self.weight_exponent, str):
            check_choice("weight_exponent", self.weight_exponent, ("auto",))
            return 1.0 if self.metric == "jaccard" else 8.0
        return check_real("weight_exponent", self.weight_exponent, low=0.0)

    def _make_criterion(self, X: Floats, n_clusters: int, run: Runner) -> Criterion:
        exponent = self._exponent_of_weights()
        closed = self.particle == "clusters" or self.polish
        if closed and self.objective in ("psovw", "wkmeans") and exponent < 1.0:
            raise ValueError(
                f"weight_exponent={exponent:g} has no closed-form weights; use 1 or more, or "
                "particle='weights' with polish=False."
            )
        if isinstance(self.strength, str):
            check_choice("strength", self.strength, ("auto",))
            data = make_data(X, np.ones(len(X)), 2.0, run)
            active = np.ones(X.shape[1], dtype=bool)
            strength = typical_dispersion(data, active, n_clusters, self.objective == "lac")
        else:
            strength = check_real("strength", self.strength, low=0.0, open_low=True)
        floor = float(self.dispersion_floor) * X.var(axis=0) * (len(X) / n_clusters)
        return Criterion(self.objective, exponent, strength, floor)

    def _fit_dense(self, X: Floats, n_clusters: int, run: Runner, rng: np.random.Generator) -> None:
        check_magnitude(X)
        active = varying(X)
        # Columns that vary have a deviation above 0, but it may be too small to divide by.
        unit = X[:, active].std(axis=0) if self.standardize else np.ones(int(active.sum()))
        unit[unit < np.finfo(np.float64).tiny] = 1.0
        table = np.ascontiguousarray(X[:, active] / unit)
        criterion = self._make_criterion(table, n_clusters, run)
        space = self._make_space(table, n_clusters, criterion, run)
        best = self._search(space, rng)
        if isinstance(best, Best):
            _, shares, centers = best
            alive = np.zeros((1, n_clusters), dtype=bool)
            factors = criterion.factors(shares)
            labels = space.assign(factors[np.newaxis], centers[np.newaxis], alive, exact=True)[0]
        else:
            labels = best[np.newaxis]
        if self.polish:
            labels = space.settle(labels, self.max_iter, exact=True).labels
        if self.polish or self.particle == "clusters":
            sizes, means, spread = space.summarise(labels)
            shares, centers = criterion.weights(spread, sizes)[0], means[0]
        self.cluster_centers_ = np.tile(X.mean(axis=0), (n_clusters, 1))
        self.cluster_centers_[:, active] = (centers + space.mean) * unit
        self.cluster_feature_weights_ = np.zeros((n_clusters, X.shape[1]))
        self.cluster_feature_weights_[:, active] = shares
        self._exponent = 2.0
        self._factors = np.zeros_like(self.cluster_feature_weights_)
        self._factors[:, active] = criterion.factors(shares) / unit**2
        self._n_features_out = n_clusters
        # The same arithmetic as in `predict`.
        whole = make_data(X, np.ones(len(X)), 2.0, run)
        self.labels_ = nearest(whole, self.cluster_centers_, self._factors)
        # Worth of what is returned: rows around these centres, under these weights.
        sizes = np.bincount(self.labels_, minlength=n_clusters).astype(float)
        spread = np.zeros((n_clusters, int(active.sum())))
        np.add.at(spread, self.labels_, (table - (centers + space.mean)[self.labels_]) ** 2)
        self.fitness_ = -float(criterion.value(shares, sizes, spread))
        self._finish(sizes)

    def _make_space(
        self, table: Floats, n_clusters: int, criterion: Criterion, run: Runner
    ) -> DenseSpace:
        size = table.size * n_clusters * self.n_particles
        device = choose_device(self.device, "projected", size)
        if device == "cpu":
            return DenseSpace(table, n_clusters, criterion, run)
        return DeviceSpace(table, n_clusters, criterion, run, device=device)

    def _fit_sparse(
        self, X: csr_array, n_clusters: int, run: Runner, rng: np.random.Generator
    ) -> None:
        space = SparseSpace(X, n_clusters, self._exponent_of_weights(), run)
        best = self._search(space, rng)
        n_rounds = self.max_iter if self.polish else 0
        if isinstance(best, Best):
            fitness, weights, centers = best
            if self.polish:
                labels = space.similarities(weights, centers).argmax(axis=1).astype(np.int32)
                _, centers, fitness = space.settle_one(labels, weights, n_rounds)
        else:
            weights = None
            _, centers, fitness = space.settle_one(best, None, n_rounds)
        self.cluster_centers_ = centers
        self._weights = weights
        self.fitness_ = fitness
        self._n_features_out = n_clusters
        self.labels_ = space.similarities(weights, centers).argmax(axis=1).astype(np.int32)
        shares = centers**2 if weights is None else weights
        total = shares.sum(axis=1, keepdims=True)
        uniform = 1.0 / X.shape[1]
        self.cluster_feature_weights_ = np.where(
            total > 0.0, shares / np.where(total > 0.0, total, 1.0), uniform
        )
        self._finish(np.bincount(self.labels_, minlength=n_clusters).astype(float))

    def _search(
        self, space: DenseSpace | SparseSpace, rng: np.random.Generator
    ) -> NDArray[np.int32] | Best:
        """Return the best partition, or the best weights and centres."""
        n_particles, n_clusters = self.n_particles, space.n_clusters
        n_generations = self.n_evaluations // n_particles
        history = History()
        callbacks: list[Any] = [history]
        if self.patience is not None:
            callbacks.append(Patience(self.patience))
        if self.verbose:
            bar = Progress()
            bar.open()
            callbacks.append(bar)
        callbacks += list(self.callbacks or [])
        objective: PartitionObjective | WeightObjective
        swarm: CLPSO | PartitionCLPSO
        if self.particle == "clusters":
            # Particles that start anew while the swarm runs get draws of their own.
            fresh = np.random.default_rng(rng.integers(2**63))

            def draw(count: int) -> NDArray[np.int32]:
                labels = draw_partitions(space, count, self.init, self.weight_init, fresh)
                return space.settle(labels, self.max_iter).labels

            positions = draw(n_particles).astype(np.float64)
            objective = PartitionObjective(space, self.n_steps, draw, fresh)
            swarm = PartitionCLPSO(n_clusters)
        else:
            n_groups = 1 if self.objective == "wkmeans" else n_clusters
            shape = (n_particles, n_groups * space.shape[1])
            centers = draw_centers(space, n_particles, self.init, rng)
            positions = draw_weights(shape, self.weight_init, rng)
            objective = WeightObjective(space, centers, n_groups, rng)
            first, last = self.inertia
            swarm = CLPSO(
                n_generations,
                inertia=(check_real("inertia[0]", first), check_real("inertia[1]", last)),
                acceleration=check_real("acceleration", self.acceleration, low=0.0),
                bounds=self.bounds,
            )
        optimum = optimize(
            objective, swarm, positions, n_generations=n_generations, rng=rng, callbacks=callbacks
        )
        self.history_ = history.as_arrays()
        self.n_iter_ = optimum.n_generations
        if isinstance(objective, WeightObjective) and objective.best is not None:
            return objective.best
        return optimum.position.astype(np.int32)

    def _finish(self, sizes: Floats) -> None:
        self.feature_weights_ = sizes @ self.cluster_feature_weights_ / sizes.sum()
        found = int((sizes > 0).sum())
        if self.polish and found < len(sizes):
            warnings.warn(
                f"{found} of {len(sizes)} clusters have rows: the data may have fewer distinct "
                "rows than clusters; lower n_clusters.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def predict(self, X):
        """Return the nearest cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, seen before or not.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Indices into ``cluster_centers_``.
        """
        if self.metric == "euclidean":
            return super().predict(X)
        return self._similarities(X).argmax(axis=1).astype(np.int32)

    def transform(self, X):
        """Return how far each row is from each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Weighted Euclidean distances, or 1 minus the extended Jaccard coefficient.
        """
        if self.metric == "euclidean":
            return super().transform(X)
        return 1.0 - self._similarities(X)

    def score(self, X, y=None, sample_weight=None):
        """Return minus the summed weighted squared distance, or the summed similarity.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        score : float
            Of rows to their nearest centres; larger is better.
        """
        if self.metric == "euclidean":
            return super().score(X, sample_weight=sample_weight)
        nearest = self._similarities(X).max(axis=1)
        return float(np.dot(nearest, _check_sample_weight(sample_weight, nearest)))

    def _similarities(self, X: Any) -> Floats:
        check_is_fitted(self)
        rows = self._read(X)
        with thread_runner(None) as run:
            space = SparseSpace(rows, len(self.cluster_centers_), self._exponent_of_weights(), run)
            return space.similarities(self._weights, self.cluster_centers_)

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        if self.metric == "euclidean":
            return super()._read(X, reset=reset)
        X = to_host(X)
        rows = validate_data(self, X, reset=reset, dtype=np.float64, accept_sparse="csr")
        rows = csr_array(rows)
        if not rows.has_canonical_format:
            rows = rows.copy()  # the caller's matrix stays as it is
            rows.sum_duplicates()
        return rows
