"""The command line: pictures are drawn, tables are printed."""

from __future__ import annotations

import json

import pytest

from bench.unseen import __main__ as commands


def test_picture_of_some_kinds(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "world.png"
    words = ["unseen", "picture", "--out", str(path), "--kinds", "moons", "wide_noise"]
    monkeypatch.setattr("sys.argv", words)
    assert commands.main() == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert str(path) in capsys.readouterr().out


def test_tables_from_kept_rows(tmp_path, monkeypatch, capsys):
    path = tmp_path / "rows.jsonl"
    row = {"set": "s", "group": "fcps", "method": "judge", "seed": 0, "ari": 0.5, "k": 2}
    path.write_text(json.dumps(row) + "\n")
    monkeypatch.setattr("sys.argv", ["unseen", "tables", "--results", str(path)])
    assert commands.main() == 0
    assert "| judge | 0.500 (1) | 0.500 (1) |" in capsys.readouterr().out


def test_an_unknown_kind_is_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["unseen", "picture", "--kinds", "circles"])
    with pytest.raises(SystemExit):
        commands.main()
    assert "invalid choice: 'circles'" in capsys.readouterr().err
