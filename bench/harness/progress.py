"""A progress line: finished runs of a study, current runs, remaining time."""

from __future__ import annotations

import sys
import time
from typing import Any

from bench.harness.study import Run

QUIET_SECONDS = 20.0  # between lines when the output is not a terminal
WIDTH = 24


class Bar:
    """One updated line on a terminal; otherwise a new line from time to time."""

    def __init__(self, name: str, total: int, missing: list[Run], jobs: int) -> None:
        self.name, self.total, self.jobs = name, total, jobs
        self.waiting = dict.fromkeys(missing)
        self.before = total - len(missing)
        self.finished = 0
        self.failed = 0
        self.began = self.last = time.monotonic()
        self.out = sys.stderr

    def __enter__(self) -> Bar:
        if self.waiting:
            self._draw(force=True)
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self.finished or kind:
            self._draw(force=True)
            self._write("\n" if self.out.isatty() else "")

    def done(self, run: Run, status: str, error: str | None) -> None:
        """Record a finished run."""
        self.waiting.pop(run, None)
        self.finished += 1
        if status != "ok":
            self.failed += 1
            clear = "\r\x1b[2K" if self.out.isatty() else ""
            self._write(
                f"{clear}{self.name}: {run.data} | {run.method}, trial {run.trial}: {error}\n"
            )
        self._draw()

    def _draw(self, *, force: bool = False) -> None:
        now = time.monotonic()
        watched = self.out.isatty()
        if not force and now - self.last < (0.1 if watched else QUIET_SECONDS):
            return
        self.last = now
        text = self.text(now - self.began)
        self._write(f"\r\x1b[2K{text}" if watched else f"{text}\n")

    def text(self, seconds: float) -> str:
        """Return the line after this many seconds."""
        there = self.before + self.finished
        filled = round(WIDTH * there / max(self.total, 1))
        line = f"{self.name} [{'#' * filled}{'.' * (WIDTH - filled)}] {there}/{self.total}"
        if self.failed:
            line += f", {self.failed} failed"
        if self.waiting:
            # Runs start in order: the first unfinished ones are those that run now.
            running = [f"{run.data} {run.method} #{run.trial}" for run in self.waiting][: self.jobs]
            left = (
                f", {_clock(seconds / self.finished * len(self.waiting))} left"
                if self.finished
                else ""
            )
            line += f"{left}, running: {', '.join(running)}"
        return line

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
