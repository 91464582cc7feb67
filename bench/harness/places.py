"""Folders that the bench reads and writes."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "bench" / "studies"  # the papers' tables
RESULTS = ROOT / "bench" / "results"  # finished rows, one file for each study or bench
DOCS = ROOT / "docs"
QUICK = ROOT / "build" / "quick"  # results of the small forms
