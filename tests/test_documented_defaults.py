"""Defaults that docstrings name are those of the code, in every function and class of weft."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re

import pytest

import weft

_DOCUMENTED = re.compile(
    r"^ *(?P<names>\w+(?:, \w+)*) : .*?\bdefaults?=(?P<value>.+)$", re.MULTILINE
)


def documented():
    """Every function and class whose docstring names defaults."""
    found = {}
    for info in pkgutil.walk_packages(weft.__path__, "weft."):
        if ".gpu" in info.name or info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, own in vars(module).items():
            is_own = getattr(own, "__module__", None) == info.name
            if is_own and (inspect.isclass(own) or inspect.isfunction(own)):
                parts = [own, *(vars(own).values() if inspect.isclass(own) else ())]
                for part in parts:
                    text = inspect.getdoc(part) if callable(part) else None
                    if text and "default=" in text and not isinstance(part, type(weft)):
                        title = f"{info.name}.{name}"
                        title += "" if part is own else f".{getattr(part, '__name__', '')}"
                        found[title] = part
    return found


DOCUMENTED = documented()


def values_of(text):
    """Return the values of "default=25, 50"; None where the text is no Python."""
    text = text.strip().rstrip(".")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value


def test_there_are_many_of_them():
    assert len(DOCUMENTED) > 60


@pytest.mark.parametrize("title", sorted(DOCUMENTED))
def test_documented_defaults_are_those_of_the_code(title):
    given = inspect.signature(DOCUMENTED[title]).parameters
    text = inspect.getdoc(DOCUMENTED[title])
    wrong = []
    for match in _DOCUMENTED.finditer(text):
        names = match["names"].split(", ")
        value = values_of(match["value"])
        if value is None and match["value"].strip() != "None":
            continue
        many = len(names) > 1 and isinstance(value, tuple) and len(value) == len(names)
        for number, name in enumerate(names):
            expected = value[number] if many else value
            if name not in given or given[name].default is inspect.Parameter.empty:
                continue
            default = given[name].default
            if repr(default) == "<factory>":
                continue
            same = default == expected and isinstance(default, bool) == isinstance(expected, bool)
            wrong += [] if same else [f"{name}: {default!r}, documented {expected!r}"]
    assert wrong == []
