"""Stages of the search for clusters, features and their number: estimate, medoids, centroids."""

from weft.methods.staged.settings import ClusterEstimate

__all__ = ["ClusterEstimate"]
