"""A move of a swarm, in readable form.

v ← clip(ω v + c1 r1 (own best − x) + c2 r2 (swarm's best − x), ±clamp), x ← x + v, with r1, r2 in
`draws` (2, P, D) and (ω, c1, c2) in `factors`.
"""

from __future__ import annotations

import numpy as np


def move_particles(positions, velocities, own_best, best, draws, factors, clamp):
    """Return the new positions and velocities of all particles."""
    inertia, cognitive, social = factors
    speeds = (
        inertia * velocities
        + cognitive * draws[0] * (own_best - positions)
        + social * draws[1] * (best - positions)
    )
    speeds = np.clip(speeds, -clamp, clamp)
    return positions + speeds, speeds
