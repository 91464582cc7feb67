"""KernelSwarm: clusters of any shape, whose number is not known.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_centers
from weft._base.records import Merge, RecordParameter
from weft._base.scaling import standard_scaling
from weft._base.validation import check_choice, check_integer
from weft.backends import backend_for
from weft.estimators._declared_swarms import KERNEL_SWARM
from weft.estimators._kernel_methods import KERNEL_PARAMS
from weft.estimators._mixins import PredictMixin
from weft.estimators._moved_params import VERBOSE, Moved, MovedParamsMixin
from weft.estimators._sampled import SampledMixin
from weft.estimators._search_estimator import SearchEstimator
from weft.estimators.kernel_kmeans import KernelKMeans
from weft.methods.centroids.objectives import assign
from weft.methods.mercer.search import CenterSearch, search_feature_centers, search_input_centers
from weft.methods.mercer.settings import (
    CENTERS_RECORD,
    KERNEL_RECORD,
    OLD_CENTERS,
    InputCenters,
    read_centers,
    read_kernel,
)
from weft.methods.mercer.spaces import nearest_means
from weft.parallel.threads import local_threads
from weft.search.runs import running
from weft.search.swarms.mepso import MEPSO, TABLE_2

# Number of n × n matrices in memory at once while a space is built.
_MATRICES = 6
# Old names of parameters that are now settings of the swarm.
_OF_THE_SWARM = ("inertia", "cognitive", "social", "max_velocity")


def _given_to(merge: Merge) -> Merge:
    """Leave out settings that are None, which meant the values of table 2."""
    return lambda swarm, old: merge(swarm, {k: v for k, v in old.items() if v is not None})


_SWARM = RecordParameter(MEPSO, lambda name: TABLE_2[check_choice("swarm", name, TABLE_2)])


class KernelSwarm(MovedParamsMixin, SampledMixin, PredictMixin, SearchEstimator):
    """Clusters of any shape, their number unknown, by a swarm in a kernel's feature space.

    A particle has an activation threshold and a centre for each of `max_clusters` clusters; those
    with a threshold above 0.5 are used. The CS measure in feature space is minimised: the width of
    the clusters divided by the distance to their nearest neighbour.

    In the published method (``centers="input"``) centres are points in the space of the rows, and a
    Gaussian kernel gives the same partition as none: straight borders. By default centres are means
    in feature space, clusters are weighted by their size and have a minimum size, kernel k-means
    refines the result, and the kernel is a random walk on the rows whose width is chosen by
    stability. `predict` assigns rows to the nearest mean in feature space, or to the nearest centre
    with ``centers="input"``.

    Parameters
    ----------
    kernel : str or Kernel, default="diffusion"
        ``"diffusion"``: two rows are near if random walks from them end in the same places. Or any
        kernel of scikit-learn by name: ``"rbf"``, ``"linear"``, ``"polynomial"``, ``"laplacian"``…;
        to set parameters of a kernel, give a :class:`weft.methods.mercer.Kernel`.
    centers : {"feature-space", "input"}, FeatureCenters or InputCenters, \
