"""Judge cases in another process, which is replaced if a case hangs or ends it."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

SECONDS = 20.0
# A process that hangs may use no processor time: it is stopped after this much waiting.
WAITS_PER_SECOND = 60.0


def _processor_seconds(process: int | None) -> float:
    """Return the processor time of a process so far; 0 if the system does not provide it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _work(judge: Callable[[Any], str], pipe: Connection) -> None:
    while True:
        case = pipe.recv()
        if case is None:
            return
        pipe.send(judge(case))


class _Worker:
    """A process that judges cases."""

    def __init__(self, judge: Callable[[Any], str]) -> None:
        self._judge = judge
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(self._judge, other), daemon=True)
        self.process.start()
        other.close()
        self._is_new = True

    def judge(self, case: Any) -> str:
        self.pipe.send(case)
        # The first case of a process includes its imports, and perhaps compilation.
        patience = 10 * SECONDS if self._is_new else SECONDS
        self._is_new = False
        try:
            if self._answers_within(patience):
                return str(self.pipe.recv())
            fault = f"no answer in {patience:.0f} s"
        except EOFError:
            self.process.join()
            fault = f"ended its process ({self.process.exitcode})"
        self.process.kill()
        self.process.join()
        self._start()
        return fault

    def _answers_within(self, seconds: float) -> bool:
        """Wait for some processor time, so that a busy machine does not fail a case."""
        began, before = time.monotonic(), _processor_seconds(self.process.pid)
        while not self.pipe.poll(0.2):
            waited = time.monotonic() - began
            used = _processor_seconds(self.process.pid) - before
            if used > seconds or waited > WAITS_PER_SECOND * seconds:
                return False
        return True

    def close(self) -> None:
        self.pipe.send(None)
        self.process.join()


def judged_apart(judge: Callable[[Any], str], cases: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Yield each case with the problem that `judge` finds, including hangs and dead processes.

    `judge` is a function of a module, so that another process can import it.
    """
    worker = _Worker(judge)
    try:
        for case in cases:
            yield case, worker.judge(case)
    finally:
        worker.close()
