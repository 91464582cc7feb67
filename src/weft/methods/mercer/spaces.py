"""Feature spaces: inner products of rows, coordinates to search in, and the same for new rows.

==========  ========  =====================================================================
symbol      shape     meaning
==========  ========  =====================================================================
X           (n, d)    rows, scaled by the caller
gram        (n, n)    inner products ⟨φ(x), φ(y)⟩
Y           (n, q)    coordinates in the q directions that hold most of the spread of φ(X)
==========  ========  =====================================================================

The diffusion kernel (Coifman and Lafon 2006; local scales of Zelnik-Manor and Perona 2004):
W_ij = exp(-|x_i - x_j|² / s_i s_j), s_i the distance to the 7th neighbour; P = D⁻¹W is a random
walk, and rows are near if walks of t steps from them end similarly: Y = (λ_1^t ψ_1, λ_2^t ψ_2, …)
with the eigenvectors ψ of P. σ is the width of such a walk in steps of the local scale, t = σ².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels

from weft._base.arrays import Floats, Integers
from weft._base.validation import check_choice, check_real
from weft.backends import CPU, Backend
from weft.methods.mercer.settings import Kernel

LOCAL_NEIGHBOUR = 7
# Directions with less than this share of the variance are rounding errors: equal rows would differ
# in them.
ROUNDING = 1e-12
# Number of inner products of new rows with known ones that are in memory at a time.
_PRODUCTS_AT_ONCE = 2**22


@dataclass(frozen=True)
class FeatureSpace:
    """φ of the rows of the fit, given by inner products."""

    X: Floats
    gram: Floats
    coordinates: Floats  # Y

    def squared_distances(self) -> Floats:
        """Return |φ(x_i) - φ(x_j)|² of all rows (eq. 3)."""
        norms = np.diag(self.gram)
        # Rounding may leave a distance a little below 0.
        return np.maximum(norms[:, np.newaxis] - 2.0 * self.gram + norms, 0.0)

    def cross(self, rows: Floats) -> Floats:
        """Return inner products of new rows (m, d) with the known ones, (m, n)."""
        raise NotImplementedError


@dataclass(frozen=True)
class KernelSpace(FeatureSpace):
    """Any kernel of scikit-learn."""

    kernel: str = "rbf"
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Floats, kernel: str, params: dict[str, Any], n_components: int) -> KernelSpace:
        """Build the space of `kernel` over X."""
        gram = np.ascontiguousarray(pairwise_kernels(X, metric=kernel, n_jobs=1, **params))
        return cls.of_gram(X, gram, kernel, params, n_components)

    @classmethod
    def of_gram(
        cls, X: Floats, gram: Floats, kernel: str, params: dict[str, Any], n_components: int
    ) -> KernelSpace:
        """Build the space from its inner products; without coordinates if `n_components` is 0."""
        if n_components == 0:
            return cls(X, gram, np.empty((len(X), 0)), kernel, params)
        means = gram.mean(axis=0)
        centred = gram - means - means[:, np.newaxis] + means.mean()
        values, vectors = leading(centred, n_components)
        values = np.where(values > ROUNDING * values[0], values, 0.0)
        return cls(X, gram, vectors * np.sqrt(values), kernel, params)

    def cross(self, rows: Floats) -> Floats:
        return pairwise_kernels(rows, self.X, metric=self.kernel, n_jobs=1, **self.params)


@dataclass(frozen=True)
class Walk:
    """The random walk on the rows, before a number of steps is chosen."""

    X: Floats
    scales: Floats  # s
    values: Floats  # λ, without the trivial first one
    vectors: Floats  # ψ, (n, q)

    @classmethod
    def of(cls, X: Floats, n_components: int) -> Walk:
        """Build the walk on X."""
        squared = cdist(X, X, "sqeuclidean")
        scales = _local_scales(squared)
        weights = np.exp(-squared / (scales[:, np.newaxis] * scales))
        degrees = weights.sum(axis=1)
        roots = np.sqrt(degrees)
        values, vectors = leading(weights / (roots[:, np.newaxis] * roots), n_components + 1)
        vectors = vectors / roots[:, np.newaxis] * np.sqrt(degrees.sum())
        return cls(X, scales, np.clip(values[1:], 0.0, 1.0), vectors[:, 1:])

    def median_width(self) -> float:
        """Return the median distance between rows in local steps."""
        distances = cdist(self.X, self.X)
        return max(1.0, float(np.median(distances) / max(np.median(self.scales), 1e-300)))

    def space(self, sigma: float) -> WalkSpace:
        """Return the feature space of walks of σ² steps."""
        coordinates = np.ascontiguousarray(self.vectors * self._decay(sigma**2))
        return WalkSpace(self.X, coordinates @ coordinates.T, coordinates, self, sigma)

    def coordinates(self, rows: Floats, sigma: float) -> Floats:
        """Return the coordinates of new rows: one step to known rows, then the rest (Nyström)."""
        squared = cdist(rows, self.X, "sqeuclidean")
        place = min(LOCAL_NEIGHBOUR, len(self.X) - 1)
        # A new row gets the scale that it would have as a known row, which is its own neighbour.
        nearest = np.sqrt(np.partition(squared, place, axis=1)[:, place])
        scales = np.where(nearest > 0.0, nearest, _positive_floor(self.scales))
        exponents = -squared / (scales[:, np.newaxis] * self.scales)
        # A row far from all others still steps to the nearest: the largest exponent becomes 0.
        weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        # λ^t = λ · λ^(t-1), and one step of P takes the factor λ.
        kept = self._decay(sigma**2) > 0.0
        decay = np.where(kept, np.where(kept, self.values, 1.0) ** (sigma**2 - 1.0), 0.0)
        return weights @ (self.vectors * decay)

    def _decay(self, steps: float) -> Floats:
        """Return λ^t; 0 where only rounding errors would remain."""
        values = np.where(self.values > ROUNDING, self.values, 0.0) ** steps
        return np.where(values > ROUNDING, values, 0.0)


@dataclass(frozen=True)
class WalkSpace(FeatureSpace):
    """Ends of random walks of σ² steps."""

    walk: Walk | None = None
    sigma: float = 1.0

    def cross(self, rows: Floats) -> Floats:
        if self.walk is None:
            raise ValueError("a WalkSpace must be made by Walk.space.")
        return self.walk.coordinates(rows, self.sigma) @ self.coordinates.T


def read_width(sigma: Any) -> Any:
    """Check a width: "median", or a number."""
    if isinstance(sigma, str):
        return check_choice("sigma", sigma, ("median",))
    return check_real("sigma", sigma, low=0.0, open_low=True)


def own_width(kernel: Kernel, n_features: int) -> float | None:
    """Return the width that ``gamma`` of a Gaussian kernel means; None if sigma gives the width."""
    if kernel.name != "rbf" or "gamma" not in kernel.params:
        return None
    gamma = kernel.params["gamma"]
    if gamma is None:  # scikit-learn's default
        gamma = 1.0 / n_features
    return float(np.sqrt(0.5 / check_real("gamma", gamma, low=0.0, open_low=True)))


class LoadedSpace(NamedTuple):
    """A feature space, with its inner products in the memory of the backend."""

    space: FeatureSpace
    width: float | None  # None for kernels without a width
    gram: Any  # opaque: made and read by the backend


def make_space(
    rows: Floats,
    given: Kernel,
    sigma: Any,
    *,
    n_components: int,
    backend: Backend = CPU,
) -> LoadedSpace:
    """Build the space of a kernel at one width.

    The Gaussian kernel is computed by the backend; the others are computed on the CPU and moved.
    """
    sigma = read_width(sigma)
    kernel, params = given.name, dict(given.params)
    operations = backend.mercer
    if kernel == "diffusion":
        walk = Walk.of(rows, n_components)
        width = walk.median_width() if sigma == "median" else sigma
        space = walk.space(width)
        return LoadedSpace(space, width, operations.load_gram(space.gram, backend.device))
    if kernel != "rbf" or set(params) - {"gamma"}:
        other = KernelSpace.of(rows, kernel, params, n_components)
        return LoadedSpace(other, None, operations.load_gram(other.gram, backend.device))
    own = own_width(given, rows.shape[1])
    width = sigma if own is None else own
    if width == "median":
        width = operations.median_distance(rows, backend.device)
    params = {"gamma": gamma_of(width), **params}
    gram = operations.gaussian_gram(rows, params["gamma"], backend.device)
    host_gram = operations.fetch_gram(gram)
    gaussian = KernelSpace.of_gram(rows, host_gram, kernel, params, n_components)
    return LoadedSpace(gaussian, width, gram)


def nearest_means(space: FeatureSpace, known: Integers, n_clusters: int, rows: Floats) -> Integers:
    """Return the cluster with the nearest mean in feature space for each of `rows`."""
    norms, counts = CPU.mercer.mean_norms(space.gram, known, n_clusters)
    shares = np.zeros((len(known), n_clusters))
    shares[np.arange(len(known)), known] = 1.0 / counts[known]
    labels = np.empty(len(rows), dtype=np.int64)
    height = max(1, _PRODUCTS_AT_ONCE // len(known))
    for start in range(0, len(rows), height):
        block = slice(start, start + height)
        labels[block] = (norms - 2.0 * (space.cross(rows[block]) @ shares)).argmin(axis=1)
    return labels


def leading(matrix: Floats, n_vectors: int) -> tuple[Floats, Floats]:
    """Return the `n_vectors` largest eigenvalues, in falling order, and vectors (n, n_vectors)."""
    n_rows = len(matrix)
    n_vectors = min(n_vectors, n_rows)
    values, vectors = eigh(matrix, subset_by_index=[n_rows - n_vectors, n_rows - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    # The sign of an eigenvector is arbitrary: its largest entry is made positive.
    peaks = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[peaks, np.arange(n_vectors)])
    return values, np.ascontiguousarray(vectors * np.where(signs == 0.0, 1.0, signs))


def gamma_of(sigma: float) -> float:
    """Return scikit-learn's γ for exp(-|x - y|² / 2σ²)."""
    return 1.0 / (2.0 * sigma**2)


def _local_scales(squared: Floats) -> Floats:
    place = min(LOCAL_NEIGHBOUR, len(squared) - 1)
    scales = np.sqrt(np.partition(squared, place, axis=1)[:, place])
    return np.where(scales > 0.0, scales, _positive_floor(scales))


def _positive_floor(scales: Floats) -> float:
    """Return the scale of a row with 7 equal rows: the smallest scale above 0."""
    positive = scales[scales > 0.0]
    return float(positive.min()) if len(positive) else 1.0
