"""Wide tables without clusters: drawn as said, counted as said."""

import numpy as np
import pytest
from bench.unseen.alarms import RECIPES, alarms_table

from bench.unseen import alarms


@pytest.mark.parametrize("name", RECIPES)
def test_tables_are_wide_finite_and_repeatable(name):
    draw = RECIPES[name][0]
    first, again = (draw(np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.isfinite(first).all()
    assert 12 <= len(first) <= 200
    assert first.shape[1] <= 20_000


def test_alarms_are_counted(monkeypatch):
    monkeypatch.setattr(alarms, "ProcessPoolExecutor", lambda n: _Here())
    monkeypatch.setattr(alarms, "is_alarm", lambda name, number: name == "counts" and number == 0)
    text = alarms_table(share=0.1)
    assert "| noise | 20 | 0.000 |" in text
    assert "| counts | 5 | 0.200 |" in text


class _Here:
    """A pool that works in this process."""

    map = staticmethod(map)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None
