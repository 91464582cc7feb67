"""Parts of schemas: the parameter ``swarm``, a name or the record of its settings."""

from __future__ import annotations

from weft.estimators._declared import COUNT, POSITIVE
from weft.models.kinds import NOTHING, Choice, Flag, Kind, ListOf, Number, OneOf, Record
from weft.search.swarms import SWARMS
from weft.search.swarms.mepso import MEPSO, TABLE_2
from weft.search.swarms.staged import StagedPSO

_PULL = Number(low=0.0)
_SETTINGS: dict[str, Kind] = {
    **dict.fromkeys(("inertia", "cognitive", "social", "initial_velocity"), _PULL),
    "max_velocity": POSITIVE,
}

FEATURE_SWARM = OneOf(
    Choice(*SWARMS), *(Record(kind.__name__, kind, _SETTINGS) for kind in SWARMS.values())
)
STAGED_SWARM = OneOf(
    Choice("standard"),
    Record("StagedPSO", StagedPSO, {**_SETTINGS, "initial_velocity": OneOf(NOTHING, _PULL)}),
)
KERNEL_SWARM = OneOf(
    Choice(*TABLE_2),
    Record(
        "MEPSO",
        MEPSO,
        {
            **_SETTINGS,
            **dict.fromkeys(("cognitive", "social"), ListOf(_PULL, 2)),
            "n_generations": COUNT,
            "bounds": OneOf(NOTHING, ListOf(Number(), 2)),
            "elitist": Flag(),
        },
    ),
)
