"""KernelSubtractive: rows with many near neighbours in feature space become centres.

D.-W. Kim, K. Y. Lee, D. Lee and K. H. Lee, "A kernel-based subtractive clustering method", Pattern
Recognition Letters 26, 2005.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from weft._base.arrays import Floats, Integers
from weft._base.labels import order_by_first_row, renumber
from weft._base.scaling import check_size
from weft._base.validation import check_integer, parse_memory
from weft.estimators._declared import POSITIVE, declare, history, positions
from weft.estimators._declared_swarms import KERNEL, KERNEL_CLUSTERS, SPACE, WIDTH
from weft.estimators._kernel_methods import KernelMixin
from weft.estimators._mixins import ReportMixin
from weft.estimators._reading import read_table
from weft.models.kinds import Choice, OneOf


class KernelSubtractive(KernelMixin, ReportMixin, ClusterMixin, BaseEstimator):
    """Subtractive clustering in a kernel's feature space; deterministic.

    Every row has a potential, ``Σ_j exp(-α |φ(x) - φ(x_j)|²)``. The row with the highest potential
    becomes a centre, and its potential times ``exp(-β |φ(x) - φ(centre)|²)`` is subtracted from the
    potential of every row. This is repeated until there are enough centres. Rows belong to the
    nearest centre in feature space; `predict` does the same.

    Parameters
    ----------
    alpha, beta : float, default=5.4, 1.5
        How fast potentials fall with distance.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where potentials and the matrix of the Gaussian kernel are computed (other kernels are
        computed on the CPU); ``"auto"`` uses a GPU if there is one and the table is large enough.
        `predict` runs on the CPU.

    Attributes
    ----------
    center_indices_ : ndarray of shape (n_clusters,)
        Row number of each cluster's centre.
    fitness_ : float
        Sum of the centres' potentials when they were chosen.
    history_ : dict of ndarray
        One entry per chosen centre: center, potential.
    n_iter_ : int
        Number of centres that were chosen.

    Examples
    --------
    >>> from weft import KernelSubtractive
    >>> from weft.datasets import make_shapes
    >>> blobs = make_shapes("blobs", n_samples=200, random_state=0)
    >>> KernelSubtractive(4).fit(blobs.data).n_clusters_
    4
    """

    _schema = declare(
        {
            **KERNEL_CLUSTERS,
            "labels_": positions("n_searched", "n_clusters"),
            "center_indices_": positions("n_clusters", "n_searched"),
            "history_": history("center", "potential"),
            "_fit_space": SPACE,
        },
        kernel=KERNEL,
        sigma=OneOf(Choice("median"), WIDTH),
        alpha=POSITIVE,
        beta=POSITIVE,
    )

    def __init__(
        self,
        n_clusters=8,
        *,
        kernel="rbf",
        sigma="median",
        alpha=5.4,
        beta=1.5,
        scale=True,
        max_memory="1GiB",
        device="cpu",
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.sigma = sigma
        self.alpha = alpha
        self.beta = beta
        self.scale = scale
        self.max_memory = max_memory
        self.device = device

    def fit(self, X, y=None):
        """Choose the centres and assign the rows."""
        X = read_table(self, X)
        check_size(X, 4, parse_memory("max_memory", self.max_memory))
        n_clusters = check_integer("n_clusters", self.n_clusters, low=1, high=len(X))
        backend, gram = self._make_space(X, n_clusters)
        chosen, heights, labels = backend.mercer.subtractive_centers(
            gram, float(self.alpha), float(self.beta), n_clusters
        )
        order = order_by_first_row(labels)
        self.labels_ = renumber(labels, order)
        self.n_clusters_ = len(order)
        self.center_indices_ = chosen[order]
        self.fitness_ = float(np.sum(heights))
        self.history_ = {"center": chosen, "potential": heights}
        self.n_iter_ = n_clusters
        return self

    def _nearest(self, X: Floats) -> Integers:
        # In the order in which the centres were chosen: on a tie the first wins, as in fit.
        places = (self.center_indices_[:, np.newaxis] == self.history_["center"]).argmax(axis=1)
        order = np.argsort(places, kind="stable")
        centers = self.center_indices_[order]
        cross = self._fit_space.cross(self._fit_scaling.apply(X))[:, centers]
        norms = np.diag(self._fit_space.gram)[centers]
        return order[(norms - 2.0 * cross).argmin(axis=1)]
