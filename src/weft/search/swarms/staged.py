"""Settings of the swarms of a search in stages: Lensen, Xue and Zhang, section 3.3."""

from __future__ import annotations

from dataclasses import dataclass

from weft.search.swarms.standard import StandardPSO


@dataclass(frozen=True)
class StagedPSO:
    """Settings of :class:`weft.StagedSwarm`'s swarm; the defaults are van den Bergh's.

    Parameters
    ----------
    inertia : float, default=0.729844
        How much of its velocity a particle keeps.
    cognitive, social : float, default=1.49618
        Pull of the particle's own best position and of the swarm's.
    max_velocity : float, default=6.0
        Maximum step in a dimension.
    initial_velocity : float, default=None
        First velocities of stage 2 are drawn between minus and plus this. None: `max_velocity`, as
        published; with a polish, which is not part of the paper, particles start at rest, because
        that performed better.

    Examples
    --------
    >>> from weft import StagedSwarm
    >>> from weft.search.swarms.staged import StagedPSO
    >>> StagedSwarm(swarm=StagedPSO(initial_velocity=0.0)).swarm.max_velocity
    6.0
    """

    inertia: float = 0.729844
    cognitive: float = 1.49618
    social: float = 1.49618
    max_velocity: float = 6.0
    initial_velocity: float | None = None

    def __post_init__(self) -> None:
        self.at_stage(2, polished=False)  # checks the settings

    def at_stage(self, stage: int, *, polished: bool) -> StandardPSO:
        """Return the swarm of a stage."""
        # "Each particle's velocity is randomly initialised" (section 3.3), within its clamp. Stage
        # 3 needs it, because all particles start at the same position.
        first = 0.0 if polished else self.max_velocity
        if self.initial_velocity is not None and stage < 3:
            first = self.initial_velocity
        return StandardPSO(self.inertia, self.cognitive, self.social, self.max_velocity, first)
