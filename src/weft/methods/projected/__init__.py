"""Swarm search for clusters in subspaces: fitness and starts of particles, refinement."""

from weft.methods.projected.settings import Objective, SwarmSettings

__all__ = ["Objective", "SwarmSettings"]
