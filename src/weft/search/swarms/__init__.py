"""One optimiser per file; none of them uses data. `FeatureSwarm` takes those in `SWARMS`."""

from __future__ import annotations

from typing import Any

from weft._base.validation import check_choice
from weft.search.swarms.base import Evaluation, Swarm, SwarmState
from weft.search.swarms.binary import BinaryPSO
from weft.search.swarms.pso import PSO
from weft.search.swarms.standard import StandardPSO

SWARMS: dict[str, type[Swarm[Any]]] = {
    "pso": PSO,
    "standard": StandardPSO,
    "binary": BinaryPSO,
}

__all__ = [
    "PSO",
    "SWARMS",
    "BinaryPSO",
    "Evaluation",
    "StandardPSO",
    "Swarm",
    "SwarmState",
    "make_swarm",
]


def make_swarm(swarm: Any) -> Swarm[Any]:
    """Return the swarm of that name, or the object itself."""
    if isinstance(swarm, str):
        check_choice("swarm", swarm, SWARMS)
        return SWARMS[swarm]()
    if not isinstance(swarm, Swarm) or isinstance(swarm, type):
        raise TypeError(
            f"swarm={swarm!r} is neither a known name nor a swarm; pass one of "
            f"{', '.join(map(repr, SWARMS))}, or an object with start, ask and tell."
        )
    return swarm
