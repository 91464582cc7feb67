"""Processes that run beside this one: started with their arguments, and ended with the block."""

from __future__ import annotations

import sys

import pytest

from weft.parallel import beside
from weft.parallel.beside import modules_beside


@pytest.fixture
def started(monkeypatch):
    """What is started, and what becomes of it; a module named "missing" cannot be started."""
    events = []

    class Process:
        def __init__(self, command, **streams):
            if command[2] == "missing":
                raise OSError("no such program")
            self.name = command[-1]
            assert set(streams.values()) == {beside.subprocess.DEVNULL}
            assert set(streams) == {"stdin", "stdout", "stderr"}
            events.append(command)

        def terminate(self):
            events.append(f"end {self.name}")

        def wait(self):
            events.append(f"wait {self.name}")

    monkeypatch.setattr(beside.subprocess, "Popen", Process)
    return events


def test_each_set_of_arguments_has_a_process(started):
    with modules_beside("weft.part", [["a"], ["b", "c"]]):
        assert started == [
            [sys.executable, "-m", "weft.part", "a"],
            [sys.executable, "-m", "weft.part", "b", "c"],
        ]
    assert started[2:] == ["end a", "end c", "wait a", "wait c"]


def test_processes_end_after_an_error_too(started):
    with pytest.raises(ZeroDivisionError), modules_beside("weft.part", [["a"]]):
        raise ZeroDivisionError
    assert started[1:] == ["end a", "wait a"]


def test_a_process_that_cannot_be_started_has_no_effect(started):
    with modules_beside("missing", [["a"]]):
        pass
    assert started == []
