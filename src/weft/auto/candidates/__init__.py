"""The clusterings that compete: centres, mixtures, trees, density and graphs, over all K.

============  =====================================================================================
`trees`       linkages and Genie, cut at every number of clusters
`centres`     k-means and Gaussian mixtures, started from the trees
`density`     HDBSCAN, DBSCAN and mutual neighbours
`graphs`      spectral clustering and communities
`merging`     near-identical clusterings become one
============  =====================================================================================
"""

from weft.auto.candidates.family import FAMILIES, generate
from weft.auto.candidates.raw import Candidate

__all__ = ["FAMILIES", "Candidate", "generate"]
