"""KernelKMeans: k-means among rows mapped by a kernel.

M. Girolami, "Mercer kernel-based clustering in feature space", IEEE Transactions on Neural
Networks 13, 2002.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import check_random_state

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row
from weft._base.validation import check_integer
from weft.estimators._declared import counts_clusters, declare, history
from weft.estimators._declared_swarms import (
    KERNEL,
    KERNEL_CLUSTERS,
    SEARCHED_ROWS,
    SPACE,
    WIDTH,
)
from weft.estimators._kernel_methods import KernelMixin
from weft.estimators._mixins import ReportMixin
from weft.estimators._reading import read_table
from weft.estimators._sampled import SampledMixin
from weft.methods.mercer.spaces import nearest_means
from weft.models.kinds import Choice, Number, OneOf
from weft.parallel.threads import local_threads


class KernelKMeans(KernelMixin, SampledMixin, ReportMixin, ClusterMixin, BaseEstimator):
    """k-means in a kernel's feature space, the best of several starts.

    `predict` labels rows by the nearest mean in feature space.

    Parameters
    ----------
    n_init : int, default=10
        Number of starts; the one with the lowest sum of squares is kept (100 in the paper).
    max_iter : int, default=100
        Maximum number of steps of each start.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the rounds of all starts run and the matrix of the Gaussian kernel is computed (other
        kernels are computed on the CPU); ``"auto"`` uses a GPU if there is one and the table is
        large enough. Random draws and `predict` run on the CPU.
    n_jobs : int, default=None
        Threads over starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    inertia_ : float
        Sum of squared distances to the means in feature space.
    fitness_ : float
        ``-inertia_``.
    history_ : dict of ndarray
        One entry per start: start, inertia, n_iter.
    n_iter_ : int
        Steps of the best start.
    sample_agreement_ : float or None
        With `max_samples`: a second sample, clustered with the same kernel and number of clusters,
        compared with the answer on its rows (adjusted Rand index); None without a sample.

    Examples
    --------
    >>> from weft import KernelKMeans
    >>> from weft.datasets import make_shapes
    >>> rings = make_shapes("rings", n_samples=200, random_state=0)
    >>> model = KernelKMeans(2, sigma=0.6, random_state=0).fit(rings.data)
    >>> float((model.labels_ == rings.target).mean())
    1.0
    """

    _schema = declare(
        {
            **KERNEL_CLUSTERS,
            **SEARCHED_ROWS,
            "inertia_": Number(low=0.0),
            "history_": history("start", "inertia", "n_iter"),
            "_fit_space": SPACE,
        },
        rules=(counts_clusters,),
        kernel=KERNEL,
        sigma=OneOf(Choice("median"), WIDTH),
    )

    def __init__(
        self,
        n_clusters=8,
        *,
        kernel="rbf",
        sigma="median",
        n_init=10,
        max_iter=100,
        scale=True,
        max_samples=None,
        max_memory="1GiB",
        device="cpu",
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.sigma = sigma
        self.n_init = n_init
        self.max_iter = max_iter
        self.scale = scale
        self.max_samples = max_samples
        self.max_memory = max_memory
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None):
        """Cluster the rows."""
        X = read_table(self, X)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self._fit_sampled(X, seed, 4)
        return self

    def _fit_rows(self, X: Floats, seed: int) -> None:
        n_clusters = check_integer("n_clusters", self.n_clusters, low=1, high=len(X))
        n_init = check_integer("n_init", self.n_init, low=1)
        max_iter = check_integer("max_iter", self.max_iter, low=1)
        rng = np.random.default_rng(seed)
        starts = [rng.choice(len(X), n_clusters, replace=False) for _ in range(n_init)]
        backend, gram = self._make_space(X, n_clusters)
        labelings, steps, sums = backend.mercer.kernel_kmeans(
            gram, starts, max_iter, local_threads(self.n_jobs)
        )
        best = int(sums.argmin())
        self.labels_ = number_by_first_row(labelings[best])
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.inertia_ = max(0.0, float(sums[best]))
        self.fitness_ = -self.inertia_
        self.history_ = {"start": np.arange(n_init), "inertia": sums, "n_iter": steps}
        self.n_iter_ = max(1, int(steps[best]))

    def _cluster_again(self, X: Floats, seed: int) -> Integers:
        return clone(self).set_params(max_samples=None, random_state=seed).fit(X).labels_

    def _nearest(self, X: Floats) -> Integers:
        rows = self._fit_scaling.apply(X)
        known = getattr(self, "_fit_labels", self.labels_)  # older files have no sample
        return nearest_means(self._fit_space, known, self.n_clusters_, rows)
