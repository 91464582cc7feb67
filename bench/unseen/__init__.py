"""Clustering of unseen tables: a synthetic world, a battery, rivals, training."""
