"""Selection among redundant features: the compression index, FSFS and iKFS."""

from weft.methods.selection.compression import maximal_information_compression

__all__ = ["maximal_information_compression"]
