"""Folders and files of results: where they can be written, and that they are written completely."""

from __future__ import annotations

import os
from pathlib import Path

from tests.refusals import refusal

from weft.tables.folders import (
    _draft_in,
    _write_elsewhere,
    check_folder,
    check_name,
    csv_lines,
    write_csv,
    write_folder,
)


def test_cells_that_spreadsheets_would_compute(tmp_path):
    rows = [(None, 1.5, "a"), ("=1", "+2", "-3"), ("@x", "\ty", "a;b"), ('q"q', "l\nl", "a|b")]
    lines = [
        "h,'=h,x\n", ",1.5,a\n", "'=1,'+2,'-3\n", "'@x,\"'\ty\",\"a;b\"\n", '"q""q","l\nl","a|b"\n'
    ]  # fmt: skip
    assert list(csv_lines(["h", "=h", "x"], rows)) == lines
    assert list(csv_lines(["a"], [("b,c", 2)], separator=";")) == ["a\n", '"b,c";2\n']
    write_csv(tmp_path / "t.csv", ["h", "=h", "x"], rows)
    assert (tmp_path / "t.csv").read_bytes() == "".join(lines).encode()


def test_folders_that_can_be_written(tmp_path):
    new = tmp_path / "a" / "b"
    assert check_folder(new) == new
    assert list(tmp_path.iterdir()) == []
    full = tmp_path / "full"
    full.mkdir()
    assert check_folder(full) == full
    (full / "x").write_text("old")
    assert check_folder(full, force=True) == full
    assert refusal(check_folder, full).startswith(f"the folder {str(full)!r} exists and is not")
    assert refusal(check_folder, full / "x") == (
        f"{str(full / 'x')!r} is a file; give a folder with --out."
    )
    (tmp_path / "link").symlink_to("nowhere")
    assert refusal(check_folder, tmp_path / "link") == (
        f"{str(tmp_path / 'link')!r} is a link to 'nowhere', which does not exist; remove the "
        "link, or give another --out."
    )
    (tmp_path / "good").symlink_to(full)
    assert check_folder(tmp_path / "good", force=True) == tmp_path / "good"
    check_name("é.csv")
    assert "is not valid UTF-8" in refusal(check_name, "\udce9.csv")


def test_folders_are_written_at_once(tmp_path):
    def write(folder: Path) -> None:
        assert folder.name == f".weft-{os.getpid()}.tmp"
        (folder / "x").write_text("new")

    for folder in (tmp_path / "a" / "b", tmp_path / "full"):
        if folder.name == "full":
            folder.mkdir()
            (folder / "x").write_text("old")
            (folder / "y").write_text("other")
        write_folder(folder, write)
        assert (folder / "x").read_text() == "new"
        assert not any(path.name.startswith(".weft") for path in folder.parent.rglob("*"))
    assert (tmp_path / "full" / "y").read_text() == "other"
    # Without force a folder with files gets no other one: the results are written next to it.
    text = refusal(write_folder, tmp_path / "full", lambda f: (f / "z").write_text(""), force=False)
    place = text.partition("the results are in '")[2].partition("'")[0]
    assert Path(place).parent == tmp_path
    assert [path.name for path in Path(place).iterdir()] == ["z"]
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "empty", lambda folder: (folder / "z").write_text(""), force=False)
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["z"]


def test_results_that_cannot_be_written_anywhere(tmp_path):
    def fail(folder):
        raise OSError(28, "disk full")

    assert _write_elsewhere(tmp_path / "out", fail) is None
    assert list(tmp_path.iterdir()) == []
    assert refusal(write_folder, tmp_path / "out", fail) == (
        f"{str(tmp_path / 'out')!r} cannot be written (disk full), nor can a folder next to it or "
        "one for temporary files; free some disk space and run the command again."
    )
    assert _draft_in(tmp_path).parent == tmp_path
