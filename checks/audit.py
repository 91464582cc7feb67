"""``python -m checks.audit``: known vulnerabilities of development dependencies, and hashes.

Runs pip-audit on ``requirements-dev.lock``. If its database cannot be reached, the check is only
that every package is pinned by hash and that the environment has the pinned versions.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LOCK = Path(__file__).parent.parent / "requirements-dev.lock"


def read_lock(text: str) -> dict[str, tuple[str, int]]:
    """Return version and number of hashes of each package."""
    found: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"\n(?=\S)", text.replace("\\\n", " ")):
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", entry)
        if match:
            found[match[1]] = (match[2], entry.count("--hash=sha256:"))
    return found


def main() -> int:
    packages = read_lock(LOCK.read_text(encoding="utf-8"))
    bare = [name for name, (_, n_hashes) in packages.items() if n_hashes == 0]
    apart = []
    for name, (wanted, _) in packages.items():
        try:
            if version(name) != wanted:
                apart.append(f"{name} {version(name)} (locked {wanted})")
        except PackageNotFoundError:
            continue  # an extra that is not installed
    print(f"{len(packages)} packages locked, {len(packages) - len(bare)} with hashes")
    if apart:
        print(f"other versions installed: {', '.join(apart)}")
    call = [sys.executable, "-m", "pip_audit", "--format", "json", "--disable-pip"]
    done = subprocess.run(
        [*call, "--require-hashes", "-r", str(LOCK)], capture_output=True, text=True
    )
    try:
        audited = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        audited = [{"skip_reason": "no answer"}]
    asked = [entry for entry in audited if "skip_reason" not in entry]
    weak = [entry for entry in asked if entry["vulns"]]
    for entry in weak:
        known = ", ".join(weakness["id"] for weakness in entry["vulns"])
        print(f"{entry['name']} {entry['version']}: {known}")
    if not asked:
        print("pip-audit cannot reach its database: only hashes were checked")
    else:
        print(f"pip-audit: {len(asked)} packages looked up, {len(weak)} with known vulnerabilities")
    return int(bool(bare or weak))


if __name__ == "__main__":
    sys.exit(main())
