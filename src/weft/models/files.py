"""Fitted models as one file without pickle: JSON and arrays, so that loading runs no code.

``model.json`` holds the format's version, the class's name, parameters, fitted attributes, the
recipe that made numbers of a table, and the summary that a report is drawn from; see ``codec.py``
for the words in it and ``archive.py`` for the file around it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import weft
from weft.models.archive import DAMAGE, Refused, read_archive, write_archive
from weft.models.codec import decode, encode

FORMAT_VERSION = 1
# What turns a file of format n into one of format n + 1, so that old files stay readable.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
# Parameters that only matter while fitting: stored as null when they are objects.
_FIT_ONLY = ("callbacks", "random_state")
# What scikit-learn hangs on an instance and sets again when asked to.
_NOT_KEPT = ("_metadata_request", "_skl_callbacks", "_parent_callback_ctx", "_kept_summary")
# Letters that mean the same number mean the same length; M is n_features_in_.
_SHAPES = {
    "labels_": "N",
    "feature_names_in_": "M",
    "feature_weights_": "M",
    "feature_exponents_": "M",
    "feature_scales_": "M",
    "feature_stability_": "M",
    "feature_weight_intervals_": "IM",
    "cluster_stability_": "K",
    "cluster_centers_": "KM",
    "cluster_feature_weights_": "KM",
    "_factors": "KM",
    "_fit_anchors": "AM",
    "_fit_anchor_labels": "A",
    "_fit_features": "F",
    "_fit_prototypes": "PF",
    "_fit_centers": "KM",
    "center_indices_": "C",
    "support_": "M",
    "_fit_scaling.mean": "M",
    "_fit_scaling.low": "M",
    "_fit_scaling.span": "M",
    "_fit_scaling.deviation": "M",
    **{f"_stream.{field}": "M" for field in ("low", "high", "units")},
    **{f"_stream.{field}": "K" for field in ("mass", "sizes")},
    **{f"_stream.{field}": "KM" for field in ("seen", "total", "curve")},
    **{
        f"{name}.{field}": letters
        for name in ("_fit_space", "_fit_reference")
        for field, letters in {
            **{"X": "NM", "gram": "NN", "coordinates": "NQ"},
            **{"walk.X": "NM", "walk.scales": "N", "walk.values": "W", "walk.vectors": "NW"},
        }.items()
    },
}
# What holds positions, and of how many things; "C" is the number of clusters.
_INDICES = {"labels_": "C", "_fit_anchor_labels": "C", "_fit_features": "M", "center_indices_": "N"}


class SavedModel(NamedTuple):
    """What a model file holds."""

    model: Any
    table: dict[str, Any] | None
    weft_version: str
    summary: dict[str, Any] | None = None


def saveable_classes() -> list[str]:
    """Names of the estimators among weft's public names: what a file may hold."""
    return [name for name in weft._PUBLIC if name[0].isupper()]  # functions are lower case


def save_model(
    model: Any,
    path: str | Path,
    *,
    table: dict[str, Any] | None = None,
    summary: dict[str, Any] | None = None,
) -> None:
    """Write a fitted model to one file.

    Parameters
    ----------
    model : estimator
        A fitted estimator of weft.
    path : str or Path
        Where to write; an older file there is replaced in one step, or kept if writing fails.
    table : dict, optional
        The recipe that made numbers of a table (``Table.recipe``), kept for rows that come later.
    summary : dict, optional
        From :func:`weft.report.summary.summarize`, kept for a report that is drawn later.

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
    arrays: list[np.ndarray] = []
    params = {}
    for key, value in given.items():
        fit_only = key in _FIT_ONLY and not isinstance(value, (int, np.integer))
        params[key] = None if fit_only else encode(value, f"parameter {key!r}", arrays)
    content = {
        "format": FORMAT_VERSION,
        "weft": weft.__version__,
        "class": name,
        "params": params,
        "attributes": {
            key: encode(value, f"attribute {key!r}", arrays) for key, value in attributes.items()
        },
        "table": encode(table, "the table recipe", arrays),
        "summary": encode(summary, "the summary", arrays),
    }
    write_archive(Path(path), content, arrays)


def load_model(path: str | Path) -> Any:
    """Read a fitted model that ``save`` wrote.

    No code in the file is run: it holds data only, and names its class from a fixed list.

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
        When the file is damaged, is no model, or comes from a newer format.

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
        raise ValueError(f"{path.name} is damaged or no weft model ({detail}).") from None


# The public name, weft.load.
load = load_model


def _build(content: Any, arrays: list[np.ndarray]) -> SavedModel:
    version = content.get("format") if isinstance(content, dict) else None
    if type(version) is not int or version < 1:
        raise Refused("model.json does not say which format it has; it is no weft model.")
    if version > FORMAT_VERSION:
        raise Refused(
            f"it has format {version} and this weft ({weft.__version__}) reads up to "
            f"{FORMAT_VERSION}; install weft {content.get('weft', 'in a newer version')} or newer."
        )
    for older in range(version, FORMAT_VERSION):
        content = UPGRADES[older](content)
    name, known = content["class"], saveable_classes()
    if name not in known:
        raise Refused(f"it holds a {name!r}; known are {', '.join(known)}.")
    kind = getattr(weft, name)
    params = decode(content["params"], arrays)
    unknown = sorted(set(params) - set(kind._get_param_names()))
    if unknown:
        raise Refused(f"{name} has no parameter {unknown[0]!r}; it may come from a newer weft.")
    model = kind(**params)
    for key, value in content["attributes"].items():
        if not key.isidentifier() or key.startswith("__") or key in params or hasattr(kind, key):
            raise Refused(f"{key!r} is no attribute that a fitted model keeps.")
        vars(model)[key] = decode(value, arrays)
    _check_shapes(vars(model))
    summary = decode(content.get("summary"), arrays)
    if summary is not None and not (isinstance(summary, dict) and "schema" in summary):
        raise Refused("its summary is not one that weft wrote.")
    table = decode(content.get("table"), arrays)
    return SavedModel(model, table, str(content.get("weft")), summary)


def _check_shapes(attributes: dict[str, Any]) -> None:
    """Refuse arrays that do not fit each other: compiled code would read past their ends."""
    features, clusters = attributes.get("n_features_in_"), attributes.get("n_clusters_", 2**31)
    if type(features) is not int or features < 1:
        raise Refused("it does not say how many features the model was fitted on.")
    if type(clusters) is not int or clusters < 0:
        raise Refused("its number of clusters is no number.")
    lengths = {"M": features}
    for name, letters in _SHAPES.items():
        value = _find(attributes, name)
        if value is None:
            continue
        shape = np.shape(value) if isinstance(value, np.ndarray) else ()
        pairs = zip(letters, shape, strict=False)
        wanted = tuple(lengths.setdefault(letter, length) for letter, length in pairs)
        if len(shape) != len(letters) or shape != wanted:
            raise Refused(f"its {name!r} has shape {shape}, which does not fit the rest of it.")
    for name, letter in _INDICES.items():
        value = attributes.get(name)
        if value is not None and value.dtype.kind not in "iu":
            raise Refused(f"its {name!r} holds what is no index.")
        top = clusters if letter == "C" else lengths.get(letter, 0)
        if value is not None and value.size and (value.min() < -1 or value.max() >= top):
            raise Refused(f"its {name!r} holds an index beyond the last.")


def _find(attributes: dict[str, Any], path: str) -> Any:
    """An attribute, or a field of a record in one; None where there is none."""
    name, *fields = path.split(".")
    value = attributes.get(name)
    for field in fields:
        value = getattr(value, field, None)
    return value
