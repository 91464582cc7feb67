"""Progress bars: with rich in a terminal, as plain HTML in a notebook, as lines of text elsewhere.

A notebook needs no ipywidgets: the bar is an output that is updated in place (IPython's display
handle). Without rich, lines on standard error show the progress.
"""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Protocol

from weft._base.validation import import_optional

WAITING = "starting (the first run compiles code)"
_EVERY = 0.2  # seconds between two drawings of a bar in a notebook
_LINE_EVERY = 5.0  # and between two lines


class Bar(Protocol):
    """The interface of progress bars."""

    def update(self, title: str, done: int, total: int, best: str) -> None:
        """Show how far a search is."""

    def close(self) -> None:
        """Remove the bar, or leave its last state."""


def make_bar() -> Bar:
    """Return the bar for a terminal, a notebook or plain text."""
    if in_notebook():
        return NotebookBar()
    try:
        return RichBar()
    except ImportError:
        return LineBar()


def in_notebook() -> bool:
    """Return whether the code runs in a notebook: Jupyter, VS Code, Colab."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return False
    shell = ipython.get_ipython()
    return shell is not None and type(shell).__name__ in ("ZMQInteractiveShell", "Shell")


class RichBar:
    """A bar on standard error, removed at the end of the search."""

    def __init__(self) -> None:
        progress = import_optional("rich.progress", "app")
        console = import_optional("rich.console", "app").Console(stderr=True)
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("best {task.fields[best]}"),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(WAITING, total=None, best="-")

    def update(self, title: str, done: int, total: int, best: str) -> None:
        """Show how far a search is."""
        self._bar.update(self._task, description=title, total=total, completed=done, best=best)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class NotebookBar:
    """An output of a notebook that is replaced in place."""

    def __init__(self) -> None:
        self._display = sys.modules["IPython"].display
        self._text = f"<span>{WAITING}</span>"
        self._drawn = time.monotonic()
        self._handle = self._display.display(self._display.HTML(self._text), display_id=True)

    def update(self, title: str, done: int, total: int, best: str) -> None:
        """Show how far a search is, a few times a second."""
        self._text = (
            f'<progress value="{done}" max="{total}"></progress> '
            f"<span>{escape(title)}: {done} of {total}, best {escape(best)}</span>"
        )
        if time.monotonic() - self._drawn >= _EVERY:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        if self._handle is not None:
            self._handle.update(self._display.HTML(self._text))

    def close(self) -> None:
        """Leave the last state, as a saved notebook shows it."""
        self._draw()


class LineBar:
    """A line on standard error every few seconds."""

    def __init__(self) -> None:
        self._said = time.monotonic()
        self._line = ""

    def update(self, title: str, done: int, total: int, best: str) -> None:
        """Print the progress every few seconds, and at the end."""
        self._line = f"{title}: {done} of {total}, best {best}"
        if done >= total or time.monotonic() - self._said >= _LINE_EVERY:
            self._said = time.monotonic()
            sys.stderr.write(f"{self._line}\n")
            self._line = ""

    def close(self) -> None:
        """Print the last state, unless it was printed already."""
        if self._line:
            sys.stderr.write(f"{self._line}\n")
            self._line = ""
