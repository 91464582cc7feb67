"""Texts that say which fit a checkpoint belongs to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN

import weft
from weft import FeatureSwarm
from weft.search.identity import describe, fingerprint, settings_of
from weft.search.swarms.pso import PSO


@dataclass
class Settings:
    size: float = 2.0
    found: int = field(default=3, init=False)


class Plain:
    """An object of another library: nothing is known but its class."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (True, True),
        (np.bool_(False), False),
        (3, 3),
        (np.int64(3), 3),
        ("knn", "knn"),
        (0.1, "0.1"),
        (np.float64(0.1), "0.1"),
        ((1, 2.0, ("a",)), [1, "2.0", ["a"]]),
        ({1: 2.0, "a": None}, {"1": "2.0", "a": None}),
        (len, "builtins.len"),
        (PSO, "weft.search.swarms.pso.PSO"),
        (Settings(), {f"{__name__}.Settings": {"size": "2.0"}}),
        (Settings, f"{__name__}.Settings"),
        (Plain(), f"{__name__}.Plain"),
        (np.array(["a"]), "numpy.ndarray"),
    ],
)
def test_parameters_as_texts(value, text):
    assert describe(value) == text
    assert type(describe(value)) is type(text)


@pytest.mark.parametrize("kind", "biuf")
def test_arrays_of_numbers_have_a_fingerprint(kind):
    array = np.array([[1, 0, 1]]).astype({"b": bool, "i": int, "u": np.uint8, "f": float}[kind])
    found = describe(array)
    assert found == fingerprint(array)
    assert found["shape"] == [1, 3]
    assert found["sha256"] == hashlib.sha256(array.tobytes()).hexdigest()


def test_estimators_are_described_by_their_parameters():
    ((name, params),) = describe(DBSCAN(eps=0.25)).items()
    assert name == "sklearn.cluster._dbscan.DBSCAN"
    assert (params["eps"], params["min_samples"], params["metric_params"]) == ("0.25", 5, None)


def test_a_fit_is_identified_by_version_class_parameters_and_data():
    X = np.arange(6.0).reshape(3, 2)
    found = settings_of(FeatureSwarm(n_jobs=2, max_memory=5, callbacks=[print]), X)
    assert (found["weft"], found["estimator"]) == (weft.__version__, "FeatureSwarm")
    assert found["data"] == fingerprint(X)
    params = FeatureSwarm().get_params(deep=False)
    assert set(found["params"]) == set(params) - {"callbacks", "max_memory", "n_jobs"}


def test_fingerprints_of_tables():
    X = np.arange(6.0).reshape(3, 2)
    expected = {
        "shape": [3, 2],
        "dtype": "float64",
        "sha256": hashlib.sha256(X.tobytes()).hexdigest(),
    }
    assert fingerprint(X) == fingerprint(np.asfortranarray(X)) == expected
    on_gpu = SimpleNamespace(is_cuda=True, cpu=lambda: SimpleNamespace(numpy=lambda: X))
    assert fingerprint(on_gpu) == expected
    empty = fingerprint(np.empty((0, 2)))
    assert (empty["shape"], empty["sha256"]) == ([0, 2], hashlib.sha256(b"").hexdigest())
    rows = sparse.csr_array(X)
    parts = (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64))
    whole = b"".join(part.tobytes() for part in parts)
    assert fingerprint(rows)["sha256"] == hashlib.sha256(whole).hexdigest()


@pytest.mark.parametrize(("n_rows", "n_columns"), [(5, 2**22), (3, 2**23)])
def test_wide_tables_are_read_in_parts(n_rows, n_columns):
    # Of rows of 2²² bytes 4 are read at a time, of 2²³ bytes 2.
    reads = []

    class Spy(np.ndarray):
        def __getitem__(self, key):
            reads.append((key.start, key.stop))
            return np.ndarray.__getitem__(self, key)

    X = np.zeros((n_rows, n_columns), dtype=np.uint8)
    whole = fingerprint(X)
    assert fingerprint(X.view(Spy)) == whole
    step = 2**24 // n_columns
    assert reads[0] == (None, 1)
    starts = [read[0] for read in reads if read[0] is not None]
    assert starts == list(range(0, n_rows, step))
