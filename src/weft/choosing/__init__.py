"""Choosing the number of clusters and the exponent; each choice comes with its evidence."""

from weft.choosing.exponent import choose_exponent
from weft.choosing.n_clusters import choose_n_clusters

__all__ = ["choose_exponent", "choose_n_clusters"]
