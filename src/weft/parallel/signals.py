"""The first Ctrl-C or SIGTERM asks for a graceful stop; the second ends the process at once."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any, Self

# Only if the program has not set its own handler.
_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
NAMES = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


class Signals:
    """Records the first signal inside the block; the second has its usual effect.

    Python delivers signals to the main thread only, so nothing changes in other threads, or where
    the program has set its own handler.
    """

    def __init__(self, listens: bool = True) -> None:
        self.received: int | None = None
        self._listens = listens
        self._before: dict[int, Any] = {}

    @property
    def name(self) -> str:
        """Return the name of the signal for messages."""
        # None before a signal has come; get() accepts it.
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


def ignore_ctrl_c() -> None:
    """Ignore Ctrl-C from now on: the program is about to end, and its exit code is set."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
