"""A short form of ``make faults``, in a process of its own: it forks, and lowers its own limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="forks and limits as Linux has them")
def test_faults_leave_nothing_broken_behind():
    done = subprocess.run(
        [sys.executable, "-m", "checks.faults", "--kills", "7", "--fits", "100"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 of 7 came to the same bits" in done.stdout
    assert done.stdout.count("ok ") == 9
