"""What the README and the documentation show runs as it stands, block after block."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import runpy
import shlex
import subprocess
import sys
import types
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import weft
from bench import evidence
from weft.cli.app import app

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted(
        page
        for page in (ROOT / "docs").rglob("*.md")
        if not {"_build", "auto_examples", "api"} & set(page.relative_to(ROOT).parts)
    ),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)


def blocks(page: Path, language: str) -> list[str]:
    return [
        text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language
    ]


def names(pages):
    return [str(page.relative_to(ROOT)) for page in pages]


WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
WITH_SESSIONS = [page for page in PAGES if blocks(page, "pycon")]
WITH_COMMANDS = [page for page in PAGES if blocks(page, "console")]


def given() -> dict:
    """What pages may take for granted: a table of three groups, labels of some rows, documents."""
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 5))
    X[:, :2] += 5 * truth[:, None]
    labels = np.where(rng.uniform(size=150) < 0.2, truth, -1)
    words = [[f"{group}{i}" for i in range(12)] for group in ("loom", "keel", "yeast", "graph")]
    texts = [" ".join(rng.choice(words[i % 4], size=8)) for i in range(80)]
    return {"X": X, "x": X[:, 0], "y": truth, "some_labels": labels, "texts": texts, "np": np}


def test_pages_have_examples():
    assert ROOT / "README.md" in WITH_SESSIONS
    assert len(WITH_PYTHON) >= 7


@pytest.mark.parametrize("page", WITH_PYTHON, ids=names(WITH_PYTHON))
def test_python_of_a_page_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, one after the other, in one namespace."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    if "WEFT_DATA" in "".join(blocks(page, "python")) and "WEFT_DATA" not in os.environ:
        pytest.skip("this page reads data sets: set WEFT_DATA to their folder")
    module = types.ModuleType("page")  # dataclasses look their module up
    monkeypatch.setitem(sys.modules, "page", module)
    vars(module).update(given())
    for number, block in enumerate(blocks(page, "python"), start=1):
        line = text[: text.index(block)].count("\n")
        code = compile("\n" * line + block, str(page), "exec", dont_inherit=True)
        try:
            exec(code, vars(module))
        except Exception as error:
            raise AssertionError(f"block {number} of {page.name}: {error!r}") from error


@pytest.mark.parametrize("page", WITH_SESSIONS, ids=names(WITH_SESSIONS))
def test_sessions_of_a_page_print_what_it_shows(page):
    """Blocks with ``>>>``: the output on the page is the real one."""
    text = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.tries > 0
    assert runner.failures == 0


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=names(WITH_COMMANDS))
def test_commands_of_a_page_run(page, tmp_path, monkeypatch):
    """Lines that start with ``$ weft``; pipes between them as in a shell."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 7 % 11},{i * 5 % 13},{i % 3 * 9},{i % 3}" for i in range(60)]
    Path("table.csv").write_text("a,b,c,answer\n" + "\n".join(rows) + "\n")
    if "visits/" in page.read_text(encoding="utf-8"):  # folders of Parquet files
        for folder in ("visits", "later-visits"):
            Path(folder).mkdir()
            pd.read_csv("table.csv").to_parquet(f"{folder}/part-0.parquet")
    for block in blocks(page, "console"):
        for line in block.splitlines():
            if not line.startswith("$ weft"):
                continue
            text = None
            for part in line.removeprefix("$ ").split(" | "):
                words = shlex.split(part)[1:]
                if text is None and " | " not in line:
                    done = CliRunner().invoke(app, words)
                    assert done.exit_code == 0, (part, done.output)
                    continue
                ran = subprocess.run(
                    [sys.executable, "-m", "weft", *words], input=text, capture_output=True
                )
                assert ran.returncode == 0, (part, ran.stderr)
                text = ran.stdout


def test_the_readme_names_every_class_and_every_class_is_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in weft._PUBLIC:
        if name[0].isupper():
            assert f"`{name}`" in readme, f"README.md does not name {name}"


def test_measured_numbers_are_those_of_the_result_files():
    for name in evidence.PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "<!-- evidence: " in text
        assert evidence.filled(text) == text, f"{name} is old; run: python -m bench.evidence"


def test_papers_to_calls_is_made_from_the_table_of_methods():
    written = (ROOT / "docs" / "papers" / "calls.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(ROOT / "docs" / "tables.py"))["papers_to_calls"]()
    assert written == made, "docs/papers/calls.md is old; write it anew: python docs/tables.py"


def test_the_page_of_settings_names_every_part_of_the_registries():
    made = runpy.run_path(str(ROOT / "docs" / "tables.py"))
    page = made["settings_page"]()
    for registry in made["REGISTRIES"].values():
        for name, kind in registry.items():
            assert f'| `"{name}"` | `{kind.__name__}` of' in page
            module = importlib.import_module(made["public_module"](kind))
            assert getattr(module, kind.__name__) is kind
    taken = {
        kind
        for name in weft._PUBLIC
        for record in getattr(getattr(weft, name), "_records", {}).values()
        if hasattr(record, "kind")
        for kind in (record.kind if isinstance(record.kind, tuple) else (record.kind,))
    }
    assert taken <= set(made["RECORDS"])


def test_links_within_the_documentation_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:|(\.\./)?auto_examples/", target):  # made by each build
                assert (page.parent / target).exists(), f"{page.name} → {target}"


GALLERY = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))


@pytest.mark.parametrize("script", GALLERY, ids=[script.stem for script in GALLERY])
def test_gallery_scripts_run(script, tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    runpy.run_path(str(script))
    assert capsys.readouterr().out
    assert plt.get_fignums()
    plt.close("all")


def modules_with_examples() -> list[str]:
    source = ROOT / "src"
    return sorted(
        ".".join(path.relative_to(source).with_suffix("").parts)
        for path in (source / "weft").rglob("*.py")
        if ">>> " in path.read_text(encoding="utf-8") and path.name != "__init__.py"
    )


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_of_the_reference_run(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


def test_every_public_callable_has_an_example():
    """Classes, functions and the callables of the public modules."""
    public = [getattr(weft, name) for name in weft._PUBLIC]
    for module in (weft.plot, weft.datasets, weft.metrics, weft.callbacks):
        public += [getattr(module, name) for name in module.__all__]
    lacking = [item.__name__ for item in public if ">>>" not in (item.__doc__ or "")]
    assert not lacking
