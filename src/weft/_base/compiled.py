"""How numba compiles functions that have to be ready soon after the first start."""

from __future__ import annotations

from typing import Any

# No function is called from C, so the wrapper for it is left out: it would take 0.01 seconds.
COMPILED: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
KEEPS_THE_LOCK: dict[str, Any] = {**COMPILED, "nogil": False}  # the interpreter lock
