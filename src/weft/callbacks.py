"""Callbacks that watch a search and may stop it; see each class for an example."""

from weft.search.callbacks import (
    Checkpoint,
    History,
    Patience,
    Progress,
    StopOnSignal,
    TimeLimit,
)

__all__ = ["Checkpoint", "History", "Patience", "Progress", "StopOnSignal", "TimeLimit"]
