"""`ProjectedSwarm`: clusters in subspaces of one table, by particle swarm; numbers or text.

Lu, Wang, Li and Zhou 2009, "Particle swarm optimizer for variable weighting in clustering
high-dimensional data".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from weft._base.arrays import Mask
from weft._base.records import Merge, RecordParameter
from weft._base.validation import check_integer
from weft.backends import backend_for
from weft.estimators._blocks import is_dask, read_lazy
from weft.estimators._blockwise import BlockwiseMixin, warn_of_empty_clusters
from weft.estimators._declared_centers import PROJECTED_SWARM
from weft.estimators._jaccard import MetricClusterer
from weft.estimators._moved_params import VERBOSE, Moved, MovedParamsMixin
from weft.estimators._search_estimator import SearchEstimator
from weft.kmeans.alternation import Start
from weft.kmeans.streams import Stream
from weft.methods.projected.blocks import look_at, polish_blocks, rows_to_search
from weft.methods.projected.criteria import ScaledRule
from weft.methods.projected.fitting import (
    Clusters,
    close_dense,
    close_sparse,
    dense_space,
    make_problem,
    standard_table,
    stream_rule,
)
from weft.methods.projected.objectives import Best, Space
from weft.methods.projected.settings import Objective, Settings, SwarmSettings, read_settings
from weft.methods.projected.sparse import SparseSpace
from weft.parallel.threads import thread_runner

# Old names of parameters that are now settings of the swarm.
_OF_THE_SWARM = ("init", "weight_init", "bounds", "n_steps", "inertia", "acceleration", "max_iter")


class ProjectedSwarm(MovedParamsMixin, BlockwiseMixin, MetricClusterer, SearchEstimator):
    """Clusters in different subspaces of one table, by particle swarm (PSOVW, TCPSO).

    Every cluster has a weight for every feature, and each row belongs to the nearest centre,
    measured with the weights of that cluster. The swarm searches for the clusters and weights with
    the least weighted scatter ``Σ_l Σ_{i in l} Σ_j w_lj^β (x_ij - z_lj)²`` [1]_.

    By default a particle is a partition. It starts from k-means++ and the closed-form alternation,
    learns whole clusters from better particles (matched by the rows that two clusters have in
    common), and is improved by a few rounds of the alternation before it is scored. A particle that
    has become equal to another starts again. The published method moves weight matrices instead:
    ``ProjectedSwarm(k, objective=Objective(dispersion_floor=0.0), particle="weights",
    n_evaluations=5000, patience=None, polish=False, standardize=False,
    swarm=SwarmSettings(init="random", weight_init="uniform", bounds="neglect"))``.

    Parameters
    ----------
    objective : {"psovw", "lac", "ewkm", "wkmeans"} or Objective, default="psovw"
        What is minimised: the objective of the paper, of LAC or EWKM (weights with an entropy
        term), or of W-k-means (one set of weights for all clusters); with other constants:
        :class:`weft.methods.projected.Objective`.
    metric : {"euclidean", "jaccard"}, default="euclidean"
        ``"jaccard"`` is for text: the extended Jaccard coefficient, summed over documents and
        maximised. Rows stay sparse. `transform` then returns 1 minus
        the coefficient, `score` the summed similarity.
    particle : {"clusters", "weights"}, default="clusters"
        What a particle is. "clusters": a partition, which determines weights and centres.
        "weights": a weight matrix with its own centres, as published.
    weight_exponent : float or "auto", default="auto"
        The power β of the weights. "auto": 8 as published, and 1 for ``metric="jaccard"``, where 8
        performed worse.
    n_evaluations : int, default=500
        Maximum number of evaluations in total: 500 are 50 generations of 10 particles. With
        ``bounds="neglect"`` most particles are not evaluated, and the published setting means 500
        generations.
    patience : int or None, default=20
        Stop after this many generations without improvement; None, as in the paper, runs all.
    polish : bool, default=True
        Run the closed-form alternation from the best particle until it converges.
    standardize : bool, default=True
        Divide each column by its standard deviation, so that units do not matter. Centres and
        distances are still reported in the units of the columns. The paper does not standardise;
        text (``metric="jaccard"``) is never standardised.
    swarm : "clpso" or SwarmSettings, default="clpso"
        How particles start, move and are improved:
        :class:`weft.methods.projected.SwarmSettings`.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the swarm is evaluated; ``"auto"`` uses a GPU if there is one and the table is large
        enough. Random draws, blocks of Dask and `predict` run on the CPU. ``metric="jaccard"`` runs
        on the CPU only, and refuses ``"cuda"``.

    Attributes
    ----------
    cluster_feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weights, each row summing to 1. With ``metric="jaccard"`` and ``particle="clusters"``
        all terms have the same weight in the search, and this is the share of each term in the
        similarity of a cluster to its centre: the words that make the cluster.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters.
    fitness_ : float
        Minus the objective, with weights scaled to a mean of 1 (the value of the paper times M^β),
        or the summed similarity for ``metric="jaccard"``; higher is better.
    n_samples_search_ : int
        Rows that the swarm searched on, after a fit on a Dask table.

    Notes
    -----
    For a Dask array or dataframe, the swarm searches on a sample of 10,000 rows, and `polish` uses
    all rows, block by block; ``labels_`` is then a Dask array.

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

    _schema = PROJECTED_SWARM
    _records: ClassVar[Mapping[str, Merge]] = {
        "objective": RecordParameter(Objective, Objective),
        "swarm": RecordParameter(SwarmSettings, lambda name: SwarmSettings()),
    }
    _moved = (
        Moved(("strength", "dispersion_floor"), "objective", _records["objective"]),
        Moved(_OF_THE_SWARM, "swarm", _records["swarm"]),
        VERBOSE,
    )

    def __init__(
        self,
        n_clusters=8,
        *,
        objective="psovw",
        metric="euclidean",
        particle="clusters",
        weight_exponent="auto",
        n_particles=10,
        n_evaluations=500,
        patience=20,
        polish=True,
        standardize=True,
        swarm="clpso",
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.objective = objective
        self.metric = metric
        self.particle = particle
        self.weight_exponent = weight_exponent
        self.n_particles = n_particles
        self.n_evaluations = n_evaluations
        self.patience = patience
        self.polish = polish
        self.standardize = standardize
        self.swarm = swarm
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def _has_dense_answers(self):
        return self.metric == "euclidean"

    @available_if(lambda self: self.metric == "euclidean")
    def partial_fit(self, X, y=None):
        """Update the model with a batch of rows.

        The swarm searches on the first batch. Later batches are assigned to the current centres,
        and move centres and weights in proportion to their share of all rows so far.
        ``labels_`` are those of the last batch; the first needs as many rows as there are
        clusters.
        """
        return super().partial_fit(X)

    def _read_rows(self, X: Any) -> Any:
        self.__dict__.pop("_stream", None)  # earlier batches are forgotten
        if is_dask(X):
            return X
        rows = self._read(X, reset=True)
        self._check_clusters(rows.shape[0])
        return rows

    def _run(self, rows: Any, resume: Any) -> None:
        if is_dask(rows):
            self._fit_table(rows, resume)
        else:
            super()._run(rows, resume)

    def _check_settings(self) -> None:
        read_settings(self)

    def _check_clusters(self, n_rows: int) -> int:
        n_clusters = check_integer("n_clusters", self.n_clusters, low=1)
        if n_clusters > n_rows:
            raise ValueError(
                f"n_clusters={n_clusters} needs as many samples, got "
                f"n_samples={n_rows}; lower n_clusters."
            )
        return n_clusters

    def _fit_rows(self, rows: Any, seed: int) -> None:
        rng = np.random.default_rng(seed)
        settings = read_settings(self)
        # An earlier fit may have been on a Dask table or with the other metric.
        for name in ("n_samples_search_", "_weights", "_exponent", "_factors"):
            self.__dict__.pop(name, None)
        with thread_runner(self.n_jobs) as run:
            if self.metric == "jaccard":
                text = SparseSpace(rows, int(self.n_clusters), settings.exponent, run)
                clusters = close_sparse(text, self._find_best(text, settings, rng), settings)
                self._weights = clusters.factors
            else:
                table = standard_table(rows, settings.standardize)
                size = table.rows.size * self.n_clusters * settings.n_particles
                backend = backend_for(self.device, "projected", size)
                space = dense_space(table, int(self.n_clusters), settings, run, backend)
                best = self._find_best(space, settings, rng)
                clusters = close_dense(rows, table, space, best, settings, run)
                self._exponent = 2.0
                self._factors = clusters.factors
        self._keep_clusters(clusters)

    def _find_best(
        self, space: Space, settings: Settings, rng: np.random.Generator
    ) -> np.ndarray | Best:
        problem = make_problem(space, settings, rng)
        result = self._search(*problem, rng, n_generations=settings.n_generations)
        self._keep_history(result)
        return problem.best(result.position)

    def _keep_clusters(self, clusters: Clusters) -> None:
        self.labels_ = clusters.labels
        self.cluster_centers_ = clusters.centers
        self.cluster_feature_weights_ = clusters.weights
        self.fitness_ = clusters.fitness
        self._n_features_out = len(clusters.centers)
        sizes = clusters.sizes
        self.feature_weights_ = sizes @ clusters.weights / sizes.sum()
        if self.polish:
            warn_of_empty_clusters(sizes)

    def _fit_table(self, X: Any, resume: Any) -> None:
        """`fit` on a Dask array or dataframe: search on a sample, polish on all rows."""
        settings = read_settings(self)
        if self.metric != "euclidean":
            raise ValueError(
                f"metric={self.metric!r} does not support Dask tables; use metric='euclidean', or "
                "give the rows as a sparse array."
            )
        lazy = read_lazy(self, X)
        self._check_clusters(lazy.n_rows)
        # The sample is drawn before the run begins, because a checkpoint holds the sample, not the
        # table.
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        given = look_at(lazy.blocks, lazy.survey)
        rows = rows_to_search(given, int(seed))
        self._check_clusters(len(rows))
        self._run(rows, resume)
        n_generations = self.n_iter_
        start = Start(self.cluster_centers_, self.cluster_feature_weights_)
        fit = polish_blocks(given, start, settings)
        self._keep_lazy(fit, lazy, given.table)
        del self.inertia_
        self.n_samples_search_ = len(rows)
        self.n_iter_ = n_generations
        self._keep_worth(fit.outcome.criterion)

    def _stream_rule(self, active: Mask, stream: Stream) -> ScaledRule:
        return stream_rule(read_settings(self), active, stream, self.cluster_centers_)

    def _read_fit(self, X: Any, sample_weight: Any, *, reset: bool = True) -> Any:
        rows = self._read(X, reset=reset)
        return rows, np.ones(len(rows), dtype=bool), np.ones(len(rows))

    def _keep_worth(self, criterion: float) -> None:
        self.fitness_ = -criterion
