"""The largest resident memory of a process and its children."""

from __future__ import annotations

import threading
from typing import Any

import psutil


class Peak:
    """The largest resident memory of this process and its children while the block runs."""

    def __enter__(self) -> Peak:
        self.bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        me = psutil.Process()
        while not self._over.wait(0.1):
            total = 0
            for process in [me, *me.children(recursive=True)]:
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.bytes = max(self.bytes, total)
