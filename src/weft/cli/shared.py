"""Shared by all commands: consoles, and one sentence instead of a traceback."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dis import opname
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from weft.parallel.signals import ignore_ctrl_c

if TYPE_CHECKING:
    from rich.console import Console

# Names in the library and their command-line options; the first pattern that matches is used.
_OPTIONS = (
    (r"lower (n_neighbors|min_samples)", "add rows, or take another --clusterer"),
    (r"for example with StandardScaler", "with --scale standard"),
    (r"set counts=True", "give --param counts=true"),
    (r"\bn_clusters\b", "--n-clusters"),
    (r"\bn_generations\b", "--generations"),
    (r"\bn_particles\b", "--particles"),
    (r"\bmax_clusters\b", "--max-clusters"),
    (r"fit\(X, resume='([^']*)'\)", r"the same command and --resume \1"),
    (r"A callback Checkpoint\(path\)", "--checkpoint PATH"),
    (r"fit without resume", "leave out --resume"),
    (r"give Checkpoint", "give --checkpoint"),
    (r"(?<![-\w])(clusterer|criterion|swarm|scale|missing|method|stability)(?==)", r"--\1"),
)


def in_options(text: str) -> str:
    """Return a message of the library on one line, with options instead of parameters."""
    text = " ".join(text.split())
    for pattern, words in _OPTIONS:
        text = re.sub(pattern, words, text)
    return text


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    from rich.console import Console

    from weft.reporting.terminal import Cleaner

    made = Console(stderr=stderr, quiet=quiet, highlight=False)
    made.push_render_hook(Cleaner())
    return made


def say(text: str, *, err: bool = False) -> None:
    """Print a line without control characters."""
    from weft.reporting.terminal import clean

    typer.echo("\n".join(map(clean, text.split("\n"))), err=err)


def say_path(what: str, path: Path) -> None:
    """Print the full path of a written file; many terminals make it clickable."""
    out = console()
    where = clickable(path)
    out.print(f"{what}: ", where, sep="", soft_wrap=True)


def clickable(path: Path) -> Any:
    """Return the path as a link if the terminal supports links, else as plain text."""
    from rich.text import Text

    from weft.reporting.terminal import clean

    full = path.resolve()
    return Text(clean(str(path)), style=f"link {full.as_uri()}")


def refuse_ignored(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would have no effect; those that were not given are false or empty."""
    for option, value in options.items():
        if value:
            raise ValueError(f"{option} is not an option {where}; leave it out.")


def refuse_overwriting(where: Path | None, *inputs: Path | None, option: str = "--out") -> None:
    """Refuse to write a result over a file that the command reads."""
    from weft.io import table_files

    if where is None or not where.is_file():
        return
    files = [file for given in inputs if given is not None for file in table_files(given)]
    if any(file.is_file() and file.samefile(where) for file in files):
        raise ValueError(f"{str(where)!r} is read and would be overwritten; give another {option}.")


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn errors about the input into one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a bar must not fail in a narrow encoding
    try:
        with _warnings_as_notes():
            yield
    except KeyboardInterrupt:
        ignore_ctrl_c()
        typer.echo("weft: stopped; nothing was written.", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError, MemoryError, ModuleNotFoundError) as error:
        if isinstance(error, TypeError) and not _is_ours(error):
            raise
        say(f"weft: {in_options(str(error)) or type(error).__name__}", err=True)
        raise typer.Exit(2) from None


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print each warning once and as a note: users need no line of the source code."""
    from weft.reporting.terminal import show_warnings

    said: set[str] = set()

    def say_once(message: Any, *_: Any, **__: Any) -> None:
        text = in_options(str(message))
        if text not in said:
            said.add(text)
            show_warnings([text], console(stderr=True))

    with warnings.catch_warnings():
        warnings.showwarning = say_once
        yield


def _is_ours(error: BaseException) -> bool:
    """Return whether weft raised the error itself, to tell the user what to do.

    An error of an operator or of a failed call is a bug of weft instead.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    instruction = opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]]
    name = str(trace.tb_frame.f_globals.get("__name__"))
    return name.startswith("weft.") and instruction == "RAISE_VARARGS"


def take_answer(model: Any, number: int) -> Any:
    """Return the model with answer `number` of its several answers."""
    if number == 1:
        return model
    known = len(getattr(model, "alternatives_", [1]))
    if not 1 <= number <= known:
        answers = "one answer" if known == 1 else f"{known} answers, numbered from 1"
        raise ValueError(f"--alternative={number} is not possible: this model has {answers}.")
    return model.with_alternative(number)
