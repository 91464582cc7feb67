"""Processes that run at the same time as this one, and end with it."""

from __future__ import annotations

import subprocess  # nosec B404
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


@contextmanager
def modules_beside(module: str, arguments: Sequence[Sequence[str]]) -> Iterator[None]:
    """Run ``python -m module`` once for each set of arguments, while the block runs.

    Nothing waits for these processes, and a failure of theirs has no effect: they may only do
    what this process could do as well.
    """
    started: list[subprocess.Popen[bytes]] = []
    try:
        for own in arguments:
            with suppress(OSError):
                # This Python, with arguments of our own: nothing of a user's is run.
                started.append(
                    subprocess.Popen(  # noqa: S603  # nosec B603
                        [sys.executable, "-m", module, *own],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                )
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()
