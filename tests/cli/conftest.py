"""A folder to run commands in."""

from __future__ import annotations

import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
