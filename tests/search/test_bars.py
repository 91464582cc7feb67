"""Bars of progress where rich, a notebook or neither is there."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import weft
from weft.search import bars
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
        return Handle()

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
