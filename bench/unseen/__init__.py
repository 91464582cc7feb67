"""Clustering of tables that nobody has tuned to: a made-up world, a battery, rivals, training."""
