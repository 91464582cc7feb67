"""Small tables: torch's threads would cost more than they bring."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    # Each test file names the extra; this only keeps collection whole.
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def on_torch(monkeypatch):
    """Let device="cuda" mean torch's own CPU device, where there is no GPU."""
    import torch

    from weft.backends import devices

    if not torch.cuda.is_available():
        monkeypatch.setattr(devices, "has_cuda", lambda: True)
        monkeypatch.setattr(devices, "GPU", "cpu:0")  # "cpu" would be the compiled kernels
