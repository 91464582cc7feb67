"""The message with which a call is refused, as one text that tests compare as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from weft.tables.errors import InputError


def refusal(
    action: Callable[..., Any],
    *arguments: Any,
    kind: type[BaseException] = InputError,
    **options: Any,
) -> str:
    """Return the message of the error that the call raises; the test fails if there is none."""
    with pytest.raises(kind) as error:
        action(*arguments, **options)
    return str(error.value)
