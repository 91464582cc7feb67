"""Docstrings in numpydoc's form: entries that several functions share are written once.

A docstring describes what is special to its function. `documented` adds shared entries for the
arguments, and the result, that it leaves out; ``help()``, IPython and the reference show the full
text. Defaults come from the signature.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
_WIDTH = 100
# numpydoc's order of sections.
_ORDER = (
    *("", "Parameters", "Attributes", "Returns", "Raises"),
    *("See Also", "Notes", "References", "Examples"),
)


class Entry(NamedTuple):
    """A type and a paragraph that explains the value."""

    kind: str
    text: str


class Docstring:
    """A docstring in sections; the first has no title, and lines keep their margin."""

    def __init__(self, text: str, *, margin: str) -> None:
        lines = text.rstrip().split("\n")
        widths = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
        # A docstring of one line does not show its margin.
        self.margin = " " * min(widths) if widths else margin
        self.sections: dict[str, list[str]] = {"": []}
        title = ""
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if re.fullmatch(rf"{self.margin}-{{3,}}", following) and line.strip():
                title = line.strip()
                self.sections[title] = []
            elif not re.fullmatch(rf"{self.margin}-{{3,}}", line):
                self.sections[title].append(line)
        for lines in self.sections.values():
            while lines and not lines[-1].strip():
                lines.pop()

    def entries(self, title: str) -> dict[str, list[str]]:
        """Return the lines of each entry of a section by the names that it describes."""
        entries: dict[str, list[str]] = {}
        current: list[str] = []
        for line in self.sections.get(title, []):
            if not line[len(self.margin) :].startswith(" "):
                current = []
                for name in line.partition(" : ")[0].split(","):
                    entries[name.strip(" *")] = current
            current.append(line)
        return entries

    def set_entries(
        self, title: str, order: Iterable[str], shared: Mapping[str, list[str]]
    ) -> None:
        """Put entries in order; entries of the docstring itself replace shared ones.

        Entries under other names, such as ``**options``, stay at the end.
        """
        own = self.entries(title)
        chosen = [own.get(name, shared.get(name, [])) for name in order]
        lines: list[list[str]] = []
        for entry in [*chosen, *own.values()]:  # several names may have one entry
            if entry and not any(entry is known for known in lines):
                lines.append(entry)
        if lines:
            self.sections[title] = [line for entry in lines for line in entry]

    def written(self, name: str, entry: Entry, default: Any = inspect.Parameter.empty) -> list[str]:
        """Return the lines of a shared entry; one without a name describes a result."""
        kind = entry.kind
        if default is not inspect.Parameter.empty and kind != "ignored":
            shown = f'"{default}"' if isinstance(default, str) else repr(default)
            kind += f", default={shown}"
        paragraph = textwrap.wrap(
            " ".join(entry.text.split()),
            width=_WIDTH,
            initial_indent=f"{self.margin}    ",
            subsequent_indent=f"{self.margin}    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [f"{self.margin}{name} : {kind}" if name else self.margin + kind, *paragraph]

    def __str__(self) -> str:
        titles = [title for title in _ORDER if title in self.sections]
        titles += [title for title in self.sections if title not in titles]
        lines: list[str] = []
        for title in titles:
            if title:
                lines += ["", self.margin + title, self.margin + "-" * len(title)]
            lines += self.sections[title]
        return "\n".join([*lines, self.margin])


def completed(
    function: Callable[..., Any],
    arguments: Mapping[str, Entry],
    returns: Entry | None = None,
    *,
    margin: str = "    ",
) -> str:
    """Return the docstring of a function with the arguments and the result that it leaves out."""
    docstring = Docstring(function.__doc__ or "", margin=margin)
    signature = inspect.signature(function).parameters
    shared = {
        name: docstring.written(name, arguments[name], signature[name].default)
        for name in signature
        if name in arguments
    }
    docstring.set_entries("Parameters", signature, shared)
    if returns is not None and "Returns" not in docstring.sections:
        docstring.sections["Returns"] = docstring.written("", returns)
    return str(docstring)


def documented(
    arguments: Mapping[str, Entry], returns: Entry | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that completes the docstring of a function."""

    def complete(function: Function) -> Function:
        if function.__doc__:  # python -OO leaves none
            function.__doc__ = completed(function, arguments, returns)
        return function

    return complete
