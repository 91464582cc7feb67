"""Check before an allocation whether it fits into memory; the error is one sentence.

Linux may grant memory that it does not have and later kill the process. So every allocation that
grows with two of rows, columns, clusters and particles is compared with a limit first.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

# Arrays of the size of the positions that a swarm keeps: velocities, own bests, temporary ones.
_ARRAYS_OF_A_SWARM = 6


@lru_cache(maxsize=1)
def _installed() -> int:
    """Return the memory of this machine or container, in bytes."""
    amounts = [2**63]
    with suppress(AttributeError, OSError, ValueError):  # not on this system
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # no container, or one without a limit
        amounts.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(amounts)


def machine_memory() -> int:
    """Return the maximum memory of this process, in bytes."""
    try:
        import resource
    except ImportError:  # not on this system
        return _installed()
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return _installed() if limit == resource.RLIM_INFINITY else min(limit, _installed())


def check_memory(needed: int, what: str, advice: str, limit: int | None = None) -> None:
    """Raise if `needed` bytes are more than `limit`, by default the memory of the process.

    Parameters
    ----------
    needed : int
        Bytes that will be allocated.
    what : str
        The subject of the sentence: what needs them.
    advice : str
        The end of the sentence: what to do about it.
    limit : int, default=None
        A limit that a parameter sets, ``max_memory``; None: the memory of the machine.

    Raises
    ------
    ValueError
        One sentence.
    """
    available = machine_memory() if limit is None else limit
    if needed > available:
        allowed = "this process can have" if limit is None else "max_memory allows"
        raise ValueError(
            f"{what} would take {needed / 2**30:.1f} GiB, but {allowed} {available / 2**30:.1f} "
            f"GiB; {advice}."
        )


def check_swarm(n_particles: int, n_dimensions: int) -> None:
    """Raise if a swarm of this many particles does not fit into memory."""
    check_memory(
        8 * _ARRAYS_OF_A_SWARM * n_particles * n_dimensions,
        f"n_particles={n_particles} with {n_dimensions} numbers each",
        "lower n_particles, or the number of clusters or columns",
    )
