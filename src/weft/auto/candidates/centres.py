"""k-means and Gaussian mixtures, for every wanted number of clusters."""

import numpy as np

from weft.auto.candidates.raw import Raw
from weft.auto.candidates.sizes import up_to
from weft.auto.kernels.centres import kmeans
from weft.auto.kernels.mixtures import DIAGONAL, FULL, TIED, mixture
from weft.auto.working import Floats, Ints, Prepared

N_STARTS = 2
KMEANS_ITERATIONS = 40
EM_ITERATIONS = 40
EM_TOLERANCE = 1e-3
MOST_CENTRES = 40  # most clusters of k-means
MOST_PIECES = 12  # most components of a mixture
FULL_AXES = 8  # most axes of a mixture with full covariances
# Part of the table's variance that is added to each variance of a piece.
FLOOR = {"full": 1e-3, "tied": 1e-3, "diagonal": 1e-3}
KINDS = {"full": FULL, "tied": TIED, "diagonal": DIAGONAL}


def kmeans_labels(points: Floats, start: Ints, k: int, rng: np.random.Generator) -> Ints:
    """The best of Lloyd's algorithm from the start and from seeded k-means++ draws."""
    labels = np.empty(len(points), dtype=np.int64)
    kmeans(points, start, rng.random((N_STARTS, k)), KMEANS_ITERATIONS, labels)
    return labels


def mixture_labels(points: Floats, start: Ints, k: int, kind: str) -> tuple[Ints, float]:
    """Labels of a Gaussian mixture after EM from the start, and its log-likelihood."""
    labels = np.empty(len(points), dtype=np.int64)
    floor = FLOOR[kind] * np.maximum(points.var(axis=0), 1e-12)
    likelihood = mixture(points, start, k, KINDS[kind], floor, EM_ITERATIONS, EM_TOLERANCE, labels)
    return labels, likelihood


def centre_candidates(prepared: Prepared, counts: Ints, ward: Ints) -> list[Raw]:
    """k-means from Ward's cuts and from k-means++; mixtures from k-means and from Ward's cuts."""
    rng = np.random.default_rng([prepared.seed, 1])
    points = prepared.points
    few_axes = np.ascontiguousarray(points[:, :FULL_AXES])
    n, d = points.shape
    found: list[Raw] = []
    pieces = up_to(counts, MOST_PIECES)
    for position, k in enumerate(up_to(counts, MOST_CENTRES).tolist()):
        labels = kmeans_labels(points, ward[position], k, rng)
        found.append(Raw(labels, "kmeans", f"kmeans:{k}"))
        if k not in pieces or n < 5 * k:
            continue
        starts = [ward[position]]
        if (labels != starts[0]).any():
            starts.append(labels)
        for kind in KINDS:
            view = few_axes if kind == "full" and d > FULL_AXES else points
            best = max(
                (mixture_labels(view, start, k, kind) for start in starts),
                key=lambda fit: fit[1],
            )
            found.append(Raw(best[0], f"mixture-{kind}", f"mixture-{kind}:{k}"))
    return found
