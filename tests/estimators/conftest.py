"""What tests of the table of methods share."""

from __future__ import annotations

import pytest

from weft._base.records import RecordParameter, flat


@pytest.fixture(scope="session")
def setting_of():
    """Look up a setting of an estimator: a parameter, or one that travels in a record."""
    return _setting_of


def _setting_of(model, key):
    """A parameter, or a setting that travels in a record."""
    settings = flat(model.get_params())
    if key in settings:
        return settings[key]
    records = [
        taken.record(getattr(model, parameter))
        for parameter, taken in model._records.items()
        if isinstance(taken, RecordParameter)
    ]
    return next(getattr(record, key) for record in records if hasattr(record, key))
