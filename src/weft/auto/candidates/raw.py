"""A clustering before and after near-identical ones are merged."""

from typing import NamedTuple

from weft.auto.working import Ints


class Raw(NamedTuple):
    """Labels, the family that has one vote, and the generator's full name."""

    labels: Ints
    family: str
    name: str


class Candidate(NamedTuple):
    """One clustering of the prepared rows.

    Attributes
    ----------
    labels : (n,) cluster of each row in canonical order, numbered by first row; -1 is an outlier
    generators : full names of all generators that gave this clustering, or one near-identical
    families : the names of FAMILIES among them, each once
    """

    labels: Ints
    generators: tuple[str, ...]
    families: tuple[str, ...]
