"""What device= promises on every estimator."""

import inspect
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

import weft
from weft.backends import devices

# A scaler's means and ranges are no work for a GPU: it computes where its table lies instead.
# Raw tables of text and dates never lie on one.
WITHOUT = {"CountNormalizer", "RangeScaler", "TablePreparer"}


class OnGPU:
    """A table that says that it lies in GPU memory, and which NumPy cannot read."""

    is_cuda = True

    def __init__(self, rows):
        self.rows, self.shape = rows, rows.shape

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda device type tensor to numpy")


@pytest.fixture
def readable(monkeypatch):
    """Let tables that claim to lie on a GPU be fetched from there."""
    if not torch.cuda.is_available():
        fetch = devices.as_tensor

        def as_tensor(X):
            return fetch(X.rows if isinstance(X, OnGPU) else X)

        monkeypatch.setattr(devices, "as_tensor", as_tensor)


def _tables(X):
    """The same table as it may lie on a GPU."""
    if not torch.cuda.is_available():
        return [OnGPU(X)]
    tables = [torch.as_tensor(X, device="cuda")]
    try:
        import cupy
    except ImportError:
        return tables
    return [*tables, cupy.asarray(X)]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short fits say that they found little
        yield


def test_it_is_there_and_unknown_names_are_refused(any_name, quick, three_groups):
    known = inspect.signature(getattr(weft, any_name)).parameters
    assert ("device" in known) != (any_name in WITHOUT)
    if any_name in WITHOUT:
        return
    assert known["device"].default == "cpu"
    for wrong in ("gpu", None, 0):
        with pytest.raises((ValueError, TypeError), match="one of 'cpu', 'cuda', 'auto'"):
            quick(any_name, device=wrong).fit(three_groups)


def test_without_a_gpu(any_name, quick, three_groups, monkeypatch):
    if any_name in WITHOUT:
        return
    monkeypatch.setattr(devices, "has_cuda", lambda: False)
    with pytest.raises(ValueError, match="device='cuda' needs a GPU"):
        quick(any_name, device="cuda").fit(three_groups)
    one, two = (quick(any_name, device=each).fit(three_groups) for each in ("auto", "cpu"))
    for name in ("labels_", "support_", "feature_weights_"):
        if hasattr(two, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_the_gpu_finds_what_the_cpu_finds(any_name, quick, three_groups, on_torch):
    if any_name in WITHOUT:
        return
    expected = quick(any_name).fit(three_groups)
    found = quick(any_name, device="cuda").fit(three_groups)
    for name in ("labels_", "support_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    if hasattr(expected, "fitness_"):
        assert found.fitness_ == pytest.approx(expected.fitness_, rel=1e-4)
    again = quick(any_name, device="cuda").fit(three_groups)
    for name in ("labels_", "support_", "feature_weights_", "cluster_centers_", "fitness_"):
        if hasattr(found, name):
            np.testing.assert_array_equal(getattr(again, name), getattr(found, name))


def test_tables_on_a_gpu(any_name, quick, three_groups, on_torch, readable):
    if any_name == "TablePreparer":
        pytest.skip("raw tables of text and dates never lie on a GPU")
    options = {} if any_name in WITHOUT else {"device": "cuda"}
    expected = quick(any_name, **options).fit(three_groups)
    for X in _tables(three_groups):
        model = quick(any_name, **options).fit(X)
        for name in ("labels_", "support_"):
            if hasattr(expected, name):
                found = getattr(model, name)
                assert isinstance(found, np.ndarray)
                np.testing.assert_array_equal(found, getattr(expected, name))
        for method in ("predict", "transform"):
            if hasattr(model, method):
                found = getattr(model, method)(X)
                assert isinstance(found, np.ndarray)
                np.testing.assert_allclose(found, getattr(expected, method)(three_groups))
