"""Processes that run at the same time as this one, and end with it."""

from __future__ import annotations

import subprocess  # nosec B404
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


@contextmanager
def modules_beside(module: str, arguments: Sequence[Sequence[str]]) -> Iterator[None]:
    """Run ``python -m module`` once for each set of arguments, while the block runs.

    This process does not wait for them, and their failure has no effect: they may only do work that
    this process can also do.
    """
    started: list[subprocess.Popen[bytes]] = []
    try:
        for own in arguments:
            with suppress(OSError):
                # This Python, with fixed arguments: no input of a user is executed.
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
