"""List the minimum versions of the dependencies and check them against SPEC 0.

    python -m checks.minimums

SPEC 0 (https://scientific-python.org/specs/spec-0000/) asks that core packages be supported for two
years after their release, and Python for three. So no declared minimum of a core package may have
been released less than two years ago. Older minimums are allowed: they support more than SPEC 0
asks.
"""

from __future__ import annotations

import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORE = ("numpy", "scipy", "scikit-learn", "pandas", "matplotlib")
# First releases of the minimums that are declared; a new minimum needs a new entry.
RELEASED = {
    "numpy 1.26": datetime.date(2023, 9, 16),
    "scipy 1.11": datetime.date(2023, 6, 25),
    "scikit-learn 1.6": datetime.date(2024, 12, 9),
    "pandas 2.0": datetime.date(2023, 4, 3),
    "matplotlib 3.9": datetime.date(2024, 5, 15),
}
WINDOW = datetime.timedelta(days=2 * 365)
# SPEC 0 drops a version at the end of the quarter in which its two years are over.
QUARTER = datetime.timedelta(days=92)


def declared() -> dict[str, str]:
    """Return the minimum version of each requirement, of all extras and groups."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [project["project"]["dependencies"]]
    groups += project["project"]["optional-dependencies"].values()
    groups += project["dependency-groups"].values()
    found: dict[str, str] = {}
    for requirement in (entry for group in groups for entry in group if isinstance(entry, str)):
        match = re.match(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([\w.]+)", requirement)
        if match:
            found.setdefault(match[1].lower(), match[2])
    return found


def too_young(minimums: dict[str, str], today: datetime.date) -> list[str]:
    """Return a sentence for each core package whose minimum SPEC 0 does not allow yet."""
    wrong = []
    for name in CORE:
        key = f"{name} {minimums[name]}"
        released = RELEASED.get(key)
        if released is None:
            wrong.append(f"{key}: its release date is not listed in checks/minimums.py; add it.")
        elif today - released < WINDOW - QUARTER:
            wrong.append(f"{key} was released on {released}, less than two years ago; lower it.")
    return wrong


def main() -> int:
    minimums = declared()
    for name, version in sorted(minimums.items()):
        released = RELEASED.get(f"{name} {version}", "")
        print(f"{name:20s} >= {version:10s} {released}")
    wrong = too_young(minimums, datetime.datetime.now(datetime.UTC).date())
    print("\n".join(wrong) or "all minimums of core packages follow SPEC 0")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
