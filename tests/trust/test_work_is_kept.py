"""Results of a search are not lost: what can fail is asked before, or goes to another place."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from weft.io import InputError, check_folder, check_name, write_folder


def write_results(place: Path) -> None:
    (place / "labels.csv").write_text("row,cluster\n1,0\n")


def place_named_in(error: pytest.ExceptionInfo) -> Path:
    return Path(str(error.value).split("the results are in '")[1].split("'")[0])


def test_a_link_to_nothing_is_refused_before_the_work(tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"is a link to .*gone', which does not exist"):
        check_folder(tmp_path / "out")
    (tmp_path / "gone").mkdir()
    assert check_folder(tmp_path / "out") == tmp_path / "out"


def test_a_name_that_is_not_utf8_is_refused_before_the_work():
    check_name("grüße.csv")
    with pytest.raises(InputError, match=r"'t\?.csv' is not valid UTF-8 .* rename the file"):
        check_name(os.fsdecode(b"t\xff.csv"))


def test_a_folder_that_another_process_filled_is_left_alone(tmp_path):
    folder = check_folder(tmp_path / "out")
    folder.mkdir()
    (folder / "labels.csv").write_text("of the other")
    with pytest.raises(InputError, match="another process has written there meanwhile") as error:
        write_folder(folder, write_results, force=False)
    assert (folder / "labels.csv").read_text() == "of the other"
    place = place_named_in(error)
    assert place.parent == tmp_path
    assert (place / "labels.csv").read_text().startswith("row,cluster")
    write_folder(folder, write_results)  # with --force
    assert (folder / "labels.csv").read_text().startswith("row,cluster")


def test_two_writers_of_a_new_folder_both_keep_their_results(tmp_path):
    """The second finds the folder made between its look and its move."""
    folder = check_folder(tmp_path / "out")

    def while_another_writes(place: Path) -> None:
        write_results(place)
        if not folder.exists():
            folder.mkdir()
            (folder / "theirs").write_text("x")

    with pytest.raises(InputError, match="the results are in") as error:
        write_folder(folder, while_another_writes, force=False)
    assert sorted(file.name for file in folder.iterdir()) == ["theirs"]
    assert (place_named_in(error) / "labels.csv").exists()


def test_a_full_disk_sends_the_results_to_where_temporary_files_go(tmp_path, monkeypatch):
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))

    def write(place: Path) -> None:
        if not place.is_relative_to(spare):
            raise OSError(errno.ENOSPC, "No space left on device")
        write_results(place)

    with pytest.raises(InputError, match="No space left on device") as error:
        write_folder(tmp_path / "full" / "out", write)
    assert (place_named_in(error) / "labels.csv").exists()
    assert place_named_in(error).parent == spare

    def fail(place: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match="free some disk space"):
        write_folder(tmp_path / "full" / "out", fail)
    assert list((tmp_path / "full").iterdir()) == []


def test_a_fault_of_the_program_is_not_hidden(tmp_path):
    with pytest.raises(ZeroDivisionError):
        write_folder(tmp_path / "out", lambda place: print(1 / 0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_the_command_says_so_before_it_reads(tmp_path):
    from typer.testing import CliRunner

    from weft.cli.app import app

    table = tmp_path / os.fsdecode(b"t\xff.csv")
    table.write_text("a,b\n1,2\n")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    runner = CliRunner()
    done = runner.invoke(app, ["cluster", str(table)])
    assert done.exit_code == 2
    assert "is not valid UTF-8" in done.output
    done = runner.invoke(app, ["cluster", "absent.csv", "--out", str(tmp_path / "link")])
    assert done.exit_code == 2
    assert "is a link to" in done.output
