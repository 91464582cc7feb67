"""The data sets of the studies: generators of weft, and files under ``WEFT_DATA``."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

import weft.datasets
from bench.harness.recordings import read_trials
from weft import RangeScaler
from weft.datasets import add_noise_features


class Table(NamedTuple):
    """The rows that methods cluster, and the classes for the scores."""

    X: Any
    y: np.ndarray


class MissingData(Exception):
    """A file is missing; the study reports it and continues."""


def load(spec: dict[str, Any], seed: int) -> Table:
    """Return a data set; the last few are kept."""
    return _load(_frozen(spec), seed)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        # In the order given: groups of documents are drawn one after the other.
        return tuple((key, _frozen(each)) for key, each in value.items())
    return ("list", *map(_frozen, value)) if isinstance(value, list) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, tuple) and value and value[0] == "list":
        return [_thawed(each) for each in value[1:]]
    if isinstance(value, tuple):
        return {key: _thawed(each) for key, each in value}
    return value


@lru_cache(maxsize=64)
def _load(frozen: Any, seed: int) -> Table:
    spec = _thawed(frozen)
    if "make" in spec:
        X, y = _generated(spec, seed)
    elif "recordings" in spec:
        X, y = read_trials(path_of(spec["recordings"]))
        X = _scaled(pd.DataFrame(X), spec)
    elif spec["file"].endswith(".npz"):
        X, y = _cluto(spec)
    elif spec["file"].endswith(".csv.gz"):
        X, y = _texts(spec, seed)
    else:
        X, y = _file(spec)
    if spec.get("noise"):
        # The thesis adds columns in the domain of the data, then scales all by their range.
        noisy = add_noise_features(X, spec["noise"], random_state=seed).data
        X = np.hstack([X, RangeScaler().fit_transform(noisy[:, X.shape[1] :])])
    return Table(X if sp.issparse(X) else np.ascontiguousarray(X), y)


def _generated(spec: dict[str, Any], seed: int) -> tuple[np.ndarray, np.ndarray]:
    params = {"random_state": seed} | spec.get("params", {})
    made = getattr(weft.datasets, spec["make"])(**params)
    return _scaled(pd.DataFrame(made.data), spec), made.target


def path_of(name: str) -> Path:
    """Return where a file of ``WEFT_DATA`` is."""
    folder = os.environ.get("WEFT_DATA")
    if folder is None:
        raise MissingData(f"WEFT_DATA is not set; point it at the folder with {name}")
    path = Path(folder) / name
    if not path.exists():
        raise MissingData(f"{name} is not in the folder WEFT_DATA; put it there")
    return path


def _file(spec: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(path_of(spec["file"]), float_precision="round_trip")
    y = np.unique(frame.pop("label").to_numpy(), return_inverse=True)[1]
    if "rows" in spec:
        frame, y = frame.iloc[: spec["rows"]], y[: spec["rows"]]
    for column in frame:
        # Missing numbers become the mean, missing categories the most frequent one.
        values = frame[column]
        if values.isna().any():
            number = pd.api.types.is_numeric_dtype(values)
            frame[column] = values.fillna(values.mean() if number else values.mode()[0])
    return _scaled(frame, spec), y


def _scaled(frame: pd.DataFrame, spec: dict[str, Any]) -> np.ndarray:
    how = spec.get("scale", "none")
    if how == "range":
        return np.asarray(RangeScaler(spec.get("categorical", "auto")).fit_transform(frame))
    X = frame.to_numpy(dtype=np.float64)
    if how == "unit":  # constant columns carry no information and are dropped
        X = X[:, np.ptp(X, axis=0) > 0]
        return (X - X.min(axis=0)) / np.ptp(X, axis=0)
    if how == "standard":
        return (X - X.mean(axis=0)) / X.std(axis=0)
    if how != "none":
        raise ValueError(f"scale={how!r} is not known; use range, unit, standard or none.")
    return X


def _cluto(spec: dict[str, Any]) -> tuple[Any, np.ndarray]:
    from sklearn.feature_extraction.text import TfidfTransformer

    stored = np.load(path_of(spec["file"]))
    parts = (stored["data"].astype(float), stored["indices"], stored["indptr"])
    counts = sp.csr_matrix(parts, shape=tuple(stored["shape"]))
    kept = np.bincount(counts.indices, minlength=counts.shape[1]) >= 2
    classes = np.unique(stored["label"], return_inverse=True)[1]
    return TfidfTransformer().fit_transform(counts[:, kept]), classes


def _texts(spec: dict[str, Any], seed: int) -> tuple[Any, np.ndarray]:
    """Return documents drawn again from each group."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = pd.read_csv(path_of(spec["file"]))
    rng = np.random.default_rng(seed)
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(table.label == group), count, replace=False)
            for group, count in spec["groups"].items()
        ]
    )
    texts = table.text.iloc[rows].fillna("").astype(str)
    X = TfidfVectorizer(stop_words="english", min_df=2).fit_transform(texts)
    return X, np.unique(table.label.iloc[rows].to_numpy(), return_inverse=True)[1]
