"""Fitted models as one file without pickle: JSON and arrays, so that loading runs no code.

``model.json`` holds the version of the format, the name of the class, parameters, fitted
attributes, the plan that turns a table into numbers, and the summary for reports. ``codec.py``
describes its values and ``archive.py`` the file around it. Each class declares the values that it
may hold (``schema.py``): the same check runs before a file is written and after it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import weft
from weft._base.validation import short
from weft.models.archive import (
    DAMAGE,
    Refused,
    check_references,
    read_archive,
    write_archive,
)
from weft.models.codec import decode, encode
from weft.models.kinds import Kind, Lengths, Text, described, records_in
from weft.models.schema import check

FORMAT_VERSION = 1
# Functions that convert a file of format n to format n + 1, so that old files stay readable.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
# Parameters that only matter while fitting: stored as null when they are objects.
_FIT_ONLY = ("callbacks", "random_state")
# Attributes that scikit-learn adds to an instance, and sets again when needed.
_NOT_KEPT = (
    *("_metadata_request", "_skl_callbacks", "_parent_callback_ctx"),
    *("_kept_summary", "_table"),
)
_ENTRIES = ("format", "weft", "class", "params", "attributes", "table", "summary")


class SavedModel(NamedTuple):
    """The contents of a model file."""

    model: Any
    table: Any
    weft_version: str
    summary: dict[str, Any] | None = None


def saveable_classes() -> list[str]:
    """Return the names of weft's public estimators, which a file may hold."""
    return [name for name in weft._PUBLIC if name[0].isupper()]  # functions are lower case


def save_model(
    model: Any,
    path: str | Path,
    *,
    table: Any = None,
    summary: dict[str, Any] | None = None,
) -> None:
    """Write a fitted model to one file.

    Parameters
    ----------
    model : estimator
        A fitted estimator of weft.
    path : str or Path
        Output file. An existing file is replaced in one step, and kept if writing fails.
    table : TablePlan, optional
        How a table was converted to numbers (``Table.plan``), stored for new rows; by default that
        of the model, if it was fitted on a raw table.
    summary : dict, optional
        From :func:`weft.reporting.summary.summarize`, stored for later reports.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.io import load_model, save_model
    >>> X = load_iris().data
    >>> model = FeatureSwarm(n_generations=2, random_state=0).fit(X)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "iris.weft"
    >>> save_model(model, file)
    >>> bool((load_model(file).predict(X) == model.predict(X)).all())
    True
    """
    name = type(model).__name__
    if name not in saveable_classes() or type(model) is not getattr(weft, name):
        raise ValueError(
            f"a {name} cannot be saved; a model file holds one of {', '.join(saveable_classes())}."
        )
    given = model.get_params(deep=False)
    attributes = {k: v for k, v in vars(model).items() if k not in given and k not in _NOT_KEPT}
    if not any(key.endswith("_") for key in attributes):
        raise ValueError(f"this {name} is not fitted; call fit before saving it.")
    records = model._schema.records()
    if table is None:
        table = vars(model).get("_table")
    arrays: list[np.ndarray] = []
    params = {}
    for key, value in given.items():
        fit_only = key in _FIT_ONLY and not isinstance(value, (int, np.integer))
        params[key] = None if fit_only else encode(value, f"parameter {key!r}", arrays, records)
    content = {
        "format": FORMAT_VERSION,
        "weft": weft.__version__,
        "class": name,
        "params": params,
        "attributes": {
            key: encode(value, f"attribute {key!r}", arrays, records)
            for key, value in attributes.items()
        },
        "table": encode(table, "the table recipe", arrays, _records_of(type(model)._recipe)),
        "summary": encode(summary, "the summary", arrays),
    }
    try:
        _build(content, arrays)
    except Refused as error:
        raise ValueError(f"this {name} cannot be saved: {error}") from None
    write_archive(Path(path), content, arrays)


