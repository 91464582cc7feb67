"""The interface of clusterers."""

from __future__ import annotations

from typing import ClassVar, Self

from weft.backends.spaces import Partitions, Spaces


class Clusterer:
    """A distance-based clusterer: sees the `Spaces` of some particles, never a particle.

    Subclass it and write `cluster`; the rest has defaults. It runs on every backend as long as it
    uses the operations of the spaces alone, or `Spaces.to_host` for what needs NumPy.
    """

    n_matrices: ClassVar[int] = 0  # n × n arrays that it cannot do without
    precision: ClassVar[str] = "float64"  # "float32" if it settles what that leaves open
    pair_bytes: ClassVar[int] = 20  # per particle and pair of rows, on a GPU
    on_gpu: ClassVar[bool] = True  # whether it works on the arrays of a GPU
    recordable: ClassVar[bool] = False  # whether its steps on a GPU never wait for the host

    def prepare(self, full: Spaces) -> Self:
        """Return the clusterer with its data-dependent settings computed and its requirements
        checked.

        `full` is the space of one particle with all features at weight 1.
        """
        return self

    def cluster(self, spaces: Spaces) -> Partitions:
        """Cluster the rows once for each particle."""
        raise NotImplementedError
