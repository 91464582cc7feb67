"""What tests of the limits of model files share."""

from __future__ import annotations

from typing import Any

from weft.models.archive import Refused
from weft.models.kinds import Lengths


def takes(kind: Any, value: Any) -> bool:
    """Return whether a model file may hold a value where it says that it has this kind."""
    try:
        kind.check(value, "x", Lengths())
    except Refused:
        return False
    return True
