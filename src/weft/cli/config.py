"""A run as a TOML file: written into each folder of results, read by ``--config``."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import weft
from weft.io import InputError, table_files

# Options whose value is a path that weft writes to.
_PLACES = ("out", "checkpoint")


def _check_place(name: str, key: str, value: Any) -> None:
    """Refuse a path outside the current folder: the author of a config file may be unknown."""
    current_folder = Path.cwd().resolve()
    inside = isinstance(value, str) and "\0" not in value
    if not inside or not (current_folder / value).resolve().is_relative_to(current_folder):
        raise InputError(
            f"{name} has {key}={value!r}, which is outside the current folder; to allow it, give "
            f"--{key} on the command line."
        )


def _read(path: Path) -> dict[str, Any]:
    """Return the contents of a config file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}; check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        detail = " ".join(str(error).split())
        raise InputError(f"{path.name} is not valid TOML: {detail}; fix the file.") from None
    except ValueError:  # Python limits the number of digits
        raise InputError(f"{path.name} has an integer that is too long; fix the file.") from None
    except RecursionError:
        raise InputError(f"{path.name} has values nested too deep; fix the file.") from None
    for key in ("cluster", "input"):
        if not isinstance(content.get(key, {}), dict):
            raise InputError(f"{path.name} has a value for {key!r} where a table is expected.")
    return content


def read_config(path: str | Path, known: Iterable[str]) -> dict[str, Any]:
    """Return the options in a config file; unknown names are refused."""
    path = Path(path)
    content = _read(path)
    options = content.get("cluster", content)
    known = list(known)
    for key, value in options.items():
        if key.replace("-", "_") not in known:
            raise InputError(
                f"{path.name} has {key!r}, which is not an option of weft cluster; options are "
                f"{', '.join(known)}."
            )
        if isinstance(value, dict):
            raise InputError(f"{path.name} has a table {key!r} where a value is expected.")
        if key.replace("-", "_") in _PLACES:
            _check_place(path.name, key, value)
        if key == "force" and value:
            raise InputError(
                f"{path.name} has 'force', which a file cannot set; give --force on the command "
                "line."
            )
    return {key.replace("-", "_"): value for key, value in options.items()}


def write_config(
    path: Path, options: Mapping[str, Any], *, sha256: str | None, command: str | None = None
) -> None:
    """Write the settings that repeat the run; options that were not given are left out."""
    repeat_command = command or f"weft cluster --config {path.name}"
    lines = [f"# weft {weft.__version__}. To repeat this run: {repeat_command}"]
    lines += ["[cluster]"] if options else []
    lines += [f"{key} = {_value(v)}" for key, v in options.items() if v not in (None, [], ())]
    if sha256 is not None:
        lines += ["", "[input]", f"sha256 = {_value(sha256)}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def digest(path: str | Path) -> str | None:
    """Return the SHA-256 of the input file, or of several in their order; None for a pipe."""
    if str(path) == "-":
        return None
    total = hashlib.sha256()
    for file in table_files(path):
        with file.open("rb") as content:
            while chunk := content.read(1 << 20):
                total.update(chunk)
    return total.hexdigest()


def changed_input(config: str | Path, path: str | Path) -> bool:
    """Return whether the input has changed since the config was written."""
    written = _read(Path(config)).get("input", {})
    return "sha256" in written and written["sha256"] != digest(path)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    # JSON strings are TOML strings, except for the delete character, which JSON does not escape.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
