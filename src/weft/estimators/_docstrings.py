"""Docstrings of the estimators: paragraphs that several classes share are written once.

The docstring of a class describes what is special to it. When the class is made, parameters of its
constructor and attributes of its schema that it does not describe get the shared paragraphs of
`weft.estimators._shared_paragraphs` or of ``_paragraphs`` of its bases; methods get descriptions of
``X``, ``y`` and the like.
"""

from __future__ import annotations

import inspect
from typing import Any

from weft._base.docstrings import Docstring, Entry, completed
from weft.estimators._shared_paragraphs import ARGUMENTS, ATTRIBUTES, PARAMETERS, RETURNS

# Attributes that are described before those of the class itself.
_FIRST = ("labels_", "n_clusters_", "cluster_centers_")
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


def complete_method(function: Any) -> str:
    """Return the docstring of a method with the arguments and the result that it leaves out."""
    return completed(function, ARGUMENTS, RETURNS.get(function.__name__), margin=" " * 8)


def complete_class(kind: Any) -> str:
    """Return the docstring of a class with the parameters and attributes that it leaves out."""
    shared: dict[str, Entry] = {**PARAMETERS, **ATTRIBUTES}
    for base in reversed(kind.__mro__):
        shared |= vars(base).get("_paragraphs", {})
    docstring = Docstring(kind.__doc__, margin="    ")
    signature = inspect.signature(kind.__init__).parameters
    parameters = {
        name: docstring.written(name, shared[name], signature[name].default)
        for name in signature
        if name in shared
    }
    docstring.set_entries("Parameters", signature, parameters)
    learned = [name for name in kind._schema.learned if name[0] != "_" and name[-1] == "_"]
    attributes = {name: docstring.written(name, shared[name]) for name in learned if name in shared}
    own = list(docstring.entries("Attributes"))
    first = [name for name in _FIRST if name in attributes and name not in own]
    # The columns seen in fit come at the very end.
    last = sorted(attributes, key=lambda name: name.endswith("_in_"))
    docstring.set_entries("Attributes", dict.fromkeys([*first, *own, *last]), attributes)
    return str(docstring)
