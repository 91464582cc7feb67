"""Records of settings, docstrings that share entries, numbers of clusters, lines of warnings."""

from __future__ import annotations

import dataclasses
import inspect
import warnings

import numpy as np
import pytest

from weft._base.docstrings import Docstring, Entry, completed, documented
from weft._base.labels import (
    number_by_first_row,
    numbers_by_first_row,
    order_by_first_row,
    renumber,
)
from weft._base.records import RecordParameter, flat, given_fields, named, with_fields, written
from weft._base.warnings import _package, warn_caller


@dataclasses.dataclass(frozen=True)
class Inner:
    size: int = 3


@dataclasses.dataclass(frozen=True)
class Outer:
    name: str = "a"
    inner: Inner = Inner()
    parts: list = dataclasses.field(default_factory=list)
    hidden: int = dataclasses.field(default=0, init=False)


class Short(Inner):
    short_form = "short"


def test_fields_that_were_set():
    assert given_fields(Outer()) == {}
    assert given_fields(Outer("b", Inner(3), [])) == {"name": "b"}
    assert given_fields(Outer(inner=Inner(4), parts=[1])) == {"inner": Inner(4), "parts": [1]}


def test_calls_that_make_records():
    assert written(Outer()) == "Outer()"
    assert written(Outer("b", Inner(4))) == "Outer('b', inner=Inner(size=4))"
    assert (written(5), written(Inner)) == ("5", repr(Inner))
    assert (named(Inner(4)), named(Inner), named(len), named("x")) == (
        *("Inner(size=4)", "Inner", "len", "str"),
    )


def test_flat_settings():
    params = {"outer": Outer("b", Inner(4)), "x": 5, "short": Short(7), "kind": Inner}
    assert flat(params) == {
        **{"outer": "b", "inner": Inner(4), "x": 5, "short": "short", "size": 7, "kind": Inner}
    }


def test_other_settings_of_a_record():
    assert with_fields(Inner(), Inner, {"size": 5}) == Inner(5)
    assert with_fields(Inner(), (Outer, Inner), {"size": 5}) == Inner(5)
    with pytest.raises(TypeError) as error:
        with_fields("a", (Outer, Inner), {"size": 5, "name": "b"})
    assert str(error.value) == (
        "size, name are settings of Outer or Inner, not of str; set them on that object."
    )
    with pytest.raises(TypeError, match="are settings of str, not of str"):
        with_fields("a", str, {"size": 5})
    with pytest.raises(ValueError, match="Inner has no setting 'color'; it takes: size") as error:
        with_fields(Inner(), Inner, {"color": 5})
    with pytest.raises(ValueError, match="has no setting 'hidden'; it takes: name, inner, parts"):
        with_fields(Outer(), Outer, {"hidden": 5})


def test_parameters_that_take_a_record_or_a_short_form():
    merge = RecordParameter(Inner, lambda value: Inner({"small": 1, "large": 9}[value]))
    assert merge.record("small") == Inner(1)
    assert merge.record(Inner(2)) == Inner(2)
    assert merge("small", {"size": 5}) == Inner(5)
    assert merge("small", {"size": 1}) == "small"
    assert merge(Inner(2), {"size": 1}) == Inner(1)
    optional = RecordParameter(Inner, Inner, lambda value: value is None)
    assert optional(None, {"size": 5}) is None
    assert optional(3, {"size": 5}) == Inner(5)


# Docstrings ---------------------------------------------------------------------------------------

TEXT = """Do it.

    More words.

    Parameters
    ----------
    a, b : int
        The first two.
    *rest : int
        Others.

    Examples
    --------
    >>> 1
    1
    """
TYPES = {"c": Entry("float", "The   third,\nin " + "words " * 20), "d": Entry("ignored", "Not.")}


