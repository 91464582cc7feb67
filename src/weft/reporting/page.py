"""The page as an object: its text, the summary it was drawn from, and how it is written to disk."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from weft.reporting.html import render
from weft.reporting.making import fingerprint
from weft.reporting.summary import summarize
from weft.reporting.told import headline


def write_page(path: str | Path, html: str) -> Path:
    """Write a page completely or not at all, and return its path."""
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(html, encoding="utf-8")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path


class Report(NamedTuple):
    """An HTML report that works offline."""

    html: str
    summary: dict[str, Any]

    def save(self, path: str | Path) -> Path:
        """Write the page, completely or not at all, and return its path."""
        return write_page(path, self.html)

    def __repr__(self) -> str:
        return f"<Report: {headline(self.summary)}, {len(self.html) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        """Return the page in its own frame, so that its style does not affect the notebook."""
        return (
            '<iframe title="weft report" style="width:100%;height:40rem;border:1px solid #ccc" '
            f'sandbox="allow-scripts" srcdoc="{escape(self.html)}"></iframe>'
        )


def report(model: Any, X: Any = None, **options: Any) -> Report:
    """Draw a fitted model's page; see :func:`weft.reporting.summary.summarize` for the options."""
    summary = summary_of(model, X, **options)
    return Report(render(summary), summary)


def summary_of(model: Any, X: Any = None, **options: Any) -> dict[str, Any]:
    """Return the model's summary: computed again, or that of its file if it matches the model."""
    kept = vars(model).get("_kept_summary") if X is None and not options else None
    if kept is not None and kept["result"].get("fingerprint") == fingerprint(model):
        return kept
    return summarize(model, X, **options)
