"""A clustering before near-identical ones are merged."""

from typing import NamedTuple

from weft.auto.working import Ints


class Raw(NamedTuple):
    """Labels, the family that has one vote, and the generator's full name."""

    labels: Ints
    family: str
    name: str
