"""Warnings that name the line of the user's own code."""

from __future__ import annotations

import sys
import warnings

# Packages whose frames lie between the user's line and the warning.
_PASSED_THROUGH = {"weft", "contextlib", "sklearn"}


def warn_caller(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn with the line of the user's code that led to the warning, at any depth of calls."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _package(frame.f_globals) in _PASSED_THROUGH:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
