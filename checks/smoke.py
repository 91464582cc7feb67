"""Fit every public estimator once and run every command, with the weft that is installed.

    python -I checks/smoke.py        # everything, needs weft[app]
    python -I checks/smoke.py plain  # what works without extras

The file imports nothing of the repository, so `checks.release` can run it in an environment that
has only the wheel. ``-I`` keeps the current folder off the import path.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import weft

# Budgets that keep a fit short; the first fit of each class compiles its kernels.
BUDGETS = {
    "n_particles": 4,
    "n_generations": 3,
    "n_rounds": 1,
    "n_evaluations": 20,
    "n_resamples": 1,
}
NEED_TABLES = ("TablePreparer",)
NEED_COUNTS = ("CountNormalizer",)


def make_rows() -> np.ndarray:
    """Return 60 rows in three clusters, in two of five columns."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 5))
    rows[:, :2] += 6.0 * (np.arange(60) % 3)[:, None]
    return rows


def fit_every_estimator(*, extras: bool) -> int:
    """Fit, predict or transform, save and load each public class; return how many there were."""
    X, n_fitted = make_rows(), 0
    for name in sorted(weft.__all__):
        kind = getattr(weft, name)
        if not isinstance(kind, type) or (name in NEED_TABLES and not extras):
            continue
        model = kind()
        known = model.get_params(deep=False)
        model.set_params(**{key: value for key, value in BUDGETS.items() if key in known})
        if "n_clusters" in known:
            model.set_params(n_clusters=3)
        table = _frame() if name in NEED_TABLES else X
        if name in NEED_COUNTS:
            table = np.abs(X).round()
        model.fit(table)
        result = model.transform(table) if hasattr(model, "transform") else model.labels_
        if len(result) != len(table):
            raise AssertionError(f"{name} returned {len(result)} rows for {len(table)}.")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.weft"
            if hasattr(model, "save"):
                model.save(path)
                weft.load(path)
        n_fitted += 1
    return n_fitted


def _frame():  # type: ignore[no-untyped-def]
    import pandas as pd

    return pd.DataFrame({"price": [f"${value}.50" for value in range(60)], "kind": ["a", "b"] * 30})


def run(*words: str, expected: int = 0, stdin: bytes | None = None) -> bytes:
    """Run ``python -m weft`` with these words and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "weft", *words], input=stdin, capture_output=True, check=False
    )
    if done.returncode != expected:
        raise AssertionError(
            f"weft {' '.join(words)} ended with {done.returncode}, expected {expected}: "
            f"{done.stderr.decode(errors='replace')[-800:]}"
        )
    return done.stdout


def run_every_command(folder: Path) -> int:
    """Run each command once, including those of the README; return how many."""
    table, out = str(folder / "table.csv"), str(folder / "groups")
    commands = [
        ("--help",),
        ("--version",),
        ("generate", "ellipsoids", "--clusters", "3", "--seed", "1", "--out", table),
        ("cluster", table, "--label", "label", "--out", out),
        ("predict", out, table, "--out", str(folder / "labels.csv")),
        ("report", out, "--out", str(folder / "report.html")),
        ("choose", table, "--label", "label"),
        ("methods",),
        ("demo", "--out", str(folder / "demo")),
    ]
    for words in commands:
        run(*words)
    return len(commands)


def main() -> int:
    warnings.simplefilter("ignore")
    extras = "plain" not in sys.argv[1:]
    n_fitted = fit_every_estimator(extras=extras)
    if extras:
        with tempfile.TemporaryDirectory() as folder:
            n_commands = run_every_command(Path(folder))
    else:
        # Without the extra, the command says what to install.
        n_commands = 1
        run("--help", expected=2)
    commands = "1 command works" if n_commands == 1 else f"{n_commands} commands work"
    print(f"weft {weft.__version__}: {n_fitted} estimators work, {commands}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
