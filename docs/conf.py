"""Sphinx: offline, every warning an error (``make docs``)."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import weft

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "examples"))  # the gallery shows parts of longer scripts
os.environ.setdefault("PYTHONWARNINGS", "ignore")
# Examples are short searches, which say so.
warnings.filterwarnings("ignore", category=UserWarning)

from tables import write_tables  # noqa: E402 - in the folder of this file, which is not a package

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
exclude_patterns = ["_build", "gallery"]
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
html_css_files = ["weft.css"]
toc_object_entries_show_parents = "hide"  # "fit()", not "AutoCluster.fit()"
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
    "within_subsection_order": "FileNameSortKey",  # the flagship first
    "download_all_examples": False,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

write_tables()