def test_sections_of_a_docstring():
    made = Docstring(TEXT, margin="")
    assert made.margin == "    "
    assert made.sections == {
        "": ["Do it.", "", "    More words."],
        "Parameters": ["    a, b : int", "        The first two.", "    *rest : int",
                       "        Others."],
        "Examples": ["    >>> 1", "    1"],
    }  # fmt: skip
    entries = made.entries("Parameters")
    assert list(entries) == ["a", "b", "rest"]
    assert entries["a"] is entries["b"]
    assert entries["rest"] == ["    *rest : int", "        Others."]
    assert made.entries("Returns") == {}
    assert str(made) == TEXT
    assert Docstring("One line.", margin="  ").margin == "  "
    assert str(Docstring("One line.", margin="  ")) == "One line.\n  "


def test_shared_entries_are_added_in_the_order_of_the_arguments():
    def function(b, c=0.5, a=1, *rest, d="x"):
        pass

    function.__doc__ = TEXT
    lines = completed(function, {**TYPES, "a": Entry("other", "no")}, Entry("str", "It.")).split(
        "\n"
    )
    assert lines == [
        "Do it.", "", "    More words.", "",
        "    Parameters", "    ----------",
        "    a, b : int", "        The first two.",
        "    c : float, default=0.5",
        "        The third, in words words words words words words words words words words words "
        "words words",
        "        words words words words words words words",
        "    *rest : int", "        Others.",
        "    d : ignored", "        Not.",
        "", "    Returns", "    -------", "    str", "        It.",
        "", "    Examples", "    --------", "    >>> 1", "    1", "    ",
    ]  # fmt: skip


def test_defaults_of_shared_entries():
    docstring = Docstring("One.", margin="  ")
    entry = Entry("int", "Words.")
    assert docstring.written("a", entry) == ["  a : int", "      Words."]
    assert docstring.written("a", entry, None)[0] == "  a : int, default=None"
    assert docstring.written("a", entry, "x")[0] == '  a : int, default="x"'
    assert docstring.written("", entry) == ["  int", "      Words."]


def test_documented_functions():
    @documented({"a": Entry("int", "Words.")})
    def function(a):
        """One."""

    assert function.__doc__ == (
        "One.\n\n    Parameters\n    ----------\n    a : int\n        Words.\n    "
    )

    @documented({"a": Entry("int", "Words.")}, Entry("int", "Same."))
    def silent(a):
        pass

    assert silent.__doc__ is None

    def own():
        """One.

        Returns
        -------
        int
            Own.
        """

    assert "Same" not in completed(own, {}, Entry("int", "Same."))
    assert "Parameters" not in completed(own, {"a": Entry("int", "Words.")})
    assert inspect.getdoc(own).endswith("    Own.")


# Numbers of clusters ------------------------------------------------------------------------------


def test_clusters_are_numbered_by_their_first_rows():
    labels = np.array([5, -1, 2, 5, 0, -3, 2])
    assert order_by_first_row(labels).tolist() == [5, 2, 0]
    assert number_by_first_row(labels).tolist() == [0, -1, 1, 0, 2, -1, 1]
    assert number_by_first_row(np.array([0, 0])).tolist() == [0, 0]
    assert number_by_first_row(np.array([-1, -2])).tolist() == [-1, -1]
    assert number_by_first_row(np.array([], dtype=int)).tolist() == []
    assert renumber(np.array([0, 3, -7]), np.array([3, 0])).tolist() == [1, 0, -1]
    # Clusters 0, 2, 5 of six occur; the others come after them, in their order.
    assert numbers_by_first_row(labels, 6).tolist() == [2, 3, 1, 4, 5, 0]


# Warnings -----------------------------------------------------------------------------------------


def test_warnings_name_the_line_of_the_caller():
    def run(source, name, **names):
        space = {"__name__": name, **names}
        exec(compile(source, f"{name}.py", "exec"), space)
        return space["act"]

    inner = run("def act():\n    warn('a')", "weft.deep", warn=warn_caller)
    middle = run("def act():\n\n    inner()", "sklearn.base", inner=inner)
    outer = run("def act():\n\n\n    middle()", "user", middle=middle)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outer()
        run("def act():\n    warn('b', FutureWarning)", "user", warn=warn_caller)()
    assert [(w.filename, w.lineno, w.category) for w in caught] == [
        ("user.py", 4, UserWarning), ("user.py", 2, FutureWarning)
    ]  # fmt: skip
    assert _package({"__name__": "weft.a.b"}) == "weft"
    assert _package({}) == ""
