"""Nothing that comes from a file, a name or a path can steer a terminal."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from weft.cli.app import app
from weft.cli.shared import say
from weft.reporting.summary import summarize
from weft.reporting.terminal import Cleaner, clean, show_columns, show_result, show_warnings

# Clears the screen, sets the window's title, rings, and writes from right to left.
EVIL = "x\x1b[2J\x1b]0;title\x07\r\x08\u202e\x9b31m"
STEERING = ("\x1b[2J", "\x1b]0", "\x07", "\r", "\x08", "\u202e", "\x9b")


def cleaned_console() -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, width=200, highlight=False, force_terminal=True)
    console.push_render_hook(Cleaner())
    return console, file


def assert_harmless(text: str) -> None:
    assert not [part for part in STEERING if part in text]


def test_whatever_is_printed_is_cleaned_and_colours_stay():
    console, file = cleaned_console()
    grid = Table()
    grid.add_row(EVIL)
    for each in (EVIL, Text(EVIL, style="bold red"), grid):
        console.print(each, markup=False)
    assert_harmless(file.getvalue())
    assert "\x1b[1;31m" in file.getvalue()  # rich's own
    assert file.getvalue().count("\n") >= 3


def poisoned(value):
    """A summary in which every text is hostile."""
    if isinstance(value, str):
        return value + EVIL
    if isinstance(value, dict):
        kept = ("kind", "scale", "direction")  # words that weft chooses by, not a person
        return {key: each if key in kept else poisoned(each) for key, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each) for each in value]
    return value


@pytest.mark.filterwarnings("ignore")
def test_every_field_of_a_summary_is_harmless(fitted, three_groups):
    import pandas as pd

    from weft.io import RawTable, prepare_table

    frame = pd.DataFrame(three_groups, columns=list("abcd")).assign(kind=["x", "y"] * 30)
    table = prepare_table(RawTable(frame=frame, name="table"), label="kind")
    model = fitted("FeatureSwarm", table.X)
    summary = summarize(
        model, table.X, table=table.describe(), label=table.label, seconds={"fit": 1}
    )
    hostile = poisoned(summary)
    console, file = cleaned_console()
    show_columns(hostile, console)
    show_result(hostile, console)
    show_warnings([EVIL], console)
    assert_harmless(file.getvalue())
    assert "x�[2J" in file.getvalue()  # it was printed, as text


def test_lines_of_commands_are_harmless(capsys):
    say(f"one {EVIL}\ntwo")
    out = capsys.readouterr().out
    assert_harmless(out)
    assert out.endswith("\ntwo\n")
    assert clean("plain ü 漢") == "plain ü 漢"


def test_file_and_folder_names_are_harmless(tmp_path):
    name = tmp_path / "t\x1b[2J.csv"
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2)) + 6.0 * np.repeat([[0.0], [1.0]], 20, axis=0)
    name.write_text("a,b\n" + "\n".join(f"{a},{b}" for a, b in rows) + "\n")
    out = tmp_path / "o\x1b]0;title\x07"
    call = ["cluster", str(name), "--method", "k-means", "--n-clusters", "2", "--out", str(out)]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.output
    assert os.path.isdir(out)
    assert_harmless(done.output)
    again = CliRunner().invoke(app, call)
    assert again.exit_code == 2
    assert_harmless(again.output)
    assert "not empty" in again.output
