"""Stages of the search for clusters, features and their number: estimate, medoids, centroids."""
