"""Pages on disk."""

from __future__ import annotations

import os
from pathlib import Path


def write_page(path: str | Path, html: str) -> Path:
    """Write a page in one step, so that no reader ever sees half of it, and return where."""
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(html, encoding="utf-8")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path
