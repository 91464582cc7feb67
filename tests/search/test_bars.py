"""Bars of progress where rich, a notebook or neither is there."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import weft
from weft.search import bars, callbacks
from weft.search.callbacks import Progress


class ZMQInteractiveShell:
    """Named as the shell of a notebook is."""


@pytest.fixture
def notebook(monkeypatch):
    """An IPython that remembers what it is shown."""
    shown = []

    class Handle:
        def update(self, html):
            shown.append(html)

    def display(html, display_id):
        shown.append(html)
        return Handle() if display_id else None  # as IPython's does

    module = ModuleType("IPython")
    module.get_ipython = lambda: ZMQInteractiveShell()
    module.display = SimpleNamespace(display=display, HTML=lambda text: text)
    monkeypatch.setitem(sys.modules, "IPython", module)
    return shown


def test_a_notebook_needs_no_widgets(notebook, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # importing it fails
    monkeypatch.setattr(bars, "_EVERY", 0.0)
    bar = bars.make_bar()
    bar.update("<stage>", 3, 10, "0.5")
    bar.close()
    assert isinstance(bar, bars.NotebookBar)
    assert notebook[0] == f"<span>{bars.WAITING}</span>"
    assert '<progress value="3" max="10">' in notebook[1]
    assert "&lt;stage&gt;: 3 of 10, best 0.5" in notebook[-1]


def test_a_terminal_of_ipython_is_no_notebook(monkeypatch):
    module = ModuleType("IPython")
    module.get_ipython = lambda: object()
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert not bars.in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert not bars.in_notebook()


def test_without_rich_there_are_lines(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    bar = bars.make_bar()
    assert isinstance(bar, bars.LineBar)
    bar.update("searching", 1, 3, "0.1")
    bar.update("searching", 3, 3, "0.2")
    bar.update("searching", 3, 4, "0.2")
    bar.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["searching: 3 of 3, best 0.2", "searching: 3 of 4, best 0.2"]


def test_a_bar_of_autocluster_is_closed_even_where_nothing_is_repeated(monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "open", lambda self, title=None: seen.append(title))
    monkeypatch.setattr(Progress, "close", lambda self: seen.append("closed"))
    X = np.random.default_rng(0).standard_normal((40, 2))
    weft.AutoCluster(n_resamples=0, verbose=True).fit(X)
    assert seen == ["repeating the search", "closed"]


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(bars.time, "monotonic", lambda: self.now)


def test_a_bar_in_a_notebook_is_drawn_five_times_a_second(notebook, monkeypatch):
    clock = Clock(monkeypatch)
    bar = bars.NotebookBar()
    drawn = []
    for now in (100.1, 100.25, 100.3, 100.5):
        clock.now = now
        bar.update("a", 1, 2, "0")
        drawn.append(len(notebook) - 1)
    assert drawn == [0, 1, 1, 2]
    bar.close()
    assert len(notebook) == 4


def test_lines_come_every_five_seconds_and_at_the_end(monkeypatch, capsys):
    clock = Clock(monkeypatch)
    bar = bars.LineBar()
    for number, now in ((1, 104.0), (2, 105.0), (3, 109.0), (4, 110.5), (5, 111.0), (6, 111.5)):
        clock.now = now
        bar.update("a", number, 6, "0")
    bar.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["a: 2 of 6, best 0", "a: 4 of 6, best 0", "a: 6 of 6, best 0"]


@pytest.mark.parametrize(
    ("shell", "is_notebook"),
    [("ZMQInteractiveShell", True), ("Shell", True), ("TerminalInteractiveShell", False)],
)
def test_notebooks_are_recognised_by_their_shell(shell, is_notebook, monkeypatch):
    module = ModuleType("IPython")
    module.get_ipython = type(shell, (), {})
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert bars.in_notebook() is is_notebook
    module.get_ipython = lambda: None
    assert not bars.in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not bars.in_notebook()


class Shown:
    """A bar that remembers what it shows."""

    def __init__(self):
        self.events = []

    def update(self, *state):
        self.events.append(state)

    def close(self):
        self.events.append("closed")


def test_progress_shows_the_stage_or_its_own_text(monkeypatch):
    made = []
    monkeypatch.setattr(callbacks, "make_bar", lambda: made.append(Shown()) or made[-1])
    generation = SimpleNamespace(number=2, n_generations=9, best_fitness=0.123456)
    progress, named = Progress(), Progress("wine")
    progress(generation)
    progress.open("stage 2")
    progress(generation)
    progress.open()
    progress(generation)
    with callbacks.open_bars([print, named, progress], "both"):
        named(generation)
        progress(generation)
    progress.close()
    first, second = (each.events for each in made)
    shown = (2, 9, "0.1235")
    titles = ["searching", "stage 2", "stage 2", "both"]
    assert first == [*((title, *shown) for title in titles), "closed"]
    assert second == [("wine", *shown), "closed"]
    with pytest.raises(ZeroDivisionError), callbacks.open_bars([progress], "again"):
        raise ZeroDivisionError
    assert made[2].events == ["closed"]
    with callbacks.open_bars(None, "none"):
        assert len(made) == 3
