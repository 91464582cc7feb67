"""AutoCluster's functions, compiled by other processes before they are needed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

from numba.types import Array

from weft.auto.compiling import (
    SELDOM,
    SIGNATURES,
    compile_part,
    compiled_beside,
    is_compiled,
    seldom_collected,
)
from weft.auto.kernels import evidence

_FIT = """
import sys
sys.path[:0] = {path!r}
from sklearn.datasets import load_wine
from weft import AutoCluster
from weft.auto.compiling import SIGNATURES, compile_part
compile_part(0, 1)
AutoCluster(n_resamples=1).fit(load_wine().data)
print([kernel.__name__ for kernel, _ in SIGNATURES if len(kernel.signatures) != 1])
"""


def test_a_fit_needs_no_other_signatures():
    done = subprocess.run(
        [sys.executable, "-c", _FIT.format(path=sys.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_arrays_of_all_functions_are_contiguous(monkeypatch):
    asked = []

    class Kernel:
        def compile(self, types):
            asked.extend(types)

    names = [kernel.__name__ for kernel, _ in SIGNATURES]
    assert len(set(names)) == len(names)
    kernels = tuple((Kernel(), types) for _, types in SIGNATURES)
    monkeypatch.setattr("weft.auto.compiling.SIGNATURES", kernels)
    compile_part(0, 1)
    arrays = [given for given in asked if isinstance(given, Array)]
    assert len(arrays) > 100
    assert {given.layout for given in arrays} <= {"C", "F"}
    assert {given.ndim for given in arrays} == {1, 2, 3}


def test_parts_cover_every_function_once(monkeypatch):
    asked = []

    class Kernel:
        def __init__(self, name):
            self.name = name

        def compile(self, types):
            asked.append(self.name)

    kernels = tuple((Kernel(number), ()) for number in range(len(SIGNATURES)))
    monkeypatch.setattr("weft.auto.compiling.SIGNATURES", kernels)
    for part in range(3):
        compile_part(part, 3)
    assert sorted(asked) == list(range(len(SIGNATURES)))
    assert asked[0] == len(SIGNATURES) - 1  # the last is the first


def test_processes_start_only_where_nothing_is_compiled(tmp_path, monkeypatch):
    class Stats:
        cache_path = str(tmp_path)

    class Kernel:
        stats = Stats()

    started = []
    monkeypatch.setattr(evidence, "measure", Kernel())
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)

    def start(command, **_):
        started.append(command)
        return _Done()

    monkeypatch.setattr(subprocess, "Popen", start)
    assert not is_compiled()
    with compiled_beside():
        pass
    assert [command[1:] for command in started] == [
        ["-m", "weft.auto.compiling", str(part), "2"] for part in range(2)
    ]
    (tmp_path / f"evidence.measure-1.py{sys.version_info[0]}.nbi").touch()
    assert is_compiled()
    with compiled_beside():
        pass
    monkeypatch.setattr("joblib.cpu_count", lambda: 1)
    os.remove(tmp_path / f"evidence.measure-1.py{sys.version_info[0]}.nbi")
    with compiled_beside():
        pass
    assert len(started) == 2


def test_garbage_is_collected_as_before_after_compiling():
    usual = gc.get_threshold()
    with seldom_collected():
        assert gc.get_threshold() == (SELDOM, *usual[1:])
    assert gc.get_threshold() == usual


class _Done:
    """A process that has ended."""

    def terminate(self):
        """Do nothing."""

    def wait(self):
        return 0
