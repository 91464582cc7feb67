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
