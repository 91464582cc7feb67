"""Docstrings that are completed when a class is made: full, in order, with true defaults."""

from __future__ import annotations

import inspect
import itertools
import re
from typing import ClassVar

import pytest

import weft
from weft._base.docstrings import Entry
from weft.estimators._docstrings import complete_class, complete_method
from weft.estimators._mixins import KeepMixin

CLASSES = [getattr(weft, name) for name in weft._PUBLIC if name[0].isupper()]


def section(docstring, title):
    """Entries of a section: names and the line that describes their types."""
    lines = (
        inspect.cleandoc(docstring).split(f"\n{title}\n{'-' * len(title)}\n")[1].split("\n\n")[0]
    )
    heads = [line for line in lines.split("\n") if line and not line.startswith(" ")]
    return [
        (name.strip(" *"), head) for head in heads for name in head.partition(" : ")[0].split(",")
    ]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_parameter_is_described_once_in_the_order_of_the_signature(kind):
    described = [name for name, _ in section(kind.__doc__, "Parameters")]
    signature = list(inspect.signature(kind).parameters)
    assert sorted(described) == sorted(signature)
    places = [signature.index(name) for name, _ in section(kind.__doc__, "Parameters")]
    assert sum(a > b for a, b in itertools.pairwise(places)) <= 1  # names that share one


@pytest.mark.parametrize("kind", CLASSES)
def test_stated_defaults_are_those_of_the_signature(kind):
    for names, head in {head: head for _, head in section(kind.__doc__, "Parameters")}.items():
        stated = re.search(r"default=(.+)$", head)
        assert stated, head
        wanted = [
            inspect.signature(kind).parameters[name.strip()].default
            for name in names.partition(" : ")[0].split(",")
        ]
        values = eval(f"({stated[1]},)")
        assert values == tuple(wanted) or set(values) == set(wanted), head


@pytest.mark.parametrize("kind", CLASSES)
def test_every_public_attribute_is_described(kind):
    described = {name for name, _ in section(kind.__doc__, "Attributes")}
    learned = {name for name in kind._schema.learned if name[0] != "_" and name[-1] == "_"}
    assert learned <= described


@pytest.mark.parametrize("kind", CLASSES)
def test_arguments_of_methods_are_described(kind):
    for name in ("fit", "predict", "partial_fit", "score", "transform", "set_params"):
        method = getattr(kind, name, None)
        if method is None or not method.__module__.startswith("weft."):
            continue
        described = {entry for entry, _ in section(method.__doc__, "Parameters")}
        assert set(inspect.signature(method).parameters) - {"self"} <= described


class Plain:
    """One line.

    Parameters
    ----------
    b : int, default=2
        Its own words.

    Examples
    --------
    >>> 1
    1
    """

    _paragraphs: ClassVar = {"a": Entry("float", "Shared words."), "c_": Entry("int", "Learned.")}
    _schema = type("Schema", (), {"learned": {"_hidden": None, "c_": None}})

    def __init__(self, a=1.5, *, b=2):
        pass

    def predict(self, X, other=None):
        """Label rows.

        Parameters
        ----------
        other : int, default=None
            Its own words.
        """

    def close(self):
        """Close."""


def test_a_class_gets_what_it_leaves_out():
    assert inspect.cleandoc(complete_class(Plain)) == inspect.cleandoc(
        """One line.

        Parameters
        ----------
        a : float, default=1.5
            Shared words.
        b : int, default=2
            Its own words.

        Attributes
        ----------
        c_ : int
            Learned.

        Examples
        --------
        >>> 1
        1
        """
    )


def test_a_method_gets_what_it_leaves_out():
    assert inspect.cleandoc(complete_method(Plain.predict)) == inspect.cleandoc(
        """Label rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        other : int, default=None
            Its own words.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters.
        """
    )
    assert complete_method(Plain.close).strip() == "Close."


def test_completing_twice_changes_nothing():
    for kind in CLASSES:
        assert complete_class(kind) == kind.__doc__


def test_docstrings_of_users_are_their_own():
    class Mine(KeepMixin):
        """Mine."""

        _schema = weft.WeightedKMeans._schema

    assert Mine.__doc__ == "Mine."
