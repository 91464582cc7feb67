"""Data sets with known clusters: labels in ``target``, features that matter in ``relevant``.

=========================  ======================================================================
`make_ellipsoids`          elongated clusters of any orientation, closely packed (Handl, Knowles)
`make_gaussians`           Gaussian clusters with full covariances, kept apart (Handl, Knowles)
`make_noisy_gaussians`     spherical Gaussians among columns of uniform noise (de Amorim)
`make_subspace_clusters`   clusters in different subspaces of one table (Lu, Wang, Li, Zhou)
`make_shapes`              rings, moons, spirals, a dish in a shell, blobs: for kernel methods
`add_noise_features`       append noise columns, independent of the clusters
=========================  ======================================================================
"""

from weft.datasets.ellipsoids import make_ellipsoids
from weft.datasets.gaussians import make_gaussians, make_noisy_gaussians
from weft.datasets.noise import add_noise_features
from weft.datasets.shapes import make_shapes
from weft.datasets.subspace import make_subspace_clusters

__all__ = [
    "add_noise_features",
    "make_ellipsoids",
    "make_gaussians",
    "make_noisy_gaussians",
    "make_shapes",
    "make_subspace_clusters",
]
