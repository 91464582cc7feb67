"""What every clusterer has."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

from weft.backends.spaces import Partitions, Spaces


@runtime_checkable
class Clusterer(Protocol):
    """A distance-based clusterer: sees the `Spaces` of some particles, never a particle.

    Subclass it and write `cluster`; the rest has defaults. It runs on every backend as long as it
    uses the operations of the spaces alone, or `Spaces.to_host` for what needs NumPy.
    """

    @property
    def n_matrices(self) -> int:
        """How many n × n arrays it cannot do without."""
        return 0

    @property
    def precision(self) -> str:
        """``"float32"`` if it settles what that leaves open, else ``"float64"``."""
        return "float64"

    @property
    def pair_bytes(self) -> int:
        """Bytes per particle and pair of rows that it takes on a GPU."""
        return 20 if self.n_matrices else 0

    @property
    def on_gpu(self) -> bool:
        """Whether it works on the arrays of a GPU."""
        return True

    @property
    def recordable(self) -> bool:
        """Whether its steps on a GPU never wait for a result on the host."""
        return False

    def prepare(self, full: Spaces) -> Self:
        """Return the clusterer with what depends on the data settled, and its demands checked.

        `full` is the space of one particle with all features at weight 1.
        """
        return self

    def cluster(self, spaces: Spaces) -> Partitions:
        """Cluster the rows once for each particle."""
        raise NotImplementedError
