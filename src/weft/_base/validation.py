"""Parameter checks. Every error is one sentence: what was given, what is allowed, what to do."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

# Squares of larger numbers, summed over many columns, exceed the range of float64.
LARGEST = 1e145

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def short(text: str, longest: int = 60) -> str:
    """Return a text on one line, shortened."""
    line = "".join(char if char.isprintable() else "�" for char in text[: 2 * longest])
    return line if len(line) <= longest else line[: longest - 1] + "…"


def shown(value: Any) -> str:
    """Return a value for a message: on one line, shortened, and arrays by their shape."""
    shape = getattr(value, "shape", ())
    if shape and not isinstance(value, type):
        return f"an array of shape {shape}"
    if isinstance(value, numbers.Integral) and abs(int(value)) >= 10**20:
        return "a very large integer"
    return short(repr(value))


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Return `value` if it is one of `allowed`."""
    choices = list(allowed)
    # Scalars only: comparing an array with a text gives an array.
    scalar = value is None or isinstance(value, (str, numbers.Number))
    if not scalar or not any(value is choice or value == choice for choice in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={shown(value)} is not known; choose one of {listed}.")
    return value


def check_integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int within [low, high]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}={shown(value)} must be an integer of at least {low}.")
    number = int(value)
    if number < low or (high is not None and number > high):
        wanted = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name}={shown(number)} must be {wanted}.")
    return number


def check_real(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
) -> float:
    """Return `value` as a finite float within [low, high], or (low, high] if `open_low`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}={shown(value)} must be a number.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    below = number <= low if open_low else number < low
    if not math.isfinite(number) or below or number > high:
        bound = f"above {low:g}" if open_low else f"at least {low:g}"
        wanted = [bound] if low > -math.inf else []
        wanted += [f"at most {high:g}"] if high < math.inf else []
        raise ValueError(
            f"{name}={shown(value)} must be a finite number {' and '.join(wanted)}".rstrip() + "."
        )
    return number


def largest_for(power: float) -> float:
    """Return the largest magnitude whose `power` can be summed over many columns."""
    return LARGEST if power <= 2.0 else float(LARGEST ** (2.0 / power))


def check_magnitude(X: Any) -> None:
    """Refuse a table whose numbers are so large that sums of their squares overflow."""
    largest = float(abs(X).max())
    if largest > LARGEST:
        raise ValueError(
            f"X holds values up to {largest:.3g}, whose squares cannot be summed; "
            "scale the columns first, for example with StandardScaler."
        )


def parse_memory(name: str, value: Any) -> int:
    """Return a number of bytes from an int or a text such as ``"1GiB"``."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0:
        return int(value)
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", value)
        if match and match[2].upper() in _UNITS:
            try:
                amount = float(match[1])
            except ValueError:
                amount = 0.0
            if amount > 0:
                return int(amount * _UNITS[match[2].upper()])
    raise ValueError(
        f"{name}={shown(value)} is not an amount of memory; write '1GiB', '500MB' or bytes."
    )


def check_pair(name: str, value: Any) -> tuple[Any, Any]:
    """Return `value` if it is a pair."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(f"{name}={shown(value)} must be two numbers.")
    return value[0], value[1]


def check_params(owner: str, params: Mapping[str, Any] | None, factory: Callable[..., Any]) -> Any:
    """Call `factory` with `params`, naming the allowed keys when one is unknown."""
    import inspect

    given = dict(params or {})
    allowed = [name for name in inspect.signature(factory).parameters if name != "self"]
    for key in given:
        if key not in allowed:
            listed = ", ".join(allowed) or "none"
            raise ValueError(f"{owner} has no parameter {key!r}; it takes: {listed}.")
    return factory(**given)


def import_optional(module: str, extra: str) -> ModuleType:
    """Import an optional dependency; the error names the extra that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this needs {module!r}, which is not installed; "
            f"install it with: pip install 'weft[{extra}]'",
            name=error.name,
        ) from error