default="feature-space"
        Where the centres are. ``"input"`` is the published form and needs ``kernel="rbf"``.
        Settings for feature space (minimum cluster size, steps before a particle is scored,
        polish):
        :class:`weft.methods.mercer.FeatureCenters`. Settings for the input space (repairs of
        particles):
        :class:`weft.methods.mercer.InputCenters`.
    sigma : float, "median" or "stability", default="stability"
        Width of the kernel. ``"rbf"``: of ``exp(-|x - y|² / 2σ²)``. ``"diffusion"``: how far walks
        go, in local steps (σ² steps). ``"median"``: the median distance between rows.
        ``"stability"``: many widths are tried, and the partition that most of them agree on is
        used. Other kernels have no width.
    max_clusters : int, default=15
        Maximum number of clusters; the minimum is 2.
    swarm : {"mepso", "pso"} or MEPSO, default="mepso"
        Multi-elitist or plain PSO with the settings of table 2. For other settings, give a
        :class:`weft.search.swarms.mepso.MEPSO`, whose pulls change over `n_generations`.
    scale : bool, default=True
        Standardise the columns first, so that one width fits all.
    n_generations : int, default=100
        Maximum number of generations for each width (in the paper 1250: 50,000 evaluations).
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the swarm is evaluated; ``"auto"`` uses a GPU if there is one and the table is large
        enough. Random draws, the kernel's coordinates and `predict` run on the CPU.

    Attributes
    ----------
    sigma_ : float or None
        The width used; None for kernels without a width.
    fitness_ : float
        1 / (CS + 0.0002) of the best particle, before the polish.
    history_ : dict of ndarray
        One entry per generation at the chosen width: generation, best_fitness, mean_fitness,
        seconds, n_clusters.
    n_iter_ : int
        Generations at the chosen width.
    n_evaluations_ : int
        Evaluations at all widths together.
    sample_agreement_ : float or None
        With `max_samples`: a second sample, clustered by kernel k-means with the same width and
        number of clusters, compared with the answer on its rows (adjusted Rand index); None without
        a sample.

    Examples
    --------
    >>> from weft import KernelSwarm
    >>> from weft.datasets import make_shapes
    >>> rings = make_shapes("rings", n_samples=200, random_state=0)
    >>> model = KernelSwarm(random_state=0).fit(rings.data)
    >>> model.n_clusters_
    2
    """

    _schema = KERNEL_SWARM
    _records: ClassVar[Mapping[str, Merge]] = {
        "kernel": KERNEL_RECORD,
        "centers": CENTERS_RECORD,
        "swarm": _SWARM,
    }
    _moved = (
        KERNEL_PARAMS,
        Moved(("min_size", "refine_steps", "polish"), "centers", OLD_CENTERS),
        Moved(_OF_THE_SWARM, "swarm", _given_to(_SWARM)),
        VERBOSE,
    )

    def __init__(
        self,
        kernel="diffusion",
        *,
        centers="feature-space",
        sigma="stability",
        max_clusters=15,
        swarm="mepso",
        scale=True,
        n_particles=40,
        n_generations=100,
        patience=15,
        max_samples=None,
        max_memory="1GiB",
        device="cpu",
        n_jobs=None,
        callbacks=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.centers = centers
        self.sigma = sigma
        self.max_clusters = max_clusters
        self.swarm = swarm
        self.scale = scale
        self.n_particles = n_particles
        self.n_generations = n_generations
        self.patience = patience
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.device = device
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.random_state = random_state

    def _run(self, rows: Floats, resume: str | Path | None) -> None:
        with running(self, rows, resume) as run:
            self._fit_sampled(rows, run.seed(self.random_state), _MATRICES)

    def _check_settings(self) -> None:
        kernel = read_kernel(self.kernel)
        among_rows = isinstance(read_centers(self.centers), InputCenters)
        if among_rows and kernel.name != "rbf":
            raise ValueError(
                f"centers='input' is the published form and needs kernel='rbf', got "
                f"{kernel.name!r}; set kernel='rbf', or centers='feature-space'."
            )
        if among_rows and self.sigma == "stability" and "gamma" not in kernel.params:
            raise ValueError(
                "sigma='stability' needs centers='feature-space'; give sigma as a number (the "
                "paper: 1.1) or as 'median'."
            )

    def _fit_rows(self, X: Floats, seed: int) -> None:
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        kernel = read_kernel(self.kernel)
        search = CenterSearch(
            kernel=kernel,
            sigma=self.sigma,
            max_clusters=min(check_integer("max_clusters", self.max_clusters, low=2), len(rows)),
            swarm=replace(_SWARM.record(self.swarm), n_generations=self.n_generations),
            n_particles=self.n_particles,
            centers=read_centers(self.centers),
            backend=backend_for(self.device, "mercer-swarm", len(rows)),
            n_threads=local_threads(self.n_jobs),
        )
        among_rows = isinstance(search.centers, InputCenters)
        search_centers = search_input_centers if among_rows else search_feature_centers
        learned = search_centers(rows, search, seed, self._search)
        self.labels_, self._fit_reference = learned.labels, learned.reference
        if among_rows:
            nearest = partial(assign, rows)
            self.labels_, self._fit_reference = number_centers(nearest, learned.reference)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.sigma_ = learned.sigma if kernel.name in ("diffusion", "rbf") else None
        self.fitness_ = learned.best.fitness
        self.n_evaluations_ = learned.n_evaluations
        self._keep_history(learned.best)
        self._warn_if_one_cluster(advice="check that the rows differ, or lower min_size")

    def _nearest(self, X: Floats) -> Integers:
        rows = self._fit_scaling.apply(X)
        if isinstance(self._fit_reference, np.ndarray):
            return assign(rows, self._fit_reference)
        known = getattr(self, "_fit_labels", self.labels_)  # older files have no sample
        return nearest_means(self._fit_reference, known, self.n_clusters_, rows)

    def _renumber(self, numbers: Integers) -> None:
        super()._renumber(numbers)
        if isinstance(self._fit_reference, np.ndarray):
            self._fit_reference = self._fit_reference[np.argsort(numbers)]

    def _cluster_again(self, X: Floats, seed: int) -> Integers:
        model = KernelKMeans(
            self.n_clusters_,
            kernel=self.kernel,
            sigma=self.sigma_ if self.sigma_ is not None else "median",
            scale=self.scale,
            max_memory=self.max_memory,
            n_jobs=self.n_jobs,
            random_state=seed,
        )
        return model.fit(X).labels_
