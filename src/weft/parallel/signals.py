"""The first Ctrl-C or SIGTERM is a wish, the second an order."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any, Self

# Only where nobody else has said what a signal means.
_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
NAMES = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


class Signals:
    """Notes the first signal while it is entered; the second does what it always did.

    Python tells the main thread alone, so in other threads nothing is changed, and so where the
    program has a handler of its own.
    """

    def __init__(self, listens: bool = True) -> None:
        self.received: int | None = None
        self._listens = listens
        self._before: dict[int, Any] = {}

    @property
    def name(self) -> str:
        """What the person did."""
        # Before a signal came it is None, which get() takes though it is no key.
        return NAMES.get(self.received, "a signal")  # type: ignore[call-overload]

    def __enter__(self) -> Self:
        if self._listens and threading.current_thread() is threading.main_thread():
            for number, default in _DEFAULTS.items():
                if signal.getsignal(number) == default:
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *error: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
            return
        signal.signal(number, self._before[number])
        os.kill(os.getpid(), number)
