"""Transformers that drop features which repeat others: FSFS and iKFS.

R. C. de Amorim, "Learning feature weights for K-Means clustering using the Minkowski metric",
PhD thesis, 2011, chapter 5.4.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from weft._base.docstrings import Entry
from weft.backends import Backend, backend_for
from weft.estimators._declared import COUNT, SHARE, declare, floats, positions
from weft.estimators._mixins import ColumnsMixin, KeepMixin
from weft.estimators._reading import read_table
from weft.methods.selection.compression import centred, range_scaled
from weft.methods.selection.fsfs import EPSILONS, fsfs
from weft.methods.selection.ikfs import PICKS, ikfs
from weft.models.kinds import Array, Choice, Integer, Number, OneOf


class _Selector(KeepMixin, ColumnsMixin, BaseEstimator):
    """Base class: reads a table and learns a mask of features."""

    _paragraphs: ClassVar[dict[str, Entry]] = {
        "device": Entry(
            '{"cpu", "cuda", "auto"}',
            'Where features are compared; ``"auto"`` uses a GPU if there is one and there are '
            "enough features for it to be faster.",
        ),
        "support_": Entry("ndarray of shape (n_features,)", "Which features stay."),
    }

    def _backend(self: Any, X: np.ndarray) -> Backend:
        return backend_for(self.device, "columns", X.shape[1] * X.size)

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find which features to keep."""
        self._select(read_table(self, X, min_rows=2))
        return self

    def _select(self, X: np.ndarray) -> None:
        raise NotImplementedError

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_


class FeatureSimilaritySelector(_Selector):
    """Drop features that are near copies of others (FSFS).

    In each step, the feature whose k-th nearest feature is nearest is kept, and its k nearest
    features are dropped; k is reduced when a step would lose more than the first step did.
    Dissimilarity is the maximal information compression index. As in [1]_ and [2]_.

    Parameters
    ----------
    n_neighbors : int or float, default=0.5
        The k to start from: a number of features, or a share of them. The larger, the fewer
        features are kept. Values above the number of other features mean all of them.
    epsilon : {"first", "latest"} or float, default="first"
        The loss allowed in a step. "first": the loss of the first step, which is that of the
        tightest group, so looser groups keep more features. "latest": the loss of the step before,
        as in algorithm 5.1. A number: a compression index, such as 0.01.
    scale : bool, default=True
        Scale each feature to mean 0 and half range 1 first; the index depends on the scale.

    Attributes
    ----------
    n_discarded_ : ndarray of shape (n_steps,)
        How many features each step dropped.
    losses_ : ndarray of shape (n_steps,)
        The largest compression index between the kept feature and those dropped in the step.

    See Also
    --------
    FeatureClusterSelector : The same goal without a parameter.

    References
    ----------
    .. [1] R. C. de Amorim, "Learning feature weights for K-Means clustering using the
       Minkowski metric", PhD thesis, Birkbeck, University of London, 2011, algorithm 5.1.
    .. [2] P. Mitra, C. A. Murthy, S. K. Pal, "Unsupervised feature selection using feature
       similarity", IEEE TPAMI 24(3), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import FeatureSimilaritySelector
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(50, 3)), 4, axis=1)  # three features, four times each
    >>> X += 0.01 * rng.normal(size=X.shape)
    >>> FeatureSimilaritySelector(3, epsilon=0.01).fit_transform(X).shape
    (50, 3)
    """

    _schema = declare(
        {
            "support_": Array(("n_features",), ("bool",)),
            "n_discarded_": Array(("n_steps",), ("int64",), low=0, least=0),
            "losses_": floats("n_steps", least=0),
        },
        n_neighbors=OneOf(COUNT, SHARE),
        epsilon=OneOf(Choice(*EPSILONS), Number(low=0.0)),
    )

    def __init__(self, n_neighbors=0.5, *, epsilon="first", scale=True, device="cpu"):
        self.n_neighbors = n_neighbors
        self.epsilon = epsilon
        self.scale = scale
        self.device = device

    def _select(self, X: np.ndarray) -> None:
        epsilon = self.epsilon if isinstance(self.epsilon, str) else float(self.epsilon)
        n_others = X.shape[1] - 1
        k = self.n_neighbors
        if isinstance(k, (float, np.floating)):
            k = max(1, round(float(k) * n_others))
        k = min(int(k), n_others)
        if n_others == 0:
            self.support_ = np.ones(1, dtype=bool)
            self.n_discarded_ = np.empty(0, dtype=np.int64)
            self.losses_ = np.empty(0)
            return
        columns = range_scaled(X) if self.scale else centred(X)
        selected = fsfs(columns, k, epsilon=epsilon, backend=self._backend(X))
        self.support_, self.n_discarded_, self.losses_ = selected


class FeatureClusterSelector(_Selector):
    """Cluster the features by iK-Means and keep some of each cluster (iKFS).

    The number of clusters, and the number of features kept from each (more for larger clusters),
    follow from the data; there are no settings [1]_.

    Parameters
    ----------
    pick : {"spread", "largest"}, default="spread"
        Which features are kept from a cluster. "spread": the one nearest to the centroid by the
        maximal information compression index, then each time the one farthest from those taken.
        "largest": those with the largest index to the centroid, as written in [1]_.

    Attributes
    ----------
    labels_ : ndarray of shape (n_features,)
        The cluster of each feature.
    n_clusters_ : int
        Number of clusters of features.

    See Also
    --------
    FeatureSimilaritySelector : FSFS, which needs a number of neighbours.

    References
    ----------
    .. [1] R. C. de Amorim, "Learning feature weights for K-Means clustering using the
       Minkowski metric", PhD thesis, Birkbeck, University of London, 2011, algorithm 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import FeatureClusterSelector
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(50, 3)), 4, axis=1)  # three features, four times each
    >>> X += 0.01 * rng.normal(size=X.shape)
    >>> FeatureClusterSelector().fit(X).get_support(indices=True) // 4
    array([0, 1, 2])
    """

    _schema = declare(
        {
            "support_": Array(("n_features",), ("bool",)),
            "labels_": positions("n_features", "n_clusters"),
            "n_clusters_": Integer(low=1, high="n_features", binds="n_clusters"),
        },
        pick=Choice(*PICKS),
    )

    def __init__(self, *, pick="spread", device="cpu"):
        self.pick = pick
        self.device = device

    def _select(self, X: np.ndarray) -> None:
        clusters = ikfs(range_scaled(X), pick=self.pick, backend=self._backend(X))
        self.support_ = clusters.support
        self.labels_ = clusters.labels
        self.n_clusters_ = len(clusters.n_taken)
