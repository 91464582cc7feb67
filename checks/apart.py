"""Run a program in its own process, and end it if it hangs. The limit is processor time, because on
a busy machine a correct program may wait for long."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

# A program that uses no processor time for this many seconds is assumed to hang.
STILL = 300.0
# The limit for programs whose threads wake up from time to time, as those of Dask do.
WAITS_PER_SECOND = 20.0
COUNTED = Path("/proc/self/stat").exists()


def session_seconds(session: int) -> float:
    """Return the processor time of all processes of a session, and of those they waited for.

    It is 0 if the system does not provide it.
    """
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended meanwhile
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def run_program(
    command: list[str],
    seconds: float,
    *,
    environment: dict[str, str] | None = None,
    still: float = STILL,
) -> subprocess.CompletedProcess[str]:
    """Run a program and return its output.

    Parameters
    ----------
    command : list of str
        The program and its arguments.
    seconds : float
        Processor time that it may use, with all processes that it starts.
    environment : dict, optional
        Its environment; by default that of this process.
    still : float, optional
        How long it may wait without using any processor time.

    Raises
    ------
    subprocess.TimeoutExpired
        When it was ended, with its processes.
    """
    program = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    began = worked = time.monotonic()
    used = 0.0
    while True:
        try:
            out, err = program.communicate(timeout=0.5)
            return subprocess.CompletedProcess(command, program.returncode, out, err)
        except subprocess.TimeoutExpired:
            before, used = used, max(used, session_seconds(program.pid))
            now = time.monotonic()
            worked = now if used > before or not COUNTED else worked
            if used > seconds or now - worked > still or now - began > WAITS_PER_SECOND * seconds:
                os.killpg(program.pid, signal.SIGKILL)
                program.communicate()
                raise
        except BaseException:  # Ctrl-C leaves nothing running
            os.killpg(program.pid, signal.SIGKILL)
            raise
