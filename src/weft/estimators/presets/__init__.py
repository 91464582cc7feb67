"""Every method under its published name: the call that runs it, and its source.

This is the one table of methods. A method marked `printed` follows its paper exactly, and `because`
quotes the words of the paper that fix each setting. weft's own variants have names of their own.
The command line's ``--method``, the page "Papers and calls", the studies of the bench and the calls
in class docstrings are taken from this table, or tests compare them with it.
"""

from __future__ import annotations

import difflib

from weft.estimators.presets import abraham, amorim, lensen, lu, oneill
from weft.estimators.presets._method import PAPERS, Method

__all__ = ["METHODS", "PAPERS", "Method", "find_method"]

_AUTO = Method(
    *("auto", "AutoCluster", "AutoCluster", {}),
    *("no settings: relevant columns, clusters and their number; the default", "weft"),
    own=True,
)
METHODS: tuple[Method, ...] = (
    *(_AUTO, *oneill.METHODS, *amorim.METHODS),
    *(*lu.METHODS, *lensen.METHODS, *abraham.METHODS),
)


def find_method(name: str) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        As listed by ``weft methods``; upper and lower case are the same.

    Returns
    -------
    Method
        Its call and its paper.

    Examples
    --------
    >>> from weft.estimators.presets import find_method
    >>> find_method("iMWK-Means").call
    'WeightedKMeans(distance_exponent=1.5)'
    >>> find_method("psovw").make(n_clusters=3).swarm.bounds
    'neglect'
    """
    for method in METHODS:
        if name.lower() in (method.name, method.title.lower()):
            return method
    known = [method.name for method in METHODS]
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`weft methods` lists all methods."
    raise ValueError(f"method={name!r} is not known; {hint}")
