"""``python -m fuzz TARGET... --seconds 600``: test readers with random bytes.

Atheris (libFuzzer) searches for inputs that reach new lines of weft; without it, bytes are changed
at random. ``fuzz/corpus/TARGET`` keeps inputs that reached new lines; inputs that crash are written
to ``fuzz/crashes``. The exit code is 1 if anything crashed.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

HERE = Path(__file__).parent
MAX_LENGTH = 16_384
# Modules that read files: atheris searches for new lines in them.
READERS = ["weft.tables", "weft.models", "weft.search.runs", "weft.cli.config", "weft.cli.given"]
READERS += ["weft.reporting.compared_files"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="such as csv, packed, model; all by default")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    from fuzz.targets import TARGETS

    names = given.targets or list(TARGETS)
    unknown = set(names) - set(TARGETS)
    if unknown:
        parser.error(f"{unknown.pop()!r} is not a target; choose one of {', '.join(TARGETS)}")
    plain = given.plain or find_spec("atheris") is None
    if given.in_process:
        return _random(names[0], given.seconds) if plain else _guided(names[0], given.seconds)
    n_crashes = 0
    for name in names:
        cases, crashed = _watched(name, given.seconds, plain)
        n_crashes += crashed
        how = "random changes" if plain else "atheris"
        print(
            f"fuzz {name}: {cases} cases in {given.seconds} s ({how}), {crashed} crashes",
            flush=True,
        )
    return int(n_crashes > 0)


def _watched(name: str, seconds: int, plain: bool) -> tuple[int, int]:
    """Run one target in its own process, which an input may crash."""
    call = [sys.executable, "-m", "fuzz", name, "--seconds", str(seconds), "--in-process"]
    done = subprocess.run(
        [*call, "--plain"] if plain else call, capture_output=True, text=True, errors="replace"
    )
    text = done.stdout + done.stderr
    counts = re.findall(r"(?:number_of_executed_units: |^#)(\d+)", text, re.M)
    if done.returncode != 0:
        print("\n".join(text.splitlines()[-40:]), file=sys.stderr)
    return max((int(count) for count in counts), default=0), int(done.returncode != 0)


def _corpus(name: str) -> Path:
    from fuzz.targets import seeds

    folder = HERE / "corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        if not (folder / f"seed-{number}").exists():
            (folder / f"seed-{number}").write_bytes(seed)
    return folder


def _guided(name: str, seconds: int) -> int:
    import atheris

    # Only modules imported in this block are watched, so all are imported now.
    with atheris.instrument_imports(include=READERS):
        for reader in READERS:
            folder = getattr(import_module(reader), "__path__", [])
            for module in walk_packages(folder, f"{reader}."):
                import_module(module.name)
    from fuzz.targets import TARGETS

    crashes = HERE / "crashes"
    crashes.mkdir(exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={MAX_LENGTH}",
        f"-artifact_prefix={crashes}/{name}-",
        "-print_final_stats=1",
        "-rss_limit_mb=6000",
        "-timeout=1200",  # on a busy machine the process may wait for minutes
        "-verbosity=1",
        "-use_value_profile=0",
        str(_corpus(name)),
    ]
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()
    return 0


def _random(name: str, seconds: int) -> int:
    """Try random changes of the inputs in the corpus."""
    from fuzz.targets import TARGETS

    cases = [path.read_bytes() for path in sorted(_corpus(name).iterdir())]
    rng = random.Random(0)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = bytearray(rng.choice(cases))
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            place = rng.randrange(len(data) + 1)
            match rng.randrange(5):
                case 0:
                    data[place : place + 1] = bytes([rng.randrange(256)])
                case 1:
                    del data[place : place + rng.randrange(1, 20)]
                case 2:
                    data[place:place] = rng.randbytes(rng.randrange(1, 9))
                case 3:
                    other = rng.choice(cases)
                    data[place:place] = other[rng.randrange(len(other) + 1) :][:200]
                case 4:
                    data[place:place] = rng.choice((b"[" * 3000, b"\0", b",", b'"', b"\n", b"\xff"))
        try:
            TARGETS[name](bytes(data[:MAX_LENGTH]))
        except BaseException:
            crashes = HERE / "crashes"
            crashes.mkdir(exist_ok=True)
            (crashes / f"{name}-crash-{count}").write_bytes(bytes(data[:MAX_LENGTH]))
            raise
        count += 1
    print(f"#{count} DONE")
    return 0


if __name__ == "__main__":
    sys.exit(main())
