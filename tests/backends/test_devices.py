"""Devices of torch: what is there, what lies where, and which tables in GPU memory are taken."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from weft.backends import devices
from weft.backends.devices import (
    device_rows,
    has_cuda,
    is_fused,
    is_on_gpu,
    load_torch,
    to_device,
    to_host,
)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")


@pytest.mark.parametrize("there", [True, False])
def test_a_gpu_needs_torch_and_cuda(there, monkeypatch):
    cuda = SimpleNamespace(is_available=lambda: there)
    monkeypatch.setattr(devices, "load_torch", lambda: SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda name: name)
    assert has_cuda() is there
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda name: None)
    assert has_cuda() is False


@pytest.mark.parametrize("is_installed", [True, False])
def test_triton_is_looked_for_once(is_installed, monkeypatch):
    monkeypatch.setattr(
        devices.importlib.util, "find_spec", lambda name: name if is_installed else None
    )
    assert devices._has_triton.__wrapped__() is is_installed


@pytest.mark.parametrize(
    ("has_triton", "kind", "interpreted", "fused"),
    [
        (True, "cuda", None, True),
        (True, "cuda", "1", True),
        (True, "cpu", "1", True),
        (True, "cpu", "0", False),
        (True, "cpu", None, False),
        (False, "cuda", "1", False),
    ],
)
def test_where_fused_kernels_run(has_triton, kind, interpreted, fused, monkeypatch):
    monkeypatch.setattr(devices, "_has_triton", lambda: has_triton)
    if interpreted is None:
        monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    else:
        monkeypatch.setenv("TRITON_INTERPRET", interpreted)
    assert is_fused(SimpleNamespace(type=kind)) is fused


def test_which_arrays_are_in_the_memory_of_a_gpu():
    assert is_on_gpu(SimpleNamespace(is_cuda=True))
    assert is_on_gpu(SimpleNamespace(__cuda_array_interface__={}))
    assert not is_on_gpu(SimpleNamespace(is_cuda=False))
    assert not is_on_gpu(np.zeros(2))


def test_arrays_are_copied_if_torch_could_not_write_to_them(torch):
    given = np.arange(6.0).reshape(2, 3)
    shared = to_device(given, "cpu")
    shared[0, 0] = 9.0
    assert given[0, 0] == 9.0
    turned = to_device(given.T, "cpu")
    assert turned.tolist() == given.T.tolist()
    given.flags.writeable = False
    copied = to_device(given, "cpu")
    copied[0, 0] = 7.0
    assert given[0, 0] == 9.0
    assert to_device(np.ones(2, np.float32), "cpu").dtype == torch.float32
    tensor = torch.ones(3)
    assert to_device(tensor, "cpu") is tensor


def test_tables_on_a_device_are_checked(torch):
    rows = device_rows(torch.tensor([[1], [2]]))
    assert (rows.dtype, rows.tolist()) == (torch.float64, [[1.0], [2.0]])
    bad = [
        torch.ones(4),
        torch.ones((1, 3)),
        torch.ones((2, 0)),
        torch.ones((2, 2, 2)),
        torch.ones((2, 2), dtype=torch.complex64),
    ]
    for X in bad:
        with pytest.raises(ValueError, match="is not a table"):
            device_rows(X)
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="holds NaN or infinity"):
            device_rows(torch.tensor([[1.0, 2.0], [3.0, value]]))
    with pytest.raises(ValueError, match="X"):
        device_rows(torch.full((2, 2), 1e200, dtype=torch.float64))


def test_tables_come_back_from_a_device(torch, monkeypatch):
    given = np.ones((2, 2))
    assert to_host(given) is given
    tensor = torch.ones((2, 2))
    assert to_host(tensor) is tensor  # in the memory of the host
    monkeypatch.setattr(devices, "is_on_gpu", lambda X: True)
    found = to_host(tensor)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == given.tolist()


def test_without_torch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="gpu"):
        load_torch()
