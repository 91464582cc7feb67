"""`FeatureSwarm`: wraps a distance-based clusterer and learns feature weights by particle swarm.

O'Neill 2017, "PSO for simultaneous feature selection and weighting in high dimensional
clustering", chapters 4 to 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from weft._base.arrays import Floats, Integers
from weft._base.records import Merge, RecordParameter
from weft._base.validation import check_choice, check_integer, parse_memory
from weft._base.warnings import warn_caller
from weft.backends import Backend, backend_for
from weft.backends.devices import device_rows, is_on_gpu, to_host
from weft.columns.screening import columns_that_matter
from weft.estimators._anchors import AnchoredAnswersMixin, AnchorsMixin
from weft.estimators._declared_swarms import FEATURE_SWARM
from weft.estimators._moved_params import VERBOSE, Moved, MovedParamsMixin, moved_dict
from weft.estimators._parameters import LIVE_OBJECTS
from weft.estimators._sampled import SampledMixin
from weft.estimators._search_estimator import SearchEstimator
from weft.search.clusterers import Clusterer, clusterer_with, make_clusterer, name_of
from weft.search.criteria import criterion_with, make_criterion
from weft.search.objectives import FeatureClustering, FeatureSearch, search_features
from weft.search.particles import WeightParticle, make_particle
from weft.search.runs import running
from weft.search.swarms import PSO, BinaryPSO, make_swarm


def _swarm_of(encoding: str, swarm: Any) -> Any:
    """Return the swarm that an old ``encoding`` meant: binary PSO moved its bits."""
    if check_choice("encoding", encoding, ("weights", "binary")) == "weights":
        return swarm
    if swarm in ("pso", "binary") or isinstance(swarm, BinaryPSO):
        return "binary" if isinstance(swarm, str) else swarm
    if type(swarm) is not PSO:
        raise ValueError(
            f"encoding='binary' goes with PSO, got swarm={swarm!r}; pass swarm='binary', or an "
            "object with moves_bits = True."
        )
    return BinaryPSO.of(swarm)


class FeatureSwarm(
    MovedParamsMixin,
    SampledMixin,
    AnchoredAnswersMixin,
    AnchorsMixin,
    TransformerMixin,
    SearchEstimator,
):
    """Clustering that learns which features matter, by particle swarm (PSO-FSW, PSO-FSWE).

    A particle holds one number per feature: its weight; values ≤ 0 drop the feature. The rows are
    clustered in the metric that the weights define, the clustering is scored, and the swarm moves
    towards the weights that scored best. `predict` returns the cluster of the nearest row of the
    fit (for DBSCAN the nearest core row, for affinity propagation the nearest exemplar), and -1 for
    rows in no cluster (DBSCAN: farther than eps from every core row).

    Columns are not scaled: use a scaler first if they have different units.

    Parameters
    ----------
    clusterer : {"knn", "dbscan", "linkage", "affinity"} or object, default="knn"
        The clusterer: components of the graph of 3 nearest neighbours, DBSCAN, complete
        linkage (needs `n_clusters`), affinity propagation; or one of these with other settings,
        such as ``KNNGraph(n_neighbors=5)`` or ``DBSCAN(eps=0.5)`` of :mod:`weft.search.clusterers`;
        or a subclass of :class:`weft.search.clusterers.Clusterer` of your own, or any scikit-learn
        clusterer that takes precomputed distances.
    criterion : {"csc", "bcr", "silhouette", "connectedness", "sparsity", "separation", "bic", \
"robust"}, object or callable, default="csc"
        What is maximised. ``"robust"`` is specific to weft: it scores all labels on the same graph
        of neighbours, built from the relevant columns (see ``init="screened"``), so that a split
        into two halves cannot win where there are more separate clusters. An object is one of these
        with other settings, such as
        ``CSC(silhouette="full")`` or ``BCR(outliers="exclude")`` of :mod:`weft.search.criteria`,
        or a subclass of :class:`weft.search.criteria.Criterion` of your own; a callable gets the
        weighted, selected columns and the labels.
    swarm : {"pso", "standard", "binary"} or object, default="pso"
        The optimiser that moves the particles, with its settings: ``PSO(inertia=0.73,
        cognitive=1.5, social=1.5, max_velocity=1.0)`` of :mod:`weft.search.swarms`, or any object
        with its methods ``start``, ``ask`` and ``tell``. ``"binary"`` is plain selection of
        features: binary PSO, whose `max_velocity` is the clamp on a bit's logit.
    exponents : bool, default=False
        Learn an exponent per feature as well, within [1, 3] (PSO-FSWE).
    n_clusters : int, default=None
        For ``clusterer="linkage"``, or for scikit-learn's clusterers that have such a parameter;
        the others find the number themselves, and warn if it is given.
    init : {"uniform", "small", "mixed", "screened"} or array of shape \
