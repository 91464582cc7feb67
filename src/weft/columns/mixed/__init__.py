"""Tables of numbers, categories, ordered and cyclic values, with gaps: metric and screening."""

from weft.columns.mixed.distances import mixed_distances
from weft.columns.mixed.embedding import Coordinates, Embedding, embed, learn_embedding, transform
from weft.columns.mixed.repeats import (
    Repetition,
    choose_clustering,
    describe_repetition,
    find_repetition,
)
from weft.columns.mixed.screening import screen

__all__ = [
    "Coordinates",
    "Embedding",
    "Repetition",
    "choose_clustering",
    "describe_repetition",
    "embed",
    "find_repetition",
    "learn_embedding",
    "mixed_distances",
    "screen",
    "transform",
]
