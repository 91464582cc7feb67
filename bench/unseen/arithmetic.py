"""Training in an arithmetic that processors share, so that they all give the same judge.

OpenBLAS and NumPy choose among compiled variants by the processor, and these round differently in
the last bits. Evidence near a threshold of a tree then falls on its other side, and later trees
differ. The variants that this module selects run on every x86-64 processor with AVX2. Code that
numba compiles does not reorder sums, so it needs no setting.
"""

from __future__ import annotations

import os
import sys

SHARED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


def start_again_in_shared_arithmetic() -> None:
    """Run this command in a process with these settings: libraries read them when they load."""
    if all(os.environ.get(name) == value for name, value in SHARED.items()):
        return
    command = [sys.executable, "-m", "bench.unseen", *sys.argv[1:]]
    sys.stdout.flush()
    # S606: this Python again, with the arguments it was given.
    os.execve(sys.executable, command, {**os.environ, **SHARED})  # noqa: S606
