"""KernelSwarm: clusters that no straight line separates, their number unknown.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weft._base.arrays import Floats, Integers
from weft._base.scaling import standard_scaling
from weft._base.validation import check_choice, check_integer, check_real
from weft.backends import backend_for
from weft.estimators._declared_swarms import KERNEL_SWARM
from weft.estimators._moved_params import MovedParamsMixin
from weft.estimators._reading import read_table
from weft.estimators._sampled import SampledMixin
from weft.estimators._search_estimator import SearchEstimator
from weft.estimators.kernel_kmeans import KernelKMeans
from weft.methods.centroids.objectives import assign
from weft.methods.mercer.search import CenterSearch, search_feature_centers, search_input_centers
from weft.methods.mercer.spaces import check_kernel, check_kernel_params, nearest_means
from weft.parallel.threads import local_threads
from weft.search.runs import running
from weft.search.swarms.mepso import MEPSO, TABLE_2

# Matrices of n × n that are alive at once while a space is built.
_MATRICES = 6


class KernelSwarm(MovedParamsMixin, SampledMixin, SearchEstimator):
    """Clusters of any shape, their number unknown, by a swarm in a kernel's feature space.

    A particle has an activation threshold and a centre for each of `max_clusters` clusters; those
    with a threshold above 0.5 are used. What is minimised is a CS measure in feature space: how
    wide clusters are over how far their nearest neighbour is.

    As printed (``centers="input"``) centres are points among the rows, and with a Gaussian kernel
    the partition is the same as without one: straight borders. By default centres are means in
    feature space, clusters count by their size and have a least size, kernel k-means has the last
    word, and the kernel is a random walk on the rows whose width is chosen by stability.

    Parameters
    ----------
    kernel : str, default="diffusion"
        ``"diffusion"``: rows are near when random walks from them end alike; or any kernel of
        scikit-learn by name: ``"rbf"``, ``"linear"``, ``"polynomial"``, ``"laplacian"``…
    centers : {"feature-space", "input"}, default="feature-space"
        Where centres live. ``"input"`` is the printed form and needs ``kernel="rbf"``.
    sigma : float, "median" or "stability", default="stability"
        Width of the kernel. ``"rbf"``: of ``exp(-|x - y|² / 2σ²)``. ``"diffusion"``: how far walks
        go, in local steps (σ² steps). ``"median"``: the median distance between rows.
        ``"stability"``: many widths are tried, and the partition that survives most of them is
        taken. Other kernels take none.
    kernel_params : dict, default=None
        Passed to other kernels of scikit-learn.
    repairs : {"decoded", "printed"}, default="decoded"
        What happens, for ``centers="input"``, to a particle without active centres or with a
        cluster of fewer than two rows. ``"decoded"``: its two highest thresholds count as active
        and small clusters are dropped when it is evaluated; the particle stays as it is, and has
        one fitness. ``"printed"``: two random thresholds, or averaged centres, are written into
        the particle; a particle that still has an empty cluster has fitness 0. This runs on the
        host.
    max_clusters : int, default=15
        Largest number of clusters; the least is 2.
    min_size : float, default=0.02
        Least share of the rows in a cluster, for ``centers="feature-space"``.
    refine_steps : int, default=1
        Steps of k-means in feature space before a particle is scored.
    polish : bool, default=True
        Kernel k-means from the best particle's clusters, for ``centers="feature-space"``.
    swarm : {"mepso", "pso"} or MEPSO, default="mepso"
        Multi-elitist or plain PSO with the settings of table 2, or others:
        :class:`weft.search.swarms.mepso.MEPSO`, which changes its pulls over `n_generations`.
    scale : bool, default=True
        Standardise columns first: widths mean nothing before.
    n_particles : int, default=40
        Size of the swarm.
    n_generations : int, default=100
        How often it is evaluated at each width, at most (the paper: 50,000 evaluations, 1250).
    patience : int, default=15
        Stop after so many generations without a better best; None runs them all.
    max_samples : int or None, default=None
        Search on no more rows than this: a sample of that size, drawn by density, by which the
        other rows are then labelled as `predict` does. None: all rows.
    max_memory : int or str, default="1GiB"
        What matrices of rows × rows may take.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the swarm is evaluated; ``"auto"`` takes a GPU where there is one and the table is
        large enough to pay. Draws, the kernel's coordinates and `predict` stay on the host.
    n_jobs : int, default=None
        Threads over particles. The result does not depend on it.
    callbacks : list of callable, default=None
        Called after each generation; see :mod:`weft.callbacks`.
    verbose : int, default=0
        1 shows a progress bar.
    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row.
    n_clusters_ : int
        Number of clusters.
    sigma_ : float or None
        Width that was used; None for kernels that have none.
    fitness_ : float
        1 / (CS + 0.0002) of the best particle, before the polish.
    history_ : dict of ndarray
        One entry per generation at the chosen width: generation, best_fitness, mean_fitness,
        seconds, n_clusters.
    n_iter_ : int
        Generations at the chosen width.
    n_evaluations_ : int
        Evaluations at all widths together.
    n_samples_search_ : int
        Rows that the search ran on.
    sample_agreement_ : float or None
        With `max_samples`: a second sample, clustered by kernel k-means with the same width and
        number of clusters, compared with the answer on its rows (adjusted Rand index); None where
        there was none.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

    Examples
    --------
    >>> from weft import KernelSwarm
    >>> from weft.datasets import make_shapes
    >>> rings = make_shapes("rings", n_samples=200, random_state=0)
    >>> model = KernelSwarm(random_state=0).fit(rings.data)
    >>> model.n_clusters_
    2
    """

    _moved_into = ("swarm", MEPSO, ("inertia", "cognitive", "social", "max_velocity"))

    _schema = KERNEL_SWARM

    def __init__(
        self,
        kernel="diffusion",
        *,
        centers="feature-space",
        sigma="stability",
        kernel_params=None,
        repairs="decoded",
        max_clusters=15,
        min_size=0.02,
        refine_steps=1,
        polish=True,
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
        verbose=0,
        random_state=None,
        **moved,
    ):
        self.kernel = kernel
        self.centers = centers
        self.sigma = sigma
        self.kernel_params = kernel_params
        self.repairs = repairs
        self.max_clusters = max_clusters
        self.min_size = min_size
        self.refine_steps = refine_steps
        self.polish = polish
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
        self.verbose = verbose
        self.random_state = random_state
        self._take(moved)

    def _run(self, rows: Floats, resume: str | Path | None) -> None:
        with running(self, rows, resume) as run:
            self._fit_sampled(rows, run.seed(self.random_state), _MATRICES)

    def _check_settings(self) -> None:
        check_kernel(self.kernel)
        check_kernel_params(self.kernel, self.kernel_params)
        check_choice("centers", self.centers, ("feature-space", "input"))
        check_choice("repairs", self.repairs, ("decoded", "printed"))
        check_integer("n_particles", self.n_particles, low=1)
        check_integer("n_generations", self.n_generations, low=1)
        self._make_swarm()
        check_integer("refine_steps", self.refine_steps, low=0)
        check_real("min_size", self.min_size, low=0.0, high=0.5)
        if isinstance(self.sigma, str):
            check_choice("sigma", self.sigma, ("median", "stability"))
        else:
            check_real("sigma", self.sigma, low=0.0, open_low=True)
        if self.centers == "input" and self.kernel != "rbf":
            raise ValueError(
                f"centers='input' is the printed form and needs kernel='rbf', got "
                f"{self.kernel!r}; set kernel='rbf', or centers='feature-space'."
            )
        if self.centers == "input" and self.sigma == "stability":
            raise ValueError(
                "sigma='stability' needs centers='feature-space'; give sigma as a number (the "
                "paper: 1.1) or as 'median'."
            )

    def _fit_rows(self, X: Floats, seed: int) -> None:
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        search = CenterSearch(
            kernel=self.kernel,
            kernel_params=dict(self.kernel_params or {}),
            sigma=self.sigma,
            max_clusters=min(check_integer("max_clusters", self.max_clusters, low=2), len(rows)),
            swarm=self._make_swarm(),
            n_particles=self.n_particles,
            repairs=self.repairs,
            min_size=self.min_size,
            refine_steps=self.refine_steps,
            polish=self.polish,
            backend=backend_for(self.device, "mercer-swarm", len(rows)),
            n_threads=local_threads(self.n_jobs),
        )
        search_centers = search_input_centers if self.centers == "input" else search_feature_centers
        learned = search_centers(rows, search, seed, self._search)
        self.labels_ = learned.labels
        self.n_clusters_ = int(learned.labels.max()) + 1
        self.sigma_ = learned.sigma if self.kernel in ("diffusion", "rbf") else None
        self.fitness_ = learned.best.fitness
        self.n_evaluations_ = learned.n_evaluations
        self._fit_reference = learned.reference
        self._keep_history(learned.best)
        self._warn_if_one_cluster(advice="check that the rows differ, or lower min_size")

    def _make_swarm(self) -> MEPSO:
        swarm = self.swarm
        if not isinstance(swarm, MEPSO):
            swarm = TABLE_2[check_choice("swarm", swarm, TABLE_2)]
        return replace(swarm, n_generations=self.n_generations)

    @classmethod
    def _with_moved(cls, record: Any, moved: dict[str, Any]) -> Any:
        # A name stands for its settings of table 2, and so did None.
        given = {name: value for name, value in moved.items() if value is not None}
        if isinstance(record, str):
            record = TABLE_2[check_choice("swarm", record or "mepso", TABLE_2)]
        return super()._with_moved(record, given)

    def predict(self, X):
        """Label rows by the nearest mean in feature space, or the nearest centre as printed.

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
        return self._nearest(X)

    def _nearest(self, X: Floats) -> Integers:
        rows = self._fit_scaling.apply(X)
        if isinstance(self._fit_reference, np.ndarray):
            return assign(rows, self._fit_reference)
        known = getattr(self, "_fit_labels", self.labels_)  # older files know no sample
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
            kernel_params=self.kernel_params,
            scale=self.scale,
            max_memory=self.max_memory,
            n_jobs=self.n_jobs,
            random_state=seed,
        )
        return model.fit(X).labels_
