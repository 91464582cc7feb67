"""Options of numba for the functions of AutoCluster, which the first run compiles."""

from __future__ import annotations

from typing import Any

# No function is called from C, so none gets a wrapper for it, which takes 0.01 seconds to compile.
COMPILED: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
# For functions so short that giving up the interpreter lock would take longer.
KEEPS_THE_LOCK: dict[str, Any] = {**COMPILED, "nogil": False}
