"""KernelSubtractive: rows with many near neighbours in feature space become centres.

D.-W. Kim, K. Y. Lee, D. Lee and K. H. Lee, "A kernel-based subtractive clustering method", Pattern
Recognition Letters 26, 2005.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from weft._base.labels import order_by_first_row, renumber
from weft._base.scaling import check_size, standard_scaling
from weft._base.validation import check_integer, check_real, parse_memory
from weft.backends import backend_for
from weft.estimators._declared import POSITIVE, declare, history, positions
from weft.estimators._declared_spaces import KERNEL, KERNEL_CLUSTERS, KERNEL_PARAMS, SPACE, WIDTH
from weft.estimators._mixins import ReportMixin
from weft.estimators._reading import read_table
from weft.methods.mercer.spaces import make_space
from weft.models.kinds import Choice, OneOf


class KernelSubtractive(ReportMixin, ClusterMixin, BaseEstimator):
    """Subtractive clustering in a kernel's feature space; nothing in it is random.

    Every row has a potential, ``Σ_j exp(-α |φ(x) - φ(x_j)|²)``. The row with the highest one
    becomes a centre, its potential times ``exp(-β |φ(x) - φ(centre)|²)`` is subtracted from all,
    and so on until there are enough. Rows belong to the nearest centre in feature space.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str, default="rbf"
        ``"diffusion"``, or any kernel of scikit-learn by name.
    sigma : float or "median", default="median"
        Width of the ``"rbf"`` and ``"diffusion"`` kernels; see :class:`weft.KernelSwarm`.
    kernel_params : dict, default=None
        Passed to other kernels of scikit-learn.
    alpha, beta : float, default=5.4, 1.5
        How fast potentials fall with distance.
    scale : bool, default=True
        Standardise columns first.
    max_memory : int or str, default="1GiB"
        What matrices of rows × rows may take.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where potentials are taken, with the Gaussian kernel's matrix (others are made on the host);
        ``"auto"`` takes a GPU where there is one and the table is large enough to pay. `predict`
        stays on the host.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first row.
    n_clusters_ : int
        Clusters with at least one row.
    center_indices_ : ndarray of shape (n_clusters,)
        Rows that are centres, in the order of clusters.
    fitness_ : float
        Sum of the centres' potentials when they were chosen.
    history_ : dict of ndarray
        One entry per chosen centre: center, potential.
    sigma_ : float or None
        Width that was used; None for kernels that have none.
    n_iter_ : int
        Centres that were chosen.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the table had some.

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
        kernel_params=KERNEL_PARAMS,
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
        kernel_params=None,
        alpha=5.4,
        beta=1.5,
        scale=True,
        max_memory="1GiB",
        device="cpu",
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.sigma = sigma
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.beta = beta
        self.scale = scale
        self.max_memory = max_memory
        self.device = device

    def fit(self, X, y=None):
        """Choose the centres and assign the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        self
            The fitted estimator.
        """
        X = read_table(self, X)
        check_size(X, 4, parse_memory("max_memory", self.max_memory))
        n_clusters = check_integer("n_clusters", self.n_clusters, low=1, high=len(X))
        alpha = check_real("alpha", self.alpha, low=0.0, open_low=True)
        beta = check_real("beta", self.beta, low=0.0, open_low=True)
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        rows = self._fit_scaling.apply(X)
        backend = backend_for(self.device, "mercer-closed", len(X))
        self._fit_space, self.sigma_, gram = make_space(
            rows,
            self.kernel,
            self.sigma,
            self.kernel_params,
            # The walk needs directions to end in; the other kernels' inner products are enough.
            n_components=n_clusters if self.kernel == "diffusion" else 0,
            backend=backend,
        )
        chosen, heights, labels = backend.mercer.subtractive_centers(gram, alpha, beta, n_clusters)
        order = order_by_first_row(labels)
        self.labels_ = renumber(labels, order)
        self.n_clusters_ = len(order)
        self.center_indices_ = chosen[order]
        self.fitness_ = float(np.sum(heights))
        self.history_ = {"center": chosen, "potential": heights}
        self.n_iter_ = n_clusters
        return self

    def predict(self, X):
        """Label rows by the nearest centre in feature space.

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
        cross = self._fit_space.cross(self._fit_scaling.apply(X))[:, self.center_indices_]
        norms = np.diag(self._fit_space.gram)[self.center_indices_]
        return (norms - 2.0 * cross).argmin(axis=1)
