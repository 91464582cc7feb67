"""When a search skips what is left of its work."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """How much of the time limit is used, and whether a stop was requested."""

    def __init__(self, limit: float | None, asked_by: Callable[[], str]) -> None:
        self.limit = limit
        self.asked_by = asked_by
        self.start = time.monotonic()
        self.stopped_by = ""

    def is_late(self, share: float) -> bool:
        """Return whether this share of the time limit has passed; the caller then skips its
        work."""
        who = self.asked_by()
        if self.limit is not None and time.monotonic() - self.start > share * self.limit:
            who = who or "the time limit"
        self.stopped_by = who or self.stopped_by
        return bool(who)
