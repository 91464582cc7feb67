"""Data sets that come with the truth: labels in ``target``, features that matter in ``relevant``.

=========================  ======================================================================
`make_ellipsoids`          elongated clusters of any orientation, closely packed (Handl, Knowles)
`make_gaussians`           Gaussian clusters with full covariances, kept apart (Handl, Knowles)
`make_noisy_gaussians`     spherical Gaussians among columns of uniform noise (de Amorim)
`add_noise_features`       append columns that know nothing of the clusters
=========================  ======================================================================
"""

from weft.datasets.ellipsoids import make_ellipsoids
from weft.datasets.gaussians import make_gaussians
from weft.datasets.noise import add_noise_features
from weft.datasets.noisy_gaussians import make_noisy_gaussians

__all__ = [
    "add_noise_features",
    "make_ellipsoids",
    "make_gaussians",
    "make_noisy_gaussians",
]
