"""A short form of ``make fuzz``: what the long one has kept, and some hundred changes to it."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent / "fuzz"
NAMES = ["csv", "encodings", "parquet", "parts", "arrow", "json_lines", "database", "query"]
NAMES += ["packed", "workbook", "labels", "config", "model", "checkpoint"]


@pytest.fixture(scope="module")
def targets():
    spec = importlib.util.spec_from_file_location("fuzz_targets", HERE / "targets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_target_has_a_corpus(targets):
    assert sorted(targets.TARGETS) == sorted(NAMES)
    for name in NAMES:
        assert len(list((HERE / "corpus" / name).iterdir())) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_no_bytes_do_harm(name, targets):
    kept = [path.read_bytes() for path in sorted((HERE / "corpus" / name).iterdir())]
    rng = random.Random(0)
    for data in [*kept, b"", b"\0", *targets.seeds(name)]:
        targets.TARGETS[name](data)
    for _ in range(150):
        data = bytearray(rng.choice(kept))
        for _ in range(rng.choice((1, 2, 8))):
            place = rng.randrange(len(data) + 1)
            match rng.randrange(3):
                case 0:
                    data[place : place + 1] = bytes([rng.randrange(256)])
                case 1:
                    del data[place : place + rng.randrange(1, 20)]
                case 2:
                    data[place:place] = rng.choice(kept)[:100]
        targets.TARGETS[name](bytes(data))
