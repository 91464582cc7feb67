"""What the project promises about itself: wording, minimum versions, pages made from results."""

from __future__ import annotations

import datetime
import json
import runpy
import tomllib
from pathlib import Path

import pytest
from bench.mixed import page as mixed_page
from bench.noise import page as noise_page
from checks import minimums, release, wording

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Writes a page to look at.", 1),
        ("Fine.\n# The file is no\n# TOML; fix it.", 2),  # broken over two lines of comments
        ("It is taken\nup again.", 1),
        ("Each row is\nset beside the rest.", 2),
        ("# What speaks for an answer", 1),
        ("The tree is cut into so many clusters.", 1),
        ("Single precision will do here.", 1),
        ("Columns that tell the groups apart.", 1),
    ],
)
def test_unusual_phrases_are_found(text, line):
    found = wording.findings(text)
    assert [entry[0] for entry in found] == [line]


def test_plain_and_quoted_phrases_are_not_found():
    assert wording.findings("There is no file; it is not valid TOML; recommended.") == []
    assert wording.findings("In so many columns, rods that stand apart; it will do so.") == []
    assert wording.findings("wording: off\n| mend it | fix it |\nwording: on\n") == []


def test_lines_after_a_skipped_part_keep_their_numbers():
    text = "wording: off\nmend it\nwording: on\nmend it\n"
    assert wording.findings(text)[0][0] == 4


def test_minimums_of_core_packages_follow_spec_0():
    declared = minimums.declared()
    assert minimums.too_young(declared, datetime.date(2026, 11, 17)) == []
    young = minimums.too_young(declared, datetime.date(2024, 12, 10))
    assert any("scikit-learn" in sentence for sentence in young)  # 1.6 was one day old


def test_versions_agree():
    assert release.version_mismatches() == []


def test_the_recipe_has_the_dependencies_of_the_project():
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"] + project["optional-dependencies"]["app"]:
        name, _, version = requirement.partition(">=")
        assert f"- {name} >={version}" in recipe, f"recipe/meta.yaml lacks {requirement}"


@pytest.mark.parametrize(
    ("page", "make"), [("noise", noise_page.text), ("mixed_bench", mixed_page.text)]
)
def test_pages_of_benches_are_made_from_their_results(page, make):
    results = RESULTS / f"{page.removesuffix('_bench')}.jsonl"
    rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    made = "\n\n".join(part for part in make(rows) if part) + "\n"
    assert (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") == made


def test_the_index_of_decisions_lists_every_record_with_a_status():
    made = runpy.run_path(str(ROOT / "docs" / "tables.py"))["decisions_index"]()
    for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        row = next(line for line in made.splitlines() if f"({path.name})" in line)
        assert row.rstrip(" |").rpartition("| ")[2]
    written = (ROOT / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
    assert written == made, "docs/decisions/index.md is old; write it again: python docs/tables.py"
