"""Backends to run the same cases on: torch's CPU device stands for a GPU where there is none."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from weft.backends import CPU, REFERENCE, Backend

HOST = [pytest.param(backend, id=backend.name) for backend in (REFERENCE, CPU)]


def _on_device(device: str):
    reason = "the GPU path needs torch: pip install 'weft[gpu]'"
    missing = pytest.mark.skipif(find_spec("torch") is None, reason=reason)
    return pytest.param(Backend("gpu", device), id=f"gpu on {device}", marks=missing)


def _devices() -> list[str]:
    if find_spec("torch") is None:
        return ["cpu:0"]
    import torch

    return ["cpu:0", "cuda"] if torch.cuda.is_available() else ["cpu:0"]


DEVICES = [_on_device(device) for device in _devices()]


@pytest.fixture(params=[*HOST, *DEVICES])
def any_backend(request):
    """The reference, the CPU, and torch on each device."""
    return request.param


@pytest.fixture(params=HOST)
def host_backend(request):
    """The reference and the CPU: what single positions are decoded by."""
    return request.param


@pytest.fixture(params=[pytest.param(CPU, id="cpu"), *DEVICES])
def fast_backend(request):
    """What is compared with the reference."""
    return request.param
