"""Tables of numbers, categories, ordered and cyclic values, with gaps: metric and screening."""

from weft.columns.mixed.distances import mixed_distances
from weft.columns.mixed.embedding import Coordinates, Embedding, embed, learn_embedding, transform
from weft.columns.mixed.screening import screen

__all__ = [
    "Coordinates",
    "Embedding",
    "embed",
    "learn_embedding",
    "mixed_distances",
    "screen",
    "transform",
]