def load_model(path: str | Path) -> Any:
    """Read a fitted model that ``save`` wrote.

    No code is run: the file holds only data, and its class must be on a fixed list.

    Parameters
    ----------
    path : str or Path
        The model file.

    Returns
    -------
    estimator
        Fitted, as it was saved.

    Raises
    ------
    ValueError
        When the file is damaged, is not a model, or comes from a newer format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, weft
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.weft"
    >>> weft.io.save_model(weft.WeightedKMeans(2, random_state=0).fit(X), file)
    >>> weft.load(file).labels_.shape
    (30,)
    """
    held = read_model(path)
    if held.table is not None:
        vars(held.model)["_table"] = held.table  # so that it takes raw rows
    if held.summary is not None:
        vars(held.model)["_kept_summary"] = held.summary
    return held.model


def read_model(path: str | Path) -> SavedModel:
    """Read a model file with everything in it: model, table recipe, weft's version, summary."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    try:
        return _build(*read_archive(data))
    except Refused as error:
        raise ValueError(f"{path.name} cannot be loaded: {error}") from None
    except DAMAGE as error:
        detail = " ".join(str(error).split())[:120] or type(error).__name__
        raise ValueError(f"{path.name} is damaged, or is not a weft model ({detail}).") from None


# The public name, weft.load.
load = load_model


def _build(content: Any, arrays: list[np.ndarray]) -> SavedModel:
    version = content.get("format") if isinstance(content, dict) else None
    if type(version) is not int or version < 1:
        raise Refused("model.json does not say which format it has; it is not a weft model.")
    if version > FORMAT_VERSION:
        raise Refused(
            f"it has format {version} and this weft ({weft.__version__}) reads up to "
            f"{FORMAT_VERSION}; install weft {content.get('weft', 'in a newer version')} or newer."
        )
    for older in range(version, FORMAT_VERSION):
        content = UPGRADES[older](content)
    for entry in _ENTRIES:
        if entry not in content:
            raise Refused(f"model.json lacks the entry {entry!r}.")
    for entry in content:
        if entry not in _ENTRIES:
            raise Refused(f"model.json has an unknown entry {short(entry)!r}.")
    name, known = content["class"], saveable_classes()
    if not isinstance(name, str) or name not in known:
        raise Refused(f"it holds a {described(name)}; allowed are {', '.join(known)}.")
    kind = getattr(weft, name)
    if not isinstance(content["params"], dict) or not isinstance(content["attributes"], dict):
        raise Refused("its parameters or attributes are not a dict.")
    records = kind._schema.records()
    params = kind._upgraded_params(decode(content["params"], arrays, records))
    unknown = sorted(set(params) - set(kind._get_param_names()))
    if unknown:
        raise Refused(
            f"{name} has no parameter {short(unknown[0])!r}; it may come from a newer weft."
        )
    # Older files lack parameters that were added later; these get their defaults.
    model = kind(**params)
    attributes = decode(content["attributes"], arrays, records)
    vars(model).update(check(kind._schema, model.get_params(deep=False), attributes))
    table = decode(content["table"], arrays, _records_of(kind._recipe))
    summary = decode(content["summary"], arrays)
    _check_besides("table recipe", table, kind._recipe, model)
    _check_besides("summary", summary, kind._summary, model)
    Text(100).check(content["weft"], "version of weft", Lengths())
    check_references(content, arrays)
    return SavedModel(model, table, content["weft"], summary)


def _records_of(kind: Kind) -> dict[str, type]:
    return {record.name: record.made for record in records_in(kind)}


def _check_besides(what: str, value: Any, kind: Kind, model: Any) -> None:
    """Check the parts of a file besides the model: a plan, a summary, or nothing."""
    if value is None:
        return
    lengths = Lengths()
    lengths.bind("n_features", model.n_features_in_)
    kind.check(value, what, lengths)
    lengths.finish()
