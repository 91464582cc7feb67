"""A swarm's move in one pass over memory: see the reference for the formula."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def move_particles(positions, velocities, own_best, best, draws, factors, clamp):
    """Return the new positions and velocities of all particles."""
    n_particles, n_dimensions = positions.shape
    inertia, cognitive, social = factors[0], factors[1], factors[2]
    moved = np.empty_like(positions)
    speeds = np.empty_like(positions)
    for p in range(n_particles):
        for d in range(n_dimensions):
            place = positions[p, d]
            speed = (
                inertia * velocities[p, d]
                + cognitive * draws[0, p, d] * (own_best[p, d] - place)
                + social * draws[1, p, d] * (best[d] - place)
            )
            speed = min(max(speed, -clamp), clamp)
            speeds[p, d] = speed
            moved[p, d] = place + speed
    return moved, speeds
