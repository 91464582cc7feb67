"""Sphinx: offline, every warning an error (``make docs``)."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import weft
from weft.estimators.presets import METHODS, PAPERS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "examples"))  # the gallery shows parts of longer scripts
os.environ.setdefault("PYTHONWARNINGS", "ignore")
# Examples are short searches, which say so.
warnings.filterwarnings("ignore", category=UserWarning)

project = "weft"
author = "the weft developers"
release = version = weft.__version__
html_title = f"weft {release}"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "**.inc.md"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
templates_path = ["_templates"]
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
}
html_show_sourcelink = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
}


def write_tables() -> None:
    """The tables that follow from the code: papers to calls, names of the reference."""
    lines = ["| in the paper | the call | what it is |", "| --- | --- | --- |"]
    by_paper: dict[str, list[str]] = {key: [] for key in PAPERS}
    for m in METHODS:
        by_paper[m.paper].append(f"| {m.title} | `{m.call}` | {m.what} |")
    made = []
    for key, rows in by_paper.items():
        made += ["", f"## {PAPERS[key].split(',')[0]}", "", PAPERS[key] + ".", "", *lines, *rows]
    (HERE / "papers" / "calls.inc.md").write_text("\n".join(made).lstrip() + "\n")

    classes = sorted(name for name in weft._PUBLIC if name[0].isupper())
    functions = sorted(name for name in weft._PUBLIC if not name[0].isupper())
    for stem, names in (("estimators", classes), ("functions", functions)):
        listed = "\n".join(f"   {name}" for name in names)
        page = (
            f"# {stem.title()}\n\n"
            "```{eval-rst}\n.. currentmodule:: weft\n\n.. autosummary::\n   :toctree: ../api\n\n"
            f"{listed}\n```\n"
        )
        (HERE / "reference" / f"{stem}.md").write_text(page)


write_tables()
