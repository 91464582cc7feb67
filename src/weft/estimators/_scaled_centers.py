"""Labels, centres and prediction of methods that search for centres among scaled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from weft._base.arrays import Floats, Integers
from weft._base.labels import order_by_first_row, renumber
from weft.answers.membership import center_softness, soften
from weft.estimators._mixins import PredictMixin
from weft.estimators._soft_answers import SoftAnswersMixin
from weft.methods.centroids.objectives import assign


class ScaledCentersMixin(SoftAnswersMixin, PredictMixin):
    """Labels and centres from scaled centres, for estimators with ``_fit_scaling``."""

    def _keep_centers(self: Any, X: Floats, rows: Floats, centers: Floats) -> None:
        """Give each of the `rows`, the scaled ones of X, to its nearest centre."""
        labels = assign(rows, centers)
        order = order_by_first_row(labels)
        self.labels_ = renumber(labels, order)
        self.n_clusters_ = len(order)
        self._fit_centers = centers[order]
        self.cluster_centers_ = np.stack(
            [X[self.labels_ == number].mean(axis=0) for number in range(self.n_clusters_)]
        )

    def _nearest(self: Any, X: Floats) -> Integers:
        return assign(self._fit_scaling.apply(X), self._fit_centers)

    def _probabilities(self: Any, rows: Floats) -> Floats:
        distances = cdist(self._fit_scaling.apply(rows), self._fit_centers)
        softness = center_softness(np.ones((1, rows.shape[1])))
        return soften(distances, softness, self._nearest(rows))
