"""Tables of numbers, categories, ordered and cyclic values, with gaps: metric and screening."""

from weft.columns.mixed.distances import mixed_distances
from weft.columns.mixed.embedding import Coordinates, Embedding, embed, learn_embedding, transform
from weft.columns.mixed.main_directions import MainView, along_main_directions, learn_main_view
from weft.columns.mixed.repeats import (
    Repetition,
    describe_repetition,
    find_repetition,
    followed_columns,
)
from weft.columns.mixed.screening import screen

__all__ = [
    "Coordinates",
    "Embedding",
    "MainView",
    "Repetition",
    "along_main_directions",
    "describe_repetition",
    "embed",
    "find_repetition",
    "followed_columns",
    "learn_embedding",
    "learn_main_view",
    "mixed_distances",
    "screen",
    "transform",
]