(n_particles, n_dimensions), default="uniform"
        First positions. "uniform": in [-2, 2], as in the paper. "small": a random tenth of the
        features, as in forward search. "mixed": two thirds of the swarm "small", the rest large
        subsets. "screened": around the columns that depend on each other more than permuted copies
        do, as `AutoCluster` finds them. An array: the positions themselves.
    max_samples : int or None, default=None
        Maximum number of rows to search on: a sample of this size is drawn by density, and the
        other rows get the label of their nearest neighbour in the learned metric. Useful above
        about 10,000 rows, where pairwise distances take long. None: all rows.
    max_memory : int or str, default="1GiB"
        Memory limit for distance matrices; beyond it, distances are computed again in blocks.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the arithmetic runs. ``"cuda"`` evaluates the whole swarm at once on a GPU (needs
        torch) and accepts torch tensors and CuPy arrays on the GPU; the same seed gives the same
        search. ``"auto"`` uses a GPU if there is one and the search is large enough.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row; -1 for rows in none.
    feature_weights_ : ndarray of shape (n_features,)
        Weight of each feature; 0 where it was dropped.
    feature_exponents_ : ndarray of shape (n_features,) or None
        Exponent of each feature, with ``exponents=True``.
    fitness_ : float
        Value of the criterion, in double precision; -inf if no particle found two clusters.
    history_ : dict of ndarray
        One entry per generation: generation, best_fitness, mean_fitness, seconds, n_features,
        n_clusters.
    sample_agreement_ : float or None
        With `max_samples`: a second sample, clustered with the same weights, compared with the
        answer on its rows (adjusted Rand index: 1 for the same clusters, 0 for chance). Low values
        mean that the answer depends on the sample; None without a sample.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import StandardScaler
    >>> from weft import FeatureSwarm
    >>> X = StandardScaler().fit_transform(load_iris().data)
    >>> model = FeatureSwarm("linkage", n_clusters=3, random_state=0).fit(X)
    >>> model.n_clusters_
    3
    >>> model.transform(X).shape[1] == len(model.get_feature_names_out())
    True
    """

    _schema = FEATURE_SWARM
    _live = LIVE_OBJECTS
    _records: ClassVar[Mapping[str, Merge]] = {
        "clusterer": clusterer_with,
        "criterion": criterion_with,
        "swarm": RecordParameter(PSO, make_swarm),
    }
    _moved = (
        moved_dict("clusterer_params", "clusterer", clusterer_with),
        moved_dict("criterion_params", "criterion", criterion_with),
        Moved(("inertia", "cognitive", "social", "max_velocity"), "swarm", _records["swarm"]),
        Moved(("encoding",), "swarm", lambda swarm, old: _swarm_of(old["encoding"], swarm)),
        VERBOSE,
    )

    def __init__(
        self,
        clusterer="knn",
        *,
        criterion="csc",
        swarm="pso",
        exponents=False,
        n_clusters=None,
        n_particles=30,
        n_generations=30,
        patience=5,
        init="uniform",
        max_samples=None,
        max_memory="1GiB",
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.clusterer = clusterer
        self.criterion = criterion
        self.swarm = swarm
        self.exponents = exponents
        self.n_clusters = n_clusters
        self.n_particles = n_particles
        self.n_generations = n_generations
        self.patience = patience
        self.init = init
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def _read_rows(self, X: Any) -> Any:
        if not is_on_gpu(X):
            return super()._read_rows(X)
        if not self._backend(np.inf).on_gpu:
            raise ValueError(
                "X is in GPU memory, but the search runs on the CPU; pass device='cuda', or "
                "copy X to the CPU first."
            )
        validate_data(self, X, skip_check_array=True)
        return device_rows(X)

    def _backend(self, size: float, X: Any = None) -> Backend:
        return backend_for(self.device, f"features-{name_of(self.clusterer)}", size, X)

    def _run(self, rows: Any, resume: Any) -> None:
        with running(self, rows, resume) as run:
            seed = run.seed(self.random_state)
            self._fit_sampled(rows if self.max_samples is None else to_host(rows), seed, 0)

    def _fit_rows(self, rows: Any, seed: int) -> None:
        search = FeatureSearch(
            particle=self._particle(rows),
            clusterer=self._clusterer(seed),
            criterion=make_criterion(self.criterion),
            swarm=make_swarm(self.swarm),
            backend=self._backend(len(rows) * np.prod(rows.shape), rows),
            n_particles=check_integer("n_particles", self.n_particles, low=1),
            init=self.init,
            max_memory=parse_memory("max_memory", self.max_memory),
            n_jobs=self.n_jobs,
        )
        screened = None
        if search.criterion.needs_screening or np.array_equal(self.init, "screened"):
            screened = columns_that_matter(to_host(rows), seed)
        learned = search_features(rows, search, seed, self._search, screened=screened)
        if not np.isfinite(learned.fitness):
            warn_caller(
                "no particle split the rows into two or more clusters; the rows are clustered "
                "with all features at weight 1 instead. Try another clusterer or its parameters.",
                ConvergenceWarning,
            )
        self._keep_history(learned.best)
        clustering = learned.clustering
        self.labels_ = clustering.labels
        self.n_clusters_ = int(clustering.labels.max()) + 1
        self.feature_weights_, self.feature_exponents_ = learned.solution
        self.fitness_ = learned.fitness
        self._fit_anchors = learned.anchors
        self._fit_anchor_labels = clustering.labels[clustering.anchors]
        self._fit_radius = clustering.radius

    def _particle(self, rows: Any) -> WeightParticle:
        bits = getattr(make_swarm(self.swarm), "moves_bits", False)
        return make_particle(rows.shape[1], exponents=self.exponents, bits=bits)

    def _clusterer(self, seed: int) -> Clusterer:
        return make_clusterer(self.clusterer, n_clusters=self.n_clusters, seed=seed)

    def _rows_to_sample(self, X: Floats) -> Floats:
        return X

    def _keep_sample(self) -> None:
        """Keep only the anchors, which is all that `predict` needs."""

    def _renumber(self, numbers: Integers) -> None:
        self._fit_anchor_labels = numbers[self._fit_anchor_labels]

    def _cluster_again(self, X: Floats, seed: int) -> Integers:
        clustering = FeatureClustering(
            X,
            self._particle(X),
            self._clusterer(seed),
            backend=self._backend(len(X) * X.size),
            max_memory=parse_memory("max_memory", self.max_memory),
            n_jobs=self.n_jobs,
        )
        return clustering.cluster(self._solution()).labels
