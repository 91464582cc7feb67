"""Tables of numbers, categories, ordered and cyclic values, with gaps: metric and screening."""

from weft.columns.mixed.distances import mixed_distances
from weft.columns.mixed.embedding import Coordinates, Embedding, embed, learn_embedding, transform

__all__ = [
    "Coordinates",
    "Embedding",
    "embed",
    "learn_embedding",
    "mixed_distances",
    "transform",
]
