"""Clusters in a kernel's feature space, their number unknown: spaces, objectives, the search."""

from weft.methods.mercer.settings import FeatureCenters, InputCenters, Kernel

__all__ = ["FeatureCenters", "InputCenters", "Kernel"]
