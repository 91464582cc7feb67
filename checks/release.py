"""Build the sdist and the wheel, install each in clean environments, and run the smoke test.

    python -m checks.release

Environments: the wheel without extras and with ``[app]``, each with the newest and with the lowest
declared dependencies; the sdist with ``[app]``. ``checks/smoke.py`` fits every public estimator and
runs every command. The commands of the README run from the wheel as well.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
UV = (sys.executable, "-m", "uv")
NEEDED = ("weft/py.typed", "weft/auto/judge.npz", "weft/__main__.py")
UNWANTED = ("tests/", "bench/", "fuzz/", "checks/")


class Environment(NamedTuple):
    """What is installed in an environment, and what the smoke test may expect."""

    name: str
    source: str  # "wheel" or "sdist"
    extras: str  # "" or "[app]"
    resolution: str  # "highest" or "lowest-direct"


ENVIRONMENTS = (
    Environment("wheel, newest", "wheel", "", "highest"),
    Environment("wheel with app, newest", "wheel", "[app]", "highest"),
    Environment("sdist with app, newest", "sdist", "[app]", "highest"),
    Environment("wheel, lowest", "wheel", "", "lowest-direct"),
    Environment("wheel with app, lowest", "wheel", "[app]", "lowest-direct"),
)


def call(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return its output; a failure ends the check and prints the output."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def build(folder: Path) -> dict[str, Path]:
    """Build both archives and return their paths."""
    call(*UV, "build", "--quiet", "--out-dir", folder, ROOT)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


def wrong_contents(archives: dict[str, Path]) -> list[str]:
    """Return the files that are missing in the archives, and unwanted files in the wheel."""
    with zipfile.ZipFile(archives["wheel"]) as wheel:
        names = wheel.namelist()
    with tarfile.open(archives["sdist"]) as sdist:
        inner = {name.partition("/")[2] for name in sdist.getnames()}
    missing = [f"wheel lacks {name}" for name in NEEDED if name not in names]
    missing += [f"sdist lacks src/{name}" for name in NEEDED if f"src/{name}" not in inner]
    return missing + [f"wheel holds {name}" for name in names if name.startswith(UNWANTED)]


def version_mismatches() -> list[str]:
    """Return the files whose version differs from that of ``pyproject.toml``."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    places = {
        "src/weft/__init__.py": rf'^__version__ = "{re.escape(version)}"$',
        "CITATION.cff": rf"^version: {re.escape(version)}$",
        "CHANGELOG.md": rf"^## {re.escape(version)}\b",
        "recipe/meta.yaml": rf'^{{% set version = "{re.escape(version)}" %}}$',
    }
    return [
        f"{name} does not name version {version}"
        for name, pattern in places.items()
        if not re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    ]


def check_environment(environment: Environment, archives: dict[str, Path], python: str) -> str:
    """Install into a new environment outside the repository; return the smoke test's output."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        call(*UV, "venv", "--quiet", "--python", python, folder / "env")
        interpreter = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        wanted = f"{archives[environment.source]}{environment.extras}"
        call(
            *(*UV, "pip", "install", "--quiet", "--python", interpreter),
            *("--resolution", environment.resolution, wanted),
        )
        kind = ["plain"] if not environment.extras else []
        smoke = folder / "smoke.py"
        smoke.write_text((ROOT / "checks" / "smoke.py").read_text(encoding="utf-8"))
        return call(interpreter, "-I", smoke, *kind, cwd=folder).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter to test with")
    parser.add_argument("--only", default="", help="environments whose name contains this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        archives = build(Path(name))
        wrong = version_mismatches() + wrong_contents(archives)
        if wrong:
            sys.exit("\n".join(wrong))
        sizes = ", ".join(f"{p.name} {p.stat().st_size / 1e6:.1f} MB" for p in archives.values())
        print(f"built {sizes}", flush=True)
        for environment in ENVIRONMENTS:
            if options.only in environment.name:
                said = check_environment(environment, archives, options.python)
                print(f"{environment.name}: {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
