"""Docstrings of the estimators: paragraphs that several classes share are written once.

The docstring of a class describes what is special to it. When the class is made, parameters of its
constructor and attributes of its schema that it does not describe get the shared paragraphs, and
methods get descriptions of ``X``, ``y`` and the like. ``help()``, IPython and the reference show
the full text; defaults come from the signature.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from weft.estimators._shared_paragraphs import ARGUMENTS, ATTRIBUTES, PARAMETERS, RETURNS, Entry

_WIDTH = 100
# Attributes that are described before those of the class itself.
_FIRST = ("labels_", "n_clusters_", "cluster_centers_")


class _Section(NamedTuple):
    title: str  # "" for what stands above all sections
    lines: list[str]


# Methods of mixins belong to several estimators, and are completed with the first.
_completed: set[Any] = set()


def complete_docstrings(kind: Any) -> None:
    """Complete the docstrings of an estimator's class and of its methods that weft defines."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("weft.")]
    for method in [method for base in bases for method in vars(base).values()]:
        function = getattr(method, "fn", method)  # available_if keeps the function there
        if not inspect.isfunction(function) or function in _completed:
            continue
        _completed.add(function)
        if not function.__name__.startswith("_") and function.__doc__:
            function.__doc__ = complete_method(function)
    if kind.__doc__ and hasattr(kind, "_schema"):
        kind.__doc__ = complete_class(kind)


def complete_class(kind: Any) -> str:
    """Return the docstring of a class with the parameters and attributes that it leaves out."""
    shared = _shared_by(kind)
    margin, sections = _split(kind.__doc__)
    signature = inspect.signature(kind.__init__).parameters
    learned = [name for name in kind._schema.learned if name[0] != "_" and name[-1] == "_"]
    own = _entries(_found(sections, "Attributes"), margin)
    described = [name for names in own for name in names]
    shown = [name for name in learned if name in {**ATTRIBUTES, **shared}]
    first = [name for name in _FIRST if name in shown and name not in described]
    last = [name for name in shown if name not in (*first, *described)]
    # The columns seen in fit come at the very end.
    last.sort(key=lambda name: name.endswith("_in_"))
    parameters = _ordered(
        list(signature),
        _entries(_found(sections, "Parameters"), margin),
        {
            name: _written(name, entry, margin, default=signature[name].default)
            for name, entry in {**PARAMETERS, **shared}.items()
            if name in signature
        },
    )
    attributes = _ordered(
        [*first, *described, *last],
        own,
        {name: _written(name, {**ATTRIBUTES, **shared}[name], margin) for name in first + last},
    )
    return _join(margin, sections, {"Parameters": parameters, "Attributes": attributes})


def complete_method(function: Any) -> str:
    """Return the docstring of a method with the arguments and the result that it leaves out."""
    margin, sections = _split(function.__doc__)
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    shared = {name: _written(name, ARGUMENTS[name], margin) for name in names if name in ARGUMENTS}
    own = _entries(_found(sections, "Parameters"), margin)
    parts = {"Parameters": _ordered(names, own, shared)}
    if not _found(sections, "Returns") and function.__name__ in RETURNS:
        parts["Returns"] = _written("", RETURNS[function.__name__], margin)
    return _join(margin, sections, parts)


def _shared_by(kind: Any) -> dict[str, Entry]:
    """Return the paragraphs that a class and its bases declare in ``_paragraphs``."""
    declared: dict[str, Entry] = {}
    for base in reversed(kind.__mro__):
        declared |= vars(base).get("_paragraphs", {})
    return declared


def _split(docstring: str) -> tuple[str, list[_Section]]:
    """Return the margin of a docstring and its sections; the first has no title."""
    lines = docstring.rstrip().split("\n")
    widths = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = " " * min(widths, default=0)
    if not widths and len(lines) == 1:
        margin = " " * 8  # one line says nothing of the margin; methods have this one
    sections = [_Section("", [])]
    skip = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if skip:
            skip = False
        elif re.fullmatch(rf"{margin}-{{3,}}", following) and line.strip():
            sections.append(_Section(line.strip(), []))
            skip = True
        else:
            sections[-1].lines.append(line)
    return margin, [_Section(title, _trimmed(lines)) for title, lines in sections]


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _found(sections: list[_Section], title: str) -> list[str]:
    return next((section.lines for section in sections if section.title == title), [])


def _entries(lines: list[str], margin: str) -> dict[tuple[str, ...], list[str]]:
    """Return the lines of each entry of a section by the names that it describes."""
    entries: dict[tuple[str, ...], list[str]] = {}
    names: tuple[str, ...] = ()
    for line in lines:
        if line.startswith(margin) and not line[len(margin) :].startswith((" ", "(")):
            names = tuple(name.strip(" *") for name in line.partition(" : ")[0].split(","))
            entries[names] = []
        if names:
            entries[names].append(line)
    return entries


def _ordered(
    order: Iterable[str],
    own: Mapping[tuple[str, ...], list[str]],
    shared: Mapping[str, list[str]],
) -> list[str]:
    """Return entries in the given order; what the docstring itself says comes before shared."""
    by_name = {name: lines for names, lines in own.items() for name in names}
    out: list[list[str]] = []
    for name in order:
        lines = by_name.get(name, shared.get(name))
        if lines is not None and lines not in out:
            out.append(lines)
    # Entries under names that are no parameters, such as ``**options``, stay at the end.
    out += [lines for lines in own.values() if lines not in out]
    return [line for lines in out for line in lines]


def _written(
    name: str, entry: Entry, margin: str, default: Any = inspect.Parameter.empty
) -> list[str]:
    kind = entry.kind
    if default is not inspect.Parameter.empty:
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        kind += f", default={shown}"
    inner = margin + "    "
    paragraph = textwrap.wrap(
        " ".join(entry.text.split()),
        width=_WIDTH,
        initial_indent=inner,
        subsequent_indent=inner,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{margin}{name} : {kind}" if name else f"{margin}{kind}", *paragraph]


def _join(margin: str, sections: list[_Section], parts: Mapping[str, list[str]]) -> str:
    """Return a docstring whose sections of these titles have other lines."""
    known = {section.title: section.lines for section in sections}
    head = known.pop("")
    titles = [title for title in ("Parameters", "Attributes", "Returns") if parts.get(title)]
    titles += [title for title in known if title not in titles]
    order = [title for title in _ORDER if title in titles]
    order += [title for title in titles if title not in order]
    text = list(head)
    for title in order:
        lines = parts.get(title) or known.get(title, [])
        text += ["", f"{margin}{title}", f"{margin}{'-' * len(title)}", *lines]
    return "\n".join([*text, margin])


# numpydoc's order of sections.
_ORDER = (
    "Parameters",
    "Attributes",
    "Returns",
    "Raises",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
